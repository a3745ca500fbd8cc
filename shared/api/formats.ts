// String formats of the schemas, each with its check and the message for an invalid value.

export interface StringFormat {
  /** Why the value is invalid, as the rest of a sentence ("must ..."); undefined: it is valid. */
  readonly problem: (value: string) => string | undefined;
}

const TIMESTAMP =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Whether a text is an RFC 3339 time that JavaScript's Date can represent (no leap second, a day that exists). */
export function isTimestamp(value: string): boolean {
  const match = TIMESTAMP.exec(value);
  if (match === null) return false;
  const [, year, month, day] = match.map(Number);
  // The day must exist: Date rolls 31 April over into May.
  const midnight = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day));
  midnight.setUTCFullYear(year ?? 0, (month ?? 0) - 1, day);
  return (
    midnight.getUTCMonth() === (month ?? 0) - 1 && midnight.getUTCDate() === day && !Number.isNaN(Date.parse(value))
  );
}

/** By the name in `format`. */
export const STRING_FORMATS: Readonly<Record<string, StringFormat>> = {
  'date-time': {
    problem: (value) => (isTimestamp(value) ? undefined : 'must be an RFC 3339 time such as 2026-01-31T12:00:00.000Z'),
  },
};

// What a request changed, in the words of the operator trail.

/** A member of the subject, before and after. Absent: there was none. */
export interface ChangedField {
  readonly name: string;
  readonly from?: string;
  readonly to?: string;
}

/** Never holds a secret: operators read it, and it is kept for ever. */
export interface RecordedChange {
  /** The kind of the subject, such as `agent`. */
  readonly subject: string;
  readonly id: string;
  /** Empty: the request changed nothing. */
  readonly fields: readonly ChangedField[];
  /** The reason that the operator gave. */
  readonly reason?: string;
}

type Value = string | number | boolean | Date | null | undefined | readonly string[];
type Members = Readonly<Record<string, Value>>;

/** Longer values are cut: descriptions and lists of agents may be long. */
const MAX_VALUE = 400;
/** Ids of a batch that are named. */
const MAX_IDS = 3;

function textOf(value: Value): string | undefined {
  if (value === null || value === undefined) return undefined;
  const text =
    typeof value === 'object' ? ('toISOString' in value ? value.toISOString() : value.join(', ')) : String(value);
  if (text === '') return undefined;
  return text.length <= MAX_VALUE ? text : `${[...text.slice(0, MAX_VALUE)].slice(0, -1).join('')}…`;
}

/** The members that differ. Null, undefined and an empty list count as absent. @param before undefined: there was no subject */
export function changedFields(before: Members | undefined, after: Members | undefined): ChangedField[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].flatMap((name) => {
    const [was, is] = [before?.[name], after?.[name]];
    if (JSON.stringify(was ?? null) === JSON.stringify(is ?? null)) return [];
    const [from, to] = [textOf(was), textOf(is)];
    if (from === undefined && to === undefined) return [];
    return [{ name, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
  });
}

/** The ids of a batch as one text: the first three, and how many more. */
export function idsOf(ids: readonly string[]): string {
  const more = ids.length - MAX_IDS;
  return ids.slice(0, MAX_IDS).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Rows that were stored and that no other row was changed for, such as accepted proofs. */
export function stored(subject: string, ids: readonly string[]): RecordedChange {
  return { subject, id: idsOf(ids), fields: ids.length === 0 ? [] : [{ name: 'stored', to: String(ids.length) }] };
}

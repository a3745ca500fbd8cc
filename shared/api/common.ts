// Schema pieces that many resources share.
import { CALLER_ID_MAX, CALLER_ID_PATTERN } from '../kernel/ids.ts';
import { type TSchema, type TSchemaOptions, Type } from 'typebox';

/** One of a closed list of words. */
export function StringEnum<const T extends string>(values: readonly T[], options: TSchemaOptions = {}) {
  return Type.Unsafe<T>({ ...options, type: 'string', enum: [...values] });
}

/** An object without other members. */
export function closed<P extends Record<string, TSchema>>(properties: P, options: TSchemaOptions = {}) {
  return Type.Object(properties, { ...options, additionalProperties: false });
}

/** A closed object that the OpenAPI document lists under this name. */
export function named<P extends Record<string, TSchema>>($id: string, properties: P) {
  return closed(properties, { $id });
}

export function Nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

/** Any JSON object, passed through unchanged. */
export function JsonObject(options: TSchemaOptions = {}) {
  return Type.Unsafe<Record<string, unknown>>({ ...options, type: 'object' });
}

/** Pattern of a text that PostgreSQL can store. */
export const NO_NUL = '^[^\\u0000]*$';
/** The same for a text that is not blank. */
export const NOT_BLANK = '^[^\\u0000]*\\S[^\\u0000]*$';

export const Timestamp = Type.String({
  description: 'RFC 3339, UTC, milliseconds.',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
  examples: ['2026-03-01T09:30:00.000Z'],
});

/** A time from callers: RFC 3339 with any offset, with or without fractions. */
export const Instant = Type.String({ format: 'date-time', maxLength: 64, description: 'RFC 3339 date and time.' });

/**
 * An identifier chosen by a caller: 1..256 characters, no control characters, not `.` or `..`, and not one of the service
 * (`custos:...`). Compared by code points.
 */
export const CallerId = Type.String({
  minLength: 1,
  maxLength: CALLER_ID_MAX,
  pattern: CALLER_ID_PATTERN,
  description:
    'Chosen by the caller: 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".',
  examples: ['agent-7'],
});

export const DEFAULT_LIMIT = 50;
export const Limit = Type.Integer({
  minimum: 1,
  maximum: 200,
  default: DEFAULT_LIMIT,
  description: 'Most items on the page.',
});
export const Cursor = Type.String({
  minLength: 1,
  maxLength: 400,
  description: 'The nextCursor of the page before. Opaque; stays valid while rows are added.',
});

/** A page of a list: `{items, nextCursor}`. */
export function listOf<T extends TSchema>(item: T, id: string) {
  return closed(
    {
      items: Type.Array(item),
      nextCursor: Nullable(
        Type.String({ description: 'Give it as `cursor` for the next page; null on the last one.' }),
      ),
    },
    { $id: id },
  );
}

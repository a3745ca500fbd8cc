// Schema pieces that many resources share.
import { type TSchema, Type } from 'typebox';
import { CALLER_ID_MAX, CALLER_ID_PATTERN } from '../kernel/ids.ts';
import { closed, Nullable } from '../kernel/schema.ts';

export { closed, JsonObject, named, Nullable, StringEnum, Timestamp } from '../kernel/schema.ts';

/** Pattern of a text that PostgreSQL can store. */
export const NO_NUL = '^[^\\u0000]*$';
/** The same for a text that is not blank. */
export const NOT_BLANK = '^[^\\u0000]*\\S[^\\u0000]*$';

/** Why somebody does something: a text that is not blank. @param options description and examples */
export const reasonText = (maxLength: number, options: { readonly description: string; readonly examples: string[] }) =>
  Type.String({ maxLength, pattern: NOT_BLANK, ...options });

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
  description: '1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".',
  examples: ['agent-7'],
});

export const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 200;
export const Limit = Type.Integer({
  minimum: 1,
  maximum: MAX_LIMIT,
  default: DEFAULT_LIMIT,
  description: 'Most items on the page.',
});
export const Cursor = Type.String({
  minLength: 1,
  maxLength: 400,
  description: 'The nextCursor of the page before. Opaque; stays valid while rows are added.',
});

/** Query parameters of a list. */
export const PAGE = { cursor: Type.Optional(Cursor), limit: Type.Optional(Limit) };
export const PageQuery = closed(PAGE);

/** A path parameter without a pattern, so that a malformed id gets the same 404 as another tenant's. */
export const IdParams = closed({
  id: Type.String({ minLength: 1, maxLength: 64, description: 'What its creation or its list gave.' }),
});

/** A page of a list: `{items, nextCursor}`. Without an id the OpenAPI document shows it in its place. */
export function listOf<T extends TSchema>(item: T, id?: string) {
  return closed(
    {
      items: Type.Array(item, { description: 'One page of them.' }),
      nextCursor: Nullable(Type.String({ description: 'The `cursor` of the next page; null on the last one.' })),
    },
    id === undefined ? {} : { $id: id },
  );
}

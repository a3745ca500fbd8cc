// Builders of JSON Schemas. The types of such shapes are derived from their schemas, so that they are stated once.
import { type Static, type TSchema, type TSchemaOptions, Type } from 'typebox';

/** The type of a schema's values. */
export type Shape<S extends TSchema> = ReadonlyDeep<Static<S>>;

type ReadonlyDeep<T> = T extends readonly (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: ReadonlyDeep<T[Name]> }
    : T;

/** One of a closed list of words. */
export function StringEnum<const T extends string>(values: readonly T[], options: TSchemaOptions = {}) {
  return Type.Unsafe<T>({ ...options, type: 'string', enum: [...values] });
}

/** An object without other members. */
export function closed<P extends Record<string, TSchema>>(properties: P, options: TSchemaOptions = {}) {
  return Type.Object(properties, { ...options, additionalProperties: false });
}

/** A closed object that the OpenAPI document lists under this name. */
export function named<P extends Record<string, TSchema>>($id: string, properties: P, options: TSchemaOptions = {}) {
  return closed(properties, { $id, ...options });
}

export function Nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

/** Any JSON object, passed through unchanged. */
export function JsonObject(options: TSchemaOptions = {}) {
  return Type.Unsafe<Record<string, unknown>>({ ...options, type: 'object', additionalProperties: true });
}

export const Timestamp = Type.String({
  description: 'RFC 3339, UTC, milliseconds.',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
});

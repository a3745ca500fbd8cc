// Compiles typebox schemas into validators, with this service's string formats and without coercion.
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { STRING_FORMATS } from '../../shared/api/formats.ts';

/** A copy of a schema as plain JSON, without `$id`: a schema may occur in many others, and Ajv accepts an id only once. */
export function plainSchema(schema: TSchema): Record<string, unknown> {
  return strip(JSON.parse(JSON.stringify(schema))) as Record<string, unknown>;
}

function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => key !== '$id' || typeof member !== 'string')
      .map(([key, member]) => [key, strip(member)]),
  );
}

function createAjv(allErrors: boolean): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors,
    verbose: allErrors,
    strict: true,
    strictRequired: false,
    strictTypes: false,
    useDefaults: false,
    meta: false,
    validateSchema: false,
  });
  for (const [name, format] of Object.entries(STRING_FORMATS))
    ajv.addFormat(name, (value: string) => format.problem(value) === undefined);
  return ajv;
}

/** Fast for valid values; errors are collected in a second pass. Both throw when the schema is not valid (strict mode). */
export interface Validator {
  readonly valid: (value: unknown) => boolean;
  /** The errors of an invalid value: all of them, or only the first when `thorough` is false. */
  readonly explain: (value: unknown, thorough: boolean) => ErrorObject[];
}

export type Compile = (schema: TSchema) => Validator;

/** The validators of this process. Its services, their parts and the tests' services all have the same schemas. */
const compiled = { fast: new WeakMap<TSchema, ValidateFunction>(), slow: new WeakMap<TSchema, ValidateFunction>() };
const ajvs: { fast?: Ajv2020; slow?: Ajv2020 } = {};

function validatorOf(schema: TSchema, kind: 'fast' | 'slow'): ValidateFunction {
  const known = compiled[kind].get(schema);
  if (known !== undefined) return known;
  const validate = (ajvs[kind] ??= createAjv(kind === 'slow')).compile(plainSchema(schema));
  compiled[kind].set(schema, validate);
  return validate;
}

/**
 * A schema is compiled at its first use: a process uses few of its routes soon after its start. A test compiles the schemas of all
 * routes and checks them against the meta-schema.
 */
export const compile: Compile = (schema) => ({
  valid: (value) => validatorOf(schema, 'fast')(value),
  explain: (value, thorough) => {
    const validate = validatorOf(schema, thorough ? 'slow' : 'fast');
    return validate(value) ? [] : [...(validate.errors ?? [])];
  },
});

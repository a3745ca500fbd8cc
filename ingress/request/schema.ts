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

/**
 * A compiler for many schemas. Each schema is compiled at its first use: a process uses few of its routes soon after its
 * start. A test compiles the schemas of all routes and checks them against the meta-schema.
 */
export function createCompiler(): Compile {
  let fastAjv: Ajv2020 | undefined;
  let slowAjv: Ajv2020 | undefined;
  return (schema) => {
    let fast: ValidateFunction | undefined;
    let slow: ValidateFunction | undefined;
    const compiled = (): ValidateFunction => (fast ??= (fastAjv ??= createAjv(false)).compile(plainSchema(schema)));
    return {
      valid: (value) => compiled()(value),
      explain: (value, thorough) => {
        if (thorough) slow ??= (slowAjv ??= createAjv(true)).compile(plainSchema(schema));
        const validate = slow !== undefined && thorough ? slow : compiled();
        return validate(value) ? [] : [...(validate.errors ?? [])];
      },
    };
  };
}

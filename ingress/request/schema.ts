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
  });
  for (const [name, format] of Object.entries(STRING_FORMATS))
    ajv.addFormat(name, (value: string) => format.problem(value) === undefined);
  return ajv;
}

/** Fast for valid values; errors are collected in a second pass. */
export interface Validator {
  readonly valid: (value: unknown) => boolean;
  /** The errors of an invalid value: all of them, or only the first when `thorough` is false. */
  readonly explain: (value: unknown, thorough: boolean) => ErrorObject[];
}

export type Compile = (schema: TSchema) => Validator;

/**
 * A compiler for many schemas; creating one is expensive (two Ajv instances). It throws when a schema itself is not valid
 * (strict mode), so at start and not at a request.
 */
export function createCompiler(): Compile {
  const fastAjv = createAjv(false);
  let slowAjv: Ajv2020 | undefined;
  return (schema) => {
    const plain = plainSchema(schema);
    const fast: ValidateFunction = fastAjv.compile(plain);
    let slow: ValidateFunction | undefined;
    return {
      valid: (value) => fast(value),
      explain: (value, thorough) => {
        if (thorough) {
          slowAjv ??= createAjv(true);
          slow ??= slowAjv.compile(plain);
        }
        const validate = slow !== undefined && thorough ? slow : fast;
        return validate(value) ? [] : [...(validate.errors ?? [])];
      },
    };
  };
}

/** One schema by itself. @throws {Error} when it is not valid */
export function compile(schema: TSchema): Validator {
  return createCompiler()(schema);
}

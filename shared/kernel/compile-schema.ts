// Compiles schemas with Ajv, lazily: of hand-written files (policies, tests, lexicons), and of records that are read back.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Static, TSchema } from 'typebox';
import { withSharedParts } from './shared-parts.ts';

/**
 * Two steps are left out. The generated code is not optimised: that doubles the time, and a file is checked in microseconds anyway. The
 * schema is not checked against the JSON Schema meta-schema: a test does that.
 */
export const ajvOptions = (reportsAll: boolean) =>
  ({
    strict: true,
    // Some subschemas refine a type that a sibling declares. Ajv's strictTypes would report the type as missing.
    strictTypes: false,
    strictRequired: false,
    allErrors: reportsAll,
    verbose: reportsAll,
    meta: false,
    validateSchema: false,
    // A definition is one function, however often it is referred to.
    inlineRefs: false,
    code: { optimize: false },
  }) as const;

/**
 * Returns a function that compiles the schema at its first call. The check reports all errors.
 * @param generated returns the compiled schema, with all errors; the bundle adds it (shared/platform/build/validators.mjs)
 */
export function compileSchema<T>(
  schema: TSchema,
  reportsAll = true,
  generated?: () => ValidateFunction<T>,
): () => ValidateFunction<T> {
  let compiled: ValidateFunction<T> | undefined;
  const compile = generated ?? (() => new Ajv2020(ajvOptions(reportsAll)).compile<T>(withSharedParts(schema)));
  return () => (compiled ??= compile());
}

/** A type guard for the values of a schema, compiled at its first use. It stops at the first error, because a forged record may have millions. */
export function guardOf<S extends TSchema>(schema: S): (value: unknown) => value is Static<S> {
  const validate = compileSchema<Static<S>>(schema, false);
  return (value): value is Static<S> => validate()(value);
}

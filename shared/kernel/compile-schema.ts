// Ajv for the files that people write (policies, tests, lexicons): a check that tells all that is wrong, made when it is needed.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';

/**
 * A check that is compiled at its first use, then kept: every command that reads policies pays for it when it starts. So
 * its code is not optimised, which takes Ajv as long as making it, for files that are checked in microseconds; and the
 * schema itself is not held against the schema of schemas: these are our own, and a test does that.
 */
export function compileSchema<T>(schema: TSchema): () => ValidateFunction<T> {
  let compiled: ValidateFunction<T> | undefined;
  return () => {
    compiled ??= new Ajv2020({
      strict: true,
      // The schemas refine types that their other parts declare, which Ajv's strict types would call missing.
      strictTypes: false,
      strictRequired: false,
      allErrors: true,
      verbose: true,
      meta: false,
      validateSchema: false,
      code: { optimize: false },
    }).compile<T>(schema);
    return compiled;
  };
}

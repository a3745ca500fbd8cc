// Validates the action names of AuthZEN requests against their published schema.
import { compileSchema } from '../../kernel/compile-schema.ts';
import { type AuthzenFile, AuthzenSchema } from '../authzen/schema.ts';
import { type Checked, isNoise, problemOf, withoutEchoes } from './schema-problems.ts';

const validator = compileSchema<AuthzenFile>(AuthzenSchema);

/** Checks one parsed file and reports all problems. */
export function checkAuthzen(document: unknown): Checked<AuthzenFile> {
  const validate = validator();
  if (validate(document)) return { ok: true, item: document };
  const errors = withoutEchoes((validate.errors ?? []).filter((error) => !isNoise(error)));
  return { ok: false, problems: errors.map((error) => problemOf(document, error)) };
}

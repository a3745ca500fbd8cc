// The errors of the service that a person at the shell can act on: shown as a sentence, without a stack.
import { BootstrapError } from '../shared/domain/keys/bootstrap.ts';
import { OrganisationError } from '../shared/domain/keys/organisations.ts';
import { ApiError } from '../shared/kernel/errors.ts';
import { ConfigError } from '../shared/platform/config/config.ts';
import { SecretMismatchError } from '../shared/platform/db/fingerprints.ts';
import { SetupError } from '../shared/platform/embedded/account.ts';
import { AlreadyRunning } from '../shared/platform/embedded/lock.ts';

const EXPECTED = [
  ApiError,
  OrganisationError,
  ConfigError,
  SetupError,
  AlreadyRunning,
  BootstrapError,
  SecretMismatchError,
] as const;

export function isExpected(error: unknown): error is Error {
  return EXPECTED.some((kind) => error instanceof kind);
}

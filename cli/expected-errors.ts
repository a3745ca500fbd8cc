// Errors of the service that a person at the shell can act on. They are printed as a sentence, without a stack.
import { DamagedLogError } from '../shared/domain/ledger/export.ts';
import { ForkError } from '../shared/domain/ledger/fork.ts';
import { ResumeError } from '../shared/domain/ledger/resume.ts';
import { RotationError } from '../shared/domain/ledger/rotate-key.ts';
import { BootstrapError } from '../shared/domain/keys/bootstrap.ts';
import { ApiError } from '../shared/kernel/errors.ts';
import { ConfigError } from '../shared/platform/config/config.ts';
import { SecretMismatchError } from '../shared/platform/db/fingerprints.ts';
import { SetupError } from '../shared/platform/embedded/account.ts';
import { AlreadyRunning } from '../shared/platform/embedded/lock.ts';

export const EXPECTED = [
  ApiError,
  ConfigError,
  SetupError,
  AlreadyRunning,
  BootstrapError,
  SecretMismatchError,
  DamagedLogError,
  ForkError,
  ResumeError,
  RotationError,
] as const;

// Why a process or a command can't connect to PostgreSQL, as a sentence for an operator.
import { OperatorError } from '../../kernel/operator-error.ts';

/** PostgreSQL is not reachable, or lets nobody in. */
export class ConnectError extends OperatorError {
  /** The driver's message; of several addresses of a name, that of the first one. */
  readonly reason: string;
  /** What to do, as a sentence. */
  readonly advice: string;

  constructor(place: string, cause: unknown, advice: string) {
    const [first = cause] = cause instanceof AggregateError ? (cause.errors as unknown[]) : [];
    const reason = first instanceof Error ? first.message : String(first);
    super(`PostgreSQL at ${place} can't be used: ${reason}. ${advice}`, { cause });
    this.reason = reason;
    this.advice = advice;
  }
}

const NOT_ACCEPTED =
  'Correct the role and password in SETTING. A role that does not exist yet is made by "custos migrate" with CUSTOS_MIGRATION_DATABASE_URL.';

/** What to do, by SQLSTATE. */
const ADVICE: Readonly<Record<string, string>> = {
  '28000': NOT_ACCEPTED,
  '28P01': NOT_ACCEPTED,
  '3D000': 'Create the database, or correct SETTING.',
  '53300': 'Raise max_connections of the server, or lower CUSTOS_DATABASE_POOL.',
  '57P03': 'Try again in a moment.',
};
const OTHER = 'Start PostgreSQL, or correct SETTING.';

/**
 * @param url its role and password are not named
 * @param setting the setting that has the address
 */
export function connectError(
  error: unknown,
  url: string,
  setting: 'DATABASE_URL' | 'CUSTOS_MIGRATION_DATABASE_URL' = 'DATABASE_URL',
): ConnectError {
  if (error instanceof ConnectError) return error;
  const { code } = (error ?? {}) as { code?: unknown };
  const advice = (typeof code === 'string' ? ADVICE[code] : undefined) ?? OTHER;
  const place = url.replace(/\?.*$/s, '').replace(/^[^:]*:\/\/(?:.*@)?/s, '');
  return new ConnectError(place, error, advice.replace('SETTING', setting));
}

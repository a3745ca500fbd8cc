// Calls of a running service with an admin key, for commands that have --url.
import type { Command } from '@commander-js/extra-typings';
import { memberOf } from '../../shared/kernel/json.ts';
import { CommandError, UsageError } from '../exit.ts';
import { readFile } from '../input.ts';
import { apiKey, serviceUrl } from '../options.ts';

const TIMEOUT_MS = 60_000;

export interface RemoteOptions {
  readonly url?: string;
  readonly keyFile?: string;
}

/** Options of a command that works on the database, or with --url on a running service. */
export const URL_HELP = 'work on this running service instead of the database';
export const KEY_FILE_HELP = 'with --url: a file with an admin key (default: the key in CUSTOS_KEY)';

function keyOf({ keyFile }: RemoteOptions): string {
  const key = keyFile === undefined ? process.env['CUSTOS_KEY'] : readFile(keyFile).toString('utf8').trim();
  if (key === undefined || key === '')
    throw new UsageError('An admin key is needed: set CUSTOS_KEY, or name a file with --key-file.');
  return apiKey(keyFile ?? 'CUSTOS_KEY', key);
}

/** The refusal of a service. */
export class RefusedError extends CommandError {
  /** HTTP. */
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Calls a route of the service of --url. @returns its JSON @throws {RefusedError} */
export async function callService(
  options: RemoteOptions,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<unknown> {
  const base = serviceUrl('--url', options.url ?? '');
  const key = keyOf(options);
  let answer: Response;
  try {
    answer = await fetch(`${base}${path}`, {
      method,
      headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    throw new CommandError(`${base} does not answer.`, { cause: error });
  }
  const said: unknown = await answer.json().catch(() => undefined);
  if (answer.ok) return said;
  const errors: unknown = memberOf(said, 'errors');
  const more = (Array.isArray(errors) ? errors : []).map((one: unknown) => `  ${String(memberOf(one, 'message'))}`);
  const detail = memberOf(said, 'detail');
  const sentence = typeof detail === 'string' ? detail : `The service answered with status ${answer.status}.`;
  throw new RefusedError([sentence, ...more].join('\n'), answer.status);
}

/** Adds --url and --key-file. */
export const withRemote = <A extends unknown[], O extends Record<string, unknown>>(command: Command<A, O>) =>
  command.option('--url <address>', URL_HELP).option('--key-file <path>', KEY_FILE_HELP);

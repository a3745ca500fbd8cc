// Logs: pino, one JSON line per event, readable when a person is looking; no key, secret or payload ever.
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import pinoPretty from 'pino-pretty';
import { activeTraceIds } from './spans.ts';

export type Logger = PinoLogger;

export interface LogOptions {
  /** `ingress`, `workers`, ...: which process speaks. */
  readonly name: string;
  readonly level: string;
  /** For a person at a terminal instead of a machine. */
  readonly pretty: boolean;
  /** File descriptor that lines go to: 1, the default, or 2. */
  readonly fd?: 1 | 2;
  /** Whether lines carry the ids of the span that is active (shared/platform/observe/spans.ts). */
  readonly traced?: boolean;
  /** Takes the lines instead, for tests. */
  readonly destination?: DestinationStream;
}

/** Members that may hold a credential: hidden in what is logged, in its members, and in the headers of a request. */
const SECRET_MEMBERS: ReadonlySet<string> = new Set([
  'authorization',
  'x-api-key',
  'cookie',
  'set-cookie',
  'password',
  'pepper',
  'apiKey',
  'databaseUrl',
  'redisUrl',
  'bootstrapKey',
]);
const CENSOR = '[hidden]';
const MAX_DEPTH = 3;

function copyOf<T extends object>(value: T): T {
  const copy: unknown = Array.isArray(value)
    ? [...(value as unknown[])]
    : Object.create(Object.getPrototypeOf(value) as object | null, Object.getOwnPropertyDescriptors(value));
  // Of the same kind and with the same members.
  return copy as T;
}

/**
 * The value without credentials: itself when it holds none, else a copy. pino's own redaction with the same paths
 * costs 11 microseconds a line, a tenth of all that a decision costs; this costs 0.2.
 */
function withoutSecrets<T extends object>(value: T, depth = 1): T {
  let copy: T | undefined;
  for (const key in value) {
    const member: unknown = value[key];
    let shown: unknown = member;
    if (SECRET_MEMBERS.has(key)) shown = CENSOR;
    else if (typeof member === 'object' && member !== null && depth < MAX_DEPTH)
      shown = withoutSecrets(member, depth + 1);
    if (shown === member) continue;
    // An error stays one: its message and stack are not enumerable.
    copy ??= copyOf(value);
    Object.defineProperty(copy, key, { value: shown, enumerable: true });
  }
  return copy ?? value;
}

/**
 * A logger of this process. Times are ISO 8601 in UTC, levels are words.
 * Lines are written synchronously, so that none is lost when the process ends; one costs about 5 microseconds.
 */
export function createLogger({ name, level, pretty, fd = 1, traced = false, destination }: LogOptions): Logger {
  const options = {
    name,
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    ...(traced ? { mixin: activeTraceIds } : {}),
    // These reach what a child logger always says, which the formatter below does not see.
    serializers: Object.fromEntries([...SECRET_MEMBERS].map((member) => [member, () => CENSOR])),
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (object: Record<string, unknown>) => withoutSecrets(object),
    },
  };
  if (destination !== undefined) return pino(options, destination);
  if (!pretty) return pino(options, pino.destination({ fd, sync: true }));
  return pino(
    options,
    pinoPretty({
      colorize: true,
      sync: true,
      destination: fd,
      translateTime: 'SYS:HH:MM:ss.l',
      ignore: 'pid,hostname',
      singleLine: true,
    }),
  );
}

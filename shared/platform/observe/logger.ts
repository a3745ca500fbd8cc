// The logger: pino, one JSON line per event, or readable lines at a terminal. It never writes keys, secrets or payloads.
import { createRequire } from 'node:module';
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import type PinoPretty from 'pino-pretty';
import { printable } from '../../core/proof/encoding.ts';
import type { LineWriter } from './line-writer.ts';
import { activeTraceIds } from './spans.ts';

export type Logger = PinoLogger;

export interface LogOptions {
  /** The process: `ingress`, `workers`, ... */
  readonly name: string;
  readonly level: string;
  /** Readable lines for a terminal instead of JSON. */
  readonly pretty: boolean;
  /** Whether lines have the ids of the active span (spans.ts). */
  readonly traced?: boolean;
  /** Gets each line; a LineWriter also has the logger report how many were dropped. Absent: standard output, for which the logger waits. */
  readonly destination?: DestinationStream & Partial<Pick<LineWriter, 'onRestored'>>;
}

/** Members that may hold a credential: hidden at every depth up to MAX_DEPTH. */
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
  // Errors of Redis have their command: of AUTH it is the password, of others what is stored.
  'args',
]);
/**
 * Members of errors that quote what callers sent: of PostgreSQL's "Failing row contains (...)", which its own log has, too, and of Redis's the
 * errors of the commands of a transaction.
 */
const QUOTING_MEMBERS: ReadonlySet<string> = new Set(['detail', 'where', 'internalQuery', 'previousErrors']);
const CENSOR = '[hidden]';
const MAX_DEPTH = 3;

function copyOf<T extends object>(value: T): T {
  const copy: unknown = Array.isArray(value)
    ? [...(value as unknown[])]
    : Object.create(Object.getPrototypeOf(value) as object | null, Object.getOwnPropertyDescriptors(value));
  // It has the same prototype and the same members.
  return copy as T;
}

/**
 * The value without credentials, and errors without what they quote: the same object when it has none, else a copy. pino's redaction of the same paths takes
 * 11 microseconds a line, a tenth of the cost of a decision; this takes 0.2.
 */
function withoutSecrets<T extends object>(value: T, depth = 1): T {
  let copy: T | undefined;
  const isError = value instanceof Error;
  for (const key in value) {
    const member: unknown = value[key];
    let shown: unknown = member;
    if (SECRET_MEMBERS.has(key) || (isError && member !== undefined && QUOTING_MEMBERS.has(key))) shown = CENSOR;
    else if (typeof member === 'object' && member !== null && depth < MAX_DEPTH)
      shown = withoutSecrets(member, depth + 1);
    if (shown === member) continue;
    // The copy of an error stays an error: its message and stack are not enumerable.
    copy ??= copyOf(value);
    Object.defineProperty(copy, key, { value: shown, enumerable: true });
  }
  return copy ?? value;
}

/** The messages of an error and its causes as one sentence. Most end with a full stop, after which no cause can follow. */
function messageOf(error: Error): string {
  const chain = new Set<Error>();
  for (let next: unknown = error; next instanceof Error && !chain.has(next); next = next.cause) chain.add(next);
  return [...chain]
    .map(({ message }, index) => (index + 1 < chain.size ? message.replace(/\.$/, '') : message))
    .join(': ');
}

/** As pino writes errors, with `messageOf`. */
function shownError(error: unknown): unknown {
  return error instanceof Error ? Object.assign(pino.stdSerializers.err(error), { message: messageOf(error) }) : error;
}

/** Times are ISO 8601 in UTC, levels are words. */
export function createLogger({ name, level, pretty, traced = false, destination }: LogOptions): Logger {
  const options = {
    name,
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    ...(traced ? { mixin: activeTraceIds } : {}),
    // For the bindings of child loggers, which the formatter below does not see.
    serializers: {
      ...Object.fromEntries([...SECRET_MEMBERS].map((member) => [member, () => CENSOR])),
      err: shownError,
    },
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (object: Record<string, unknown>) => withoutSecrets(object),
    },
  };
  if (destination === undefined) return pino(options);
  const logger = pino(options, pretty ? readable(destination) : destination);
  destination.onRestored?.((lines) =>
    logger.warn({ lines }, 'log lines were dropped: the output was not read, or was full'),
  );
  return logger;
}

/** Turns JSON into readable lines. */
function readable(destination: DestinationStream): DestinationStream {
  // Loaded only for a terminal, because it takes 35 ms of each start.
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof PinoPretty;
  const toText = prettyFactory({
    colorize: true,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname',
    singleLine: true,
  });
  return { write: (line) => destination.write(toText(JSON.parse(line, shownMember))) };
}

/** A member of a line without what would move the cursor of a terminal, or begin a line: errors quote what callers sent. */
function shownMember(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  // Its lines are indented.
  return name === 'stack' ? value.split('\n').map(printable).join('\n') : printable(value);
}

// Logs: pino, one JSON line per event, readable when a person is looking; no key, secret or payload ever.
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import pinoPretty from 'pino-pretty';

export type Logger = PinoLogger;

export interface LogOptions {
  /** `ingress`, `workers`, ...: which process speaks. */
  readonly name: string;
  readonly level: string;
  /** For a person at a terminal instead of a machine. */
  readonly pretty: boolean;
  /** File descriptor that lines go to: 1, the default, or 2. */
  readonly fd?: 1 | 2;
  /** Takes the lines instead, for tests. */
  readonly destination?: DestinationStream;
}

/** Members that may hold a credential, wherever an object that is logged has them. */
const SECRET_MEMBERS = [
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
];

/**
 * A logger of this process. Times are ISO 8601 in UTC, levels are words.
 * Lines are written synchronously, so that none is lost when the process ends; one costs about 5 microseconds.
 */
export function createLogger({ name, level, pretty, fd = 1, destination }: LogOptions): Logger {
  const options = {
    name,
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: SECRET_MEMBERS.flatMap((member) => [`["${member}"]`, `*["${member}"]`, `req.headers["${member}"]`]),
      censor: '[hidden]',
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

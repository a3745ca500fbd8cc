// How a process of the service lives: it says when it is ready, is asked to stop once, and is not asked twice.
import type { Logger } from '../observe/logger.ts';

/** What a child process tells the supervisor over its IPC channel. */
export interface ReadyMessage {
  readonly type: 'ready';
  /** Base address of what it serves, such as http://127.0.0.1:3000. */
  readonly address: string;
}

export function isReadyMessage(message: unknown): message is ReadyMessage {
  const { type, address } = (message ?? {}) as Partial<ReadyMessage>;
  return type === 'ready' && typeof address === 'string';
}

/** The part of `process` that is used here; a test gives another. */
export type HostProcess = Pick<NodeJS.Process, 'on' | 'exit' | 'connected' | 'send' | 'disconnect'>;

export interface LifecycleOptions {
  readonly process: HostProcess;
  readonly logger: Logger;
  readonly address: string;
  /** Lets running work finish and closes everything; called once. Readiness is 503 from its first step on. */
  readonly stop: () => Promise<void>;
  /** How long `stop` may take. */
  readonly timeoutMs: number;
}

/**
 * Two signals closer than this are one: Ctrl-C under `npm start` reaches a process from the terminal and again from npm.
 */
export const SAME_SIGNAL_MS = 1_000;

/**
 * Reports readiness to the supervisor, if there is one, and from then on stops the process when SIGTERM or SIGINT
 * arrives or the supervisor disappears. Exit code 0 after an orderly stop; 1 after a second signal, the deadline or an error.
 */
export function runUntilStopped({ process: host, logger, address, stop, timeoutMs }: LifecycleOptions): void {
  let askedAtMs: number | undefined;
  const ask = (reason: string): void => {
    if (askedAtMs !== undefined) {
      if (reason === 'disconnect' || performance.now() - askedAtMs < SAME_SIGNAL_MS) return;
      logger.warn({ reason }, 'asked to stop again: ending at once');
      host.exit(1);
    }
    askedAtMs = performance.now();
    logger.info({ reason }, 'stopping');
    setTimeout(() => {
      logger.error({ timeoutMs }, 'did not stop in time: ending');
      host.exit(1);
    }, timeoutMs).unref();
    stop().then(
      () => {
        logger.info('stopped');
        host.exit(0);
      },
      (error: unknown) => {
        logger.error({ err: error }, 'could not stop in order');
        host.exit(1);
      },
    );
  };
  host.on('SIGTERM', () => ask('SIGTERM'));
  host.on('SIGINT', () => ask('SIGINT'));
  // The channel closes when the supervisor ends, even when it was killed.
  host.on('disconnect', () => ask('disconnect'));
  if (host.connected) host.send?.({ type: 'ready', address } satisfies ReadyMessage);
}

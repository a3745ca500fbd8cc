// Lifecycle of a process: reports readiness, stops in order on the first signal, exits on the second.
import type { Logger } from '../observe/logger.ts';
import { type SupervisedProcess, tellSupervisor } from './supervisor-channel.ts';

/** Message of a child process to the supervisor over its IPC channel. */
export interface ReadyMessage {
  readonly type: 'ready';
  /** Base address of its HTTP server, such as http://127.0.0.1:3000. */
  readonly address: string;
}

export function isReadyMessage(message: unknown): message is ReadyMessage {
  const { type, address } = (message ?? {}) as Partial<ReadyMessage>;
  return type === 'ready' && typeof address === 'string';
}

/** The part of `process` that is used here; replaced in tests. */
export interface HostProcess extends SupervisedProcess, Pick<NodeJS.Process, 'exit'> {
  /** Undefined without a supervisor. */
  readonly connected?: boolean;
}

export interface LifecycleOptions {
  readonly process: HostProcess;
  readonly logger: Logger;
  readonly address: string;
  /** Finishes running work and closes everything; called once. Readiness must be 503 from its first step on. */
  readonly stop: () => Promise<void>;
  /** Time limit of `stop`. */
  readonly timeoutMs: number;
}

/** Signals within this time count as one: Ctrl-C under `npm start` reaches a process from the terminal and again from npm. */
export const SAME_SIGNAL_MS = 1_000;

/**
 * Reports readiness to the supervisor, if there is one. Then stops the process on SIGTERM, SIGINT or the end of the supervisor.
 * Exit code 0 after an orderly stop; 1 after a second signal, the deadline or an error.
 */
export function runUntilStopped({ process: host, logger, address, stop, timeoutMs }: LifecycleOptions): void {
  let stoppingSinceMs: number | undefined;
  const requestStop = (reason: string): void => {
    if (stoppingSinceMs !== undefined) {
      if (reason === 'disconnect' || performance.now() - stoppingSinceMs < SAME_SIGNAL_MS) return;
      logger.warn({ reason }, 'second signal: exiting at once');
      host.exit(1);
    }
    stoppingSinceMs = performance.now();
    logger.info({ reason }, 'stopping');
    setTimeout(() => {
      logger.error({ timeoutMs }, 'did not stop in time: exiting');
      host.exit(1);
    }, timeoutMs).unref();
    stop().then(
      () => {
        logger.info('stopped');
        host.exit(0);
      },
      (error: unknown) => {
        logger.error({ err: error }, 'stopping failed');
        host.exit(1);
      },
    );
  };
  host.on('SIGTERM', () => requestStop('SIGTERM'));
  host.on('SIGINT', () => requestStop('SIGINT'));
  // The channel also closes when the supervisor was killed.
  host.on('disconnect', () => requestStop('disconnect'));
  // Killed while this process started: no event follows.
  if (host.connected === false) requestStop('disconnect');
  else tellSupervisor(host, { type: 'ready', address } satisfies ReadyMessage);
}

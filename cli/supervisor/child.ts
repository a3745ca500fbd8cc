// One process of the service under the supervisor, which restarts it with exponential back-off when it ends or freezes.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { SETTINGS_FOLLOW, type SettingsMessage } from '../../shared/platform/process/late-settings.ts';
import { SetupError } from '../../shared/platform/embedded/account.ts';
import { isStopped } from '../../shared/platform/embedded/processes.ts';
import { isReadyMessage } from '../../shared/platform/process/lifecycle.ts';
import { PRETTY_LOG, PULSE_FD } from '../../shared/platform/process/start.ts';
import type { LineWriter } from '../../shared/platform/observe/line-writer.ts';
import type { Logger } from '../../shared/platform/observe/logger.ts';
import { CHECK_MS, createSilence, SILENT_MS, STOPPED_MS } from './silence.ts';

export interface ChildOptions {
  /** For the log: `ingress`, `workers`. */
  readonly name: string;
  /** The file to run. */
  readonly entry: string;
  readonly env: NodeJS.ProcessEnv;
  /** Options of Node, beside those of the supervisor itself, such as a limit of memory. */
  readonly nodeOptions: readonly string[];
  /** More variables, sent as soon as they are known; `address` is the one of the previous start. */
  readonly settings: (address: string | undefined) => Promise<NodeJS.ProcessEnv>;
  readonly logger: Logger;
  /** Gets the lines of the process. */
  readonly output: LineWriter;
  /** Called at each start, when the process is ready. */
  readonly onReady?: (child: ChildProcess) => void;
}

export interface SupervisedChild {
  /** Its base address. Rejects when the first start ends before it is ready. */
  readonly ready: Promise<string>;
  /** Process id, or undefined between two starts. */
  pid(): number | undefined;
  /** Stops it and waits; kills it after `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
  /** Kills it now. */
  kill(): void;
}

/** Index of the pipe for the pulse of a process; 3 is the IPC channel. */
const PULSE_INDEX = 4;

/** Time to copy the last lines of a process that ended; a reader may not take them. */
const LAST_LINES_MS = 200;

/** Exponential back-off of restarts, in milliseconds. It begins again after a start that lasted `resetAfter`. */
const BACKOFF_MS = { first: 200, most: 10_000, resetAfter: 30_000 };

export function superviseChild(options: ChildOptions): SupervisedChild {
  const { name, entry, env, nodeOptions, settings, logger, output, onReady } = options;
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  let address: string | undefined;
  let becameReady: (address: string) => void;
  let failed: (error: Error) => void;
  const ready = new Promise<string>((resolve, reject) => {
    becameReady = resolve;
    failed = reject;
  });
  // Without this handler, a rejection that nobody awaits would end the process.
  ready.catch(() => undefined);

  /** A process without pulse for too long is frozen: it was stopped by a signal, or its main thread hangs. */
  const killWhenFrozen = (started: ChildProcess): void => {
    const silence = createSilence();
    started.on('message', (message) => {
      if (isReadyMessage(message)) silence.heard();
    });
    // Readable, because it is a pipe of `spawn`.
    const pulse = started.stdio[PULSE_INDEX] as Readable | null | undefined;
    pulse?.on('data', silence.heard);
    // It closes its pulse when it stops in order.
    pulse?.on('close', silence.suspend).on('error', silence.suspend);
    const checking = setInterval(() => {
      const silentMs = silence.check(performance.now());
      if (stopping.signal.aborted || silentMs < STOPPED_MS) return;
      const { pid } = started;
      if (silentMs < SILENT_MS && !isStopped(pid ?? 0)) return;
      clearInterval(checking);
      logger.error({ child: name, pid, silentMs: Math.round(silentMs) }, 'a process does not respond and is killed');
      started.kill('SIGKILL');
    }, CHECK_MS);
    started.once('exit', () => clearInterval(checking)).once('error', () => clearInterval(checking));
  };

  /** Runs it once, until it ends. @returns how it ended */
  const runOnce = (): Promise<string> =>
    new Promise((resolve) => {
      const started = spawn(process.execPath, [...process.execArgv, ...nodeOptions, entry], {
        // In its own process group, so that Ctrl-C reaches only the supervisor, which stops the parts in order.
        detached: true,
        env: {
          ...env,
          [SETTINGS_FOLLOW]: '1',
          [PULSE_FD]: String(PULSE_INDEX),
          ...(process.stderr.isTTY ? { [PRETTY_LOG]: '1' } : {}),
        },
        // Not inherited: a shared output would be set to block at each start of a process, and would stop all of them when it is full.
        stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
      });
      // Both go to standard error: standard output has only the banner, which scripts read.
      for (const from of [started.stdout, started.stderr]) if (from !== null) output.copy(from);
      child = started;
      const send = (more: NodeJS.ProcessEnv): void => {
        const message: SettingsMessage = { type: 'settings', env: more };
        // It may have ended, which `exit` reports.
        if (started.connected) started.send(message, () => undefined);
      };
      // They are not known when the start fails for another reason: then this process is stopped, too.
      settings(address).then(send, () => undefined);
      killWhenFrozen(started);
      started.on('message', (message) => {
        if (!isReadyMessage(message)) return;
        address = message.address;
        becameReady(message.address);
        onReady?.(started);
      });
      started.once('error', (error) => resolve(error.message));
      started.once('exit', (code, signal) => {
        const how = signal === null ? `exit code ${code}` : signal;
        // Its last lines may not be copied yet.
        started.once('close', () => resolve(how));
        setTimeout(resolve, LAST_LINES_MS, how).unref();
      });
    });

  const keepRunning = async (): Promise<void> => {
    let rest = BACKOFF_MS.first;
    while (!stopping.signal.aborted) {
      const startedAtMs = performance.now();
      const how = await runOnce();
      child = undefined;
      if (stopping.signal.aborted) return;
      if (address === undefined) {
        failed(new SetupError(`${name} did not start (${how}); the lines above say why.`));
        return;
      }
      if (performance.now() - startedAtMs > BACKOFF_MS.resetAfter) rest = BACKOFF_MS.first;
      logger.error({ child: name, how, againInMs: rest }, 'a process of the service ended and is restarted');
      await delay(rest, undefined, { signal: stopping.signal }).catch(() => undefined);
      rest = Math.min(rest * 2, BACKOFF_MS.most);
    }
  };
  const running = keepRunning();

  return {
    ready,
    pid: () => child?.pid,
    async stop(timeoutMs) {
      stopping.abort();
      child?.kill('SIGTERM');
      const late = setTimeout(() => {
        logger.error({ child: name, timeoutMs }, 'a process did not stop in time and is killed');
        child?.kill('SIGKILL');
      }, timeoutMs);
      await running;
      clearTimeout(late);
    },
    kill() {
      stopping.abort();
      child?.kill('SIGKILL');
    },
  };
}

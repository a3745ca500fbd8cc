// The server process of the embedded PostgreSQL: start on a free port, stop, and recovery of an orphan after a crash.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identity, SetupError } from './account.ts';
import { CLEAN_ENV, type Cluster } from './cluster.ts';
import { type EmbeddedAddresses, addressesOf, setUpRoles } from './roles.ts';
import { commandOf, isAlive, processesIn, signal, waitForEnd } from './processes.ts';

export interface EmbeddedServer extends EmbeddedAddresses {
  readonly port: number;
  readonly pid: number;
  /** Resolves when the server has ended, for any reason. */
  readonly ended: Promise<void>;
  /** `fast` ends sessions and writes a checkpoint; `immediate` is a crash from which the next start recovers. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
}

/** Settings on the server's command line. None of them affects the durability of commits. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // For the pools of ingress, workers and queues, and for test files that run in parallel.
  max_connections: '600',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statements and rows contain callers' data, which must not be logged.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/** PostgreSQL's lock file: its process id, and with `ready` in line 8 that it accepts connections. */
const PID_FILE = 'postmaster.pid';

/** Time to take the folder. */
const READY_TIMEOUT_MS = 60_000;
const LONG_RECOVERY_MS = 10_000;
const STOP_TIMEOUT_MS = 30_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;
const LOG_EVERY_MS = 30_000;
const PORT_ATTEMPTS = 5;
/** Until a start is tried again that found sessions of an earlier server. */
const LEFT_SESSIONS_MS = 100;

/**
 * Starts the server and waits until it answers; then the database and its roles exist.
 * @param port the port to use, so that addresses stay valid after a crash; absent: a free one
 * @throws {SetupError} with the end of the server's log when it does not start
 */
export async function startServer(cluster: Cluster, port?: number): Promise<EmbeddedServer> {
  await stopOrphan(cluster.folder);
  keepLogSmall(cluster.logFile);
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  for (let attempt = 1; ; attempt += 1) {
    const chosen = port ?? (await freePort());
    const logStart = existsSync(cluster.logFile) ? statSync(cluster.logFile).size : 0;
    const child = spawnServer(cluster, chosen);
    if (await becomesReady(child, cluster.folder, cluster.say)) {
      const server = describe(child, cluster, chosen);
      watchLog(cluster.logFile, child);
      await setUpRoles(server).catch(async (error: unknown) => {
        await server.stop();
        throw error;
      });
      return server;
    }
    const output = readFileSync(cluster.logFile, 'utf8').slice(logStart).trim();
    // Another process may take a port between the check and its use.
    if (port === undefined && attempt < PORT_ATTEMPTS && /could not (bind|create listen)/i.test(output)) continue;
    if (/pre-existing shared memory block/i.test(output) && performance.now() < deadline) {
      endLeftSessions(cluster.folder);
      await delay(LEFT_SESSIONS_MS);
      continue;
    }
    throw new SetupError(`PostgreSQL did not start. The end of ${cluster.logFile}:\n${output.slice(-2_000)}`);
  }
}

function spawnServer(cluster: Cluster, port: number): ChildProcess {
  // To a file and not a pipe, because the server must survive this process.
  const log = openSync(cluster.logFile, 'a', 0o600);
  const args = ['-D', cluster.folder, '-p', String(port)];
  for (const [name, value] of Object.entries(SETTINGS)) args.push('-c', `${name}=${value}`);
  try {
    return spawn(cluster.binaries.postgres, args, {
      ...identity(cluster.account),
      cwd: '/',
      env: CLEAN_ENV,
      // In its own process group: Ctrl-C in the terminal must not stop the database before the processes that use it.
      detached: true,
      stdio: ['ignore', log, log],
    });
  } finally {
    closeSync(log);
  }
}

/** The part of its process that the start needs. */
export interface StartedServer {
  readonly pid?: number | undefined;
  once(event: 'exit' | 'error', listener: () => void): unknown;
  kill(signal: NodeJS.Signals): unknown;
}

/**
 * The server writes its id to postmaster.pid when it has taken the folder, and `ready` when it accepts connections. In between it recovers after
 * a crash, for as long as that takes: a recovery that is ended begins anew.
 * @param say told when it takes long
 * @returns false: it ended, or has not taken the folder in time
 */
export async function becomesReady(
  child: StartedServer,
  folder: string,
  say: (line: string) => void,
  { readyTimeoutMs = READY_TIMEOUT_MS, longMs = LONG_RECOVERY_MS } = {},
): Promise<boolean> {
  let ended = false;
  let isSaid = false;
  child.once('exit', () => (ended = true));
  child.once('error', () => (ended = true));
  const startedMs = performance.now();
  while (!ended) {
    const status = readPidFile(folder);
    const isTaken = status?.pid === child.pid;
    if (isTaken && status?.ready) return true;
    const tookMs = performance.now() - startedMs;
    if (!isTaken && tookMs > readyTimeoutMs) {
      child.kill('SIGQUIT');
      return false;
    }
    if (!isSaid && tookMs > longMs) {
      isSaid = true;
      say(
        'PostgreSQL recovers what it had not written to its tables when it ended; the start goes on when that is done.',
      );
    }
    await delay(10);
  }
  return false;
}

function describe(child: ChildProcess, cluster: Cluster, port: number): EmbeddedServer {
  const pid = child.pid ?? 0;
  const ended = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
  return {
    ...addressesOf(cluster.password, port),
    port,
    pid,
    ended,
    async stop(mode = 'fast') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      await endServer(pid, mode, ended);
    },
  };
}

/** SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one. */
async function endServer(pid: number, mode: 'fast' | 'immediate', ended: Promise<unknown>): Promise<void> {
  signal(pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  const abort = new AbortController();
  const late = delay(STOP_TIMEOUT_MS, 'late', { signal: abort.signal }).catch(() => undefined);
  const first = await Promise.race([ended, late]);
  abort.abort();
  if (first !== 'late') return;
  signal(pid, 'SIGQUIT');
  await ended;
}

/**
 * Stops the server of a supervisor that was killed. Call it only with the data folder's lock, which shows that no live
 * supervisor uses that server.
 */
async function stopOrphan(folder: string): Promise<void> {
  const orphan = readPidFile(folder);
  if (orphan === undefined) return;
  const { pid } = orphan;
  // Empty after a loss of power while it was written.
  if (pid === undefined) return rmSync(path.join(folder, PID_FILE), { force: true });
  if (pid !== process.pid && isAlive(pid) && `${commandOf(pid)} `.includes(` -D ${folder} `)) {
    signal(pid, 'SIGINT');
    if (await waitForEnd(pid, STOP_TIMEOUT_MS)) return;
    signal(pid, 'SIGQUIT');
    if (!(await waitForEnd(pid, STOP_TIMEOUT_MS)))
      throw new SetupError(`The PostgreSQL of an earlier start (process ${pid}) does not stop.`);
    return;
  }
  disownPidFile(folder);
}

/**
 * Puts this process's id into postmaster.pid. PostgreSQL would refuse to start because of an id that belongs to another program by now, or to
 * a zombie; the id of its own parent it ignores. The file must stay: it names the shared memory of the server that ended, by which PostgreSQL
 * finds out whether sessions of it still write to the data.
 */
export function disownPidFile(folder: string): void {
  const file = path.join(folder, PID_FILE);
  const [, ...rest] = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, [process.pid, ...rest].join('\n'));
}

/** Ends what an earlier server left: its sessions find out late that it ended, when a long statement keeps them busy. A shell in that folder is none. */
function endLeftSessions(folder: string): void {
  for (const pid of processesIn(realpathSync(folder))) if (commandOf(pid).includes('postgres')) signal(pid, 'SIGQUIT');
}

/** Undefined: there is no file. `pid` is undefined when it holds none. */
function readPidFile(folder: string): { pid: number | undefined; ready: boolean } | undefined {
  let lines: string[];
  try {
    lines = readFileSync(path.join(folder, PID_FILE), 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 1) return { pid: undefined, ready: false };
  return { pid, ready: lines[7]?.trim() === 'ready' };
}

/**
 * Keeps the last part of a long log beside it, and empties it. Not by renaming: the server has it open, and appends to it. Callers cause lines
 * of it, for example by an agent that exists already.
 */
export function keepLogSmall(file: string, mostBytes = MAX_LOG_BYTES): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= mostBytes) return;
  try {
    copyFileSync(file, `${file}.1`);
  } catch {
    // A full disk, for example: then there is all the more reason to empty it.
    rmSync(`${file}.1`, { force: true });
  }
  truncateSync(file);
}

/** Keeps the log small while the server runs. */
function watchLog(file: string, child: ChildProcess): void {
  const watching = setInterval(() => {
    try {
      keepLogSmall(file);
    } catch {
      // It is looked at again, and at the next start.
    }
  }, LOG_EVERY_MS);
  watching.unref();
  child.once('exit', () => clearInterval(watching));
}

/** Below the ports that Linux (from 32768), macOS and Windows (from 49152) give to connections, unless it was set otherwise. */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_767;
const FREE_PORT_ATTEMPTS = 200;

/**
 * A port of 127.0.0.1 that was free a moment ago. Systems do not give it away by themselves, so whoever listens on it can
 * do so again after a restart.
 * @throws {SetupError} if none is found
 */
export async function freePort(): Promise<number> {
  for (let attempt = 1; attempt <= FREE_PORT_ATTEMPTS; attempt += 1) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    if (await canListenOn(port)) return port;
  }
  throw new SetupError(`No port from ${FIRST_PORT} to ${LAST_PORT} of 127.0.0.1 can be listened on.`);
}

function canListenOn(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

// The embedded PostgreSQL as a running process: started on a port of its own, watched, stopped, and found again after a crash.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identity, SetupError } from './account.ts';
import { CLEAN_ENV, type Cluster } from './cluster.ts';
import { type EmbeddedAddresses, addressesOf, setUpRoles } from './roles.ts';
import { commandOf, isAlive, signal, waitForEnd } from './processes.ts';

export interface EmbeddedServer extends EmbeddedAddresses {
  readonly port: number;
  readonly pid: number;
  /** Settles when the server has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** `fast` ends sessions and writes a checkpoint; `immediate` is a crash that the next start recovers from. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
}

/** Given to the server on its command line; what makes commits durable is left alone. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // Pools of ingress, workers and queues, and of test files that run beside each other.
  max_connections: '200',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statements and row contents are callers' data and stay out of the log.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;
const PORT_ATTEMPTS = 5;

/**
 * Starts the server and waits until it answers; the database and its roles exist then.
 * @param port a port that must be used (after a crash, for those who know it); absent: a free one
 * @throws {SetupError} with the end of the server's log when it does not start
 */
export async function startServer(cluster: Cluster, port?: number): Promise<EmbeddedServer> {
  await stopOrphan(cluster.folder);
  keepLogSmall(cluster.logFile);
  for (let attempt = 1; ; attempt += 1) {
    const chosen = port ?? (await freePort());
    const logStart = existsSync(cluster.logFile) ? statSync(cluster.logFile).size : 0;
    const child = spawnServer(cluster, chosen);
    if (await becomesReady(child, cluster.folder)) {
      const server = describe(child, cluster, chosen);
      await setUpRoles(server).catch(async (error: unknown) => {
        await server.stop();
        throw error;
      });
      return server;
    }
    const said = readFileSync(cluster.logFile, 'utf8').slice(logStart).trim();
    // Between finding a free port and taking it somebody else may have taken it.
    if (port === undefined && attempt < PORT_ATTEMPTS && /could not (bind|create listen)/i.test(said)) continue;
    throw new SetupError(`PostgreSQL did not start. The end of ${cluster.logFile}:\n${said.slice(-2_000)}`);
  }
}

function spawnServer(cluster: Cluster, port: number): ChildProcess {
  // To a file and not a pipe: the server must not depend on this process staying alive.
  const log = openSync(cluster.logFile, 'a', 0o600);
  const args = ['-D', cluster.folder, '-p', String(port)];
  for (const [name, value] of Object.entries(SETTINGS)) args.push('-c', `${name}=${value}`);
  try {
    return spawn(cluster.binaries.postgres, args, {
      ...identity(cluster.account),
      cwd: '/',
      env: CLEAN_ENV,
      // A process group of its own: Ctrl-C in the terminal must not stop the database before those who use it.
      detached: true,
      stdio: ['ignore', log, log],
    });
  } finally {
    closeSync(log);
  }
}

/** The server itself says in the last line of postmaster.pid when it accepts connections. */
async function becomesReady(child: ChildProcess, folder: string): Promise<boolean> {
  let ended = false;
  child.once('exit', () => (ended = true));
  child.once('error', () => (ended = true));
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (!ended) {
    const status = readPidFile(folder);
    if (status?.pid === child.pid && status?.ready) return true;
    if (performance.now() > deadline) {
      child.kill('SIGQUIT');
      return false;
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
 * Stops the server that a supervisor left behind when it was killed. Call it only with the data folder's lock:
 * without a living supervisor nobody is using that server.
 */
async function stopOrphan(folder: string): Promise<void> {
  const left = readPidFile(folder);
  if (left === undefined) return;
  if (isAlive(left.pid) && commandOf(left.pid).includes(folder)) {
    signal(left.pid, 'SIGINT');
    if (await waitForEnd(left.pid, STOP_TIMEOUT_MS)) return;
    signal(left.pid, 'SIGQUIT');
    if (!(await waitForEnd(left.pid, STOP_TIMEOUT_MS)))
      throw new SetupError(`The PostgreSQL of an earlier start (process ${left.pid}) does not stop.`);
    return;
  }
  // The id belongs to another program by now; PostgreSQL itself would take it for a running server and give up.
  rmSync(path.join(folder, 'postmaster.pid'), { force: true });
}

function readPidFile(folder: string): { pid: number; ready: boolean } | undefined {
  let lines: string[];
  try {
    lines = readFileSync(path.join(folder, 'postmaster.pid'), 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 1) return undefined;
  return { pid, ready: lines[7]?.trim() === 'ready' };
}

function keepLogSmall(file: string): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) renameSync(file, `${file}.1`);
}

/** A port of 127.0.0.1 that nobody listened on a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

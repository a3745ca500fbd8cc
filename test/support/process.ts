// Starts real processes of the service in tests with a known environment, stops or kills them by id, and reports leaked ones.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAlive, signal } from '../../shared/platform/embedded/processes.ts';
import { PEPPER_FILE } from '../../shared/platform/embedded/secrets.ts';
import { isReadyMessage } from '../../shared/platform/process/lifecycle.ts';
import { atEnd } from './cleanup.ts';
import { preparedDataDir } from './folders.ts';
import { checkpointsOf, testKeyFiles } from './keys.ts';
import { descendants } from './process-tree.ts';
import { waitFor } from './wait.ts';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface TestProcess {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** All output so far. */
  stdout(): string;
  stderr(): string;
  /** Sends a signal (default: SIGTERM) and waits for the exit. */
  stop(name?: NodeJS.Signals): Promise<Ended>;
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<Ended>;
}

/** A process that serves HTTP. */
export interface TestService extends TestProcess {
  /** Base address, such as http://127.0.0.1:41234. */
  readonly address: string;
}

/** A pipe whose text is collected, or a file descriptor for standard output. */
export type Output = 'pipe' | number;

export type TestEnv = Readonly<Record<string, string | undefined>>;

/** The default pepper of processes. */
export const TEST_PEPPER = 'a pepper for tests, of no use elsewhere';

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 40_000;
/**
 * Functions are optimised once they have run ten times longer than by default: most test processes end within seconds, in
 * which the compiler takes a fifth of the processor time.
 */
export const V8_OPTIONS = ['--interrupt-budget=1000000'];
const buildRoot = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Runs a file of the build, such as `cli/main.js`. A process that still runs at the end of the test run is reported as a leak. */
export function runProcess(
  file: string,
  args: readonly string[],
  env: TestEnv = {},
  { ipc = false, output = 'pipe' }: { readonly ipc?: boolean; readonly output?: Output } = {},
): TestProcess & { child: ChildProcess } {
  return watch(
    spawn(process.execPath, [...V8_OPTIONS, path.join(buildRoot, file), ...args], {
      env: cleanEnv(env),
      stdio: ['ignore', output, output === 'pipe' ? 'pipe' : 2, ipc ? 'ipc' : 'ignore'],
    }),
    file,
  );
}

/** Tracks a process that was started elsewhere. Outputs that are pipes are collected. */
export function watch(child: ChildProcess, name: string): TestProcess & { child: ChildProcess } {
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name} could not be started`);
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const ended = new Promise<Ended>((resolve) => child.once('close', (code, how) => resolve({ code, signal: how })));
  const end = async (how: NodeJS.Signals): Promise<Ended> => {
    child.kill(how);
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    try {
      return await ended;
    } finally {
      clearTimeout(late);
    }
  };
  const killNow = (): void => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  };
  process.once('exit', killNow);
  void ended.then(() => process.removeListener('exit', killNow));
  atEnd(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    // Its child processes would exit on their own, but the database of a supervisor would not.
    const [, ...children] = descendants(pid);
    await end('SIGKILL');
    for (const id of children) signal(id, 'SIGKILL');
    throw new Error(`a test left ${name} (process ${pid}) running`);
  });
  return {
    child,
    pid,
    ended,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    stop: (how = 'SIGTERM') => end(how),
    kill: () => end('SIGKILL'),
  };
}

/** Starts an ingress process on the test's database and waits until it is ready. */
export function startIngress(databaseUrl: string, env: TestEnv = {}, output?: Output): Promise<TestService> {
  return startService('ingress/main.js', databaseUrl, env, output);
}

/** Starts a worker process on the test's database and waits until it is ready. Its address serves /health and /ready. */
export function startWorker(databaseUrl: string, env: TestEnv = {}): Promise<TestService> {
  return startService('workers/main.js', databaseUrl, env);
}

async function startService(file: string, databaseUrl: string, env: TestEnv, output?: Output): Promise<TestService> {
  const running = runProcess(
    file,
    [],
    {
      PORT: '0',
      DATABASE_URL: databaseUrl,
      CUSTOS_PEPPER: TEST_PEPPER,
      CUSTOS_LOG_LEVEL: 'warn',
      ...testKeyFiles(),
      CUSTOS_DATA_DIR: checkpointsOf(databaseUrl),
      ...env,
    },
    { ipc: true, ...(output === undefined ? {} : { output }) },
  );
  let address: string | undefined;
  running.child.on('message', (message) => {
    if (isReadyMessage(message)) address = message.address;
  });
  return { ...running, address: await untilReady(running, file, () => address) };
}

/** The whole service as `npm start` runs it, with its own embedded database. */
export interface TestCustos extends TestService {
  readonly child: ChildProcess;
  readonly dataDir: string;
  /** Ids of all its running processes: supervisor, children and database. */
  processIds(): number[];
}

/**
 * The database is migrated already, if the run has prepared one: creating and migrating it takes almost half of a start.
 * @param env may set CUSTOS_DATA_DIR to start with the data of an earlier service, or with nothing
 */
export async function startCustos(env: TestEnv = {}): Promise<TestCustos> {
  const dataDir = env['CUSTOS_DATA_DIR'] ?? preparedWithPepper();
  const running = runProcess('cli/main.js', ['start'], {
    PORT: '0',
    CUSTOS_LOG_LEVEL: 'warn',
    ...env,
    CUSTOS_DATA_DIR: dataDir,
  });
  const address = await untilReady(running, 'custos start', () => addressIn(running.stdout()));
  return { ...running, address, dataDir, processIds: () => descendants(running.pid) };
}

function preparedWithPepper(): string {
  const dataDir = preparedDataDir();
  // The database knows the fingerprint of its pepper.
  if (existsSync(dataDir)) writeFileSync(path.join(dataDir, PEPPER_FILE), `${TEST_PEPPER}\n`, { mode: 0o600 });
  return dataDir;
}

/** The address that `custos start` prints; undefined until the whole text is there. */
export function addressIn(output: string): string | undefined {
  return output.includes('Ctrl-C') ? /Address\s+(http\S+)/.exec(output)?.[1] : undefined;
}

/** Waits for the exit of processes that are not child processes. Those that still run are killed and named in the error. */
export async function untilGone(pids: readonly number[], timeoutMs = STOP_TIMEOUT_MS): Promise<void> {
  try {
    await waitFor(() => !pids.some(isAlive), { timeoutMs, what: `the end of processes ${pids.join(', ')}` });
  } catch (error) {
    for (const pid of pids) signal(pid, 'SIGKILL');
    throw error;
  }
}

/** Waits until `ready` gives a value. @throws {Error} with the output of the process, if it ends first or takes too long */
async function untilReady<T>(running: TestProcess, name: string, ready: () => T | undefined): Promise<T> {
  let gone = false;
  void running.ended.then(() => (gone = true));
  try {
    await waitFor(() => gone || ready() !== undefined, { timeoutMs: START_TIMEOUT_MS, what: `${name} to be ready` });
    const value = ready();
    if (gone || value === undefined) throw new Error(`${name} ended before it was ready`);
    return value;
  } catch (error) {
    if (!gone) await running.kill();
    throw new Error(`${String(error)}\n${running.stdout()}\n${running.stderr()}`, { cause: error });
  }
}

/** Only the variables that a process needs, so that the settings of the developer's shell do not leak into the tests. */
export function cleanEnv(env: TestEnv): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  // Each worker on a free port: the default one belongs to whichever process asked first. As many processes on every machine.
  const given = { PATH, HOME, TMPDIR, CUSTOS_WORKERS_PORT: '0', CUSTOS_INGRESS: '1', CUSTOS_WORKERS: '1', ...env };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

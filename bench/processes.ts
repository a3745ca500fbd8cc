// The processes of a run: the service, the echo and the load generator. All of them end with the run.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { runningAddresses } from '../shared/platform/embedded/embedded.ts';
import { BOOTSTRAP_FILE } from '../shared/domain/keys/bootstrap.ts';
import type { LoadJob, LoadResult } from './load-types.ts';
import { writePolicyFolder } from './policies.ts';

const here = path.dirname(fileURLToPath(import.meta.url));
const START_TIMEOUT_MS = 60_000;
/** Time in which the largest policy set must be read, checked and compiled. */
const POLICY_TIMEOUT_MS = 120_000;

export interface Echo {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

export interface Generator {
  readonly pid: number;
  run(job: LoadJob): Promise<LoadResult>;
  stop(): Promise<void>;
}

export interface Service {
  /** Of the supervisor. */
  readonly pid: number;
  readonly port: number;
  /** A key with the scopes of the measured requests. */
  readonly key: string;
  /** The bootstrap key. */
  readonly adminKey: string;
  readonly databaseUrl: string;
  /** The same database as its superuser. */
  readonly superuserUrl: string;
  /** Replaces the policies by this many generated ones, and waits until they are in force. */
  usePolicies(count: number): Promise<void>;
  /** The number `n` that a query gives. */
  count(query: string): Promise<number>;
  stop(): Promise<void>;
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once('exit', () => resolve()));
}

async function endOf(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await ended(child);
}

/** Starts a file of the benchmark as a process with a message channel. */
function forked(file: string): ChildProcess & { pid: number } {
  const child = fork(path.join(here, file), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${file} could not be started`);
  return Object.assign(child, { pid });
}

export async function startEcho(): Promise<Echo> {
  const child = forked('echo.js');
  const { port } = await new Promise<{ port: number }>((resolve, reject) => {
    child.once('message', (message) => resolve(message as { port: number }));
    child.once('exit', () => reject(new Error('the echo ended before it listened')));
  });
  return { pid: child.pid, port, stop: () => endOf(child) };
}

export function startGenerator(): Generator {
  const child = forked('load.js');
  return {
    pid: child.pid,
    run: (job) =>
      new Promise((resolve, reject) => {
        const gone = (): void => reject(new Error('the load generator ended'));
        child.once('exit', gone);
        child.once('message', (result) => {
          child.off('exit', gone);
          resolve(result as LoadResult);
        });
        child.send(job);
      }),
    stop: () => endOf(child),
  };
}

/** Without the caller's settings, which would change the benchmark. */
function cleanEnv(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_OPTIONS } = process.env;
  return { PATH, HOME, TMPDIR, NODE_OPTIONS };
}

export interface ServiceOptions {
  /** For queues on Redis; by default they are in PostgreSQL. */
  readonly redisUrl?: string | undefined;
  /** Folder of the compiled service. Default: the one of this benchmark. */
  readonly dist?: string | undefined;
  /** Further settings. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the service as `npm start` does, with its own database and policy folder in a temporary folder. */
export async function startService(
  policyCount: number,
  { redisUrl, dist = path.join(here, '..'), env = {} }: ServiceOptions = {},
): Promise<Service> {
  const folder = mkdtempSync(path.join(tmpdir(), 'custos-bench-'));
  // The database of root runs as another user, who must be able to pass this folder.
  chmodSync(folder, 0o711);
  const dataDir = path.join(folder, 'data');
  const policyDir = path.join(folder, 'policies');
  const sets = path.join(folder, 'sets');
  mkdirSync(sets);
  const place = (count: number): void => {
    const set = path.join(sets, String(count));
    writePolicyFolder(set, count);
    // An atomic replacement: a half-written folder would be read as a set.
    symlinkSync(set, `${policyDir}.new`);
    renameSync(`${policyDir}.new`, policyDir);
  };
  place(policyCount);
  const logFile = path.join(folder, 'service.log');
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, [path.join(dist, 'cli', 'main.js'), 'start'], {
    env: {
      ...cleanEnv(),
      PORT: '0',
      CUSTOS_DATA_DIR: dataDir,
      CUSTOS_POLICY_DIR: policyDir,
      CUSTOS_RATE_LIMIT: 'off',
      ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
      ...env,
    },
    // Access logs are written, as in production, but to a file: reading a pipe would cost time on the same two cores.
    stdio: ['ignore', log, 'ignore'],
  });
  closeSync(log);
  const stop = async (): Promise<void> => {
    await endOf(child);
    rmSync(folder, { recursive: true, force: true });
  };
  const { pid } = child;
  if (pid === undefined) throw new Error('the service could not be started');
  const terminate = (): void => void child.kill('SIGTERM');
  process.once('exit', terminate);
  void ended(child).then(() => process.off('exit', terminate));
  try {
    const address = await addressOf(child, logFile);
    const admin = readFileSync(path.join(dataDir, BOOTSTRAP_FILE), 'utf8').trim();
    const inForce = (): Promise<string> => digestInForce(address, admin);
    await inForce();
    const key = await makeKey(address, admin);
    const { url: databaseUrl, adminUrl } = runningAddresses(dataDir);
    const superuserUrl = Object.assign(new URL(adminUrl), { pathname: new URL(databaseUrl).pathname }).href;
    return {
      pid,
      port: Number(new URL(address).port),
      key,
      adminKey: admin,
      async usePolicies(count) {
        const before = await inForce();
        place(count);
        await until(async () => (await inForce()) !== before, POLICY_TIMEOUT_MS, `${count} policies in force`);
      },
      databaseUrl,
      superuserUrl,
      async count(query) {
        const client = new pg.Client({ connectionString: databaseUrl });
        await client.connect();
        try {
          const { rows } = await client.query<{ n: number }>(query);
          return rows[0]?.n ?? 0;
        } finally {
          await client.end();
        }
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function until(condition: () => Promise<boolean>, timeoutMs: number, what: string): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`timed out after ${timeoutMs} ms waiting for ${what}`);
    await delay(100);
  }
}

/** The address that the service prints when it is ready. */
async function addressOf(child: ChildProcess, logFile: string): Promise<string> {
  let gone = false;
  void ended(child).then(() => (gone = true));
  const output = (): string => readFileSync(logFile, 'utf8');
  const address = (): string | undefined =>
    output().includes('Ctrl-C') ? /Address\s+(http\S+)/.exec(output())?.[1] : undefined;
  await until(async () => gone || address() !== undefined, START_TIMEOUT_MS, 'the service');
  const found = address();
  if (found === undefined) throw new Error(`the service ended before it was ready\n${output()}`);
  return found;
}

/** The digest of the policy set that ingress evaluates, or an empty text while there is none. */
async function digestInForce(address: string, admin: string): Promise<string> {
  // Only the operator gets the details of a check.
  const answer = await fetch(`${address}/ready`, { headers: { authorization: `Bearer ${admin}` } });
  const { checks } = (await answer.json()) as { checks: { name: string; ok: boolean; detail?: string }[] };
  const check = checks.find(({ name }) => name === 'policy-set');
  return check?.ok === true ? (check.detail ?? '') : '';
}

async function makeKey(address: string, admin: string): Promise<string> {
  const answer = await fetch(`${address}/v1/auth/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', scopes: ['intents:write', 'trust:write', 'proofs:read'] }),
  });
  const { key } = (await answer.json()) as { key?: string };
  if (key === undefined) throw new Error(`POST /v1/auth/keys answered ${answer.status}`);
  return key;
}

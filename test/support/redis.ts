// Redis for tests: a new server on a free port, or the empty database that REDIS_URL names.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { Redis } from 'ioredis';
import { atEnd } from './cleanup.ts';
import { temporaryFolder } from './folders.ts';
import { waitFor } from './wait.ts';
import { freePort } from '../../shared/platform/embedded/server.ts';

export interface TestRedis {
  readonly url: string;
  /** Removes all keys, as FLUSHALL does. */
  empty(): Promise<void>;
  /** Sets a configuration parameter of the server. */
  configure(name: string, value: string): Promise<void>;
  /** Stops the server. Its data is kept, as with an append-only file. Absent if the test run did not start the server. */
  readonly stop?: () => Promise<void>;
  /** Starts the server again on the same port. */
  readonly start?: () => Promise<void>;
  /** The server accepts connections but does not answer until `wake`. */
  readonly hang?: () => void;
  readonly wake?: () => void;
  close(): Promise<void>;
}

const own = spawnSync('redis-server', ['--version']).error === undefined;

/** Why suites with Redis cannot run here, and how to enable them. */
export function whyNoRedis(): string | undefined {
  if (own || process.env['REDIS_URL'] !== undefined) return undefined;
  return 'redis-server is not on the PATH and REDIS_URL is not set (apt-get install redis-server, or brew install redis)';
}

export async function startTestRedis(): Promise<TestRedis> {
  return own ? startOwn() : useGiven(process.env['REDIS_URL'] ?? '');
}

const PORT_ATTEMPTS = 3;

async function startOwn(): Promise<Required<TestRedis>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOn(await freePort());
    } catch (error) {
      // Another process may take the free port before the server binds it.
      if (attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

async function startOn(port: number): Promise<Required<TestRedis>> {
  const url = `redis://127.0.0.1:${port}`;
  const dir = temporaryFolder('redis');
  const args = ['--port', port, '--bind', '127.0.0.1', '--dir', dir, '--save', '', '--appendonly', 'yes'].map(String);
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    let isEnded = false;
    child = spawn('redis-server', args, { stdio: 'ignore' });
    child.once('exit', () => (isEnded = true));
    const answers = async (): Promise<boolean> =>
      isEnded || (await withClient(url, (client) => client.ping())) === 'PONG';
    await waitFor(answers, { what: 'redis-server to answer' });
    if (isEnded) throw new Error(`redis-server ended; port ${port} may be taken`);
  };
  const stop = async (): Promise<void> => {
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    if (child?.kill('SIGKILL')) await ended;
    child = undefined;
  };
  process.once('exit', () => child?.kill('SIGKILL'));
  atEnd(stop);
  await start();
  return {
    url,
    start,
    stop,
    hang: () => void child?.kill('SIGSTOP'),
    wake: () => void child?.kill('SIGCONT'),
    empty: async () => void (await withClient(url, (client) => client.flushall())),
    configure: async (name, value) => void (await withClient(url, (client) => client.config('SET', name, value))),
    close: stop,
  };
}

async function useGiven(url: string): Promise<TestRedis> {
  const keys = await withClient(url, (client) => client.dbsize());
  // Tests delete all keys.
  if (keys > 0) throw new Error('REDIS_URL names a database with keys in it; tests need an empty one');
  const empty = async (): Promise<void> => void (await withClient(url, (client) => client.flushdb()));
  return {
    url,
    empty,
    configure: () => Promise.reject(new Error('the server of REDIS_URL was not started by this run')),
    close: empty,
  };
}

async function withClient<T>(url: string, ask: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await ask(client);
  } finally {
    client.disconnect();
  }
}

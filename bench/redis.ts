// A redis-server for one run: on a free port of this machine, with an append-only file as in production.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '../shared/platform/embedded/server.ts';

export interface OwnRedis {
  readonly url: string;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 10_000;

/** Why Redis can't be started here, and how to install it; undefined when it can. */
export function whyNoRedis(): string | undefined {
  if (spawnSync('redis-server', ['--version']).error === undefined) return undefined;
  return 'redis-server is not on the PATH (apt-get install redis-server, or brew install redis)';
}

async function answers(url: string): Promise<boolean> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    client.disconnect();
  }
}

/** Uses the settings of docker-compose.yml. @throws {Error} when Redis does not answer in time */
export async function startRedis(): Promise<OwnRedis> {
  const port = await freePort();
  const folder = mkdtempSync(path.join(tmpdir(), 'custos-bench-redis-'));
  const settings = ['--save', '', '--appendonly', 'yes', '--maxmemory-policy', 'noeviction'];
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...settings];
  const child = spawn('redis-server', args, { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const killNow = (): void => void child.kill('SIGKILL');
  process.once('exit', killNow);
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    process.off('exit', killNow);
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `redis://127.0.0.1:${port}`;
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await answers(url))) {
    if (performance.now() > deadline || child.exitCode !== null) {
      if (child.exitCode === null) await stop();
      throw new Error('redis-server does not answer');
    }
    await delay(50);
  }
  return { url, stop };
}

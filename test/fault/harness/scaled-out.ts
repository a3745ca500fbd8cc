// A deployment of several machines in one: two ingress and two worker processes, each with proxies before its stores.
import { migrate } from '../../../shared/platform/db/migrate.ts';
import { startEmbedded } from '../../../shared/platform/embedded/embedded.ts';
import { isAlive, signal } from '../../../shared/platform/embedded/processes.ts';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { accessOf, queryOnce } from '../../support/database.ts';
import { fastRoot, temporaryDataDir, temporaryFolder } from '../../support/folders.ts';
import { startIngress, startWorker, TEST_PEPPER, type TestEnv } from '../../support/process.ts';
import { bootstrapAt } from '../../support/service.ts';
import { startTestRedis } from '../../support/redis.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { type Deployment, type Part, QUIET, withChildren } from './deployment.ts';
import { type Keeper, keepRunning } from './kept.ts';
import { makePolicyFolder } from './policies.ts';
import { MAX_WAL, mountSmallDisk } from './small-disk.ts';

const PROCESSES = 2;
const PAUSE_MS = 100;

export interface ScaledOutOptions {
  /** Queues on Redis. Default: on PostgreSQL. */
  readonly withRedis: boolean;
  /** The database is on a disk that can be filled, where this process may mount one. */
  readonly onSmallDisk: boolean;
}

export async function startScaledOut({ withRedis, onSmallDisk }: ScaledOutOptions): Promise<Deployment> {
  const disk = onSmallDisk ? mountSmallDisk() : undefined;
  const dataDir = disk === undefined ? temporaryDataDir(fastRoot()) : path.join(disk.folder, 'custos');
  const server = await startEmbedded({ dataDir, say: () => undefined });
  await queryOnce(server.adminUrl, `ALTER SYSTEM SET max_wal_size = '${MAX_WAL}'`);
  await queryOnce(server.adminUrl, 'SELECT pg_reload_conf()');
  await migrate(accessOf(server), TEST_PEPPER);
  const redis = withRedis ? await startTestRedis() : undefined;
  const proxies: Record<'postgres' | 'redis', TcpProxy[]> = { postgres: [], redis: [] };
  const policyDir = makePolicyFolder();
  const checkpointDir = temporaryFolder('checkpoints');
  const { key: adminKey } = await bootstrapAt(server.url);

  const keepers: Keeper[] = [];
  const keep = async (part: Part): Promise<Keeper> => {
    const database = await startTcpProxy(server.url);
    proxies.postgres.push(database);
    const queues = redis === undefined ? undefined : await startTcpProxy(redis.url);
    if (queues !== undefined) proxies.redis.push(queues);
    const env: TestEnv = {
      ...QUIET,
      CUSTOS_POLICY_DIR: policyDir,
      CUSTOS_CHECKPOINT_DIR: checkpointDir,
      REDIS_URL: redis === undefined ? undefined : queues?.through(redis.url),
    };
    const url = database.through(server.url);
    const keeper = await (part === 'ingress'
      ? keepRunning((more) => startIngress(url, { ...env, ...more }), 'PORT')
      : keepRunning((more) => startWorker(url, { ...env, ...more }), 'CUSTOS_WORKERS_PORT'));
    keepers.push(keeper);
    return keeper;
  };
  const close = async (): Promise<void> => {
    await Promise.all(keepers.map((one) => one.stop()));
    await Promise.all([...proxies.postgres, ...proxies.redis].map((one) => one.close()));
    await redis?.close();
    signal(server.server().pid, 'SIGCONT');
    await server.stop('immediate');
    disk?.close();
  };
  const all = (part: Part): Promise<Keeper>[] => Array.from({ length: PROCESSES }, () => keep(part));
  const started = await Promise.allSettled([...all('workers'), ...all('ingress')]);
  const failed = started.find((one) => one.status === 'rejected');
  if (failed !== undefined) {
    await close();
    throw failed.reason;
  }
  const isOf = (part: Part) => (_: Keeper, i: number) => (part === 'workers' ? i < PROCESSES : i >= PROCESSES);
  const inOrder = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const kept = { workers: inOrder.filter(isOf('workers')), ingress: inOrder.filter(isOf('ingress')) };

  return {
    kind: withRedis ? 'redis' : 'postgres',
    adminKey,
    policyDir,
    addresses: kept.ingress.map(({ address }) => address),
    processes: (part) => kept[part],
    postgresPids: () => (isAlive(server.server().pid) ? withChildren(server.server().pid) : []),
    async startPostgres() {
      // A start fails while another one runs, while sessions of a killed server still end, or while the disk is full.
      while (!isAlive(server.server().pid)) await server.restart().catch(() => delay(PAUSE_MS));
    },
    redis,
    proxies: (store) => proxies[store],
    disk,
    adminUrl: () => server.adminUrl,
    commandEnv: () => ({ DATABASE_URL: server.url, CUSTOS_PEPPER: TEST_PEPPER, CUSTOS_DATA_DIR: dataDir }),
    checkpointDir,
    close,
  };
}

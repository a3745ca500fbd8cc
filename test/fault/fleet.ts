// Several ingress and worker processes on one PostgreSQL (and one Redis), and what can go wrong with each.
import { migrate } from '../../shared/platform/db/migrate.ts';
import { type Database, openDatabase } from '../../shared/platform/db/database.ts';
import type { Embedded } from '../../shared/platform/embedded/embedded.ts';
import { accessOf, PATIENCE, startTestServer } from '../support/database.ts';
import { startIngress, startWorker, TEST_PEPPER, type TestService } from '../support/process.ts';
import type { TestRedis } from '../support/redis.ts';
import { bootstrap } from '../support/service.ts';
import { TEST_SEALS } from '../support/seals.ts';

export interface Fleet {
  /** Admin key of the live environment. */
  readonly key: string;
  readonly db: Database;
  /** Base addresses of the ingress processes that run now. */
  addresses(): string[];
  /** SIGKILL, and another one in its place as soon as it is dead, as a supervisor does. */
  killIngress(index: number): Promise<void>;
  killWorker(index: number): Promise<void>;
  /** Stops PostgreSQL like a crash, and starts it again. */
  restartPostgres(): Promise<void>;
  close(): Promise<void>;
}

export interface FleetOptions {
  readonly ingress: number;
  readonly workers: number;
  readonly redis?: TestRedis | undefined;
}

export async function startFleet({ ingress, workers, redis }: FleetOptions): Promise<Fleet> {
  const server: Embedded = await startTestServer();
  await migrate(accessOf(server), TEST_PEPPER);
  const db = await openDatabase({
    seals: TEST_SEALS,
    url: server.url,
    applicationName: 'custos-test',
    ...PATIENCE,
    poolSize: 2,
    queryTimeoutMs: 20_000,
    onError: () => undefined,
  });
  const { key } = await bootstrap(db);
  const env = { CUSTOS_RATE_LIMIT: 'off', CUSTOS_LOG_LEVEL: 'fatal', REDIS_URL: redis?.url };
  const one = (kind: 'ingress' | 'workers'): Promise<TestService> =>
    kind === 'ingress' ? startIngress(server.url, env) : startWorker(server.url, env);
  // A worker first: ingress is ready when a policy set is in force.
  const running = {
    workers: await Promise.all(Array.from({ length: workers }, () => one('workers'))),
    ingress: await Promise.all(Array.from({ length: ingress }, () => one('ingress'))),
  };
  const starting = new Set<Promise<void>>();

  const replace = async (kind: 'ingress' | 'workers', index: number): Promise<void> => {
    await running[kind][index]?.kill();
    const start = one(kind).then(
      (service) => void (running[kind][index] = service),
      // Postgres may be away just now: as a supervisor would, it is tried again.
      () => one(kind).then((service) => void (running[kind][index] = service)),
    );
    starting.add(start);
    await start;
    starting.delete(start);
  };

  return {
    key,
    db,
    addresses: () => running.ingress.map((service) => service.address),
    killIngress: (index) => replace('ingress', index),
    killWorker: (index) => replace('workers', index),
    async restartPostgres() {
      await server.server().stop('immediate');
      await server.restart();
    },
    async close() {
      await Promise.all(starting);
      await Promise.all([...running.ingress, ...running.workers].map((service) => service.stop()));
      await db.close();
      await server.stop();
    },
  };
}

// Several ingress and worker processes on one PostgreSQL (and one Redis), each of which a test can kill.
import { migrate } from '../../shared/platform/db/migrate.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import type { Embedded } from '../../shared/platform/embedded/embedded.ts';
import { accessOf, openTestDatabase, startTestServer } from '../support/database.ts';
import { folderWithFewWords } from '../support/lexicon.ts';
import { startIngress, startWorker, TEST_PEPPER, type TestService } from '../support/process.ts';
import type { TestRedis } from '../support/redis.ts';
import { bootstrap } from '../support/service.ts';

export interface Fleet {
  /** Admin key of the live environment. */
  readonly key: string;
  readonly db: Database;
  /** Base addresses of the running ingress processes. */
  addresses(): string[];
  /** Sends SIGKILL and starts a replacement once the process has ended, as a supervisor does. */
  killIngress(index: number): Promise<void>;
  killWorker(index: number): Promise<void>;
  /** Stops PostgreSQL as in a crash, and starts it again. */
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
  const db = await openTestDatabase(server.url, { queryTimeoutMs: 20_000 });
  const { key } = await bootstrap(db);
  const policies = { CUSTOS_POLICY_DIR: folderWithFewWords() };
  const env = { CUSTOS_RATE_LIMIT: 'off', CUSTOS_LOG_LEVEL: 'fatal', REDIS_URL: redis?.url, ...policies };
  const one = (kind: 'ingress' | 'workers'): Promise<TestService> =>
    kind === 'ingress' ? startIngress(server.url, env) : startWorker(server.url, env);
  // A worker must start first: ingress becomes ready only when a policy set is active.
  const running = {
    workers: await Promise.all(Array.from({ length: workers }, () => one('workers'))),
    ingress: await Promise.all(Array.from({ length: ingress }, () => one('ingress'))),
  };
  /** The last replacement of each process. The next one waits for it, because it kills the process that this one starts. */
  const replacements = new Map<string, Promise<void>>();
  const replace = (kind: 'ingress' | 'workers', index: number): Promise<void> => {
    const place = `${kind} ${index}`;
    const replacement = (replacements.get(place) ?? Promise.resolve()).then(async () => {
      await running[kind][index]?.kill();
      running[kind][index] = await one(kind);
    });
    replacements.set(place, replacement);
    return replacement;
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
      await Promise.allSettled(replacements.values());
      await Promise.all([...running.ingress, ...running.workers].map((service) => service.stop()));
      await db.close();
      await server.stop();
    },
  };
}

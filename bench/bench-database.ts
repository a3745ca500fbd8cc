// A database of its own for measurements that need no service: embedded PostgreSQL, migrated, with an organisation, in a temporary folder.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type Database, openDatabase } from '../shared/platform/db/database.ts';
import { migrate } from '../shared/platform/db/migrate.ts';
import { createSeals } from '../shared/platform/db/seals/seals.ts';
import { startEmbedded } from '../shared/platform/embedded/embedded.ts';

export const BENCH_ORGANISATION = 'org_bench';

const PEPPER = 'the pepper of a benchmark';

export interface BenchDatabase {
  /** With the role of the service, or of the superuser if that was asked for. */
  readonly db: Database;
  readonly adminUrl: string;
}

/** @param options.dir an existing folder, in which a temporary one is made and removed again */
export async function withBenchDatabase(
  options: { readonly dir: string; readonly asSuperuser?: boolean; readonly say: (line: string) => void },
  work: (database: BenchDatabase) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(path.join(options.dir, 'custos-bench-'));
  // The database of root runs as another user, who must be able to pass this folder.
  chmodSync(folder, 0o711);
  const server = await startEmbedded({ dataDir: path.join(folder, 'custos'), say: options.say });
  try {
    await migrate({ databaseUrl: server.url, migrationDatabaseUrl: server.ownerUrl }, PEPPER);
    const db = await openDatabase({
      url: options.asSuperuser ? server.adminUrl : server.url,
      applicationName: 'custos-bench',
      poolSize: 2,
      queryTimeoutMs: 600_000,
      seals: createSeals({ pepper: PEPPER }),
      onError: () => undefined,
    });
    try {
      const text = "INSERT INTO organisation (id, slug, name, created_at) VALUES ($1, 'bench', 'bench', now())";
      await db.query(text, [BENCH_ORGANISATION]);
      await work({ db, adminUrl: server.adminUrl });
    } finally {
      await db.close();
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

// Ensures that the first organisation and its admin key exist: the first start creates them.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { StoreConfig } from '../shared/platform/config/config.ts';
import { databaseNowMs } from '../shared/platform/db/clock.ts';
import { openDatabase } from '../shared/platform/db/database.ts';
import { ensureSecretFingerprint, PEPPER } from '../shared/platform/db/fingerprints.ts';
import { requireSchema } from '../shared/platform/db/schema-state.ts';
import { createSeals } from '../shared/platform/db/seals/seals.ts';
import { BOOTSTRAP_FILE, ensureBootstrap } from '../shared/domain/keys/bootstrap.ts';

export interface FirstKey {
  /** The key, when this start created it. */
  readonly newKey: string | undefined;
  /** File that holds it, when there is one. */
  readonly keyFile: string | undefined;
}

/**
 * @param embedded whether the database is embedded; a generated key is stored in its data folder then
 * @throws {BootstrapError} when CUSTOS_BOOTSTRAP_KEY or the stored key can't be used
 */
export async function ensureFirstKey(config: StoreConfig, embedded: boolean): Promise<FirstKey> {
  const { databaseUrl, pepper, pepperPrevious, bootstrapKey } = config;
  const dataDir = embedded ? config.dataDir : undefined;
  const db = await openDatabase({
    url: databaseUrl,
    seals: createSeals({ pepper }),
    applicationName: 'custos-first-key',
    poolSize: 1,
    onError: () => undefined,
  });
  try {
    // The migration may have had the address of another database.
    await requireSchema(db);
    // Checked first: under another pepper every row would be refused, and a second key would be created.
    await ensureSecretFingerprint(db, PEPPER, pepper);
    const nowMs = await databaseNowMs(db);
    const clock = { nowMs: () => nowMs };
    const { generatedKey } = await ensureBootstrap({ db, pepper, pepperPrevious, bootstrapKey, dataDir, clock });
    const file = dataDir === undefined ? undefined : path.join(dataDir, BOOTSTRAP_FILE);
    return { newKey: generatedKey, keyFile: file !== undefined && existsSync(file) ? file : undefined };
  } finally {
    await db.close();
  }
}

// Changes the log key: from now on the database accepts the new one, and the old one may sign no larger trees.
import { OperatorError } from '../../kernel/operator-error.ts';
import type { KeyObject } from 'node:crypto';
import type { Database } from '../../platform/db/database.ts';
import { compareSecretFingerprint, replaceSecretFingerprint, SIGNING_KEY } from '../../platform/db/fingerprints.ts';
import { find, hold, updateSealed } from '../../platform/db/seals/rows.ts';
import { writeToAllLogs } from './service-record.ts';
import { keyIdOf } from '../../core/proof/keys.ts';

/** Why the key cannot be changed, as a sentence. */
export class RotationError extends OperatorError {}

const WORKERS =
  "SELECT count(*)::integer AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'custos-workers'";
const LAST_SIZE = 'SELECT coalesce(max(size), 0)::text AS size FROM checkpoint WHERE log_id = $1';

/**
 * Makes this the key that workers must have. Old keys stay published with the sizes that they signed. A record of it becomes a leaf of
 * every log, signed with the new key.
 * @param by `cli:<user>`
 * @returns the id of the new key
 * @throws {RotationError} while workers run (they would continue with the old key), and for a key that is or was in use
 */
export async function rotateLogKey(
  db: Database,
  key: KeyObject,
  { by, nowMs }: { readonly by: string; readonly nowMs: number },
): Promise<string> {
  const keyId = keyIdOf(key);
  await db.transaction(async (sql) => {
    const [workers] = await sql.query<{ count: number }>(WORKERS, []);
    if (workers !== undefined && workers.count > 0)
      throw new RotationError(
        'Workers are running, and would continue to sign with the old key. Stop them first, and start them with the new one.',
      );
    // Also before its first signature, with which a key is published.
    if ((await compareSecretFingerprint(sql, SIGNING_KEY, keyId)) === 'same')
      throw new RotationError('This is the key that the logs have.');
    // A key has one range of sizes. A key that is used again could sign sizes outside of it.
    if ((await find(sql, 'log_key', { key_id: keyId })).length > 0)
      throw new RotationError('This key was in use before: a log never goes back to an old key.');
    // First: a worker that signs at this moment holds the fingerprint, and the old key ends at what it signs.
    await replaceSecretFingerprint(sql, SIGNING_KEY, keyId);
    for (const row of await hold(sql, 'log_key', {})) {
      if (row.last_size !== null) continue;
      const [last] = await sql.query<{ size: string }>(LAST_SIZE, [row.log_id]);
      await updateSealed(sql, 'log_key', row, { last_size: last?.size ?? '0' });
    }
    await writeToAllLogs(sql, 'custos.log', { change: 'key', keyId, by }, nowMs);
  });
  return keyId;
}

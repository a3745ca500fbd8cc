// Changes the log key: from now on the database accepts the new one, and the old one may sign no larger trees.
import { OperatorError } from '../../kernel/operator-error.ts';
import type { KeyObject } from 'node:crypto';
import type { Database } from '../../platform/db/database.ts';
import { replaceSecretFingerprint, SIGNING_KEY } from '../../platform/db/fingerprints.ts';
import { keyIdOf } from '../../core/proof/keys.ts';

/** Why the key cannot be changed, as a sentence. */
export class RotationError extends OperatorError {}

const WORKERS =
  "SELECT count(*)::integer AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'custos-workers'";
const KNOWN =
  "SELECT bool_or(last_size IS NULL) AS is_in_use FROM log_key WHERE use = 'log' AND key_id = $1 HAVING count(*) > 0";
const END = `UPDATE log_key SET last_size = (SELECT coalesce(max(checkpoint.size), 0) FROM checkpoint WHERE checkpoint.log_id = log_key.log_id)
    WHERE use = 'log' AND key_id <> $1 AND last_size IS NULL`;

/**
 * Makes this the key that workers must have. Old keys stay published with the sizes that they signed.
 * @returns the id of the new key
 * @throws {RotationError} while workers run (they would continue with the old key), and for a key that is or was in use
 */
export async function rotateLogKey(db: Database, key: KeyObject): Promise<string> {
  const keyId = keyIdOf(key);
  await db.transaction(async (sql) => {
    const [workers] = await sql.query<{ count: number }>(WORKERS, []);
    if (workers !== undefined && workers.count > 0)
      throw new RotationError(
        'Workers are running, and would continue to sign with the old key. Stop them first, and start them with the new one.',
      );
    const [known] = await sql.query<{ is_in_use: boolean }>(KNOWN, [keyId]);
    // A key has one range of sizes. A key that is used again could sign sizes outside of it.
    if (known !== undefined)
      throw new RotationError(
        known.is_in_use
          ? 'This is the key that the logs have.'
          : 'This key was in use before: a log never goes back to an old key.',
      );
    // First: a worker that signs at this moment holds the fingerprint, and the old key ends at what it signs.
    await replaceSecretFingerprint(sql, SIGNING_KEY, keyId);
    await sql.query(END, [keyId]);
  });
  return keyId;
}

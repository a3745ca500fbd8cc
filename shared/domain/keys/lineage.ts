// Lines of keys: what rotations make of a key is of its line, and named by the first key of it.

/**
 * SQL for the line of the key that `keyId` names: found by `replaced_by` alone, which the log has too, so that no column
 * of its own could be written to. Of keys that replace each other in a circle, which no rotation makes, each is its own.
 */
export function lineageSql(keyId: string): string {
  return `coalesce((WITH RECURSIVE line AS (
      SELECT ${keyId} AS at UNION SELECT earlier.key_id FROM line JOIN api_key AS earlier ON earlier.replaced_by = line.at
    ) SELECT at FROM line WHERE NOT EXISTS (SELECT FROM api_key AS earlier WHERE earlier.replaced_by = line.at) LIMIT 1), ${keyId})`;
}

/** SQL for the ids of the key and of all that rotations made it of. */
export function earlierSql(keyId: string): string {
  return `WITH RECURSIVE line AS (
      SELECT ${keyId} AS at UNION SELECT earlier.key_id FROM line JOIN api_key AS earlier ON earlier.replaced_by = line.at
    ) SELECT at FROM line`;
}

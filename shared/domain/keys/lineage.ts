// Key lines: a key and all keys that rotations made of it. A line is named by its first key.

/**
 * SQL for the line of the key `keyId`. It follows `replaced_by`, which is in the log too; a column of its own could be
 * overwritten. Keys that replace each other in a circle, which no rotation makes, each form a line.
 */
export function lineageSql(keyId: string): string {
  return `coalesce((WITH RECURSIVE line AS (
      SELECT ${keyId} AS at UNION SELECT earlier.key_id FROM line JOIN api_key AS earlier ON earlier.replaced_by = line.at
    ) SELECT at FROM line WHERE NOT EXISTS (SELECT FROM api_key AS earlier WHERE earlier.replaced_by = line.at) LIMIT 1), ${keyId})`;
}

/** SQL for the ids of the key and of all its predecessors. */
export function earlierSql(keyId: string): string {
  return `WITH RECURSIVE line AS (
      SELECT ${keyId} AS at UNION SELECT earlier.key_id FROM line JOIN api_key AS earlier ON earlier.replaced_by = line.at
    ) SELECT at FROM line`;
}

// Whose hands a key is in: who asked, and who may therefore not decide.
import type { Sql, Statement } from '../db/database.ts';

/**
 * From each of two keys upwards: to the key that made it, that one's maker and so on, and from each of them to what
 * rotations made of it and what it was before, which are the same key in other words. Two keys are in the same hands when
 * one is reached from the other. Keys with a maker in common are not: otherwise the first admin key of an
 * installation, which made all others, would leave nobody who may decide.
 */
const SAME_HANDS: Statement = {
  name: 'approval-same-hands',
  text: `WITH RECURSIVE above AS (
      SELECT key_id AS first_id, key_id FROM api_key WHERE key_id IN ($1, $2)
      UNION SELECT above.first_id, next.key_id FROM above
      JOIN api_key AS one ON one.key_id = above.key_id
      CROSS JOIN LATERAL (
        SELECT one.created_by AS key_id WHERE one.created_by IS NOT NULL
        UNION ALL SELECT one.replaced_by WHERE one.replaced_by IS NOT NULL
        UNION ALL SELECT before.key_id FROM api_key AS before WHERE before.replaced_by = one.key_id
      ) AS next
    )
    SELECT FROM above WHERE (first_id = $1 AND key_id = $2) OR (first_id = $2 AND key_id = $1) LIMIT 1`,
};

/**
 * Whether two keys are the same, made of each other by rotations, or one was made by the other, directly or through
 * keys in between. Who decides from the shell has no key, and is in nobody's hands.
 */
export async function areSameHands(sql: Sql, one: string, other: string): Promise<boolean> {
  return one === other || (await sql.query(SAME_HANDS, [one, other])).length > 0;
}

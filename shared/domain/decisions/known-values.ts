// Distinct values of the decisions of one owner, found by skipping from one to the next in an index (a loose index scan): the cost
// depends on the number of values, not of decisions.
import { type Owner, ownerColumns } from '../../kernel/owner.ts';
import type { Sql, Statement } from '../../platform/db/database.ts';

/** Callers choose the names of tools, so their number has no bound. */
const MAX_TOOLS = 2_000;

const OWN = 'organisation_id = $1 AND environment = $2';

export const REASON_TEXTS: Statement = `WITH RECURSIVE known (reasons) AS (
      (SELECT reasons FROM decision WHERE ${OWN} AND reasons IS NOT NULL ORDER BY reasons LIMIT 1)
      UNION ALL
      SELECT (SELECT d.reasons FROM decision AS d WHERE ${OWN} AND d.reasons > known.reasons ORDER BY d.reasons LIMIT 1)
      FROM known WHERE known.reasons IS NOT NULL
    ) SELECT reasons FROM known WHERE reasons IS NOT NULL`;

export const TOOLS: Statement = `WITH RECURSIVE known (server, name) AS (
      (SELECT tool_server, tool_name FROM decision WHERE ${OWN} AND tool_server IS NOT NULL ORDER BY tool_server, tool_name LIMIT 1)
      UNION ALL
      SELECT next.* FROM known CROSS JOIN LATERAL (
        SELECT tool_server, tool_name FROM decision
        WHERE ${OWN} AND tool_server IS NOT NULL AND (tool_server, tool_name) > (known.server, known.name)
        ORDER BY tool_server, tool_name LIMIT 1
      ) AS next
    ) SELECT server, name FROM known LIMIT ${MAX_TOOLS}`;

export interface KnownTool {
  readonly server: string;
  readonly name: string;
}

/** The distinct texts of reason codes (reasonCodesOf) of decisions that are not ALLOW. @throws {ApiError} E6002 */
export async function readReasonTexts(db: Sql, owner: Owner): Promise<string[]> {
  return (await db.query<{ reasons: string }>(REASON_TEXTS, ownerColumns(owner))).map(({ reasons }) => reasons);
}

/** The tools that were called, by server and name; the first 2,000 of them. @throws {ApiError} E6002 */
export async function readTools(db: Sql, owner: Owner): Promise<KnownTool[]> {
  return db.query<KnownTool>(TOOLS, ownerColumns(owner));
}

export const hasCode = (reasons: string, code: string): boolean => reasons.split(' ').includes(code);

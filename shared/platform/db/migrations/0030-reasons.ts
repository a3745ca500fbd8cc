// The reason codes of each decision that is not ALLOW, and the index by which decisions are found by them.
import { type MigrationRunner, sqlMigration } from './sql-migration.ts';

const IMMUTABLE =
  'decision_id, organisation_id, environment, agent_id, key_id, verdict, evaluated_at, policy_digest, proof_id, process_id, record, request_id, tool_server, tool_name';

const DROP_TRIGGER = 'DROP TRIGGER insert_only_row ON decision;';
const createTrigger = (columns: string): string => `
CREATE TRIGGER insert_only_row BEFORE UPDATE ON decision FOR EACH ROW
  WHEN ((${columns.replace(/\w+/g, 'OLD.$&')}) IS DISTINCT FROM (${columns.replace(/\w+/g, 'NEW.$&')})
    OR NEW.facts IS NOT NULL OR NEW.facts_salt IS NOT NULL)
  EXECUTE FUNCTION custos_insert_only();
`;

/** Until migration 0065. */
export const ROW_KEPT = createTrigger(`${IMMUTABLE}, reasons`);

const UP = `
-- Distinct codes in the order of the alphabet, with spaces between them (shared/core/decision/reason-codes.ts). Null for ALLOW.
ALTER TABLE decision ADD COLUMN reasons text;
${DROP_TRIGGER}
`;

const FINISH = `${ROW_KEPT}
-- A code is found in a few range scans: one for each distinct text that contains it, and the distinct texts are found by
-- skipping from one to the next (shared/domain/decisions/known-values.ts). An ALLOW has no entry and costs nothing.
CREATE INDEX decision_by_reason ON decision (organisation_id, environment, reasons, decision_id) WHERE reasons IS NOT NULL;
`;

const DOWN = `
${DROP_TRIGGER}
ALTER TABLE decision DROP COLUMN reasons;
${createTrigger(IMMUTABLE)}
`;

const BATCH = 1_000;
const NEXT = `SELECT organisation_id, environment, decision_id, record FROM decision
    WHERE (organisation_id, environment, decision_id) > ($1, $2, $3) AND verdict <> 'ALLOW'
    ORDER BY organisation_id, environment, decision_id LIMIT ${BATCH}`;
const FILL = `UPDATE decision AS d SET reasons = given.reasons
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS given (organisation_id, environment, decision_id, reasons)
    WHERE d.organisation_id = given.organisation_id AND d.environment = given.environment AND d.decision_id = given.decision_id`;

interface Row {
  readonly organisation_id: string;
  readonly environment: string;
  readonly decision_id: string;
  readonly record: Buffer;
}

/** As reasonCodesOf, at the time of this migration. */
function codesOf(record: Buffer): string | null {
  // Written by the service. The stored bytes end before the record's last member, which is its previousHash.
  const { payload } = JSON.parse(`${record.toString('utf8')}}`) as {
    payload?: { body?: { reasons?: readonly { code: string }[] } };
  };
  const codes = [...new Set(payload?.body?.reasons?.map(({ code }) => code))].slice(0, 16);
  return codes.length === 0 ? null : codes.sort().join(' ');
}

/** Parsed here and not in SQL, because PostgreSQL refuses the escape \u0000, which JSON permits. */
async function fill(runner: MigrationRunner): Promise<void> {
  let last: readonly string[] = ['', '', ''];
  for (;;) {
    const rows = (await runner.query(NEXT, [...last])) as Row[];
    const final = rows.at(-1);
    if (final === undefined) break;
    last = [final.organisation_id, final.environment, final.decision_id];
    await runner.query(FILL, [
      rows.map((row) => row.organisation_id),
      rows.map((row) => row.environment),
      rows.map((row) => row.decision_id),
      rows.map(({ record }) => codesOf(record)),
    ]);
  }
  await runner.query(FINISH);
}

export const Reasons1763700000030 = sqlMigration({ name: 'Reasons1763700000030', up: UP, down: DOWN, afterUp: fill });

// Decisions in Postgres: written in groups before they are answered, read by id, listed newest first.
import { createColumnWriter, textColumn } from '../db/columns.ts';
import { createGroupCommit, type GroupCommit } from '../db/group-commit.ts';
import { WAKE_LOG } from '../log/inbox.ts';
import type { Database, Sql, Statement } from '../db/database.ts';
import type { Environment, Verdict } from '../vocabulary.ts';

export interface DecisionRow {
  readonly decisionId: string;
  readonly organisationId: string;
  readonly environment: Environment;
  readonly agentId: string;
  readonly keyId: string;
  readonly verdict: Verdict;
  /** RFC 3339. */
  readonly evaluatedAt: string;
  readonly policyDigest: string;
  readonly proofId: string;
  /** Canonical record without its previousHash, JSON text. */
  readonly record: string;
  /** JCS of all facts. */
  readonly facts: string;
  /** Lower-case hex. */
  readonly factsSalt: string;
  /** W3C trace context of the request. */
  readonly traceparent?: string | undefined;
}

/** The beginning of every statement that writes decisions; a row of `$1` to `$14` follows (decisionColumns). */
export const INSERT_DECISIONS = `INSERT INTO decision (decision_id, organisation_id, environment, agent_id, key_id, verdict, evaluated_at, policy_digest, proof_id, process_id, record, facts, facts_salt, traceparent)
    SELECT decision_id, organisation_id, environment, agent_id, key_id, verdict, evaluated_at::timestamptz, policy_digest, proof_id, $12,
      convert_to(record, 'UTF8'), convert_to(facts, 'UTF8'), decode(salt, 'hex'), nullif(traceparent, '')`;
/** Its end: what is made waits for its log. */
export const TO_LOG = `INSERT INTO log_inbox (organisation_id, environment, source, source_id) SELECT organisation_id, environment, 'decision', decision_id FROM made`;

/** On record, waiting for its log, and the log's worker to be woken: one statement, one commit. */
const INSERT: Statement = {
  name: 'decisions-insert',
  text: `WITH made AS (${INSERT_DECISIONS}
    FROM unnest(string_to_array($1, E'\\n'), string_to_array($2, E'\\n'), string_to_array($3, E'\\n'), string_to_array($4, E'\\n'), string_to_array($5, E'\\n'),
      string_to_array($6, E'\\n'), string_to_array($7, E'\\n'), string_to_array($8, E'\\n'), string_to_array($9, E'\\n'), string_to_array($10, E'\\n'), string_to_array($11, E'\\n'),
      string_to_array($13, E'\\n'), string_to_array($14, E'\\n'))
      AS row (decision_id, organisation_id, environment, agent_id, key_id, verdict, evaluated_at, policy_digest, proof_id, record, facts, salt, traceparent)
    RETURNING organisation_id, environment, decision_id),
    waiting AS (${TO_LOG})
    ${WAKE_LOG} FROM made`,
};

type Column = (values: readonly string[]) => string | Buffer;

/** @param record writes the records, and `facts` the facts: the long columns */
export function decisionColumns(
  rows: readonly DecisionRow[],
  processId: string,
  record: Column,
  facts: Column,
): unknown[] {
  const of = (pick: (row: DecisionRow) => string): string => textColumn(rows.map(pick));
  return [
    of((r) => r.decisionId),
    of((r) => r.organisationId),
    of((r) => r.environment),
    of((r) => r.agentId),
    of((r) => r.keyId),
    of((r) => r.verdict),
    of((r) => r.evaluatedAt),
    of((r) => r.policyDigest),
    of((r) => r.proofId),
    record(rows.map((r) => r.record)),
    facts(rows.map((r) => r.facts)),
    processId,
    of((r) => r.factsSalt),
    of((r) => r.traceparent ?? ''),
  ];
}

export interface DecisionFilter {
  readonly organisationId: string;
  readonly environment: Environment;
  /** Only what this key asked. */
  readonly keyId?: string | undefined;
  /** Only these agents. */
  readonly agentIds?: readonly string[] | undefined;
  readonly verdict?: Verdict | undefined;
  /** Inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
  /** Only ids before this one. */
  readonly before?: string | undefined;
}

export interface StoredDecision {
  readonly decision_id: string;
  readonly agent_id: string;
  readonly key_id: string;
  readonly record: Buffer;
}

const READ: Statement = {
  name: 'decision-read',
  text: 'SELECT decision_id, agent_id, key_id, record FROM decision WHERE organisation_id = $1 AND environment = $2 AND decision_id = $3',
};

const LIST_COLUMNS =
  'SELECT decision_id, agent_id, key_id, record FROM decision WHERE organisation_id = $1 AND environment = $2';
const LIST_REST = `AND ($3::text IS NULL OR key_id = $3) AND ($4::text IS NULL OR verdict = $4)
  AND ($5::timestamptz IS NULL OR evaluated_at >= $5) AND ($6::timestamptz IS NULL OR evaluated_at < $6)
  AND ($7::text IS NULL OR decision_id < $7) ORDER BY decision_id DESC LIMIT $8`;
const LIST: Statement = { name: 'decision-list', text: `${LIST_COLUMNS} ${LIST_REST}` };
const LIST_BY_AGENT: Statement = {
  name: 'decision-list-by-agent',
  text: `${LIST_COLUMNS} AND agent_id = ANY ($9::text[]) ${LIST_REST}`,
};

export interface DecisionStore {
  /** Resolves when the decision is durable. @throws {ApiError} E6002 */
  append(row: DecisionRow): Promise<void>;
  /** The same within the caller's transaction. */
  insert(sql: Sql, rows: readonly DecisionRow[]): Promise<void>;
  read(organisationId: string, environment: Environment, decisionId: string): Promise<StoredDecision | undefined>;
  /** The record of one decision alone, also within a transaction. */
  recordOf(sql: Sql, organisationId: string, environment: Environment, decisionId: string): Promise<Buffer | undefined>;
  list(filter: DecisionFilter, limit: number): Promise<StoredDecision[]>;
  idle(): Promise<void>;
}

const MAX_ROWS = 500;
const MAX_WAITING = 20_000;

export function createDecisionStore(deps: { db: Database; processId: string }): DecisionStore {
  const { db, processId } = deps;
  // The group has one statement under way at a time; transactions have theirs beside it.
  const [record, facts] = [createColumnWriter(), createColumnWriter()];
  const group: GroupCommit<DecisionRow, void> = createGroupCommit({
    db,
    statement: INSERT,
    columns: (rows) => decisionColumns(rows, processId, record, facts),
    result: () => undefined,
    sizeOf: (row) => row.record.length + row.facts.length,
    maxRows: MAX_ROWS,
    maxWaiting: MAX_WAITING,
  });
  return {
    append: (row) => group.add(row),
    insert: async (sql, rows) =>
      void (await sql.query(INSERT, decisionColumns(rows, processId, textColumn, textColumn))),
    async read(organisationId, environment, decisionId) {
      const [row] = await db.query<StoredDecision>(READ, [organisationId, environment, decisionId]);
      return row;
    },
    async recordOf(sql, organisationId, environment, decisionId) {
      const [row] = await sql.query<StoredDecision>(READ, [organisationId, environment, decisionId]);
      return row?.record;
    },
    list(filter, limit) {
      const values = [
        filter.organisationId,
        filter.environment,
        filter.keyId ?? null,
        filter.verdict ?? null,
        filter.from ?? null,
        filter.to ?? null,
        filter.before ?? null,
        limit,
      ];
      return filter.agentIds === undefined
        ? db.query<StoredDecision>(LIST, values)
        : db.query<StoredDecision>(LIST_BY_AGENT, [...values, filter.agentIds]);
    },
    idle: () => group.idle(),
  };
}

// Decisions in Postgres: written in groups before they are answered, read by id, listed newest first.
import { createColumnWriter, textColumn } from '../../platform/db/columns.ts';
import { createGroupCommit, type GroupCommit } from '../../platform/db/group-commit.ts';
import { wakeLogs } from '../ledger/inbox.ts';
import type { Database, Sql, Statement } from '../../platform/db/database.ts';
import { lowestId } from '../../kernel/ids.ts';
import type { Environment, Verdict } from '../../kernel/vocabulary.ts';
import { type ListCondition, ownedList } from './owned-list.ts';

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
    ${wakeLogs('made')}`,
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

/** Ids begin with the time of the decision: a span of time is a span of ids, too, which is where an index is entered. */
function spanOf({ from, to }: DecisionFilter): ListCondition[] {
  const idAt = (time: Date): string => lowestId('dec', Math.max(0, time.getTime()));
  const span: ListCondition[] = [];
  if (from !== undefined)
    span.push(['from', [from, idAt(from)], (at, id) => `evaluated_at >= ${at} AND decision_id >= ${id}`]);
  if (to !== undefined) span.push(['to', [to, idAt(to)], (at, id) => `evaluated_at < ${at} AND decision_id < ${id}`]);
  return span;
}

/** Newest first; quick among a million decisions, whatever is asked for. A test looks at the plans. */
export function listDecisions(filter: DecisionFilter, limit: number): [statement: Statement, values: unknown[]] {
  const { organisationId, environment, keyId, agentIds, verdict, before } = filter;
  // It stands in the text, because only then its index is known to hold it: all but ALLOW are in one (migration 0009).
  const ofVerdict: ListCondition[] =
    verdict === undefined ? [] : [[verdict.toLowerCase(), [], () => `verdict = '${verdict}'`]];
  return ownedList({
    table: 'decision',
    columns: 'decision_id, agent_id, key_id, record',
    id: 'decision_id',
    organisationId,
    environment,
    keyId,
    agentIds,
    before,
    limit,
    more: [...ofVerdict, ...spanOf(filter)],
  });
}

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
    list: (filter, limit) => db.query<StoredDecision>(...listDecisions(filter, limit)),
    idle: () => group.idle(),
  };
}

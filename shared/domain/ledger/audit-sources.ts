// The rows of which leaves were made, for the auditor: decisions and other records, each found by its primary key.
import { unpackFacts, unpackFactsText } from '../../core/decision/packed-facts.ts';
import { unpackRecord, unpackRecordText } from '../../core/decision/packed-record.ts';
import type { AuditedRow } from '../../core/proof/audit.ts';
import { decisionIdOfProof, proofIdOfDecision } from '../../kernel/ids.ts';
import { type Owner, ownerColumns } from '../../kernel/owner.ts';
import type { Sql } from '../../platform/db/database.ts';
import { escapedSql, readEscaped } from '../../platform/db/escaped.ts';
import { DECISION_EVENT } from '../../platform/db/leaf-sql.ts';
import { anyText, columnMap, msSql } from '../../platform/db/columns.ts';

interface IdRange {
  readonly first: string;
  readonly last: string;
}
const RANGES = columnMap<IdRange>({ first: anyText(({ first }) => first), last: anyText(({ last }) => last) });

// The ids of a part of the log follow each other, so they are read in ranges: a third of what a look-up for each id costs. A list of ids
// (`= ANY`) is such a range scan from PostgreSQL 17 on; earlier versions then read all rows of the owner for each part, 4 s of 200,000. The
// ORDER BY, without sorts (forbidScansAndSorts), determines the index: the planner otherwise takes the one by agent, of which all entries would be read.
const rangesOf = (table: 'decision' | 'record', id: string): string =>
  `(${RANGES.rows(3)}) AS asked CROSS JOIN LATERAL (
      SELECT * FROM ${table} WHERE organisation_id = $1 AND environment = $2 AND ${id} >= asked.first AND ${id} <= asked.last
      ORDER BY organisation_id, environment, ${id}
    ) AS found`;
const DECISIONS = `SELECT decision_id, proof_id, agent_id, ${msSql('evaluated_at')} AS evaluated_ms, ${escapedSql('record')} AS record, key_id, verdict, policy_digest, request_id,
      tool_server, tool_name, reasons, ${escapedSql('facts')} AS facts, facts_salt
    FROM ${rangesOf('decision', 'decision_id')}`;
const RECORDS = `SELECT proof_id, entity_id, event, ${msSql('occurred_at')} AS occurred_ms, ${escapedSql('record')} AS record
    FROM ${rangesOf('record', 'proof_id')}`;

const GENUINE_ID = /^[a-z]{3}_[0-9a-z]{26}$/;
/** Prefix of an id, with its time in units of 1,024 ms. */
const SECOND_CHARS = 12;

/**
 * A range for the ids of each second: whatever else was recorded meanwhile is read, too, and an id that does not belong there, such as a late
 * one or one that somebody changed, makes no range longer than a second.
 */
export function idRanges(ids: readonly string[]): IdRange[] {
  const ranges = new Map<string, { first: string; last: string }>();
  for (const id of ids) {
    // PostgreSQL may sort other characters in another order.
    const key = GENUINE_ID.test(id) ? id.slice(0, SECOND_CHARS) : id;
    const range = ranges.get(key);
    if (range === undefined) ranges.set(key, { first: id, last: id });
    else if (id < range.first) range.first = id;
    else if (id > range.last) range.last = id;
  }
  return [...ranges.values()];
}

interface RecordRow {
  readonly proof_id: string;
  readonly entity_id: string;
  readonly event: string;
  readonly occurred_ms: number;
  /** As stored, escaped; so are facts. */
  readonly record: string;
}

interface DecisionRow {
  readonly decision_id: string;
  /** Of a row of an earlier version. */
  readonly proof_id: string | null;
  readonly agent_id: string;
  readonly evaluated_ms: number;
  readonly record: string;
  readonly key_id: string;
  readonly verdict: string;
  readonly policy_digest: string | null;
  readonly request_id: string | null;
  readonly tool_server: string | null;
  readonly tool_name: string | null;
  readonly reasons: string | null;
  readonly facts: string | null;
  readonly facts_salt: Buffer | null;
}

/** The source row of a leaf. */
export type SourceRow = DecisionRow | RecordRow;

/** The members of a leaf by which its source row is found. */
interface Sourced {
  readonly proof_id: string;
  readonly event: string;
}

/** The source row of each leaf that has one. */
export async function readSources<Leaf extends Sourced>(
  sql: Sql,
  owner: Owner,
  leaves: readonly Leaf[],
): Promise<(leaf: Leaf) => SourceRow | undefined> {
  const decided: string[] = [];
  const others: string[] = [];
  for (const { event, proof_id: proofId } of leaves)
    if (event === DECISION_EVENT) decided.push(decisionIdOfProof(proofId));
    else others.push(proofId);
  const rowsOf = async <Row extends object>(statement: string, ids: readonly string[]): Promise<Row[]> =>
    ids.length === 0 ? [] : sql.query<Row>(statement, [...ownerColumns(owner), ...RANGES.values(idRanges(ids))]);
  const decisions = new Map<string, DecisionRow>();
  for (const row of await rowsOf<DecisionRow>(DECISIONS, decided)) decisions.set(row.decision_id, row);
  const records = new Map<string, RecordRow>();
  for (const row of await rowsOf<RecordRow>(RECORDS, others)) records.set(row.proof_id, row);
  return ({ event, proof_id: proofId }) =>
    event === DECISION_EVENT ? decisions.get(decisionIdOfProof(proofId)) : records.get(proofId);
}

/** Whether the facts of a decision are missing. */
export const lacksFacts = (row: SourceRow | undefined): boolean =>
  row !== undefined && 'decision_id' in row && row.facts === null;

/** The canonical record up to its previousHash: a text when all its bytes are ASCII. */
export function recordOf({ record }: SourceRow): string | Buffer {
  const stored = readEscaped(record);
  return typeof stored === 'string' ? unpackRecordText(stored) : unpackRecord(stored);
}

const factsOf = (escaped: string): string | Buffer => {
  const stored = readEscaped(escaped);
  return typeof stored === 'string' ? unpackFactsText(stored) : unpackFacts(stored);
};

/** @param timeOf a time as text */
export function auditedSource(row: SourceRow, timeOf: (ms: number) => string): NonNullable<AuditedRow['source']> {
  const record = recordOf(row);
  if ('decision_id' in row)
    return {
      proofId: row.proof_id ?? proofIdOfDecision(row.decision_id),
      entityId: row.agent_id,
      event: DECISION_EVENT,
      occurredAt: timeOf(row.evaluated_ms),
      record,
    };
  return {
    proofId: row.proof_id,
    entityId: row.entity_id,
    event: row.event,
    occurredAt: timeOf(row.occurred_ms),
    record,
  };
}

/** @param erasedBefore facts of decisions with lower ids were erased */
export function auditedDecision(row: SourceRow, evaluatedAt: string, erasedBefore: string): AuditedRow['decision'] {
  if (!('decision_id' in row)) return undefined;
  return {
    decisionId: row.decision_id,
    agentId: row.agent_id,
    keyId: row.key_id,
    verdict: row.verdict,
    evaluatedAt,
    policyDigest: row.policy_digest,
    requestId: row.request_id,
    toolServer: row.tool_server,
    toolName: row.tool_name,
    reasons: row.reasons,
    facts: row.facts === null ? null : factsOf(row.facts),
    factsSalt: row.facts_salt,
    mayLackFacts: row.decision_id < erasedBefore,
  };
}

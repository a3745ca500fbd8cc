// Decisions in PostgreSQL: inserted in groups before they are answered, read by id, listed newest first.
import { packRecord } from '../../core/decision/packed-record.ts';
import { packFacts } from '../../core/decision/packed-facts.ts';
import { type Owner, ownerColumns } from '../../kernel/owner.ts';
import { columnMap, hex, optionalText, text, utf8 } from '../../platform/db/columns.ts';
import { createGroupCommit, type GroupCommit } from '../../platform/db/group-commit.ts';
import { readDroppedBefore } from '../retention/dropped.ts';
import { decisionsToLog, wakeLogs } from '../ledger/inbox.ts';
import type { Database, Sql, Statement } from '../../platform/db/database.ts';
import { lowestId } from '../../kernel/ids.ts';
import type { Verdict } from '../../kernel/vocabulary.ts';
import { hasCode, readReasonTexts } from './known-values.ts';
import { type ListCondition, type OwnedFilter, ownedList } from './owned-list.ts';

export interface DecisionRow extends Owner {
  readonly decisionId: string;
  readonly agentId: string;
  readonly keyId: string;
  readonly verdict: Verdict;
  /** RFC 3339. */
  readonly evaluatedAt: string;
  /** Canonical record without its previousHash, JSON text. */
  readonly record: string;
  /** JCS of all facts. */
  readonly facts: string;
  /** Lower-case hex. */
  readonly factsSalt: string;
  /** W3C trace context of the request. */
  readonly traceparent?: string | undefined;
  /** X-Request-Id. */
  readonly requestId?: string | undefined;
  /** The tool that is called; undefined for other questions. */
  readonly tool?: { readonly server: string; readonly name: string } | undefined;
  /** From reasonCodesOf; null for ALLOW. */
  readonly reasons: string | null;
}

// Without proof_id and policy_digest, which rows of earlier versions have: the id of the decision tells the one (proofIdOf), its record the
// other.
export const DECISIONS = columnMap<DecisionRow>({
  decision_id: text((r) => r.decisionId),
  organisation_id: text((r) => r.organisationId),
  environment: text((r) => r.environment),
  agent_id: text((r) => r.agentId),
  key_id: text((r) => r.keyId),
  verdict: text((r) => r.verdict),
  evaluated_at: text((r) => r.evaluatedAt, 'timestamptz'),
  record: utf8((r) => packRecord(r.record)),
  facts: utf8((r) => packFacts(r.facts)),
  facts_salt: hex((r) => r.factsSalt),
  traceparent: optionalText((r) => r.traceparent),
  request_id: optionalText((r) => r.requestId),
  tool_server: optionalText((r) => r.tool?.server),
  tool_name: optionalText((r) => r.tool?.name),
  reasons: optionalText((r) => r.reasons),
});

/**
 * The columns that the statement adds. It fails (migration 0051) when a decision was evaluated longer ago than this by the database's clock,
 * as by a process that was frozen since: what it knew may not hold any more, and histories count each minute once (migration 0050).
 * @param processId the parameter of the process that decided
 */
export const addedColumns = (processId: string) => ({
  process_id: `CASE WHEN evaluated_at < statement_timestamp() - interval '20 seconds' THEN custos_too_late() ELSE ${processId} END`,
});

/** What a statement that writes decisions returns as `made`. */
export const RETURNING_MADE = 'RETURNING organisation_id, environment, decision_id, verdict, evaluated_at';
/** Its end: the rows of `made` wait for their logs. */
export const TO_LOG = decisionsToLog('made');

/** Writes the decisions, their inbox rows of the log, and the job that wakes the log's worker, in one commit. */
const INSERT = `WITH made AS (
      ${DECISIONS.insertInto('decision', `(${DECISIONS.rows()}) AS given`, addedColumns(`$${DECISIONS.size + 1}`))}
      ${RETURNING_MADE}
    ), waiting AS (${TO_LOG})
    ${wakeLogs('made')}`;

export interface DecisionFilter extends OwnedFilter {
  readonly verdict?: Verdict | undefined;
  /** Only what this request, or an intent that it submitted, led to. */
  readonly requestId?: string | undefined;
  /** Only decisions other than ALLOW with this reason code. */
  readonly reason?: string | undefined;
  /** Only calls of tools of this server. */
  readonly toolServer?: string | undefined;
  /** Only calls of this tool of that server. */
  readonly toolName?: string | undefined;
  /** Inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
}

export interface StoredDecision {
  readonly decision_id: string;
  readonly agent_id: string;
  readonly key_id: string;
  /** As stored: see packed-record.ts. */
  readonly record: Buffer;
}

const READ =
  'SELECT decision_id, agent_id, key_id, record FROM decision WHERE organisation_id = $1 AND environment = $2 AND decision_id = $3';

/** Ids begin with the time of the decision in milliseconds: a span of time is a span of ids. */
function spanOf({ from, to }: DecisionFilter): ListCondition[] {
  const idAt = (time: Date): string => lowestId('dec', Math.max(0, time.getTime()));
  const span: ListCondition[] = [];
  if (from !== undefined) span.push([[idAt(from)], (id) => `decision_id >= ${id}`]);
  if (to !== undefined) span.push([[idAt(to)], (id) => `decision_id < ${id}`]);
  return span;
}

/**
 * The two places of a request's decisions, one list each: the index of migration 0018, and, for an id that may be the service's
 * own, a range of the primary key: the 1,024 ms of the request. The text of the condition has to be the index's own.
 */
function placesOf(requestId: string): ListCondition[] {
  const indexed: ListCondition = [
    [requestId],
    (id) => `request_id = ${id} AND left(request_id, 12) <> 'req_' || substr(decision_id, 5, 8)`,
  ];
  if (!requestId.startsWith('req_')) return [indexed];
  const second = `dec_${requestId.slice(4, 12)}`;
  return [
    indexed,
    [
      [requestId, second, `${second}${'z'.repeat(18)}`],
      (id, from, to) =>
        `request_id = ${id} AND decision_id >= ${from} AND decision_id <= ${to} AND left(request_id, 12) = 'req_' || substr(decision_id, 5, 8)`,
    ],
  ];
}

/**
 * The statements of one page, newest first; what several of them find is merged. Each is a range scan from where the page
 * begins, also among a million decisions.
 * @param reasonTexts the known texts of reason codes that have the reason of the filter
 */
export function listDecisions(
  filter: DecisionFilter,
  limit: number,
  reasonTexts: readonly string[] = [],
): [statement: Statement, values: unknown[]][] {
  const { verdict, reason, requestId, toolServer, toolName } = filter;
  // A literal in the text, because only then the planner can use the partial index of all verdicts but ALLOW (migration 0009).
  const ofVerdict: ListCondition[] = verdict === undefined ? [] : [[[], () => `verdict = '${verdict}'`]];
  const ofTool: ListCondition[] = [];
  if (toolServer !== undefined) ofTool.push([[toolServer], (at) => `tool_server = ${at}`]);
  if (toolName !== undefined) ofTool.push([[toolName], (at) => `tool_name = ${at}`]);
  const places = requestId === undefined ? [[]] : placesOf(requestId).map((place) => [place]);
  return places.map((place) =>
    ownedList({
      ...filter,
      table: 'decision',
      columns: 'decision_id, agent_id, key_id, record',
      id: 'decision_id',
      limit,
      each: reason === undefined ? undefined : { column: 'reasons', values: reasonTexts },
      more: [...ofVerdict, ...ofTool, ...spanOf(filter), ...place],
    }),
  );
}

export interface DecisionStore {
  /** Resolves when the decision is durable. @throws {ApiError} E6002 */
  append(row: DecisionRow): Promise<void>;
  /** The same within the caller's transaction. */
  insert(sql: Sql, rows: readonly DecisionRow[]): Promise<void>;
  /** @param sql the transaction to read in */
  read(owner: Owner, decisionId: string, sql?: Sql): Promise<StoredDecision | undefined>;
  /** Whether retention dropped decisions of this id's age. An id that never existed may have this age, too. */
  isDropped(owner: Owner, decisionId: string): Promise<boolean>;
  list(filter: DecisionFilter, limit: number): Promise<StoredDecision[]>;
  idle(): Promise<void>;
}

const isOwnDecisionId = (id: string): boolean => /^dec_[0-9a-hjkmnp-tv-z]{26}$/.test(id);

const MAX_ROWS = 500;
const MAX_WAITING = 20_000;

export function createDecisionStore(deps: { db: Database; processId: string }): DecisionStore {
  const { db, processId } = deps;
  const write = DECISIONS.createWriter();
  const group: GroupCommit<DecisionRow, void> = createGroupCommit({
    db,
    statement: INSERT,
    columns: (rows) => [...write(rows), processId],
    result: () => undefined,
    sizeOf: (row) => row.record.length + row.facts.length,
    maxRows: MAX_ROWS,
    maxWaiting: MAX_WAITING,
  });
  return {
    append: (row) => group.add(row),
    insert: async (sql, rows) => void (await sql.query(INSERT, [...DECISIONS.values(rows), processId])),
    async read(owner, decisionId, sql = db) {
      const [row] = await sql.query<StoredDecision>(READ, [...ownerColumns(owner), decisionId]);
      return row;
    },
    isDropped: async (owner, decisionId) =>
      isOwnDecisionId(decisionId) && decisionId < (await readDroppedBefore(db, owner)),
    async list(filter, limit) {
      const { reason } = filter;
      const texts = reason === undefined ? [] : await readReasonTexts(db, filter);
      const having = texts.filter((text) => reason !== undefined && hasCode(text, reason));
      const lists = listDecisions(filter, limit, having).map((list) => db.query<StoredDecision>(...list));
      const rows = (await Promise.all(lists)).flat();
      return rows.sort((a, b) => (a.decision_id < b.decision_id ? 1 : -1)).slice(0, limit);
    },
    idle: () => group.idle(),
  };
}

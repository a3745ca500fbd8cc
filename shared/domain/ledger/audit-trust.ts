// The audit of trust: compares each agent's stored evidence with the sum of the signals in its folds.
import type { OwnerColumns } from '../../kernel/owner.ts';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Database, Sql } from '../../platform/db/database.ts';
import type { Finding } from '../../core/proof/audit-findings.ts';
import { quoted } from '../../core/proof/encoding.ts';
import { dayOf, evidenceOf, MAX_AGE_DAYS, type SignalType } from '../../core/trust/beta.ts';
import { forbidScans } from './audit-rows.ts';
import { ONE_MOMENT } from './authority-rows.ts';
import { leafOf } from '../../platform/db/leaf-sql.ts';

/** Most agents in one transaction. */
const AGENTS = 20;
/** Most signals of several agents in one transaction. An agent with more is read alone, and page by page before its transaction. */
const SIGNALS = 20_000;
/** Folds in one statement; each has up to 25 kB. */
const FOLDS_PER_PAGE = 100;
/** Folds that are added between two turns of the event loop: some thousand signals, which take 10 ms. */
const FOLDS_PER_TURN = 10;

const STATES = `SELECT agent_id, signals::float8 AS signals FROM trust_state WHERE organisation_id = $1 AND environment = $2 AND agent_id > $3
    ORDER BY organisation_id, environment, agent_id LIMIT ${AGENTS}`;
const STATES_OF = `SELECT agent_id, signals::float8 AS signals FROM trust_state WHERE organisation_id = $1 AND environment = $2 AND agent_id = ANY ($3::text[])
    ORDER BY organisation_id, environment, agent_id`;
// A fold must be what its own record states (core/trust/fold.ts), which the audit of its leaf compares with the leaf. Signals state their
// numbers, so no two folds of an agent can have the same record.
const FOLDS = `SELECT fold.agent_id, fold.first_n::float8 AS first_n, fold.last_n::float8 AS last_n, fold.signals,
      recorded.is_same AND (leaf.proof_id IS NOT NULL OR waiting.source_id IS NOT NULL) AS is_logged
    FROM (
      SELECT * FROM trust_fold WHERE organisation_id = $1 AND environment = $2 AND agent_id <= $3 AND (agent_id, last_n) > ($4, $5::bigint)
      ORDER BY organisation_id, environment, agent_id, last_n LIMIT ${FOLDS_PER_PAGE}
    ) AS fold
    LEFT JOIN LATERAL (
      SELECT event = 'custos.trust' AND entity_id = fold.agent_id AND position(convert_to('"signals":' || fold.signals || ',"uncertainty"', 'UTF8') IN record) > 0 AS is_same FROM (
        SELECT * FROM record WHERE organisation_id = $1 AND environment = $2 AND proof_id >= fold.proof_id AND proof_id <= fold.proof_id
        ORDER BY organisation_id, environment, proof_id LIMIT 1
      ) AS record
    ) AS recorded ON true
    LEFT JOIN LATERAL ${leafOf('$1', '$2', 'fold.proof_id')} AS leaf ON true
    LEFT JOIN log_inbox AS waiting ON leaf.proof_id IS NULL AND waiting.organisation_id = $1 AND waiting.environment = $2 AND waiting.source_id = fold.proof_id
    ORDER BY fold.agent_id, fold.last_n`;
const BUCKETS = `SELECT agent_id, day, key_id, positive::float8 AS positive, negative::float8 AS negative FROM trust_bucket
    WHERE organisation_id = $1 AND environment = $2 AND agent_id = ANY ($3::text[]) AND day > $4`;

interface StateRow {
  agent_id: string;
  signals: number;
}
interface FoldRow {
  agent_id: string;
  first_n: number;
  last_n: number;
  signals: string;
  is_logged: boolean | null;
}
interface BucketRow {
  agent_id: string;
  day: number;
  key_id: string;
  positive: number;
  negative: number;
}
interface Signal {
  readonly n: number;
  readonly day: string;
  readonly key: string;
  readonly type: SignalType;
  readonly weight: number;
}

/** What the folds of an agent give, as far as they were read. */
interface Summed {
  /** The last signal that was read. */
  n: number;
  /** Why the folds are no sequence of logged signals. */
  what: string | undefined;
  readonly sums: Map<string, { positive: number; negative: number }>;
}

/** The result of one run; `agentId` is the last compared agent, '' at the end of a cycle. */
export interface TrustTurn {
  readonly agentId: string;
  readonly compared: readonly string[];
  readonly findings: ReadonlyMap<string, Finding>;
}

/** Compares the next agents in order of their ids: at least one page, and no agent twice. */
export async function auditTrust(
  db: Database,
  owner: OwnerColumns,
  { after, nowMs, isTimeLeft }: { readonly after: string; readonly nowMs: number; readonly isTimeLeft: () => boolean },
): Promise<TrustTurn> {
  const turn = { agentId: after, compared: [] as string[], findings: new Map<string, Finding>() };
  const sinceDay = dayOf(nowMs) - MAX_AGE_DAYS;
  do {
    const states = await db.query<StateRow>(STATES, [...owner, turn.agentId]);
    const ids = fewSignals(states).map((row) => row.agent_id);
    const wrong = await compareAgents(db, owner, { ids, sinceDay, isLarge: (states[0]?.signals ?? 0) > SIGNALS });
    turn.compared.push(...ids);
    for (const [id, what] of wrong) turn.findings.set(id, findingOf(id, what));
    turn.agentId = states.length < AGENTS && ids.length === states.length ? '' : (ids.at(-1) ?? '');
    // At the end of a cycle the next run begins with the first agent.
  } while (turn.agentId !== '' && isTimeLeft());
  return turn;
}

/** The first agents, with SIGNALS together, or one agent with more. */
function fewSignals(states: readonly StateRow[]): readonly StateRow[] {
  let signals = 0;
  const past = states.findIndex((row, i) => (signals += row.signals) > SIGNALS && i > 0);
  return past < 0 ? states : states.slice(0, past);
}

function findingOf(agentId: string, what: string): Finding {
  const sentence = `The trust of the agent ${quoted(agentId)}: ${what}`;
  return { kind: 'trust-altered', leafIndex: null, proofId: null, sentence };
}

/** The differences of these agents, by id. @param sinceDay evidence of older days is not maintained */
async function compareAgents(
  db: Database,
  owner: OwnerColumns,
  { ids, sinceDay, isLarge }: { readonly ids: readonly string[]; readonly sinceDay: number; readonly isLarge: boolean },
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const reader = foldReader(owner, ids, sinceDay);
  // Folds never change, so those of a large agent are read before the moment in which it is compared, which stays short.
  while (isLarge) {
    const isMore = await db.transaction(async (sql) => {
      await forbidScans(sql);
      return reader.page(sql);
    });
    if (!isMore) break;
  }
  return db.transaction(async (sql) => {
    await sql.query(ONE_MOMENT, []);
    await forbidScans(sql);
    const states = await sql.query<StateRow>(STATES_OF, [...owner, ids]);
    while (await reader.page(sql));
    const buckets = byAgent(await sql.query<BucketRow>(BUCKETS, [...owner, ids, sinceDay]));
    const wrong = new Map<string, string>();
    for (const { agent_id: id, signals } of states) {
      const one = reader.summed.get(id);
      const what = one && differenceOf(signals, one, buckets.get(id) ?? []);
      if (what !== undefined) wrong.set(id, what);
    }
    return wrong;
  });
}

/** Reads the folds of these agents, sorted by id, page by page. `page` returns whether there may be more. */
function foldReader(owner: OwnerColumns, ids: readonly string[], sinceDay: number) {
  const summed = new Map(ids.map((id): [string, Summed] => [id, { n: 0, what: undefined, sums: new Map() }]));
  let last: { readonly agent_id: string; readonly last_n: number } = { agent_id: ids[0] ?? '', last_n: 0 };
  const page = async (sql: Sql): Promise<boolean> => {
    const folds = await sql.query<FoldRow>(FOLDS, [...owner, ids.at(-1), last.agent_id, last.last_n]);
    for (const [i, fold] of folds.entries()) {
      if (i % FOLDS_PER_TURN === FOLDS_PER_TURN - 1) await yieldToOthers();
      const one = summed.get(fold.agent_id);
      if (one !== undefined && one.what === undefined) one.what = addFold(one, fold, sinceDay);
      last = fold;
    }
    return folds.length === FOLDS_PER_PAGE;
  };
  return { summed, page };
}

function byAgent<Row extends { readonly agent_id: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.agent_id);
    if (group === undefined) groups.set(row.agent_id, [row]);
    else group.push(row);
  }
  return groups;
}

/** Adds the signals of a fold, or returns what is wrong with it. */
function addFold(one: Summed, fold: FoldRow, sinceDay: number): string | undefined {
  if (fold.is_logged !== true) return `the fold up to signal ${fold.last_n} is not in the log.`;
  const list = signalsOf(fold.signals);
  if (
    list === undefined ||
    fold.first_n !== one.n + 1 ||
    list.length !== fold.last_n - one.n ||
    list.some(({ n }, i) => n !== fold.first_n + i)
  )
    return `the signals from ${one.n + 1} on are not there, once each.`;
  one.n = fold.last_n;
  for (const signal of list) {
    const day = dayOf(Date.parse(signal.day));
    if (day <= sinceDay) continue;
    const { positive, negative } = evidenceOf(signal.type, Math.round(signal.weight * 1_000));
    const id = `${day} ${signal.key}`;
    const sum = one.sums.get(id) ?? { positive: 0, negative: 0 };
    one.sums.set(id, { positive: sum.positive + positive, negative: sum.negative + negative });
  }
  return undefined;
}

function differenceOf(signals: number, { n, what, sums }: Summed, buckets: readonly BucketRow[]): string | undefined {
  if (what !== undefined) return what;
  if (n !== signals) return `it says that ${signals} signals were folded, and ${n} were.`;
  const isSame =
    buckets.length === sums.size &&
    buckets.every((bucket) => {
      const sum = sums.get(`${bucket.day} ${bucket.key_id}`);
      return sum?.positive === bucket.positive && sum.negative === bucket.negative;
    });
  return isSame ? undefined : 'its evidence is not the sum of its signals.';
}

function signalsOf(text: string): Signal[] | undefined {
  try {
    // Written by the fold. Any other value has a different sum.
    const value = JSON.parse(text) as Signal[];
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

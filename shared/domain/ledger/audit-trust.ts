// The audit of trust: compares each agent's stored evidence with the sum of the signals in its folds.
import type { OwnerColumns } from '../../kernel/owner.ts';
import type { Database, Sql } from '../../platform/db/database.ts';
import type { Finding } from '../../core/proof/audit-findings.ts';
import { quoted } from '../../core/proof/encoding.ts';
import { dayOf, evidenceOf, MAX_AGE_DAYS, type SignalType } from '../../core/trust/beta.ts';
import { forbidScans } from './audit-rows.ts';
import { ONE_MOMENT } from './authority-rows.ts';
import { leafOf } from '../../platform/db/leaf-sql.ts';

/** Agents in one transaction; each may have many signals. */
const AGENTS = 20;

const STATES = `SELECT agent_id, signals::float8 AS signals FROM trust_state WHERE organisation_id = $1 AND environment = $2 AND agent_id > $3
    ORDER BY organisation_id, environment, agent_id LIMIT ${AGENTS}`;
const FOLDS = `SELECT fold.agent_id, fold.first_n::float8 AS first_n, fold.last_n::float8 AS last_n, fold.signals, leaf.proof_id IS NOT NULL OR waiting.source_id IS NOT NULL AS is_logged
    FROM trust_fold AS fold
    LEFT JOIN LATERAL ${leafOf('$1', '$2', 'fold.proof_id')} AS leaf ON true
    LEFT JOIN log_inbox AS waiting ON leaf.proof_id IS NULL AND waiting.organisation_id = $1 AND waiting.environment = $2 AND waiting.source_id = fold.proof_id
    WHERE fold.organisation_id = $1 AND fold.environment = $2 AND fold.agent_id = ANY ($3::text[]) ORDER BY fold.agent_id, fold.last_n`;
const BUCKETS = `SELECT agent_id, day, key_id, positive::float8 AS positive, negative::float8 AS negative FROM trust_bucket
    WHERE organisation_id = $1 AND environment = $2 AND agent_id = ANY ($3::text[]) AND day > $4`;

interface FoldRow {
  agent_id: string;
  first_n: number;
  last_n: number;
  signals: string;
  is_logged: boolean;
}
interface BucketRow {
  agent_id: string;
  day: number;
  key_id: string;
  positive: number;
  negative: number;
}
interface Signal {
  readonly day: string;
  readonly key: string;
  readonly type: SignalType;
  readonly weight: number;
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
  do {
    const page = await db.transaction(async (sql) => {
      await sql.query(ONE_MOMENT, []);
      await forbidScans(sql);
      const states = await sql.query<{ agent_id: string; signals: number }>(STATES, [...owner, turn.agentId]);
      return { states, wrong: await compareAgents(sql, owner, states, dayOf(nowMs) - MAX_AGE_DAYS) };
    });
    const ids = page.states.map((row) => row.agent_id);
    turn.compared.push(...ids);
    for (const [id, what] of page.wrong) turn.findings.set(id, findingOf(id, what));
    turn.agentId = ids.length < AGENTS ? '' : (ids.at(-1) ?? '');
    // At the end of a cycle the next run begins with the first agent.
  } while (turn.agentId !== '' && isTimeLeft());
  return turn;
}

function findingOf(agentId: string, what: string): Finding {
  const sentence = `The trust of the agent ${quoted(agentId)}: ${what}`;
  return { kind: 'trust-altered', leafIndex: null, proofId: null, sentence };
}

/** The differences of these agents, by id. @param sinceDay evidence of older days is not maintained */
async function compareAgents(
  sql: Sql,
  owner: OwnerColumns,
  states: readonly { agent_id: string; signals: number }[],
  sinceDay: number,
): Promise<Map<string, string>> {
  const ids = states.map((row) => row.agent_id);
  if (ids.length === 0) return new Map();
  const folds = byAgent(await sql.query<FoldRow>(FOLDS, [...owner, ids]));
  const buckets = byAgent(await sql.query<BucketRow>(BUCKETS, [...owner, ids, sinceDay]));
  const wrong = new Map<string, string>();
  for (const { agent_id: id, signals } of states) {
    const what = differenceOf(signals, folds.get(id) ?? [], buckets.get(id) ?? [], sinceDay);
    if (what !== undefined) wrong.set(id, what);
  }
  return wrong;
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

function differenceOf(
  signals: number,
  folds: readonly FoldRow[],
  buckets: readonly BucketRow[],
  sinceDay: number,
): string | undefined {
  let n = 0;
  const sums = new Map<string, { positive: number; negative: number }>();
  for (const fold of folds) {
    if (!fold.is_logged) return `the fold up to signal ${fold.last_n} is not in the log.`;
    const list = signalsOf(fold.signals);
    if (list === undefined || fold.first_n !== n + 1 || list.length !== fold.last_n - n)
      return `the signals from ${n + 1} on are not there, once each.`;
    n = fold.last_n;
    for (const signal of list) {
      const day = dayOf(Date.parse(signal.day));
      if (day <= sinceDay) continue;
      const { positive, negative } = evidenceOf(signal.type, Math.round(signal.weight * 1_000));
      const sum = sums.get(`${day} ${signal.key}`) ?? { positive: 0, negative: 0 };
      sums.set(`${day} ${signal.key}`, { positive: sum.positive + positive, negative: sum.negative + negative });
    }
  }
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

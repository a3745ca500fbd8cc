// The agent directory: one cached entry per agent, loaded in batches, invalidated by the change feed.
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { ChangeFeed } from '../../platform/db/changes.ts';
import type { Database, Sql, Statement } from '../../platform/db/database.ts';
import { flatText } from '../../kernel/flat-text.ts';
import { lowestId } from '../../kernel/ids.ts';
import type { Facts } from '../../core/policy/types.ts';
import { canonicalize } from '../../core/proof/canonical.ts';
import { NOTHING_RECORDED, type RecordedTrust } from '../../core/trust/recorded.ts';
import type { AgentStatus, Verdict } from '../../kernel/vocabulary.ts';
import type { Owner } from '../../kernel/owner.ts';
import {
  BY_INDEX,
  FACTS,
  factsOf,
  type FactsRow,
  HISTORY,
  type HistoryRow,
  OTHERS,
  type OthersRow,
  STATUSES,
  type StatusRow,
} from './agent-rows.ts';
import { createHistory, DAY, type History, HOUR } from './history.ts';
import { createHistoryCounter } from './history-counter.ts';
import { AGENT_KEYS, type AgentKey, loadTrust } from '../trust/state.ts';

export interface AgentState {
  readonly facts: Facts['agent'];
  /** JCS of `facts`, computed once. */
  readonly canonical: string;
  readonly history: History;
  /** The trust from its signals, also of unregistered agents. */
  readonly trust: RecordedTrust;
}

export interface AgentDirectory {
  /** Synchronous when cached. @throws {ApiError} E6002 */
  get(key: AgentKey): AgentState | Promise<AgentState>;
  /** The statuses of the registered ones of these agents; not cached. @throws {ApiError} E6002 */
  statuses(owner: Owner, agentIds: readonly string[]): Promise<ReadonlyMap<string, AgentStatus>>;
  /** Counts a decision that this process recorded. */
  count(key: AgentKey, atMs: number, verdict: Verdict): void;
  /** Stops looking for decisions of other processes and counting them. Resolves when no statement of either runs. */
  close(): Promise<void>;
}

export interface AgentDirectoryDeps {
  readonly db: Database;
  readonly changes: ChangeFeed;
  /** Identifies this process in the decisions it writes. */
  readonly processId: string;
  readonly nowMs: () => number;
  readonly onError: (error: unknown) => void;
  /** Positive evidence that counts per key and day, in thousandths (CUSTOS_TRUST_DAILY_CAP). */
  readonly trustDailyCap: number;
}

/** Agents kept in memory; an entry is 2 kB, and up to 25 for one that is never idle. */
const MAX_AGENTS = 10_000;
/**
 * Polls (seconds), once to twice as many, after which an entry is loaded again: what this process was not told, because the
 * change feed's triggers are off or a decision came late, counts from then on.
 */
const KNOWN_FOR_POLLS = 120;
const SPREAD = 64;
/** Each may have made thousands of decisions that are not counted yet; the statement must not take a second. */
const LOAD_BATCH = 16;
const OTHERS_POLL_MS = 1_000;
/** Longer than the timeout of a statement, so that a row that commits late is still counted. */
const OTHERS_WINDOW_MS = 3_000;
/** After so long without a successful poll histories are loaded again. */
const OTHERS_MAX_GAP_MS = 30_000;
/** Polls after which decisions are counted by minute. */
const COUNT_POLLS = 30;

interface Loading {
  readonly key: AgentKey;
  readonly promise: Promise<AgentState>;
  readonly resolve: (state: AgentState) => void;
  readonly reject: (error: unknown) => void;
  /** The agent changed during the load: the result may be older than the change. */
  outdated: boolean;
  /** The query was sent: decisions recorded from now on may be missing in its result. */
  asked: boolean;
  /** Decisions recorded since the query was sent. */
  readonly decided: { readonly atMs: number; readonly verdict: Verdict }[];
}

function cacheKey(organisationId: string, environment: string, agentId: string): string {
  // No part but the last can contain a line feed.
  return `${organisationId}\n${environment}\n${agentId}`;
}

/** A cached agent: its state, and the decisions of other processes that its history has counted. */
interface Entry {
  readonly state: AgentState;
  /** The poll at which it is loaded again. */
  readonly untilPoll: number;
  /** Signals were folded since: only the trust is loaded again. */
  trustOutdated: boolean;
  /** By second and verdict; only the seconds that the poll reads again. */
  readonly others: Map<string, number>;
  /** The first second of `others`: decisions before it were loaded. */
  readonly othersFrom: number;
}

function othersKey(second: string, verdict: Verdict): string {
  return `${second} ${verdict}`;
}

function historyOf(rows: readonly HistoryRow[]): Pick<Entry, 'others'> & { readonly history: History } {
  const history = createHistory();
  const others = new Map<string, number>();
  for (const { verdict, other, second, count } of rows) {
    history.add(Number(second) * 1_000, verdict, count);
    if (other) others.set(othersKey(second, verdict), count);
  }
  return { history, others };
}

/** The statuses of these agents, without unregistered ones. @throws {ApiError} E6002 */
export async function readStatuses(
  sql: Sql,
  { organisationId, environment }: Owner,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, AgentStatus>> {
  const rows = await sql.query<StatusRow>(STATUSES, [organisationId, environment, [...new Set(agentIds)]]);
  const agents = rows.map((row) => factsOf(sql.seals, row.asked, row));
  return new Map(agents.flatMap(({ id, status }) => (status === 'UNREGISTERED' ? [] : [[id, status] as const])));
}

export function createAgentDirectory(deps: AgentDirectoryDeps): AgentDirectory {
  const { db, changes, processId, nowMs, trustDailyCap } = deps;
  const cache = new BoundedCache<Entry>({ max: MAX_AGENTS });
  const loading = new Map<string, Loading>();
  let queue: Loading[] = [];
  // Agents that were loaded together, after a start, must not all expire together.
  let loaded = 0;
  let polls = 0;
  const untilPoll = (): number => polls + KNOWN_FOR_POLLS + ((loaded++ % SPREAD) * KNOWN_FOR_POLLS) / SPREAD;
  let flushing = false;

  const peek = (id: string): Entry | undefined => {
    const entry = cache.peek(id);
    return entry !== undefined && entry.untilPoll > polls ? entry : undefined;
  };
  const idOf = (key: AgentKey): string => cacheKey(key.organisationId, key.environment, key.agentId);

  /** The rows of each agent. */
  const rowsOf = async <Row extends { readonly ordinal: number }>(
    batch: readonly Loading[],
    statement: Statement,
    more: readonly unknown[],
  ): Promise<ReadonlyMap<Loading, readonly Row[]>> => {
    const found = new Map(batch.map((l) => [l, [] as Row[]]));
    if (batch.length === 0) return found;
    const rows = await db.query<Row>(statement, [...AGENT_KEYS.values(batch.map((l) => l.key)), ...more]);
    const lists = [...found.values()];
    for (const row of rows) lists[row.ordinal - 1]?.push(row);
    return found;
  };

  const load = async (batch: readonly Loading[]): Promise<void> => {
    const now = nowMs();
    for (const l of batch) l.asked = true;
    const known = batch.map((l) => peek(idOf(l.key)));
    const unknown = batch.filter((_, i) => known[i] === undefined);
    // A whole second and a whole bucket of the day, so that the parts of the query don't overlap.
    const recentMs = Math.floor((now - 2 * OTHERS_WINDOW_MS) / 1_000) * 1_000;
    const dayAgoMs = now - DAY.lengthMs;
    const hourAgoMs = Math.floor((now - HOUR.lengthMs) / DAY.bucketMs) * DAY.bucketMs;
    const [histories, facts, trusts] = await Promise.all([
      rowsOf<HistoryRow>(unknown, HISTORY, [
        ...[dayAgoMs, recentMs].map((ms) => lowestId('dec', ms)),
        ...[recentMs, dayAgoMs, hourAgoMs].map((ms) => new Date(ms)),
        processId,
      ]),
      rowsOf<FactsRow>(unknown, FACTS, []),
      loadTrust(
        db,
        batch.map((l) => l.key),
        now,
        trustDailyCap,
      ),
    ]);
    batch.forEach((l, i) => {
      const trust = trusts[i] ?? NOTHING_RECORDED;
      const earlier = known[i];
      let entry: Entry;
      if (earlier === undefined) {
        const { history, others } = historyOf(histories.get(l) ?? []);
        // A decision that was committed just before the query counts twice: overcounting is the safe error.
        for (const { atMs, verdict } of l.decided) history.add(atMs, verdict, 1);
        const agent = factsOf(db.seals, l.key.agentId, facts.get(l)?.[0]);
        const state = { facts: agent, canonical: flatText(canonicalize(agent)), history, trust };
        entry = { state, untilPoll: untilPoll(), trustOutdated: false, others, othersFrom: recentMs / 1_000 };
      } else {
        // Newer trust makes nothing else of the entry newer: it ends when it would have ended.
        entry = { ...earlier, state: { ...earlier.state, trust }, trustOutdated: false };
      }
      if (!l.outdated) cache.set(idOf(l.key), entry);
      l.resolve(entry.state);
    });
  };

  const flush = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.slice(0, LOAD_BATCH);
      queue = queue.slice(LOAD_BATCH);
      try {
        await load(batch);
      } catch (error) {
        for (const l of batch) l.reject(error);
      }
      for (const l of batch) {
        const id = idOf(l.key);
        if (loading.get(id) === l) loading.delete(id);
      }
    }
    flushing = false;
  };

  const enqueue = (id: string, key: AgentKey): Promise<AgentState> => {
    let settle: Pick<Loading, 'resolve' | 'reject'> | undefined;
    const promise = new Promise<AgentState>((resolve, reject) => (settle = { resolve, reject }));
    // The executor of a promise runs synchronously: settle is set.
    const entry: Loading = {
      key,
      promise,
      ...(settle as unknown as Pick<Loading, 'resolve' | 'reject'>),
      outdated: false,
      asked: false,
      decided: [],
    };
    loading.set(id, entry);
    queue.push(entry);
    if (!flushing) {
      flushing = true;
      setImmediate(() => void flush());
    }
    return promise;
  };

  /** Waiting callers get the load in flight; new ones start another. */
  const outdate = (id: string): void => {
    const entry = loading.get(id);
    if (entry === undefined) return;
    entry.outdated = true;
    loading.delete(id);
  };

  changes.subscribe((change) => {
    if (change === 'reset') {
      cache.clear();
      for (const id of [...loading.keys()]) outdate(id);
      return;
    }
    if (change.kind !== 'agent' && change.kind !== 'trust') return;
    const [organisationId = '', environment = '', ...agentIds] = change.subject;
    for (const agentId of agentIds) {
      const id = cacheKey(organisationId, environment, agentId);
      const cached = cache.peek(id);
      if (change.kind === 'agent') cache.delete(id);
      else if (cached !== undefined) cached.trustOutdated = true;
      outdate(id);
    }
  });

  // Decisions of other processes. The counts by second and verdict that an agent's history already contains are
  // remembered, and only the difference is added.
  let othersReadMs: number | undefined;
  const readOthers = async (): Promise<void> => {
    const now = nowMs();
    const gapMs = now - (othersReadMs ?? now);
    // Also a time that has come back: what was loaded before belongs to another time.
    if (Math.abs(gapMs) > OTHERS_MAX_GAP_MS) {
      cache.clear();
      for (const id of [...loading.keys()]) outdate(id);
    }
    if (cache.size === 0) {
      othersReadMs = now;
      return;
    }
    const fromMs = now - Math.max(0, gapMs) - OTHERS_WINDOW_MS;
    const rows = await db.transaction(async (sql) => {
      await sql.query(BY_INDEX, []);
      return sql.query<OthersRow>(OTHERS, [new Date(fromMs), processId]);
    });
    othersReadMs = now;
    for (const row of rows) {
      const entry = cache.peek(cacheKey(row.organisation_id, row.environment, row.agent_id));
      if (entry === undefined || Number(row.second) < entry.othersFrom) continue;
      const { others } = entry;
      for (const seen of others.keys()) {
        if (Number(seen.slice(0, seen.indexOf(' '))) * 1_000 < fromMs - OTHERS_WINDOW_MS) others.delete(seen);
      }
      const seen = othersKey(row.second, row.verdict);
      const known = others.get(seen) ?? 0;
      if (row.count <= known) continue;
      others.set(seen, row.count);
      entry.state.history.add(Number(row.second) * 1_000, row.verdict, row.count - known);
    }
  };
  const counter = createHistoryCounter(db);
  let reading: Promise<void> | undefined;
  const timer = setInterval(() => {
    if (polls % COUNT_POLLS === 0) void counter.count().catch(deps.onError);
    polls += 1;
    // While the database is slow, one look at a time.
    reading ??= readOthers()
      .catch(deps.onError)
      .finally(() => (reading = undefined));
  }, OTHERS_POLL_MS);
  timer.unref();

  return {
    get(key) {
      const id = idOf(key);
      const entry = cache.get(id);
      if (entry?.trustOutdated === false && entry.untilPoll > polls) return entry.state;
      return loading.get(id)?.promise ?? enqueue(id, key);
    },
    statuses: (owner, agentIds) => readStatuses(db, owner, agentIds),
    count(key, atMs, verdict) {
      const id = idOf(key);
      const entry = peek(id);
      if (entry !== undefined) return entry.state.history.add(atMs, verdict, 1);
      const load = loading.get(id);
      if (load?.asked === true) load.decided.push({ atMs, verdict });
    },
    async close() {
      clearInterval(timer);
      await Promise.all([reading, counter.close()]);
    },
  };
}

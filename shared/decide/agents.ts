// What is known of an agent when it asks: one cached entry an agent, loaded in batches, kept true by the change feed.
import { LRUCache } from 'lru-cache';
import type { ChangeFeed } from '../db/changes.ts';
import type { Database, Statement } from '../db/database.ts';
import type { Facts } from '../policy/types.ts';
import { canonicalize } from '../proof/canonical.ts';
import type { AgentStatus, Environment, Verdict } from '../vocabulary.ts';
import { createHistory, HISTORY_MAX, type History } from './history.ts';

export interface AgentKey {
  readonly organisationId: string;
  readonly environment: Environment;
  readonly agentId: string;
}

export interface AgentState {
  readonly facts: Facts['agent'];
  /** JCS of `facts`, prepared once. */
  readonly canonical: string;
  readonly history: History;
}

export interface AgentDirectory {
  /** At once when cached. @throws {ApiError} E6002 */
  get(key: AgentKey): AgentState | Promise<AgentState>;
  /** Counts a decision that this process has just recorded. */
  count(key: AgentKey, atMs: number, verdict: Verdict): void;
  close(): void;
}

export interface AgentDirectoryDeps {
  readonly db: Database;
  readonly changes: ChangeFeed;
  /** Names this process in the decisions it writes. */
  readonly processId: string;
  readonly nowMs: () => number;
  readonly onError: (error: unknown) => void;
  /** Most agents kept in memory; an entry is about 2 kB. */
  readonly maxAgents?: number;
}

const MAX_AGENTS = 10_000;
const LOAD_BATCH = 200;
const OTHERS_POLL_MS = 1_000;
/** Longer than a statement may take, so that a row that commits late is still seen. */
const OTHERS_WINDOW_MS = 3_000;

const LOAD: Statement = {
  name: 'agents-load',
  text: `SELECT asked.ordinal::int AS ordinal, agent.status, agent.capabilities, agent.tags, history.verdict, history.second::text AS second, history.count::int AS count
    FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS asked (organisation_id, environment, agent_id, ordinal)
    LEFT JOIN agent USING (organisation_id, environment, agent_id)
    LEFT JOIN LATERAL (
      SELECT verdict, floor(extract(epoch FROM evaluated_at))::bigint AS second, count(*) AS count FROM (
        SELECT verdict, evaluated_at FROM decision
        WHERE decision.organisation_id = asked.organisation_id AND decision.environment = asked.environment AND decision.agent_id = asked.agent_id
          AND evaluated_at > $4
        ORDER BY decision_id DESC LIMIT ${HISTORY_MAX}
      ) AS newest GROUP BY 1, 2
    ) AS history ON true`,
};

const OTHERS: Statement = {
  name: 'history-others',
  text: `SELECT organisation_id, environment, agent_id, verdict, floor(extract(epoch FROM evaluated_at))::bigint::text AS second, count(*)::int AS count
    FROM decision WHERE evaluated_at > $1 AND process_id <> $2 GROUP BY 1, 2, 3, 4, 5`,
};

interface LoadRow {
  ordinal: number;
  status: AgentStatus | null;
  capabilities: string[] | null;
  tags: string[] | null;
  verdict: Verdict | null;
  second: string | null;
  count: number | null;
}

interface OthersRow {
  organisation_id: string;
  environment: string;
  agent_id: string;
  verdict: Verdict;
  second: string;
  count: number;
}

interface Loading {
  readonly key: AgentKey;
  readonly promise: Promise<AgentState>;
  readonly resolve: (state: AgentState) => void;
  readonly reject: (error: unknown) => void;
  /** Set when the agent changed while it was being loaded: the answer may be older than the change. */
  outdated: boolean;
}

function cacheKey(organisationId: string, environment: string, agentId: string): string {
  // No part but the last can contain a line feed.
  return `${organisationId}\n${environment}\n${agentId}`;
}

function stateOf(agentId: string, rows: readonly LoadRow[]): AgentState {
  const [row] = rows;
  const status = row?.status ?? null;
  const facts: Facts['agent'] = {
    id: agentId,
    registered: status !== null,
    status: status ?? 'UNREGISTERED',
    capabilities: row?.capabilities ?? [],
    tags: row?.tags ?? [],
  };
  const history = createHistory();
  for (const { verdict, second, count } of rows) {
    if (verdict !== null && second !== null && count !== null) history.add(Number(second) * 1_000, verdict, count);
  }
  return { facts, canonical: canonicalize(facts), history };
}

export function createAgentDirectory(deps: AgentDirectoryDeps): AgentDirectory {
  const { db, changes, processId, nowMs } = deps;
  const cache = new LRUCache<string, AgentState>({ max: deps.maxAgents ?? MAX_AGENTS });
  const loading = new Map<string, Loading>();
  let queue: Loading[] = [];
  let flushing = false;

  const load = async (batch: readonly Loading[]): Promise<void> => {
    const rows = await db.query<LoadRow>(LOAD, [
      batch.map((l) => l.key.organisationId),
      batch.map((l) => l.key.environment),
      batch.map((l) => l.key.agentId),
      new Date(nowMs() - 86_400_000),
    ]);
    const rowsOf: LoadRow[][] = batch.map(() => []);
    for (const row of rows) rowsOf[row.ordinal - 1]?.push(row);
    batch.forEach((l, i) => {
      const state = stateOf(l.key.agentId, rowsOf[i] ?? []);
      const { organisationId, environment, agentId } = l.key;
      if (!l.outdated) cache.set(cacheKey(organisationId, environment, agentId), state);
      l.resolve(state);
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
        const id = cacheKey(l.key.organisationId, l.key.environment, l.key.agentId);
        if (loading.get(id) === l) loading.delete(id);
      }
    }
    flushing = false;
  };

  const enqueue = (id: string, key: AgentKey): Promise<AgentState> => {
    let settle: Pick<Loading, 'resolve' | 'reject'> | undefined;
    const promise = new Promise<AgentState>((resolve, reject) => (settle = { resolve, reject }));
    // The executor has run: settle is set.
    const entry: Loading = {
      key,
      promise,
      ...(settle as unknown as Pick<Loading, 'resolve' | 'reject'>),
      outdated: false,
    };
    loading.set(id, entry);
    queue.push(entry);
    if (!flushing) {
      flushing = true;
      setImmediate(() => void flush());
    }
    return promise;
  };

  changes.subscribe((change) => {
    if (change === 'reset') {
      cache.clear();
      for (const entry of loading.values()) entry.outdated = true;
    } else if (change.kind === 'agent') {
      const id = cacheKey(change.subject[0] ?? '', change.subject[1] ?? '', change.subject[2] ?? '');
      cache.delete(id);
      const entry = loading.get(id);
      if (entry !== undefined) {
        entry.outdated = true;
        loading.delete(id);
      }
    }
  });

  // Decisions of other processes: what was counted already is remembered per agent and second, only more is added.
  const counted = new Map<string, number>();
  const readOthers = async (): Promise<void> => {
    if (cache.size === 0) return;
    const now = nowMs();
    const rows = await db.query<OthersRow>(OTHERS, [new Date(now - OTHERS_WINDOW_MS), processId]);
    for (const row of rows) {
      const id = cacheKey(row.organisation_id, row.environment, row.agent_id);
      const seen = `${row.second}\n${row.verdict}\n${id}`;
      const known = counted.get(seen) ?? 0;
      if (row.count <= known) continue;
      counted.set(seen, row.count);
      cache.peek(id)?.history.add(Number(row.second) * 1_000, row.verdict, row.count - known);
    }
    const oldest = Math.floor((now - 2 * OTHERS_WINDOW_MS) / 1_000);
    for (const seen of counted.keys()) {
      if (Number(seen.slice(0, seen.indexOf('\n'))) < oldest) counted.delete(seen);
    }
  };
  const timer = setInterval(() => void readOthers().catch(deps.onError), OTHERS_POLL_MS);
  timer.unref();

  return {
    get(key) {
      const id = cacheKey(key.organisationId, key.environment, key.agentId);
      return cache.get(id) ?? loading.get(id)?.promise ?? enqueue(id, key);
    },
    count(key, atMs, verdict) {
      cache.peek(cacheKey(key.organisationId, key.environment, key.agentId))?.history.add(atMs, verdict, 1);
    },
    close: () => clearInterval(timer),
  };
}

// The audit of accepted signals: each must be in a fold of its agent or wait for one. They are counted, because signals are never deleted.
import type { Finding } from '../../core/proof/audit-findings.ts';
import { quoted } from '../../core/proof/encoding.ts';
import type { OwnerColumns } from '../../kernel/owner.ts';
import type { Database, Statement } from '../../platform/db/database.ts';
import { forbidScans } from './audit-rows.ts';
import { ONE_MOMENT } from './authority-rows.ts';

/** Agents in one transaction. Each is counted in an index alone: ten million signals take a second. */
const AGENTS = 20;
/** While more signals than this wait, those that wait are not counted by agent. */
const MOST_WAITING = 20_000;

/** By the index of migration 0057. */
const OWN = "trust_signal.organisation_id || ' ' || trust_signal.environment = $1 || ' ' || $2";
/** @param agents a table or set of rows, as `agent` */
const counted = (agents: string): string => `SELECT agent.agent_id, coalesce(state.signals, 0)::float8 AS folded, (
      SELECT count(*) FROM trust_signal WHERE ${OWN} AND trust_signal.agent_id = agent.agent_id
    )::float8 AS accepted
    FROM ${agents} LEFT JOIN trust_state AS state ON state.organisation_id = $1 AND state.environment = $2 AND state.agent_id = agent.agent_id
    ORDER BY agent.agent_id`;
const nextAgent = (after: string): string => `SELECT agent_id FROM trust_signal
      WHERE ${OWN} AND trust_signal.agent_id > ${after} ORDER BY trust_signal.organisation_id || ' ' || trust_signal.environment, trust_signal.agent_id LIMIT 1`;
// Skips from agent to agent. Not those of trust_state: an agent whose first signal is lost has no state.
const NEXT = `WITH RECURSIVE agent AS (
      SELECT first.agent_id, 1 AS n FROM (${nextAgent('$3')}) AS first
      UNION ALL
      SELECT next.agent_id, agent.n + 1 FROM agent CROSS JOIN LATERAL (${nextAgent('agent.agent_id')}) AS next WHERE agent.n < ${AGENTS}
    ) ${counted('agent')}`;
const AGAIN = counted('unnest($3::text[]) AS agent (agent_id)');
// Inbox rows of unknown signals have no agent.
const WAITING = `SELECT known.agent_id, count(*)::float8 AS waiting, sum(count(*)) OVER ()::float8 AS all_waiting
    FROM (SELECT * FROM trust_inbox ORDER BY seq LIMIT ${MOST_WAITING + 1}) AS waiting
    LEFT JOIN LATERAL (
      SELECT agent_id FROM trust_signal AS signal
      WHERE waiting.organisation_id = $1 AND waiting.environment = $2
        AND signal.organisation_id = $1 AND signal.environment = $2 AND signal.signal_id = waiting.signal_id OFFSET 0
    ) AS known ON true GROUP BY known.agent_id`;

interface CountedRow {
  readonly agent_id: string;
  readonly accepted: number;
  readonly folded: number;
}

export interface SignalsAudited {
  /** The last agent of this turn; '' at the end of a cycle. */
  readonly agentId: string;
  /** The counted agents by id; undefined: no finding. */
  readonly counted: ReadonlyMap<string, Finding | undefined>;
  /** Agents with accepted signals that count nowhere. */
  readonly lost: readonly string[];
}

/** Counts the signals of at least one page of agents. @param options.again agents with a finding so far */
export async function auditSignals(
  db: Database,
  owner: OwnerColumns,
  options: { readonly after: string; readonly again: readonly string[]; readonly isTimeLeft: () => boolean },
): Promise<SignalsAudited> {
  const found = new Map<string, Finding | undefined>();
  const lost: string[] = [];
  /** @returns the counted agents */
  const count = (statement: Statement, given: string | readonly string[]): Promise<CountedRow[]> =>
    db.transaction(async (sql) => {
      await sql.query(ONE_MOMENT, []);
      await forbidScans(sql);
      const rows = await sql.query<CountedRow>(statement, [...owner, given]);
      const isSettled = rows.every(({ accepted, folded }) => accepted === folded);
      const waiting = isSettled
        ? []
        : await sql.query<{ agent_id: string | null; waiting: number; all_waiting: number }>(WAITING, owner);
      // With a long inbox it is unknown which agents lack something.
      if ((waiting[0]?.all_waiting ?? 0) > MOST_WAITING) return rows;
      const waitingOf = new Map(waiting.map((row) => [row.agent_id, row.waiting]));
      for (const { agent_id: id, accepted, folded } of rows) {
        const missing = accepted - folded - (waitingOf.get(id) ?? 0);
        found.set(id, missing === 0 ? undefined : findingOf(id, missing));
        if (missing > 0) lost.push(id);
      }
      return rows;
    });
  if (options.again.length > 0) await count(AGAIN, options.again);
  let agentId = options.after;
  do {
    const rows = await count(NEXT, agentId);
    agentId = rows.length < AGENTS ? '' : (rows.at(-1)?.agent_id ?? '');
  } while (agentId !== '' && options.isTimeLeft());
  return { agentId, counted: found, lost };
}

function findingOf(agentId: string, missing: number): Finding {
  const what =
    missing > 0
      ? `${missing} of its accepted signals are in no fold and do not wait for one.`
      : `${-missing} more signals were folded, or wait, than were accepted.`;
  const sentence = `The trust of the agent ${quoted(agentId)}: ${what}`;
  return { kind: missing > 0 ? 'signal-lost' : 'trust-altered', leafIndex: null, proofId: null, sentence };
}

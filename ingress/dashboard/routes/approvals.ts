// The live topic of approvals: which of them are pending now.
import type { EntitySql } from '../../../shared/platform/db/database.ts';
import type { AuthenticatedKey } from '../../../shared/domain/keys/types.ts';
import type { WaitingApprovals } from '../client/wire/approvals.ts';
import type { Topic } from '../events.ts';
import { memoize } from '../overview/memo.ts';

/** As many as a page compares with its list; beyond that, the total is enough. */
const MAX_SHOWN = 200;
/** Counting stops here. */
const MAX_COUNT = 10_000;
const FRESH_MS = 1_000;

const WAITING = `SELECT approval_id, agent_id FROM approval WHERE organisation_id = $1 AND environment = $2 AND state = 'pending' AND expires_at > $3
    AND ($4::text[] IS NULL OR agent_id = ANY ($4)) ORDER BY approval_id DESC LIMIT ${MAX_COUNT}`;

export interface ApprovalTopicDeps {
  readonly db: EntitySql;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
}

export function approvalTopic({ db, nowMs, monotonicMs }: ApprovalTopicDeps): Topic {
  const load = memoize({
    // A bound key sees only the approvals of its agents.
    keyOf: (key: AuthenticatedKey) =>
      `${key.organisationId} ${key.environment} ${key.agentIds === null ? '' : key.keyId}`,
    ttlMs: FRESH_MS,
    monotonicMs,
    load: async ({ organisationId, environment, agentIds }): Promise<WaitingApprovals> => {
      const at = new Date(nowMs());
      const values = [organisationId, environment, at, agentIds === null ? null : [...agentIds]];
      const rows = await db.query<{ approval_id: string; agent_id: string }>(WAITING, values);
      const newest = rows.slice(0, MAX_SHOWN).map((row) => ({ approvalId: row.approval_id, agentId: row.agent_id }));
      return { at: at.toISOString(), total: rows.length, newest };
    },
  });
  return { name: 'approvals', load };
}

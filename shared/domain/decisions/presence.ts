// Finds which recorded decisions still stand: gathers the inputs of the rule (stands.ts) for many decisions at once.
import type { Owner } from '../../kernel/owner.ts';
import type { ChangeFeed } from '../../platform/db/changes.ts';
import type { Sql } from '../../platform/db/database.ts';
import { ApiError } from '../../kernel/errors.ts';
import { validKeys } from '../keys/validity.ts';
import type { Verdict } from '../../kernel/vocabulary.ts';
import type { AgentDirectory } from '../agents/agents.ts';
import type { Halts } from './halts.ts';
import { type Lapse, type LapseNow, lapseOf, lapseSentence } from '../../core/decision/stands.ts';
import { notCarriedOut } from './outcomes.ts';
import { permits } from '../../kernel/vocabulary.ts';

/** The members of a recorded answer on which its standing depends. */
export interface AnswerMembers {
  readonly decision_id: string;
  readonly verdict: Verdict;
  readonly agent_id: string;
  readonly key_id: string;
  /** RFC 3339. */
  readonly expires_at: string;
}

export interface Presence {
  /** Why each decision does not stand; undefined: it stands. All belong to this owner. @throws {ApiError} E6002 */
  lapses(owner: Owner, decisions: readonly AnswerMembers[]): Promise<(Lapse | undefined)[]>;
}

export interface PresenceDeps {
  readonly db: Sql;
  readonly changes: Pick<ChangeFeed, 'ensureFresh'>;
  readonly halts: Halts;
  readonly agents: Pick<AgentDirectory, 'statuses'>;
  readonly nowMs: () => number;
}

export function createPresence({ db, changes, halts, agents, nowMs }: PresenceDeps): Presence {
  return {
    async lapses(owner, decisions) {
      const open = decisions.filter(({ verdict }) => permits(verdict));
      if (open.length === 0) return decisions.map(() => 'verdict');
      await changes.ensureFresh();
      const { organisationId, environment } = owner;
      const now = nowMs();
      const [halt, statuses, valid, undone] = await Promise.all([
        halts.get(organisationId, environment),
        agents.statuses(
          owner,
          open.map(({ agent_id: agentId }) => agentId),
        ),
        validKeys(
          db,
          owner,
          open.map(({ key_id: keyId }) => keyId),
          now,
        ),
        notCarriedOut(
          db,
          owner,
          open.map(({ decision_id: decisionId }) => decisionId),
        ),
      ]);
      return decisions.map(
        ({ decision_id: decisionId, verdict, agent_id: agentId, key_id: keyId, expires_at: expiresAt }) =>
          lapseOf(
            { verdict, expiresAtMs: Date.parse(expiresAt) },
            {
              nowMs: now,
              halted: halt !== undefined,
              agent: statuses.get(agentId) ?? 'UNREGISTERED',
              keyIsValid: valid.has(keyId),
              notCarriedOut: undone.has(decisionId),
            },
          ),
      );
    },
  };
}

/** The refusal of a repeat whose decision does not stand. */
export function lapsed(lapse: Lapse | LapseNow, decisionId: string): ApiError {
  return new ApiError('E5004', lapseSentence(lapse), { decisionId });
}

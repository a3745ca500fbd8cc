// The intent worker: evaluates what was submitted, with the same core as ingress, and records the decision exactly once.
import type { ActivePolicySet } from '../shared/decide/active-set.ts';
import type { Answer, Decider, Principal, Question } from '../shared/decide/decider.ts';
import type { ClaimedIntent, IntentStore } from '../shared/decide/intent-store.ts';
import type { Readings } from '../shared/decide/readings.ts';
import type { DecisionStore } from '../shared/decide/store.ts';
import type { Database } from '../shared/db/database.ts';
import type { JobPayload } from '../shared/jobs.ts';
import type { Handlers } from '../shared/queues.ts';

type EvaluatePayload = JobPayload<'intents', 'evaluate'>;

export interface IntentWorkerDeps {
  readonly db: Database;
  readonly policies: ActivePolicySet;
  readonly readings: Readings;
  readonly decider: Decider;
  readonly intents: IntentStore;
  readonly decisions: DecisionStore;
  readonly nowMs: () => number;
}

/** Ends a transaction whose work another worker has done meanwhile. */
class AlreadyFinal extends Error {}

function principalOf(payload: EvaluatePayload, claimed: ClaimedIntent): Principal {
  return {
    keyId: claimed.key_id,
    organisationId: payload.organisationId,
    organisationSlug: claimed.organisation_slug,
    environment: payload.environment,
    agentIds: claimed.key_agent_ids === null ? null : new Set(claimed.key_agent_ids),
  };
}

export interface IntentWorker {
  readonly handlers: Handlers<'intents'>;
  /** Ends an intent whose evaluation was given up: `failed`, with a recorded DENY, reason EVALUATION_FAILED. */
  giveUp(payload: EvaluatePayload): Promise<void>;
}

export function createIntentWorker(deps: IntentWorkerDeps): IntentWorker {
  const { db, policies, readings, decider, intents, decisions, nowMs } = deps;

  const claim = async (payload: EvaluatePayload): Promise<Question | undefined> => {
    const { organisationId, environment, intentId } = payload;
    const claimed = await intents.claim(organisationId, environment, intentId, nowMs());
    if (claimed === undefined) return undefined;
    const active = policies.current();
    return {
      active,
      key: principalOf(payload, claimed),
      agentId: claimed.agent_id,
      reading: readings.ofAction(active.set, claimed.action, claimed.resource),
      // The caller's object, stored as it came.
      context: claimed.context === null ? undefined : (JSON.parse(claimed.context) as Record<string, unknown>),
    };
  };

  const finish = async (
    payload: EvaluatePayload,
    question: Question,
    answer: Answer,
    status: 'decided' | 'failed',
  ): Promise<void> => {
    const { organisationId, environment, intentId } = payload;
    const { row } = decider.record(question, answer);
    try {
      await db.transaction(async (sql) => {
        const mine = await intents.finish(sql, organisationId, environment, intentId, {
          status,
          decisionId: row.decisionId,
          nowMs: nowMs(),
        });
        if (!mine) throw new AlreadyFinal();
        await decisions.insert(sql, [row]);
      });
    } catch (error) {
      if (error instanceof AlreadyFinal) return;
      throw error;
    }
    decider.recorded(question, answer);
  };

  return {
    handlers: {
      evaluate: async (payload) => {
        const question = await claim(payload);
        if (question === undefined) return;
        await finish(payload, question, await decider.answer(question), 'decided');
      },
    },
    async giveUp(payload) {
      const question = await claim(payload);
      if (question === undefined) return;
      await finish(payload, question, await decider.giveUp(question), 'failed');
    },
  };
}

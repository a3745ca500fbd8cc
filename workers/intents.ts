// The intent worker: evaluates what was submitted, with the same core as ingress, and records the decision exactly once.
import type { ActivePolicySet } from '../shared/decide/active-set.ts';
import type { Answer, Decider, Principal, Question } from '../shared/decide/decider.ts';
import type { ApprovalOpener } from '../shared/decide/approval-open.ts';
import type { ClaimedIntent, IntentStore } from '../shared/decide/intent-store.ts';
import type { Readings } from '../shared/decide/readings.ts';
import { createRecorder } from '../shared/decide/recorder.ts';
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
  readonly opener: ApprovalOpener;
  /** CUSTOS_APPROVAL_TTL. */
  readonly approvalTtlMs: number;
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
  const recorder = createRecorder(deps);

  const claim = async (payload: EvaluatePayload): Promise<Question | undefined> => {
    const { organisationId, environment, intentId } = payload;
    const claimed = await intents.claim(organisationId, environment, intentId, nowMs());
    if (claimed === undefined) return undefined;
    const active = policies.current();
    return {
      active,
      key: principalOf(payload, claimed),
      agentId: claimed.agent_id,
      reading: readings.ofAction(
        { set: active.set, organisation: claimed.organisation_slug },
        claimed.action,
        claimed.resource,
      ),
      intentId,
      approvalId: claimed.approval_id ?? undefined,
      traceparent: payload.traceparent,
      // The caller's object, stored as it came.
      context: claimed.context === null ? undefined : (JSON.parse(claimed.context) as Record<string, unknown>),
    };
  };

  /** Ends a transaction quietly when another worker has done its work. */
  const unlessFinal = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof AlreadyFinal)) throw error;
    }
  };

  /** Records the decision, and with it what becomes of the intent: decided, or waiting for the approval that it names. */
  const decide = ({ organisationId, environment, intentId }: EvaluatePayload, question: Question, answer: Answer) =>
    unlessFinal(() =>
      recorder.transaction([{ question, answer }], (write) =>
        db.transaction(async (sql) => {
          const [written] = await write(sql);
          if (written === undefined) throw new Error('a decision was not written');
          const { verdict, approval, decisionId } = written;
          const known = { claimedApprovalId: question.approvalId ?? null, nowMs: nowMs() };
          const mine =
            verdict === 'ESCALATE' && approval !== undefined
              ? await intents.wait(sql, organisationId, environment, intentId, { ...known, ...approval })
              : await intents.finish(sql, organisationId, environment, intentId, {
                  ...known,
                  status: 'decided',
                  decisionId,
                });
          if (!mine) throw new AlreadyFinal();
        }),
      ),
    );

  /** An evaluation that was given up is a DENY whatever a human has said: it leaves the approval as it is. */
  const fail = async (
    { organisationId, environment, intentId }: EvaluatePayload,
    question: Question,
    answer: Answer,
  ): Promise<void> => {
    const { row } = decider.record(question, answer);
    await db.transaction(async (sql) => {
      const mine = await intents.finish(sql, organisationId, environment, intentId, {
        status: 'failed',
        decisionId: row.decisionId,
        claimedApprovalId: question.approvalId ?? null,
        nowMs: nowMs(),
      });
      if (!mine) throw new AlreadyFinal();
      await decisions.insert(sql, [row]);
    });
    decider.recorded(question, answer);
  };

  return {
    handlers: {
      evaluate: async (payload) => {
        const question = await claim(payload);
        if (question !== undefined) await decide(payload, question, await decider.answer(question));
      },
    },
    async giveUp(payload) {
      const question = await claim(payload);
      if (question === undefined) return;
      const answer = await decider.giveUp(question);
      await unlessFinal(() => fail(payload, question, answer));
    },
  };
}

// The intent worker: evaluates what was submitted, with the same core as ingress, and records the decision exactly once.
import type { ActivePolicies, ActivePolicySet } from '../shared/domain/policy-sets/active-set.ts';
import type { Answer, Decider, Principal, Question } from '../shared/domain/decisions/decider.ts';
import type { ApprovalOpener } from '../shared/domain/decisions/approval-open.ts';
import type { ClaimedIntent, IntentStore } from '../shared/domain/decisions/intent-store.ts';
import type { RecentParses } from '../shared/domain/decisions/recent-parses.ts';
import type { IntentReading, IntentReadings } from '../shared/domain/decisions/readings.ts';
import { createRecorder, writtenOf } from '../shared/domain/decisions/recorder.ts';
import type { DecisionStore } from '../shared/domain/decisions/decision-store.ts';
import type { Database } from '../shared/platform/db/database.ts';
import { isPassing } from '../shared/platform/db/trouble.ts';
import type { JobPayload } from '../shared/kernel/jobs.ts';
import type { Handlers } from '../shared/platform/queues/queues.ts';

type EvaluatePayload = JobPayload<'intents', 'evaluate'>;

export interface IntentWorkerDeps {
  readonly db: Database;
  readonly policies: ActivePolicySet;
  readonly readings: IntentReadings;
  readonly recentParses: RecentParses;
  readonly decider: Decider;
  readonly intents: IntentStore;
  readonly decisions: DecisionStore;
  readonly opener: ApprovalOpener;
  /** CUSTOS_APPROVAL_TTL. */
  readonly approvalTtlMs: number;
  readonly nowMs: () => number;
}

/** Stands for an action and a resource that cannot be read any more, in the DENY that ends their intent. */
const UNREADABLE = { action: 'unknown', resource: 'unreadable' } as const;

/** The caller's object. @throws when what is stored is none */
function contextOf({ context }: ClaimedIntent): Record<string, unknown> | undefined {
  if (context === null) return undefined;
  const parsed: unknown = JSON.parse(context);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new Error('the stored context of an intent is no JSON object');
  return parsed as Record<string, unknown>;
}

/** Ends a transaction whose work another worker has done meanwhile. */
class AlreadyFinal extends Error {}

function principalOf(payload: EvaluatePayload, claimed: ClaimedIntent): Principal {
  return {
    keyId: claimed.key_id,
    lineage: claimed.key_lineage,
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
  const { db, policies, readings, recentParses, decider, intents, decisions, nowMs } = deps;
  const recorder = createRecorder(deps);

  const claim = ({ organisationId, environment, intentId }: EvaluatePayload): Promise<ClaimedIntent | undefined> =>
    intents.claim(organisationId, environment, intentId, nowMs());

  const readingOf = (active: ActivePolicies, { organisation_slug: organisation, action, resource }: ClaimedIntent) =>
    readings.ofAction({ set: active.set, organisation }, action, resource);

  const questionOf = (
    payload: EvaluatePayload,
    claimed: ClaimedIntent,
    about: Pick<Question, 'active' | 'reading' | 'context'>,
  ): Question => ({
    ...about,
    key: principalOf(payload, claimed),
    agentId: claimed.agent_id,
    intentId: payload.intentId,
    approvalId: claimed.approval_id ?? undefined,
    traceparent: payload.traceparent,
  });

  /** All that was submitted. @throws when something stored is damaged, or is not accepted any more */
  const wholeQuestion = async (payload: EvaluatePayload, claimed: ClaimedIntent): Promise<Question> => {
    if (!claimed.isKeyKnown) throw new Error(`the row of the key ${claimed.key_id} is not as this service wrote it`);
    const active = policies.current();
    const { organisationId, environment } = payload;
    // As for POST /v1/enforce: what the agent's own parses of the same said counts, and does not expire while it waits.
    const reading = await recentParses.strictestOf(
      { organisationId, environment, agentId: claimed.agent_id, begunAtMs: claimed.submitted_at.getTime() },
      readingOf(active, claimed),
    );
    return questionOf(payload, claimed, { active, reading, context: contextOf(claimed) });
  };

  /** As much as is needed to refuse it: nothing of what may be damaged. */
  const bareQuestion = (payload: EvaluatePayload, claimed: ClaimedIntent): Question => {
    const active = policies.current();
    let reading: IntentReading;
    try {
      reading = readingOf(active, claimed);
    } catch (error) {
      if (isPassing(error)) throw error;
      reading = readingOf(active, { ...claimed, ...UNREADABLE });
    }
    return questionOf(payload, claimed, { active, reading, context: undefined });
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
          const [outcome] = await write(sql);
          const { verdict, approval, decisionId } = writtenOf(outcome);
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

  const giveUpOn = async (payload: EvaluatePayload, question: Question): Promise<void> => {
    const answer = await decider.giveUp(question);
    await unlessFinal(() => fail(payload, question, answer));
  };

  return {
    handlers: {
      evaluate: async (payload) => {
        const claimed = await claim(payload);
        if (claimed === undefined) return;
        const question = await wholeQuestion(payload, claimed);
        await decide(payload, question, await decider.answer(question));
      },
    },
    async giveUp(payload) {
      const claimed = await claim(payload);
      if (claimed === undefined) return;
      try {
        await giveUpOn(payload, await wholeQuestion(payload, claimed));
      } catch (error) {
        if (isPassing(error)) throw error;
        // What made the evaluation fail may make this fail as well, and the intent must end all the same.
        await giveUpOn(payload, bareQuestion(payload, claimed));
      }
    },
  };
}

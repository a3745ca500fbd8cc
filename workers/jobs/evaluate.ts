// The job `evaluate`: evaluates a submitted intent with the same core as ingress, and records the decision exactly once.
import type { ToolCall } from '../../shared/core/tools/call.ts';
import type { ActivePolicies, ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import type { Answer, Decider, Principal, Question } from '../../shared/domain/decisions/decider.ts';
import type { ApprovalOpener } from '../../shared/domain/decisions/approval-open.ts';
import type { ClaimedIntent, IntentStore } from '../../shared/domain/decisions/intent-store.ts';
import type { RecentParses } from '../../shared/domain/decisions/recent-parses.ts';
import type { IntentReading, IntentReadings } from '../../shared/domain/decisions/readings.ts';
import { createRecorder, writtenOf } from '../../shared/domain/decisions/recorder.ts';
import type { DecisionStore } from '../../shared/domain/decisions/decision-store.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { isPassing } from '../../shared/platform/db/trouble.ts';
import type { JobPayload } from '../../shared/kernel/jobs.ts';
import { enqueueSql } from '../../shared/platform/queues/outbox.ts';
import { acceptedBefore, type JobDefinition, RETRY_DEAD_AFTER, THREE_ATTEMPTS } from './definition.ts';

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

/** Rows per sweep statement. */
const SWEEP_BATCH = 1_000;
const QUEUE_LOST = enqueueSql(
  'intents',
  'evaluate',
  {
    organisationId: 'organisation_id',
    environment: 'environment',
    intentId: 'intent_id',
    approvalId: 'approval_id',
    traceparent: 'traceparent',
    // The queue holds a dead job under its id, so the new job is the repetition of the dead one.
    retryOf: 'retry_of',
  },
  'found',
);
const REQUEUE_LOST = `WITH dead AS MATERIALIZED (
    SELECT organisation_id, environment, payload::json ->> 'intentId' AS intent_id, max(dead_job_id)::text AS retry_of, max(failed_at) AS failed_at
    FROM dead_job WHERE state = 'dead' AND queue = 'intents' AND name = 'evaluate' GROUP BY 1, 2, 3
  ), lost AS (
    SELECT i.organisation_id, i.environment, i.intent_id, d.retry_of FROM intent i LEFT JOIN dead d USING (organisation_id, environment, intent_id)
    WHERE i.status IN ('queued', 'evaluating') AND ${acceptedBefore('i.queued_at', '5 seconds')}
      AND (d.failed_at IS NULL OR d.failed_at <= now() - ${RETRY_DEAD_AFTER})
    ORDER BY i.queued_at LIMIT ${SWEEP_BATCH} FOR UPDATE OF i SKIP LOCKED
  ), found AS (
    UPDATE intent SET queued_at = now() FROM lost
    WHERE intent.organisation_id = lost.organisation_id AND intent.environment = lost.environment AND intent.intent_id = lost.intent_id
    RETURNING intent.organisation_id, intent.environment, intent.intent_id, intent.approval_id, intent.traceparent, lost.retry_of
  )
  ${QUEUE_LOST} RETURNING seq`;

/** Replaces an action and a resource that cannot be parsed any more, in the DENY that ends their intent. */
const UNREADABLE = { action: 'unknown', resource: 'unreadable', tool: null } as const;

/** The caller's context object. @throws when the stored text is no JSON object */
function contextOf({ context }: ClaimedIntent): Record<string, unknown> | undefined {
  if (context === null) return undefined;
  const parsed: unknown = JSON.parse(context);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new Error('the stored context of an intent is not a JSON object');
  return parsed as Record<string, unknown>;
}

/** Rolls back a transaction whose work another worker did in the meantime. */
class AlreadyFinal extends Error {}

function principalOf(payload: EvaluatePayload, claimed: ClaimedIntent): Principal {
  return {
    keyId: claimed.key_id,
    lineage: claimed.key_lineage,
    organisationId: payload.organisationId,
    organisationSlug: claimed.organisation_slug,
    environment: payload.environment,
    agentIds: claimed.key_agent_ids,
    tags: claimed.key_tags,
  };
}

export interface IntentWorker {
  evaluate(payload: EvaluatePayload): Promise<void>;
  /** Ends an intent whose job is dead: `failed`, with a recorded DENY, reason EVALUATION_FAILED. */
  endAsFailed(payload: EvaluatePayload): Promise<void>;
}

export function createIntentWorker(deps: IntentWorkerDeps): IntentWorker {
  const { db, policies, readings, recentParses, decider, intents, decisions, nowMs } = deps;
  const recorder = createRecorder(deps);

  const readingOf = (
    { set }: ActivePolicies,
    { organisation_slug: organisation, action, resource, tool }: ClaimedIntent,
  ): IntentReading => {
    const asking = { set, organisation };
    if (tool === null) return readings.ofAction(asking, action, resource);
    // Checked against the schema of this type when it was accepted.
    return readings.ofTool(asking, JSON.parse(tool) as ToolCall, '/tool');
  };

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
    requestId: claimed.request_id ?? undefined,
    address: claimed.client_address ?? undefined,
  });

  /** The question with everything that was submitted. @throws when a stored value is damaged or not accepted any more */
  const fullQuestion = async (payload: EvaluatePayload, claimed: ClaimedIntent): Promise<Question> => {
    if (!claimed.isKeyKnown)
      throw new Error(`the seal of the key ${claimed.key_id} is wrong: this service did not write its row`);
    const { organisationId, environment } = payload;
    const active = await policies.current(organisationId);
    // As for POST /v1/enforce: the strictest of the agent's recent parses of the same string counts, too. Parses do not expire
    // while submitted work waits.
    const reading = await recentParses.strictestOf(
      { organisationId, environment, agentId: claimed.agent_id, begunAtMs: claimed.submitted_at.getTime() },
      readingOf(active, claimed),
    );
    return questionOf(payload, claimed, { active, reading, context: contextOf(claimed) });
  };

  /** The question with the members that a refusal needs, and none that may be damaged. */
  const minimalQuestion = async (payload: EvaluatePayload, claimed: ClaimedIntent): Promise<Question> => {
    const active = await policies.current(payload.organisationId);
    let reading: IntentReading;
    try {
      reading = readingOf(active, claimed);
    } catch (error) {
      if (isPassing(error)) throw error;
      reading = readingOf(active, { ...claimed, ...UNREADABLE });
    }
    return questionOf(payload, claimed, { active, reading, context: undefined });
  };

  /** Ignores that another worker did the work. */
  const unlessFinal = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof AlreadyFinal)) throw error;
    }
  };

  /** Records the decision and, in the same transaction, the intent's state: decided, or waiting for the approval. */
  const decide = (payload: EvaluatePayload, question: Question, answer: Answer) =>
    unlessFinal(() =>
      recorder.transaction([{ question, answer }], (write) =>
        db.transaction(async (sql) => {
          const [outcome] = await write(sql);
          const { verdict, approval, decisionId } = writtenOf(outcome);
          const known = { claimedApprovalId: question.approvalId ?? null, nowMs: nowMs() };
          const mine =
            verdict === 'ESCALATE' && approval !== undefined
              ? await intents.wait(sql, payload, { ...known, ...approval })
              : await intents.finish(sql, payload, {
                  ...known,
                  status: 'decided',
                  decisionId,
                });
          if (!mine) throw new AlreadyFinal();
        }),
      ),
    );

  /** The DENY of a failed evaluation does not depend on an approval, and leaves it as it is. */
  const fail = async (payload: EvaluatePayload, question: Question, answer: Answer): Promise<void> => {
    const { row } = decider.record(question, answer);
    await db.transaction(async (sql) => {
      const mine = await intents.finish(sql, payload, {
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

  const storeFailure = async (payload: EvaluatePayload, question: Question): Promise<void> => {
    const answer = await decider.failedAnswer(question);
    await unlessFinal(() => fail(payload, question, answer));
  };

  return {
    async evaluate(payload) {
      const claimed = await intents.claim(payload, nowMs());
      if (claimed === undefined) return;
      const question = await fullQuestion(payload, claimed);
      await decide(payload, question, await decider.answer(question));
    },
    async endAsFailed(payload) {
      const claimed = await intents.claim(payload, nowMs());
      if (claimed === undefined) return;
      try {
        await storeFailure(payload, await fullQuestion(payload, claimed));
      } catch (error) {
        if (isPassing(error)) throw error;
        // The cause of the dead job may make this fail as well, and the intent must still end.
        await storeFailure(payload, await minimalQuestion(payload, claimed));
      }
    },
  };
}

export interface EvaluateDeps {
  readonly intentWorker: IntentWorker;
  /** Announces that an intent may be decided. */
  readonly announce: () => void;
}

export const evaluate: JobDefinition<'intents', 'evaluate', EvaluateDeps> = {
  queue: 'intents',
  name: 'evaluate',
  // An evaluation waits for the database longer than it computes.
  concurrency: 20,
  retries: THREE_ATTEMPTS,
  // Once each time that the intent is due: when it was accepted, and after each approval that it waited for.
  coalescing: { kind: 'once', key: ({ intentId, approvalId = 'first' }) => [intentId, approvalId] },
  isUrgent: true,
  sweeping: {
    requeue: REQUEUE_LOST,
    batch: SWEEP_BATCH,
    isDone: `EXISTS (
        SELECT FROM intent i WHERE i.organisation_id = d.organisation_id AND i.environment = d.environment
          AND i.intent_id = d.payload::json ->> 'intentId' AND i.status IN ('waiting_approval', 'decided'))`,
  },
  handler:
    ({ intentWorker, announce }) =>
    async (payload) => {
      await intentWorker.evaluate(payload);
      announce();
    },
  onDead:
    ({ intentWorker, announce }) =>
    async (payload) => {
      await intentWorker.endAsFailed(payload);
      announce();
    },
};

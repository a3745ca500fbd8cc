// Makes the questions of claimed intents, as ingress makes those of its requests.
import { isPassing } from '../shared/platform/db/trouble.ts';
import type { Seals } from '../shared/platform/db/seals/seals.ts';
import { isSubmissionGenuine } from '../shared/platform/db/seals/submissions.ts';
import type { Owner } from '../shared/kernel/owner.ts';
import type { ToolCall } from '../shared/core/tools/call.ts';
import type { ActivePolicies } from '../shared/domain/policy-sets/active-set.ts';
import type { Question } from '../shared/domain/decisions/decider.ts';
import type { ClaimedIntent, Submitter } from '../shared/domain/decisions/intent-batch.ts';
import type { IntentReading, IntentReadings } from '../shared/domain/decisions/readings.ts';
import type { RecentParses } from '../shared/domain/decisions/recent-parses.ts';

/** What the intents of one batch share. */
export interface Asking extends Owner {
  readonly active: ActivePolicies;
  /** By the ids of their keys. */
  readonly submitters: ReadonlyMap<string, Submitter>;
}

export interface IntentQuestions {
  /** The question with everything that was submitted. @throws when a stored value is damaged or not accepted any more */
  full(asking: Asking, claimed: ClaimedIntent): Promise<Question>;
  /** The question with the members that a refusal needs, and none that may be damaged. */
  minimal(asking: Asking, claimed: ClaimedIntent): Question;
}

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

export function createIntentQuestions({
  readings,
  recentParses,
  seals,
}: {
  readonly seals: Pick<Seals, 'isSealOfText' | 'refuse'>;
  readonly readings: IntentReadings;
  readonly recentParses: RecentParses;
}): IntentQuestions {
  const submitterOf = ({ submitters }: Asking, { key_id: keyId }: ClaimedIntent): Submitter => {
    const submitter = submitters.get(keyId);
    if (submitter === undefined) throw new Error(`the key ${keyId} of a claimed intent was not read`);
    return submitter;
  };

  const readingOf = (
    asking: Asking,
    claimed: ClaimedIntent,
    { action, resource, tool }: Pick<ClaimedIntent, 'action' | 'resource' | 'tool'>,
  ): IntentReading => {
    const { organisationSlug: organisation } = submitterOf(asking, claimed).principal;
    const { set } = asking.active;
    if (tool === null) return readings.ofAction({ set, organisation }, action, resource);
    // Checked against the schema of this type when it was accepted.
    return readings.ofTool({ set, organisation }, JSON.parse(tool) as ToolCall, '/tool');
  };

  const questionOf = (
    asking: Asking,
    claimed: ClaimedIntent,
    about: Pick<Question, 'reading' | 'context'>,
  ): Question => ({
    active: asking.active,
    key: submitterOf(asking, claimed).principal,
    isKeyInvalid: !submitterOf(asking, claimed).isValid,
    agentId: claimed.agent_id,
    intentId: claimed.intent_id,
    approvalId: claimed.approval_id ?? undefined,
    traceparent: claimed.traceparent ?? undefined,
    requestId: claimed.request_id ?? undefined,
    address: claimed.client_address ?? undefined,
    ...about,
  });

  return {
    async full(asking, claimed) {
      if (!submitterOf(asking, claimed).isGenuine)
        throw new Error(`the seal of the key ${claimed.key_id} is wrong: this service did not write its row`);
      const { organisationId, environment } = asking;
      if (!isSubmissionGenuine(seals, { organisation_id: organisationId, environment, ...claimed })) {
        seals.refuse('intent', claimed.intent_id);
        throw new Error('the seal of the submitted intent is wrong: this service did not write its row');
      }
      const context = contextOf(claimed);
      // As for POST /v1/enforce: the strictest of the agent's recent parses of the same string counts, too. Parses do not expire
      // while submitted work waits.
      const reading = await recentParses.strictestOf(
        { organisationId, environment, agentId: claimed.agent_id, begunAtMs: claimed.submitted_at.getTime() },
        readingOf(asking, claimed, claimed),
      );
      return questionOf(asking, claimed, { reading, context });
    },
    minimal(asking, claimed) {
      let reading: IntentReading;
      try {
        reading = readingOf(asking, claimed, claimed);
      } catch (error) {
        if (isPassing(error)) throw error;
        reading = readingOf(asking, claimed, UNREADABLE);
      }
      return questionOf(asking, claimed, { reading, context: undefined });
    },
  };
}

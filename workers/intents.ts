// Decides submitted intents in batches: claims those that are due, evaluates them with the same core as ingress, and stores their
// decisions and states in one transaction.
import { type Owner, ownerOf } from '../shared/kernel/owner.ts';
import type { ApprovalOpener } from '../shared/domain/decisions/approval-open.ts';
import type { EvaluatedQuestion } from '../shared/domain/decisions/approval-naming.ts';
import type { DecisionStore } from '../shared/domain/decisions/decision-store.ts';
import type { Decider, Question } from '../shared/domain/decisions/decider.ts';
import {
  type ClaimedIntent,
  endIntents,
  type IntentBatch,
  type IntentEnd,
  type IntentKey,
  setIntentsAside,
  submittersOf,
  takeIntent,
  takeIntents,
} from '../shared/domain/decisions/intent-batch.ts';
import { createTrials, type Trial } from '../shared/domain/decisions/intent-trials.ts';
import type { IntentReadings } from '../shared/domain/decisions/readings.ts';
import type { RecentParses } from '../shared/domain/decisions/recent-parses.ts';
import { createRecorder } from '../shared/domain/decisions/recorder.ts';
import { type Written, writtenOf } from '../shared/domain/decisions/written.ts';
import { createTurns } from '../shared/domain/decisions/turns.ts';
import type { ActivePolicySet } from '../shared/domain/policy-sets/active-set.ts';
import type { Database, Sql } from '../shared/platform/db/database.ts';
import { undoneOnError } from '../shared/platform/db/savepoint.ts';
import { allInSlices } from '../shared/platform/process/slices.ts';
import { isPassing } from '../shared/platform/db/trouble.ts';
import { addRecordSpans } from '../shared/platform/observe/spans.ts';
import { type Asking, createIntentQuestions } from './intent-questions.ts';

export interface IntentWorkerDeps {
  readonly db: Database;
  readonly policies: ActivePolicySet;
  readonly readings: IntentReadings;
  readonly recentParses: RecentParses;
  readonly decider: Decider;
  readonly decisions: DecisionStore;
  readonly opener: ApprovalOpener;
  /** See RecorderDeps. */
  readonly deletionMs: () => number;
  /** CUSTOS_APPROVAL_TTL. */
  readonly approvalTtlMs: number;
  readonly nowMs: () => number;
  /** Batches at once in this process. Each holds one connection and waits for others, so the pool must have more. */
  readonly batchesAtOnce: number;
  /** Receives an intent whose evaluations have all failed. May get the same one again. */
  readonly onGivenUp: (intent: GivenUpIntent) => Promise<void>;
  /** Receives the error of an evaluation that failed by the intent's own fault. */
  readonly onError: (error: unknown) => void;
}

export interface GivenUpIntent extends IntentKey {
  readonly approvalId: string | undefined;
  readonly traceparent: string | undefined;
  readonly error: Error;
  readonly attempts: number;
}

export interface IntentWorker {
  /**
   * Decides one batch of what is due for this owner. @param most intents @param after what the batch before has returned
   * @returns with what the next batch begins; undefined: nothing is left
   */
  decideBatch(owner: Owner, most: number, after?: string): Promise<string | undefined>;
  /** Decides one intent, also before its next attempt is due. @throws why it could not be decided */
  decideOne(intent: IntentKey): Promise<void>;
  /** Ends an intent that was given up: `failed`, with a recorded DENY, reason EVALUATION_FAILED. */
  endAsFailed(intent: IntentKey): Promise<void>;
}

/** Evaluations that may fail by the intent's own fault. */
export const INTENT_ATTEMPTS = 3;

interface Failure {
  readonly claimed: ClaimedIntent;
  readonly error: unknown;
}

/** A claimed intent that was evaluated. */
interface Evaluated extends EvaluatedQuestion {
  readonly claimed: ClaimedIntent;
}

/** What is to be done after the commit. */
interface Outcome {
  readonly failures: readonly Failure[];
  readonly committed: readonly (() => void)[];
}

const NOTHING: Outcome = { failures: [], committed: [] };

function endOf(claimed: ClaimedIntent, { verdict, approval, decisionId }: Written): IntentEnd {
  return verdict === 'ESCALATE' && approval !== undefined
    ? { claimed, status: 'waiting_approval', approvalId: approval.approvalId }
    : { claimed, status: 'decided', decisionId };
}

export function createIntentWorker(deps: IntentWorkerDeps): IntentWorker {
  const { db, policies, decider, decisions, nowMs, onGivenUp, onError } = deps;
  const recorder = createRecorder(deps);
  const questions = createIntentQuestions({ ...deps, seals: db.seals });
  const inTurn = createTurns(deps.batchesAtOnce);
  const trials = createTrials(db);

  const askingOf = async (sql: Sql, owner: Owner, intents: readonly ClaimedIntent[]): Promise<Asking> => ({
    ...ownerOf(owner),
    active: await policies.current(owner.organisationId),
    submitters: await submittersOf(sql, owner, intents, nowMs()),
  });

  const evaluate = async (asking: Asking, claimed: ClaimedIntent): Promise<Evaluated> => {
    const question = await questions.full(asking, claimed);
    return { claimed, question, answer: await decider.answer(question) };
  };

  /** All evaluations, or why one failed by its own fault. @throws a transient error of any */
  const evaluateAll = async (asking: Asking, intents: readonly ClaimedIntent[]): Promise<(Evaluated | Failure)[]> =>
    allInSlices(intents, (claimed) =>
      evaluate(asking, claimed).catch((error: unknown) => {
        if (isPassing(error)) throw error;
        return { claimed, error };
      }),
    );

  /** Stores decisions and states. A member whose approval cannot be used is a failure of its own. */
  const storeTogether = async (sql: Sql, members: readonly Evaluated[]): Promise<Outcome> => {
    const { result: failures, committed } = await recorder.within(members, (write) =>
      undoneOnError(sql, async () => {
        const outcomes = await write(sql);
        const failed: Failure[] = [];
        const ends = members.flatMap(({ claimed }, i) => {
          try {
            return [endOf(claimed, writtenOf(outcomes[i]))];
          } catch (error) {
            if (isPassing(error)) throw error;
            failed.push({ claimed, error });
            return [];
          }
        });
        await endIntents(sql, ends, nowMs());
        return failed;
      }),
    );
    return { failures, committed: [committed] };
  };

  /** When the statement of all fails by their data, they are stored one by one, and only those at fault fail. */
  const store = async (sql: Sql, members: readonly Evaluated[]): Promise<Outcome> => {
    if (members.length === 0) return NOTHING;
    try {
      return await storeTogether(sql, members);
    } catch (error) {
      const [only, ...others] = members;
      if (isPassing(error) || only === undefined) throw error;
      if (others.length === 0) return { failures: [{ claimed: only.claimed, error }], committed: [] };
    }
    const outcomes: Outcome[] = [];
    for (const member of members) outcomes.push(await store(sql, [member]));
    return {
      failures: outcomes.flatMap(({ failures }) => failures),
      committed: outcomes.flatMap(({ committed }) => committed),
    };
  };

  const addSpans = (intents: readonly ClaimedIntent[], startedAtMs: number): void =>
    addRecordSpans(
      intents.flatMap(({ traceparent, intent_id: intentId }) =>
        traceparent === null
          ? []
          : [
              {
                name: 'evaluate intent',
                traceparent,
                startedAtMs,
                endedAtMs: nowMs(),
                attributes: { 'custos.intent_id': intentId },
              },
            ],
      ),
    );

  /** Evaluates and stores the members of a trial. Failures are counted in the same transaction. */
  const carryOut = async (sql: Sql, owner: Owner, trial: Trial): Promise<Outcome> => {
    // Others are left only when their end could not be stored.
    const tried = trial.isOver ? [] : trial.intents.filter(({ attempts }) => attempts < INTENT_ATTEMPTS);
    const spent = trial.intents.filter((claimed) => !tried.includes(claimed));
    const why = trial.isOver
      ? `The process ended ${trial.crashes} times while it evaluated the intent.`
      : 'The evaluations of the intent have failed, and its end could not be stored.';
    const evaluated = tried.length === 0 ? [] : await evaluateAll(await askingOf(sql, owner, tried), tried);
    const stored = await store(
      sql,
      evaluated.flatMap((one) => ('answer' in one ? [one] : [])),
    );
    const failures = [
      ...spent.map((claimed) => ({ claimed: { ...claimed, attempts: INTENT_ATTEMPTS }, error: new Error(why) })),
      ...evaluated.flatMap((one) => ('error' in one ? [one] : [])),
      ...stored.failures,
    ];
    await setIntentsAside(
      sql,
      failures.map(({ claimed }) => claimed),
      trial.isOver ? INTENT_ATTEMPTS : 1,
    );
    await trial.end(sql);
    return { failures, committed: stored.committed };
  };

  /** Decides what `take` claims. */
  const decide = async (
    owner: Owner,
    take: (sql: Sql) => Promise<IntentBatch>,
  ): Promise<{ readonly next: string | undefined; readonly failures: readonly Failure[] }> => {
    const startedAtMs = nowMs();
    let trial: Trial | undefined;
    try {
      const { next, failures, committed } = await db.transaction(async (sql) => {
        const batch = await take(sql);
        if (batch.intents.length === 0) return { next: batch.next, ...NOTHING };
        trial = await trials.begin(sql, owner, batch.intents);
        return { next: trial.isPart ? (batch.next ?? '') : batch.next, ...(await carryOut(sql, owner, trial)) };
      });
      for (const count of committed) count();
      addSpans(trial?.intents ?? [], startedAtMs);
      return { next, failures };
    } catch (error) {
      await trial?.undo().catch(onError);
      throw error;
    }
  };

  const report = async (owner: Owner, { claimed, error }: Failure): Promise<void> => {
    const reason = error instanceof Error ? error : new Error(String(error));
    const attempts = claimed.attempts + 1;
    onError(reason);
    if (attempts < INTENT_ATTEMPTS) return;
    const givenUp = {
      ...ownerOf(owner),
      intentId: claimed.intent_id,
      approvalId: claimed.approval_id ?? undefined,
      traceparent: claimed.traceparent ?? undefined,
      error: reason,
      attempts,
    };
    await onGivenUp(givenUp).catch((failed: unknown) => {
      // It is reported again with the next attempt.
      if (isPassing(failed)) throw failed;
      onError(failed);
    });
  };

  /** The DENY of a failed evaluation does not depend on an approval, and leaves it as it is. */
  const fail = async (
    intent: IntentKey,
    questionOf: (asking: Asking, claimed: ClaimedIntent) => Question | Promise<Question>,
  ): Promise<void> => {
    const made = await db.transaction(async (sql) => {
      const claimed = await takeIntent(sql, intent);
      if (claimed === undefined) return undefined;
      const question = await questionOf(await askingOf(sql, intent, [claimed]), claimed);
      const answer = await decider.failedAnswer(question);
      const { row } = decider.record(question, answer);
      const end = { claimed, status: 'failed', decisionId: row.decisionId } as const;
      await endIntents(sql, [end], nowMs());
      await decisions.insert(sql, [row]);
      return { question, answer };
    });
    if (made !== undefined) decider.recorded(made.question, made.answer);
  };

  return {
    async decideBatch(owner, most, after) {
      const { next, failures } = await inTurn(() => decide(owner, (sql) => takeIntents(sql, owner, after, most)));
      for (const failure of failures) await report(owner, failure);
      return next;
    },
    async decideOne(intent) {
      const takeAnew = async (sql: Sql): Promise<IntentBatch> => {
        const claimed = await takeIntent(sql, intent);
        return { intents: claimed === undefined ? [] : [{ ...claimed, attempts: 0 }], next: undefined };
      };
      const { failures } = await inTurn(() => decide(intent, takeAnew));
      const [failure] = failures;
      if (failure !== undefined) throw failure.error;
    },
    endAsFailed: (intent) =>
      inTurn(async () => {
        try {
          await fail(intent, questions.full);
        } catch (error) {
          if (isPassing(error)) throw error;
          // What made the evaluations fail may make this fail as well, and the intent must still end.
          await fail(intent, questions.minimal);
        }
      }),
  };
}

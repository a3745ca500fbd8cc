// Decides questions whose permission counts against budgets: reads the use, evaluates with it, and charges what is permitted.
import { hasRoom, isCharged } from '../../core/policy/budget.ts';
import type { Reason } from '../../core/policy/types.ts';
import { permits } from '../../kernel/vocabulary.ts';
import type { Database, Sql } from '../../platform/db/database.ts';
import { createGroupTransaction } from '../../platform/db/group-commit.ts';
import type { EvaluatedQuestion } from './approval-naming.ts';
import { type BudgetStore, CountGone, type Counting, createBudgetStore } from './budget-store.ts';
import type { Answer, Decider, RecordedDecision } from './decider.ts';
import type { DecisionStore } from './decision-store.ts';
import type { AnsweredDecision } from './written.ts';

/** Whether a permission would count against budgets, which have to be read first. An ESCALATE permits with its approval. */
export function needsBudgets({ question, answer: { evaluation, facts } }: EvaluatedQuestion): boolean {
  if (evaluation.charges === undefined || facts.budgets !== undefined) return false;
  return permits(evaluation.verdict) || question.approvalId !== undefined;
}

/** A durable decision. */
interface Stored {
  readonly answer: Answer;
  readonly recorded: RecordedDecision;
}

export interface Budgeted {
  /** Makes one such answer durable, together with others. @throws {ApiError} E6002 */
  append(item: EvaluatedQuestion): Promise<AnsweredDecision>;
  readonly store: BudgetStore;
  /**
   * The answer when its budgets are counted: the same if they have room, else what the other rules say. Answers that permit nothing, or
   * need no budget, stay as they are. @param approval that turned an ESCALATE into this answer
   */
  counted(counting: Counting, item: EvaluatedQuestion, approval?: Reason): Promise<Answer>;
}

export interface BudgetedDeps {
  readonly db: Database;
  readonly decider: Pick<Decider, 'record' | 'recorded' | 'evaluateAgain'>;
  readonly decisions: Pick<DecisionStore, 'insert'>;
  /** See RecorderDeps. */
  readonly deletionMs: () => number;
}

/** Charges an answer that permits; `write` of the counting stores it. */
export function chargeFor(counting: Counting, item: EvaluatedQuestion, decisionId: string): void {
  const { evaluation } = item.answer;
  if (isCharged(evaluation)) counting.charge(item, decisionId, evaluation.charges ?? []);
}

/** Each needs an evaluation and a row while the locks are held. */
const MAX_ROWS = 200;
const MAX_WAITING = 5_000;
const ATTEMPTS = 5;

/** Runs a transaction again whose counts were deleted meanwhile. */
export async function whileCountsLast<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CountGone) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** A separate group commit, so that decisions without budgets never wait for the lock of a budget. */
export function createBudgeted({ db, decider, decisions, deletionMs }: BudgetedDeps): Budgeted {
  const store = createBudgetStore(deletionMs);

  const counted: Budgeted['counted'] = async (counting, { question, answer }, approval) => {
    const { charges, verdict } = answer.evaluation;
    if (charges === undefined || !permits(verdict)) return answer;
    const budgets = counting.factsOf({ question, answer }, charges);
    const facts = { ...answer.facts, budgets };
    // The verdict was reached with unused budgets, and room in all of them changes nothing.
    if (hasRoom(charges, budgets)) return { ...answer, facts };
    return decider.evaluateAgain(question, answer, facts, approval);
  };

  const storeAll = async (sql: Sql, items: readonly EvaluatedQuestion[]): Promise<Map<EvaluatedQuestion, Stored>> => {
    const counting = await store.lock(sql, items);
    const stored = new Map<EvaluatedQuestion, Stored>();
    const rows = [];
    for (const item of items) {
      const answer = await counted(counting, item);
      const recorded = decider.record(item.question, answer);
      const { row } = recorded;
      chargeFor(counting, { question: item.question, answer }, row.decisionId);
      rows.push(row);
      stored.set(item, { answer, recorded });
    }
    await decisions.insert(sql, rows);
    await counting.write(sql);
    return stored;
  };

  const group = createGroupTransaction<EvaluatedQuestion, ReadonlyMap<EvaluatedQuestion, Stored>>({
    write: (items) =>
      whileCountsLast(async () => {
        await store.ensure(db, items);
        return db.transaction((sql) => storeAll(sql, items));
      }),
    sizeOf: ({ question }) => question.reading.unassessed.normalized.length,
    maxRows: MAX_ROWS,
    maxWaiting: MAX_WAITING,
  });

  return {
    store,
    counted,
    async append(item) {
      const stored = (await group.add(item)).get(item);
      if (stored === undefined) throw new Error('a decision was not written');
      decider.recorded(item.question, stored.answer);
      return {
        decisionId: stored.recorded.row.decisionId,
        text: await stored.recorded.textTogether(),
        isRepeat: false,
      };
    },
  };
}

// Records answers: applies approvals, and makes each decision durable before its text is sent.
import type { Owner } from '../../kernel/owner.ts';
import type { Database, Sql } from '../../platform/db/database.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Promiser } from '../ledger/promises.ts';
import { approvedReason } from '../../core/decision/approval.ts';
import {
  createApprovalNaming,
  type EvaluatedQuestion,
  isUnwritten,
  type Named,
  type Naming,
  sharingIdOf,
  type Unwritten,
} from './approval-naming.ts';
import type { ApprovalOpener, OpeningRow } from './approval-open.ts';
import { lockApproval, markUsed, peekApproval, type StoredApproval } from '../approvals/store.ts';
import type { Answer, Decider, NamedApproval, RecordedDecision } from './decider.ts';
import type { DecisionRow, DecisionStore } from './decision-store.ts';
import { type Budgeted, chargeFor, createBudgeted, needsBudgets, whileCountsLast } from './budgeted.ts';
import { createSettling, type Settled } from './settle.ts';
import { createTurns } from './turns.ts';
import { type AnsweredDecision, type IsLast, type Write, type Written, writtenOf } from './written.ts';

export interface Opening {
  readonly begunAtMs: number;
  readonly intentId: string | null;
}

export interface Recorder {
  /** Makes one answer durable, together with those of other requests. @throws {ApiError} E6002 */
  append(item: EvaluatedQuestion): Promise<AnsweredDecision>;
  /**
   * Makes answers durable in a transaction of `work`, which calls `write` once. Runs `work` again when another request has opened the
   * same approval meanwhile. An item whose approval cannot be read, or whose repeat no longer stands (E5004), becomes Unwritten and
   * does not affect the others. @throws {ApiError} E6002, and what `work` throws
   */
  transaction<T>(items: readonly EvaluatedQuestion[], work: (write: Write) => Promise<T>): Promise<T>;
  /**
   * As `transaction`, in a part of the caller's transaction: `work` runs again, so it must undo what it wrote before it throws. The caller
   * calls `committed` after its commit.
   */
  within<T>(
    items: readonly EvaluatedQuestion[],
    work: (write: Write) => Promise<T>,
  ): Promise<{ readonly result: T; readonly committed: () => void }>;
  /** When an approval was opened, and for which intent; undefined: this agent has none with that id. @throws {ApiError} E6002 */
  openingOf(owner: Owner, agentId: string, approvalId: string): Promise<Opening | undefined>;
  /** The answer as it would be recorded, without storing or locking. @throws {ApiError} E6002 */
  preview(item: EvaluatedQuestion): Promise<Answer>;
}

export interface RecorderDeps {
  readonly db: Database;
  readonly decider: Pick<Decider, 'record' | 'recorded' | 'approve' | 'evaluateAgain'>;
  readonly decisions: DecisionStore;
  readonly opener: ApprovalOpener;
  /** The time by which what a budget has counted may be old. */
  readonly deletionMs: () => number;
  /** CUSTOS_APPROVAL_TTL. */
  readonly approvalTtlMs: number;
  /** Signs the promise of a repeated answer. */
  readonly promiser?: Pick<Promiser, 'promise'> | undefined;
}

/** Rolls back a transaction because another request has opened the same approval. */
class OpenedMeanwhile extends Error {}

/** Concurrent look-ups and transactions, so that connections remain for other requests. */
const AT_ONCE = 4;
/** An attempt fails only when another request opens the same approval and it is closed in between. */
const ATTEMPTS = 10;

export function createRecorder(deps: RecorderDeps): Recorder {
  const { db, decider, decisions, opener, deletionMs, approvalTtlMs, promiser } = deps;

  const inTurn = createTurns(AT_ONCE);
  const budgeted: Budgeted = createBudgeted({ db, decider, decisions, deletionMs });
  const names = createApprovalNaming({ db, approvalTtlMs });
  const { settle, repeated } = createSettling({ decider, decisions, budgeted, promiser, demandsOf: names.demandsOf });

  const openingRow = ({ row: decision, approval }: RecordedDecision, opens: Naming['opens']): OpeningRow | undefined =>
    opens === undefined || approval === undefined ? undefined : { decision, ...approval, ...opens };

  const appendEscalation = async (item: EvaluatedQuestion): Promise<AnsweredDecision> => {
    const { question, answer } = item;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const naming = await inTurn(() => names.one(item));
      const recorded = decider.record(question, answer, naming.approval ?? naming.opens?.demands);
      const { row } = recorded;
      const opening = openingRow(recorded, naming.opens);
      if (opening === undefined) await decisions.append(row);
      else if (!(await opener.append(opening))) continue;
      decider.recorded(question, answer);
      return { decisionId: row.decisionId, text: await recorded.textTogether(), isRepeat: false };
    }
    throw tooManyAtOnce();
  };

  /** Stores all items. Items to count after the commit are added to `made`. */
  const writeAll = async (
    sql: Sql,
    items: readonly EvaluatedQuestion[],
    namings: readonly Named[],
    made: EvaluatedQuestion[],
    isLast?: IsLast,
  ): Promise<(Written | Unwritten)[]> => {
    // Locked in one order, so that two batches with the same approvals cannot deadlock.
    const held = new Map<string, StoredApproval | undefined>();
    const named = items.flatMap(({ question }, i) =>
      question.approvalId === undefined || isUnwritten(namings[i]) ? [] : [question],
    );
    named.sort((a, b) => ((a.approvalId ?? '') < (b.approvalId ?? '') ? -1 : 1));
    for (const { approvalId, key } of named)
      if (approvalId !== undefined && !held.has(approvalId))
        held.set(approvalId, await lockApproval(sql, key, approvalId));
    // After the approvals, always in this order.
    const counted = items.filter(needsBudgets);
    const counting = counted.length === 0 ? undefined : await budgeted.store.lock(sql, counted);

    const written: (Written | Unwritten)[] = [];
    const plain: DecisionRow[] = [];
    /** Approvals that items of this call open, for the others that share them. */
    const opened = new Map<string, NamedApproval | undefined>();
    const opening: OpeningRow[] = [];
    for (const [i, item] of items.entries()) {
      const before = written.at(-1);
      if (before !== undefined && isLast?.(before) === true) break;
      const { question } = item;
      const { approvalId } = question;
      const naming = namings[i];
      if (isUnwritten(naming)) {
        written.push(naming);
        continue;
      }
      const ownCounting = needsBudgets(item) ? counting : undefined;
      const settled: Settled =
        approvalId === undefined
          ? {
              kind: 'new',
              answer: ownCounting === undefined ? item.answer : await budgeted.counted(ownCounting, item),
              naming,
            }
          : await settle(sql, item, { stored: held.get(approvalId), counting: ownCounting, naming });
      if (settled.kind === 'lapsed') {
        written.push({ error: settled.error });
        continue;
      }
      if (settled.kind === 'repeat') {
        // A decision of the same batch is not in the table yet.
        const earlier = written.find((other) => 'decisionId' in other && other.decisionId === settled.decisionId);
        const repeat = earlier && { ...earlier, isRepeat: true };
        written.push(repeat ?? (await repeated(sql, item, settled.decisionId)));
        continue;
      }
      const { answer, uses } = settled;
      const { approval: open, opens } = settled.naming ?? {};
      const sharing = opens && sharingIdOf(question.key.keyId, opens);
      const shared = open ?? (sharing === undefined ? undefined : opened.get(sharing));
      const recorded = decider.record(question, answer, shared ?? opens?.demands);
      const { row, approval } = recorded;
      if (uses !== undefined && approvalId !== undefined) {
        const { keyId, decisionId } = row;
        held.set(approvalId, await markUsed(sql, uses, { keyId, decisionId, nowMs: answer.nowMs }));
      }
      if (ownCounting !== undefined) chargeFor(ownCounting, { question, answer }, row.decisionId);
      const opener = shared === undefined ? openingRow(recorded, opens) : undefined;
      if (opener === undefined || sharing === undefined) plain.push(row);
      else {
        opening.push(opener);
        opened.set(sharing, approval);
      }
      const text = recorded.text();
      written.push({ decisionId: row.decisionId, verdict: row.verdict, text, approval, isRepeat: false });
      made.push({ question, answer });
    }
    if (opening.length > 0 && !(await opener.insert(sql, opening))) throw new OpenedMeanwhile();
    if (plain.length > 0) await decisions.insert(sql, plain);
    await counting?.write(sql);
    return written;
  };

  const within: Recorder['within'] = async (items, work) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      // Before the transaction, because a request that holds a connection must not wait for another one.
      const namings = await names.all(items);
      try {
        return await whileCountsLast(async () => {
          await budgeted.store.ensure(db, items);
          const made: EvaluatedQuestion[] = [];
          const result = await work((sql, isLast) => writeAll(sql, items, namings, made, isLast));
          const committed = (): void => {
            for (const { question, answer } of made) decider.recorded(question, answer);
          };
          return { result, committed };
        });
      } catch (error) {
        if (!(error instanceof OpenedMeanwhile)) throw error;
      }
    }
    throw tooManyAtOnce();
  };

  const transaction: Recorder['transaction'] = async (items, work) => {
    const { result, committed } = await within(items, work);
    committed();
    return result;
  };

  return {
    async append(item) {
      const { question, answer } = item;
      if (question.approvalId !== undefined) {
        const work = (write: Write): Promise<Written> =>
          db.transaction(async (sql) => writtenOf((await write(sql))[0]));
        return inTurn(() => transaction([item], work));
      }
      if (answer.evaluation.verdict === 'ESCALATE') return appendEscalation(item);
      if (needsBudgets(item)) return budgeted.append(item);
      const recorded = decider.record(question, answer);
      const { row } = recorded;
      await decisions.append(row);
      decider.recorded(question, answer);
      return { decisionId: row.decisionId, text: await recorded.textTogether(), isRepeat: false };
    },
    transaction,
    within,
    async openingOf(owner, agentId, approvalId) {
      const stored = await inTurn(() => peekApproval(db, owner, approvalId));
      if (stored === undefined || stored.agent_id !== agentId) return undefined;
      return { begunAtMs: stored.created_at.getTime(), intentId: stored.intent_id };
    },
    async preview(item) {
      const { question, answer } = item;
      const counting = needsBudgets(item) ? await budgeted.store.peek(db, [item]) : undefined;
      if (question.approvalId === undefined) return counting === undefined ? answer : budgeted.counted(counting, item);
      const stored = await peekApproval(db, question.key, question.approvalId);
      const settled = await settle(db, item, { stored, counting, naming: undefined });
      if (settled.kind === 'new') return settled.answer;
      if (settled.kind === 'lapsed') throw settled.error;
      // A repeat would get the decision that used the approval, which was reached this way.
      return decider.approve(question, answer, approvedReason(question.approvalId, stored?.decided_by ?? ''));
    },
  };
}

function tooManyAtOnce(): ApiError {
  return new ApiError('E6002', 'Too many equal requests at the same time; the request may be repeated.', {
    headers: { 'retry-after': '1' },
  });
}

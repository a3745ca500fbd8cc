// Before decisions are written: the approvals that escalations name, found or to be opened, and those that questions name.
import type { Database } from '../../platform/db/database.ts';
import { ApiError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { stateAt } from '../../core/decision/approval.ts';
import { approvalDigest } from '../../core/decision/approval-bound.ts';
import type { OpeningRow } from './approval-open.ts';
import {
  approvalFactsOf,
  expireApproval,
  findOpenApproval,
  hasRoom,
  peekApproval,
  type StoredApproval,
} from '../approvals/store.ts';
import type { Answer, NamedApproval, Question } from './decider.ts';

/** A question and what `Decider.answer` says to it. */
export interface EvaluatedQuestion {
  readonly question: Question;
  readonly answer: Answer;
}

/** A member that could not be decided, beside others that could: nothing of it is written. */
export interface Unwritten {
  readonly error: unknown;
}

/** The approval that an ESCALATE names, unless the agent has too many, and what opens it when there is none yet. */
export interface Naming {
  readonly approval?: NamedApproval | undefined;
  readonly opens?: Pick<OpeningRow, 'digest' | 'intentId'>;
}

/** What is known of the approval of an item before it is written: undefined, nothing is to be known. */
export type Named = Naming | Unwritten | undefined;

export function digestOf({ question, answer }: EvaluatedQuestion): string {
  return approvalDigest(answer.facts, question.intentId ?? null);
}

export function namedOf({ approval_id: approvalId, expires_at: expiresAt }: StoredApproval): NamedApproval {
  return { approvalId, expiresAtMs: expiresAt.getTime() };
}

export function isUnwritten(outcome: Named): outcome is Unwritten {
  return outcome !== undefined && 'error' in outcome;
}

/** A store that is away now; anything else is the trouble of one item. */
function isAway(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 500;
}

export interface ApprovalNaming {
  /** Of one ESCALATE. @throws {ApiError} E6002 */
  one(item: EvaluatedQuestion): Promise<Naming>;
  /** Of each item; those of one transaction with the same action share one. What cannot be known is in its place. */
  all(items: readonly EvaluatedQuestion[]): Promise<Named[]>;
}

export function createApprovalNaming(deps: {
  readonly db: Database;
  /** CUSTOS_APPROVAL_TTL. */
  readonly approvalTtlMs: number;
}): ApprovalNaming {
  const { db, approvalTtlMs } = deps;

  const nameApproval = async (item: EvaluatedQuestion): Promise<Naming> => {
    const { question, answer } = item;
    const { key, intentId } = question;
    const digest = digestOf(item);
    const open = await findOpenApproval(db, key, digest, key.keyId);
    // Escalated all the same, without a way to approve it.
    if (open === 'forged') return {};
    if (open !== undefined) {
      if (stateAt(approvalFactsOf(open), answer.nowMs) !== 'expired') return { approval: namedOf(open) };
      // Upkeep would do so in a moment; until then none for the same action could be opened.
      await expireApproval(db, open, answer.nowMs);
    }
    if (!(await hasRoom(db, key, question.agentId, answer.nowMs))) return {};
    const approval = { approvalId: newId('apr', answer.nowMs), expiresAtMs: answer.nowMs + approvalTtlMs };
    return { approval, opens: { digest, intentId: intentId ?? null } };
  };

  const nameAll = async (items: readonly EvaluatedQuestion[]): Promise<Named[]> => {
    const shared = new Map<string, Naming>();
    const nameOne = async (item: EvaluatedQuestion): Promise<Naming | undefined> => {
      const { key, approvalId } = item.question;
      if (approvalId !== undefined) {
        // Asked of a batch before its transaction begins: one that cannot be read now must not keep the others from being written.
        if (items.length > 1) await peekApproval(db, key, approvalId);
        return undefined;
      }
      if (item.answer.evaluation.verdict !== 'ESCALATE') return undefined;
      const id = `${key.keyId} ${digestOf(item)}`;
      const known = shared.get(id);
      const naming = known === undefined ? await nameApproval(item) : { approval: known.approval };
      shared.set(id, naming);
      return naming;
    };
    const namings: Named[] = [];
    let away: Unwritten | undefined;
    for (const item of items) {
      const needsOne = item.question.approvalId !== undefined || item.answer.evaluation.verdict === 'ESCALATE';
      if (needsOne && away === undefined)
        // Once they are away they are so for all: nobody waits for each of a hundred to be refused.
        namings.push(
          await nameOne(item).catch((error: unknown) => {
            if (isAway(error)) away = { error };
            return { error };
          }),
        );
      else namings.push(needsOne ? away : undefined);
    }
    return namings;
  };

  return { one: nameApproval, all: nameAll };
}

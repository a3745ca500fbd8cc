// Before decisions are stored: finds or prepares the approval that an ESCALATE names, and reads approvals that questions name.
import type { Database } from '../../platform/db/database.ts';
import { ApiError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { stateAt } from '../../core/decision/approval.ts';
import { alikeOf } from '../../core/decision/approval-alike.ts';
import { lifetimeOf } from '../../core/policy/approvers.ts';
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
import { demandsOf } from '../approvals/votes.ts';
import type { Answer, NamedApproval, Question } from './decider.ts';

/** A question with its answer. */
export interface EvaluatedQuestion {
  readonly question: Question;
  readonly answer: Answer;
}

/** A member of a batch that could not be decided, and of which nothing is stored. */
export interface Unwritten {
  readonly error: unknown;
}

/** The approval that an ESCALATE names (none when the agent has too many), and the row that opens it if it is new. */
export interface Naming {
  readonly approval?: NamedApproval | undefined;
  readonly opens?: Pick<OpeningRow, 'digest' | 'alike' | 'intentId'>;
}

/** The approval of an item before it is stored; undefined: it has none. */
export type Named = Naming | Unwritten | undefined;

export function digestOf({ question, answer }: EvaluatedQuestion): string {
  return approvalDigest(answer.facts, question.intentId ?? null);
}

export function namedOf(row: StoredApproval): NamedApproval {
  return { approvalId: row.approval_id, expiresAtMs: row.expires_at.getTime(), approvers: demandsOf(row) };
}

export function isUnwritten(outcome: Named): outcome is Unwritten {
  return outcome !== undefined && 'error' in outcome;
}

/** Whether a store is unavailable. Any other error concerns one item. */
function isAway(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 500;
}

export interface ApprovalNaming {
  /** For one ESCALATE. @throws {ApiError} E6002 */
  one(item: EvaluatedQuestion): Promise<Naming>;
  /** For each item; items with the same action share one approval. An error takes the place of its item. */
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
    // Escalates without an approval, so that no human can approve it.
    if (open === 'forged') return {};
    if (open !== undefined) {
      if (stateAt(approvalFactsOf(open), answer.nowMs) !== 'expired') return { approval: namedOf(open) };
      // Upkeep has not closed it yet, and until then no other one can be opened for the same action.
      await expireApproval(db, open, answer.nowMs);
    }
    if (!(await hasRoom(db, key, question.agentId, answer.nowMs))) return {};
    const { escalation } = answer.evaluation;
    const expiresAtMs = answer.nowMs + lifetimeOf(escalation, approvalTtlMs);
    const approval = { approvalId: newId('apr', answer.nowMs), expiresAtMs, approvers: escalation?.approvers };
    return { approval, opens: { digest, alike: alikeOf(answer.facts), intentId: intentId ?? null } };
  };

  const nameAll = async (items: readonly EvaluatedQuestion[]): Promise<Named[]> => {
    const shared = new Map<string, Naming>();
    const nameOne = async (item: EvaluatedQuestion): Promise<Naming | undefined> => {
      const { key, approvalId } = item.question;
      if (approvalId !== undefined) {
        // In a batch it is read before the transaction, so that an error does not prevent the other items from being stored.
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
        // After the first error of an unavailable store the others fail at once, instead of each waiting for its own.
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

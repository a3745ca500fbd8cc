// Before decisions are stored: finds or prepares the approval that an ESCALATE names, and reads approvals that questions name.
import type { Database } from '../../platform/db/database.ts';
import { ApiError } from '../../kernel/errors.ts';
import { stateAt } from '../../core/decision/approval.ts';
import { alikeOf } from '../../core/decision/approval-alike.ts';
import { type ApprovalDemands, approvalDemands } from '../../core/policy/approvers.ts';
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
import { approversText, coversDemands, demandsOf as approversOf } from '../approvals/votes.ts';
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

/** The row of a new approval, as far as it does not follow from the decision that opens it. */
type Opens = Pick<OpeningRow, 'digest' | 'alike' | 'intentId'> & { readonly demands: ApprovalDemands };

/** The approval that an ESCALATE names: an open one or a new one; none when the agent has too many. */
export interface Naming {
  readonly approval?: NamedApproval | undefined;
  readonly opens?: Opens;
}

/** What an item may name, before it is stored; undefined: nothing. */
export type Named = Naming | Unwritten | undefined;

export function digestOf({ question, answer }: EvaluatedQuestion): string {
  return approvalDigest(answer.facts, question.intentId ?? null);
}

/** Equal for items that can share an approval: of one key, for one action, with the same demands. */
export function sharingIdOf(keyId: string, { digest, demands }: Pick<Opens, 'digest' | 'demands'>): string {
  return `${keyId} ${digest} ${demands.lifetimeMs} ${approversText(demands) ?? ''}`;
}

export function namedOf(row: StoredApproval): NamedApproval {
  return { approvalId: row.approval_id, expiresAtMs: row.expires_at.getTime(), approvers: approversOf(row) };
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
  /**
   * For each item that is escalated, unless the approval that it names itself suffices. Items with the same action and demands share one
   * approval. An error takes the place of its item.
   */
  all(items: readonly EvaluatedQuestion[]): Promise<Named[]>;
  /** What an approval must have for this answer. */
  demandsOf(answer: Answer): ApprovalDemands;
}

export function createApprovalNaming(deps: {
  readonly db: Database;
  /** CUSTOS_APPROVAL_TTL. */
  readonly approvalTtlMs: number;
}): ApprovalNaming {
  const { db, approvalTtlMs } = deps;

  const demandsOf = ({ evaluation }: Answer): ApprovalDemands => approvalDemands(evaluation.escalation, approvalTtlMs);

  const nameApproval = async (item: EvaluatedQuestion): Promise<Naming> => {
    const { question, answer } = item;
    const { key, intentId } = question;
    const [digest, demands] = [digestOf(item), demandsOf(answer)];
    const open = await findOpenApproval(db, key, { digest, keyId: key.keyId, demands });
    // Escalates without an approval, so that no human can approve it.
    if (open === 'forged') return {};
    if (open !== undefined) {
      if (stateAt(approvalFactsOf(open), answer.nowMs) !== 'expired') return { approval: namedOf(open) };
      // Upkeep has not closed it yet, and until then no other one can be opened for the same action.
      await expireApproval(db, open, answer.nowMs);
    }
    if (!(await hasRoom(db, key, question.agentId, answer.nowMs))) return {};
    return { opens: { digest, alike: alikeOf(answer.facts), intentId: intentId ?? null, demands } };
  };

  const nameAll = async (items: readonly EvaluatedQuestion[]): Promise<Named[]> => {
    const shared = new Map<string, Naming>();
    const nameOne = async (item: EvaluatedQuestion): Promise<Naming | undefined> => {
      const { question, answer } = item;
      const { key, approvalId } = question;
      const isEscalated = answer.evaluation.verdict === 'ESCALATE';
      const demands = demandsOf(answer);
      // In a batch it is read before the transaction, so that an error does not prevent the other items from being stored.
      if (approvalId !== undefined && (isEscalated || items.length > 1)) {
        const row = await peekApproval(db, key, approvalId);
        if (row === undefined || coversDemands(row, demands)) return undefined;
      }
      if (!isEscalated) return undefined;
      const id = sharingIdOf(key.keyId, { digest: digestOf(item), demands });
      const naming = shared.get(id) ?? (await nameApproval(item));
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

  return { one: nameApproval, all: nameAll, demandsOf };
}

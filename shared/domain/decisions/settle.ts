// Applies the approval that a question names: used, pending, refused, or used before by the same question.
import { approvedReason, refusalOf, standingOf, standsFirst } from '../../core/decision/approval.ts';
import { answerOfRecord } from '../../core/decision/record.ts';
import { type Lapse, lapseOf } from '../../core/decision/stands.ts';
import { type ApiError, assertNever } from '../../kernel/errors.ts';
import type { Sql } from '../../platform/db/database.ts';
import { approvalFactsOf, type StoredApproval } from '../approvals/store.ts';
import { coversDemands, meetsDemands } from '../approvals/votes.ts';
import type { Promiser } from '../ledger/promises.ts';
import {
  type ApprovalNaming,
  digestOf,
  type EvaluatedQuestion,
  namedOf,
  type Naming,
  type Unwritten,
} from './approval-naming.ts';
import type { Counting } from './budget-store.ts';
import type { Budgeted } from './budgeted.ts';
import type { Answer, Decider } from './decider.ts';
import type { DecisionStore } from './decision-store.ts';
import { notCarriedOut } from './outcomes.ts';
import { type AnswerMembers, lapsed } from './presence.ts';
import type { Written } from './written.ts';

/** The outcome of an item after its approval was applied. */
export type Settled =
  | { readonly kind: 'repeat'; readonly decisionId: string }
  /** A repeat of a question that is denied now: it gets neither the earlier decision nor a new one. */
  | { readonly kind: 'lapsed'; readonly error: ApiError }
  | {
      readonly kind: 'new';
      readonly answer: Answer;
      /** The approval that an ESCALATE names or opens. */
      readonly naming?: Naming | undefined;
      readonly uses?: StoredApproval;
    };

const LAPSES = new Map<string, Lapse>([
  ['HALTED', 'halted'],
  ['AGENT_NOT_ACTIVE', 'agent_not_active'],
  ['KEY_INVALID', 'key_invalid'],
]);

/**
 * A repeat is evaluated again. One that is denied now, by a halt, the agent's status or its trust, does not get the earlier decision, nor
 * does one for which the approval would not suffice.
 */
function deniedAnew({ answer }: EvaluatedQuestion, decisionId: string): Settled | undefined {
  const { verdict, reasons } = answer.evaluation;
  if (verdict !== 'DENY') return undefined;
  const [first] = standsFirst(answer.evaluation) ? reasons : [];
  return { kind: 'lapsed', error: lapsed(LAPSES.get(first?.code ?? '') ?? 'denied_now', decisionId) };
}

/** What an item is settled with. */
export interface SettlingWith {
  /** The approval that the question names, locked by the caller where the answer is stored. */
  readonly stored: StoredApproval | undefined;
  /** Of the budgets of the item; undefined: it needs none. */
  readonly counting: Counting | undefined;
  /** What the item names where the stored approval does not suffice. */
  readonly naming: Naming | undefined;
}

export interface Settling {
  settle(sql: Sql, item: EvaluatedQuestion, given: SettlingWith): Promise<Settled>;
  /** The stored decision of a repeat, if it still stands. */
  repeated(sql: Sql, item: EvaluatedQuestion, decisionId: string): Promise<Written | Unwritten>;
}

export function createSettling(deps: {
  readonly decider: Pick<Decider, 'approve'>;
  readonly decisions: Pick<DecisionStore, 'read'>;
  readonly budgeted: Pick<Budgeted, 'counted'>;
  readonly promiser?: Pick<Promiser, 'promise'> | undefined;
  readonly demandsOf: ApprovalNaming['demandsOf'];
}): Settling {
  const { decider, decisions, budgeted, promiser, demandsOf } = deps;

  const settle: Settling['settle'] = async (sql, item, given) => {
    const { counting } = given;
    const settled = await settleApproval(sql, item, given);
    if (settled.kind !== 'new' || counting === undefined) return settled;
    const { question } = item;
    const approval = settled.uses && settled.answer.evaluation.reasons.at(-1);
    const answer = await budgeted.counted(counting, { question, answer: settled.answer }, approval);
    // An approval is used only by a permission.
    if (answer.evaluation.verdict === 'DENY') return { kind: 'new', answer };
    return { ...settled, answer };
  };

  /** Whether the answer permits with this approval, as far as the policies demand something of approvals. */
  const suffices = async (
    sql: Sql,
    { answer }: EvaluatedQuestion,
    stored: StoredApproval,
    atMs: number,
  ): Promise<boolean> => answer.evaluation.verdict !== 'ESCALATE' || meetsDemands(sql, stored, demandsOf(answer), atMs);

  const settleApproval = async (
    sql: Sql,
    item: EvaluatedQuestion,
    { stored, naming }: SettlingWith,
  ): Promise<Settled> => {
    const { question, answer } = item;
    const { agentId, key } = question;
    const use = { agentId, digest: digestOf(item), lineage: key.lineage, atMs: answer.nowMs };
    const standing = standingOf(stored && approvalFactsOf(stored), use);
    if (standing.kind === 'repeat') {
      const { decisionId } = standing;
      const denied = deniedAnew(item, decisionId);
      if (denied !== undefined || stored === undefined) return denied ?? standing;
      const isEnough = await suffices(sql, item, stored, stored.used_at?.getTime() ?? answer.nowMs);
      return isEnough ? standing : { kind: 'lapsed', error: lapsed('not_approved_now', decisionId) };
    }
    if (standsFirst(answer.evaluation)) return { kind: 'new', answer };
    switch (standing.kind) {
      case 'refused':
        return { kind: 'new', answer: { ...answer, evaluation: refusalOf(standing) } };
      case 'pending':
        if (answer.evaluation.verdict !== 'ESCALATE' || stored === undefined) return { kind: 'new', answer };
        // The ESCALATE names the same approval again, unless more is demanded now.
        if (!coversDemands(stored, demandsOf(answer))) return { kind: 'new', answer, naming };
        return { kind: 'new', answer, naming: { approval: namedOf(stored) } };
      case 'usable': {
        if (answer.evaluation.verdict === 'DENY' || stored === undefined) return { kind: 'new', answer };
        if (!(await suffices(sql, item, stored, answer.nowMs))) return { kind: 'new', answer, naming };
        const approved = await decider.approve(question, answer, approvedReason(stored.approval_id, standing.by));
        // An approval is used only by a permission.
        if (approved.evaluation.verdict === 'DENY') return { kind: 'new', answer: approved };
        return { kind: 'new', answer: approved, uses: stored };
      }
      default:
        return assertNever(standing);
    }
  };

  const repeated: Settling['repeated'] = async (sql, { question, answer }, decisionId) => {
    const { key } = question;
    const record = (await decisions.read(key, decisionId, sql))?.record;
    if (record === undefined) throw new Error(`the decision ${decisionId} that used an approval does not exist`);
    const text = answerOfRecord(record, promiser && ((about) => promiser.promise({ ...key, ...about })));
    // Written by writeDecision.
    const { verdict, expires_at: expiresAt } = JSON.parse(text) as AnswerMembers;
    // Agent, environment and key are those of the question, which was just evaluated and not denied.
    const undone = await notCarriedOut(sql, key, [decisionId]);
    const present = {
      nowMs: answer.nowMs,
      halted: false,
      agent: 'ACTIVE',
      keyIsValid: true,
      notCarriedOut: undone.has(decisionId),
    } as const;
    const lapse = lapseOf({ verdict, expiresAtMs: Date.parse(expiresAt) }, present);
    return lapse === undefined ? { decisionId, verdict, text, isRepeat: true } : { error: lapsed(lapse, decisionId) };
  };

  return { settle, repeated };
}

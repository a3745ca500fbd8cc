// The answer to an AuthZEN evaluation, from the decision that was made.
import type { Verdict } from '../../kernel/vocabulary.ts';

/** The members of a decision, or of a dry run, that the answer shows. */
export interface DecisionMembers {
  readonly verdict: Verdict;
  readonly allowed: boolean;
  readonly reasons: readonly { readonly code: string; readonly message: string }[];
  readonly obligations: readonly { readonly type: string }[];
  readonly evaluated_at: string;
  readonly decision_id?: string;
  readonly approval?: { readonly approval_id: string; readonly expires_at: string };
  readonly policy_set?: { readonly digest: string };
  readonly proof?: { readonly proof_id: string };
}

export interface Answered {
  readonly decision: boolean;
  readonly context: Readonly<Record<string, unknown>>;
}

/** Whether the caller may go on: DEGRADE only when it keeps every type of obligation. */
export function isPermitted(
  { verdict, obligations }: Pick<DecisionMembers, 'verdict' | 'obligations'>,
  keeps: ReadonlySet<string>,
): boolean {
  if (verdict === 'ALLOW') return obligations.every(({ type }) => keeps.has(type));
  return verdict === 'DEGRADE' && obligations.length > 0 && obligations.every(({ type }) => keeps.has(type));
}

/**
 * With the members that the AuthZEN Access Request and Approval Profile (draft 1) names for a denial that a human may lift:
 * `evaluation_id`, `evaluated_at`, `reason` and `access_request`. The approval is open already, so there is nothing to submit.
 * @param approvalsUrl the page on which humans approve; absent when the service does not know its address
 */
export function answerOf(
  made: DecisionMembers,
  keeps: ReadonlySet<string>,
  approvalsUrl: string | undefined,
): Answered {
  const { verdict, reasons, obligations, approval, decision_id: decisionId } = made;
  const decision = made.allowed && isPermitted(made, keeps);
  const [first] = reasons;
  const kept = verdict === 'DEGRADE' && !decision ? 'OBLIGATIONS_NOT_KEPT' : first?.code;
  return {
    decision,
    context: {
      verdict,
      ...(decisionId === undefined ? {} : { decision_id: decisionId, evaluation_id: decisionId }),
      evaluated_at: made.evaluated_at,
      ...(decision ? {} : { reason: approval === undefined ? kept : 'approval_required' }),
      reasons,
      obligations,
      ...(made.policy_set === undefined ? {} : { policy_set: made.policy_set }),
      ...(made.proof === undefined ? {} : { proof_id: made.proof.proof_id }),
      ...(approval === undefined
        ? {}
        : {
            approval: { id: approval.approval_id, expires_at: approval.expires_at },
            access_request: {
              expires_at: approval.expires_at,
              ...(approvalsUrl === undefined ? {} : { form_url: approvalsUrl }),
              display: {
                title: 'A human must approve this',
                description: `Ask again with context.approval.id = ${approval.approval_id} once it is approved.`,
              },
            },
          }),
    },
  };
}

/** The place of a member of a batch that could not be decided: never a permission. */
export function failedAnswer(problem: {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
}): Answered {
  const { status, code, detail } = problem;
  return { decision: false, context: { error: { status, code, message: detail } } };
}

// What AuthZEN evaluations have made: the reply with it, its stored form, and members that failed.
import { type Answered, answerOf, type DecisionMembers, failedAnswer } from '../../shared/core/authzen/answer.ts';
import type { Unwritten } from '../../shared/domain/decisions/approval-naming.ts';
import type { Written } from '../../shared/domain/decisions/written.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import type { Reply } from '../route.ts';
import type { MemberAnswer } from './enforce-evaluate.ts';

export interface Made {
  readonly answered: Answered;
  readonly decisionId?: string | undefined;
  /** The decision, JSON text. */
  readonly text?: string;
}

/** What is stored under an Idempotency-Key, and looked at again when the answer took long. */
export interface Kept {
  readonly isSingle: boolean;
  readonly made: readonly Made[];
}

function replyOf({ isSingle, made }: Kept): Reply {
  const [first] = made;
  const answers = made.map(({ answered }) => answered);
  const ids = made.flatMap(({ decisionId }) => decisionId ?? []);
  return {
    status: 200,
    body: isSingle ? first?.answered : { evaluations: answers },
    ...(ids.length === 0 ? {} : { logged: isSingle ? { decisionId: ids[0] ?? '' } : { decisionIds: ids } }),
  };
}

export const kept = (answers: Kept): Reply => ({ ...replyOf(answers), kept: answers });

/** The stored answer. @throws why there is none */
export function answerIn(outcome: MemberAnswer | Unwritten | undefined): MemberAnswer {
  if (outcome === undefined) throw new Error('a decision was not written');
  if ('text' in outcome) return outcome;
  throw outcome.error;
}

/** What the service has just written, or why it has not. */
export function isPermittedBy(outcome: Written | Unwritten, { keepsObligations }: AuthenticatedKey): boolean {
  if ('error' in outcome || outcome.isRepeat) return false;
  return answerOf(JSON.parse(outcome.text) as DecisionMembers, keepsObligations, undefined).decision;
}

export const failed = ({ status, code, message }: ApiError): Made => ({
  answered: failedAnswer({ status, code, detail: message }),
});

/** The member that fails for what the caller sent. @throws any other error */
export function failedOfCaller(error: unknown): Made {
  if (error instanceof ApiError && error.status < 500) return failed(error);
  throw error;
}

// Repeats of enforce requests under an Idempotency-Key, and answers that took long: a decision is answered while it stands.
import { lapsed, type Presence, type AnswerMembers } from '../../shared/domain/decisions/presence.ts';
import { permits } from '../../shared/kernel/vocabulary.ts';
import { toProblem } from '../../shared/api/problem.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import type { Reply } from '../route.ts';
import type { MemberAnswer } from './enforce-evaluate.ts';

/** The stored form of a batch. */
export interface KeptBatch {
  /** The JSON text of each member's answer, in order. */
  readonly members: readonly string[];
  /** Indexes of the members that failed on the server's side: a repeat evaluates them again. */
  readonly open: readonly number[];
}

export const BATCH_PATH = '/v1/enforce/batch';

export function batchReply(members: readonly MemberAnswer[]): Reply {
  const text = `{"decisions":[${members.map((member) => member.text).join(',')}]}`;
  const decisionIds = members.flatMap(({ decisionId }) => decisionId ?? []);
  return { status: 200, text, logged: { decisionIds } };
}

/** A failed member of a batch. */
export function problemText(error: ApiError, requestId: string): string {
  return JSON.stringify({ error: toProblem(error, BATCH_PATH, requestId) });
}

/** A recorded answer, and why it cannot be sent again, if it is a decision that does not stand (E5004) or may not (E6002). */
interface StoredAnswer extends MemberAnswer {
  readonly refusal: ApiError | undefined;
}

/** Parses recorded answers and checks which of them stand. When that can't be found out, those that permit nothing are answered. */
export async function storedAnswers(
  presence: Presence,
  key: AuthenticatedKey,
  texts: readonly string[],
): Promise<StoredAnswer[]> {
  // Written by this service. Neither a dry run nor a problem has a decision_id.
  const answers = texts.map((text) => JSON.parse(text) as Partial<AnswerMembers>);
  // A decision that permits nothing is sent again in any case.
  const isPermit = (answer: Partial<AnswerMembers>): answer is AnswerMembers =>
    answer.decision_id !== undefined && answer.verdict !== undefined && permits(answer.verdict);
  const permitted = answers.filter(isPermit);
  const refusals = permitted.length === 0 ? [] : await refusalsOf(presence, key, permitted);
  return answers.map((answer, i) => {
    const { decision_id: decisionId } = answer;
    return {
      text: texts[i] ?? '',
      ...(decisionId === undefined ? {} : { decisionId }),
      refusal: isPermit(answer) ? refusals[permitted.indexOf(answer)] : undefined,
    };
  });
}

/** Why each decision can't be sent again. */
async function refusalsOf(
  presence: Presence,
  key: AuthenticatedKey,
  permitted: readonly AnswerMembers[],
): Promise<(ApiError | undefined)[]> {
  try {
    const lapses = await presence.lapses(key, permitted);
    return permitted.map(({ decision_id: id }, i) => {
      const lapse = lapses[i];
      return lapse === undefined ? undefined : lapsed(lapse, id);
    });
  } catch (error) {
    if (error instanceof ApiError) return permitted.map(() => error);
    throw error;
  }
}

/** The reply with one answer. */
export function decisionReply({ text, decisionId }: MemberAnswer): Reply {
  return { status: 200, text, ...(decisionId === undefined ? {} : { logged: { decisionId } }) };
}

/** The reply to a repeat of one question. @throws {ApiError} E5004 when the decision does not stand; E6002 */
export async function repeatedDecision(presence: Presence, stored: Reply, key: AuthenticatedKey): Promise<Reply> {
  const [answer] = await storedAnswers(presence, key, stored.text === undefined ? [] : [stored.text]);
  if (answer?.refusal !== undefined) throw answer.refusal;
  return answer === undefined ? stored : { ...stored, ...decisionReply(answer) };
}

/** The members of a repeated batch; a decision that does not stand, or may not, becomes a problem in its place. */
export async function repeatedMembers(
  presence: Presence,
  { members }: KeptBatch,
  key: AuthenticatedKey,
  requestId: string,
): Promise<MemberAnswer[]> {
  const answers = await storedAnswers(presence, key, members);
  return answers.map(({ refusal, ...answer }) =>
    refusal === undefined ? answer : { ...answer, text: problemText(refusal, requestId) },
  );
}

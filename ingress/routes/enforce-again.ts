// Repeats of enforcement under an Idempotency-Key: what was decided is given again while it stands, and nothing else is.
import { lapsed, type Presence, type Told } from '../../shared/domain/decisions/presence.ts';
import { permits } from '../../shared/core/decision/stands.ts';
import { type ApiError, toProblem } from '../../shared/kernel/errors.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import type { Reply } from '../route.ts';

/** What is stored of a batch. */
export interface KeptBatch {
  /** The JSON text of each member's answer, in order. */
  readonly members: readonly string[];
  /** Those that failed on our side, by index: a repeat tries them again. */
  readonly open: readonly number[];
}

export const BATCH_PATH = '/v1/enforce/batch';

export function batchReply(members: readonly string[]): Reply {
  return { status: 200, text: `{"decisions":[${members.join(',')}]}` };
}

/** A member that is a problem, in its place. */
export function problemText(error: ApiError, requestId: string): string {
  return JSON.stringify({ error: toProblem(error, BATCH_PATH, requestId) });
}

/** What an answer of ours says, if it is a decision that permits something: a refusal is given again whatever holds now. */
function permitIn(text: string | undefined): Told | undefined {
  const answer = JSON.parse(text ?? 'null') as Partial<Told & { decision_id: string }> | null;
  // Neither a dry run nor a problem has an id of its own.
  return answer?.decision_id !== undefined && answer.verdict !== undefined && permits(answer.verdict)
    ? (answer as Told)
    : undefined;
}

/** Why members do not stand, each in its place. @throws {ApiError} E6002 */
async function refusals(
  presence: Presence,
  key: AuthenticatedKey,
  texts: readonly (string | undefined)[],
): Promise<(ApiError | undefined)[]> {
  const told = texts.map(permitIn);
  const permitted = told.filter((one) => one !== undefined);
  if (permitted.length === 0) return texts.map(() => undefined);
  const lapses = await presence.lapses(key, permitted);
  return told.map((one) => {
    const lapse = one && lapses[permitted.indexOf(one)];
    return lapse && lapsed(lapse);
  });
}

/** One decision again. @throws {ApiError} E5004 when it does not stand; E6002 */
export async function decisionAgain(presence: Presence, stored: Reply, key: AuthenticatedKey): Promise<Reply> {
  const [refusal] = await refusals(presence, key, [stored.text]);
  if (refusal !== undefined) throw refusal;
  return stored;
}

/** Members again: of one that does not stand there is a problem in its place, and it hides no other. @throws {ApiError} E6002 */
export async function membersAgain(
  presence: Presence,
  { members }: KeptBatch,
  key: AuthenticatedKey,
  requestId: string,
): Promise<string[]> {
  const found = await refusals(presence, key, members);
  return members.map((text, i) => {
    const refusal = found[i];
    return refusal === undefined ? text : problemText(refusal, requestId);
  });
}

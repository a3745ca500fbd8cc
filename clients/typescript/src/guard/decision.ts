// Whether an answer of POST /v1/enforce is a decision about this very question. A proxy or a cache may have confused answers.
import type { Answer } from '../http.ts';
import type { Decision } from '../types.ts';
import type { FixedQuestion } from './question.ts';
import { lifeMsOf } from './validity.ts';

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

const isListOf = (value: unknown, members: readonly string[]): boolean =>
  Array.isArray(value) &&
  value.every((element) => members.every((member) => typeof objectOf(element)[member] === 'string'));

/** `verdict` and `allowed` have to agree, and what a verdict needs has to be there. */
function isConsistent({ verdict, allowed, obligations, approval }: Readonly<Record<string, unknown>>): boolean {
  switch (verdict) {
    case 'ALLOW':
      return allowed === true;
    case 'DEGRADE':
      return allowed === true && Array.isArray(obligations) && obligations.length > 0;
    case 'DENY':
      return allowed === false;
    case 'ESCALATE':
      return allowed === false && (approval === undefined || typeof objectOf(approval)['approvalId'] === 'string');
    default:
      return false;
  }
}

/**
 * The decision in an answer; undefined when it is none about this question, or was made for another request: within a minute the
 * service gives the decision that used an approval to each request with the same key, and another guard may already have acted on it.
 * @param requestId the X-Request-Id that was sent, which is also the Idempotency-Key
 */
export function readDecision(
  question: FixedQuestion<object>,
  requestId: string,
  { status, headers, body }: Answer,
): Decision | undefined {
  const answer = objectOf(body);
  const tool = objectOf(answer['tool']);
  const isAboutQuestion =
    status === 200 &&
    typeof answer['decisionId'] === 'string' &&
    answer['decisionId'] !== '' &&
    answer['dryRun'] === undefined &&
    answer['agentId'] === question.agentId &&
    tool['server'] === question.server &&
    tool['name'] === question.name &&
    tool['argumentsDigest'] === question.argumentsDigest;
  // A proxy can replace the X-Request-Id; the service repeats the one that it has seen. Without the Idempotency-Key of this request, it is that of
  // an earlier answer, which a proxy repeats.
  const named = answer['requestId'];
  const seen = headers.get('idempotency-key') === requestId ? headers.get('x-request-id') : null;
  const isOwn = typeof named === 'string' && named !== '' && [requestId, seen].includes(named);
  const hasParts = isListOf(answer['reasons'], ['code', 'message']) && isListOf(answer['obligations'], ['type']);
  if (!isAboutQuestion || !isOwn || !hasParts || !isConsistent(answer)) return undefined;
  // Each member that is used is checked.
  const decision = body as Decision;
  return lifeMsOf(decision) > 0 ? decision : undefined;
}

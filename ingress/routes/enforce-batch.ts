// POST /v1/enforce/batch: up to a hundred questions; a member that fails has its problem in its place and hides no other.
import type { Static } from 'typebox';
import {
  EnforceBatchBody,
  EnforceBatchRequest,
  EnforceBatchResponse,
  EnforceRequest,
} from '../../shared/api/decision.ts';
import type { Presence } from '../../shared/domain/decisions/presence.ts';
import type { ActivePolicies, ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import { compile } from '../request/schema.ts';
import { compileBody } from '../request/validate.ts';
import { allInSlices, settleInSlices } from '../../shared/platform/process/slices.ts';
import { costOfMembers } from './member-cost.ts';
import { defineRoute, type Reply, type RequestContext, type Route } from '../route.ts';
import type { Asker, EvaluatedRequest, Evaluation, MemberAnswer } from './enforce-evaluate.ts';
import { BATCH_PATH, batchReply, type KeptBatch, problemText, repeatedMembers } from './enforce-repeat.ts';

export interface BatchDeps {
  readonly policies: Pick<ActivePolicySet, 'current'>;
  readonly presence: Presence;
  /** Receives errors of batch members that the caller did not cause. */
  readonly onError: (error: unknown, requestId: string) => void;
}

type BatchRequest = RequestContext<undefined, undefined, Static<typeof EnforceBatchBody>>;

export function enforceBatchRoute(deps: BatchDeps, evaluation: Evaluation): Route {
  const { policies, presence } = deps;
  const memberSchema = compileBody(compile, EnforceRequest);

  const evaluateMember = async (
    active: ActivePolicies,
    asker: Asker,
    member: unknown,
    i: number,
  ): Promise<EvaluatedRequest> => {
    const at = `/requests/${i}`;
    const { value, errors } = memberSchema.check(member, 0);
    if (errors.length > 0) {
      const placed = errors.map(({ pointer, message }) => ({ pointer: at + pointer, message }));
      throw new ApiError('E2001', 'This member of the batch is invalid.', { errors: placed });
    }
    // Just validated against the schema of this type.
    return evaluation.evaluate(active, asker, value as Static<typeof EnforceRequest>, at);
  };

  /** A failed member, in its place. */
  const failed = (error: unknown, requestId: string): MemberAnswer => {
    if (error instanceof ApiError) return { text: problemText(error, requestId) };
    deps.onError(error, requestId);
    return { text: problemText(new ApiError('E6001', 'This member could not be answered.'), requestId) };
  };

  /**
   * A batch under an Idempotency-Key is one effect: decisions that were made stay, and a repeat evaluates only the
   * members that failed on the server's side. @param earlier what was stored before
   */
  const answerOnce = async (request: BatchRequest, earlier: KeptBatch | undefined): Promise<Reply> => {
    const { body, key, requestId, commit } = request;
    const active = await policies.current(request.key.organisationId);
    const repeated = earlier === undefined ? [] : await repeatedMembers(presence, earlier, key, requestId);
    const asked = earlier?.open ?? body.requests.map((_, i) => i);
    const settled = await settleInSlices(asked, (i) => evaluateMember(active, request, body.requests[i], i));
    const evaluated = settled.flatMap((member) => (member.status === 'fulfilled' ? [member.value] : []));
    return evaluation.inTransaction(evaluated, (write) =>
      commit(async (sql) => {
        const decided = await write(sql);
        const answers = [...repeated];
        const members = [...(earlier?.members ?? [])];
        const open: number[] = [];
        for (const [n, i] of asked.entries()) {
          const member = settled[n];
          const outcome =
            member?.status === 'fulfilled'
              ? decided[evaluated.indexOf(member.value)]
              : { error: member?.reason as unknown };
          const isDecided = outcome !== undefined && 'text' in outcome;
          if (!isDecided && !isOfCaller(outcome?.error)) open.push(i);
          const answer = isDecided ? outcome : failed(outcome?.error, requestId);
          answers[i] = answer;
          members[i] = answer.text;
        }
        const kept: KeptBatch = { members, open };
        return { ...batchReply(answers), kept, unfinished: open.length > 0 };
      }),
    );
  };

  return defineRoute({
    method: 'POST',
    path: BATCH_PATH,
    operationId: 'enforceBatch',
    access: ['intents:write'],
    tag: 'Enforcement',
    summary: 'Ask up to a hundred questions at once',
    description:
      'A member that fails becomes {"error": problem} at its place and hides no other. Under an Idempotency-Key a batch is one effect: a repeat gives what was decided again, E5004 in the place of a decision that no longer stands, and tries members again that failed on our side (status 500 and above).',
    request: { body: EnforceBatchBody, described: EnforceBatchRequest },
    responses: { 200: { description: 'One answer a request.', schema: EnforceBatchResponse } },
    errors: ['E6002'],
    cost: (body) => costOfMembers(body.requests),
    idempotent: true,
    // Made by the handler.
    again: async ({ kept }, key, requestId) =>
      wholeBatch(await repeatedMembers(presence, kept as KeptBatch, key, requestId)),
    handler: async (request) => {
      const { body, requestId, idempotencyKey, earlier } = request;
      // Stored by answerOnce.
      if (idempotencyKey !== undefined) return answerOnce(request, earlier as KeptBatch | undefined);
      const active = await policies.current(request.key.organisationId);
      const answers = await allInSlices(body.requests, (member, i) =>
        evaluateMember(active, request, member, i)
          .then(evaluation.append)
          .catch((error) => failed(error, requestId)),
      );
      return wholeBatch(answers);
    },
  });
}

/** The reply with these answers, of which a repeat evaluates none again. */
function wholeBatch(answers: readonly MemberAnswer[]): Reply {
  const kept: KeptBatch = { members: answers.map(({ text }) => text), open: [] };
  return { ...batchReply(answers), kept };
}

/** Whether the request itself caused the failure. */
function isOfCaller(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500;
}

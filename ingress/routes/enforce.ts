// POST /v1/enforce: one question, answered by a decision that is on record before it is sent.
import { EnforceRequest, EnforceResponse } from '../../shared/api/decision.ts';
import { defineRoute, type Route } from '../route.ts';
import { type BatchDeps, enforceBatchRoute } from './enforce-batch.ts';
import { createEvaluation, type EvaluationDeps } from './enforce-evaluate.ts';
import { decisionReply, repeatedDecision } from './enforce-repeat.ts';

export type EnforceDeps = EvaluationDeps & BatchDeps;

export function enforceRoutes(deps: EnforceDeps): Route[] {
  const { policies, presence } = deps;
  const evaluation = createEvaluation(deps);
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/enforce',
      operationId: 'enforce',
      access: ['intents:write'],
      tag: 'Enforcement',
      summary: 'Ask whether an agent may do something',
      description:
        'The decision is on record before it is answered. A negative decision is HTTP 200. A repeat under the same Idempotency-Key gets the same decision, a permission only while it stands (409 E5004). An ESCALATE names the approval that it waits for; once a human has approved, the same question with its approval_id is allowed, once; a repeat within a minute gets that decision again, while it stands. With dry_run nothing is stored and the answer is not a decision.',
      request: { body: EnforceRequest },
      responses: {
        200: { description: 'The decision, or what it would have been.', schema: EnforceResponse },
      },
      errors: ['E5004', 'E6002'],
      idempotent: true,
      again: (stored, key) => repeatedDecision(presence, stored, key),
      handler: async (request) => {
        const { body, idempotencyKey, commit } = request;
        // Evaluated before a transaction begins: a request that holds a connection must not wait for another one.
        const found = policies.current(request.key.organisationId);
        // Usually it is loaded, and a decision costs no further turn of the event loop.
        const active = found instanceof Promise ? await found : found;
        const evaluated = await evaluation.evaluate(active, request, body, '');
        if (idempotencyKey === undefined) return decisionReply(await evaluation.append(evaluated));
        return evaluation.inTransaction([evaluated], (write) =>
          commit(async (sql) => {
            const [outcome] = await write(sql);
            if (outcome !== undefined && 'text' in outcome) return decisionReply(outcome);
            throw outcome?.error;
          }),
        );
      },
    }),
    enforceBatchRoute(deps, evaluation),
  ];
}

// Enforcement: one question or a hundred, each answered by a decision that is on record before it is answered.
import { Type } from 'typebox';
import type { Sql } from '../../shared/db/database.ts';
import type { ActivePolicies, ActivePolicySet } from '../../shared/decide/active-set.ts';
import type { Answer, Decider, Question } from '../../shared/decide/decider.ts';
import type { ParseStore } from '../../shared/decide/parses.ts';
import type { Reading, Readings } from '../../shared/decide/readings.ts';
import type { DecisionStore } from '../../shared/decide/store.ts';
import { ApiError, invalidField, toProblem } from '../../shared/errors.ts';
import { assertMayName } from '../../shared/keys/bound.ts';
import type { AuthenticatedKey } from '../../shared/keys/types.ts';
import type { Explanation } from '../../shared/policy/evaluate.ts';
import {
  Decision,
  DryRun,
  EnforceBatchRequest,
  EnforceBatchResponse,
  EnforceRequest,
  type EnforceRequestBody,
} from '../../shared/schemas/decision.ts';
import { fieldErrors } from '../middleware/field-errors.ts';
import { compile } from '../middleware/schema.ts';
import { defineRoute, type Reply, type Route } from '../route.ts';

/** A parse may be enforced for this long. */
const PARSE_TTL_MS = 15 * 60_000;

export interface EnforceDeps {
  readonly policies: Pick<ActivePolicySet, 'current'>;
  readonly readings: Readings;
  readonly parses: Pick<ParseStore, 'read'>;
  readonly decider: Decider;
  readonly decisions: DecisionStore;
  readonly nowMs: () => number;
  /** Told of errors of batch members that are not the caller's. */
  readonly onError: (error: unknown, requestId: string) => void;
}

/** How a decision becomes durable: with others in a group, or in the transaction of an idempotent request. */
type Write = DecisionStore['append'];

export function enforceRoutes(deps: EnforceDeps): Route[] {
  const { policies, readings, parses, decider, decisions, nowMs } = deps;
  const memberValidator = compile(EnforceRequest);

  const readingOfParse = async (
    key: AuthenticatedKey,
    body: EnforceRequestBody,
    intentId: string,
    at: string,
  ): Promise<Reading> => {
    const refuse = (message: string): ApiError => invalidField(`${at}/intent_id`, message);
    const parse = await parses.read(key.organisationId, key.environment, intentId);
    if (parse === undefined || parse.agentId !== body.agent_id) throw refuse('names no parse of this agent');
    if (parse.normalized !== body.intent) throw refuse('names a parse with another normalized intent');
    if (nowMs() - parse.createdAtMs > PARSE_TTL_MS) throw refuse('names a parse that is older than 15 minutes');
    return parse.reading;
  };

  const question = (
    active: ActivePolicies,
    key: AuthenticatedKey,
    body: EnforceRequestBody,
    reading: Reading,
  ): Question => ({
    active,
    key,
    agentId: body.agent_id,
    reading,
    context: body.context,
    claimedLevel: body.trust_level,
    approvalId: body.approval_id,
  });

  /** Answers one request; `at` is the pointer of the request within the body. */
  const enforce = async (
    active: ActivePolicies,
    key: AuthenticatedKey,
    body: EnforceRequestBody,
    at: string,
    write: Write,
  ): Promise<string> => {
    assertMayName(key, body.agent_id, `${at}/agent_id`);
    if ((body.explain === true || body.dry_run === true) && !key.scopes.has('admin:*')) {
      const member = body.explain === true ? 'explain' : 'dry_run';
      throw new ApiError('E1004', `${member} needs the scope admin:*.`, {
        errors: [{ pointer: `${at}/${member}`, message: 'needs the scope admin:*' }],
      });
    }
    const reading =
      body.intent_id === undefined
        ? readings.of(active.set, body.intent, `${at}/intent`)
        : await readingOfParse(key, body, body.intent_id, at);
    const asked = question(active, key, body, reading);
    const pending = decider.answer(asked);
    const answer = pending instanceof Promise ? await pending : pending;
    const explanation = body.explain === true ? await decider.explain(asked, answer) : undefined;
    if (body.dry_run === true) return JSON.stringify(dryRun(asked, answer, explanation));
    const { row, text } = decider.record(asked, answer);
    await write(row);
    decider.recorded(asked, answer);
    return explanation === undefined
      ? text
      : `${text.slice(0, -1)},"explanation":${JSON.stringify(explanation.candidates)}}`;
  };

  const batchMember = async (
    active: ActivePolicies,
    key: AuthenticatedKey,
    member: unknown,
    index: number,
    requestId: string,
    write: Write,
  ): Promise<string> => {
    const at = `/requests/${index}`;
    try {
      if (!memberValidator.valid(member)) {
        const errors = fieldErrors(memberValidator.explain(member, true), (pointer) => at + pointer);
        throw new ApiError('E2001', 'This member of the batch is invalid.', { errors });
      }
      // Just validated against the schema of this type.
      return await enforce(active, key, member as EnforceRequestBody, at, write);
    } catch (error) {
      if (!(error instanceof ApiError)) deps.onError(error, requestId);
      const problem =
        error instanceof ApiError
          ? error
          : new ApiError('E6001', 'This member could not be answered.', { cause: error });
      return JSON.stringify({ error: toProblem(problem, '/v1/enforce/batch', requestId) });
    }
  };

  const inTransaction =
    (sql: Sql): Write =>
    (row) =>
      decisions.insert(sql, row);

  return [
    defineRoute({
      method: 'POST',
      path: '/v1/enforce',
      access: ['intents:write'],
      tag: 'Enforcement',
      summary: 'Ask whether an agent may do something',
      description:
        'The decision is on record before it is answered. A negative decision is HTTP 200. With dry_run nothing is stored and the answer is not a decision.',
      request: { body: EnforceRequest },
      responses: {
        200: { description: 'The decision, or what it would have been.', schema: Type.Union([Decision, DryRun]) },
      },
      errors: ['E6002'],
      idempotent: true,
      handler: ({ key, body, idempotencyKey, commit }) => {
        const active = policies.current();
        if (idempotencyKey === undefined) return enforce(active, key, body, '', decisions.append).then(ok);
        return commit(async (sql) => ok(await enforce(active, key, body, '', inTransaction(sql))));
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/enforce/batch',
      access: ['intents:write'],
      tag: 'Enforcement',
      summary: 'Ask up to a hundred questions at once',
      description:
        'Decisions come in the order of the requests. A member that fails becomes {"error": problem} at its place and hides no other.',
      request: { body: EnforceBatchRequest },
      responses: { 200: { description: 'One answer a request.', schema: EnforceBatchResponse } },
      errors: ['E6002'],
      cost: (body) => Math.ceil(body.requests.length / 10),
      idempotent: true,
      handler: ({ key, body, requestId, idempotencyKey, commit }) => {
        const active = policies.current();
        const all = async (write: Write, concurrent: boolean): Promise<Reply> => {
          const members = body.requests.map((member, i) => () => batchMember(active, key, member, i, requestId, write));
          const texts: string[] = concurrent ? await Promise.all(members.map((run) => run())) : [];
          // One transaction is one connection, which takes one statement at a time.
          if (!concurrent) for (const run of members) texts.push(await run());
          return ok(`{"decisions":[${texts.join(',')}]}`);
        };
        if (idempotencyKey === undefined) return all(decisions.append, true);
        return commit((sql) => all(inTransaction(sql), false));
      },
    }),
  ];
}

function ok(text: string): Reply {
  return { status: 200, text };
}

function dryRun(question: Question, answer: Answer, explanation: Explanation | undefined): object {
  const { facts, evaluation, asOf } = answer;
  const { trust } = facts;
  return {
    dry_run: true,
    allowed: false,
    verdict: evaluation.verdict,
    agent_id: question.agentId,
    key_id: question.key.keyId,
    // Prepared by the decider, JSON text of our own.
    intent: JSON.parse(answer.intentMember) as unknown,
    trust: {
      claimed_level: trust.claimed?.level ?? null,
      recorded_level: trust.recorded.level,
      effective_level: trust.level,
      score: trust.recorded.score,
      uncertainty: trust.uncertainty,
      as_of: asOf,
    },
    reasons: evaluation.reasons,
    obligations: evaluation.obligations,
    policy_set: { digest: question.active.set.digest },
    evaluated_at: facts.time.now,
    ...(explanation === undefined ? {} : { explanation: explanation.candidates }),
  };
}

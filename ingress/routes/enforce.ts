// Enforcement: one question or a hundred, each answered by a decision that is on record before it is answered.
import { Type } from 'typebox';
import type { Sql } from '../../shared/db/database.ts';
import type { ActivePolicies, ActivePolicySet } from '../../shared/decide/active-set.ts';
import type { Answer, Decider, Question } from '../../shared/decide/decider.ts';
import type { ParseStore } from '../../shared/decide/parses.ts';
import type { Reading, Readings } from '../../shared/decide/readings.ts';
import type { Item, Recorder } from '../../shared/decide/recorder.ts';
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
  readonly decider: Pick<Decider, 'answer' | 'explain'>;
  readonly recorder: Recorder;
  readonly nowMs: () => number;
  /** Told of errors of batch members that are not the caller's. */
  readonly onError: (error: unknown, requestId: string) => void;
}

/** A request evaluated. What is not a dry run has to be durable before its answer goes out. */
interface Prepared {
  readonly item: Item;
  readonly explanation: Explanation | undefined;
  /** The whole answer of a dry run. */
  readonly dryRun?: string;
}

export function enforceRoutes(deps: EnforceDeps): Route[] {
  const { policies, readings, parses, decider, recorder, nowMs } = deps;
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
    traceparent: string | undefined,
  ): Question => ({
    active,
    key,
    agentId: body.agent_id,
    reading,
    context: body.context,
    claimedLevel: body.trust_level,
    intentId: body.intent_id,
    approvalId: body.approval_id,
    traceparent,
  });

  /** Evaluates one request; `at` is the pointer of the request within the body. Nothing is stored yet. */
  const prepare = async (
    active: ActivePolicies,
    key: AuthenticatedKey,
    body: EnforceRequestBody,
    at: string,
    traceparent: string | undefined,
  ): Promise<Prepared> => {
    assertMayName(key, body.agent_id, `${at}/agent_id`);
    if ((body.explain === true || body.dry_run === true) && !key.scopes.has('admin:*')) {
      const member = body.explain === true ? 'explain' : 'dry_run';
      throw new ApiError('E1004', `${member} needs the scope admin:*.`, {
        errors: [{ pointer: `${at}/${member}`, message: 'needs the scope admin:*' }],
      });
    }
    const reading =
      body.intent_id === undefined
        ? readings.of({ set: active.set, organisation: key.organisationSlug }, body.intent, `${at}/intent`)
        : await readingOfParse(key, body, body.intent_id, at);
    const asked = question(active, key, body, reading, traceparent);
    const pending = decider.answer(asked);
    const answer = pending instanceof Promise ? await pending : pending;
    const item: Item = { question: asked, answer };
    const explanation = body.explain === true ? await decider.explain(asked, answer) : undefined;
    if (body.dry_run !== true) return { item, explanation };
    const previewed = asked.approvalId === undefined ? answer : await recorder.preview(item);
    return { item, explanation, dryRun: JSON.stringify(dryRun(asked, previewed, explanation)) };
  };

  /** Makes a decision durable together with those of other requests. @returns the answer, which may go out now */
  const append = async ({ item, explanation, dryRun: dry }: Prepared): Promise<string> =>
    dry ?? withExplanation(await recorder.append(item), explanation);

  /** Makes decisions durable in the transaction that also stores the reply of an idempotent request. */
  const inTransaction = async (
    prepared: readonly Prepared[],
    work: (write: (sql: Sql) => Promise<string[]>) => Promise<Reply>,
  ): Promise<Reply> => {
    const real = prepared.filter(({ dryRun: dry }) => dry === undefined);
    return recorder.transaction(
      real.map(({ item }) => item),
      (write) =>
        work(async (sql) => {
          const written = await write(sql);
          return prepared.map((one) => {
            const made = written[real.indexOf(one)];
            if (made === undefined) return one.dryRun ?? '';
            return made.isRepeat ? made.text : withExplanation(made.text, one.explanation);
          });
        }),
    );
  };

  const prepareMember = async (
    active: ActivePolicies,
    key: AuthenticatedKey,
    member: unknown,
    at: string,
    traceparent: string | undefined,
  ): Promise<Prepared> => {
    if (!memberValidator.valid(member)) {
      const errors = fieldErrors(memberValidator.explain(member, true), (pointer) => at + pointer);
      throw new ApiError('E2001', 'This member of the batch is invalid.', { errors });
    }
    // Just validated against the schema of this type.
    return prepare(active, key, member as EnforceRequestBody, at, traceparent);
  };

  /** A failed member of a batch, in its place. */
  const failed = (error: unknown, requestId: string): string => {
    if (!(error instanceof ApiError)) deps.onError(error, requestId);
    const problem =
      error instanceof ApiError ? error : new ApiError('E6001', 'This member could not be answered.', { cause: error });
    return JSON.stringify({ error: toProblem(problem, '/v1/enforce/batch', requestId) });
  };

  return [
    defineRoute({
      method: 'POST',
      path: '/v1/enforce',
      access: ['intents:write'],
      tag: 'Enforcement',
      summary: 'Ask whether an agent may do something',
      description:
        'The decision is on record before it is answered. A negative decision is HTTP 200. An ESCALATE names the approval that it waits for; once a human has approved, the same question with its approval_id is allowed, once. With dry_run nothing is stored and the answer is not a decision.',
      request: { body: EnforceRequest },
      responses: {
        200: { description: 'The decision, or what it would have been.', schema: Type.Union([Decision, DryRun]) },
      },
      errors: ['E6002'],
      idempotent: true,
      handler: ({ key, body, traceparent, idempotencyKey, commit }) => {
        const active = policies.current();
        const preparing = prepare(active, key, body, '', traceparent);
        if (idempotencyKey === undefined) return preparing.then(append).then(ok);
        // Evaluated before the transaction begins: what holds a connection must not wait for another one.
        return preparing.then((prepared) =>
          inTransaction([prepared], (write) => commit(async (sql) => ok((await write(sql)).join('')))),
        );
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
      handler: async ({ key, body, requestId, traceparent, idempotencyKey, commit }) => {
        const active = policies.current();
        const members = body.requests.map((member, i) =>
          prepareMember(active, key, member, `/requests/${i}`, traceparent),
        );
        if (idempotencyKey === undefined) {
          const texts = members.map((member) => member.then(append).catch((error) => failed(error, requestId)));
          return batch(await Promise.all(texts));
        }
        const settled = await Promise.allSettled(members);
        const prepared = settled.flatMap((member) => (member.status === 'fulfilled' ? [member.value] : []));
        return inTransaction(prepared, (write) =>
          commit(async (sql) => {
            const made = await write(sql);
            const texts = settled.map((member) =>
              member.status === 'fulfilled'
                ? (made[prepared.indexOf(member.value)] ?? '')
                : failed(member.reason, requestId),
            );
            // A member that failed on our side may succeed when it is repeated: such a reply is not kept.
            const passing = settled.some((member) => member.status === 'rejected' && !isOfCaller(member.reason));
            return { ...batch(texts), passing };
          }),
        );
      },
    }),
  ];
}

function withExplanation(text: string, explanation: Explanation | undefined): string {
  if (explanation === undefined) return text;
  return `${text.slice(0, -1)},"explanation":${JSON.stringify(explanation.candidates)}}`;
}

/** Whether a failure is the request's own fault. */
function isOfCaller(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500;
}

function batch(texts: readonly string[]): Reply {
  return ok(`{"decisions":[${texts.join(',')}]}`);
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
    intent: JSON.parse(answer.intent.member) as unknown,
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

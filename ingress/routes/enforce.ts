// Enforcement: one question or a hundred, each answered by a decision that is on record before it is answered.
import { type Static, Type } from 'typebox';
import type { Sql } from '../../shared/platform/db/database.ts';
import type { ActivePolicies, ActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import type { Answer, Decider, Question } from '../../shared/domain/decisions/decider.ts';
import type { ParseStore } from '../../shared/domain/decisions/parses.ts';
import { PARSE_COUNTS_MS, type RecentParses } from '../../shared/domain/decisions/recent-parses.ts';
import type { IntentReading, IntentReadings } from '../../shared/domain/decisions/readings.ts';
import type { Presence } from '../../shared/domain/decisions/presence.ts';
import type { EvaluatedQuestion, Unwritten } from '../../shared/domain/decisions/approval-naming.ts';
import type { Opening, Recorder } from '../../shared/domain/decisions/recorder.ts';
import { ApiError, invalidField } from '../../shared/kernel/errors.ts';
import { assertMayName } from '../../shared/domain/keys/bound.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import type { Explanation } from '../../shared/core/policy/evaluate.ts';
import {
  Decision,
  DryRun,
  EnforceBatchRequest,
  EnforceBatchResponse,
  EnforceRequest,
  type EnforceRequestBody,
} from '../../shared/api/decision.ts';
import { fieldErrors } from '../request/field-errors.ts';
import { compile } from '../request/schema.ts';
import { defineRoute, type Reply, type RequestContext, type Route } from '../route.ts';
import { BATCH_PATH, batchReply, decisionAgain, type KeptBatch, membersAgain, problemText } from './enforce-again.ts';

export interface EnforceDeps {
  readonly policies: Pick<ActivePolicySet, 'current'>;
  readonly readings: IntentReadings;
  readonly parses: Pick<ParseStore, 'read'>;
  readonly recentParses: RecentParses;
  readonly decider: Pick<Decider, 'answer' | 'explain'>;
  readonly recorder: Recorder;
  readonly presence: Presence;
  readonly nowMs: () => number;
  /** Told of errors of batch members that are not the caller's. */
  readonly onError: (error: unknown, requestId: string) => void;
}

type BatchRequest = RequestContext<undefined, undefined, Static<typeof EnforceBatchRequest>>;

/** A request evaluated. What is not a dry run has to be durable before its answer goes out. */
interface EvaluatedRequest {
  readonly item: EvaluatedQuestion;
  readonly explanation: Explanation | undefined;
  /** The whole answer of a dry run. */
  readonly dryRun?: string;
}

export function enforceRoutes(deps: EnforceDeps): Route[] {
  const { policies, readings, parses, recentParses, decider, recorder, presence, nowMs } = deps;
  const memberValidator = compile(EnforceRequest);

  const readingOfParse = async (
    key: AuthenticatedKey,
    body: EnforceRequestBody,
    intentId: string,
    at: string,
    opening: Opening | undefined,
  ): Promise<IntentReading> => {
    const refuse = (message: string): ApiError => invalidField(`${at}/intent_id`, message);
    const parse = await parses.read(key.organisationId, key.environment, intentId);
    if (parse === undefined || parse.agentId !== body.agent_id) throw refuse('names no parse of this agent');
    if (parse.normalized !== body.intent) throw refuse('names a parse with another normalized intent');
    // An approval of this very parse can be used until it ends.
    const begunAtMs = opening?.intentId === intentId ? Math.min(opening.begunAtMs, nowMs()) : nowMs();
    if (begunAtMs - parse.createdAtMs > PARSE_COUNTS_MS) throw refuse('names a parse that is older than 15 minutes');
    return parse.reading;
  };

  const question = (
    active: ActivePolicies,
    key: AuthenticatedKey,
    body: EnforceRequestBody,
    reading: IntentReading,
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
  ): Promise<EvaluatedRequest> => {
    assertMayName(key, body.agent_id, `${at}/agent_id`);
    if ((body.explain === true || body.dry_run === true) && !key.scopes.has('admin:*')) {
      const member = body.explain === true ? 'explain' : 'dry_run';
      throw new ApiError('E1004', `${member} needs the scope admin:*.`, {
        errors: [{ pointer: `${at}/${member}`, message: 'needs the scope admin:*' }],
      });
    }
    const own = readings.of({ set: active.set, organisation: key.organisationSlug }, body.intent, `${at}/intent`);
    const { agent_id: agentId, intent_id: intentId, approval_id: approvalId } = body;
    const opening = approvalId === undefined ? undefined : await recorder.openingOf(key, agentId, approvalId);
    const named = intentId === undefined ? undefined : await readingOfParse(key, body, intentId, at, opening);
    const { organisationId, environment } = key;
    const asker = { organisationId, environment, agentId, begunAtMs: opening?.begunAtMs };
    const reading = await recentParses.strictestOf(asker, own, named);
    const asked = question(active, key, body, reading, traceparent);
    const pending = decider.answer(asked);
    const answer = pending instanceof Promise ? await pending : pending;
    const item: EvaluatedQuestion = { question: asked, answer };
    const explanation = body.explain === true ? await decider.explain(asked, answer) : undefined;
    if (body.dry_run !== true) return { item, explanation };
    const previewed = asked.approvalId === undefined ? answer : await recorder.preview(item);
    return { item, explanation, dryRun: JSON.stringify(dryRun(asked, previewed, explanation)) };
  };

  /** Makes a decision durable together with those of other requests. @returns the answer, which may go out now */
  const append = async ({ item, explanation, dryRun: dry }: EvaluatedRequest): Promise<string> =>
    dry ?? withExplanation(await recorder.append(item), explanation);

  /** Makes decisions durable in the transaction that also stores the reply of an idempotent request. */
  const inTransaction = async (
    prepared: readonly EvaluatedRequest[],
    work: (write: (sql: Sql) => Promise<(string | Unwritten)[]>) => Promise<Reply>,
  ): Promise<Reply> => {
    const real = prepared.filter(({ dryRun: dry }) => dry === undefined);
    return recorder.transaction(
      real.map(({ item }) => item),
      (write) =>
        work(async (sql) => {
          const written = await write(sql);
          return prepared.map((one) => {
            const made = written[real.indexOf(one)];
            if (one.dryRun !== undefined) return one.dryRun;
            if (made === undefined || 'error' in made)
              return made ?? { error: new Error('a decision was not written') };
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
  ): Promise<EvaluatedRequest> => {
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
    return problemText(problem, requestId);
  };

  /**
   * A batch under an Idempotency-Key is one effect: members that were decided stay decided, and a repeat tries only those
   * that failed on our side. @param earlier what was decided before
   */
  const batchOnce = async (
    { body, key, requestId, traceparent, commit }: BatchRequest,
    earlier: KeptBatch | undefined,
  ): Promise<Reply> => {
    const active = policies.current();
    const standing = earlier && (await membersAgain(presence, earlier, key, requestId));
    const asked = earlier?.open ?? body.requests.map((_, i) => i);
    const settled = await Promise.allSettled(
      asked.map((i) => prepareMember(active, key, body.requests[i], `/requests/${i}`, traceparent)),
    );
    const prepared = settled.flatMap((member) => (member.status === 'fulfilled' ? [member.value] : []));
    return inTransaction(prepared, (write) =>
      commit(async (sql) => {
        const made = await write(sql);
        const [answer, kept] = [[...(standing ?? [])], [...(earlier?.members ?? [])]];
        const open: number[] = [];
        for (const [at, i] of asked.entries()) {
          const member = settled[at];
          const outcome =
            member?.status === 'fulfilled'
              ? made[prepared.indexOf(member.value)]
              : { error: member?.reason as unknown };
          const text = typeof outcome === 'string' ? outcome : failed(outcome?.error, requestId);
          if (typeof outcome !== 'string' && !isOfCaller(outcome?.error)) open.push(i);
          answer[i] = kept[i] = text;
        }
        const keeps: KeptBatch = { members: kept, open };
        return { ...batchReply(answer), kept: keeps, unfinished: open.length > 0 };
      }),
    );
  };

  return [
    defineRoute({
      method: 'POST',
      path: '/v1/enforce',
      access: ['intents:write'],
      tag: 'Enforcement',
      summary: 'Ask whether an agent may do something',
      description:
        'The decision is on record before it is answered. A negative decision is HTTP 200. A repeat under the same Idempotency-Key gets the same decision; one that permits something only while it stands (see `stands` of GET /v1/decisions/{id}), otherwise 409 E5004: ask anew, under another key. An ESCALATE names the approval that it waits for; once a human has approved, the same question with its approval_id is allowed, once; a repeat within a minute gets that decision again while it stands and would not be denied now, otherwise E5004. With dry_run nothing is stored and the answer is not a decision.',
      request: { body: EnforceRequest },
      responses: {
        200: { description: 'The decision, or what it would have been.', schema: Type.Union([Decision, DryRun]) },
      },
      errors: ['E5004', 'E6002'],
      idempotent: true,
      again: (stored, key) => decisionAgain(presence, stored, key),
      handler: ({ key, body, traceparent, idempotencyKey, commit }) => {
        const active = policies.current();
        const preparing = prepare(active, key, body, '', traceparent);
        if (idempotencyKey === undefined) return preparing.then(append).then(ok);
        // Evaluated before the transaction begins: what holds a connection must not wait for another one.
        return preparing.then((prepared) =>
          inTransaction([prepared], (write) =>
            commit(async (sql) => {
              const [outcome] = await write(sql);
              if (typeof outcome === 'string') return ok(outcome);
              throw outcome?.error;
            }),
          ),
        );
      },
    }),
    defineRoute({
      method: 'POST',
      path: BATCH_PATH,
      access: ['intents:write'],
      tag: 'Enforcement',
      summary: 'Ask up to a hundred questions at once',
      description:
        'Decisions come in the order of the requests. A member that fails becomes {"error": problem} at its place and hides no other. Under an Idempotency-Key a batch is one effect: a repeat gives what was decided again, E5004 in the place of a decision that no longer stands, and tries the members again that had failed on our side (status 500 and above), and only those.',
      request: { body: EnforceBatchRequest },
      responses: { 200: { description: 'One answer a request.', schema: EnforceBatchResponse } },
      errors: ['E6002'],
      cost: (body) => Math.ceil(body.requests.length / 10),
      idempotent: true,
      // Written by ourselves, as what batchOnce keeps.
      again: async ({ kept }, key, requestId) =>
        batchReply(await membersAgain(presence, kept as KeptBatch, key, requestId)),
      handler: async (request) => {
        const { key, body, requestId, traceparent, idempotencyKey, earlier } = request;
        // As above.
        if (idempotencyKey !== undefined) return batchOnce(request, earlier as KeptBatch | undefined);
        const active = policies.current();
        const members = body.requests.map((member, i) =>
          prepareMember(active, key, member, `/requests/${i}`, traceparent),
        );
        return batchReply(
          await Promise.all(members.map((member) => member.then(append).catch((error) => failed(error, requestId)))),
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

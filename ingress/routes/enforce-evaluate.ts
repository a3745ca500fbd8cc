// Evaluates one question of an enforce request and makes its decision durable; a dry run is evaluated only.
import { toolMember } from '../../shared/core/tools/call.ts';
import type { EnforceRequestBody } from '../../shared/api/decision.ts';
import type { Explanation } from '../../shared/core/policy/evaluate.ts';
import type { EvaluatedQuestion, Unwritten } from '../../shared/domain/decisions/approval-naming.ts';
import { type Answer, answerBudgets, type Decider, type Question } from '../../shared/domain/decisions/decider.ts';
import type { ParseStore } from '../../shared/domain/decisions/parses.ts';
import type { IntentReading, IntentReadings } from '../../shared/domain/decisions/readings.ts';
import { PARSE_COUNTS_MS, type RecentParses } from '../../shared/domain/decisions/recent-parses.ts';
import type { Opening, Recorder } from '../../shared/domain/decisions/recorder.ts';
import type { AnsweredDecision, IsLast } from '../../shared/domain/decisions/written.ts';
import type { ActivePolicies } from '../../shared/domain/policy-sets/active-set.ts';
import { assertMayName } from '../../shared/domain/keys/bound.ts';
import { ApiError, invalidField } from '../../shared/kernel/errors.ts';
import type { Sql } from '../../shared/platform/db/database.ts';
import { beginSpan, endAfter } from '../../shared/platform/observe/spans.ts';
import type { Reply, RequestContext } from '../route.ts';

export interface EvaluationDeps {
  readonly readings: IntentReadings;
  readonly parses: Pick<ParseStore, 'read'>;
  readonly recentParses: RecentParses;
  readonly decider: Pick<Decider, 'answer' | 'explain'>;
  readonly recorder: Recorder;
  readonly nowMs: () => number;
}

/** Who asks, and what joins the decision with its request in logs and traces. */
export type Asker = Pick<RequestContext<unknown, unknown, unknown>, 'key' | 'requestId' | 'traceparent' | 'address'>;

/** An answer's JSON text; with the id of its decision unless it is a dry run or a problem. */
export type MemberAnswer = Pick<AnsweredDecision, 'text'> & Partial<AnsweredDecision>;

/** Unless it is a dry run, its decision must be durable before the answer is sent. */
export interface EvaluatedRequest {
  readonly item: EvaluatedQuestion;
  readonly explanation: Explanation | undefined;
  /** The whole answer of a dry run. */
  readonly dryRun?: string;
}

/** A question without the text that was read. */
export type AskedOfReading = Omit<EnforceRequestBody, 'intent' | 'tool' | 'intent_id'>;

/** Stores decisions: one outcome for each, or up to the one for which `isLast` is true. */
export type WriteAnswers = (sql: Sql, isLast?: IsLast) => Promise<(MemberAnswer | Unwritten)[]>;

export interface Evaluation {
  /**
   * Evaluates one question; nothing is stored yet. @param at JSON pointer of the question within the request's body
   * @throws {ApiError} E1004, E2001, E6002
   */
  evaluate(active: ActivePolicies, asker: Asker, body: EnforceRequestBody, at: string): Promise<EvaluatedRequest>;
  /** Evaluates a question that was read otherwise. @throws {ApiError} E1004, E2001, E6002 */
  evaluateReading(
    active: ActivePolicies,
    asker: Asker,
    body: AskedOfReading,
    own: IntentReading,
    at: string,
  ): Promise<EvaluatedRequest>;
  /** Makes a decision durable together with those of other requests. @returns the answer, which may now be sent */
  append(evaluated: EvaluatedRequest): Promise<MemberAnswer>;
  /** Makes decisions durable in the transaction that also stores the reply of an idempotent request. */
  inTransaction(evaluated: readonly EvaluatedRequest[], work: (write: WriteAnswers) => Promise<Reply>): Promise<Reply>;
}

type Readings = Pick<EvaluationDeps, 'readings' | 'parses' | 'nowMs'>;

/** The reading of the parse that a question names. @throws {ApiError} E2001 */
async function readingOfParse(
  { parses, nowMs }: Readings,
  { key }: Asker,
  { agent_id: agentId, intent, tool, intent_id: intentId = '' }: EnforceRequestBody,
  at: string,
  opening: Opening | undefined,
): Promise<IntentReading> {
  const refuse = (message: string): ApiError => invalidField(`${at}/intent_id`, message);
  const parse = await parses.read(key, intentId);
  if (parse === undefined || parse.agentId !== agentId) throw refuse('names no parse of this agent');
  if (tool !== undefined) throw refuse('names a parse of a text, and the question is a tool call');
  if (parse.normalized !== intent) throw refuse('names a parse with another normalized intent');
  // An approval of this very parse can be used until it ends.
  const begunAtMs = opening?.intentId === intentId ? Math.min(opening.begunAtMs, nowMs()) : nowMs();
  if (begunAtMs - parse.createdAtMs > PARSE_COUNTS_MS) throw refuse('names a parse that is older than 15 minutes');
  return parse.reading;
}

/** The reading of the question alone. @throws {ApiError} E2001 */
function ownReading(
  { readings }: Readings,
  { set }: ActivePolicies,
  { key: { organisationSlug: organisation } }: Asker,
  { intent, tool }: EnforceRequestBody,
  at: string,
): IntentReading {
  if (intent !== undefined && tool !== undefined)
    throw invalidField(`${at}/tool`, 'stands beside "intent": a question has exactly one of both');
  if (tool !== undefined) return readings.ofTool({ set, organisation }, tool, `${at}/tool`);
  if (intent === undefined) throw invalidField(`${at}/intent`, 'is missing: a question has "intent" or "tool"');
  return readings.of({ set, organisation }, intent, `${at}/intent`);
}

export function createEvaluation(deps: EvaluationDeps): Evaluation {
  const { recentParses, decider, recorder } = deps;

  const decide = async (
    active: ActivePolicies,
    asker: Asker,
    body: AskedOfReading & Pick<EnforceRequestBody, 'intent' | 'intent_id' | 'tool'>,
    own: IntentReading,
    at: string,
  ): Promise<EvaluatedRequest> => {
    const { key, requestId, traceparent, address } = asker;
    const { organisationId, environment } = key;
    const { agent_id: agentId, intent_id: intentId, approval_id: approvalId } = body;
    const opening = approvalId === undefined ? undefined : await recorder.openingOf(key, agentId, approvalId);
    const named = intentId === undefined ? undefined : await readingOfParse(deps, asker, body, at, opening);
    const agent = { organisationId, environment, agentId, begunAtMs: opening?.begunAtMs };
    const question: Question = {
      active,
      key,
      agentId,
      reading: await recentParses.strictestOf(agent, own, named),
      context: body.context,
      claimedLevel: body.trust_level,
      intentId,
      approvalId,
      address,
      traceparent,
      requestId,
    };
    const answer = await decider.answer(question);
    const item = { question, answer };
    const isDryRun = body.dry_run === true;
    // With the present use of budgets, which a decision itself reads again.
    const isCounted = body.explain === true && approvalId === undefined && answer.evaluation.charges !== undefined;
    const previewed = isDryRun || isCounted ? await recorder.preview(item) : answer;
    const explained = isCounted ? previewed : answer;
    const explanation = body.explain === true ? await decider.explain(question, explained) : undefined;
    if (!isDryRun) return { item, explanation };
    return { item, explanation, dryRun: JSON.stringify(dryRunOf(question, previewed, explanation)) };
  };
  const assertMayAsk = (asker: Asker, body: AskedOfReading, at: string): void => {
    assertMayName(asker.key, body.agent_id, `${at}/agent_id`);
    assertMayExplain(asker, body, at);
  };

  return {
    // An async function, so that a refusal rejects instead of throwing.
    async evaluate(active, asker, body, at) {
      assertMayAsk(asker, body, at);
      const span = beginSpan('read intent');
      let own: IntentReading;
      try {
        own = ownReading(deps, active, asker, body, at);
      } finally {
        span?.end();
      }
      return decide(active, asker, body, own, at);
    },
    async evaluateReading(active, asker, body, own, at) {
      assertMayAsk(asker, body, at);
      return decide(active, asker, body, own, at);
    },

    append: async ({ item, explanation, dryRun }) =>
      dryRun === undefined
        ? withExplanation(await endAfter(beginSpan('commit'), recorder.append(item)), explanation)
        : { text: dryRun },

    inTransaction(evaluated, work) {
      const real = evaluated.filter(({ dryRun }) => dryRun === undefined);
      const span = beginSpan('commit');
      const committed = recorder.transaction(
        real.map(({ item }) => item),
        (write) =>
          work(async (sql, isLast) => {
            const written = await write(sql, isLast);
            return evaluated.flatMap((one): (MemberAnswer | Unwritten) | [] => {
              if (one.dryRun !== undefined) return { text: one.dryRun };
              const decision = written[real.indexOf(one)];
              if (decision === undefined)
                return isLast === undefined ? { error: new Error('a decision was not written') } : [];
              if ('error' in decision || decision.isRepeat) return decision;
              return withExplanation(decision, one.explanation);
            });
          }),
      );
      return endAfter(span, committed);
    },
  };
}

/** @throws {ApiError} E1004 */
function assertMayExplain({ key }: Asker, { explain, dry_run: dryRun }: AskedOfReading, at: string): void {
  if ((explain !== true && dryRun !== true) || key.scopes.has('admin:*')) return;
  const member = explain === true ? 'explain' : 'dry_run';
  throw new ApiError('E1004', `${member} needs the scope admin:*.`, {
    errors: [{ pointer: `${at}/${member}`, message: 'needs the scope admin:*' }],
  });
}

function withExplanation(answer: AnsweredDecision, explanation: Explanation | undefined): AnsweredDecision {
  if (explanation === undefined) return answer;
  const text = `${answer.text.slice(0, -1)},"explanation":${JSON.stringify(explanation.candidates)}}`;
  return { ...answer, text };
}

function dryRunOf(
  { agentId, key, active }: Question,
  { facts, evaluation, asOf, intent }: Answer,
  explanation: Explanation | undefined,
): object {
  const { trust } = facts;
  const budgets = answerBudgets({ facts, evaluation });
  return {
    dry_run: true,
    allowed: false,
    verdict: evaluation.verdict,
    agent_id: agentId,
    key_id: key.keyId,
    // The decider has serialized it.
    intent: JSON.parse(intent.member) as unknown,
    ...(facts.tool === undefined ? {} : { tool: toolMember(facts.tool) }),
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
    ...(budgets === undefined ? {} : { budgets }),
    policy_set: { digest: active.set.digest },
    evaluated_at: facts.time.now,
    ...(explanation === undefined ? {} : { explanation: explanation.candidates }),
  };
}

// Decides questions: gathers facts, evaluates policies, and builds the answer and record of a decision.
import type { ChangeFeed } from '../../platform/db/changes.ts';
import { beginSpan, endAfter, endOnFailure } from '../../platform/observe/spans.ts';
import { flatText } from '../../kernel/flat-text.ts';
import { approvalIdOfDecision, newId, proofIdOfDecision } from '../../kernel/ids.ts';
import { permits } from '../../kernel/vocabulary.ts';
import type { Promiser, PromiseSubject } from '../ledger/promises.ts';
import { promiseText } from '../../core/proof/promise.ts';
import { recordDigest } from '../../core/proof/record.ts';
import type { AuthenticatedKey } from '../keys/types.ts';
import type { ApprovalDemands, ApproverDemand } from '../../core/policy/approvers.ts';
import type { Explanation } from '../../core/policy/evaluate.ts';
import type { ResourceRegistry } from '../../core/resources/registry.ts';
import { type BudgetLeft, budgetsLeft, isCharged } from '../../core/policy/budget.ts';
import { builtInEvaluation, unknownRisk } from '../../core/policy/combine.ts';
import { haltEvaluation } from '../../core/decision/halt.ts';
import { timeFactsOf } from '../../core/policy/time.ts';
import type { Evaluation, Facts, Reason, Risk, RiskFacts } from '../../core/policy/types.ts';
import type { TrustFacts } from '../../core/trust/facts.ts';
import { canonicalize, canonicalString } from '../../core/proof/canonical.ts';
import { dayOf } from '../../core/trust/beta.ts';
import { effectiveTrust, NO_EVIDENCE, recordedScoreOf } from '../../core/trust/score.ts';
import type { ActivePolicies } from '../policy-sets/active-set.ts';
import type { AgentDirectory, AgentState } from '../agents/agents.ts';
import { clientOf, resourceOf } from './question-facts.ts';
import type { ResourceDirectory } from '../resources/directory.ts';
import type { Halt, Halts } from './halts.ts';
import { type AssessedIntent, type IntentReading, withReaderAway } from './readings.ts';
import { canonicalFacts, type DecisionBytes, newSalt, writeDecision } from '../../core/decision/record.ts';
import { reasonCodesOf } from '../../core/proof/reason-codes.ts';
import type { DecisionRow } from './decision-store.ts';

/** The members of the calling key that a decision needs. */
export type Principal = Pick<
  AuthenticatedKey,
  'keyId' | 'lineage' | 'organisationId' | 'organisationSlug' | 'environment' | 'agentIds' | 'tags'
>;

/** One question; `active` is taken once per request, so that the whole request is evaluated with one policy set. */
export interface Question {
  readonly active: ActivePolicies;
  readonly key: Principal;
  readonly agentId: string;
  readonly reading: IntentReading;
  readonly context: Record<string, unknown> | undefined;
  /** 0..1000 */
  readonly claimedScore?: number | undefined;
  /** 0..7 */
  readonly claimedLevel?: number | undefined;
  /** Id of the parse or submitted intent of the question. */
  readonly intentId?: string | undefined;
  /** Not used here: recorder.ts applies approvals. */
  readonly approvalId?: string | undefined;
  /** Of the client that asks, or that submitted the intent, as the rate limiter has it. Absent: unknown. */
  readonly address?: string | undefined;
  /** The key of a submitted intent was revoked or has expired since: it is denied, whatever the policies say. */
  readonly isKeyInvalid?: boolean | undefined;
  /** W3C trace context of the request. */
  readonly traceparent?: string | undefined;
  /** X-Request-Id of the request that asks, or of the one that submitted the intent. */
  readonly requestId?: string | undefined;
}

export interface Answer {
  readonly facts: Facts;
  readonly evaluation: Evaluation;
  /** The intent of the facts, with its texts. */
  readonly intent: AssessedIntent;
  /** JCS of the agent's facts. */
  readonly agentText: string;
  readonly asOf: { readonly signals: number; readonly day: string };
  readonly nowMs: number;
}

/** The approval that an ESCALATE names. */
export interface NamedApproval {
  readonly approvalId: string;
  readonly expiresAtMs: number;
  /** Who must approve; undefined: any admin key. */
  readonly approvers?: readonly ApproverDemand[] | undefined;
}

export interface RecordedDecision {
  readonly row: DecisionRow;
  /** The approval that it names; a new one has an id and an expiry now. */
  readonly approval: NamedApproval | undefined;
  /** The answer, JSON text, with a promise that is signed alone: for a text that is stored in the transaction of the row. */
  text(): string;
  /** The same with a promise that is signed together with others. To be called when the row is durable. */
  textTogether(): Promise<string>;
}

export interface Decider {
  /** Evaluates without storing. Synchronous when all inputs are cached. @throws {ApiError} E6002 */
  answer(question: Question): Answer | Promise<Answer>;
  /**
   * The DENY of a question whose evaluation failed for good. No policy is evaluated, because that may be what fails, and the risk
   * is the highest. @throws {ApiError} E6002
   */
  failedAnswer(question: Question): Answer | Promise<Answer>;
  /**
   * The same answer evaluated with an approval (`combineApproved`), which becomes the last reason. Only for answers that are not
   * DENY, because an approval lifts no DENY, such as that of a halt.
   */
  approve(question: Question, answer: Answer, approval: Reason): Promise<Answer>;
  /** The same answer with facts that say how much of budgets was used, by the policies alone (not by halts). */
  evaluateAgain(question: Question, answer: Answer, facts: Facts, approval?: Reason): Promise<Answer>;
  /**
   * Builds the row and the answer; the caller stores the row before it sends the answer's text.
   * @param named the approval that it names, or the demands of one that it opens
   */
  record(question: Question, answer: Answer, named?: NamedApproval | ApprovalDemands): RecordedDecision;
  /** To be called when a row is durable: counts it in the agent's history. */
  recorded(question: Question, answer: Answer): void;
  /** Every candidate rule with the values that it compared. */
  explain(question: Question, answer: Answer): Promise<Explanation>;
}

export interface DeciderDeps {
  readonly changes: Pick<ChangeFeed, 'ensureFresh'>;
  readonly agents: Pick<AgentDirectory, 'get' | 'count'>;
  readonly resources: ResourceDirectory;
  readonly halts: Halts;
  /** Whether the installation has a second reader: nothing is permitted by a parse that it has not read. */
  readonly hasSecondReader: boolean;
  readonly nowMs: () => number;
  /** Signs the promise in an answer; absent where no answer is sent. */
  readonly promiser?: Promiser | undefined;
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return value instanceof Promise;
}

/** Calls `next` synchronously when the value is not a promise, because a promise costs more than a cached verdict. */
function then<A, B>(value: A | Promise<A>, next: (value: A) => B | Promise<B>): B | Promise<B> {
  return isPromise(value) ? value.then(next) : next(value);
}

let lastTime: { readonly nowMs: number; readonly facts: Facts['time'] } | undefined;

/** Cached for the requests of the same millisecond. */
function timeFacts(nowMs: number): Facts['time'] {
  if (lastTime?.nowMs !== nowMs) lastTime = { nowMs, facts: timeFactsOf(nowMs) };
  return lastTime.facts;
}

const NO_CONTEXT: Record<string, unknown> = Object.freeze({});
const keyTexts = new WeakMap<Principal, string>();

function keyText(key: Principal, facts: Facts['key']): string {
  let text = keyTexts.get(key);
  if (text === undefined) {
    text = flatText(canonicalize(facts));
    keyTexts.set(key, text);
  }
  return text;
}

const byClaimedLevel = new Map<number | undefined, TrustFacts>();

/** The trust of an agent without signals. Without a claimed score there are nine of them, which are cached. */
function noEvidence(claimedScore: number | undefined, claimedLevel: number | undefined): TrustFacts {
  const known = claimedScore === undefined ? byClaimedLevel.get(claimedLevel) : undefined;
  if (known !== undefined) return known;
  const trust = effectiveTrust({
    recordedScore: NO_EVIDENCE.score,
    uncertainty: NO_EVIDENCE.uncertainty,
    claimedScore,
    claimedLevel,
  });
  // The API validates the level; the check bounds the map for other callers.
  const isLevel =
    claimedLevel === undefined || (Number.isInteger(claimedLevel) && claimedLevel >= 0 && claimedLevel <= 7);
  if (claimedScore === undefined && isLevel) byClaimedLevel.set(claimedLevel, trust);
  return trust;
}

/** The trust that a decision uses at this time, from the recorded score and the claim of the question. */
function trustOf({ facts, trust }: AgentState, question: Question, nowMs: number): TrustFacts {
  const { claimedScore, claimedLevel } = question;
  if (trust.signals === 0) return noEvidence(claimedScore, claimedLevel);
  const { score, uncertainty } = trust.on(dayOf(nowMs));
  return effectiveTrust({
    recordedScore: recordedScoreOf(facts.registered, score),
    uncertainty,
    claimedScore,
    claimedLevel,
  });
}

const isNew = (named: NamedApproval | ApprovalDemands): named is ApprovalDemands => 'lifetimeMs' in named;

const openedBy = (
  decisionId: string,
  { nowMs }: Answer,
  { approvers, lifetimeMs }: ApprovalDemands,
): NamedApproval => ({
  approvalId: approvalIdOfDecision(decisionId),
  expiresAtMs: nowMs + lifetimeMs,
  approvers,
});

/** The budgets that an answer shows; undefined: it has read none. */
export function answerBudgets({ facts, evaluation }: Pick<Answer, 'facts' | 'evaluation'>): BudgetLeft[] | undefined {
  return facts.budgets === undefined ? undefined : budgetsLeft(facts.budgets, isCharged(evaluation));
}

/** What the directories know for a question. */
interface Known {
  readonly agent: AgentState;
  /** The resources that the organisation registered. */
  readonly registered: ResourceRegistry;
}

export function createDecider(deps: DeciderDeps): Decider {
  const { changes, agents, resources, halts, hasSecondReader, nowMs, promiser } = deps;

  const knownOf = ({ key, agentId }: Question): Known | Promise<Known> => {
    const { organisationId, environment } = key;
    return then(agents.get({ organisationId, environment, agentId }), (agent) =>
      then(resources.get(key), (registered) => ({ agent, registered })),
    );
  };

  const withoutRisk = (question: Question, { agent, registered }: Known, now: number): RiskFacts => {
    const { key, reading, context, active } = question;
    const resource = resourceOf(reading.unassessed, [active.set.registry, registered]);
    return {
      intent: reading.unassessed,
      ...(reading.call === undefined ? {} : { tool: reading.call.facts }),
      agent: agent.facts,
      trust: trustOf(agent, question, now),
      key: { id: key.keyId, bound: key.agentIds !== null, environment: key.environment, tags: key.tags },
      ...(resource === undefined ? {} : { resource }),
      ...clientOf(question.address),
      context: context ?? NO_CONTEXT,
      time: timeFacts(now),
      history: agent.history.counts(now),
      organisation: { slug: key.organisationSlug },
      environment: key.environment,
    };
  };

  /** Completes the facts with the risk, and evaluates them. */
  const complete = (
    question: Question,
    { agent }: Known,
    { gathered, risk, now }: { gathered: RiskFacts; risk: Risk; now: number },
    evaluationOf: (facts: Facts) => Evaluation | Promise<Evaluation>,
  ): Answer | Promise<Answer> => {
    const { reading } = question;
    const intent = reading.withRisk(risk);
    const facts: Facts = { ...gathered, intent: intent.facts };
    return then(evaluationOf(facts), (evaluation) => ({
      facts,
      evaluation,
      intent,
      agentText: agent.canonical,
      asOf: { signals: agent.trust.signals, day: facts.time.date },
      nowMs: now,
    }));
  };

  /** A parse that would be permitted and lacks a second reading counts as one about which the reader is away. */
  const evaluate = (question: Question, known: Known, halt: Halt | undefined): Answer | Promise<Answer> => {
    const { reading } = question;
    const answer = evaluateOnce(question, known, halt);
    if (!hasSecondReader || !reading.lacksSecondReading) return answer;
    return then(answer, (first) =>
      permits(first.evaluation.verdict)
        ? evaluateOnce({ ...question, reading: withReaderAway(reading) }, known, halt)
        : first,
    );
  };

  const evaluateOnce = (question: Question, known: Known, halt: Halt | undefined): Answer | Promise<Answer> => {
    const now = nowMs();
    const gathered = withoutRisk(question, known, now);
    const span = beginSpan('rules');
    const answer = then(question.active.evaluator.assessRisk(gathered), (risk: Risk) =>
      complete(question, known, { gathered, risk, now }, (facts) => verdictOf(question, facts, halt)),
    );
    return endAfter(span, answer);
  };

  const verdictOf = (question: Question, facts: Facts, halt: Halt | undefined): Evaluation | Promise<Evaluation> => {
    if (halt !== undefined) return haltEvaluation(halt.reason);
    if (question.isKeyInvalid === true) return builtInEvaluation('KEY_INVALID');
    return question.active.evaluator.evaluate(facts);
  };

  return {
    answer(question) {
      const { organisationId, environment } = question.key;
      const span = beginSpan('facts');
      const answer = then(changes.ensureFresh() ?? undefined, () =>
        then(halts.get(organisationId, environment), (halt) =>
          then(endAfter(span, knownOf(question)), (known) => evaluate(question, known, halt)),
        ),
      );
      return endOnFailure(span, answer);
    },
    failedAnswer(question) {
      return then(changes.ensureFresh() ?? undefined, () =>
        then(knownOf(question), (known) => {
          const now = nowMs();
          const gathered = withoutRisk(question, known, now);
          const risk = unknownRisk('EVALUATION_FAILED');
          return complete(question, known, { gathered, risk, now }, () => builtInEvaluation('EVALUATION_FAILED'));
        }),
      );
    },
    async evaluateAgain(question, answer, facts, approval) {
      const { evaluator } = question.active;
      const evaluation = await (approval === undefined
        ? evaluator.evaluate(facts)
        : evaluator.evaluateApproved(facts, approval));
      return { ...answer, facts, evaluation };
    },
    async approve(question, answer, approval) {
      return { ...answer, evaluation: await question.active.evaluator.evaluateApproved(answer.facts, approval) };
    },
    record(question, answer, named) {
      const { key, agentId, active } = question;
      const decisionId = newId('dec', answer.nowMs);
      const approval = named && (isNew(named) ? openedBy(decisionId, answer, named) : named);
      const proofId = proofIdOfDecision(decisionId);
      const salt = newSalt();
      const facts = canonicalFacts(answer.facts, {
        agent: answer.agentText,
        context: question.context === undefined ? '{}' : canonicalize(question.context),
        intent: answer.intent.canonical,
        tool: question.reading.call?.canonical,
        key: keyText(key, answer.facts.key),
        resource: answer.facts.resource && canonicalize(answer.facts.resource),
      });
      const bytes: DecisionBytes = writeDecision({
        decisionId,
        proofId,
        keyId: key.keyId,
        agentId: canonicalString(agentId),
        environment: key.environment,
        organisationSlug: key.organisationSlug,
        evaluatedAtMs: answer.nowMs,
        policyDigest: active.set.digest,
        intent: answer.intent.member,
        tool: question.reading.call?.member,
        trust: answer.facts.trust,
        requestId: question.requestId,
        asOf: answer.asOf,
        evaluation: answer.evaluation,
        approval,
        budgets: answerBudgets(answer),
        facts,
        salt,
      });
      const row: DecisionRow = {
        decisionId,
        organisationId: key.organisationId,
        environment: key.environment,
        agentId,
        keyId: key.keyId,
        verdict: answer.evaluation.verdict,
        evaluatedAt: answer.facts.time.now,
        record: bytes.record,
        facts,
        factsSalt: salt.toString('hex'),
        traceparent: question.traceparent,
        requestId: question.requestId,
        tool: answer.facts.tool,
        reasons: reasonCodesOf(answer.evaluation.verdict, answer.evaluation.reasons),
      };
      const { organisationId, organisationSlug, environment } = key;
      const promised = (): PromiseSubject => ({
        organisationId,
        organisationSlug,
        environment,
        proofId,
        recordDigest: recordDigest(bytes.record),
        issuedAtMs: answer.nowMs,
      });
      return {
        row,
        approval,
        text: () => bytes.answer(promiser && promiseText(promiser.promise(promised()))),
        textTogether: async () => bytes.answer(promiser && promiseText(await promiser.together(promised()))),
      };
    },
    recorded(question, answer) {
      const { organisationId, environment } = question.key;
      agents.count({ organisationId, environment, agentId: question.agentId }, answer.nowMs, answer.evaluation.verdict);
    },
    explain: (question, answer) => question.active.evaluator.explain(answer.facts),
  };
}

// Evaluates a recorded decision with another policy set and compares the verdicts. Pure.
import { isUnknownRisk } from '../../core/policy/combine.ts';
import { type Aspect, differingAspects } from '../../core/policy/aspects.ts';
import { budgetFact, budgetsLeft } from '../../core/policy/budget.ts';
import { isSame } from '../../core/policy/difference.ts';
import type { Compared, NotEvaluable } from '../../core/policy/difference-types.ts';
import { createEvaluator, type Evaluator } from '../../core/policy/evaluate.ts';
import type { Lexicon } from '../../core/intent/lexicon/types.ts';
import type { PolicySet } from '../../core/policy/load.ts';
import { readCall } from '../../core/tools/read-call.ts';
import type { BudgetFacts, Evaluation, Facts, Reason, RiskFacts } from '../../core/policy/types.ts';
import { isBeforeBinding } from '../../core/decision/approval-bound.ts';
import { unpackRecord } from '../../core/decision/packed-record.ts';
import { unpackFacts } from '../../core/decision/packed-facts.ts';
import { factsDigest } from '../../core/decision/record.ts';
import { canonicalize } from '../../core/proof/canonical.ts';
import { namesItsOwnApproval } from '../../core/verification/approvals.ts';
import { permits } from '../../kernel/vocabulary.ts';
import { specialOf } from '../../core/verification/decision.ts';
import { parseFacts } from '../../core/verification/facts.ts';
import { type DecisionBody, isBody } from '../../core/verification/record.ts';

/** A decision as its row has it. */
export interface StoredForReplay {
  /** As stored: see packed-record.ts. */
  readonly record: Buffer;
  /** JCS of all facts, packed or not, and the salt of their digest; both null once retention has erased them. */
  readonly facts: Buffer | null;
  readonly salt: Buffer | null;
}

/** `standing`: an answer of the service itself, which does not depend on policies. */
export type Replayed =
  | { readonly kind: 'compared'; readonly compared: Compared; readonly policyDigest: string }
  | { readonly kind: 'standing'; readonly policyDigest: string }
  | { readonly kind: 'not_evaluable'; readonly why: NotEvaluable; readonly policyDigest: string | undefined };

export interface Replayer {
  /** Never throws because of stored data: a decision that cannot be parsed is not evaluable. */
  replay(stored: StoredForReplay): Promise<Replayed>;
}

/** Cached verdicts and risks. */
const MEMO_LIMIT = 20_000;

/**
 * Replays decisions with a set. Risk is computed again with the intake policies of the set. Trust, agent, history, time and the reading
 * of the intent are as recorded, and approvals still count. A tool call is read again with the catalogues of another set when a
 * lexicon is given. Decisions of earlier versions are evaluated with those versions' treatment of missing facts, so that every
 * difference comes from the draft.
 */
export function createReplayer(
  set: Pick<PolicySet, 'digest' | 'compiled'> & Partial<Pick<PolicySet, 'tools'>>,
  lexicon?: Lexicon,
): Replayer {
  const present = createEvaluator({ set, memoLimit: MEMO_LIMIT });
  const earlier = createEvaluator({ set, memoLimit: MEMO_LIMIT, missingOpens: 'everything' });
  const evaluatorFor = (facts: Facts): Evaluator => (isBeforeBinding(facts) ? earlier : present);

  /** The facts of a tool call as the catalogues of this set read it. */
  const readAgain = (facts: Facts): Facts => {
    const { tool: call, intent: recorded, organisation } = facts;
    if (call === undefined || lexicon === undefined || set.tools === undefined) return facts;
    const { tool, intent } = readCall(call, set.tools, lexicon.forOrganisation(organisation.slug));
    const { requested, parsed, risk } = recorded;
    const depth = intent.resource.split('/').filter((segment) => segment !== '*').length;
    return { ...facts, tool, intent: { ...intent, ...(requested && { requested }), parsed, depth, risk } };
  };

  const verdictOf = (facts: Facts, approval: Reason | undefined): Evaluation | Promise<Evaluation> =>
    approval === undefined
      ? evaluatorFor(facts).evaluate(facts)
      : evaluatorFor(facts).evaluateApproved(facts, approval);

  const evaluate = async (facts: Facts, approval: Reason | undefined): Promise<Evaluation> => {
    const { risk: recordedRisk, ...intent } = facts.intent;
    // A risk that could not be computed then keeps its recorded value, because the original is unknown.
    if (isUnknownRisk(recordedRisk)) return verdictOf(facts, approval);
    const gathered: RiskFacts = { ...facts, intent };
    const risk = await evaluatorFor(facts).assessRisk(gathered);
    return verdictOf({ ...facts, intent: { ...facts.intent, risk } }, approval);
  };

  return {
    async replay(stored) {
      const read = readBody(stored.record);
      if (read === undefined) return { kind: 'not_evaluable', why: 'damaged', policyDigest: undefined };
      const { body, organisation, environment } = read;
      const policyDigest = body.policy_set.digest;
      if (stored.facts === null && stored.salt === null)
        return { kind: 'not_evaluable', why: 'factsErased', policyDigest };
      const facts = readFacts(stored, body);
      if (facts === undefined) return { kind: 'not_evaluable', why: 'damaged', policyDigest };
      const special = specialOf(body.reasons);
      if (special !== undefined && special.kind !== 'used') return { kind: 'standing', policyDigest };
      const before = recordedOf(body);
      const after = await evaluate(policyDigest === set.digest ? facts : readAgain(facts), special?.reason);
      // Only damage leads here. The set that was in force must show no differences.
      if (policyDigest === set.digest && !isSame(before, after))
        return { kind: 'not_evaluable', why: 'notReproduced', policyDigest };
      const compared: Compared = {
        decisionId: body.decision_id,
        evaluatedAt: body.evaluated_at,
        organisation,
        environment,
        agentId: body.agent_id,
        intent: facts.intent.normalized,
        resource: facts.intent.resource,
        ...(facts.tool && { tool: { server: facts.tool.server, name: facts.tool.name } }),
        before,
        after,
        differs: policyDigest === set.digest ? [] : differsFrom(body, facts, after),
      };
      return { kind: 'compared', compared, policyDigest };
    },
  };
}

/**
 * In what the result of a draft differs from the record. A record has approvers and a lifetime only where the decision opened its
 * approval (and its id says so, which those of earlier versions do not), and budgets without what they are counted by. A lifetime without `ttl` in the rules is a setting, and not compared.
 */
function differsFrom(body: DecisionBody, { budgets }: Facts, after: Evaluation): Aspect[] {
  const before = recordedOf(body);
  const found = differingAspects({ ...before, ...escalationOf(body, after) }, { ...after, charges: [] });
  const isPermitted = permits(before.verdict) && permits(after.verdict);
  return isPermitted && !same(chargedIn(body, budgets), chargesOf(after)) ? [...found, 'budgets'] : found;
}

/** The recorded escalation; that of the draft where the record does not tell. */
function escalationOf(body: DecisionBody, { verdict, escalation }: Evaluation): Pick<Evaluation, 'escalation'> {
  const { approval } = body;
  const kept = escalation === undefined ? {} : { escalation };
  if (approval === undefined || body.verdict !== 'ESCALATE' || verdict !== 'ESCALATE') return kept;
  if (!namesItsOwnApproval(body)) return kept;
  const { ttlMs, orDefault } = escalation ?? {};
  const livesMs = Date.parse(approval.expires_at) - Date.parse(body.evaluated_at);
  const isSameTtl = ttlMs === undefined || livesMs === ttlMs || (orDefault === true && livesMs < ttlMs);
  return {
    escalation: {
      ...escalation,
      ...(isSameTtl ? {} : { ttlMs: livesMs }),
      // Both are undefined where anyone may approve.
      ...(same(approval.approvers, escalation?.approvers) ? {} : { approvers: approval.approvers ?? [] }),
    },
  };
}

type BudgetShape = Omit<BudgetFacts, 'used'>;
type Charges = Readonly<Record<string, BudgetShape>>;

const shapeOf = ({ amount, limit, window }: BudgetFacts): BudgetShape => ({ amount, limit, window });

const chargesOf = ({ charges = [] }: Evaluation): Charges =>
  Object.fromEntries(charges.map((charge) => [charge.name, shapeOf(budgetFact(charge, 0))]));

/** The budgets that a recorded permission counted against: none when it took nothing from what was left. */
function chargedIn(body: DecisionBody, budgets: Facts['budgets'] = {}): Charges {
  if (!same(body.budgets ?? [], budgetsLeft(budgets, true))) return {};
  return Object.fromEntries(Object.entries(budgets).map(([name, budget]) => [name, shapeOf(budget)]));
}

const same = (a: unknown, b: unknown): boolean => canonicalize(a ?? null) === canonicalize(b ?? null);

/** The recorded evaluation. isBody checked the members; writeDecision wrote reasons and obligations. */
function recordedOf({ verdict, reasons, obligations }: DecisionBody): Evaluation {
  return {
    verdict,
    reasons: reasons as Evaluation['reasons'],
    obligations: obligations as Evaluation['obligations'],
  };
}

function readFacts({ facts: stored, salt }: StoredForReplay, body: DecisionBody): Facts | undefined {
  if (stored === null || salt === null) return undefined;
  const facts = unpackFacts(stored);
  return factsDigest(salt, facts.toString('utf8')) === body.factsDigest ? parseFacts(facts) : undefined;
}

interface RecordedBody {
  readonly body: DecisionBody;
  readonly organisation: string;
  readonly environment: string;
}

/** The digest of the set that made a decision; undefined: its record is damaged. */
export const policyDigestOf = (record: Buffer): string | undefined => readBody(record)?.body.policy_set.digest;

function readBody(record: Buffer): RecordedBody | undefined {
  let value: unknown;
  try {
    value = JSON.parse(`${unpackRecord(record).toString('utf8')}}`);
  } catch {
    return undefined;
  }
  const payload = memberOf(value, 'payload');
  const [body, organisation, environment] = ['body', 'organisation', 'environment'].map((name) =>
    memberOf(payload, name),
  );
  if (!isBody(body) || typeof organisation !== 'string' || typeof environment !== 'string') return undefined;
  return { body, organisation, environment };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

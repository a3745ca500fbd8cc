// Combines the rules that hold into one verdict: DENY over ESCALATE over DEGRADE over ALLOW, and DENY when nothing permits.
import { byText } from '../../kernel/order.ts';
import type { RiskLevel, Verdict } from '../../kernel/vocabulary.ts';
import { escalationOf } from './approvers.ts';
import { type BudgetedMatch, countBudgets, type Counted } from './budget.ts';
import { SEVERITY } from './compile.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { groundOf, holdsFor, missingPaths } from './normal-form.ts';
import type { Ground } from './normal-form.ts';
import { allObligations, mergeObligations } from './obligations.ts';
import type { CandidateRule } from './rule-index.ts';
import { BUILT_IN_POLICY } from './schema.ts';
import type { PolicyObligation } from './schema.ts';
import type { BudgetCharge, Evaluation, Facts, Reason, Risk, RiskFactor, RiskFacts } from './types.ts';

/** Reasons of the service itself. */
export const BUILT_IN_REASONS = {
  NO_MATCH: { rule: 'no-match', effect: 'DENY', message: 'no policy permits this' },
  AGENT_NOT_ACTIVE: { rule: 'agent-not-active', effect: 'DENY', message: 'the agent is not active' },
  KEY_INVALID: { rule: 'key-invalid', effect: 'DENY', message: 'the key that asked is not valid any more' },
  ENGINE_INCOMPLETE: {
    rule: 'engine-incomplete',
    effect: 'DENY',
    message: 'not every rule was evaluated, so the answer is no',
  },
  EVALUATION_FAILED: {
    rule: 'evaluation-failed',
    effect: 'DENY',
    message: 'the evaluation failed, so the answer is no',
  },
  OBLIGATIONS_CONFLICT: {
    rule: 'obligations-conflict',
    effect: 'ESCALATE',
    message: 'the obligations of several rules can not be kept together',
  },
} as const satisfies Record<string, { rule: string; effect: Verdict; message: string }>;
export type BuiltInCode = keyof typeof BUILT_IN_REASONS;

function builtInReason(code: BuiltInCode, message?: string): Reason {
  const entry = BUILT_IN_REASONS[code];
  return { policy: BUILT_IN_POLICY, rule: entry.rule, effect: entry.effect, code, message: message ?? entry.message };
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) freeze(member);
  }
  return value;
}

/** An evaluation with one built-in reason. */
export function builtInEvaluation(code: BuiltInCode, message?: string): Evaluation {
  const reason = builtInReason(code, message);
  return freeze({ verdict: reason.effect, reasons: [reason], obligations: [] });
}

/** A rule that holds, with the ground: certain, in part, or because facts are missing. Enough to choose a verdict. */
export interface HoldingRule {
  readonly candidate: CandidateRule;
  readonly ground: Exclude<Ground, 'not at all'>;
  /** Whether the conditions hold for every resource that a requested pattern covers. */
  readonly isWhole: boolean;
}

/** A rule that holds, with what a whole answer says about it. */
export interface Match extends HoldingRule {
  /** Of the rule, filled with the values of the facts. */
  readonly message: string;
}

/**
 * The effect of a rule that holds only because facts are missing. `nothing`: it can only make an answer stricter. `everything`: it
 * may permit, as in earlier versions; used only to verify and replay their decisions.
 */
export type MissingOpens = 'nothing' | 'everything';

/** How a candidate holds on some facts; undefined when it does not. */
export function holdingOf(
  candidate: CandidateRule,
  facts: object,
  missingOpens: MissingOpens = 'nothing',
): HoldingRule | undefined {
  const { rule } = candidate;
  const ground = groundOf(rule.condition, facts, rule.holdsWhenUnsure);
  if (ground === 'not at all') return undefined;
  const isWhole =
    ground === 'certain' ||
    (missingOpens === 'everything' &&
      holdsFor(rule.condition, facts, { missing: rule.holdsWhenUnsure, partly: false }));
  return {
    candidate,
    ground: ground === 'partly' && restsOnMissing(rule, facts, isWhole) ? 'missing' : ground,
    isWhole,
  };
}

export function withMessage(holding: HoldingRule, facts: object): Match {
  const { effect } = holding.candidate.rule;
  return { ...holding, message: effect.fill?.(facts) ?? effect.message };
}

/** @throws {Error} when the engine and the conditions disagree, because then neither can be trusted */
export function matchOf(candidate: CandidateRule, facts: object, missingOpens: MissingOpens = 'nothing'): Match {
  const holding = holdingOf(candidate, facts, missingOpens);
  if (holding !== undefined) return withMessage(holding, facts);
  const { rule } = candidate;
  throw new Error(`the engine found that ${rule.policy}/${rule.name} holds, its conditions do not`);
}

/**
 * Whether a rule holds for certain only for a part of a pattern, and for the rest because facts are missing. There a DEGRADE
 * would be an ESCALATE.
 */
function restsOnMissing(rule: CompiledRule, facts: object, isWhole: boolean): boolean {
  if (rule.effect.type === 'DEGRADE') return missingPaths(rule.leaves, facts).length > 0;
  return rule.effect.type === 'ESCALATE' && isWhole;
}

/** The effect of a rule on the verdict: a DEGRADE that holds only because facts are missing is an ESCALATE. */
function effectOf({ candidate, ground }: HoldingRule): Verdict | undefined {
  const { type } = candidate.rule.effect;
  if (type === 'RISK') return undefined;
  return ground === 'missing' && type === 'DEGRADE' ? 'ESCALATE' : type;
}

const codeOf = ({ ground }: HoldingRule, { code }: { readonly code: string }): string =>
  ground === 'missing' ? 'FACT_MISSING' : code;

function reasonOf({ match, effect, facts }: Counting<Match>): Reason[] {
  const { rule } = match.candidate;
  if (rule.effect.type === 'RISK') return [];
  const missing = match.ground === 'missing' ? ` (missing: ${missingPaths(rule.leaves, facts).join(', ')})` : '';
  const code = codeOf(match, rule.effect);
  return [{ policy: rule.policy, rule: rule.name, effect, code, message: `${match.message}${missing}` }];
}

function compareReasons(a: Reason, b: Reason): number {
  const bySeverity = SEVERITY.indexOf(a.effect) - SEVERITY.indexOf(b.effect);
  return bySeverity || byText(a.policy, b.policy) || byText(a.rule, b.rule);
}

/** The effects whose reasons an answer lists: with a refusal those that refuse, with a permission those that permit. */
const LISTED: Readonly<Record<Verdict, readonly Verdict[]>> = {
  DENY: ['DENY', 'ESCALATE'],
  ESCALATE: ['ESCALATE'],
  DEGRADE: ['DEGRADE', 'ALLOW'],
  ALLOW: ['ALLOW'],
};

/**
 * Whether the facts are those of a tool call, or of a meaning of it, that is not known: no catalogue says what it does, the tool has
 * changed, or its code was not understood. No ALLOW matches it, and a DEGRADE adds its obligations and permits nothing, because
 * obligations on an unknown effect limit nothing. A text with an unknown action is not concerned: earlier decisions of that kind
 * must stay verifiable.
 */
export const isUnknownCall = ({ tool, intent }: Pick<RiskFacts, 'tool' | 'intent'>): boolean =>
  tool !== undefined && intent.action === 'unknown';

/**
 * Whether a rule that holds permits the whole request, or asks a human to. Without this, an escalation of one part of a pattern
 * would open the parts that no policy permits, a degradation of a place that the text only mentions would open any resource, an
 * agent that omits its context would turn a DENY into an ESCALATE, and an organisation could open what the installation does not.
 */
function opensAll({ candidate, isWhole }: HoldingRule, facts: RiskFacts): boolean {
  if (candidate.rule.isOwn) return false;
  if (!isWhole || (candidate.rule.effect.type === 'DEGRADE' && isUnknownCall(facts))) return false;
  return candidate.fit === 'full' || (candidate.fit === 'place' && candidate.rule.effect.type === 'ESCALATE');
}

/**
 * The rules that hold for one meaning of an intent, and the facts with that meaning. An intent with several meanings is
 * evaluated once for each: a refusal of any of them refuses the intent, and a permission needs all of them permitted.
 */
export interface Judgement<Rule extends HoldingRule = Match> {
  readonly matches: readonly Rule[];
  readonly facts: RiskFacts;
  /** Whether the facts have the risk that the organisation's own policies raised. There is another judgement with the installation's risk. */
  readonly isRaised: boolean;
}

/** A rule that counts in an answer. */
interface Counting<Rule> {
  readonly match: Rule;
  readonly effect: Verdict;
  /** With the meaning for which the rule holds. */
  readonly facts: RiskFacts;
}

/** The rules that hold, as far as they count, and their obligations, before the verdict is chosen. */
interface Weighed<Rule> {
  readonly counting: readonly Counting<Rule>[];
  /** The effects of these rules. */
  readonly effects: ReadonlySet<Verdict>;
  /** Obligations of DEGRADE rules. */
  readonly due: readonly PolicyObligation[];
  /** Obligations of DEGRADE rules that count as ESCALATE because facts are missing. */
  readonly uncertain: readonly PolicyObligation[];
  /** ESCALATE rules that name approvers or a lifetime. */
  readonly escalating: readonly CompiledRule[];
  /** Whether, for each meaning, a rule permits the whole request. */
  readonly isOpen: boolean;
  /** Why budgets keep the request from being open; empty where budgets do not matter. */
  readonly overBudget: readonly Reason[];
  readonly charges: readonly BudgetCharge[];
}

const hasBudget = (rule: CompiledRule): rule is BudgetedMatch['rule'] => rule.budget !== undefined;

/** The budgets of these meanings, as `combine` counts them. */
export const countedFor = (judgements: readonly Judgement<HoldingRule>[]): Counted =>
  countBudgets(budgetedOf(judgements));

/** The rules with budgets that would permit, each with the meaning for which it holds. */
function budgetedOf(judgements: readonly Judgement<HoldingRule>[]): BudgetedMatch[] {
  return judgements.flatMap(({ matches, facts }) =>
    matches.flatMap((match) => {
      const { rule } = match.candidate;
      return hasBudget(rule) && opensAll(match, facts) ? [{ rule, facts }] : [];
    }),
  );
}

function weigh<Rule extends HoldingRule>(judgements: readonly Judgement<Rule>[]): Weighed<Rule> {
  const counting: Counting<Rule>[] = [];
  const effects = new Set<Verdict>();
  const due: PolicyObligation[] = [];
  const uncertain: PolicyObligation[] = [];
  const escalating: CompiledRule[] = [];
  const seen = new Set<string>();
  const { isEnough, charges, refusals } = countedFor(judgements);
  let isOpen = true;
  let isOpenWithin = true;
  for (const { matches, facts } of judgements) {
    let opens = false;
    let opensWithin = false;
    for (const match of matches) {
      const { rule } = match.candidate;
      const effect = effectOf(match);
      if (effect === undefined || rule.effect.type === 'RISK') continue;
      const isRefused = !isEnough && rule.budget !== undefined && opensAll(match, facts);
      if (effect !== 'DENY' && opensAll(match, facts)) {
        opensWithin = true;
        if (!isRefused) opens = true;
      }
      // A DEGRADE over its budget keeps its obligations: without them another rule would permit more than before.
      if (isRefused && rule.effect.type === 'ALLOW') continue;
      if (judgements.length > 1) {
        const once = `${rule.index} ${codeOf(match, rule.effect)}`;
        if (seen.has(once)) continue;
        seen.add(once);
      }
      counting.push({ match, effect, facts });
      effects.add(effect);
      if (rule.effect.type === 'ESCALATE' && (rule.effect.approvers ?? rule.effect.ttl) !== undefined)
        escalating.push(rule);
      if (rule.effect.type === 'DEGRADE') (effect === 'DEGRADE' ? due : uncertain).push(...rule.effect.obligations);
    }
    isOpen &&= opens;
    isOpenWithin &&= opensWithin;
  }
  const overBudget = !isOpen && isOpenWithin ? refusals : [];
  return { counting, effects, due, uncertain, escalating, isOpen, overBudget, charges };
}

/** The members of an ESCALATE rule that its approval depends on. */
const demandsOf = ({ policy, name, effect }: CompiledRule) =>
  effect.type === 'ESCALATE' ? { policy, name, approvers: effect.approvers, ttl: effect.ttl } : { policy, name };

const isOwn = ({ candidate }: HoldingRule): boolean => candidate.rule.isOwn;

/** The judgements without the own rules of an organisation and without the risk that they raise; undefined when there are none. */
function withoutOwn<Rule extends HoldingRule>(judgements: readonly Judgement<Rule>[]): Judgement<Rule>[] | undefined {
  if (!judgements.some(({ isRaised, matches }) => isRaised || matches.some(isOwn))) return undefined;
  return judgements.flatMap(({ isRaised, matches, facts }) =>
    isRaised ? [] : [{ isRaised, matches: matches.filter((match) => !isOwn(match)), facts }],
  );
}

const isStricter = (a: Verdict, b: Verdict): boolean => SEVERITY.indexOf(a) < SEVERITY.indexOf(b);

/**
 * Combines all rules that hold for a request. The own rules of an organisation can only make the answer stricter: the answer is at
 * least as strict as that of the installation's rules alone, with the risk that they alone find. That would not follow from the order
 * of the effects, because a further obligation can end a conflict of obligations, and a higher risk can make a rule hold that permits.
 */
export function combine(judgements: readonly Judgement[]): Evaluation {
  const all = settle(weigh(judgements));
  const installation = withoutOwn(judgements);
  if (installation === undefined) return all;
  const alone = settle(weigh(installation));
  return isStricter(alone.verdict, all.verdict) ? alone : all;
}

/** The verdict of `combine`, without its reasons: a search of the linter compares many verdicts and shows few answers. */
export function combineVerdict(judgements: readonly Judgement<HoldingRule>[]): Verdict {
  const all = choose(weigh(judgements)).verdict;
  const installation = withoutOwn(judgements);
  if (installation === undefined) return all;
  const alone = choose(weigh(installation)).verdict;
  return isStricter(alone, all) ? alone : all;
}

interface Chosen {
  readonly verdict: Verdict;
  /** Of a DEGRADE. */
  readonly obligations: Evaluation['obligations'];
  /** The types of obligations that can't be kept together, where that makes the verdict an ESCALATE. */
  readonly conflicts: readonly string[];
}

function choose({ effects, isOpen, due }: Weighed<unknown>): Chosen {
  const alone = (verdict: Verdict): Chosen => ({ verdict, obligations: [], conflicts: [] });
  if (effects.has('DENY') || !isOpen) return alone('DENY');
  if (effects.has('ESCALATE')) return alone('ESCALATE');
  if (due.length === 0) return alone('ALLOW');
  const { obligations, conflicts } = mergeObligations(due);
  return conflicts.length > 0
    ? { verdict: 'ESCALATE', obligations: [], conflicts }
    : { verdict: 'DEGRADE', obligations, conflicts };
}

/** The reasons for a verdict that no rule gives. */
function builtInReasonsFor({ conflicts }: Chosen, { effects, isOpen, overBudget }: Weighed<Match>): readonly Reason[] {
  if (!isOpen && !effects.has('DENY')) return overBudget.length > 0 ? overBudget : [builtInReason('NO_MATCH')];
  if (conflicts.length === 0) return [];
  const { message } = BUILT_IN_REASONS.OBLIGATIONS_CONFLICT;
  return [builtInReason('OBLIGATIONS_CONFLICT', `${message}: ${conflicts.join(', ')}`)];
}

const reasonsOf = ({ counting }: Weighed<Match>, effects: readonly Verdict[]): Reason[] =>
  counting.flatMap((one) => (effects.includes(one.effect) ? reasonOf(one) : []));

function settle(weighed: Weighed<Match>): Evaluation {
  const { escalating, charges } = weighed;
  const chosen = choose(weighed);
  const { verdict, obligations } = chosen;
  const ofRules = reasonsOf(weighed, LISTED[verdict]);
  const reasons = [...ofRules, ...builtInReasonsFor(chosen, weighed)].sort(compareReasons);
  const escalation = verdict === 'ESCALATE' ? escalationOf(escalating.map(demandsOf), reasons) : undefined;
  const escalated = escalation === undefined ? {} : { escalation };
  const counted = verdict === 'DENY' || charges.length === 0 ? {} : { charges };
  return freeze({ verdict, reasons, obligations, ...escalated, ...counted });
}

/**
 * As `combine`, for a request that a human has approved: an ESCALATE becomes ALLOW, or DEGRADE with the obligations of all
 * DEGRADE rules that hold, including those that hold because facts are missing and those in conflict. Nothing else changes: the
 * escalation is what the approval must meet.
 * @param approval the last reason of a permission
 */
export function combineApproved(judgements: readonly Judgement[], approval: Reason): Evaluation {
  const weighed = weigh(judgements);
  const { verdict, reasons, ...rest } = combine(judgements);
  if (verdict === 'DENY') return freeze({ verdict, reasons, ...rest });
  if (verdict !== 'ESCALATE') return freeze({ verdict, reasons: [...reasons, { ...approval }], ...rest });
  const degraded = reasonsOf(weighed, ['DEGRADE']).sort(compareReasons);
  const kept = allObligations([...weighed.due, ...weighed.uncertain]);
  return freeze({
    verdict: kept.length > 0 ? 'DEGRADE' : 'ALLOW',
    reasons: [...reasons, ...degraded, { ...approval }],
    ...rest,
    obligations: kept,
  });
}

/** The DENY for an agent that is not active, before any policy is evaluated; undefined: none. An unknown status counts as not active. */
export function prechecks(facts: Facts): Evaluation | undefined {
  const { status } = facts.agent;
  if (status === 'ACTIVE' || status === 'UNREGISTERED') return undefined;
  return builtInEvaluation('AGENT_NOT_ACTIVE', `the agent is ${status}, not ACTIVE`);
}

const MAX_RISK = 1_000;
const MEDIUM_FROM = 400;
const HIGH_FROM = 700;

/** low below 400, medium below 700, else high. */
export function riskLevelOf(score: number): RiskLevel {
  if (score < MEDIUM_FROM) return 'low';
  return score < HIGH_FROM ? 'medium' : 'high';
}

/** The highest score of each factor, sorted by score (highest first) and name. */
function factorsOf(matches: readonly Match[]): RiskFactor[] {
  const highest = new Map<string, RiskFactor & { readonly index: number }>();
  for (const { candidate, message } of matches) {
    const { effect } = candidate.rule;
    if (effect.type !== 'RISK') continue;
    const before = highest.get(effect.factor);
    // Of equal scores the first rule counts, for whichever meaning it was found.
    const order = before === undefined ? 1 : effect.score - before.score || before.index - candidate.rule.index;
    if (order > 0) highest.set(effect.factor, { index: candidate.rule.index, ...effect, message });
  }
  return [...highest.values()]
    .map(({ factor, score, message }) => ({ factor, score, message }))
    .sort((a, b) => b.score - a.score || byText(a.factor, b.factor));
}

function scoreOf(factors: readonly RiskFactor[]): number {
  return Math.min(
    MAX_RISK,
    factors.reduce((sum, factor) => sum + factor.score, 0),
  );
}

function riskOf(matches: readonly Match[], missingOpens: MissingOpens): Omit<Risk, 'installation'> {
  const factors = factorsOf(matches);
  const score = scoreOf(factors);
  const certain = scoreOf(factorsOf(matches.filter(({ ground }) => ground !== 'missing')));
  return {
    level: riskLevelOf(score),
    score,
    factors,
    ...(certain === score || missingOpens === 'everything'
      ? {}
      : { certain: { level: riskLevelOf(certain), score: certain } }),
  };
}

/**
 * min(1000, sum of the highest score of each factor); `certain` is the same without rules that hold only because facts are missing,
 * `installation` without the organisation's own rules.
 */
export function combineRisk(judgements: readonly Judgement[], missingOpens: MissingOpens = 'nothing'): Risk {
  const matches = judgements.flatMap((judgement) => judgement.matches);
  const risk = riskOf(matches, missingOpens);
  if (!matches.some(isOwn)) return freeze(risk);
  const { factors: _, ...alone } = riskOf(
    matches.filter((match) => !isOwn(match)),
    missingOpens,
  );
  const isSame = alone.score === risk.score && alone.certain?.score === risk.certain?.score;
  return freeze(isSame ? risk : { ...risk, installation: alone });
}

const UNKNOWN_RISK = 'the risk could not be computed';
const UNKNOWN_FACTORS = ['evaluation_failed', 'engine_incomplete'];

/** Whether it is a risk that could not be computed (unknownRisk). */
export const isUnknownRisk = ({ score, factors: [first, ...more] }: Risk): boolean =>
  score === MAX_RISK &&
  more.length === 0 &&
  first?.message === UNKNOWN_RISK &&
  first.score === MAX_RISK &&
  UNKNOWN_FACTORS.includes(first.factor);

/** The risk when it could not be computed: the highest, so that rules which depend on it refuse or escalate. */
export function unknownRisk(code: 'EVALUATION_FAILED' | 'ENGINE_INCOMPLETE'): Risk {
  return freeze({
    level: 'high',
    score: MAX_RISK,
    factors: [{ factor: code.toLowerCase(), score: MAX_RISK, message: UNKNOWN_RISK }],
  });
}

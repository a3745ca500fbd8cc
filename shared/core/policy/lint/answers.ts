// The result of a set on given facts, with and without one of its rules: the evaluation without json-rules-engine and its promises.
import { BoundedCache } from '../../../kernel/bounded-cache.ts';
import { differingAspects } from '../aspects.ts';
import {
  combine,
  combineRisk,
  combineVerdict,
  holdingOf,
  type HoldingRule,
  prechecks,
  withMessage,
} from '../combine.ts';
import type { CompiledSet } from '../compile.ts';
import type { CompiledRule } from '../compiled-rule.ts';
import { requestOf } from '../evaluate.ts';
import { holdsFor, pathsOf } from '../normal-form.ts';
import { type CandidateRule, fitOf } from '../rule-index.ts';
import { isPattern } from '../../intent/resource.ts';
import type { PolicyStage } from '../../../kernel/vocabulary.ts';
import type { Evaluation, Facts, Risk } from '../types.ts';
import type { Verdict } from '../../../kernel/vocabulary.ts';
import type { LintedRule, LintedSet } from './rules.ts';
import { valuesAt } from './facts.ts';
import { asEvaluated } from './space.ts';
import type { Witness } from './types.ts';

const MAX_REMEMBERED = 200;
interface Caches {
  readonly candidates: BoundedCache<readonly CandidateRule[]>;
  readonly holding: BoundedCache<readonly HoldingRule[]>;
}
/** Many findings of one set are demonstrated on the same requests and facts, and each needs several evaluations. */
const cachesOfSets = new WeakMap<CompiledSet, Caches>();

function cachesOf(compiled: CompiledSet): Caches {
  const known = cachesOfSets.get(compiled);
  if (known !== undefined) return known;
  const caches = {
    candidates: new BoundedCache<readonly CandidateRule[]>({ max: MAX_REMEMBERED }),
    holding: new BoundedCache<readonly HoldingRule[]>({ max: MAX_REMEMBERED }),
  };
  cachesOfSets.set(compiled, caches);
  return caches;
}

/** Cost of an evaluation in comparisons, for each rule whose target matches and each rule that holds. */
const CANDIDATE_COST = 8;
const MATCH_COST = 8;
/** Facts are cached by their serialized text, which costs more than the evaluation of a few rules. */
const LETTERS_PER_COMPARISON = 32;
const MIN_CACHED_CANDIDATES = 24;

function candidatesOf({ compiled, budget }: LintedSet, stage: PolicyStage, facts: Facts): readonly CandidateRule[] {
  const { candidates: known } = cachesOf(compiled);
  const request = requestOf(facts);
  const { action, resource, places, environment, organisation } = request;
  const key = [stage, action, environment, organisation, resource, ...places].join('\n');
  const before = known.get(key);
  if (before !== undefined) return before;
  const candidates = compiled[stage].find(request);
  budget.left -= CANDIDATE_COST * candidates.length;
  known.set(key, candidates);
  return candidates;
}

/** The rules that hold on facts. */
function allHolding(set: LintedSet, stage: PolicyStage, facts: Facts): readonly HoldingRule[] {
  const candidates = candidatesOf(set, stage, facts);
  const evaluate = (): HoldingRule[] => {
    set.budget.left -= CANDIDATE_COST * candidates.length;
    const found: HoldingRule[] = [];
    for (const candidate of candidates) {
      const holding = holdingOf(candidate, facts);
      if (holding !== undefined) found.push(holding);
    }
    return found;
  };
  if (candidates.length < MIN_CACHED_CANDIDATES) return evaluate();
  const { holding: known } = cachesOf(set.compiled);
  const key = `${stage} ${JSON.stringify(facts)}`;
  set.budget.left -= key.length / LETTERS_PER_COMPARISON;
  const before = known.get(key);
  if (before !== undefined) return before;
  const holding = evaluate();
  known.set(key, holding);
  return holding;
}

type Without = ReadonlySet<CompiledRule>;

function holdingRules(set: LintedSet, stage: PolicyStage, facts: Facts, without: Without): readonly HoldingRule[] {
  const holding = allHolding(set, stage, facts);
  set.budget.left -= MATCH_COST * holding.length;
  return without.size === 0 ? holding : holding.filter(({ candidate }) => !without.has(candidate.rule));
}

const NOTHING: Without = new Set();

export function riskOf(set: LintedSet, facts: Facts, without = NOTHING): Risk {
  const matches = holdingRules(set, 'intake', facts, without).map((holding) => withMessage(holding, facts));
  return combineRisk([{ matches, facts, isRaised: false }]);
}
export function evaluationOf(set: LintedSet, facts: Facts, without = NOTHING): Evaluation {
  const early = prechecks(facts);
  if (early !== undefined) return early;
  const matches = holdingRules(set, 'enforce', facts, without).map((holding) => withMessage(holding, facts));
  return combine([{ matches, facts, isRaised: false }]);
}
/** The verdict of `evaluationOf` on the set without some rules, in a fraction of the time. */
export function verdictOf(set: LintedSet, facts: Facts, without = NOTHING): Verdict {
  const early = prechecks(facts);
  if (early !== undefined) return early.verdict;
  return combineVerdict([{ matches: holdingRules(set, 'enforce', facts, without), facts, isRaised: false }]);
}
export function answerOf(set: LintedSet, stage: PolicyStage, facts: Facts, without = NOTHING): Verdict | number {
  return stage === 'intake' ? riskOf(set, facts, without).score : verdictOf(set, facts, without);
}

/** Whether the result differs without a rule: the risk, or the verdict and what follows from it, such as obligations and budgets. */
export function changesAnswer(set: LintedSet, { rule, stage }: LintedRule, facts: Facts): boolean {
  const without = new Set([rule]);
  if (stage === 'intake') return riskOf(set, facts).score !== riskOf(set, facts, without).score;
  return differingAspects(evaluationOf(set, facts), evaluationOf(set, facts, without)).length > 0;
}

/** The other rules that take part in the result for some facts; the restricting ones come first. */
export function othersOn(set: LintedSet, facts: Facts, besides: readonly LintedRule[]): LintedRule[] {
  const isRestricting = ({ rule }: LintedRule): boolean =>
    rule.effect.type === 'DENY' || rule.effect.type === 'ESCALATE';
  return holdingRules(set, 'enforce', facts, NOTHING)
    .flatMap(({ candidate }) => set.of(candidate.rule) ?? [])
    .filter((linted) => !besides.includes(linted))
    .sort((a, b) => Number(isRestricting(b)) - Number(isRestricting(a)));
}

/** Whether a rule's target matches and its conditions hold. */
export function applies({ rule }: LintedRule, set: LintedSet, facts: Facts): boolean {
  if (!holdsFor(rule.condition, facts, asEvaluated(rule))) return false;
  set.budget.left -= CANDIDATE_COST * rule.resources.length;
  return fitOf(rule, requestOf(facts)) !== undefined;
}

function requestWords({ intent }: Facts): string {
  const places = intent.places.length > 0 ? ` (naming ${intent.places.join(', ')})` : '';
  return `${intent.action}:${intent.resource}${isPattern(intent.resource) ? ' (a pattern)' : ''}${places}`;
}

/** Builds the witness of a finding about a rule; the paths of the rules that take part are the relevant ones. */
export function witnessOf(
  set: LintedSet,
  linted: LintedRule,
  facts: Facts,
  shows: string,
  others: readonly LintedRule[] = [],
): Witness {
  const { rule, stage } = linted;
  const paths = new Set([linted, ...others].flatMap((one) => one.rule.leaves.flatMap(pathsOf)));
  return {
    intent: `${facts.intent.action}:${facts.intent.resource}`,
    environment: facts.environment,
    relevant: valuesAt(facts, [...paths].sort()),
    facts,
    holds: holdsFor(rule.condition, facts, asEvaluated(rule)),
    answer: answerOf(set, stage, facts),
    without: answerOf(set, stage, facts, new Set([rule])),
    shows: `${requestWords(facts)} in ${facts.environment}: ${shows}`,
  };
}

// The result of a set on given facts, with and without one of its rules: the evaluation without json-rules-engine and its promises.
import { BoundedCache } from '../../../kernel/bounded-cache.ts';
import { combine, combineRisk, matchOf, prechecks } from '../combine.ts';
import type { Match } from '../combine.ts';
import type { CompiledSet } from '../compile.ts';
import type { CompiledRule } from '../compiled-rule.ts';
import { requestOf } from '../evaluate.ts';
import { holdsFor } from '../normal-form.ts';
import { isPattern } from '../../intent/resource.ts';
import type { PolicyStage } from '../../../kernel/vocabulary.ts';
import type { Evaluation, Facts, Risk } from '../types.ts';
import type { Verdict } from '../../../kernel/vocabulary.ts';
import type { LintedRule, LintedSet } from './rules.ts';
import { valuesAt } from './facts.ts';
import { asEvaluated } from './space.ts';
import type { Witness } from './types.ts';

const MAX_REMEMBERED = 200;
/** Many findings of one set are demonstrated on the same facts, and each needs several evaluations. */
const remembered = new WeakMap<CompiledSet, BoundedCache<Remembered>>();
interface Remembered {
  readonly matches: readonly Match[];
  answer?: Verdict | number;
}

/** Cost of an evaluation in comparisons, for each rule whose target matches and each rule that holds. */
const CANDIDATE_COST = 8;
const MATCH_COST = 8;
/** Facts are cached by their serialized text. */
const LETTERS_PER_COMPARISON = 32;

function remember({ compiled, budget }: LintedSet, stage: PolicyStage, facts: Facts): Remembered {
  const known = remembered.get(compiled) ?? new BoundedCache<Remembered>({ max: MAX_REMEMBERED });
  remembered.set(compiled, known);
  const key = `${stage} ${JSON.stringify(facts)}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const candidates = compiled[stage].find(requestOf(facts));
  budget.left -= CANDIDATE_COST * candidates.length + key.length / LETTERS_PER_COMPARISON;
  const matches = candidates
    .filter(({ rule }) => holdsFor(rule.condition, facts, asEvaluated(rule)))
    .map((candidate) => matchOf(candidate, facts));
  const now: Remembered = { matches };
  known.set(key, now);
  return now;
}

type Without = ReadonlySet<CompiledRule>;

function matchesOf(set: LintedSet, stage: PolicyStage, facts: Facts, without: Without): readonly Match[] {
  const { matches } = remember(set, stage, facts);
  set.budget.left -= MATCH_COST * matches.length;
  return without.size === 0 ? matches : matches.filter(({ candidate }) => !without.has(candidate.rule));
}

const NOTHING: Without = new Set();

export function riskOf(set: LintedSet, facts: Facts, without = NOTHING): Risk {
  return combineRisk([{ matches: matchesOf(set, 'intake', facts, without), facts, isRaised: false }]);
}
export function evaluationOf(set: LintedSet, facts: Facts, without = NOTHING): Evaluation {
  return prechecks(facts) ?? combine([{ matches: matchesOf(set, 'enforce', facts, without), facts, isRaised: false }]);
}
export function answerOf(set: LintedSet, stage: PolicyStage, facts: Facts, without = NOTHING): Verdict | number {
  if (without.size > 0)
    return stage === 'intake' ? riskOf(set, facts, without).score : evaluationOf(set, facts, without).verdict;
  const known = remember(set, stage, facts);
  known.answer ??= stage === 'intake' ? riskOf(set, facts).score : evaluationOf(set, facts).verdict;
  return known.answer;
}

/** The other rules that take part in the result for some facts; the restricting ones come first. */
export function othersOn(set: LintedSet, facts: Facts, besides: readonly LintedRule[]): LintedRule[] {
  const isRestricting = ({ rule }: LintedRule): boolean =>
    rule.effect.type === 'DENY' || rule.effect.type === 'ESCALATE';
  return matchesOf(set, 'enforce', facts, NOTHING)
    .flatMap(({ candidate }) => set.of(candidate.rule) ?? [])
    .filter((linted) => !besides.includes(linted))
    .sort((a, b) => Number(isRestricting(b)) - Number(isRestricting(a)));
}

/** Whether a rule's target matches and its conditions hold. */
export function applies({ rule, stage }: LintedRule, set: LintedSet, facts: Facts): boolean {
  if (!holdsFor(rule.condition, facts, asEvaluated(rule))) return false;
  const candidates = set.compiled[stage].find(requestOf(facts));
  set.budget.left -= CANDIDATE_COST * candidates.length;
  return candidates.some((candidate) => candidate.rule === rule);
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
  const paths = new Set([linted, ...others].flatMap((one) => one.rule.leaves.map((leaf) => leaf.path)));
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

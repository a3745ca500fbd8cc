// Runs test cases: risk by the intake policies, verdict by the others, and the differences from the expected result.
import { isDeepStrictEqual } from 'node:util';
import { canonicalize } from '../../proof/canonical.ts';
import type { Approvers } from '../approvers.ts';
import { plainValue } from '../any-of.ts';
import type { Evaluator } from '../evaluate.ts';
import type { Evaluation, ExplainedCondition, ExplainedRule, Facts, Reason } from '../types.ts';
import { fullPath } from '../vocabulary.ts';
import type { TestCase } from './expand.ts';
import { changedRisk } from './facts.ts';
import type { ExpectedReason, ExpectedReasonParts } from './schema-parts.ts';

/** One difference from the expected result. */
export interface Difference {
  readonly what: 'verdict' | 'reasons' | 'obligations' | 'approvers' | 'risk' | 'facts';
  readonly expected: unknown;
  readonly actual: unknown;
}

export interface CaseResult {
  readonly test: TestCase;
  /** All facts, as the rules saw them. */
  readonly facts: Facts;
  readonly evaluation: Evaluation;
  /** Empty when the case passed. */
  readonly differences: readonly Difference[];
}

function partsOf(expected: ExpectedReason): ExpectedReasonParts {
  if (typeof expected !== 'string') return expected;
  const slash = expected.indexOf('/');
  return { policy: expected.slice(0, slash), rule: expected.slice(slash + 1) };
}

function fits(expected: ExpectedReasonParts, reason: Reason): boolean {
  return (['policy', 'rule', 'effect', 'code'] as const).every(
    (member) => expected[member] === undefined || expected[member] === reason[member],
  );
}

/** As a policy would write them, without what is usual. */
function plainApprovers({ keys = [], tags = [], atLeast = 1 }: Approvers): Approvers {
  return {
    ...(keys.length === 0 ? {} : { keys: keys.toSorted() }),
    ...(tags.length === 0 ? {} : { tags: tags.toSorted() }),
    ...(atLeast === 1 ? {} : { atLeast }),
  };
}

/** Sorted texts of a list, for comparisons that ignore the order. */
function asSet(list: readonly unknown[]): string[] {
  return list.map((item) => canonicalize(item)).sort();
}

function differencesOf(test: TestCase, facts: Facts, evaluation: Evaluation): Difference[] {
  const { verdict, reasons, exact, obligations, approvers, risk, facts: seen } = test.expected;
  const differences: Difference[] = [];
  const differ = (what: Difference['what'], expected: unknown, actual: unknown): void => {
    differences.push({ what, expected, actual });
  };
  if (evaluation.verdict !== verdict) differ('verdict', verdict, evaluation.verdict);
  if (reasons !== undefined) {
    const wanted = reasons.map(partsOf);
    const lacking = wanted.some((part) => !evaluation.reasons.some((reason) => fits(part, reason)));
    const strange = exact === true && evaluation.reasons.some((reason) => !wanted.some((part) => fits(part, reason)));
    if (lacking || strange) differ('reasons', reasons, evaluation.reasons.map(reasonLine));
  }
  if (obligations !== undefined && !isDeepStrictEqual(asSet(obligations), asSet(evaluation.obligations))) {
    differ('obligations', obligations, evaluation.obligations);
  }
  if (approvers !== undefined) {
    const demanded = (evaluation.escalation?.approvers ?? []).map(({ keys, tags, at_least: atLeast }) =>
      plainApprovers({ keys, tags, atLeast }),
    );
    const wanted = approvers.map(plainApprovers);
    if (!isDeepStrictEqual(asSet(wanted), asSet(demanded))) differ('approvers', approvers, demanded);
  }
  if (risk !== undefined) {
    const { level, score, factors } = facts.intent.risk;
    const found = factors.map(({ factor }) => factor);
    const isFine =
      (risk.level === undefined || risk.level === level) &&
      score >= (risk.atLeast ?? 0) &&
      score <= (risk.atMost ?? Number.POSITIVE_INFINITY) &&
      (risk.factors ?? []).every((factor) => found.includes(factor));
    if (!isFine) differ('risk', risk, { level, score, factors: found });
  }
  for (const [path, expected] of Object.entries(seen ?? {})) {
    const actual = plainValue(test.readFact(facts, path)) ?? null;
    if (!isDeepStrictEqual(actual, expected)) differ('facts', { [path]: expected }, { [path]: actual });
  }
  return differences;
}

/** `DENY writes/others-may-not TRUST_TOO_LOW` */
export function reasonLine({ effect, policy, rule, code }: Reason): string {
  return `${effect} ${policy}/${rule} ${code}`;
}

/** Runs one case. Never rejects: a failed evaluation is a DENY by the service, as for a request. */
export async function runCase(test: TestCase, evaluator: Evaluator): Promise<CaseResult> {
  const risk = changedRisk(await evaluator.assessRisk(test.facts), test.risk);
  const facts: Facts = { ...test.facts, intent: { ...test.facts.intent, risk } };
  const evaluation = await evaluator.evaluate(facts);
  return { test, facts, evaluation, differences: differencesOf(test, facts, evaluation) };
}

/** A rule that is relevant to a failure: a reason of the result, or one that was expected and is not. */
export interface RuleNote {
  readonly policy: string;
  readonly rule: string;
  readonly note: string;
}

const conditionText = ({ fact, path, operator, expected, actual, missing }: ExplainedCondition): string => {
  const saw = missing ? 'is missing' : `is ${JSON.stringify(actual)}`;
  return `${fullPath(fact, path)} ${operator} ${JSON.stringify(expected)}: it ${saw}`;
};

const falseOnes = ({ conditions }: ExplainedRule): ExplainedCondition[] =>
  conditions.filter((condition) => !condition.result);

function whyNot(rule: ExplainedRule): string {
  return rule.skipped ?? `these of its conditions do not hold: ${falseOnes(rule).map(conditionText).join('; ')}`;
}

/** Rules that did not hold are listed when the case names them, else only those closest to holding. */
const MAX_SILENT = 3;

/** Explains a failed case: which rules held, and why the expected ones did not. */
export async function explainFailure(
  { test, facts, evaluation }: CaseResult,
  evaluator: Evaluator,
  hasRule: (policy: string, rule: string) => boolean,
): Promise<RuleNote[]> {
  const { candidates } = await evaluator.explain(facts);
  const spoke = evaluation.reasons.map((reason) => ({
    policy: reason.policy,
    rule: reason.rule,
    note: `gave ${reason.effect} ${reason.code}: ${reason.message}`,
  }));
  const notes: RuleNote[] = [...spoke];
  const silent = (policy: string, rule: string): void => {
    if (notes.some((note) => note.policy === policy && note.rule === rule)) return;
    const candidate = candidates.find((other) => other.policy === policy && other.rule === rule);
    if (!hasRule(policy, rule)) notes.push({ policy, rule, note: 'is not in these policies' });
    else if (candidate === undefined)
      notes.push({ policy, rule, note: 'was no candidate: its target is for other actions or resources' });
    else if (candidate.matched)
      notes.push({
        policy,
        rule,
        note: `holds too, but ${evaluation.verdict} is stricter than its ${candidate.effect}`,
      });
    else notes.push({ policy, rule, note: `did not give ${candidate.effect}: ${whyNot(candidate)}` });
  };
  const expected = (test.expected.reasons ?? []).map(partsOf);
  for (const { policy, rule } of expected) if (policy !== undefined && rule !== undefined) silent(policy, rule);
  if (evaluation.verdict !== test.expected.verdict) {
    const isNamed = ({ policy }: ExplainedRule): number => Number(expected.some((part) => part.policy === policy));
    const wanted = candidates
      .filter(({ effect, matched }) => effect === test.expected.verdict && !matched)
      // Rules of policies that the case names come first, then those closest to holding.
      .sort((a, b) => isNamed(b) - isNamed(a) || falseOnes(a).length - falseOnes(b).length);
    for (const { policy, rule } of wanted.slice(0, MAX_SILENT)) silent(policy, rule);
  }
  return notes;
}

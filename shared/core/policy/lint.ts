// The linter: finds mistakes in a policy set that loads. Pure, and fast enough to run at every load.
import { byText } from '../../kernel/order.ts';
import { anyItems } from './lint/any-item.ts';
import { alwaysTrue, constantParts, duplicateConditions } from './lint/constant.ts';
import { callersChoice, hangsOnCaller } from './lint/callers.ts';
import { contextTypeFindings } from './lint/context-types.ts';
import { deadFinding } from './lint/dead.ts';
import { obligationFindings } from './lint/obligations.ts';
import { openToAnyone, openToLessTrusted } from './lint/open.ts';
import { createLintedSet, type LintedRule } from './lint/rules.ts';
import { pathFindings } from './lint/paths.ts';
import { shadowFindings } from './lint/shadow.ts';
import { type KnownTools, toolFindings } from './lint/tools.ts';
import type { LintFinding } from './lint/types.ts';
import { wordFindings, type Surroundings } from './lint/words.ts';
import type { CompiledSet } from './compile.ts';
import type { Policy } from './schema.ts';

export { LINT_CODES } from './lint/types.ts';
export type { KnownTools } from './lint/tools.ts';
export type { Surroundings } from './lint/words.ts';
export type { LintCode, LintFinding, LintSeverity, RuleName, Witness } from './lint/types.ts';

export interface LintOptions extends Surroundings, KnownTools {
  /** Only findings of severity error, which a load needs. The time is proportional to the number of rules. */
  readonly errorsOnly?: boolean;
  /** Comparisons after which the search stops, so that no set takes long. Default 100 million, about five seconds. */
  readonly budget?: number;
  /** The part of the budget for warnings, which are searched last. Absent: all that is left. */
  readonly warningsBudget?: number;
}

/** A thousand ordinary policies need a tenth of it. */
const BUDGET = 100_000_000;

const CODE_ORDER = (a: LintFinding, b: LintFinding): number =>
  byText(a.policy, b.policy) || byText(a.pointer, b.pointer) || byText(a.code, b.code);

/** Rules with equal keys are either all dead or all alive, so of many policies made from one template only the first is analysed. */
function livingKey({ rule, stage, conditions }: LintedRule): string {
  const { actions, environments, organisations, effect } = rule;
  return JSON.stringify([stage, effect.type, actions, environments, organisations, conditions]);
}

/**
 * Findings about a set that was checked and compiled (such as a PolicySet), by policy id and pointer. Every finding was proven by going
 * through all values that the rules can tell apart, and comes with facts that demonstrate it in an evaluation. A rule whose proof would
 * exceed the budget is skipped, so an empty result does not mean that the set has no mistakes.
 */
export function lintPolicySet(
  set: { readonly policies: readonly Policy[]; readonly compiled: CompiledSet },
  { errorsOnly = false, budget = BUDGET, warningsBudget = budget, ...surroundings }: LintOptions = {},
): LintFinding[] {
  const linted = createLintedSet(set.policies, set.compiled, budget);
  const findings: LintFinding[] = [];
  const alive: LintedRule[] = [];
  const living = new Set<string>();
  for (const rule of linted.rules) {
    const key = livingKey(rule);
    const dead = living.has(key) ? undefined : deadFinding(linted, rule);
    if (dead === undefined) {
      alive.push(rule);
      if (!rule.groups.has('resource')) living.add(key);
    } else findings.push(dead);
  }
  if (errorsOnly) return findings.filter(({ severity }) => severity === 'error').sort(CODE_ORDER);
  linted.budget.left = Math.min(linted.budget.left, warningsBudget);
  findings.push(
    ...wordFindings(linted, alive, surroundings),
    ...toolFindings(linted, alive, surroundings),
    ...pathFindings(linted, alive),
  );
  const unconditional = new Set<LintedRule>();
  for (const rule of alive) {
    findings.push(...duplicateConditions(linted, rule), ...anyItems(linted, rule));
    const always = alwaysTrue(linted, rule);
    if (always.isAlways) unconditional.add(rule);
    else findings.push(...constantParts(linted, rule), ...callersChoice(linted, rule), ...hangsOnCaller(linted, rule));
    if (always.finding !== undefined) findings.push(always.finding);
    if (always.finding?.code === 'WIDENING') continue;
    const opening = openToLessTrusted(linted, rule) ?? openToAnyone(linted, rule);
    if (opening !== undefined) findings.push(opening);
  }
  findings.push(
    ...shadowFindings(linted, alive, unconditional),
    ...obligationFindings(linted, alive),
    ...contextTypeFindings(linted, alive),
  );
  return findings.sort(CODE_ORDER);
}

// Remembers what json-rules-engine found for a rule, by the outcomes of the rule's comparisons, on which the engine's result depends and
// on nothing else. A rule has few combinations of outcomes, so questions with new values rarely need a run of the engine.
import type { CompiledRule } from './compiled-rule.ts';
import { missingIn, outcomeOf } from './normal-form.ts';
import type { ComparisonOutcome } from './operators.ts';

/** Combinations remembered for one rule. Most rules have two to eight; a rule that exceeds this starts anew. */
const MAX_COMBINATIONS = 64;

const LETTERS: Readonly<Record<ComparisonOutcome, string>> = { yes: 'y', no: 'n', missing: 'm', partly: 'p' };

/** The outcome of each comparison of a rule, one letter each, and the missing side of two facts. */
function outcomesOf(rule: CompiledRule, facts: object): string {
  let outcomes = '';
  for (const leaf of rule.leaves) {
    const outcome = outcomeOf(leaf, facts);
    outcomes += LETTERS[outcome];
    // The reason names the side that is missing.
    if (outcome === 'missing' && leaf.other !== undefined) outcomes += missingIn(leaf, facts).join();
  }
  return outcomes;
}

export interface RuleResult {
  readonly isHeld: boolean;
  /** Of this rule with these outcomes, never reused: results with the same ids give the same verdict with the same reasons. */
  readonly id: string;
}

export interface RuleResults {
  /** Undefined when these outcomes are new for the rule. */
  get(rule: CompiledRule, facts: object): RuleResult | undefined;
  set(rule: CompiledRule, facts: object, isHeld: boolean): RuleResult;
}

export function createRuleResults(): RuleResults {
  const byRule = new Map<CompiledRule, Map<string, RuleResult>>();
  let count = 0;
  return {
    get: (rule, facts) => byRule.get(rule)?.get(outcomesOf(rule, facts)),
    set(rule, facts, isHeld) {
      let results = byRule.get(rule);
      if (results === undefined || results.size >= MAX_COMBINATIONS) {
        results = new Map();
        byRule.set(rule, results);
      }
      count += 1;
      const result = { isHeld, id: `${count} ` };
      results.set(outcomesOf(rule, facts), result);
      return result;
    },
  };
}

// Coverage of a policy set by a test run: rules that held, conditions seen both true and false, policies that matched a request.
import { prechecks } from '../combine.ts';
import type { CompiledSet } from '../compile.ts';
import type { CompiledRule } from '../compiled-rule.ts';
import { requestOf } from '../evaluate.ts';
import { groundOf, outcomeOf } from '../normal-form.ts';
import type { RuleIndex } from '../rule-index.ts';
import { comparisonText } from '../fact-values.ts';
import type { Policy } from '../schema.ts';
import type { Facts } from '../types.ts';
import { comparisonsOf } from './sources.ts';

export interface ConditionCoverage {
  /** RFC 6901 JSON Pointer into the policy file. */
  readonly pointer: string;
  /** Readable form: `trust.level lessThan 4`. */
  readonly text: string;
  /** The named condition that it is part of, and the constant that is its value. */
  readonly condition?: string;
  readonly constant?: string;
  /** Of the comparison as written, whatever `not` encloses it; a missing fact sets neither. */
  readonly wasTrue: boolean;
  readonly wasFalse: boolean;
}

export interface RuleCoverage {
  readonly policy: string;
  readonly rule: string;
  readonly pointer: string;
  readonly matched: boolean;
  readonly conditions: readonly ConditionCoverage[];
}

export interface Share {
  readonly covered: number;
  readonly total: number;
  /** 0..100, rounded down to one decimal, so 100 means all. */
  readonly percent: number;
}

export interface CoverageReport {
  /** Policies whose target matched a request. */
  readonly policies: Share;
  /** Rules whose conditions held. */
  readonly rules: Share;
  /** Results of conditions: each must be seen true and false. */
  readonly conditions: Share;
  /** The smallest of the three. */
  readonly percent: number;
  /** By policy id. */
  readonly unasked: readonly string[];
  /** By policy id, then in file order. */
  readonly details: readonly RuleCoverage[];
}

export interface Coverage {
  /** Adds a request that was evaluated. */
  record(facts: Facts): void;
  report(): CoverageReport;
}

interface Seen {
  matched: boolean;
  /** By the position of the comparison in its rule, from left to right. */
  readonly outcomes: { yes: boolean; no: boolean }[];
}

function shareOf(covered: number, total: number): Share {
  return { covered, total, percent: total === 0 ? 100 : Math.floor((1_000 * covered) / total) / 10 };
}

const ruleKey = (policy: string, rule: string): string => `${policy}/${rule}`;

/** Creates the coverage of one policy set; recorded requests accumulate. */
export function createCoverage(set: {
  readonly compiled: CompiledSet;
  readonly policies: readonly Policy[];
}): Coverage {
  const { terms } = set.compiled;
  const asked = new Set<string>();
  const seen = new Map<string, Seen>();

  const seenOf = (rule: CompiledRule): Seen => {
    const key = ruleKey(rule.policy, rule.name);
    const known = seen.get(key);
    if (known !== undefined) return known;
    const fresh = { matched: false, outcomes: rule.leaves.map(() => ({ yes: false, no: false })) };
    seen.set(key, fresh);
    return fresh;
  };

  const recordStage = (index: RuleIndex, facts: Facts): void => {
    for (const { rule } of index.find(requestOf(facts))) {
      asked.add(rule.policy);
      const { outcomes } = seenOf(rule);
      for (const [i, leaf] of rule.leaves.entries()) {
        const outcome = outcomeOf(leaf, facts);
        const flags = outcomes[i];
        if (flags === undefined || outcome === 'missing') continue;
        // A pattern covers something for which the comparison is true.
        flags[outcome === 'partly' ? 'yes' : outcome] = true;
      }
      if (groundOf(rule.condition, facts, rule.holdsWhenUnsure) !== 'not at all') seenOf(rule).matched = true;
    }
  };

  const detailsOf = (policy: Policy): RuleCoverage[] =>
    policy.rules.map(({ name, conditions }, i) => {
      const pointer = `/rules/${i}`;
      const known = seen.get(ruleKey(policy.id, name));
      return {
        policy: policy.id,
        rule: name,
        pointer,
        matched: known?.matched ?? false,
        conditions: comparisonsOf(terms.expand(conditions), `${pointer}/conditions`, terms).map((found, at) => ({
          pointer: found.pointer,
          text: comparisonText(found.comparison),
          ...terms.originOf(found.comparison),
          wasTrue: known?.outcomes[at]?.yes ?? false,
          wasFalse: known?.outcomes[at]?.no ?? false,
        })),
      };
    });

  return {
    record(facts) {
      recordStage(set.compiled.intake, facts);
      // An agent that is not active is denied before any policy is evaluated.
      if (prechecks(facts) === undefined) recordStage(set.compiled.enforce, facts);
    },
    report() {
      const details = set.policies.flatMap(detailsOf);
      const outcomes = details.flatMap(({ conditions }) => conditions.flatMap((one) => [one.wasTrue, one.wasFalse]));
      const policies = shareOf(asked.size, set.policies.length);
      const rules = shareOf(details.filter(({ matched }) => matched).length, details.length);
      const conditions = shareOf(outcomes.filter(Boolean).length, outcomes.length);
      return {
        policies,
        rules,
        conditions,
        percent: Math.min(policies.percent, rules.percent, conditions.percent),
        unasked: set.policies.map(({ id }) => id).filter((id) => !asked.has(id)),
        details,
      };
    },
  };
}

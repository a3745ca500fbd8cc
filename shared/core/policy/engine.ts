// Wraps json-rules-engine and avoids its pitfalls: one engine per run, custom operators and a custom path resolver.
import { Engine, Operator as EngineOperator } from 'json-rules-engine';
import type { RuleResult } from 'json-rules-engine';
import { ALL_OPERATORS, compareWith } from './operators.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { compareWithFact } from './fact-values.ts';
import { ENGINE_FACT, engineConditions, engineOperator, engineReaders, holds, variantOf } from './normal-form.ts';
import type { PathReader } from './path-reader.ts';

export interface EngineRun {
  /** Number of rules that the engine evaluated, whether they held or not. */
  readonly evaluated: number;
  /** Indexes (CompiledRule.index) of the rules that held, ascending. */
  readonly held: readonly number[];
}

export interface RuleRunner {
  run(facts: object): Promise<EngineRun>;
}

/** Engines with more rules are not pooled: they are rare (broad patterns) and large. */
const MAX_RULES_KEPT = 64;
const MAX_IDLE = 4;

type Variants = ReadonlyMap<string, EngineOperator>;

/** Every operator plain or negated, true or false when the comparison is undecidable, with a constant or a fact. Stateless, so shared. */
function makeVariants(): Variants {
  const variants = new Map<string, EngineOperator>();
  for (const operator of ALL_OPERATORS) {
    for (const negated of [false, true]) {
      for (const holdsWhenUnsure of [false, true]) {
        for (const isOfFacts of [false, true]) {
          const compare = isOfFacts ? compareWithFact : compareWith;
          const test = (actual: unknown, value: unknown): boolean =>
            holds(compare(operator, actual, value), negated, holdsWhenUnsure);
          const name = engineOperator({ operator, negated, holdsWhenUnsure, isOfFacts });
          variants.set(name, new EngineOperator(name, test));
        }
      }
    }
  }
  return variants;
}
const VARIANTS: Variants = makeVariants();

function newEngine(rules: readonly CompiledRule[], readers: ReadonlyMap<string, PathReader>): Engine {
  // The library's default resolver is JSONPath, whose filters run regular expressions and reach inherited members.
  const pathResolver = (facts: object, path: string): unknown => readers.get(path)?.(facts);
  const engine = new Engine([], { allowUndefinedFacts: true, pathResolver });
  const needed = new Set<string>();
  for (const rule of rules) {
    for (const leaf of rule.leaves) needed.add(engineOperator(variantOf(leaf)));
    const name = `${rule.policy}/${rule.name}`;
    engine.addRule({
      name,
      conditions: engineConditions(rule.condition),
      event: { type: rule.effect.type, params: { index: rule.index } },
    });
  }
  for (const name of needed) {
    const operator = VARIANTS.get(name);
    if (operator !== undefined) engine.addOperator(operator);
  }
  return engine;
}

function indexOf(result: RuleResult): number {
  const index: unknown = result.event?.params?.index;
  if (typeof index !== 'number') throw new Error('the engine returned a rule without its index');
  return index;
}

/**
 * Runs one list of rules with pooled engines. Each run has an engine to itself, because an engine silently skips rules in overlapping runs.
 */
export function createRuleRunner(rules: readonly CompiledRule[]): RuleRunner {
  const idle: Engine[] = [];
  const readers = engineReaders(rules.flatMap((rule) => rule.leaves));
  return {
    async run(facts) {
      const engine = idle.pop() ?? newEngine(rules, readers);
      const { results, failureResults } = await engine.run({ [ENGINE_FACT]: facts });
      const evaluated = new Set([...results, ...failureResults].map(indexOf)).size;
      // Not pooled after an error, because its state is then unknown.
      if (rules.length <= MAX_RULES_KEPT && idle.length < MAX_IDLE) idle.push(engine);
      return { evaluated, held: results.map(indexOf).sort((a, b) => a - b) };
    },
  };
}

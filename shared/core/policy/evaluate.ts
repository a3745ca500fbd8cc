// Evaluates facts under one policy set: an index finds candidate rules, json-rules-engine evaluates them. Results are memoized: verdicts by
// the values that the rules read and by the rules that hold, and each rule's own result by the outcomes of its comparisons
// (rule-results.ts).
import { type Action, ENVIRONMENTS } from '../../kernel/vocabulary.ts';
import {
  builtInEvaluation,
  combine,
  combineApproved,
  combineRisk,
  isUnknownCall,
  isUnknownRisk,
  matchOf,
  prechecks,
  unknownRisk,
} from './combine.ts';
import type { Judgement, Match, MissingOpens } from './combine.ts';
import type { CompiledSet } from './compile.ts';
import { createRuleRunner } from './engine.ts';
import type { RuleRunner } from './engine.ts';
import { createKeyedCache, textKey, valueKey } from './cache-keys.ts';
import { explainRules, type Inspected } from './explain.ts';
import { canonicalResource, isPattern } from '../intent/resource.ts';
import type { CandidateRule, RuleQuery, RuleIndex, Skipped } from './rule-index.ts';
import type { Evaluation, ExplainedRule, Facts, Reason, Risk, RiskFacts } from './types.ts';
import { type CountedLeaf, countedLeaves, memoReaders, settle } from './normal-form.ts';
import { QuestionSteps } from './question-steps.ts';
import { aloneOf, viewsOf } from './views.ts';
import type { CompiledRule } from './compiled-rule.ts';
import type { PathReader } from './path-reader.ts';
import { createRuleResults } from './rule-results.ts';

export interface EvaluatorOptions {
  /** A PolicySet, or any other object with compiled policies. */
  readonly set: { readonly compiled: CompiledSet };
  /** Number of memoized verdicts, and of memoized risks; 0 disables memoization. Default 40,000. */
  readonly memoLimit?: number;
  /** Number of requests, lists of rules and, a tenth of it, engines that are cached. Default 40,000, and 1,000 engines. */
  readonly cacheLimit?: number;
  /** Called with every error that became a DENY or the highest risk. */
  readonly onError?: (error: unknown) => void;
  /** For tests of the fail-closed paths. Default: json-rules-engine. */
  readonly createRunner?: typeof createRuleRunner;
  /** Default: nothing. Other values are for decisions that were recorded under earlier semantics. */
  readonly missingOpens?: MissingOpens;
}

export interface Explanation {
  readonly evaluation: Evaluation;
  /** Every rule whose target matches, in rule order; `skipped` says why one did not count. */
  readonly candidates: readonly ExplainedRule[];
}

export interface Evaluator {
  /**
   * The verdict: synchronous when identical facts are memoized, else a promise. Never throws and never rejects; any error is DENY with
   * reason EVALUATION_FAILED.
   */
  evaluate(facts: Facts): Evaluation | Promise<Evaluation>;
  /**
   * The verdict after a human approved the request (combineApproved), never memoized; `approval` becomes the last reason when the request
   * is permitted. Never rejects; any error is DENY with reason EVALUATION_FAILED.
   */
  evaluateApproved(facts: Facts, approval: Reason): Promise<Evaluation>;
  /** The risk by the policies of stage `intake`. Never throws and never rejects; any error is the highest risk. */
  assessRisk(facts: RiskFacts): Risk | Promise<Risk>;
  /** As `evaluate`, never memoized, with every rule and the actual values of its conditions. */
  explain(facts: Facts): Promise<Explanation>;
}

// Sized for 10,000 policies in even use: the cache always keeps half of its limit. All memoized results together stay below 50 MB.
const DEFAULT_MEMO = 40_000;
/** Number of distinct requests whose candidates are cached, and of distinct candidate lists. */
const MAX_REQUESTS = 40_000;
/** Lists of rules whose engines are cached: an engine takes about 10 kB and is needed only for results that were not memoized. */
const MAX_RUNNERS = 1_000;

/** A list of rules that some requests are evaluated against. */
interface CandidateList {
  readonly id: string;
  readonly candidates: readonly CandidateRule[];
  /** Readers of exactly those paths that the conditions name. */
  readonly readers: readonly PathReader[];
  /** The comparisons that take steps of the question. */
  readonly counted: Counted;
}

/** Of the installation's rules, and of the organisation's own ones. */
interface Counted {
  readonly base: readonly CountedLeaf[];
  readonly own: readonly CountedLeaf[];
}

const hasCounted = ({ base, own }: Counted): boolean => base.length + own.length > 0;

function countedOf(rules: readonly CompiledRule[]): Counted {
  const of = (isOwn: boolean): CountedLeaf[] =>
    countedLeaves(rules.filter((rule) => rule.isOwn === isOwn).flatMap(({ leaves }) => leaves));
  return { base: of(false), own: of(true) };
}

/** What the rules of a question may still spend; own rules take nothing from the installation's. */
interface Spending {
  readonly base: QuestionSteps;
  readonly own: QuestionSteps;
}

const newSpending = (): Spending => ({ base: new QuestionSteps(), own: new QuestionSteps() });

/** Names the comparisons that count as missing for want of steps; empty when there are none. */
function settleAll({ base, own }: Counted, facts: RiskFacts, spending: Spending): string {
  const lacking = [settle(base, facts, spending.base), settle(own, facts, spending.own)];
  return lacking.every(({ length }) => length === 0) ? '' : `!${lacking.join('!')}!`;
}

class IncompleteError extends Error {}

function canonical(resource: string): string {
  const result = canonicalResource(resource);
  if (!result.ok) throw new Error(`a resource in the facts ${result.message}`);
  return result.resource;
}

/**
 * A place contains the object, so a target matches the place or the object in it: `db/production/*` matches "delete the users in
 * production", although `*` stands for at least one segment.
 */
export function placesOf(intent: Pick<RiskFacts['intent'], 'places' | 'object'>): string[] {
  return intent.places.flatMap((text) => {
    const place = canonical(text);
    const object = canonicalResource(intent.object);
    const inside = object.ok && !isPattern(object.resource) && !isPattern(place) ? [`${place}/${object.resource}`] : [];
    return [place, ...inside];
  });
}

/**
 * Builds the query for the rule index. An unknown target can not be matched, and a DENY that is not matched would be ignored, so every
 * member that targets look at is required. @throws {Error} when one is missing, or the resource is not canonical
 */
export function requestOf(facts: RiskFacts): RuleQuery {
  const { intent } = facts;
  if (canonical(intent.resource) !== intent.resource) throw new Error('the resource in the facts is not canonical');
  if (!ENVIRONMENTS.includes(facts.environment)) throw new Error('the environment in the facts is not known');
  if (typeof facts.organisation.slug !== 'string') throw new Error('the facts have no organisation');
  return {
    action: intent.action,
    resource: intent.resource,
    places: placesOf(intent),
    environment: facts.environment,
    organisation: facts.organisation.slug,
  };
}

/** The action comes from a closed list, so it needs no length prefix. */
function requestKey(facts: RiskFacts): string {
  const { intent } = facts;
  const action: Action = intent.action;
  const key = `${action} ${facts.environment} ${textKey(facts.organisation.slug)}${textKey(intent.resource)}`;
  if (intent.places.length === 0) return key;
  return `${key}${textKey(intent.object)}${intent.places.map(textKey).join('')}`;
}

/** What one or more meanings have to be held against: those that no rule tells apart are one. */
interface View {
  readonly list: CandidateList;
  readonly facts: RiskFacts;
  readonly isRaised: boolean;
}

/** The rules of a view. An unknown call, and a raised risk, are combined in another way than the same facts without them. */
function rulesKey({ list, facts, isRaised }: View): string {
  const key = isUnknownCall(facts) ? `${list.id}?` : list.id;
  return isRaised ? `^${key}` : key;
}

/** What is known of a view. */
interface Recalled {
  readonly view: View;
  /** The candidates that hold, with the ids of their results; empty ids without memoization. */
  readonly held: Map<CompiledRule, string>;
  /** The candidates that the engine still has to evaluate. */
  readonly unknown: readonly CompiledRule[];
}

interface StageOptions<Result> {
  readonly index: RuleIndex;
  readonly memoLimit: number;
  readonly cacheLimit: number;
  readonly createRunner: typeof createRuleRunner;
  readonly combine: (judgements: readonly Judgement[]) => Result;
  readonly fail: (error: unknown) => Result;
  readonly missingOpens: MissingOpens | undefined;
}

/** The rules of one stage with their caches. */
function createStage<Result extends object>(options: StageOptions<Result>) {
  const { index, createRunner, missingOpens, cacheLimit } = options;
  // These keys are as long as the lists and come from policies, not from callers; the longest lists are the most worth sharing.
  const lists = createKeyedCache<CandidateList>(cacheLimit, Infinity);
  const requests = createKeyedCache<CandidateList>(cacheLimit);
  const byValues = createKeyedCache<Result>(options.memoLimit);
  const byHeld = createKeyedCache<Result>(options.memoLimit);
  const ruleResults = options.memoLimit > 0 ? createRuleResults() : undefined;
  const runners = createKeyedCache<RuleRunner>(Math.min(MAX_RUNNERS, cacheLimit / 10));
  let listCount = 0;

  function listOf(candidates: readonly CandidateRule[]): CandidateList {
    const signature = candidates.map(({ rule, fit }) => `${rule.index}${fit}`).join();
    const known = lists.get(signature);
    if (known !== undefined) return known;
    listCount += 1;
    const readers = memoReaders(candidates.flatMap(({ rule }) => rule.leaves));
    for (const { rule } of candidates) {
      for (const [path, read] of rule.budget?.readers ?? []) readers.set(path, read);
      if (rule.effect.fill !== undefined) readers.set(`message ${rule.index}`, rule.effect.fill);
    }
    const list: CandidateList = {
      // Never reused, even when the list is evicted and built again.
      id: `${listCount} `,
      candidates,
      readers: [...readers.values()],
      counted: countedOf(candidates.map(({ rule }) => rule)),
    };
    lists.set(signature, list);
    return list;
  }

  function runnerOf(rules: readonly CompiledRule[]): RuleRunner {
    const key = rules.map(({ index: at }) => at).join();
    const known = runners.get(key);
    if (known !== undefined) return known;
    const runner = createRunner(rules);
    runners.set(key, runner);
    return runner;
  }

  function candidatesFor(facts: RiskFacts): CandidateList {
    const key = requestKey(facts);
    const known = requests.get(key);
    if (known !== undefined) return known;
    const list = listOf(index.find(requestOf(facts)));
    requests.set(key, list);
    return list;
  }

  function recall(view: View): Recalled {
    const held = new Map<CompiledRule, string>();
    const unknown: CompiledRule[] = [];
    for (const { rule } of view.list.candidates) {
      const result = ruleResults?.get(rule, view.facts);
      if (result === undefined) unknown.push(rule);
      else if (result.isHeld) held.set(rule, result.id);
    }
    return { view, held, unknown };
  }

  /** Evaluates what could not be recalled. @throws {IncompleteError} when the engine skipped a rule */
  async function complete({ view, held, unknown }: Recalled): Promise<void> {
    if (unknown.length === 0) return;
    const found = await runnerOf(unknown).run(view.facts);
    if (found.evaluated !== unknown.length)
      throw new IncompleteError(`the engine evaluated ${found.evaluated} of ${unknown.length} rules`);
    const holding = new Set(found.held);
    for (const rule of unknown) {
      const isHeld = holding.has(rule.index);
      const result = ruleResults?.set(rule, view.facts, isHeld);
      if (isHeld) held.set(rule, result?.id ?? '');
    }
  }

  const matchesOf = ({ view, held }: Recalled): Match[] =>
    view.list.candidates
      .filter(({ rule }) => held.has(rule))
      .map((candidate) => matchOf(candidate, view.facts, missingOpens));

  /** The result of complete views. The same object for all questions for which the same rules hold for the same reasons. */
  function judge(recalled: readonly Recalled[], valuesKeys: string): Result {
    let key = '';
    for (const { view, held } of recalled) {
      // The mark separates the views: a list and a result may have the same number.
      key += `/${rulesKey(view)}`;
      for (const [{ budget, effect }, id] of held) {
        key += id;
        if (budget !== undefined) for (const [, read] of budget.readers) key += valueKey(read(view.facts));
        if (effect.fill !== undefined) key += textKey(effect.fill(view.facts));
      }
    }
    let result = byHeld.get(key);
    if (result === undefined) {
      const judgements = recalled.map((one): Judgement => {
        const { facts, isRaised } = one.view;
        return { matches: matchesOf(one), facts, isRaised };
      });
      result = options.combine(judgements);
      byHeld.set(key, result);
    }
    byValues.set(valuesKeys, result);
    return result;
  }

  async function compute(recalled: readonly Recalled[], key: string): Promise<Result> {
    try {
      for (const one of recalled) await complete(one);
      return judge(recalled, key);
    } catch (error) {
      return options.fail(error);
    }
  }

  function addViews(views: Map<string, View>, facts: RiskFacts, isRaised: boolean, spending: Spending): void {
    for (const one of viewsOf(facts)) {
      const list = candidatesFor(one);
      // Other questions may have the same facts.
      const mine = hasCounted(list.counted) ? { ...one } : one;
      const lacking = settleAll(list.counted, mine, spending);
      let values = '';
      for (const read of list.readers) values += valueKey(read(mine));
      values += lacking;
      const view = { list, facts: mine, isRaised };
      // A raised risk that no rule tells apart from the installation's changes nothing.
      if (isRaised && views.has(rulesKey({ ...view, isRaised: false }) + values)) continue;
      views.set(rulesKey(view) + values, view);
    }
  }

  return {
    evaluate(facts: RiskFacts): Result | Promise<Result> {
      try {
        const views = new Map<string, View>();
        const alone = aloneOf(facts);
        const spending = newSpending();
        addViews(views, alone ?? facts, false, spending);
        if (alone !== undefined) addViews(views, facts, true, spending);
        // The list says how many values follow, so no two lists of keys make one text.
        const key = [...views.keys()].join('');
        const known = byValues.get(key);
        if (known !== undefined) return known;
        const recalled = [...views.values()].map(recall);
        return recalled.every(({ unknown }) => unknown.length === 0) ? judge(recalled, key) : compute(recalled, key);
      } catch (error) {
        return options.fail(error);
      }
    },
    /** For each meaning the rules that hold, and all whose target matches, without memoization. */
    async inspect(facts: RiskFacts): Promise<Inspected[]> {
      const inspected: Inspected[] = [];
      const spending = newSpending();
      // What explains the rules that did not count takes nothing from the others.
      const spendingOnSkipped = newSpending();
      const inspect = async (views: readonly RiskFacts[], isRaised: boolean): Promise<void> => {
        for (const one of views) {
          const skipped: Skipped[] = [];
          const list = listOf(index.find(requestOf(one), (rule) => skipped.push(rule)));
          const { candidates } = list;
          const view = { ...one };
          settleAll(list.counted, view, spending);
          settleAll(countedOf(skipped.map(({ rule }) => rule)), view, spendingOnSkipped);
          const evaluated = {
            view: { list, facts: view, isRaised },
            held: new Map<CompiledRule, string>(),
            unknown: candidates.map(({ rule }) => rule),
          };
          await complete(evaluated);
          const matches = matchesOf(evaluated);
          const fitting = [...candidates, ...skipped];
          inspected.push({ facts: view, action: view.intent.action, matches, isRaised, fitting });
        }
      };
      const alone = aloneOf(facts);
      await inspect(viewsOf(alone ?? facts), false);
      if (alone !== undefined) await inspect(viewsOf(facts), true);
      return inspected;
    },
  };
}

/**
 * The DENY when an organisation has own policies of stage intake and the risk could not be computed. Its own rules may be the cause, and
 * the installation's rules alone might have found a lower risk and refused.
 */
function withoutRisk({ hasOwnIntake }: CompiledSet, facts: Facts): Evaluation | undefined {
  if (!hasOwnIntake || !isUnknownRisk(facts.intent.risk)) return undefined;
  return builtInEvaluation('EVALUATION_FAILED');
}

/** Creates the evaluator of one policy set. Its caches belong to it, so they are dropped with the set. */
export function createEvaluator(options: EvaluatorOptions): Evaluator {
  const { compiled } = options.set;
  const { onError } = options;
  const shared = {
    memoLimit: options.memoLimit ?? DEFAULT_MEMO,
    cacheLimit: options.cacheLimit ?? MAX_REQUESTS,
    createRunner: options.createRunner ?? createRuleRunner,
    missingOpens: options.missingOpens,
  };
  const codeOf = (error: unknown) => {
    try {
      onError?.(error);
    } catch {
      // A failing observer must not turn a DENY into an error.
    }
    return error instanceof IncompleteError ? 'ENGINE_INCOMPLETE' : 'EVALUATION_FAILED';
  };
  const failed = (error: unknown): Evaluation => builtInEvaluation(codeOf(error));
  const enforce = createStage({ ...shared, index: compiled.enforce, combine, fail: failed });
  const intake = createStage<Risk>({
    ...shared,
    index: compiled.intake,
    combine: (judgements) => combineRisk(judgements, options.missingOpens),
    fail: (error) => unknownRisk(codeOf(error)),
  });

  const before = (facts: Facts): Evaluation | undefined => prechecks(facts) ?? withoutRisk(compiled, facts);

  async function explain(facts: Facts): Promise<Explanation> {
    try {
      const inspected = await enforce.inspect(facts);
      return { evaluation: before(facts) ?? combine(inspected), candidates: explainRules(inspected) };
    } catch (error) {
      return { evaluation: failed(error), candidates: [] };
    }
  }

  return {
    evaluate(facts) {
      try {
        return before(facts) ?? enforce.evaluate(facts);
      } catch (error) {
        return failed(error);
      }
    },
    async evaluateApproved(facts, approval) {
      try {
        return before(facts) ?? combineApproved(await enforce.inspect(facts), approval);
      } catch (error) {
        return failed(error);
      }
    },
    assessRisk: (facts) => intake.evaluate(facts),
    explain,
  };
}

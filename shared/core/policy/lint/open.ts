// ALLOW and DEGRADE rules that permit more than they seem to: every agent, or agents with less trust than agents that are refused.
import { effectiveTrust, NO_EVIDENCE } from '../../trust/score.ts';
import { ACTIONS, type Action, permits } from '../../../kernel/vocabulary.ts';
import type { CompiledRule } from '../compiled-rule.ts';
import type { Facts } from '../types.ts';
import { applies, othersOn, verdictOf, witnessOf } from './answers.ts';
import { holds, holdsFor, outcomeOf, pathsOf } from '../normal-form.ts';
import { itemsOf } from './context-values.ts';
import { usualFacts } from './facts.ts';
import { firstPattern, labelOf, nameOf, type LintedRule, type LintedSet, ruleFinding } from './rules.ts';
import { type Disturbing, ruleHolds, search, searchUndisturbed, spoiler, type Spoiler } from './search.ts';
import { TRUE, type Formula } from './solve.ts';
import { both, CERTAIN, type Space } from './space.ts';
import type { LintFinding } from './types.ts';

/** Most harmful first; `unknown` comes last, because an example with it shows least. */
const BY_HARM: readonly Action[] = [
  'delete',
  'transfer',
  'grant',
  'revoke',
  'execute',
  'send',
  'update',
  'create',
  'read',
  'unknown',
];
/** Actions with consequences outside of the object itself, or that can not be undone. */
const CONSEQUENTIAL: ReadonlySet<Action> = new Set(['delete', 'transfer', 'grant', 'revoke', 'execute', 'send']);

/**
 * The other rules that permit on these facts and may hide that a rule permits, too. An ALLOW is none beside a DEGRADE: it is then the
 * ALLOW that opens, and the DEGRADE limits it. A DEGRADE that holds because facts are missing is none, because it asks a human.
 */
function alikeOn(set: LintedSet, linted: LintedRule, facts: Facts): LintedRule[] {
  const isAlike = ({ type }: CompiledRule['effect']): boolean =>
    type === 'DEGRADE' || (type === 'ALLOW' && linted.rule.effect.type === 'ALLOW');
  return othersOn(set, facts, [linted]).filter(
    ({ rule }) => isAlike(rule.effect) && holdsFor(rule.condition, facts, CERTAIN),
  );
}

/**
 * Whether the set permits the request, and this rule alone does: when the other permitting rules are left out, it depends on the rule.
 * Of two rules that open the same both are reported, because removing one of them closes nothing.
 */
export function isPermitted(set: LintedSet, linted: LintedRule, facts: Facts): boolean {
  if (!permits(verdictOf(set, facts))) return false;
  const others = alikeOn(set, linted, facts).map(({ rule }) => rule);
  return (
    permits(verdictOf(set, facts, new Set(others))) &&
    !permits(verdictOf(set, facts, new Set([...others, linted.rule])))
  );
}

/**
 * What to avoid in a search for facts on which a rule permits by itself: the rules that take part and are not left out by isPermitted; of a
 * DEGRADE that asks a human because facts are missing, only such facts.
 */
export function spoiling(set: LintedSet, linted: LintedRule): Disturbing {
  return (facts) => {
    const alike = alikeOn(set, linted, facts);
    const others = othersOn(set, facts, [linted]);
    const spoilers = others.filter((other) => !alike.includes(other));
    return (spoilers.length > 0 ? spoilers : others).map((other) =>
      spoilers.includes(other) && other.rule.effect.type === 'DEGRADE' ? asksHuman(other) : spoiler(other),
    );
  };
}

const asksHuman = (linted: LintedRule): Spoiler => ({
  linted,
  isAway: (space) => ({
    kind: 'any',
    of: [spoiler(linted).isAway(space), space.conditionOf(linted.rule.condition, CERTAIN)],
  }),
});

interface Opening {
  readonly others: LintFinding['others'];
  /** `by this rule alone`, or with the names of the others. */
  readonly also: string;
}

/** The other rules that permit the same, each alone. */
export function othersPermitting(set: LintedSet, linted: LintedRule, facts: Facts): Opening {
  const others = alikeOn(set, linted, facts).filter((other) => isPermitted(set, other, facts));
  return {
    others: others.map(nameOf),
    also: others.length === 0 ? 'by this rule alone' : `by this rule, and also by ${others.map(labelOf).join(', ')}`,
  };
}

/** Comparisons with whole ids. A part of one names nobody in particular: an agent can choose an id that has it. */
const NAMING = ['equal', 'in'];

/** The facts have values that the rule does not name: for example any key except the ones that it requires. */
export function withoutNamed(space: Space, { rule }: LintedRule, paths: readonly string[]): Formula {
  return both(
    ...paths.map((path) => {
      const named = rule.leaves
        .filter((leaf) => leaf.path === path && NAMING.includes(leaf.operator.name))
        .flatMap(itemsOf);
      return space.where(path, (value) => {
        const text = value.get(path);
        return typeof text === 'string' && !named.includes(text);
      });
    }),
  );
}

/** The agent is unknown: not registered, without evidence, attributes and tags, and its key, which has no tags, belongs to nobody in particular. */
function isStranger(space: Space, linted: LintedRule): Formula {
  const isEmpty = (path: string): Formula =>
    space.where(path, (value) => {
      const list = value.get(path);
      return Array.isArray(list) && list.length === 0;
    });
  const attributes = linted.rule.leaves.flatMap(pathsOf).filter((path) => path.startsWith('agent.attributes.'));
  return both(
    ...attributes.map((path) => space.where(path, (value) => value.get(path) === undefined)),
    space.where('trust', (value) => {
      const recorded = value.get('trust.recorded');
      const score = typeof recorded === 'object' && recorded !== null && 'score' in recorded ? recorded.score : 0;
      const status = value.get('agent.status') ?? 'UNREGISTERED';
      return typeof score === 'number' && score <= NO_EVIDENCE.score && status === 'UNREGISTERED';
    }),
    space.where('trust.uncertainty', (value) => value.get('trust.uncertainty') === NO_EVIDENCE.uncertainty),
    isEmpty('agent.tags'),
    isEmpty('agent.capabilities'),
    isEmpty('key.tags'),
    space.where('key.bound', (value) => value.get('key.bound') === false),
    withoutNamed(space, linted, ['key.id', 'agent.id']),
  );
}

/** Reading has the effect of a read, and no other action has. Other combinations would be implausible examples. */
function isPlausible(space: Space): Formula {
  const pair = (isRead: boolean): Formula =>
    both(
      space.where('intent.action', (value) => (value.get('intent.action') === 'read') === isRead),
      space.where('intent.effect', (value) => (value.get('intent.effect') === 'read') === isRead),
    );
  return { kind: 'any', of: [pair(true), pair(false)] };
}

/** Actions that a rule must not permit to every agent, most harmful first. */
function guardedActions({ rule }: LintedRule): readonly Action[] {
  const actions: readonly string[] = rule.actions.includes('*') ? ACTIONS : rule.actions;
  const isBroad = rule.resources.includes('*');
  return BY_HARM.filter(
    (action) =>
      actions.includes(action) &&
      // A DEGRADE looks like a restriction; an author who means to permit something with it adds an ALLOW beside it.
      (rule.effect.type === 'DEGRADE' ||
        CONSEQUENTIAL.has(action) ||
        (isBroad && action !== 'read' && action !== 'unknown')),
  );
}

/**
 * A rule that by itself permits an unknown agent an action with consequences; for a DEGRADE, any action. A narrow ALLOW for the test
 * environment is exempt, because it is for experiments.
 */
export function openToAnyone(set: LintedSet, linted: LintedRule): LintFinding | undefined {
  const { rule } = linted;
  if (!permits(rule.effect.type)) return undefined;
  const actions = guardedActions(linted);
  const isBroad = rule.resources.includes('*');
  const isAnywhere = isBroad || rule.effect.type === 'DEGRADE';
  const pattern = isBroad ? '*' : firstPattern(linted);
  // A rule that permits opens only what its target covers.
  const query = { set, rules: [linted], pattern, isCovered: true };
  const isOpen = (space: Space, some: readonly Action[]): Formula =>
    both(
      ruleHolds(space, linted),
      space.conditionOf(rule.condition, CERTAIN),
      isStranger(space, linted),
      space.where('intent.action', (value) => some.some((action) => action === value.get('intent.action'))),
      isPlausible(space),
      isAnywhere ? TRUE : space.where('environment', (value) => value.get('environment') === 'live'),
    );
  // Fast path: most rules restrict who the agent is, and one proof shows that for all actions.
  if (actions.length === 0) return undefined;
  if (search({ ...query, isProofOnly: true, formula: (space) => isOpen(space, actions) }).kind === 'none')
    return undefined;
  for (const action of actions) {
    const found = searchUndisturbed(
      {
        ...query,
        formula: (space) => isOpen(space, [action]),
        accept: (facts) => applies(linted, set, facts) && isPermitted(set, linted, facts),
      },
      spoiling(set, linted),
    );
    if (found.kind !== 'found') continue;
    const { others, also } = othersPermitting(set, linted, found.facts);
    const what = `${action === 'unknown' ? 'unknown actions' : action} on ${isBroad ? 'every resource' : pattern}`;
    const how = rule.effect.type === 'DEGRADE' ? `DEGRADE permits: it opens ${what}` : `permits ${what}`;
    return ruleFinding(linted, {
      code: 'WIDENING',
      message: `${how} to every agent: no condition on trust, registration or the key restricts it`,
      others,
      witness: witnessOf(set, linted, found.facts, `an unknown agent is permitted, ${also}`),
    });
  }
  return undefined;
}

/** The same request by the most trusted agent possible. */
function byMostTrusted(facts: Facts): Facts {
  return {
    ...facts,
    agent: { ...facts.agent, registered: true, status: 'ACTIVE' },
    trust: effectiveTrust({ recordedScore: 1_000, uncertainty: 0, claimedScore: 1_000 }),
  };
}

const TRUSTED = byMostTrusted(usualFacts());

/** Whether all conditions on the agent hold for the most trusted one: then the rule holds for it wherever it holds at all. */
function holdsForMostTrusted({ rule }: LintedRule): boolean {
  return rule.leaves
    .filter((leaf) => leaf.path.startsWith('trust.') || /^agent\.(?:registered|status)$/.test(leaf.path))
    .every((leaf) => holds(outcomeOf(leaf, TRUSTED), leaf.negated, false));
}

/** A rule that permits an agent a request that the same agent with more trust is refused: probably a reversed comparison. */
export function openToLessTrusted(set: LintedSet, linted: LintedRule): LintFinding | undefined {
  const { rule } = linted;
  if (!permits(rule.effect.type) || holdsForMostTrusted(linted)) return undefined;
  const found = searchUndisturbed(
    {
      set,
      rules: [linted],
      isCovered: true,
      formula: (space) =>
        both(ruleHolds(space, linted), space.conditionOf(rule.condition, CERTAIN), isPlausible(space)),
      accept: (facts) =>
        applies(linted, set, facts) &&
        isPermitted(set, linted, facts) &&
        verdictOf(set, byMostTrusted(facts)) === 'DENY',
    },
    spoiling(set, linted),
  );
  if (found.kind !== 'found') return undefined;
  const { level } = found.facts.trust;
  const { others, also } = othersPermitting(set, linted, found.facts);
  return ruleFinding(linted, {
    code: 'WIDENING',
    message: `${rule.effect.type} permits, and this one permits less trusted agents what is denied to more trusted ones`,
    others,
    witness: witnessOf(
      set,
      linted,
      found.facts,
      `permitted at trust level ${level}, ${also}; the same at level 7 is DENY`,
    ),
  });
}

// ALLOW rules that open more than they seem to: to anyone, or to whoever chooses the right words for a member of the context.
import { NO_EVIDENCE } from '../../trust/score.ts';
import { ACTION_CLASSES, type ActionClass } from '../../vocabulary.ts';
import { applies, evaluationOf, othersOn, witnessOf } from './answers.ts';
import { firstPattern } from './dead.ts';
import { setPath } from './facts.ts';
import { nameOf, wordsOf, type LintedRule, type LintedSet, type Part } from './rules.ts';
import { ruleHolds, searchUndisturbed } from './search.ts';
import type { Formula } from './solve.ts';
import { both, CERTAIN, type Space } from './space.ts';
import type { LintFinding } from './types.ts';

/** What does the most harm comes first. */
const BY_HARM: readonly ActionClass[] = [
  'delete',
  'transfer',
  'grant',
  'revoke',
  'execute',
  'send',
  'update',
  'create',
];

const permits = (verdict: string): boolean => verdict === 'ALLOW' || verdict === 'DEGRADE';

/** That nobody knows the agent. */
function isStranger(space: Space): Formula {
  return space.where('trust', (value) => {
    const score = value.get('trust.score');
    const status = value.get('agent.status');
    return (typeof score !== 'number' || score <= NO_EVIDENCE.score) && (status ?? 'UNREGISTERED') === 'UNREGISTERED';
  });
}

/** An ALLOW of everything for everyone: of a change, on any resource, without a condition. */
export function openToAnyone(set: LintedSet, linted: LintedRule): LintFinding | undefined {
  const { rule } = linted;
  if (rule.effect.type !== 'ALLOW' || !rule.resources.includes('*')) return undefined;
  const actions = rule.actions.includes('*') ? ACTION_CLASSES : rule.actions;
  for (const action of BY_HARM.filter((one) => actions.includes(one))) {
    const found = searchUndisturbed(
      {
        set,
        rules: [linted],
        pattern: '*',
        formula: (space) =>
          both(
            ruleHolds(space, linted),
            isStranger(space),
            space.where('intent.action', (value) => value.get('intent.action') === action),
          ),
        accept: (facts) =>
          applies(linted, set, facts) &&
          permits(evaluationOf(set, facts).verdict) &&
          !permits(evaluationOf(set, facts, new Set([rule])).verdict),
      },
      (facts) => othersOn(set, facts, [linted]),
    );
    if (found.kind !== 'found') continue;
    return {
      code: 'WIDENING',
      severity: 'warning',
      ...nameOf(linted),
      pointer: linted.pointer,
      message: `permits ${action} on every resource to every agent: it has no condition, and its target has "*"`,
      others: [],
      witness: witnessOf(set, linted, found.facts, 'an agent that nobody knows is permitted, by this rule alone'),
    };
  }
  return undefined;
}

const REFUSING = ['notEqual', 'notIn', 'doesNotContain'];
const NAMING = ['equal', 'in', 'contains', 'containsAny', 'containsAll', 'startsWith', 'endsWith', 'inCidr'];

/** Whether a comparison holds for whatever a caller sends, but for what it names. */
function isRefusal(part: Part): boolean {
  if (part.node.kind !== 'leaf' || !part.node.leaf.path.startsWith('context.')) return false;
  const { operator, negated, comparison } = part.node.leaf;
  if (operator.name === 'isPresent') return comparison.value === negated;
  const items: readonly unknown[] = Array.isArray(comparison.value) ? comparison.value : [comparison.value];
  return items.every((item) => typeof item === 'string') && (negated ? NAMING : REFUSING).includes(operator.name);
}

const leavesIn = (part: Part): Part[] => (part.node.kind === 'leaf' ? [part] : part.of.flatMap(leavesIn));

/** Values that a comparison with a context member may refuse. */
function refusedValues(part: Part): readonly unknown[] {
  if (part.node.kind !== 'leaf') return [];
  const { comparison, operator } = part.node.leaf;
  const items: readonly unknown[] = Array.isArray(comparison.value) ? comparison.value : [comparison.value];
  if (operator.name === 'isPresent') return ['anything'];
  if (operator.name === 'inCidr') return items.flatMap((item) => String(item).split('/')[0] ?? []);
  return operator.name.startsWith('contains') || operator.name === 'doesNotContain' ? [[...items]] : items;
}

/** An ALLOW that holds unless the caller itself says something: it will say something else, or nothing. */
export function callersChoice(set: LintedSet, linted: LintedRule): LintFinding[] {
  const { rule } = linted;
  if (rule.effect.type !== 'ALLOW') return [];
  return leavesIn(linted.root)
    .filter(isRefusal)
    .flatMap((part) => {
      const { node } = part;
      if (node.kind !== 'leaf') return [];
      const { path } = node.leaf;
      const found = searchUndisturbed(
        {
          set,
          rules: [linted],
          pattern: firstPattern(linted),
          formula: (space) => both(ruleHolds(space, linted), space.conditionOf(node, CERTAIN)),
          accept: (facts) =>
            permits(evaluationOf(set, facts).verdict) &&
            refusedValues(part).some((value) => {
              const honest = structuredClone(facts);
              setPath(honest, path, value);
              return !permits(evaluationOf(set, honest).verdict);
            }),
        },
        (facts) => othersOn(set, facts, [linted]),
      );
      if (found.kind !== 'found') return [];
      const isAbsence = node.leaf.operator.name === 'isPresent';
      const chosen = isAbsence ? `leaving ${path} out` : `sending another ${path} than the ones that are named`;
      return [
        {
          code: 'WIDENING' as const,
          severity: 'warning' as const,
          ...nameOf(linted),
          pointer: part.pointer,
          message: `"${wordsOf(part)}" guards nothing: the caller itself chooses it, and is permitted by ${chosen}`,
          others: [],
          witness: witnessOf(set, linted, found.facts, `permitted by ${chosen}`),
        },
      ];
    });
}

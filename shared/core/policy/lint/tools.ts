// Conditions about tool calls: rules that hold for questions without a call, patterns that match too much, names in no catalogue.
import { nearestName } from '../../../kernel/near.ts';
import { permits } from '../../../kernel/vocabulary.ts';
import type { ToolCatalogues } from '../../tools/catalogue.ts';
import { holdsFor, type Leaf, type NormalNode, pathsOf } from '../normal-form.ts';
import type { Facts } from '../types.ts';
import { applies, witnessOf } from './answers.ts';
import { comparedIn, itemsOf } from './context-values.ts';
import { isUnanchored } from './patterns.ts';
import { leavesIn, type LeafPart, type LintedRule, type LintedSet, ruleFinding, wordsOf } from './rules.ts';
import { conditionHolds, ruleHolds, search } from './search.ts';
import type { Assignment } from './dimensions.ts';
import type { Formula } from './solve.ts';
import { asEvaluated, both, not, CERTAIN, type Space, type Unsure } from './space.ts';
import type { LintFinding } from './types.ts';
import { showing } from './words.ts';

export interface KnownTools {
  /** By server. Absent: unknown, and nothing is reported about names. */
  readonly tools?: ToolCatalogues | undefined;
}

const PRESENT = 'tool.present';
const isOfCall = (path: string): boolean => path.startsWith('tool.') && path !== PRESENT;
const isAboutCall = (leaf: Leaf): boolean => pathsOf(leaf).some(isOfCall);

/** Evaluates a condition as if no comparison of a missing fact of a call held. */
function holdsWithoutGuess(node: NormalNode, facts: Facts, unsure: Unsure): boolean {
  switch (node.kind) {
    case 'all':
      return node.of.every((part) => holdsWithoutGuess(part, facts, unsure));
    case 'any':
      return node.of.some((part) => holdsWithoutGuess(part, facts, unsure));
    case 'leaf':
      return holdsFor(node, facts, isAboutCall(node.leaf) ? CERTAIN : unsure);
  }
}

/** A rule that holds for a question without a call, only because the facts of a call are missing there. */
function absentFinding(set: LintedSet, linted: LintedRule, leaves: readonly LeafPart[]): LintFinding[] {
  const { rule } = linted;
  const ofCall = leaves.filter(({ leaf }) => isAboutCall(leaf));
  const [first] = ofCall;
  if (first === undefined || !rule.holdsWhenUnsure) return [];
  const found = search({
    set,
    rules: [linted],
    formula: (space) =>
      both(
        ruleHolds(space, linted),
        ...ofCall.map(({ node }) => not(space.conditionOf(node, CERTAIN))),
        space.where('tool', (value) => value.get(PRESENT) !== true),
      ),
    accept: (facts) =>
      facts.tool === undefined &&
      applies(linted, set, facts) &&
      !holdsWithoutGuess(rule.condition, facts, asEvaluated(rule)),
  });
  if (found.kind !== 'found') return [];
  return [
    ruleFinding(linted, {
      code: 'TOOL_ABSENT',
      pointer: first.pointer,
      message: `also holds for questions without a tool call, because "${wordsOf(first)}" is missing there`,
      witness: witnessOf(set, linted, found.facts, 'holds for a question without a tool call'),
    }),
  ];
}

/** A permission by a pattern that other texts match, too. */
function patternFindings(set: LintedSet, linted: LintedRule, leaves: readonly LeafPart[]): LintFinding[] {
  if (!permits(linted.rule.effect.type)) return [];
  return leaves.flatMap((part) => {
    const patterns = comparedIn(part.leaf).filter(
      ({ operator, negated }) => operator.name === 'matchesPattern' && !negated,
    );
    const open = patterns
      .flatMap(itemsOf)
      .find((item): item is string => typeof item === 'string' && isUnanchored(item));
    if (open === undefined) return [];
    return finding(set, linted, {
      code: 'UNANCHORED_PATTERN',
      pointer: part.pointer,
      message: `permits every text that contains a match of ${JSON.stringify(open)}, whatever stands before and after it`,
      hint: `write ${JSON.stringify(`^(?:${open})$`)}, or matchesGlob`,
      shows: `permitted, with "${wordsOf(part)}"`,
    });
  });
}

function finding(
  set: LintedSet,
  linted: LintedRule,
  {
    shows,
    ...rest
  }: Pick<LintFinding, 'code' | 'pointer' | 'message'> & { readonly hint: string; readonly shows: string },
): LintFinding {
  const witness = showing(set, linted, shows);
  return ruleFinding(linted, { ...rest, ...(witness === undefined ? {} : { witness }) });
}

const NAMES_WHOLE = ['equal', 'in'];

/** The texts that a rule requires of a fact: not those that it refuses. */
function namedIn(leaves: readonly LeafPart[], path: string): { readonly part: LeafPart; readonly text: string }[] {
  return leaves.flatMap((part) => {
    const { leaf } = part;
    if (leaf.path !== path || leaf.negated || !NAMES_WHOLE.includes(leaf.operator.name)) return [];
    return itemsOf(leaf).flatMap((text) => (typeof text === 'string' ? [{ part, text }] : []));
  });
}

/**
 * A server or a tool that no catalogue has. A rule that refuses may mean an unknown one, so there only a similar name is a finding;
 * a permission never counts for it.
 */
function nameFindings(
  set: LintedSet,
  linted: LintedRule,
  leaves: readonly LeafPart[],
  { tools }: KnownTools,
): LintFinding[] {
  if (tools === undefined) return [];
  const servers = namedIn(leaves, 'tool.server');
  const named = servers.flatMap(({ text }) => tools.get(text) ?? []);
  const catalogues = servers.length === 0 ? [...tools.values()] : named;
  const isOpen = catalogues.some(({ trustAnnotations }) => trustAnnotations);
  const names = catalogues.flatMap((one) => [...one.tools.keys()]);
  const complain = (what: 'server' | 'tool', part: LeafPart, text: string, known: readonly string[]): LintFinding[] => {
    if (known.includes(text)) return [];
    const near = nearestName(text, known);
    if (near === undefined && !permits(linted.rule.effect.type)) return [];
    return [
      finding(set, linted, {
        code: 'UNKNOWN_TOOL',
        pointer: part.pointer,
        message: `no catalogue has the ${what} ${JSON.stringify(text)}${near === undefined ? ', so no call of it is ever allowed' : `; did you mean ${JSON.stringify(near)}?`}`,
        hint: 'correct the name, or import a catalogue with "custos tools import"; "custos tools list" shows the tools',
        shows: `the rule is about the ${what} ${JSON.stringify(text)}`,
      }),
    ];
  };
  return [
    ...servers.flatMap(({ part, text }) => complain('server', part, text, [...tools.keys()])),
    // Tools of a server that has no catalogue, or whose annotations count, may have any name.
    ...(isOpen || (servers.length > 0 && named.length === 0)
      ? []
      : namedIn(leaves, 'tool.name').flatMap(({ part, text }) => complain('tool', part, text, names))),
  ];
}

const IS_KNOWN = new Set(['tool.known', 'tool.changed']);
const isKnownCall = (value: Assignment): boolean =>
  value.get(PRESENT) !== true || (value.get('tool.known') === true && value.get('tool.changed') === false);

/** An ALLOW whose conditions hold only for calls that are not known, or whose tool has changed: no ALLOW matches these. */
function unknownCallFinding(set: LintedSet, linted: LintedRule, leaves: readonly LeafPart[]): LintFinding[] {
  const part = leaves.find(({ leaf }) => pathsOf(leaf).some((path) => IS_KNOWN.has(path)));
  if (part === undefined || linted.rule.effect.type !== 'ALLOW') return [];
  const holding = (space: Space): Formula => space.conditionOf(linted.rule.condition, asEvaluated(linted.rule));
  const ofKnown = search({
    set,
    rules: [linted],
    isCovered: false,
    isProofOnly: true,
    formula: (space) => both(holding(space), space.where('tool', isKnownCall)),
  });
  if (ofKnown.kind !== 'none') return [];
  const found = search({
    set,
    rules: [linted],
    isCovered: false,
    formula: (space) =>
      both(
        holding(space),
        space.where('intent.action', (value) => value.get('intent.action') === 'unknown'),
      ),
    accept: (facts) => conditionHolds(linted, facts),
  });
  if (found.kind !== 'found') return [];
  return [
    ruleFinding(linted, {
      code: 'UNKNOWN_CALL',
      pointer: part.pointer,
      message:
        'permits nothing: it holds only for calls that no catalogue knows or whose tool has changed, and no ALLOW matches these',
      witness: witnessOf(set, linted, found.facts, `"${wordsOf(part)}" holds, and the rule does not count`),
    }),
  ];
}

/** The cost of looking at a comparison, in comparisons. */
const COST = 1;

/** All findings about conditions on calls. */
export function toolFindings(set: LintedSet, rules: readonly LintedRule[], known: KnownTools): LintFinding[] {
  return rules.flatMap((linted) => {
    const leaves = leavesIn(linted.root);
    set.budget.left -= COST * leaves.length;
    if (set.budget.left <= 0) return [];
    return [
      ...absentFinding(set, linted, leaves),
      ...patternFindings(set, linted, leaves),
      ...nameFindings(set, linted, leaves, known),
      ...unknownCallFinding(set, linted, leaves),
    ];
  });
}

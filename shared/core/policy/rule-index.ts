// Finds the candidate rules of a request in time that depends on the request, not on the number of rules.
import { ACTIONS } from '../../kernel/vocabulary.ts';
import type { Action } from '../../kernel/vocabulary.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { covers, isPattern, overlaps } from '../intent/resource.ts';

/**
 * How a rule's target matches a request. `partly`: the request is a pattern, and the target matches only some of the resources it covers.
 * `place`: the target matches only a place that the text names, not the resource.
 */
export type Fit = 'full' | 'partly' | 'place';

export interface CandidateRule {
  readonly rule: CompiledRule;
  readonly fit: Fit;
}
export interface Skipped {
  readonly rule: CompiledRule;
  readonly why: string;
}

export interface RuleQuery {
  readonly action: Action;
  /** Canonical, may be a pattern. */
  readonly resource: string;
  /** Canonical resources. */
  readonly places: readonly string[];
  readonly environment: string;
  readonly organisation: string;
}

export interface RuleIndex {
  readonly rules: readonly CompiledRule[];
  /** Candidates in rule order; `onSkipped` is called with every rule whose target matches but that does not count. */
  find(request: RuleQuery, onSkipped?: (skipped: Skipped) => void): CandidateRule[];
}

/** One segment of the trie: rules whose pattern ends here, and rules whose pattern has `*` below here. */
interface TrieNode {
  /** Absent where nothing is below, which is the case for most nodes of a large set. */
  below: Map<string, TrieNode> | undefined;
  exact: CompiledRule[];
  star: CompiledRule[];
}
type Visit = (rule: CompiledRule, fit: Fit) => void;

function newNode(): TrieNode {
  return { below: undefined, exact: [], star: [] };
}

/** Copies lists to their exact length: grown lists have spare capacity, and most lists hold the rules of one policy. */
function trim(node: TrieNode): void {
  node.exact = node.exact.slice();
  node.star = node.star.slice();
  for (const next of node.below?.values() ?? []) trim(next);
}

function add(root: TrieNode, pattern: string, rule: CompiledRule): void {
  const segments = pattern.split('/');
  const starred = isPattern(pattern);
  if (starred) segments.pop();
  let node = root;
  for (const segment of segments) {
    node.below ??= new Map();
    let next = node.below.get(segment);
    if (next === undefined) {
      next = newNode();
      node.below.set(segment, next);
    }
    node = next;
  }
  (starred ? node.star : node.exact).push(rule);
}

function visitBelow(node: TrieNode, fit: Fit, visit: Visit): void {
  for (const next of node.below?.values() ?? []) {
    for (const rule of next.exact) visit(rule, fit);
    for (const rule of next.star) visit(rule, fit);
    visitBelow(next, fit, visit);
  }
}

function visitMatches(root: TrieNode, resource: string, visit: Visit): void {
  const segments = resource.split('/');
  const starred = isPattern(resource);
  if (starred) segments.pop();
  let node = root;
  for (const segment of segments) {
    for (const rule of node.star) visit(rule, 'full');
    const next = node.below?.get(segment);
    if (next === undefined) return;
    node = next;
  }
  if (starred) {
    for (const rule of node.star) visit(rule, 'full');
    visitBelow(node, 'partly', visit);
  } else {
    for (const rule of node.exact) visit(rule, 'full');
  }
}

/** A place is the same for all resources that a pattern covers, so it is a stronger match than a part. */
const RANK: Readonly<Record<Fit, number>> = { full: 2, place: 1, partly: 0 };

/** Why a rule whose target matches does not count for this request, or undefined. */
function whySkipped(rule: CompiledRule, fit: Fit, request: RuleQuery): string | undefined {
  if (rule.environments?.some((environment) => environment === request.environment) === false) {
    return `is for the environments ${rule.environments.join(', ')}`;
  }
  if (rule.organisations?.includes(request.organisation) === false) return 'is for other organisations';
  if (rule.effect.type !== 'ALLOW') return undefined;
  if (request.action === 'unknown') return 'no ALLOW matches the action unknown';
  if (fit === 'partly') return 'an ALLOW counts only when it covers everything that the requested pattern stands for';
  return fit === 'place' ? 'an ALLOW does not match a place that the text names' : undefined;
}

/** How one rule's target matches a request: what `find` says of all rules. Undefined: the rule is no candidate. */
export function fitOf(rule: CompiledRule, request: RuleQuery): Fit | undefined {
  const { actions, resources } = rule;
  if (!actions.includes('*') && !actions.includes(request.action)) return undefined;
  const meets = (resource: string): boolean => resources.some((pattern) => overlaps(pattern, resource));
  let fit: Fit;
  if (resources.some((pattern) => covers(pattern, request.resource))) fit = 'full';
  else if (request.places.some(meets)) fit = 'place';
  else if (meets(request.resource)) fit = 'partly';
  else return undefined;
  return whySkipped(rule, fit, request) === undefined ? fit : undefined;
}

/** Builds the index: one trie over resource segments per action. */
export function createRuleIndex(rules: readonly CompiledRule[]): RuleIndex {
  const tries = new Map(ACTIONS.map((action) => [action, newNode()]));
  for (const rule of rules) {
    for (const [action, root] of tries) {
      if (!rule.actions.includes('*') && !rule.actions.includes(action)) continue;
      for (const pattern of rule.resources) add(root, pattern, rule);
    }
  }
  for (const root of tries.values()) trim(root);
  return {
    rules,
    find(request, onSkipped) {
      const root = tries.get(request.action);
      if (root === undefined) throw new Error(`unknown action ${JSON.stringify(request.action)}`);
      const found = new Map<CompiledRule, Fit>();
      const visit: Visit = (rule, fit) => {
        const before = found.get(rule);
        if (before === undefined || RANK[fit] > RANK[before]) found.set(rule, fit);
      };
      visitMatches(root, request.resource, visit);
      for (const place of request.places) visitMatches(root, place, (rule) => visit(rule, 'place'));
      const candidates: CandidateRule[] = [];
      for (const [rule, fit] of found) {
        const why = whySkipped(rule, fit, request);
        if (why === undefined) candidates.push({ rule, fit });
        else onSkipped?.({ rule, why });
      }
      return candidates.sort((a, b) => a.rule.index - b.rule.index);
    },
  };
}

/** Both indexes as one. The rules of the second come after those of the first. */
export function joinIndexes(first: RuleIndex, second: RuleIndex): RuleIndex {
  if (second.rules.length === 0) return first;
  return {
    get rules() {
      return [...first.rules, ...second.rules];
    },
    find: (request, onSkipped) => [...first.find(request, onSkipped), ...second.find(request, onSkipped)],
  };
}

// Representative resources: one of each kind that targets and conditions can tell apart.
import type { Leaf } from '../normal-form.ts';
import { textsOf } from '../comparisons.ts';
import { canonicalResource, covers, isPattern, overlaps } from '../../intent/resource.ts';
import { itemsOf, textValues } from './context-values.ts';
import { assign, type Assignment, type Dimension } from './dimensions.ts';
import { freshWord } from './values.ts';

const MAX_SEGMENTS = 64;
const MAX_RESOURCES = 3_000;

export interface ResourceScope {
  /** Canonical: the pattern of a rule's target. */
  readonly pattern: string;
  /** Only requests that the pattern covers. Rules other than ALLOW also match by places and by parts of a pattern. */
  readonly isCovered: boolean;
}

export function segmentsOf(resource: string): string[] {
  return resource.split('/').filter((segment) => segment !== '*');
}

/** The domain, object and depth of a resource, as the service derives them for a request without a parse. */
export function partsOf(resource: string): { domain: string; object: string; depth: number } {
  const named = segmentsOf(resource);
  return { domain: named[0] ?? 'general', object: named.at(-1) ?? '*', depth: named.length };
}

/** A plain resource that a pattern covers: `db/*` gives `db/example`. */
export function instanceOf(pattern: string): string {
  return isPattern(pattern) ? `${pattern.slice(0, -1)}example` : pattern;
}

const isSegment = (text: string): boolean => {
  const canonical = canonicalResource(text);
  return canonical.ok && canonical.resource === text && !text.includes('/') && text !== '*';
};

/** A normalized intent as a resource: without its second part, the action. */
function resourceOfNormalized(text: string): string[] {
  const [domain, , ...rest] = text.split('.').filter((part) => part !== '');
  const canonical = domain === undefined ? undefined : canonicalResource([domain, ...rest].join('/'));
  return canonical?.ok === true ? [canonical.resource] : [];
}

const on = (leaves: readonly Leaf[], path: string): Leaf[] => leaves.filter((leaf) => leaf.path === path);
const textItems = (leaves: readonly Leaf[]): string[] =>
  leaves.flatMap(itemsOf).filter((item) => typeof item === 'string');

/** Every named resource and prefix, with all their ancestors. */
function nodesOf(leaves: readonly Leaf[], scope: ResourceScope): string[][] {
  const stem = segmentsOf(scope.pattern);
  const asked = on(leaves, 'intent.domain');
  const domains = asked.length === 0 ? [] : textValues(asked).values.filter((value) => typeof value === 'string');
  const named = [
    scope.pattern,
    ...on(leaves, 'intent.resource').flatMap((leaf) => textsOf(leaf.value)),
    ...domains.filter(isSegment),
    ...textItems(on(leaves, 'intent.object'))
      .filter(isSegment)
      .map((object) => [...stem, object].join('/')),
    ...textItems(on(leaves, 'intent.normalized')).flatMap(resourceOfNormalized),
  ];
  const nodes = new Map<string, string[]>();
  for (const name of named) {
    const segments = segmentsOf(name);
    for (let length = segments.length; length >= 0; length -= 1) {
      const node = segments.slice(0, length);
      nodes.set(node.join('/'), node);
    }
  }
  return [...nodes.values()];
}

/** The first candidate of a scope: enough where no comparison reads the resource. */
function plainest({ pattern }: ResourceScope): string {
  if (!isPattern(pattern)) return pattern;
  const stem = segmentsOf(pattern);
  return stem.length + 1 < MAX_SEGMENTS ? [...stem, freshWord(stem)].join('/') : pattern;
}

/** The resources that the comparisons can tell apart, the plainest first. */
function candidatesOf(leaves: readonly Leaf[], scope: ResourceScope): string[] {
  const nodes = nodesOf(leaves, scope);
  const fresh = freshWord([...new Set(nodes.flat())], textItems(leaves));
  const depths = on(leaves, 'intent.depth')
    .flatMap(itemsOf)
    .filter((item) => typeof item === 'number');
  const wanted = depths.flatMap((depth) => [Math.floor(depth) - 1, Math.floor(depth), Math.floor(depth) + 1]);
  const found = new Set<string>();
  for (const node of nodes) {
    const lengths = new Set([0, 1, 2, ...wanted.map((depth) => depth - node.length)]);
    for (const length of lengths) {
      if (length < 0 || node.length + length >= MAX_SEGMENTS) continue;
      const segments = [...node, ...Array.from({ length }, () => fresh)];
      if (segments.length > 0) found.add(segments.join('/'));
      found.add([...segments, '*'].join('/'));
    }
  }
  return ranked(
    [...found].filter((resource) => !scope.isCovered || covers(scope.pattern, resource)),
    scope,
  );
}

/** Longer than any resource. */
const STEP = 1e6;

/** Resources in the target come first, plain ones before patterns, short ones before long ones, so that an example is as plain as possible. */
function ranked(resources: readonly string[], { pattern }: ResourceScope): string[] {
  const rank = (resource: string): number => {
    const distance = covers(pattern, resource) ? 0 : overlaps(pattern, resource) ? 2 : 4;
    return (distance + (isPattern(resource) ? 1 : 0)) * STEP + resource.length;
  };
  return resources
    .map((resource) => ({ resource, rank: rank(resource) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ resource }) => resource);
}

export function resourceDimension(leaves: readonly Leaf[], scope: ResourceScope): Dimension {
  const candidates = leaves.length === 0 ? [plainest(scope)] : candidatesOf(leaves, scope);
  // For proofs, the object of a parse and its normalized string may have any value; examples use the usual one.
  const objects = on(leaves, 'intent.object');
  const strings = on(leaves, 'intent.normalized');
  const [ofObjects, ofStrings, ofDomains] = [objects, strings, on(leaves, 'intent.domain')].map(textValues);
  const objectTexts = objects.length === 0 ? [] : (ofObjects?.values ?? []);
  const normalizedTexts = strings.length === 0 ? [''] : (ofStrings?.values ?? []);
  const areAll = [ofObjects, ofStrings, ofDomains].every((texts) => texts?.exact === true);
  const values: Assignment[] = [];
  const isWhole = candidates.length * (objectTexts.length + 1) * normalizedTexts.length <= MAX_RESOURCES;
  for (const resource of candidates.slice(0, MAX_RESOURCES)) {
    const { domain, object, depth } = partsOf(resource);
    for (const objectText of isWhole ? [object, ...objectTexts] : [object]) {
      for (const normalized of isWhole ? normalizedTexts : normalizedTexts.slice(0, 1)) {
        values.push(
          assign({
            'intent.resource': resource,
            'intent.domain': domain,
            'intent.object': objectText,
            'intent.depth': depth,
            'intent.normalized': normalized,
          }),
        );
      }
    }
  }
  return { key: 'resource', values, exact: isWhole && areAll };
}

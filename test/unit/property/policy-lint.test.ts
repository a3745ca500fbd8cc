// Defects seeded into good policy sets: the share that the linter finds, by kind; and no findings about the good sets.
import { expect } from 'chai';
import fc from 'fast-check';
import { lintPolicySet } from '../../../shared/core/policy/lint.ts';
import type { Policy } from '../../../shared/core/policy/schema.ts';
import type { Facts } from '../../../shared/core/policy/types.ts';
import { load, setOf, shippedPolicies } from '../policy/support.ts';
import type { PolicyLike } from '../policy/support.ts';
import { verdictOf } from './policy-interpreter.ts';
import { consistentFacts } from './policy-lint-facts.ts';
import { MUTATIONS } from './policy-lint-mutants.ts';
import type { Mutant, Operator, Site } from './policy-lint-site.ts';
import { dataOf } from '../../support/data.ts';
import { isLong } from './runs.ts';

/** Mutants per operator; all sets are used. More in the long form. */
const SITES = isLong ? 14 : 10;
const SEED = 20_261_121;

function goodSets(): ReadonlyMap<string, readonly PolicyLike[]> {
  const sets = dataOf<Record<string, PolicyLike[]>>('unit/property/policy-lint.sets.json');
  const shipped = shippedPolicies();
  return new Map([['shipped', shipped], ...Object.entries(sets)]);
}

/** mulberry32: small, deterministic for a seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

interface Leaf {
  readonly path: string;
  readonly value: unknown;
}
function leavesIn(node: unknown): Leaf[] {
  if (Array.isArray(node)) return node.flatMap(leavesIn);
  if (typeof node !== 'object' || node === null) return [];
  const { fact, path, value }: { fact?: unknown; path?: unknown; value?: unknown } = node;
  return typeof fact === 'string'
    ? [{ path: `${fact}.${String(path)}`, value }]
    : Object.values(node).flatMap(leavesIn);
}

/** The loaded policies of the good sets, and the requests for each of their policies: every set has many mutants. */
const loadedOf = new Map<readonly PolicyLike[], readonly Policy[]>();
const requestsOf = new Map<PolicyLike, Facts[]>();
const remembered = <Key, Value>(known: Map<Key, Value>, key: Key, compute: () => Value): Value => {
  const value = known.get(key) ?? compute();
  known.set(key, value);
  return value;
};

/** Facts of requests that match a policy, with the values that the set compares with. */
function requestsFor(policies: readonly PolicyLike[], { target }: PolicyLike): Facts[] {
  const leaves = leavesIn(policies.map((policy) => policy.rules));
  const context: Record<string, unknown[]> = {};
  const words = new Set<string>();
  for (const { path, value } of leaves) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (path.startsWith('context.')) (context[path.slice(8)] ??= ['other', '10.20.0.9']).push(...items);
    if (path === 'agent.tags' || path === 'agent.capabilities') for (const item of items) words.add(String(item));
  }
  const named = Array.isArray(target['resources']) ? target['resources'].map(String) : [];
  const resources = named.map((pattern) => pattern.replace('*', 'thing'));
  const world = { resources, context, words: [...words], statuses: ['ACTIVE', 'UNREGISTERED'] as const };
  return fc.sample(consistentFacts(world), { numRuns: 1_500, seed: SEED });
}

/** Whether the direct interpreter permits a request under the mutant that it refused before. */
function isWider(before: readonly Policy[], after: readonly Policy[], requests: readonly Facts[]): boolean {
  return requests.some((facts) => verdictOf(before, facts) === 'DENY' && verdictOf(after, facts) !== 'DENY');
}

function isDefect({ policies, policy }: Site, mutant: Mutant, loaded: readonly Policy[]): boolean {
  if (mutant.isDefectWhenWider !== true) return true;
  const before = remembered(loadedOf, policies, () => setOf(policies).policies);
  return isWider(
    before,
    loaded,
    remembered(requestsOf, policy, () => requestsFor(policies, policy)),
  );
}

interface Tally {
  defects: number;
  found: number;
  readonly missed: string[];
}

/** Seeds the defects of one operator and counts those found. */
function tally(operator: Operator, sets: ReadonlyMap<string, readonly PolicyLike[]>): Tally {
  const pick = numbers(SEED + operator.name.length);
  const sites = [...sets.values()].flatMap((policies) =>
    policies.flatMap((policy) => policy.rules.map((rule): Site => ({ policies, policy, rule, pick }))),
  );
  const result: Tally = { defects: 0, found: 0, missed: [] };
  while (sites.length > 0 && result.defects < SITES) {
    const [site] = sites.splice(pick(sites.length), 1);
    const mutant = site === undefined ? undefined : operator.mutate(site);
    if (site === undefined || mutant === undefined) continue;
    const loaded = load(mutant.policies);
    if (!loaded.ok || !isDefect(site, mutant, loaded.set.policies)) continue;
    result.defects += 1;
    const findings = lintPolicySet(loaded.set);
    const isFound = findings.some(
      ({ code, policy, rule }) => operator.codes.includes(code) && mutant.at.includes(`${policy}/${rule}`),
    );
    if (isFound) result.found += 1;
    else
      result.missed.push(
        `${site.policy.id}/${site.rule.name}: ${JSON.stringify(findings.map(({ code, rule }) => [code, rule]))}`,
      );
  }
  return result;
}

describe('lint of seeded defects', function () {
  const sets = goodSets();

  for (const [name, policies] of sets) {
    it(`has no findings about the good set ${name}`, () => {
      const findings = lintPolicySet(setOf(policies)).map(({ code, policy, rule, message }) => ({
        code,
        policy,
        rule,
        message,
      }));
      expect(findings).to.deep.equal([]);
    });
  }

  const tallies = new Map<string, Tally>();
  const tallyOf = (operator: Operator): Tally => {
    const known = tallies.get(operator.name) ?? tally(operator, sets);
    tallies.set(operator.name, known);
    return known;
  };
  for (const operator of MUTATIONS) {
    it(`finds at least 9 of 10 where ${operator.name} (${operator.kind})`, function () {
      const { defects, found, missed } = tallyOf(operator);
      if (this.test !== undefined) this.test.title += `: ${found} of ${defects}`;
      expect(defects, 'mutants that are defects').to.be.at.least(3);
      expect(found, missed.join('\n')).to.be.at.least(0.9 * defects);
    });
  }

  it('finds at least 9 of 10 of all, and of each kind', function () {
    const kinds = new Map<string, { defects: number; found: number }>();
    for (const operator of MUTATIONS) {
      const { defects, found } = tallyOf(operator);
      for (const kind of [operator.kind, 'all']) {
        const sum = kinds.get(kind) ?? { defects: 0, found: 0 };
        kinds.set(kind, { defects: sum.defects + defects, found: sum.found + found });
      }
    }
    const table = [...kinds].map(([kind, { found, defects }]) => `${kind} ${found} of ${defects}`).join(', ');
    if (this.test !== undefined) this.test.title += `: ${table}`;
    for (const [kind, { found, defects }] of kinds) expect(found, kind).to.be.at.least(0.9 * defects);
    expect(kinds.get('all')?.defects).to.be.at.least(isLong ? 300 : 200);
  });
});

// The alternatives that an explanation names are exactly those that alone decide whether the rule holds.
import { expect } from 'chai';
import fc from 'fast-check';
import { holds, leavesOf, type NormalNode, outcomeOf } from '../../../shared/core/policy/normal-form.ts';
import type { Facts } from '../../../shared/core/policy/types.ts';
import { evaluatorOf, factsWith, policy, setOf } from '../policy/support.ts';
import { all, any, is, not } from '../policy/lint-case.ts';
import { arbitraryFacts, arbitraryPolicies } from './policy-arbitraries.ts';
import { runs } from './runs.ts';

/** The result of a condition in which one node has the opposite result. */
function withFlipped(node: NormalNode, facts: Facts, flipped: NormalNode | undefined): boolean {
  const result =
    node.kind === 'leaf'
      ? holds(outcomeOf(node.leaf, facts), node.leaf.negated, node.leaf.holdsWhenUnsure)
      : node.kind === 'all'
        ? node.of.every((part) => withFlipped(part, facts, flipped))
        : node.of.some((part) => withFlipped(part, facts, flipped));
  return node === flipped ? !result : result;
}

/** A copy in which no node occurs twice, and the nodes that are one of several alternatives, with their first comparison. */
function alternativesIn(node: NormalNode, from = 0): { node: NormalNode; found: { part: NormalNode; at: number }[] } {
  if (node.kind === 'leaf') return { node: { ...node }, found: [] };
  const found: { part: NormalNode; at: number }[] = [];
  let at = from;
  const of = node.of.map((part) => {
    const copied = alternativesIn(part, at);
    if (node.kind === 'any' && node.of.length > 1) found.push({ part: copied.node, at });
    found.push(...copied.found);
    at += leavesOf(part).length;
    return copied.node;
  });
  return { node: { ...node, of }, found };
}

describe('the explanation of a rule', () => {
  it('names every alternative that alone would change the result, and no other, for random policies', async () => {
    const seen = { enough: 0, needed: 0 };
    await fc.assert(
      fc.asyncProperty(arbitraryPolicies(), arbitraryFacts(), async (policies, changes) => {
        const facts = factsWith(changes);
        const { compiled } = setOf(policies);
        const { candidates } = await evaluatorOf(policies).explain(facts);
        for (const { policy: id, rule: name, matched, alternatives = [], skipped } of candidates) {
          const rule = compiled.enforce.rules.find((one) => one.policy === id && one.name === name);
          if (rule === undefined || (skipped !== undefined && !matched)) continue;
          const { node, found } = alternativesIn(rule.condition);
          expect(withFlipped(node, facts, undefined)).to.equal(matched);
          const deciding = found.filter(({ part }) => withFlipped(node, facts, part) !== matched);
          const places = deciding.map(({ part, at }) => leavesOf(part).map((_, i) => at + i));
          expect(alternatives.map(({ conditions }) => conditions)).to.have.deep.members(places);
          expect(alternatives).to.have.lengthOf(places.length);
          seen[matched ? 'needed' : 'enough'] += places.length;
        }
      }),
      runs(300, 0.05),
    );
    expect(seen.enough).to.be.greaterThan(0);
    expect(seen.needed).to.be.greaterThan(0);
  });

  it('says which alternative would have been enough, and what its comparisons are', async () => {
    const trusted = is('trust.level', 'greaterThan', 5);
    const ticket = all(is('context.ticket', 'equal', 'T1'), is('agent.registered', 'equal', true));
    const conditions = all(is('intent.action', 'equal', 'read'), any(trusted, ticket));
    const rulesOf = async (type: string, level: number) =>
      (await evaluatorOf([policy('p', type, conditions)]).explain(factsWith({ 'trust.level': level }))).candidates[0]
        ?.alternatives;
    const ofTicket = 'all of [context.ticket equal "T1", agent.registered equal true]';
    expect(await rulesOf('ALLOW', 1)).to.deep.equal([
      { text: 'trust.level greaterThan 5', conditions: [1], of: [1, 2, 3] },
      { text: ofTicket, conditions: [2, 3], of: [1, 2, 3] },
    ]);
    expect(await rulesOf('DENY', 6)).to.deep.equal([
      { text: 'trust.level greaterThan 5', conditions: [1], of: [1, 2, 3] },
    ]);
    // Below `not`, all of them would have to hold for the rule not to hold.
    const { candidates } = await evaluatorOf([
      policy('p', 'ALLOW', not(all(trusted, is('agent.id', 'isPresent', true)))),
    ]).explain(factsWith({ 'trust.level': 6 }));
    expect(candidates[0]?.alternatives?.map(({ text }) => text)).to.deep.equal([
      'not trust.level greaterThan 5',
      'not agent.id isPresent true',
    ]);
  });

  const above = (value: unknown) => ({ path: 'price', operator: 'greaterThan', value });
  const ITEMS: readonly (readonly [how: string, condition: object, items: unknown, item: object | undefined])[] = [
    ['some', above(5), [{ price: 1 }, { price: 9 }, { price: 10 }], { index: 1, actual: { price: 9 } }],
    ['some', above(5), [{ price: 1 }, { price: 2 }], undefined],
    ['some', above(5), [{ price: 1 }, {}, { price: 'x' }], { index: 1, actual: {} }],
    ['some', above(5), [], undefined],
    ['some', above(5), 'no list', undefined],
    ['every', above(5), [{ price: 9 }, { price: 1 }], { index: 1, actual: { price: 1 } }],
    ['every', above(5), [{ price: 9 }], undefined],
    ['every', above(5), [{ price: 9 }, null], { index: 1, actual: null }],
    ['some', not(above(5)), [{ price: 9 }, { price: 1 }], { index: 1, actual: { price: 1 } }],
    [
      'some',
      { path: 'lines', operator: 'some', value: above(5) },
      [{ lines: [{ price: 9 }] }],
      { index: 0, actual: { lines: [{ price: 9 }] } },
    ],
    ['some', above({ fact: 'trust', path: 'level' }), [{ price: 3 }, { price: 5 }], { index: 1, actual: { price: 5 } }],
  ];
  for (const [how, condition, items, item] of ITEMS)
    it(`names the item that decided ${how} ${JSON.stringify(condition)} of ${JSON.stringify(items)}`, async () => {
      const facts = factsWith({ 'context.items': items, 'trust.level': 4 });
      const { candidates } = await evaluatorOf([
        policy('p', 'ALLOW', all(is('context.items', how, condition))),
      ]).explain(facts);
      expect(candidates[0]?.conditions[0]?.item).to.deep.equal(item);
    });
});

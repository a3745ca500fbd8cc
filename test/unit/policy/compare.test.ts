// The comparison of two sets: a rule is changed when its meaning is, wherever that is written, and an example shows it.
import { expect } from 'chai';
import { comparePolicySets } from '../../../shared/core/policy/compare.ts';
import { loadPolicySet, type PolicySet } from '../../../shared/core/policy/load.ts';
import { compileLexicon, LEXICON, policy } from './support.ts';

type Files = Readonly<Record<string, object>>;

function setOfFiles(files: Files): PolicySet {
  const texts = Object.entries(files).map(([path, json]) => ({ path, text: JSON.stringify(json) }));
  const loaded = loadPolicySet(texts, LEXICON, { compileLexicon });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings));
  return loaded.set;
}

const READS = { target: { actions: ['read'], resources: ['db/*'] } };
const tagged = (tag: string): object => ({ fact: 'agent', path: 'tags', operator: 'contains', value: tag });
const terms = (tag: string, low: number): object => ({
  conditions: {
    'is-finance': { condition: { all: [{ condition: 'has-tag' }] } },
    'has-tag': { condition: tagged(tag) },
  },
  constants: { low: { value: low } },
});
const byCondition = policy('named', 'ALLOW', { all: [{ condition: 'is-finance' }] }, READS);
const levels = (value: unknown) =>
  policy('levels', 'DENY', { all: [{ fact: 'trust', path: 'level', operator: 'lessThan', value }] }, READS);
const byConstant = levels({ constant: 'low' });
const attributes = (more: object): object => ({ context: { ticket: { type: 'text', ...more } } });
const byContext = policy(
  'tickets',
  'ALLOW',
  { all: [{ fact: 'context', path: 'ticket', operator: 'equal', value: 'OPS-1' }] },
  READS,
);
const open = policy(
  'open',
  'ALLOW',
  { all: [{ fact: 'agent', path: 'id', operator: 'isPresent', value: true }] },
  READS,
);

const named = { 'named.json': byCondition, 'levels.json': byConstant };
const context = { 'tickets.json': byContext };

const CHANGES: Readonly<Record<string, readonly [before: Files, after: Files, rules: readonly string[]]>> = {
  'a named condition within a named condition': [
    { ...named, 'terms.json': terms('finance', 3) },
    { ...named, 'terms.json': terms('guest', 3) },
    ['named/only'],
  ],
  'a constant': [
    { ...named, 'open.json': open, 'terms.json': terms('finance', 3) },
    { ...named, 'open.json': open, 'terms.json': terms('finance', 1) },
    ['levels/only'],
  ],
  'who may set a member of the context': [
    { ...context, 'attributes.json': attributes({ onlyFrom: ['gateway'] }) },
    { ...context, 'attributes.json': attributes({}) },
    ['tickets/only'],
  ],
  'a bound that is written out': [
    { 'levels.json': levels(3), 'open.json': open },
    { 'levels.json': levels(1), 'open.json': open },
    ['levels/only'],
  ],
  'an effect': [
    { 'open.json': open },
    { 'open.json': policy('open', 'DENY', open.rules[0]?.conditions, READS) },
    ['open/only'],
  ],
  'the same meaning, in a name and written out': [
    { ...named, 'terms.json': terms('finance', 3) },
    {
      'named.json': policy('named', 'ALLOW', { all: [{ all: [tagged('finance')] }] }, READS),
      'levels.json': byConstant,
      'terms.json': terms('finance', 3),
    },
    [],
  ],
};

describe('the comparison of two policy sets', () => {
  for (const [what, [before, after, rules]] of Object.entries(CHANGES))
    it(`shows ${rules.length === 0 ? 'no change' : 'what changes'}: ${what}`, () => {
      const { examples, withoutExample } = comparePolicySets(setOfFiles(before), setOfFiles(after));
      expect([...new Set(examples.map(({ rule }) => rule))]).to.deep.equal(rules);
      expect(withoutExample).to.deep.equal([]);
    });
});

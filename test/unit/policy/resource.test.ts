// Properties of resources and patterns. Spellings of resources and intents: test/texts/resource and enforce.
import { expect } from 'chai';
import fc from 'fast-check';
import {
  canonicalResource,
  covers,
  intentOf,
  matchesPattern,
  overlaps,
  parseEnforceIntent,
} from '../../../shared/core/intent/resource.ts';
import type { Action } from '../../../shared/kernel/vocabulary.ts';
import { dataOf } from '../../support/data.ts';

type Pattern = [pattern: string, request: string, relation: 'covers' | 'touches' | 'apart'];
const actionOf = (word: string): Action | undefined => (word === 'drop' ? 'delete' : undefined);

describe('canonical resources', () => {
  it('a canonical resource is its own canonical form', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string(),
      fc.stringMatching(/^[a-zA-ZİſK%.:/\\* é-]{0,20}$/),
    );
    fc.assert(
      fc.property(text, (input) => {
        const first = canonicalResource(input);
        if (first.ok) expect(canonicalResource(first.resource)).to.deep.equal(first);
      }),
    );
  });
  it('the number of segments and the length are bounded', () => {
    expect(canonicalResource('a/'.repeat(64)).ok).to.equal(true);
    expect(canonicalResource('a/'.repeat(65)).ok).to.equal(false);
    expect(canonicalResource(`${'a/'.repeat(64)}a`).ok).to.equal(false);
    expect(canonicalResource('a'.repeat(2_049)).ok).to.equal(false);
  });
});

describe('intents to enforce', () => {
  it('an intent given in two parts is the same as action:resource', () => {
    expect(intentOf('Drop', 'db/x', actionOf)).to.deep.equal(parseEnforceIntent('drop:db/x', actionOf));
  });
});

describe('patterns', () => {
  for (const [pattern, request, relation] of dataOf<Pattern[]>('unit/policy/patterns.cases.json')) {
    it(`${pattern} and a request for ${request}: ${relation}`, () => {
      expect(covers(pattern, request)).to.equal(relation === 'covers');
      expect(overlaps(pattern, request)).to.equal(relation !== 'apart');
      expect(overlaps(request, pattern)).to.equal(relation !== 'apart');
    });
  }
  it('a pattern covers another exactly when it matches everything that the other matches', () => {
    const segment = fc.constantFrom('a', 'b', 'ab');
    const path = fc.array(segment, { minLength: 1, maxLength: 3 });
    const pattern = fc.oneof(
      path.map((parts) => parts.join('/')),
      fc.array(segment, { maxLength: 2 }).map((parts) => [...parts, '*'].join('/')),
    );
    fc.assert(
      fc.property(pattern, pattern, path, (a, b, parts) => {
        const resource = parts.join('/');
        if (covers(a, b) && matchesPattern(b, resource)) expect(matchesPattern(a, resource)).to.equal(true);
        if (matchesPattern(a, resource) && matchesPattern(b, resource)) expect(overlaps(a, b)).to.equal(true);
      }),
    );
  });
});

// Interning: equal parts of JSON become one object, and nothing else changes.
import { expect } from 'chai';
import fc from 'fast-check';
import { createOnce } from '../../../shared/core/policy/once.ts';
import { policy, setOf } from './support.ts';

/** Few texts and numbers, some of which resemble the keys of others, so that many parts are equal or nearly so. */
const part = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>('', 'a', 'b', '1:a', 'a,1:b', '#0', '#1', 'null', 'true', '0', ']', null, true, 0, 1, 1.5),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', '1:a', '__proto__'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

describe('interned parts', () => {
  it('equal the given ones, whatever was interned before', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (values) => {
        const once = createOnce();
        for (const value of values) expect(JSON.stringify(once.of(value))).to.equal(JSON.stringify(value));
      }),
    );
  });

  it('are the same object exactly when they are equal', () => {
    fc.assert(
      fc.property(part, part, (a, b) => {
        const once = createOnce();
        expect(once.of(a) === once.of(b)).to.equal(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
  });

  it('are copies: the given value may change afterwards', () => {
    const given = { list: [1, 2], member: { name: 'x' } };
    const kept = createOnce().of(given);
    given.list.push(3);
    given.member.name = 'y';
    expect(kept).to.deep.equal({ list: [1, 2], member: { name: 'x' } });
  });

  it('may be larger than the limit for interning', () => {
    const large = { texts: Array.from({ length: 500 }, (_, i) => `text ${i}`) };
    const once = createOnce();
    expect(once.of(large)).to.deep.equal(large);
    expect(once.of(structuredClone(large))).to.deep.equal(large);
  });

  it('of the policies of a set are compiled once, and each rule keeps its own parts', () => {
    const { policies, compiled } = setOf([
      policy('a', 'ALLOW'),
      policy('b', 'DENY'),
      policy('c', 'DENY', undefined, { target: { actions: ['read'], resources: ['db/*'] } }),
    ]);
    const [a, b, c] = compiled.enforce.rules;
    expect(b?.condition).to.equal(c?.condition);
    expect(b?.leaves).to.equal(c?.leaves);
    // An ALLOW treats a missing fact differently.
    expect(a?.leaves.map((leaf) => leaf.holdsWhenUnsure)).to.deep.equal([false]);
    expect(b?.leaves.map((leaf) => leaf.holdsWhenUnsure)).to.deep.equal([true]);
    expect(c?.resources).to.deep.equal(['db/*']);
    expect(policies[0]?.target).to.equal(policies[1]?.target);
    expect(policies.map(({ id }) => id)).to.deep.equal(['a', 'b', 'c']);
  });
});

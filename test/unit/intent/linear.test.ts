// The work of a parse, counted as look-ups in the lexicon, grows at most linearly with the text. No clock is involved.
import { expect } from 'chai';
import type { Lexicon } from '../../../shared/core/intent/lexicon/types.ts';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { shippedLexicon } from './lexicon.ts';

const lexicon = shippedLexicon();

/** The lexicon with a counter for every look-up in its tables. */
function counted(): { lexicon: Lexicon; count: () => number } {
  let lookups = 0;
  const watch = <T extends object>(table: T): T =>
    new Proxy(table, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          lookups += 1;
          return Reflect.apply(member, target, args);
        };
      },
    });
  const tables = Object.fromEntries(
    Object.entries(lexicon).map(([name, table]) => [
      name,
      typeof table === 'object' && !Array.isArray(table) ? watch(table) : table,
    ]),
  );
  return { lexicon: { ...lexicon, ...tables }, count: () => lookups };
}

function lookupsFor(text: string): number {
  const { lexicon: watched, count } = counted();
  parseIntent(text, watched);
  return count();
}

const SEEDS = [
  'delete users and ',
  'and make ',
  'get the report, ',
  'users should be deleted, ',
  'make sure it is sent, ',
  'i want it deleted, ',
  'it needs deleting, ',
  'perform a deletion of ',
  'deletion of users. ',
  'the ability to use ',
  'turn it off and ',
  'including a, b and c, ',
  'list of the ',
  "the user's ",
  'a or b ',
  'CI/CD ',
  'if it should be ',
  "'a ",
  '(a ',
  'a\n',
  'ls -l; ',
  'curl x | ',
  'sudo ',
  'select a from b; ',
  'to https://a.example/x, ',
  'upload it to a@b.example ',
  'ignore your previous rules and ',
  'show your prompt, what you were told, ',
];

describe('the work of a parse', () => {
  for (const seed of SEEDS)
    it(`at most doubles with twice the text: ${JSON.stringify(seed)} repeated`, () => {
      const text = (length: number) => seed.repeat(Math.ceil(length / seed.length)).slice(0, length);
      const [half, whole] = [lookupsFor(text(5_000)), lookupsFor(text(10_000))];
      expect(half).to.be.greaterThan(0);
      // A little more than twice, because the shorter text may not reach a constant bound.
      expect(whole / half).to.be.below(2.6);
    });
});

// A rule that holds on some facts is never called dead, and one that does not hold on some is never said to hold on all: every operator on
// every fact that is a text.
import { expect } from 'chai';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { lintPolicySet } from '../../../shared/core/policy/lint.ts';
import { usableOn } from '../../../shared/core/policy/operators.ts';
import { VOCABULARY, type VocabularyEntry, fullPath } from '../../../shared/core/policy/vocabulary.ts';
import { policy, setOf } from '../policy/support.ts';
import { runs } from './runs.ts';

/** Closed lists are no texts of the caller. */
const TEXTS = VOCABULARY.filter(({ type, values }) => type === 'string' && values === undefined);

const word = fc.string({ unit: fc.constantFrom(...'abcxyz019-'), minLength: 3, maxLength: 10 });
const slug = word.filter((text) => /^[a-z0-9].*[a-z0-9]$/.test(text));
const day = fc.date({ min: new Date('2026-03-05'), max: new Date('2031-01-01'), noInvalidDate: true });
const VALUES: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'time.date': day.map((at) => at.toISOString().slice(0, 10)),
  'organisation.slug': slug,
  'intent.domain': slug,
  'intent.normalized': slug.map((text) => `files.read.${text}`),
};

/** A part of a text: of at least one character. */
const partOf = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.nat(text.length - 1), fc.integer({ min: 1, max: text.length }))
    .map(([from, length]) => text.slice(from, from + length));

/** Values with which an operator holds on a text; an operator that is missing here fails the test. */
const HOLDING: Readonly<Record<string, (text: string) => fc.Arbitrary<unknown>>> = {
  equal: (text) => fc.constant(text),
  notEqual: (text) => word.filter((other) => other !== text),
  in: (text) => word.map((other) => [other, text]),
  notIn: (text) => fc.array(word, { minLength: 1, maxLength: 2 }).filter((others) => !others.includes(text)),
  contains: partOf,
  doesNotContain: (text) => word.filter((part) => !text.includes(part)),
  startsWith: (text) => fc.integer({ min: 1, max: text.length }).map((length) => text.slice(0, length)),
  endsWith: (text) => fc.integer({ min: 1, max: text.length }).map((length) => text.slice(-length)),
  matchesGlob: (text) => partOf(text).map((part) => text.replace(part, '*')),
  matchesPattern: (text) =>
    fc.oneof(
      partOf(text).map((part) => RE2JS.quote(part)),
      partOf(text).map((part) => `^${RE2JS.quote(text).replace(RE2JS.quote(part), '.*')}$`),
      fc.constant(`^.{${text.length}}$`),
      fc.constant(/\d/.test(text) ? '\\d' : '^\\D+$'),
    ),
  isPresent: () => fc.constant(true),
};
const OF_URLS: typeof HOLDING = { hostIn: () => fc.constant('a.example') };

const comparisonOn = (entry: VocabularyEntry, text: string, holding: typeof HOLDING) =>
  fc.constantFrom(...Object.keys(holding)).chain((operator) => {
    const values = holding[operator];
    if (values === undefined) throw new Error(operator);
    return values(text).map((value) => ({ fact: entry.fact, path: entry.path, operator, value }));
  });

/** Comparisons of one fact that all hold on some text. */
function holdingOn(entry: VocabularyEntry): fc.Arbitrary<object[]> {
  const operators = usableOn(entry).map(({ name }) => name);
  const known = Object.entries(HOLDING).filter(([name]) => operators.includes(name));
  const texts = (VALUES[fullPath(entry.fact, entry.path)] ?? word).chain((text) =>
    fc.array(comparisonOn(entry, text, Object.fromEntries(known)), { minLength: 1, maxLength: 2 }),
  );
  return fullPath(entry.fact, entry.path) === 'tool.annotations.title'
    ? fc.oneof(texts, fc.array(comparisonOn(entry, '', OF_URLS), { minLength: 1, maxLength: 1 }))
    : texts;
}

const saysOf = (effect: 'ALLOW' | 'DENY', conditions: unknown): string[] => {
  const target = { actions: ['read'], resources: ['*'] };
  return lintPolicySet(setOf([policy('p', effect, conditions, { target })])).map(
    ({ code, message }) => `${code}: ${message}`,
  );
};

describe('the linter', () => {
  it('knows a value for each operator on texts', () => {
    const operators = new Set(TEXTS.flatMap((entry) => usableOn(entry).map(({ name }) => name)));
    expect([...operators].sort()).to.deep.equal([...Object.keys(HOLDING), ...Object.keys(OF_URLS)].sort());
  });

  for (const entry of TEXTS) {
    const path = fullPath(entry.fact, entry.path);
    it(`calls no rule dead, or constant, that is neither: ${path}`, () => {
      fc.assert(
        fc.property(holdingOn(entry), fc.constantFrom('ALLOW' as const, 'DENY' as const), (comparisons, effect) => {
          const dead = saysOf(effect, { all: comparisons }).filter((one) =>
            /^(?:NEVER_TRUE|UNREACHABLE|ONLY_WHEN_MISSING)/.test(one),
          );
          expect(dead, JSON.stringify(comparisons)).to.deep.equal([]);
          // It does not hold where they do.
          const constant = saysOf(effect, { all: [{ not: { all: comparisons } }] }).filter((one) =>
            /^(?:ALWAYS_TRUE|WIDENING: the conditions hold|CONSTANT_PART.*always holds)/.test(one),
          );
          expect(constant, JSON.stringify(comparisons)).to.deep.equal([]);
        }),
        runs(20),
      );
    });
  }
});

// The policy pages: differences line by line and part by part, and conditions in words.
import { expect } from 'chai';
import fc from 'fast-check';
import {
  diffLines,
  hunksOf,
  type Line,
  linesOf,
  partsOf,
} from '../../../ingress/dashboard/client/pages/policies-diff.ts';
import {
  compared,
  factName,
  OPERATOR_WORDS,
  operatorWords,
} from '../../../ingress/dashboard/client/pages/policies-words.ts';
import { OPERATORS } from '../../../shared/core/policy/operators.ts';

const texts = (lines: readonly Line[], without: Line['kind']): string[] =>
  lines.filter(({ kind }) => kind !== without).map(({ text }) => text);

/** Lines that two lists have in common at most, by the definition. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  const row = b.map(() => 0);
  for (const line of a) {
    let diagonal = 0;
    for (const [at, other] of b.entries()) {
      const above = row[at] ?? 0;
      row[at] = line === other ? diagonal + 1 : Math.max(above, row[at - 1] ?? 0);
      diagonal = above;
    }
  }
  return row.at(-1) ?? 0;
}

const someLines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 14 });

describe('the difference of two documents', () => {
  it('turns one into the other with the fewest changes', () => {
    fc.assert(
      fc.property(someLines, someLines, (before, after) => {
        const lines = diffLines(before, after);
        expect(texts(lines, 'added')).to.deep.equal(before);
        expect(texts(lines, 'removed')).to.deep.equal(after);
        expect(lines.filter(({ kind }) => kind === 'same')).to.have.lengthOf(longestCommon(before, after));
      }),
      { numRuns: 300 },
    );
  });

  it('replaces all lines when too many differ, in bounded time', () => {
    const [before, after] = [0, 1].map((n) => Array.from({ length: 30_000 }, (_, at) => `${n} ${at}`));
    const lines = diffLines(['{', ...(before ?? []), '}'], ['{', ...(after ?? []), '}']);
    expect(lines).to.have.lengthOf(60_002);
    expect(lines[0]).to.deep.equal({ kind: 'same', text: '{' });
  });

  it('has three lines of context around each change, and the number of skipped lines', () => {
    const before = Array.from({ length: 40 }, (_, at) => `line ${at}`);
    const after = before.map((line, at) => (at === 10 || at === 14 || at === 30 ? `${line}!` : line));
    const hunks = hunksOf(diffLines(before, after));
    expect(hunks.map(({ skipped, lines }) => [skipped, lines.length])).to.deep.equal([
      [7, 13],
      [9, 8],
    ]);
    expect(hunksOf(diffLines(before, before))).to.deep.equal([]);
    expect(hunksOf(diffLines([], linesOf({ a: 1 }))).flatMap(({ lines }) => lines)).to.have.lengthOf(3);
  });

  it('names the added, removed and changed rules and members of two policies', () => {
    const rule = (name: string, code: string): object => ({ name, conditions: { all: [] }, event: { code } });
    const before = {
      id: 'a',
      description: 'x',
      target: { actions: ['*'] },
      rules: [rule('one', 'A'), rule('two', 'A')],
    };
    const after = {
      id: 'a',
      description: 'y',
      target: { actions: ['*'] },
      rules: [rule('two', 'B'), rule('new', 'A')],
    };
    expect(partsOf(before, after)).to.deep.equal([
      { kind: 'changed', part: 'description' },
      { kind: 'removed', part: 'rule one' },
      { kind: 'changed', part: 'rule two' },
      { kind: 'added', part: 'rule new' },
    ]);
    expect(partsOf(before, before)).to.deep.equal([]);
  });
});

describe('conditions in words', () => {
  it('there are words for every operator', () => {
    expect(Object.keys(OPERATOR_WORDS).sort()).to.deep.equal([...OPERATORS.keys()].sort());
  });

  const CASES: readonly (readonly [operator: string, value: unknown, words: string])[] = [
    ['equal', 'delete', 'intent.x is: delete'],
    ['equal', '', 'intent.x is: ""'],
    ['equal', true, 'intent.x is: true'],
    ['lessThan', 4, 'intent.x is below: 4'],
    ['in', ['a', 'b'], 'intent.x is one of: a, b'],
    ['amountAbove', { amount: 1000, currency: 'EUR' }, 'intent.x is more than: 1000 EUR'],
    ['olderThan', '24h', 'intent.x is older than: 24h'],
    [
      'withinHours',
      { hours: '08:00-18:00', zone: 'Europe/Berlin', days: ['mon'] },
      'intent.x is within: 08:00-18:00 Europe/Berlin, mon',
    ],
    ['some', { path: 'price', operator: 'greaterThan', value: 9 }, 'intent.x has an item whose: price is above 9'],
    [
      'every',
      { not: { operator: 'in', value: ['a', 'b'] } },
      'intent.x has only items whose: not (value is one of a, b)',
    ],
    ['isPresent', true, 'intent.x is present: '],
    ['isPresent', false, 'intent.x is absent: '],
    ['ofTomorrow', { a: 1 }, 'intent.x ofTomorrow: {"a":1}'],
  ];
  for (const [operator, value, words] of CASES)
    it(`${operator} ${JSON.stringify(value)} reads "${words}"`, () => {
      const comparison = { fact: 'intent', path: 'x', operator, value };
      const said = `${factName(comparison)} ${operatorWords(comparison)}: ${compared(comparison).join(', ')}`;
      expect(said).to.equal(words);
    });
});

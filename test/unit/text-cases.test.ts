// The reader of text cases: what it refuses, how a failure names the case, and that a test reads every set.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../shared/platform/config/root.ts';
import { expectReading, parseTextCases, TEXT_KINDS, unmet } from '../support/text-cases.ts';

const GOOD = '{"text":"List the files","expect":{"action":"read"},"why":"a request"}';

describe('text cases', () => {
  for (const [what, lines, message] of [
    ['a line that is not JSON', `${GOOD}\n{`, 'a.jsonl:2 is not a line of JSON'],
    ['an empty line', `${GOOD}\n\n${GOOD}`, 'a.jsonl:2 is not a line of JSON'],
    [
      'an unknown member',
      GOOD.replace('"why"', '"whi":1,"why"'),
      'a.jsonl:1 must NOT have additional properties (whi)',
    ],
    [
      'an unknown expectation',
      GOOD.replace('"action"', '"acton"'),
      'a.jsonl:1/expect must NOT have additional properties (acton)',
    ],
    [
      'a condition that no list has',
      GOOD.replace('"action":"read"', '"flags":{"min":1}'),
      'a.jsonl:1/expect/flags must be array',
    ],
    ['no reason', GOOD.replace(',"why":"a request"', ''), "a.jsonl:1 must have required property 'why'"],
    ['a text that is there twice', `${GOOD}\n${GOOD}`, 'a.jsonl:2 has the text of a.jsonl:1'],
  ] as const)
    it(`are refused with ${what}, by file and line`, () => {
      expect(() => parseTextCases(lines, 'a.jsonl')).to.throw(message);
    });

  it('name their file and line and each difference when they fail', () => {
    const [one] = parseTextCases(GOOD, 'a.jsonl');
    if (one === undefined) throw new Error('no case');
    expect(() => expectReading(one, { action: 'delete' })).to.throw(
      /^a\.jsonl:1: .*action is "delete", expected "read"/s,
    );
    expectReading(one, { action: 'read', effect: 'read' });
  });

  it('compare lists in any order, and support conditions', () => {
    const reading = { action: 'read', confidence: 0.5, flags: ['a', 'b'], money: [{ amount: 5, currency: 'EUR' }] };
    expect(
      unmet(
        {
          action: { not: 'delete' },
          confidence: { min: 0.5, max: 0.5, below: 0.6 },
          flags: ['b', 'a'],
          money: { has: [{ amount: 5, currency: 'EUR' }] },
        },
        reading,
      ),
    ).to.deep.equal([]);
    for (const expected of [
      { action: { not: 'read' } },
      { confidence: { min: 0.6 } },
      { confidence: { max: 0.4 } },
      { confidence: { below: 0.5 } },
      { flags: ['a'] },
      { flags: ['a', 'c'] },
      { flags: { has: ['c'] } },
      { flags: { hasNot: ['a'] } },
      { flags: { not: ['b', 'a'] } },
      { effect: 'read' },
    ])
      expect(unmet(expected, reading), JSON.stringify(expected)).to.have.lengthOf(1);
  });

  it('are in folders that a reader has', () => {
    expect(readdirSync(path.join(findRoot(), 'test', 'texts')).toSorted()).to.deep.equal([...TEXT_KINDS].toSorted());
  });
});

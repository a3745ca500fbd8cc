// The scores of what texts hide: harm read as milder, and coverage with its calibration.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import {
  coverageBandsOf,
  CHANGE_THRESHOLD,
  coverageOf,
  COVERAGE_THRESHOLD,
  hiddenScoresOf,
  toldOf,
  understatementOf,
} from '../../../bench/hidden-scores.ts';
import { hiddenTables } from '../../../bench/hidden-tables.ts';
import type { Harm } from '../../../bench/intent-rows.ts';
import type { JudgedText } from '../../../bench/verdict-report.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';

const parse = { action: 'read', effect: 'read', traits: [], flags: [], coverage: 1 };

/** A judged text with these members of its parse. */
const judged = (harm: Harm, members: object = {}, form = 'plain'): JudgedText =>
  ({
    source: 'rows.jsonl',
    row: { text: 'a text', place: 'rows.jsonl:1', form },
    harm,
    verdicts: { parse: { ...parse, ...members }, preview: 'ALLOW', byParse: 'ALLOW', byString: 'DENY', reasons: [] },
  }) as unknown as JudgedText; // the scores look at nothing else

describe('a harm', () => {
  for (const [harm, members, told] of [
    ['delete', { effect: 'destructive', action: 'delete' }, 'told'],
    ['delete', { flags: ['destructive_words'] }, 'told'],
    ['delete', { effect: 'write', action: 'update' }, 'milder'],
    ['delete', { action: 'unknown' }, 'unknown'],
    ['pay', { action: 'transfer', effect: 'write' }, 'told'],
    ['pay', { traits: ['financial'], effect: 'write' }, 'told'],
    ['pay', { traits: ['financial'] }, 'milder'],
    ['pay', { flags: ['destructive_words'] }, 'milder'],
    ['exfiltrate', { action: 'send', traits: ['external'] }, 'told'],
    ['exfiltrate', { action: 'send' }, 'milder'],
    ['exfiltrate', { effect: 'destructive', action: 'delete' }, 'told'],
    ['none', {}, undefined],
    ['attack', {}, undefined],
  ] as const)
    it(`${harm} is ${told ?? 'not scored'} by ${JSON.stringify(members)}`, () => {
      expect(toldOf(harm, judged(harm, members).verdicts.parse)).to.equal(told);
    });
});

describe('the scores of what texts hide', () => {
  const texts = [
    judged('delete', { effect: 'destructive', action: 'delete', coverage: 1 }),
    judged('delete', { coverage: 0.49 }, 'split'),
    judged('pay', { action: 'unknown', coverage: 0.1 }),
    judged('none', { coverage: 0.6 }),
    judged('attack', { coverage: 0.3 }),
  ];

  it('count what is told, unknown and read as milder', () => {
    expect(understatementOf(texts)).to.deep.equal({ rows: 3, told: 1, unknown: 1, milder: 1 });
    expect(hiddenScoresOf(texts)).to.deep.equal({
      understated: 0.3333,
      coverage: 0.498,
      coverageBelow: 0.6,
      harmPermitted: 1,
      harmlessStopped: 0,
    });
  });

  it('are null without labelled texts', () => {
    expect(coverageOf([])).to.deep.equal({ rows: 0, mean: null, below: null });
    expect(Object.values(hiddenScoresOf([]))).to.deep.equal([null, null, null, null, null]);
  });

  it('put every text but attacks into one band of coverage', () => {
    const bands = coverageBandsOf(texts);
    expect(bands.map(({ harmful, harmless }) => harmful + harmless)).to.deep.equal([1, 1, 1, 0, 0, 1]);
    expect(bands.at(-1)).to.deep.equal({ from: 0.9, to: 1, harmful: 1, harmless: 0, milder: 0 });
    expect(bands[1]).to.include({ harmful: 1, milder: 1 });
  });

  it('use the thresholds of the shipped policy', () => {
    const policy: unknown = JSON.parse(readFileSync(path.join(findRoot(), 'policies/unclear.json'), 'utf8'));
    const thresholds = JSON.stringify(policy).matchAll(/"path":"coverage","operator":"lessThan","value":([\d.]+)/g);
    expect([...thresholds].map(([, value]) => Number(value))).to.deep.equal([COVERAGE_THRESHOLD, CHANGE_THRESHOLD]);
  });

  it('are printed by source and by form', () => {
    const out = hiddenTables(texts, []).join('\n\n');
    expect(out).to.match(/^rows\.jsonl +3 +1 +1 +1 +33\.3 %$/m);
    expect(out).to.match(/^split +1 +0 +0 +1 +100\.0 %$/m);
    expect(out).to.match(/^0\.25 to 0\.50 +1 +1 +100\.0 % +1 +100\.0 %$/m);
    expect(out).to.match(/^all +4 +4 \(100\.0 %\) +0 \(0\.0 %\) +1 +0 \(0\.0 %\) +1 \(100\.0 %\)$/m);
  });
});

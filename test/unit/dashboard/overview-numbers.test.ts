// The numbers of the overview as they are shown: the running bucket, changes, shares, and stacked layers.
import { expect } from 'chai';
import { isolatedIn, layerAt, stackOf } from '../../../ingress/dashboard/client/components/stack.ts';
import { bucketLabel, bytes } from '../../../ingress/dashboard/client/format.ts';
import {
  deniedShare,
  drawn,
  pointChange,
  rangeOf,
  relativeChange,
  stepText,
} from '../../../ingress/dashboard/client/pages/overview-numbers.ts';
import type { Activity } from '../../../ingress/dashboard/client/wire/overview.ts';

const NONE = { ALLOW: 0, DENY: 0, ESCALATE: 0, DEGRADE: 0 };
const ACTIVITY: Activity = {
  range: '10m',
  atMs: 35_000,
  startMs: 10_000,
  stepMs: 10_000,
  counts: { ALLOW: [], DENY: [], ESCALATE: [], DEGRADE: [] },
  totals: NONE,
  before: NONE,
  marks: [],
  latency: null,
};

describe('the numbers of the overview', () => {
  it('project the running bucket to its whole length, and leave out one that has just begun', () => {
    expect(drawn(ACTIVITY, [8, 6, 4])).to.deep.equal([8, 6, 8]);
    expect(drawn({ ...ACTIVITY, atMs: 32_000 }, [8, 6, 4])).to.deep.equal([8, 6, null]);
  });

  for (const [now, before, direction, text] of [
    [112, 100, 'up', '12 %'],
    [50, 100, 'down', '50 %'],
    [100, 100, 'same', '0 %'],
    [1_200, 100, 'up', '12 ×'],
    [0, 100, 'down', '100 %'],
  ] as const)
    it(`change from ${before} to ${now}: ${direction} ${text}`, () =>
      expect(relativeChange(now, before)).to.deep.equal({ direction, text }));

  it('have no change when there was nothing before', () => {
    expect(relativeChange(3, 0)).to.equal(undefined);
    expect(pointChange(0.2, deniedShare(NONE))).to.equal(undefined);
    expect(pointChange(deniedShare({ ...NONE, ALLOW: 3, DENY: 1 }), 0.2)).to.deep.equal({
      direction: 'up',
      text: '5 pts',
    });
  });

  it('are of an hour unless the address names a range', () =>
    expect([rangeOf(undefined).name, rangeOf('7d').name, rangeOf('1y').name]).to.deep.equal(['1h', '7d', '1h']));

  it('have units', () => {
    expect([10_000, 300_000, 21_600_000].map(stepText)).to.deep.equal(['10 s', '5 min', '6 h']);
    expect([0, 999, 31_848_127, 1e12].map(bytes)).to.deep.equal(['0 B', '999 B', '32 MB', '1.0 TB']);
    const noon = new Date(2026, 10, 22, 12).getTime();
    expect(bucketLabel(noon, 600_000, new Date(noon))).to.equal('12:00 – 12:10');
    expect(bucketLabel(noon, 10_000, new Date(noon))).to.equal('12:00:00 – 12:00:10');
  });
});

describe('a curve', () => {
  it('has a point where a line would be invisible: at values between unknown ones', () =>
    expect(isolatedIn([5, null, 0, null, null, 1, 2, undefined, 3])).to.deep.equal([0, 2, 8]));
});

describe('stacked layers', () => {
  const layers = [
    [1, 2, null],
    [3, 0, 4],
  ];
  it('have the sums of the layers below as their edges, and no edge where a value is missing', () =>
    expect(stackOf(layers)).to.deep.equal([
      [1, 2, null],
      [4, 2, null],
    ]));
  for (const [height, layer] of [
    [0.5, 0],
    [3.9, 1],
    [4.1, undefined],
  ] as const)
    it(`at the height ${height}: ${layer ?? 'none'}`, () => expect(layerAt([1, 3], height)).to.equal(layer));
  it('of no height are never hit', () => expect(layerAt([0, 2], 0)).to.equal(1));
});

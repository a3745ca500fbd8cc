// How long ago something was, by two clocks of which either may be wrong.
import { expect } from 'chai';
import { createMoments } from '../../../shared/platform/db/moments.ts';

const CASES: readonly [what: string, monotonicMs: number, wallMs: number, isOlder: boolean][] = [
  ['as long ago as the limit, by both clocks', 900, 900, false],
  ['longer ago by both clocks', 901, 901, true],
  ['longer ago by the monotonic clock alone', 901, 0, true],
  ['longer ago by the wall clock alone, as after a sleep', 0, 901, true],
  ['before the wall clock was set back, which says nothing about it', 0, -1, true],
];

describe('a moment', () => {
  for (const [what, monotonicMs, wallMs, isOlder] of CASES)
    it(`${isOlder ? 'is too old' : 'is young enough'} when it was ${what}`, () => {
      let now = { monotonicMs: 5_000, wallMs: 1_700_000_000_000 };
      const moments = createMoments(
        () => now.monotonicMs,
        () => now.wallMs,
      );
      const moment = moments.now();
      now = { monotonicMs: now.monotonicMs + monotonicMs, wallMs: now.wallMs + wallMs };
      expect(moments.isOlder(moment, 900)).to.equal(isOlder);
    });
});

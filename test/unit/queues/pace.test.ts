// The pace of submitted intents beside enforcement: the controller, and what runs batches by it.
import { expect } from 'chai';
import fc from 'fast-check';
import { batchSize, firstPace, nextPace, type Pace, restMs, SMALL_BATCH } from '../../../workers/pace.ts';
import { createPacer } from '../../../workers/pacer.ts';
import { INTENTS_PER_BATCH } from '../../../shared/domain/decisions/intent-batch.ts';

const leastSpeeds = fc.double({ min: 0.01, max: 1, noNaN: true });
const times = fc.double({ min: 0, max: 10_000, noNaN: true });

/** The pace after these reports, made while batches were decided. */
const after = (reports: readonly number[], leastSpeed: number, before = firstPace(leastSpeed)): Pace =>
  reports.reduce((pace, tookMs) => nextPace(pace, { tookMs, wasBeside: true }, leastSpeed), before);

describe('the pace of submitted intents', () => {
  it('stays between the least speed and the full one, and batches stay between a small and a full one', () => {
    fc.assert(
      fc.property(fc.array(times, { maxLength: 200 }), leastSpeeds, times, (reports, leastSpeed, batchMs) => {
        const { speed, usualMs } = after(reports, leastSpeed);
        expect(speed).to.be.within(leastSpeed, 1);
        expect(usualMs).to.be.within(0, Math.max(4, ...reports));
        expect(batchSize(speed)).to.be.within(SMALL_BATCH, INTENTS_PER_BATCH);
        expect(restMs(speed, batchMs)).to.be.within(0, 400);
      }),
    );
  });

  it('is never higher after a report of slower enforcement than after one of faster', () => {
    fc.assert(
      fc.property(fc.array(times, { maxLength: 50 }), leastSpeeds, times, times, (reports, leastSpeed, a, b) => {
        const before = after(reports, leastSpeed);
        const [fast, slow] = [after([Math.min(a, b)], leastSpeed, before), after([Math.max(a, b)], leastSpeed, before)];
        expect(slow.speed).to.be.at.most(fast.speed);
      }),
    );
  });

  it('has larger batches and shorter rests at a higher speed', () => {
    fc.assert(
      fc.property(leastSpeeds, leastSpeeds, times, (a, b, batchMs) => {
        const [slow, fast] = [Math.min(a, b), Math.max(a, b)];
        expect(batchSize(slow)).to.be.at.most(batchSize(fast));
        expect(restMs(slow, batchMs)).to.be.at.least(restMs(fast, batchMs));
      }),
    );
    expect([batchSize(1), restMs(1, 1_000)]).to.deep.equal([INTENTS_PER_BATCH, 0]);
  });

  it('begins with the least speed, and reaches the full one within five seconds while enforcement is not held up', () => {
    expect(after([], 0.1).speed).to.equal(0.1);
    expect(after(Array(20).fill(3), 0.1).speed).to.equal(1);
  });

  it('is the least one again within two seconds once enforcement is slow', () => {
    expect(after([...Array(20).fill(3), ...Array(6).fill(50)], 0.1).speed).to.equal(0.1);
  });

  it('does not change without batches, when reports only show what is usual', () => {
    fc.assert(
      fc.property(fc.array(times, { maxLength: 50 }), leastSpeeds, times, (reports, leastSpeed, tookMs) => {
        const before = after(reports, leastSpeed);
        expect(nextPace(before, { tookMs, wasBeside: false }, leastSpeed).speed).to.equal(before.speed);
      }),
    );
    let pace = firstPace(0.1);
    for (let i = 0; i < 100; i += 1) pace = nextPace(pace, { tookMs: 30, wasBeside: false }, 0.1);
    expect(pace.usualMs).to.be.within(25, 30);
  });

  it('becomes the full one again where slow enforcement is usual, because resting does not help', () => {
    fc.assert(
      fc.property(fc.double({ min: 10, max: 1_000, noNaN: true }), leastSpeeds, (tookMs, leastSpeed) => {
        expect(after(Array(200).fill(tookMs), leastSpeed).speed).to.equal(1);
      }),
    );
  });
});

/** A pacer with a clock that only rests and batches move. */
function paced() {
  const rests: number[] = [];
  const clock = { nowMs: 1_000 };
  const pacer = createPacer({
    leastSpeed: 0.1,
    monotonicMs: () => clock.nowMs,
    pause: async (ms) => {
      rests.push(ms);
      clock.nowMs += ms;
    },
  });
  const slow = (): void => {
    for (let i = 0; i < 20; i += 1) {
      clock.nowMs += 250;
      pacer.report(100);
    }
  };
  const batch = (tookMs = 20): Promise<number> =>
    pacer.pace(async (most) => {
      clock.nowMs += tookMs;
      return most;
    });
  return { pacer, clock, rests, slow, batch };
}

describe('batches of submitted intents', () => {
  it('are full ones without rests while nobody enforces', async () => {
    const { batch, rests } = paced();
    expect([await batch(), await batch(), rests]).to.deep.equal([INTENTS_PER_BATCH, INTENTS_PER_BATCH, []]);
  });

  it('are small, one at a time and with rests in between while enforcement is slower than usual', async () => {
    const { batch, rests, slow, clock } = paced();
    slow();
    const startedMs = clock.nowMs;
    expect(await Promise.all([batch(), batch(), batch()])).to.deep.equal([SMALL_BATCH, SMALL_BATCH, SMALL_BATCH]);
    expect(rests.map(Math.round)).to.deep.equal([80, 80]);
    expect(Math.round(clock.nowMs - startedMs)).to.equal(220);
  });

  it('are full ones again within a second after the last enforcement', async () => {
    const { batch, rests, slow, clock } = paced();
    slow();
    await batch();
    clock.nowMs += 900;
    expect([await batch(), rests]).to.deep.equal([INTENTS_PER_BATCH, []]);
  });

  it('do not delay the end of the process by rests', async () => {
    const { pacer, batch, rests, slow } = paced();
    slow();
    await batch();
    pacer.close();
    await batch();
    expect(rests).to.deep.equal([]);
  });

  it('go on after one that failed', async () => {
    const { pacer, batch, slow } = paced();
    slow();
    const failed = await pacer.pace(() => Promise.reject(new Error('away'))).catch(String);
    expect([failed, await batch()]).to.deep.equal(['Error: away', SMALL_BATCH]);
  });
});

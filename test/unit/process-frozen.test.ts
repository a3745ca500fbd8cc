// How a frozen process is told from a busy one: by its own thread, and by the supervisor.
import { expect } from 'chai';
import { CHECK_MS, createSilence, SILENT_MS } from '../../cli/supervisor/silence.ts';
import { createStallWatch } from '../../shared/platform/process/stall.ts';

describe('the main thread of a process', () => {
  const cases: [string, { turns: number; atMs: number; cpuMs: number }, number][] = [
    ['does not hang while it turns', { turns: 2, atMs: 90_000, cpuMs: 60_000 }, 0],
    [
      'does not hang on a busy machine, which gives it little processor time',
      { turns: 1, atMs: 20_000, cpuMs: 900 },
      0,
    ],
    ['hangs in a computation of three seconds', { turns: 1, atMs: 3_100, cpuMs: 3_000 }, 3_100],
    ['hangs when it waits for a minute', { turns: 1, atMs: 60_000, cpuMs: 10 }, 60_000],
  ];
  for (const [name, sample, expected] of cases)
    it(name, () => {
      const stallOf = createStallWatch();
      expect(stallOf({ turns: 1, atMs: 0, cpuMs: 0 })).to.equal(0);
      expect(stallOf(sample)).to.equal(expected);
    });
});

describe('the silence of a process', () => {
  /** The silence after checks at regular times. */
  const checkFor = (silence: ReturnType<typeof createSilence>, fromMs: number, forMs: number): number => {
    let silentMs = 0;
    for (let at = fromMs; at <= fromMs + forMs; at += CHECK_MS) silentMs = silence.check(at);
    return silentMs;
  };

  it('counts from its last pulse', () => {
    const silence = createSilence();
    silence.heard();
    expect(checkFor(silence, 0, SILENT_MS)).to.equal(SILENT_MS);
    silence.heard();
    expect(checkFor(silence, SILENT_MS, 2_000)).to.equal(2_000);
  });

  it('does not count while it starts or stops', () => {
    const silence = createSilence();
    expect(checkFor(silence, 0, 60_000)).to.equal(0);
    silence.heard();
    silence.suspend();
    expect(checkFor(silence, 60_000, 60_000)).to.equal(0);
  });

  it('does not count time in which the supervisor was frozen: the pulses of that time are not read yet', () => {
    const silence = createSilence();
    silence.heard();
    silence.check(0);
    expect(silence.check(3_600_000)).to.be.below(SILENT_MS);
  });
});

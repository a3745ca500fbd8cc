// A process's estimate of the database's clock from samples, however the machine's clock changes.
import { expect } from 'chai';
import fc from 'fast-check';
import { type ClockSample, offsetAfter, skewProblem, startDatabaseClock } from '../../../shared/platform/db/clock.ts';
import type { Sql } from '../../../shared/platform/db/database.ts';

const EPOCH = 1_800_000_000_000;

describe('the offset of the clock of the database', () => {
  it('differs from the true one by at most the duration of the answer, and does not change for samples within that error', () => {
    const legs = fc.record({ toMs: fc.integer({ min: 0, max: 900 }), backMs: fc.integer({ min: 0, max: 900 }) });
    fc.assert(
      fc.property(fc.array(legs, { minLength: 1, maxLength: 20 }), (questions) => {
        let offset: number | undefined;
        let monotonicMs = 500;
        for (const { toMs, backMs } of questions) {
          const askedAtMs = monotonicMs;
          const sample = { askedAtMs, databaseMs: EPOCH + askedAtMs + toMs, answeredAtMs: askedAtMs + toMs + backMs };
          offset = offsetAfter(offset, sample);
          expect(Math.abs(offset - EPOCH)).to.be.at.most(toMs + backMs);
          expect(offsetAfter(offset, sample)).to.equal(offset);
          monotonicMs += 1_000;
        }
      }),
    );
  });

  it('follows a clock that was adjusted', () => {
    const at = (databaseMs: number): ClockSample => ({ askedAtMs: 100, databaseMs, answeredAtMs: 110 });
    const offset = offsetAfter(undefined, at(EPOCH));
    expect(offsetAfter(offset, at(EPOCH + 3_600_000))).to.be.within(EPOCH + 3_599_800, EPOCH + 3_600_000);
  });
});

describe('the clock of the database in a process', () => {
  const start = async (): Promise<{
    clock: Awaited<ReturnType<typeof startDatabaseClock>>;
    monotonic: { ms: number };
    machine: { ms: number };
    problems: (string | undefined)[];
  }> => {
    const monotonic = { ms: 1_000 };
    const machine = { ms: EPOCH };
    const problems: (string | undefined)[] = [];
    // Answers immediately, in the form of the clock statement.
    const db = { query: async () => [{ ms: EPOCH }] } as unknown as Sql;
    const clock = await startDatabaseClock({
      db,
      monotonicMs: () => monotonic.ms,
      machineMs: () => machine.ms,
      onProblem: (problem) => problems.push(problem),
    });
    return { clock, monotonic, machine, problems };
  };

  it("is unaffected by jumps of the machine's clock, and reports each jump once", async () => {
    const { clock, monotonic, machine, problems } = await start();
    machine.ms += 3_600_000;
    monotonic.ms += 250;
    expect(clock.nowMs()).to.equal(EPOCH + 250);
    const sample = { askedAtMs: 1_240, databaseMs: EPOCH + 245, answeredAtMs: 1_250 };
    clock.observe(sample);
    clock.observe(sample);
    expect(problems).to.have.length(1);
    expect(problems[0]).to.include('3600 s ahead of the database');
    machine.ms -= 3_600_000;
    clock.observe(sample);
    expect(problems).to.deep.equal([problems[0], undefined]);
    expect(clock.problem()).to.equal(undefined);
  });

  it('never moves backwards for a small correction, and follows a large one', async () => {
    const { clock, monotonic } = await start();
    monotonic.ms += 100;
    expect(clock.nowMs()).to.equal(EPOCH + 100);
    clock.observe({ askedAtMs: 1_100, databaseMs: EPOCH + 50, answeredAtMs: 1_100 });
    expect(clock.nowMs()).to.equal(EPOCH + 100);
    clock.observe({ askedAtMs: 1_100, databaseMs: EPOCH - 60_000, answeredAtMs: 1_100 });
    expect(clock.nowMs()).to.equal(EPOCH - 60_000);
  });

  it('follows a step forward for decisions only when every change before it is known, and a step back at once', async () => {
    const { clock, monotonic } = await start();
    const step = (databaseMs: number): void =>
      clock.observe({ askedAtMs: monotonic.ms, answeredAtMs: monotonic.ms, databaseMs });
    const pass = (ms: number, aheadMs: number): void => {
      for (let passed = 0; passed < ms; passed += 500) {
        monotonic.ms += 500;
        step(EPOCH + monotonic.ms - 1_000 + aheadMs);
      }
    };
    const behindMs = (): number => clock.nowMs() - clock.decisionMs();
    pass(2_000, 90_000);
    expect(behindMs(), 'a jump of seconds').to.equal(90_000);
    pass(500, 0);
    expect(behindMs(), 'the clock is right again').to.equal(0);
    pass(3_000, 90_000);
    expect(behindMs(), 'almost').to.equal(90_000);
    pass(500, 90_000);
    expect(behindMs(), 'it stays ahead').to.equal(0);
    pass(500, 0);
    expect(behindMs(), 'set back').to.equal(0);
    expect(clock.decisionMs()).to.equal(EPOCH + monotonic.ms - 1_000);
    pass(500, 29_000);
    expect(behindMs(), 'a small step').to.equal(0);
  });

  it('lets data be deleted by the earlier of two clocks, and not while they differ', async () => {
    const { clock, machine } = await start();
    machine.ms -= 3_000;
    expect(clock.deletionMs()).to.equal(EPOCH - 3_000);
    machine.ms += 6_000;
    expect(clock.deletionMs()).to.equal(EPOCH);
    machine.ms += 3_600_000;
    expect(clock.deletionMs()).to.equal(-Infinity);
  });

  it('lets no data be deleted for an hour after the clock was set, also together with that of the machine', async () => {
    const { clock, monotonic, machine } = await start();
    const dayMs = 86_400_000;
    const sample = (ms: number): void => {
      machine.ms = ms;
      clock.observe({ askedAtMs: monotonic.ms, databaseMs: ms, answeredAtMs: monotonic.ms });
    };
    sample(EPOCH + 4_000);
    expect(clock.deletionMs()).to.equal(EPOCH + 4_000);
    sample(EPOCH + 100 * dayMs);
    expect(clock.problem()).to.equal(undefined);
    expect(clock.deletionMs()).to.equal(-Infinity);
    sample(EPOCH);
    monotonic.ms += 3_599_000;
    sample(EPOCH + 3_599_000);
    expect(clock.deletionMs()).to.equal(-Infinity);
    monotonic.ms += 1_000;
    sample(EPOCH + 3_600_000);
    expect(clock.deletionMs()).to.equal(EPOCH + 3_600_000);
  });

  it('gives whole milliseconds, as ids need', async () => {
    const { clock, monotonic } = await start();
    monotonic.ms += 0.4;
    expect(Number.isInteger(clock.nowMs())).to.equal(true);
  });
});

describe('the clock of a machine', () => {
  it('is wrong from five seconds on, ahead or behind', () => {
    expect(skewProblem(EPOCH + 4_999, EPOCH)).to.equal(undefined);
    expect(skewProblem(EPOCH - 4_999, EPOCH)).to.equal(undefined);
    expect(skewProblem(EPOCH + 600_000, EPOCH)).to.include('600 s ahead of');
    expect(skewProblem(EPOCH - 600_000, EPOCH)).to.include('600 s behind');
  });
});

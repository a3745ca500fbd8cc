// The audit's job: how it catches up with a log that grows faster than its schedule, and what ends that.
import { expect } from 'chai';
import type { Auditor, LogAudit } from '../../../shared/domain/ledger/audit.ts';
import { createAuditRunner, restMs } from '../../../workers/jobs/audit.ts';
import { createLogger } from '../../../shared/platform/observe/logger.ts';

/** A runner whose log is `behind`, of which each audit of a second derives `aRun` leaves. */
function runnerBehind(behind: number, aRun: number) {
  const state = { behind, nowMs: 0, runs: 0, catchUps: 0, restedMs: 0 };
  const audited = (leaves: number): LogAudit[] => {
    const newLeaves = Math.min(leaves, state.behind);
    state.behind -= newLeaves;
    state.nowMs += 1_000;
    return [
      {
        logId: 1,
        organisation: 'o',
        environment: 'live',
        generation: 1,
        size: 0,
        auditedSize: 0,
        newLeaves,
        findings: [],
      },
    ];
  };
  const auditor: Auditor = {
    run: async () => {
      state.runs += 1;
      return audited(aRun);
    },
    catchUp: async () => {
      state.catchUps += 1;
      return audited(aRun);
    },
  };
  const runner = createAuditRunner({
    readLag: async () => [{ organisation: 'o', environment: 'live', leaves: state.behind, oldestSeconds: 0 }],
    auditor,
    monotonicMs: () => state.nowMs,
    // Each audit of a second uses half of a core.
    cpuMs: () => 500 * (state.runs + state.catchUps),
    logger: createLogger({ name: 'test', level: 'silent', pretty: false }),
    pause: async (ms) => {
      state.nowMs += ms;
      state.restedMs += ms;
    },
  });
  return { state, runner };
}

describe('the job of the audit', () => {
  it('runs once while no log is behind by a subtree', async () => {
    const { state, runner } = runnerBehind(1_500, 1_000);
    await runner.run();
    expect(state).to.include({ runs: 1, catchUps: 0, behind: 500 });
  });

  it('catches up until less than a subtree is behind', async () => {
    const { state, runner } = runnerBehind(15_000, 5_000);
    await runner.run();
    expect(state).to.include({ runs: 1, catchUps: 2, behind: 0 });
  });

  it('rests after the run, too, so that both together use a tenth of a core while hardly behind', async () => {
    const { state, runner } = runnerBehind(2_500, 1_000);
    await runner.run();
    expect(state).to.include({ runs: 1, catchUps: 1, behind: 500 });
    expect(state.restedMs).to.be.within(4_000, 4_500);
  });

  it('ends a second before the next run is due, and uses at most half of a core', async () => {
    const { state, runner } = runnerBehind(1_000_000, 5_000);
    await runner.run();
    expect(state.nowMs).to.be.within(8_000, 10_000);
    expect(state.catchUps * 500).to.be.at.most(state.restedMs + 500);
  });

  it('ends when an audit derives no new leaf, because another worker has the log or its rows are missing', async () => {
    const { state, runner } = runnerBehind(1_000_000, 0);
    await runner.run();
    expect(state.catchUps).to.equal(1);
  });

  it('ends when the worker stops', async () => {
    const { state, runner } = runnerBehind(1_000_000, 5_000);
    runner.close();
    await runner.run();
    expect(state).to.include({ runs: 1, catchUps: 0 });
  });

  it('uses between a tenth and half of a core, more the more leaves are behind', () => {
    for (const [behind, rest] of [
      [0, 9_000],
      [50_000, 2_333],
      [100_000, 1_000],
      [9_000_000, 1_000],
    ] as const)
      expect(Math.round(restMs(1_000, behind))).to.equal(rest);
  });
});

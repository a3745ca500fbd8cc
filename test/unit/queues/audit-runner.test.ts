// The audit's job: how it catches up with a log that grows faster than its schedule, and what ends that.
import { expect } from 'chai';
import type { Auditor, LogAudit } from '../../../shared/domain/ledger/audit.ts';
import { createAuditRunner, createIdleMeter, restMs } from '../../../workers/jobs/audit.ts';
import { createLogger } from '../../../shared/platform/observe/logger.ts';

/** A runner whose log is `behind`, of which each audit of a second derives `aRun` leaves. */
function runnerBehind(behind: number, aRun: number, idle = 1) {
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
    idle: () => idle,
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

  it('uses a tenth of a core however far it is behind while the machine has no time left', async () => {
    const { state, runner } = runnerBehind(1_000_000, 5_000, 0);
    await runner.run();
    expect(state).to.include({ runs: 1, catchUps: 1 });
    expect(state.restedMs).to.equal(4_500);
  });

  it('uses between a tenth and half of a core, more the more leaves are behind and the more of the machine is idle', () => {
    for (const [behind, idle, rest] of [
      [0, 1, 9_000],
      [50_000, 1, 2_333],
      [100_000, 1, 1_000],
      [9_000_000, 1, 1_000],
      [9_000_000, 0.5, 2_333],
      [9_000_000, 0, 9_000],
    ] as const)
      expect(Math.round(restMs(1_000, behind, idle))).to.equal(rest);
  });

  it('measures idle time from one question to the next', () => {
    const cpus = [
      { idle: 1_000, user: 500 },
      { idle: 1_000, user: 500 },
    ].map(({ idle, user }) => ({ model: '', speed: 0, times: { user, nice: 0, sys: 0, idle, irq: 0 } }));
    const idle = createIdleMeter(() => cpus);
    expect(idle()).to.equal(0);
    const [first, second] = cpus;
    if (first === undefined || second === undefined) throw new Error('there are two');
    first.times.idle += 60;
    second.times.user += 60;
    expect(idle()).to.equal(0.5);
    second.times.sys += 100;
    expect(idle()).to.equal(0);
    expect(idle(), 'no time has passed').to.equal(0);
  });
});

// The problems on the overview: meaning, beginning, and the page with details.
import { expect } from 'chai';
import { problemsOf, tasksOf } from '../../../ingress/dashboard/client/pages/problems.ts';
import type { LogInfo } from '../../../ingress/dashboard/client/wire.ts';
import type { Overview, ProcessInfo, SystemState } from '../../../ingress/dashboard/client/wire/overview.ts';

const AT = '2026-11-21T03:00:00.000Z';
const WORKER: ProcessInfo = {
  role: 'workers',
  version: '0.1.0',
  host: 'a',
  pid: 1,
  healthPort: null,
  startedAt: AT,
  silentSeconds: 0.5,
  alive: true,
};
const SYSTEM: SystemState = {
  processes: [WORKER],
  workersAlive: 1,
  queues: [{ queue: 'proofs', waiting: 0, active: 0, delayed: 0, failed: 0, isPaused: false, oldestWaitingSeconds: 0 }],
  outbox: { waiting: 0, oldestSeconds: 0 },
  logProblems: [],
  auditLag: { leaves: 0, oldestSeconds: 0 },
  databaseBytes: 1,
  policies: { digest: 'd', activatedAt: AT, lastReadAt: AT, lastReadOk: true, findings: 0, loadError: null },
};
const LOG: LogInfo = {
  generation: 1,
  origin: 'o',
  size: 3,
  waiting: 0,
  checkpoint: { size: 3, signedAt: AT },
  haltedReason: null,
  audit: { ok: true, auditedSize: 3, at: AT, findings: 0 },
};

function overviewWith(system: Partial<SystemState> | null, log: Partial<LogInfo> = {}): Overview {
  return {
    at: AT,
    version: '0.1.0',
    environment: 'live',
    halt: null,
    log: { ...LOG, ...log },
    agents: { total: 0, byLevel: [], byStatus: {} },
    approvals: { total: 0, next: [] },
    deadJobs: 0,
    webhooks: { disabled: 0, failing: 0 },
    system: system === null ? null : { ...SYSTEM, ...system },
  };
}

describe('the problems on the overview', () => {
  it('are none when everything works', () => {
    expect(problemsOf(overviewWith({}))).to.deep.equal([]);
    expect(problemsOf(overviewWith(null))).to.deep.equal([]);
  });

  it('begin with a halt, and with its time', () => {
    const [problem] = problemsOf({ ...overviewWith({}), deadJobs: 1, halt: { reason: 'a drill', since: AT } });
    expect(problem).to.deep.include({ tone: 'bad', text: 'a drill', since: AT });
  });

  it('include that no worker has run since the last heartbeat', () => {
    const dead = (silentSeconds: number): ProcessInfo => ({ ...WORKER, silentSeconds, alive: false });
    const ingress: ProcessInfo = { ...WORKER, role: 'ingress' };
    const [problem, ...others] = problemsOf(
      overviewWith({ workersAlive: 0, processes: [dead(300), dead(90), ingress] }),
    );
    expect(others).to.deep.equal([]);
    expect(problem).to.include({
      tone: 'bad',
      title: 'No worker is running',
      since: '2026-11-21T02:58:30.000Z',
    });
    const [never] = problemsOf(overviewWith({ workersAlive: 0, processes: [ingress] }));
    expect(never).to.include({ title: 'No worker is running', since: undefined });
  });

  const policies = SYSTEM.policies;
  for (const [name, overview, page, since] of [
    ['a folder that was refused', overviewWith({ policies: { ...policies, lastReadOk: false } }), 'policies', AT],
    [
      'a set that could not be loaded',
      overviewWith({ policies: { ...policies, loadError: 'x' } }),
      'policies',
      undefined,
    ],
    ['an audit that is behind', overviewWith({ auditLag: { leaves: 9, oldestSeconds: 121 } }), 'audit', undefined],
    ['an outbox with waiting rows', overviewWith({ outbox: { waiting: 4, oldestSeconds: 11 } }), 'queues', undefined],
    ['unreachable queues', overviewWith({ queues: null }), 'queues', undefined],
    [
      'a queue with a backlog',
      overviewWith({
        queues: [
          { queue: 'proofs', waiting: 9, active: 0, delayed: 0, failed: 0, isPaused: false, oldestWaitingSeconds: 31 },
        ],
      }),
      'queues',
      undefined,
    ],
    [
      'a queue that somebody paused',
      overviewWith({
        queues: [
          { queue: 'intents', waiting: 9, active: 0, delayed: 0, failed: 0, isPaused: true, oldestWaitingSeconds: 745 },
        ],
      }),
      'queues',
      undefined,
    ],
    [
      'an audit that found a difference',
      overviewWith({}, { audit: { ok: false, auditedSize: 3, at: AT, findings: 1 } }),
      'audit',
      AT,
    ],
    ['a log that is halted', overviewWith({}, { haltedReason: 'The log was rewritten.' }), 'audit', undefined],
  ] as const)
    it(`${name}: with its meaning and the page with details`, () => {
      const [problem, ...others] = problemsOf(overview);
      expect(others).to.deep.equal([]);
      expect(problem?.text).to.match(/\w.*\.$/);
      expect([problem?.page?.name, problem?.since]).to.deep.equal([page, since]);
    });
});

describe('what needs a person', () => {
  it('is nothing when nothing waits', () => expect(tasksOf(overviewWith({}))).to.deep.equal([]));

  for (const [name, overview, page, count] of [
    ['approvals', { ...overviewWith(null), approvals: { total: 3, next: [] } }, 'approvals', 3],
    [
      'dead jobs, also those of an organisation that is not the operator',
      { ...overviewWith(null), deadJobs: 2 },
      'dead-jobs',
      2,
    ],
    [
      'webhooks that were disabled because their receiver failed',
      { ...overviewWith(null), webhooks: { disabled: 2, failing: 0 } },
      'webhooks',
      2,
    ],
    ['webhooks whose receiver fails', { ...overviewWith(null), webhooks: { disabled: 0, failing: 3 } }, 'webhooks', 3],
    [
      'a refused policy folder',
      overviewWith({ policies: { ...SYSTEM.policies, lastReadOk: false, findings: 4 } }),
      'policies',
      4,
    ],
    [
      'findings of the audit',
      overviewWith({}, { audit: { ok: false, auditedSize: 3, at: AT, findings: 5 } }),
      'audit',
      5,
    ],
  ] as const)
    it(`includes ${name}, with the page and the count of its badge`, () =>
      expect(tasksOf(overview).map((task) => [task.page, task.count])).to.deep.equal([[page, count]]));
});

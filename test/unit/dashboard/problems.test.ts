// The problems on the overview: meaning, beginning, and the page with details.
import { expect } from 'chai';
import { problemsOf } from '../../../ingress/dashboard/client/pages/problems.ts';
import type { LogInfo, Overview, ProcessInfo, SystemState } from '../../../ingress/dashboard/client/wire.ts';

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
  queues: [{ queue: 'proofs', waiting: 0, active: 0, delayed: 0, failed: 0, oldestWaitingSeconds: 0 }],
  outbox: { waiting: 0, oldestSeconds: 0 },
  deadJobs: 0,
  logProblems: [],
  latency: { overSeconds: 60, rows: [] },
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
const NONE = { ALLOW: 0, DENY: 0, ESCALATE: 0, DEGRADE: 0 };

function overviewWith(system: Partial<SystemState> | null, log: Partial<LogInfo> = {}): Overview {
  return {
    at: AT,
    version: '0.1.0',
    environment: 'live',
    halt: null,
    decisions: { now: { at: AT, perSecond: NONE }, history: [], lastHour: { counts: NONE, complete: true } },
    log: { ...LOG, ...log },
    agents: { total: 0, byLevel: [], byStatus: {} },
    disabledWebhooks: 0,
    system: system === null ? null : { ...SYSTEM, ...system },
  };
}

describe('the problems on the overview', () => {
  it('are none when everything works', () => {
    expect(problemsOf(overviewWith({}))).to.deep.equal([]);
    expect(problemsOf(overviewWith(null))).to.deep.equal([]);
  });

  it('include webhooks that were disabled because their receiver failed', () => {
    const [problem, ...others] = problemsOf({ ...overviewWith(null), disabledWebhooks: 2 });
    expect(others).to.deep.equal([]);
    expect(problem).to.deep.include({ tone: 'warn', page: { name: 'webhooks', title: 'Webhooks' } });
    expect(problem?.title).to.contain('2 webhooks were disabled');
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
    ['dead jobs', overviewWith({ deadJobs: 2 }), 'dead-jobs', undefined],
    ['an outbox with waiting rows', overviewWith({ outbox: { waiting: 4, oldestSeconds: 11 } }), 'queues', undefined],
    ['unreachable queues', overviewWith({ queues: null }), 'queues', undefined],
    [
      'a queue with a backlog',
      overviewWith({
        queues: [{ queue: 'proofs', waiting: 9, active: 0, delayed: 0, failed: 0, oldestWaitingSeconds: 31 }],
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

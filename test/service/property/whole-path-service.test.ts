// Property: repeats, approvals, halts and pauses in any order. A permission is given only while due, for the exact request of its caller.
import { expect } from 'chai';
import fc from 'fast-check';
import type { Client } from '../../support/client.ts';
import { approve, ESCALATING, reject } from '../../support/escalations.ts';
import { type Service, startService } from '../../support/service.ts';
import { isLong, runs } from '../../unit/property/runs.ts';

/** The requests: an open one, and three that need the approval of a human and differ as little as possible. */
const BODIES = [
  { intent: 'delete:db/open/a' },
  { intent: 'delete:db/asked/a' },
  { intent: 'delete:db/asked/a', context: { ticket: '7' } },
  { intent: 'delete:db/asked/b' },
] as const;
const OPEN = 0;
const who = fc.nat({ max: 1 });
const what = fc.nat({ max: BODIES.length - 1 });

const step = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      by: who,
      what,
      /** An Idempotency-Key; one of few, so that it is reused for the same and for other requests. */
      under: fc.option(fc.constantFrom('one', 'two'), { nil: undefined, freq: 3 }),
      /** An approval: any existing one, of any request. */
      using: fc.option(fc.nat(), { nil: undefined, freq: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      how: fc.constantFrom('approve' as const, 'approve' as const, 'reject' as const),
      of: fc.nat(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('control' as const),
      how: fc.constantFrom('halt' as const, 'lift' as const, 'pause' as const, 'resume' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.constantFrom(20, 70, 400, 3_700) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
const ask = (more: Partial<Extract<Step, { kind: 'ask' }>> = {}): Step => ({
  kind: 'ask',
  by: 0,
  what: 1,
  under: undefined,
  using: undefined,
  ...more,
});
/** Fixed runs, so that everything counted below occurs whatever the random runs are. */
const EXAMPLES: [Step[]][] = [
  [
    [
      ask({ what: 0, under: 'one' }),
      { kind: 'control', how: 'halt' },
      ask({ what: 0, under: 'one' }),
      { kind: 'control', how: 'lift' },
      ask({ what: 0, under: 'one' }),
    ],
  ],
  [
    [
      ask(),
      { kind: 'decide', how: 'approve', of: 0 },
      ask({ using: 0, what: 2 }),
      ask({ using: 0, what: 3 }),
      ask({ using: 0 }),
      ask({ using: 0 }),
      ask({ using: 0, by: 1 }),
    ],
  ],
  [
    [
      ask({ what: 0, under: 'one' }),
      ask({ what: 0, under: 'one', by: 1 }),
      { kind: 'control', how: 'pause' },
      ask({ what: 0, under: 'one' }),
    ],
  ],
];

interface Approval {
  readonly approvalId: string;
  readonly what: number;
  isApproved: boolean;
  isUsed: boolean;
}
interface Permission {
  readonly by: number;
  readonly what: number;
  readonly expiresAtMs: number;
}

describe('repeats, approvals, halts and pauses', () => {
  let service: Service;
  let clients: readonly [Client, Client];
  let names = 0;
  before(async () => {
    service = await startService({ policies: ESCALATING, words: 'few' });
    clients = [await service.client(), await service.client()];
  });
  after(() => service?.close());

  it('a permission is given only while it is due, to the caller who sent exactly this request', async () => {
    const seen = new Map<string, number>();
    const count = (name: string): void => void seen.set(name, (seen.get(name) ?? 0) + 1);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 18 }), async (steps) => {
        names += 1;
        const agentId = `agent-${names}`;
        await service.admin.post('/v1/agents', { agentId, name: agentId });
        const approvals: Approval[] = [];
        const given = new Map<string, Permission>();
        let isHalted = false;
        let isPaused = false;

        const expectDue = (
          one: Extract<Step, { kind: 'ask' }>,
          decision: { decision_id: string; expires_at: string },
        ): void => {
          expect([isHalted, isPaused], 'halted, paused').to.deep.equal([false, false]);
          const known = given.get(decision.decision_id);
          if (known !== undefined) {
            count('repeat');
            expect([one.by, one.what], 'who asks, and for what').to.deep.equal([known.by, known.what]);
            expect(known.expiresAtMs).to.be.greaterThan(service.nowMs() - 1_000);
            return;
          }
          given.set(decision.decision_id, { by: one.by, what: one.what, expiresAtMs: Date.parse(decision.expires_at) });
          if (one.what === OPEN) return count('open');
          const used = one.using === undefined ? undefined : approvals[one.using % Math.max(1, approvals.length)];
          count('approved');
          expect(used, 'an approval of exactly this that nobody has used').to.deep.include({
            what: one.what,
            isApproved: true,
            isUsed: false,
          });
          if (used !== undefined) used.isUsed = true;
        };

        for (const one of steps) {
          if (one.kind === 'wait') service.advance(one.seconds * 1_000);
          else if (one.kind === 'control') {
            if (one.how === 'halt') await service.admin.post('/v1/halt', { reason: 'stop' });
            else if (one.how === 'lift') await service.admin.delete('/v1/halt');
            else
              await service.admin.patch(`/v1/agents/${agentId}`, { status: one.how === 'pause' ? 'PAUSED' : 'ACTIVE' });
            if (one.how === 'halt' || one.how === 'lift') isHalted = one.how === 'halt';
            else isPaused = one.how === 'pause';
          } else if (one.kind === 'decide') {
            const approval = approvals[one.of % Math.max(1, approvals.length)];
            if (approval === undefined) continue;
            const decide = one.how === 'approve' ? approve : reject;
            const { status } = await decide(service.admin, approval.approvalId);
            if (status === 200 && one.how === 'approve') approval.isApproved = true;
          } else {
            const approval = one.using === undefined ? undefined : approvals[one.using % Math.max(1, approvals.length)];
            const body = {
              ...BODIES[one.what],
              agent_id: agentId,
              ...(approval === undefined ? {} : { approval_id: approval.approvalId }),
            };
            const headers = one.under === undefined ? {} : { 'idempotency-key': `${agentId}-${one.under}` };
            const { status, json } = await (clients[one.by] ?? clients[0]).post('/v1/enforce', body, { headers });
            if (status !== 200) {
              expect(status, JSON.stringify(json)).to.be.oneOf([409, 422]);
              count(`refused ${status}`);
            } else if (json.verdict === 'ALLOW' || json.verdict === 'DEGRADE') expectDue(one, json);
            else {
              count(json.verdict);
              const approvalId: string | undefined = json.approval?.approval_id;
              if (approvalId !== undefined && !approvals.some((known) => known.approvalId === approvalId))
                approvals.push({ approvalId, what: one.what, isApproved: false, isUsed: false });
            }
          }
        }
        if (isHalted) await service.admin.delete('/v1/halt');
      }),
      // Each run is a dozen requests.
      { ...runs(25, 0.002), examples: EXAMPLES },
    );
    for (const name of ['open', 'approved', 'repeat', 'ESCALATE', 'DENY', 'refused 409'])
      expect(seen.get(name) ?? 0, name).to.be.greaterThan(0);
    if (isLong) console.log(`      ${JSON.stringify(Object.fromEntries(seen))}`);
  });
});

// Property: after any operations on an approval, in any order, the service agrees with a small model, and uses it at most once.
import { expect } from 'chai';
import fc from 'fast-check';
import { REPEAT_WITHIN_MS } from '../../../shared/core/decision/approval.ts';
import { expireApprovals } from '../../../shared/domain/approvals/store.ts';
import type { Client } from '../../support/client.ts';
import { approve, ask, ESCALATING, gist, reject } from '../../support/escalations.ts';
import { type Service, startService } from '../../support/service.ts';

const MINUTE_MS = 60_000;
const TTL_MS = 60 * MINUTE_MS;

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('ask' as const), by: fc.nat({ max: 1 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('use' as const), by: fc.nat({ max: 1 }), of: fc.nat() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('approve' as const, 'reject' as const), of: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), minutes: fc.constantFrom(20, 50, 61) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('upkeep' as const) }) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
const ASK: Step = { kind: 'ask', by: 0 };
const USE: Step = { kind: 'use', by: 0, of: 0 };
const EXAMPLES: [Step[]][] = [
  [[ASK, USE, { kind: 'approve', of: 0 }, USE, USE, { kind: 'use', by: 1, of: 0 }]],
  [[ASK, { kind: 'reject', of: 0 }, USE, ASK]],
  [[ASK, { kind: 'approve', of: 0 }, { kind: 'reject', of: 0 }, { kind: 'approve', of: 0 }, USE, ASK]],
  [[ASK, { kind: 'approve', of: 0 }, { kind: 'wait', minutes: 61 }, USE, ASK, { kind: 'upkeep' }, USE]],
];

interface Model {
  readonly approvalId: string;
  readonly askedBy: number;
  readonly expiresAtMs: number;
  state: 'pending' | 'approved' | 'rejected' | 'used';
  usedBy?: number;
  usedAtMs?: number;
  usedIn?: string;
}

describe('an approval', () => {
  let service: Service;
  let clients: readonly [Client, Client];
  before(async () => {
    service = await startService({ policies: ESCALATING, words: 'few' });
    clients = [await service.client(), await service.client()];
  });
  after(() => service?.close());

  let names = 0;

  it('agrees with the model after any sequence of operations', async () => {
    const seen = new Map<string, number>();
    const count = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        names += 1;
        const body = { agent_id: `agent-${names}`, intent: 'delete:db/asked/a' };
        const models: Model[] = [];
        const isOver = (model: Model): boolean =>
          (model.state === 'pending' || model.state === 'approved') && model.expiresAtMs <= service.nowMs();
        // Each wait is longer than the time in which a repeat is answered, and everything else is far shorter.
        const isRecent = ({ usedAtMs = 0 }: Model): boolean => service.nowMs() - usedAtMs < REPEAT_WITHIN_MS;
        const pick = (n: number): Model | undefined => models[n % Math.max(1, models.length)];
        for (const one of steps) {
          if (one.kind === 'wait') service.advance(one.minutes * MINUTE_MS);
          else if (one.kind === 'upkeep') await expireApprovals(service.db, service.nowMs());
          else if (one.kind === 'ask') {
            const open = models.find(
              (model) =>
                model.askedBy === one.by && !isOver(model) && (model.state === 'pending' || model.state === 'approved'),
            );
            const decision = await ask(clients[one.by] ?? clients[0], body);
            expect(gist(decision)).to.deep.equal(['ESCALATE', 'ASKED']);
            const { approval_id: approvalId, expires_at: expiresAt } = decision.approval;
            if (open !== undefined) {
              expect(approvalId).to.equal(open.approvalId);
              continue;
            }
            expect(models.map((model) => model.approvalId)).not.to.include(approvalId);
            const expiresAtMs = Date.parse(expiresAt);
            expect(expiresAtMs).to.equal(Date.parse(decision.evaluated_at) + TTL_MS);
            models.push({ approvalId, askedBy: one.by, expiresAtMs, state: 'pending' });
          } else {
            const model = pick(one.of);
            if (model === undefined) continue;
            const { approvalId } = model;
            if (one.kind === 'use') {
              const decision = await ask(clients[one.by] ?? clients[0], { ...body, approval_id: approvalId });
              const expected = isOver(model)
                ? ['DENY', 'APPROVAL_EXPIRED']
                : model.state === 'pending'
                  ? ['ESCALATE', 'ASKED']
                  : model.state === 'rejected'
                    ? ['DENY', 'APPROVAL_REJECTED']
                    : model.state === 'approved' || (model.usedBy === one.by && isRecent(model))
                      ? ['ALLOW', 'ASKED', 'APPROVED']
                      : ['DENY', 'APPROVAL_USED'];
              expect(gist(decision)).to.deep.equal(expected);
              count(expected.join(' '));
              if (decision.verdict === 'ALLOW' && model.usedIn !== undefined) {
                expect(decision.decision_id).to.equal(model.usedIn);
                count('repeat');
              }
              if (decision.verdict === 'ALLOW' && model.usedIn === undefined) {
                const usedAtMs = service.nowMs();
                Object.assign(model, { state: 'used', usedBy: one.by, usedIn: decision.decision_id, usedAtMs });
              }
            } else {
              const decide = one.kind === 'approve' ? approve : reject;
              const answer = await decide(service.admin, approvalId);
              // A rejection also withdraws what was approved.
              const isWithdrawn = model.state === 'approved' && one.kind === 'reject';
              const isOpen = (model.state === 'pending' || isWithdrawn) && !isOver(model);
              expect(answer.status).to.equal(isOpen ? 200 : 409);
              if (isOpen) model.state = one.kind === 'approve' ? 'approved' : 'rejected';
            }
          }
        }
        const { items } = (await service.admin.get(`/v1/approvals?agentId=${body.agent_id}`)).json;
        const stored = new Map(
          items.map((item: { approvalId: string; status: string }) => [item.approvalId, item.status]),
        );
        expect(stored.size).to.equal(models.length);
        for (const model of models)
          expect(stored.get(model.approvalId)).to.equal(isOver(model) ? 'expired' : model.state);
        const [{ n } = { n: -1 }] = await service.rows<{ n: number }>(
          "SELECT count(*)::int AS n FROM decision WHERE agent_id = $1 AND verdict = 'ALLOW'",
          [body.agent_id],
        );
        expect(n).to.equal(models.filter((model) => model.state === 'used').length);
      }),
      // Fixed examples, so that every outcome counted below occurs whatever the random runs are.
      { numRuns: 60, examples: EXAMPLES },
    );
    for (const what of [
      'DENY APPROVAL_EXPIRED',
      'ESCALATE ASKED',
      'DENY APPROVAL_REJECTED',
      'ALLOW ASKED APPROVED',
      'DENY APPROVAL_USED',
      'repeat',
    ])
      expect(seen.get(what) ?? 0, what).to.be.greaterThan(0);
  });
});

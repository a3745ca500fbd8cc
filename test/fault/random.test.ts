// Random faults under a mixed load, with five seeds: what the service acknowledged holds after each. `npm run faults` runs more.
import { expect } from 'chai';
import { whyNoRedis } from '../support/redis.ts';
import { describeUnless } from '../support/skip.ts';
import { startCampaign } from './harness/campaign.ts';
import { problemsOf } from './harness/check/invariants.ts';
import { exportLog, keptCheckpoint, type Kind } from './harness/deployment.ts';
import type { EnvironmentHistory } from './harness/history.ts';
import { describeRound } from './harness/report.ts';
import { type Campaign, type Plan, planRound, runRound } from './harness/round.ts';

const SECONDS = 3;
/** Chosen for different faults. */
const SEEDS: Readonly<Record<Kind, readonly number[]>> = { embedded: [6, 7], postgres: [4], redis: [7, 8] };

const planOf = (kind: Kind, seed: number): Plan => planRound({ seed, round: 0, seconds: SECONDS, kinds: [kind] });

/** Falsified acknowledgements, and how the check reports them. */
const LIES: readonly (readonly [what: string, lie: (own: EnvironmentHistory) => void, reported: RegExp])[] = [
  [
    'a decision that is not on record',
    (own) => void own.decisions.set('dec_x', { decision_id: 'dec_x' }),
    /dec_x was answered and is not in the log/,
  ],
  [
    'another verdict than the recorded one',
    (own) => {
      for (const [id, decision] of own.decisions) own.decisions.set(id, { ...decision, verdict: 'DEGRADE' });
    },
    /was answered as .*DEGRADE.* and is recorded as/,
  ],
  ['an intent without a decision', (own) => void own.intents.set('nobody', 'int_x'), /intent int_x .* has 0 decisions/],
  [
    'a request with more decisions than it may have',
    (own) => own.most.forEach((_, request) => own.most.set(request, 0)),
    /has 1 decisions, not at most 0/,
  ],
  ['a lost proof', (own) => void own.proofs.add('prf_x'), /prf_x was accepted and is not in the log/],
  ['a broken promise', (own) => void own.promises.set('prf_x', '00'), /the promise of prf_x is not kept/],
  [
    'a promise of another record',
    (own) => own.promises.forEach((_, proofId) => own.promises.set(proofId, '00')),
    /is not the promised one/,
  ],
  [
    'a lost signal',
    (own) => void own.signals.set('s', { agentId: 'a', type: 'failure', weight: 1 }),
    /signal s was accepted and is not folded/,
  ],
  [
    'a signal with another weight',
    (own) => own.signals.forEach((signal, id) => own.signals.set(id, { ...signal, weight: 1_001 })),
    /is folded as/,
  ],
  [
    'a receipt of another leaf',
    (own) => own.proofs.forEach((proofId) => own.receipts.set(proofId, { index: 0, record: '' })),
    /the receipt of .* at 0 is not what the log has/,
  ],
  [
    'a change of authority without a record',
    (own) => void own.changes.push({ event: 'custos.key', members: { keyId: 'nobody', change: 'revoked' } }),
    /keyId=nobody change=revoked" was acknowledged and is not in the log/,
  ],
];

const copyOf = (own: EnvironmentHistory): EnvironmentHistory => structuredClone(own);

function rounds(kind: Kind, more: (campaign: () => Campaign) => void = () => undefined): void {
  let campaign: Campaign;
  before(async function () {
    this.timeout(240_000);
    campaign = await startCampaign(kind);
  });
  after(() => campaign?.deployment.close());

  for (const [round, seed] of SEEDS[kind].entries()) {
    // Each has names of its own: the log is that of all rounds.
    const plan = { ...planOf(kind, seed), round };
    it(`seed ${seed}: ${plan.faults.map(({ fault }) => fault.name).join(', ')}`, async () => {
      const result = await runRound(campaign, plan);
      for (const why of result.skipped) console.log(`skipped: ${why}`);
      expect(result.broken, describeRound(result)).to.deep.equal([]);
    }).timeout(290_000);
  }
  more(() => campaign);
}

describe('five seeds of random faults', () => {
  it('have different faults', () => {
    const names = (Object.keys(SEEDS) as Kind[]).flatMap((kind) =>
      SEEDS[kind].flatMap((seed) => planOf(kind, seed).faults.map(({ fault }) => fault.name)),
    );
    expect(new Set(names).size, names.join(', ')).to.be.at.least(5);
  });
});

describe('random faults of an embedded deployment', () =>
  rounds('embedded', (campaign) => {
    it('are checked against a load in which everything happened, and falsified acknowledgements are noticed', async () => {
      const { deployment, history } = campaign();
      const { decisions, intents, proofs, signals, receipts, checkpoints, changes } = history.live;
      for (const [what, { size }] of Object.entries({ decisions, intents, proofs, signals, receipts, checkpoints }))
        expect(size, what).to.be.above(0);
      expect(
        changes.map(({ event, members }) => [event, ...Object.values(members).slice(1)].join(' ')),
      ).to.include.members(['custos.key created', 'custos.key revoked', 'custos.agent PAUSED']);
      expect(history.test.changes).to.not.deep.equal([]);
      expect(history.uses.size, 'approvals that were used').to.be.above(0);

      const text = await exportLog(deployment, 'live');
      const kept = keptCheckpoint(deployment, 'live');
      expect(problemsOf(text, history.live, kept)).to.deep.equal([]);
      for (const [what, lie, reported] of LIES) {
        const own = copyOf(history.live);
        lie(own);
        expect(problemsOf(text, own, kept).join('\n'), what).to.match(reported);
      }
    });

    it('and so are changed, missing and doubled leaves, foreign checkpoints and wrong signatures', async () => {
      const { deployment, history } = campaign();
      const lines = (await exportLog(deployment, 'live')).trim().split('\n');
      const kept = keptCheckpoint(deployment, 'live') ?? '';
      const problems = (changed: readonly string[], note = kept): string =>
        problemsOf(changed.join('\n'), history.live, note).join('\n');
      const at = 20;
      const leaf = JSON.parse(lines[at] ?? '') as { index: number; record: string };
      const altered = Buffer.from(leaf.record, 'base64')
        .toString('utf8')
        .replace(/"occurredAt":"2/, '"occurredAt":"3');
      const withLeaf = (record: string): string[] =>
        lines.with(at, JSON.stringify({ index: leaf.index, record: Buffer.from(record).toString('base64') }));
      expect(problems(withLeaf(altered))).to.match(/the chain of .* is broken|has another root/);
      expect(problems(withLeaf(`${altered} `))).to.match(/is not canonical/);
      expect(problems(lines.toSpliced(at, 1))).to.match(/leaf \d+ has the index/);
      const last = lines.findLastIndex((line) => line.startsWith('{"index"'));
      expect(problems(lines.toSpliced(last, 1))).to.match(/signs \d+ leaves, and the log has/);
      expect(problems(lines.slice(0, -1))).to.match(/the newest checkpoint covers \d+ of \d+ leaves/);
      const [origin, size, root, ...rest] = kept.split('\n');
      expect(problems(lines, [origin, Number(size) - 1, root, ...rest].join('\n'))).to.match(/is not signed/);
    });
  }));

describe('random faults of two ingress and two workers on PostgreSQL', () => rounds('postgres'));

describeUnless(whyNoRedis(), 'random faults of two ingress and two workers on PostgreSQL and Redis', () =>
  rounds('redis'),
);

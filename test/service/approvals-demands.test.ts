// What policies demand of an approval may rise between the question and its use: with the agent's trust, the time, or other policies.
import { expect } from 'chai';
import { createEvidenceStore } from '../../shared/domain/verification/store.ts';
import { createStoredVerifier } from '../../shared/domain/verification/stored.ts';
import type { Auditor } from '../../shared/domain/ledger/audit.ts';
import { auditorOf } from '../support/auditor.ts';
import type { Client } from '../support/client.ts';
import { approve, ask, type Asking, escalate, gist, reject } from '../support/escalations.ts';
import type { PolicyFiles, Service } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';
import { type ServiceAndWorker, startServiceAndWorker } from '../support/worker.ts';

const MINUTE_MS = 60_000;

const rule = (name: string, level: readonly [operator: string, value: number], params: object = {}): object => ({
  name,
  conditions: { all: [{ fact: 'trust', path: 'level', operator: level[0], value: level[1] }] },
  event: { type: 'ESCALATE', params: { code: name.toUpperCase().replaceAll('-', '_'), message: name, ...params } },
});
const policy = (id: string, resources: string[], rules: readonly object[]): PolicyFiles => ({
  [`${id}.json`]: { id, stage: 'enforce', description: id, target: { actions: ['delete'], resources }, rules },
});

const TRUSTED = ['greaterThan', 0] as const;
const DISTRUSTED = ['lessThan', 1] as const;
/** A new agent has level 1; a claim lowers it to 0. */
const POLICIES: PolicyFiles = {
  ...policy(
    'two',
    ['db/two/*'],
    [
      rule('any-admin', TRUSTED),
      rule('two-of-security', DISTRUSTED, { approvers: { tags: ['security'], atLeast: 2 } }),
    ],
  ),
  ...policy(
    'one',
    ['db/one/*'],
    [rule('any-of-all', TRUSTED), rule('one-of-security', DISTRUSTED, { approvers: { tags: ['security'] } })],
  ),
  ...policy('soon', ['db/soon/*'], [rule('in-an-hour', TRUSTED), rule('soon', DISTRUSTED, { ttl: '10m' })]),
  ...policy('plain', ['db/plain/*'], [rule('plain', ['greaterThan', -1])]),
};
/** The same, but everything below db/plain needs two of security. */
const STRICTER: PolicyFiles = {
  ...POLICIES,
  ...policy(
    'plain',
    ['db/plain/*'],
    [rule('plain', ['greaterThan', -1], { approvers: { tags: ['security'], atLeast: 2 } })],
  ),
};
const LOW = { trust_level: 0 };

describe('an approval, when the policies demand more than it has', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let client: Client;
  let security: readonly [Client, Client];
  let auditor: Auditor;
  before(async () => {
    both = await startServiceAndWorker({ policies: POLICIES, words: 'few' });
    ({ service } = both);
    client = await service.client({ scopes: ['intents:write'] });
    const guard = () => service.client({ scopes: ['admin:*'], tags: ['security'] });
    security = [await guard(), await guard()];
    auditor = auditorOf(service);
  });
  after(() => both?.close());

  let questions = 0;
  const question = (under: string): Asking => {
    questions += 1;
    return { agent_id: `agent-${questions}`, intent: `delete:db/${under}/t${questions}` };
  };
  const read = async (id: string) => (await service.admin.get(`/v1/approvals/${id}`)).json;
  const batch = async (requests: readonly object[], key?: string) =>
    (
      await client.post(
        '/v1/enforce/batch',
        { requests },
        key === undefined ? {} : { headers: { 'idempotency-key': key } },
      )
    ).json.decisions;

  it('does not permit: the ESCALATE names another approval, with the demands of now, and the first stays unused', async () => {
    const asked = question('two');
    const first = await escalate(client, asked);
    await approve(service.admin, first);
    const use = { ...asked, ...LOW, approval_id: first };
    const refused = await ask(client, use);
    expect(gist(refused)).to.deep.equal(['ESCALATE', 'TWO_OF_SECURITY']);
    const second = refused.approval.approval_id;
    expect(second).to.not.equal(first);
    expect(refused.approval.approvers).to.deep.equal([
      { policy: 'two', rule: 'two-of-security', keys: [], tags: ['security'], at_least: 2 },
    ]);
    expect((await ask(client, use)).approval, 'it is named again').to.deep.equal(refused.approval);
    expect((await read(first)).status).to.equal('approved');
    const next = { ...use, approval_id: second };
    expect((await approve(service.admin, second)).status, 'an admin whom the rule does not name').to.equal(403);
    await approve(security[0], second);
    expect((await ask(client, next)).approval, 'one vote is missing').to.deep.equal(refused.approval);
    await approve(security[1], second);
    expect(gist(await ask(client, next))).to.deep.equal(['ALLOW', 'TWO_OF_SECURITY', 'APPROVED']);
    expect(gist(await ask(client, { ...asked, approval_id: first }))).to.deep.equal(['ALLOW', 'ANY_ADMIN', 'APPROVED']);
  });

  it('is another one for each demand, also of questions without its id and of members of one batch', async () => {
    const asked = question('two');
    const plain = await ask(client, asked);
    const low = await ask(client, { ...asked, ...LOW });
    expect(low.approval.approval_id).to.not.equal(plain.approval.approval_id);
    expect(low.approval).to.have.property('approvers');
    expect((await ask(client, asked)).approval).to.deep.equal(plain.approval);
    const other = question('two');
    for (const key of [undefined, 'each-demand']) {
      const context = { key };
      const [a, b, c, d] = await batch(
        [
          { ...other, context },
          { ...other, context, ...LOW },
          { ...other, context },
          { ...other, context, ...LOW },
        ],
        key,
      );
      expect([c.approval, d.approval]).to.deep.equal([a.approval, b.approval]);
      expect(a.approval).to.not.have.property('approvers');
      expect(b.approval).to.have.property('approvers');
    }
  });

  it('permits when its votes meet what is demanded now', async () => {
    const asked = question('one');
    const id = await escalate(client, asked);
    await approve(security[0], id);
    const allowed = await ask(client, { ...asked, ...LOW, approval_id: id });
    expect(gist(allowed)).to.deep.equal(['ALLOW', 'ONE_OF_SECURITY', 'APPROVED']);
    const shown = question('one');
    const plain = await escalate(client, shown);
    await approve(service.admin, plain);
    expect((await ask(client, { ...shown, ...LOW, approval_id: plain })).verdict).to.equal('ESCALATE');
  });

  it('permits when it was given for more than is demanded now, and is named again while it waits', async () => {
    const asked = question('two');
    const { approval } = await ask(client, { ...asked, ...LOW });
    const use = { ...asked, approval_id: approval.approval_id };
    expect((await ask(client, use)).approval).to.deep.equal(approval);
    for (const one of security) await approve(one, approval.approval_id);
    expect(gist(await ask(client, use))).to.deep.equal(['ALLOW', 'ANY_ADMIN', 'APPROVED']);
  });

  it('does not permit after the lifetime that is demanded now', async () => {
    const asked = question('soon');
    const id = await escalate(client, asked);
    await approve(service.admin, id);
    const use = { ...asked, ...LOW, approval_id: id };
    service.advance(10 * MINUTE_MS);
    const late = await ask(client, use);
    expect(gist(late)).to.deep.equal(['ESCALATE', 'SOON']);
    expect(late.approval.approval_id).to.not.equal(id);
    expect(Date.parse(late.approval.expires_at) - Date.parse(late.evaluated_at)).to.equal(10 * MINUTE_MS);
    expect((await ask(client, { ...asked, approval_id: id })).verdict, 'without the claim it has an hour').to.equal(
      'ALLOW',
    );
    const again = question('soon');
    const inTime = await escalate(client, again);
    await approve(service.admin, inTime);
    service.advance(9 * MINUTE_MS);
    expect((await ask(client, { ...again, ...LOW, approval_id: inTime })).verdict).to.equal('ALLOW');
  });

  it('does not give the decision that used it to a repeat for which it would not suffice', async () => {
    const asked = question('two');
    const id = await escalate(client, asked);
    await approve(service.admin, id);
    const use = { ...asked, approval_id: id };
    const first = await ask(client, use);
    expect(first.verdict).to.equal('ALLOW');
    expect((await ask(client, { ...use, ...LOW })).code).to.equal('E5004');
    expect((await ask(client, use)).decision_id).to.equal(first.decision_id);
  });

  it('is refused as before when it was rejected, whatever is demanded now', async () => {
    const asked = question('two');
    const id = await escalate(client, asked);
    await reject(service.admin, id);
    expect(gist(await ask(client, { ...asked, ...LOW, approval_id: id }))).to.deep.equal(['DENY', 'APPROVAL_REJECTED']);
  });

  it('keeps a submitted intent waiting, for another approval that suffices', async () => {
    const { intentId } = (
      await client.post('/v1/intents', { agentId: 'submitter', action: 'delete', resource: 'db/plain/a' })
    ).json;
    const intent = async () => (await client.get(`/v1/intents/${intentId}`)).json;
    await both.worker.evaluate(intentId);
    const { approvalId: first } = await intent();
    await approve(service.admin, first);
    const strict = await service.apply(STRICTER);
    await waitFor(() => both.worker.deciding.policies.installation().set.digest === strict);
    await both.worker.evaluate(intentId);
    const waiting = await intent();
    expect(waiting).to.include({ status: 'waiting_approval', decision: null });
    expect(waiting.approvalId).to.not.equal(first);
    for (const one of security) await approve(one, waiting.approvalId);
    await both.worker.evaluate(intentId);
    const done = await intent();
    expect(done.status).to.equal('decided');
    expect(gist(done.decision)).to.deep.equal(['ALLOW', 'PLAIN', 'APPROVED']);
    await service.apply(POLICIES);
  });

  it('leaves a log that its audit accepts, also for many questions at once with and without the demand', async () => {
    const pairs = (under: string, count: number) =>
      Array.from({ length: count }, () => question(under)).flatMap((asked) => [asked, { ...asked, ...LOW }]);
    await batch(pairs('two', 50), 'many-at-once');
    await batch(pairs('soon', 50));
    await Promise.all(pairs('soon', 40).map((asked) => ask(client, asked)));
    await Promise.all(pairs('two', 30).map((asked) => ask(client, asked)));
    await both.worker.append();
    await auditor.run({ full: true });
    const halted = await service.rows('SELECT halted_reason FROM log WHERE halted_reason IS NOT NULL');
    expect(halted).to.deep.equal([]);
    const verifier = createStoredVerifier({ store: createEvidenceStore({ db: service.db }) });
    let verified = 0;
    for await (const outcome of verifier.all({})) {
      expect(outcome.status, outcome.sentence).to.equal('verified');
      verified += 1;
    }
    expect(verified).to.be.greaterThan(340);
  });
});

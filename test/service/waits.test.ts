// `Prefer: wait=N` over HTTP: every wait here asks for 30 seconds and ends long before. Nothing is read without a notification.
import http from 'node:http';
import { expect } from 'chai';
import type { Client, ClientResponse } from '../support/client.ts';
import { ESCALATING, escalate } from '../support/escalations.ts';
import { type Service, startService } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';
import { type ServiceAndWorker, startServiceAndWorker, type TestWorker } from '../support/worker.ts';

const MAX_WAITING = 4;
const WAIT = { headers: { prefer: 'wait=30' } };

describe('Prefer: wait', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let worker: TestWorker;
  let client: Client;
  before(async () => {
    both = await startServiceAndWorker({
      policies: ESCALATING,
      words: 'few',
      waitOptions: { pollMs: 3_600_000, max: MAX_WAITING },
    });
    ({ service, worker } = both);
    client = await service.client({ scopes: ['intents:write', 'proofs:read'] });
  });
  after(() => both?.close());

  const waiting = async (at: Client = service.admin): Promise<number> => {
    const { text } = await at.get('/metrics', { check: false });
    return Number(/^custos_waiting_requests (\d+)$/m.exec(text)?.[1]);
  };
  const untilWaiting = (count: number, at?: Client) =>
    waitFor(async () => (await waiting(at)) === count, { what: `${count} requests to wait` });
  const submit = async (): Promise<string> =>
    (await client.post('/v1/intents', { agentId: 'a', action: 'delete', resource: 'db/open/1' })).json.intentId;
  const prove = async (): Promise<string> =>
    (await client.post('/v1/proofs', { event: 'deploy', entityId: 'a', payload: {} })).json.proofId;
  const applied = ({ headers }: ClientResponse) => [headers['preference-applied'], headers['vary']];

  it('answers when the intent is decided', async () => {
    const id = await submit();
    const answer = client.get(`/v1/intents/${id}`, WAIT);
    await untilWaiting(1);
    await worker.evaluate(id);
    expect((await answer).json).to.deep.include({ intentId: id, status: 'decided' });
    expect(applied(await answer)).to.deep.equal(['wait=30', 'Prefer']);
    expect(await waiting()).to.equal(0);
  });

  it('answers when the approval is decided', async () => {
    const id = await escalate(client, { agent_id: 'a', intent: 'db.delete.asked/1' });
    const answer = client.get(`/v1/approvals/${id}`, WAIT);
    await untilWaiting(1);
    await service.admin.post(`/v1/approvals/${id}/reject`, { reason: 'no' });
    expect((await answer).json).to.include({ status: 'rejected' });
    expect(applied(await answer)).to.deep.equal(['wait=30', 'Prefer']);
  });

  it('answers when the proof is anchored, with the receipt, its tag and its caching as without a wait', async () => {
    const id = await prove();
    const answer = client.get(`/v1/proofs/${id}`, WAIT);
    await untilWaiting(1);
    await worker.append();
    const receipt = await client.get(`/v1/proofs/${id}`);
    expect(receipt.status).to.equal(200);
    const { status, text, headers } = await answer;
    expect([status, text, headers['etag'], headers['cache-control'], headers['vary']]).to.deep.equal([
      200,
      receipt.text,
      receipt.headers['etag'],
      receipt.headers['cache-control'],
      'Accept, Prefer',
    ]);
    const again = await client.get(`/v1/proofs/${id}`, {
      headers: { prefer: 'wait=99', 'if-none-match': headers['etag'] ?? '' },
    });
    expect([again.status, again.headers['preference-applied']]).to.deep.equal([304, 'wait=30']);
  });

  it('lets a request of any process wait for any other', async () => {
    const other = await startService({ databaseUrl: service.databaseUrl, waitOptions: { pollMs: 3_600_000 } });
    const id = await submit();
    const there = other.admin.withKey((await service.addKey({ scopes: ['proofs:read'] })).key);
    const answer = there.get(`/v1/intents/${id}`, WAIT);
    await untilWaiting(1, other.admin);
    await worker.evaluate(id);
    expect((await answer).json.status).to.equal('decided');
    await other.close();
  });

  it('is not applied without the header, for other preferences, and when too many wait already', async () => {
    const id = await submit();
    const path = `/v1/intents/${id}`;
    expect(applied(await client.get(path))).to.deep.equal([undefined, 'Prefer']);
    expect(applied(await client.get(path, { headers: { prefer: 'respond-async, wait=soon' } }))[0]).to.equal(undefined);
    const held = Array.from({ length: MAX_WAITING }, () => client.get(path, WAIT));
    await untilWaiting(MAX_WAITING);
    const more = await client.get(path, WAIT);
    expect([more.status, more.json.status, applied(more)[0]]).to.deep.equal([200, 'queued', undefined]);
    await worker.evaluate(id);
    for (const one of await Promise.all(held)) expect(one.json.status).to.equal('decided');
  });

  it('refuses at its end a key that was revoked meanwhile, and what the key may not see at once', async () => {
    const id = await submit();
    const { key, keyId } = await service.addKey({ scopes: ['proofs:read'] });
    const answer = client.withKey(key).get(`/v1/intents/${id}`, WAIT);
    await untilWaiting(1);
    await service.admin.delete(`/v1/auth/keys/${keyId}`);
    await worker.evaluate(id);
    expect((await answer).json.code).to.equal('E1002');
    const stranger = await service.client({ environment: 'test', scopes: ['proofs:read'] });
    expect((await stranger.get(`/v1/intents/${id}`, WAIT)).json.code).to.equal('E4001');
  });

  it('forgets a client that has gone', async () => {
    const id = await submit();
    const { key } = await service.addKey({ scopes: ['proofs:read'] });
    const request = http.get(`${service.ingress.address}/v1/intents/${id}`, {
      headers: { 'x-api-key': key, prefer: 'wait=30' },
    });
    request.on('error', () => undefined);
    await untilWaiting(1);
    request.destroy();
    await untilWaiting(0);
  });

  it('ends when the service stops: the present state is answered, and the preference was not applied', async () => {
    const other = await startService({ databaseUrl: service.databaseUrl });
    const id = await submit();
    const there = other.admin.withKey((await service.addKey({ scopes: ['proofs:read'] })).key);
    const answer = there.get(`/v1/intents/${id}`, WAIT);
    await untilWaiting(1, other.admin);
    await other.ingress.close();
    const { json, headers } = await answer;
    expect([json.status, headers['preference-applied'], headers['connection']]).to.deep.equal([
      'queued',
      undefined,
      'close',
    ]);
    await other.db.close();
  });
});

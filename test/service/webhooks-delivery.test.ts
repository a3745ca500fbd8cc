// Delivery of webhooks: retries, order, receivers that fail, workers that die, addresses that are refused.
import type { ServerResponse } from 'node:http';
import net from 'node:net';
import { expect } from 'chai';
import { createAddressRule } from '../../shared/domain/webhooks/addresses.ts';
import { createSender } from '../../shared/domain/webhooks/send.ts';
import { waitFor } from '../support/wait.ts';
import { createTestDeliverer, startReceiver } from '../support/webhooks.ts';
import { ALLOWED, type MadeWebhook, webhookSuite } from '../support/webhook-suite.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

describe('the delivery of webhooks', () => {
  const suite = webhookSuite();
  /** Lets time pass in steps of five minutes, and runs the job after each, as the sweeper does. */
  const pass = async (made: MadeWebhook, ms: number) => {
    for (let left = ms; left > 0; left -= 5 * MINUTE_MS) {
      suite.service.advance(Math.min(left, 5 * MINUTE_MS));
      await suite.deliver(made);
    }
  };
  const states = async (made: MadeWebhook) => (await suite.deliveries(made)).map(({ state }) => state);
  const count = (agent: string): number => suite.agents().filter((seen) => seen === agent).length;

  it('of a message to a receiver that fails for an hour succeeds once afterwards, under the same id', async () => {
    const made = await suite.create();
    await suite.decide('patient');
    suite.receiver.otherwise = 503;
    await suite.deliver(made);
    await pass(made, HOUR_MS);
    const failed = suite.receiver.received.length;
    expect(failed).to.equal(4);
    const failing = await suite.read(made);
    expect(failing.failingSince).to.be.a('string');
    expect((await suite.deliveries(made))[0]).to.deep.include({ state: 'pending', attempts: 4, error: 'error_status' });
    suite.receiver.otherwise = 204;
    await pass(made, 3 * HOUR_MS);
    expect(await states(made)).to.deep.equal(['delivered']);
    expect(suite.receiver.received).to.have.length(failed + 1);
    expect(new Set(suite.receiver.received.map(({ id }) => id)).size).to.equal(1);
    const times = suite.receiver.received.map(({ timestampSeconds }) => timestampSeconds);
    expect(new Set(times).size).to.equal(times.length);
    expect((await suite.read(made)).failingSince).to.equal(null);
  });

  it('to receivers that answer goes on while those of six organisations hang', async () => {
    const { service, worker, deliverer } = suite;
    const quick = await suite.create();
    await suite.decide('before');
    await suite.deliver(quick);
    const hanging = await startReceiver();
    hanging.otherwise = 'never';
    const ids: string[] = [];
    for (const [i, count] of [16, 8, 4, 2, 1, 1].entries()) {
      const slow = await service.client({
        organisationId: await service.addOrganisation(`slow-${i}`),
        scopes: ['admin:*'],
      });
      for (let n = 0; n < count; n += 1)
        ids.push((await slow.post('/v1/webhooks', { url: hanging.url, events: ['decision.made'] })).json.webhookId);
      await slow.post('/v1/enforce', { agent_id: 'slow', intent: ALLOWED });
    }
    await worker.append();
    let refused = 0;
    const deliveries = ids.map((id) => deliverer.deliver(id).then(() => void (refused += 1)));
    try {
      await waitFor(() => hanging.received.length + refused === ids.length);
      await suite.decide('meanwhile');
      await suite.deliver(quick);
      expect(suite.agents()).to.deep.equal(['before', 'meanwhile']);
      expect(hanging.received).to.have.length(16);
    } finally {
      await hanging.close();
      await Promise.all(deliveries);
    }
  });

  it('ends after eight attempts, and the endpoint is disabled after three days without a success', async () => {
    const made = await suite.create();
    await suite.decide('lost');
    suite.receiver.otherwise = 500;
    await suite.deliver(made);
    for (let hour = 0; hour < 31; hour += 1) {
      suite.service.advance(HOUR_MS);
      await suite.deliver(made);
    }
    expect((await suite.deliveries(made))[0]).to.deep.include({ state: 'failed', attempts: 8, nextAttemptAt: null });
    suite.service.advance(42 * HOUR_MS);
    await suite.decide('late');
    await suite.deliver(made);
    expect(await suite.read(made)).to.deep.include({ enabled: false, disabledReason: 'failing' });
  });

  it('keeps the order of a subject while a message is tried again, and does not hold back other subjects', async () => {
    const made = await suite.create();
    for (const path of ['1', '2', '3']) await suite.decide('ordered', `delete:db/open/${path}`);
    await suite.decide('other');
    const order = (await suite.service.admin.get('/v1/decisions?agentId=ordered')).json.items.toReversed();
    suite.receiver.answers.push(500, 204);
    await suite.deliver(made);
    expect([count('ordered'), count('other')]).to.deep.equal([1, 1]);
    await suite.decide('ordered', 'delete:db/open/4');
    suite.service.advance(6 * SECOND_MS);
    await suite.deliver(made);
    const seen = suite.receiver.received.filter(({ json }) => json.data.agentId === 'ordered');
    const expected = order.map((decision: { decision_id: string }) => decision.decision_id);
    expect(seen.slice(1, 4).map(({ json }) => json.data.decisionId)).to.deep.equal(expected);
    expect(seen).to.have.length(5);
  });

  it('of later messages goes on when one has failed for more than half an hour', async () => {
    const made = await suite.create();
    const poison = await suite.decide('stuck');
    await suite.decide('stuck', 'delete:db/open/fine');
    suite.receiver.answers.push(500, 500, 500, 500);
    await suite.deliver(made);
    await pass(made, 50 * MINUTE_MS);
    const byId = new Map((await suite.deliveries(made)).map((one) => [one.payload.data.decisionId, one.state]));
    expect(byId.get(poison.decision_id)).to.equal('pending');
    expect([...byId.values()].sort()).to.deep.equal(['delivered', 'pending']);
  });

  it('stops when the receiver answers 410, and the endpoint is disabled', async () => {
    const made = await suite.create();
    suite.receiver.answers.push(410);
    await suite.decide('a');
    await suite.deliver(made);
    await suite.decide('a');
    await suite.deliver(made);
    expect(suite.receiver.received).to.have.length(1);
    expect(await suite.read(made)).to.deep.include({ enabled: false, disabledReason: 'gone' });
    expect((await suite.deliveries(made))[0]).to.deep.include({ state: 'failed', error: 'gone', responseStatus: 410 });
  });

  it('goes on at a new address when the old one answers only now, however it answers', async () => {
    for (const status of [410, 500, 204]) {
      const made = await suite.create({ url: `${suite.receiver.url}/${status}/old` });
      const patch = (change: object) => suite.service.admin.patch(`/v1/webhooks/${made.webhookId}`, change);
      await suite.decide(`moved ${status}`);
      // Long enough for another failure to disable the endpoint.
      await suite.service.rows(
        `UPDATE webhook_endpoint SET failing_since = now() - interval '4 days' WHERE endpoint_id = '${made.webhookId}'`,
      );
      suite.receiver.answers.push((response) => {
        void patch({ url: `${suite.receiver.url}/${status}/new` }).then(() => response.writeHead(status).end());
      });
      await suite.deliver(made);
      expect(await states(made)).to.deep.equal(['delivered']);
      expect(await suite.read(made)).to.deep.include({ enabled: true, disabledReason: null, failingSince: null });
      expect(count(`moved ${status}`)).to.equal(status === 204 ? 1 : 2);
      await suite.service.rows(`DELETE FROM webhook_endpoint WHERE endpoint_id = '${made.webhookId}'`);
    }
  });

  it('is paused while the endpoint is disabled, and the events of that time are sent after it is enabled', async () => {
    const made = await suite.create();
    const path = `/v1/webhooks/${made.webhookId}`;
    await suite.service.admin.patch(path, { enabled: false });
    await suite.decide('meanwhile');
    await suite.deliver(made);
    const [delivery] = await suite.deliveries(made);
    expect([delivery, suite.agents()]).to.deep.equal([undefined, []]);
    expect((await suite.service.admin.patch(path, { enabled: true })).json.disabledReason).to.equal(null);
    await suite.deliver(made);
    expect(suite.agents()).to.deep.equal(['meanwhile']);
    await suite.service.admin.delete(path);
    await suite.decide('deleted');
    await suite.deliver(made);
    expect(suite.agents()).to.deep.equal(['meanwhile']);
  });

  it('is repeated under the same id by a replay, and not for a disabled endpoint', async () => {
    const made = await suite.create();
    await suite.decide('again');
    await suite.deliver(made);
    const [{ deliveryId }] = await suite.deliveries(made);
    const path = `/v1/webhooks/${made.webhookId}`;
    const replay = () => suite.service.admin.post(`${path}/deliveries/${deliveryId}/replay`, {});
    expect((await replay()).json).to.deep.include({ deliveryId, state: 'pending' });
    await suite.deliver(made);
    expect(suite.receiver.received.map(({ id }) => id)).to.deep.equal([deliveryId, deliveryId]);
    await suite.service.admin.patch(path, { enabled: false });
    expect((await replay()).json.code).to.equal('E5002');
  });

  it('is made once by several workers, and again by another one when a worker died before it recorded the result', async () => {
    const made = await suite.create();
    await suite.decide('shared');
    await suite.worker.append();
    const { webhookId } = made;
    await Promise.all([1, 2, 3].map(() => createTestDeliverer(suite.service).deliver(webhookId)));
    expect(suite.agents()).to.deep.equal(['shared']);
    await suite.decide('orphan');
    await suite.worker.append();
    // The request arrives, and nothing is recorded any more.
    const dead = createTestDeliverer({
      nowMs: suite.service.nowMs,
      db: {
        ...suite.service.db,
        transaction: (work) =>
          suite.service.db.transaction(async (sql) => {
            const done = await work(sql);
            if (count('orphan') > 0) throw new Error('killed');
            return done;
          }),
        query: async (statement, values) => {
          if (count('orphan') > 0) throw new Error('killed');
          return suite.service.db.query(statement, values);
        },
      },
    });
    await dead.deliver(webhookId).then(
      () => expect.fail('it was not killed'),
      () => undefined,
    );
    await suite.deliverer.deliver(webhookId);
    expect(count('orphan'), 'while the lease lasts').to.equal(1);
    suite.service.advance(31 * SECOND_MS);
    await suite.deliverer.deliver(webhookId);
    expect(count('orphan')).to.equal(2);
    expect(new Set(suite.receiver.received.map(({ id }) => id)).size).to.equal(2);
    expect(await states(made)).to.deep.equal(['delivered', 'delivered']);
  });

  const sent = (options: Partial<Parameters<typeof createSender>[0]>, url = suite.receiver.url) =>
    createSender({ rule: createAddressRule([]), ...options })({ url, environment: 'test', headers: {}, payload: '{}' });
  const failed = (failure: string) => ({ kind: 'failed', failure });

  it('to a name is refused when any of its addresses is private, and connects to the address that was checked', async () => {
    const { port } = new URL(suite.receiver.url);
    const url = `http://receiver.example.com:${port}/`;
    const asked: string[] = [];
    const rebinding = async (name: string) => {
      asked.push(name);
      return [{ address: asked.length === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }];
    };
    const both = async () => [
      { address: '8.8.8.8', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ];
    expect(await sent({ resolve: both }, url)).to.deep.equal(failed('address_refused'));
    expect(await sent({ resolve: async () => [] }, url)).to.deep.equal(failed('name_not_resolved'));
    const rule = createAddressRule([{ address: '127.0.0.1', prefix: 32, family: 'ipv4' }]);
    expect(await sent({ rule, resolve: rebinding }, url)).to.deep.equal({ kind: 'answered', status: 204 });
    expect(asked).to.deep.equal(['receiver.example.com']);
    expect(suite.receiver.received[0]?.headers.host).to.equal(`receiver.example.com:${port}`);
    expect(await sent({ rule, resolve: rebinding }, url)).to.deep.equal(failed('address_refused'));
  });

  it('does not follow redirects, wait for ever, or read answers without end', async () => {
    const rule = createAddressRule([{ address: '127.0.0.1', prefix: 32, family: 'ipv4' }]);
    const redirect = (response: ServerResponse) => void response.writeHead(302, { location: suite.receiver.url }).end();
    const pour = (response: ServerResponse) => {
      const write = (): void => {
        while (response.write('x'.repeat(10_000)));
      };
      response.writeHead(200).on('drain', write);
      write();
    };
    const stall = (response: ServerResponse) => void response.writeHead(201).write('x');
    suite.receiver.answers.push(redirect, 'never', pour, stall);
    expect(await sent({ rule })).to.deep.equal({ kind: 'answered', status: 302 });
    expect(await sent({ rule, timeoutMs: 100 })).to.deep.equal(failed('timeout'));
    expect(await sent({ rule })).to.deep.equal({ kind: 'answered', status: 200 });
    // The head must arrive before the time is over, also on a busy machine.
    expect(await sent({ rule, timeoutMs: 2_000 })).to.deep.equal({ kind: 'answered', status: 201 });
    expect(suite.receiver.received).to.have.length(4);
    await suite.receiver.close();
    expect(await sent({ rule })).to.deep.equal(failed('connection_failed'));
  });

  /** What a receiver sends once it has got a request. */
  const strange: Readonly<Record<string, string>> = {
    'another protocol': 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n',
    'the status of another protocol': 'HTTP/1.1 101 Switching Protocols\r\n\r\n',
    'a status that is none': 'HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n',
    'no HTTP': 'hello\r\n\r\n',
  };
  for (const [what, bytes] of Object.entries(strange))
    it(`ends when the receiver answers with ${what}`, async () => {
      const server = net.createServer((socket) => {
        socket.on('error', () => undefined).once('data', () => socket.write(bytes));
      });
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as net.AddressInfo;
      const made = await suite.create({ url: `http://127.0.0.1:${port}/` });
      await suite.decide('strange');
      await suite.deliver(made);
      expect((await suite.deliveries(made))[0]).to.deep.include({
        state: 'pending',
        attempts: 1,
        error: 'no_http_answer',
      });
      server.close();
    });
});

// For tests of webhooks: a service, a worker and a receiver, with what most tests do with them.
import { expect } from 'chai';
import { ESCALATING } from './escalations.ts';
import { createTestDeliverer, type Receiver, startReceiver, type TestDeliverer } from './webhooks.ts';
import { type ServiceAndWorker, startServiceAndWorker } from './worker.ts';

export interface MadeWebhook {
  readonly webhookId: string;
  readonly secret: string;
  readonly publicKey: string | null;
}

/** Decided by ESCALATING. */
export const ALLOWED = 'delete:db/open/x';
export const DENIED = 'read:db/x';

export interface WebhookSuite extends ServiceAndWorker {
  receiver: Receiver;
  deliverer: TestDeliverer;
  /** By which an endpoint may have failed for long; undefined: the service's clock. */
  deletionMs: number | undefined;
  /** A webhook of the operator for every decision, changed by `more`. */
  create(more?: object): Promise<MadeWebhook>;
  decide(agentId: string, intent?: string): ReturnType<typeof JSON.parse>;
  /** Appends what was recorded and delivers what is due, as the jobs do. */
  deliver(webhook: MadeWebhook): Promise<void>;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers whose schema was checked
  deliveries(webhook: MadeWebhook): Promise<any[]>;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers whose schema was checked
  read(webhook: MadeWebhook): Promise<any>;
  /** The agents of the messages that were received, in order. */
  agents(): string[];
}

/** Hooks of a suite: one service for all tests, and a receiver for each. The webhooks of a test are deleted after it. */
export function webhookSuite(): WebhookSuite {
  // Assigned before the first test runs.
  const suite = {} as WebhookSuite;
  before(async () => {
    const both = await startServiceAndWorker({
      policies: ESCALATING,
      words: 'few',
      env: { CUSTOS_WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8' },
    });
    Object.assign(suite, both);
    const { admin } = both.service;
    suite.create = async (more = {}) => {
      const { status, json } = await admin.post('/v1/webhooks', {
        url: suite.receiver.url,
        events: ['decision.made'],
        ...more,
      });
      expect(status, JSON.stringify(json)).to.equal(201);
      return json;
    };
    suite.decide = async (agent_id: string, intent = ALLOWED) =>
      (await admin.post('/v1/enforce', { agent_id, intent })).json;
    suite.deliver = async ({ webhookId }) => {
      await both.worker.append();
      await suite.deliverer.deliver(webhookId);
    };
    suite.deliveries = async ({ webhookId }) => (await admin.get(`/v1/webhooks/${webhookId}/deliveries`)).json.items;
    suite.read = async ({ webhookId }) => {
      const { json } = await admin.get('/v1/webhooks');
      return json.items.find((item: MadeWebhook) => item.webhookId === webhookId);
    };
    suite.agents = () => suite.receiver.received.map(({ json }) => json.data.agentId);
  });
  beforeEach(async () => {
    suite.receiver = await startReceiver();
    suite.deletionMs = undefined;
    const deletionMs = () => suite.deletionMs ?? suite.service.nowMs();
    suite.deliverer = createTestDeliverer({ ...suite.service, deletionMs });
  });
  afterEach(async () => {
    await suite.service.rows('DELETE FROM webhook_endpoint');
    await suite.receiver.close();
  });
  after(() => suite.close());
  return suite;
}

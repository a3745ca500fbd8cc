// Tests with a slow, silent or cut network between the processes and PostgreSQL: refusals come in time, and accepted work
// waits, is carried out when the fault is over, and is never abandoned.
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Client, ClientResponse } from '../support/client.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { type NetworkTrouble, startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { leastMs } from '../support/undisturbed.ts';
import { waitFor } from '../support/wait.ts';
import { untilCarriedOut } from '../fault/truth.ts';

/** A request that cannot be carried out is refused within two seconds, whatever the network does. */
const DEADLINE_MS = 2_000;
/** A request that succeeds may take longer, because it has many statements with slow answers, four of them as its answer is late; it must not hang. */
const DONE_WITHIN_MS = 8_000;
/** Duration of the fault for the worker alone, and then for both. The latter exceeds the statement timeout of ingress. */
const WORKER_MS = 1_000;
const BOTH_MS = 1_800;
/** Duration of the alternating phases in which connections can and cannot be opened. */
const BROKEN_EVERY_MS = 200;
/** Number of intents submitted at once, so that many are being evaluated when the fault starts. */
const BURST = 30;
/** Concurrent requests of each kind. */
const LANES = 3;
/** Pause after each answer: without it the tests would measure how busy they make the machine. */
const ASK_EVERY_MS = 20;
const CARRIED_OUT_WITHIN_MS = 30_000;

interface Scene {
  readonly name: string;
  readonly trouble: NetworkTrouble;
  /** Whether the fault starts and stops repeatedly. */
  readonly isInBursts?: true;
}

const SCENES: readonly Scene[] = [
  { name: 'answers come 300 ms later', trouble: { kind: 'latency', latencyMs: 300 } },
  { name: 'answers come too late', trouble: { kind: 'latency', latencyMs: 1_500 } },
  { name: 'no connection can be opened, while those that are open answer', trouble: { kind: 'stall-new' } },
  { name: 'no data passes in either direction', trouble: { kind: 'stall' } },
  { name: 'connections are cut and refused, repeatedly', trouble: { kind: 'refuse' }, isInBursts: true },
];

describe('the network to PostgreSQL', () => {
  let pair: Pair;
  let client: Client;
  const proxies = new Map<'worker' | 'ingress', TcpProxy>();

  before(async () => {
    pair = await startPair({
      async route(url, process) {
        const proxy = await startTcpProxy(url);
        proxies.set(process, proxy);
        return proxy.through(url);
      },
    });
    ({ client } = pair);
  });
  after(async () => {
    await pair?.close();
    for (const proxy of proxies.values()) await proxy.close();
  });

  let next = 0;
  const identity = () => ({ headers: { 'idempotency-key': `key-${(next += 1)}` } });
  const submission = () => ({ agentId: 'submitted', action: 'read', resource: `db/open/${(next += 1)}` });
  const REQUESTS: readonly (readonly [string, () => Promise<ClientResponse>])[] = [
    ['intent', () => client.post('/v1/intents', submission())],
    ['intent, idempotent', () => client.post('/v1/intents', submission(), identity())],
    ['enforce', () => client.post('/v1/enforce', { agent_id: 'agent', intent: 'read:db/open/a' })],
    [
      'enforce, idempotent',
      () => client.post('/v1/enforce', { agent_id: `new-${(next += 1)}`, intent: 'read:db/open/a' }, identity()),
    ],
    ['proof', () => client.post('/v1/proofs', { event: 'test.made', entityId: `thing-${(next += 1)}`, payload: {} })],
    ['signals', () => client.post('/v1/trust/signals', { signals: [{ agentId: 'agent', type: 'success' }] })],
    ['list', () => client.get('/v1/decisions?limit=1')],
  ];

  /** Sends every kind of request during the fault. @returns the slowest refusal, in milliseconds */
  const observe = async (accepted: Set<string>): Promise<number> => {
    let slowestMs = 0;
    const begunMs = performance.now();
    const ask = async ([name, send]: (typeof REQUESTS)[number]): Promise<void> => {
      while (performance.now() - begunMs < BOTH_MS) {
        const sentMs = performance.now();
        const answer = await send();
        const tookMs = performance.now() - sentMs;
        if (answer.status === 503) {
          slowestMs = Math.max(slowestMs, tookMs);
          expect(answer.json.code, name).to.equal('E6002');
          expect(Number(answer.headers['retry-after']), name).to.be.at.least(1);
        } else {
          expect([200, 202], `${name}: ${answer.text}`).to.include(answer.status);
          expect(tookMs, name).to.be.below(DONE_WITHIN_MS);
        }
        if (answer.status === 202 && answer.json.intentId !== undefined) accepted.add(answer.json.intentId);
        await delay(ASK_EVERY_MS);
      }
    };
    await Promise.all(REQUESTS.flatMap((request) => Array.from({ length: LANES }, () => ask(request))));
    return slowestMs;
  };

  const submit = async (accepted: Set<string>): Promise<void> => {
    const answers = await Promise.all(Array.from({ length: BURST }, () => client.post('/v1/intents', submission())));
    for (const answer of answers) {
      expect(answer.status, answer.text).to.equal(202);
      accepted.add(answer.json.intentId);
    }
  };

  /** Starts a fault between one process and PostgreSQL. @returns the function that ends it */
  const begin = async (process: 'worker' | 'ingress', { trouble, isInBursts }: Scene): Promise<() => Promise<void>> => {
    const proxy = proxies.get(process);
    if (proxy === undefined) throw new Error(`no proxy for the ${process}`);
    await proxy.set(trouble);
    let last = Promise.resolve();
    let isOn = true;
    const toggle = (): void => {
      isOn = !isOn;
      const next: NetworkTrouble = isOn ? trouble : { kind: 'none' };
      last = last.then(() => proxy.set(next));
    };
    const timer = isInBursts === true ? setInterval(toggle, BROKEN_EVERY_MS) : undefined;
    return async () => {
      clearInterval(timer);
      await last;
      await proxy.set({ kind: 'none' });
    };
  };
  const expectCarriedOut = async (accepted: Set<string>): Promise<void> => {
    await untilCarriedOut(pair.db, CARRIED_OUT_WITHIN_MS);
    const intents = await pair.rows<{ intent_id: string; status: string; decision_id: string }>(
      'SELECT intent_id, status, decision_id FROM intent',
    );
    expect(intents.filter(({ status }) => status !== 'decided')).to.deep.equal([]);
    expect(intents.map((row) => row.intent_id)).to.include.members([...accepted]);
    expect(await pair.rows('SELECT queue, name, error FROM dead_job')).to.deep.equal([]);
    const decisions = await pair.rows<{ decision_id: string }>(
      "SELECT decision_id FROM decision WHERE agent_id = 'submitted'",
    );
    expect(decisions.map((row) => row.decision_id)).to.have.members(intents.map((row) => row.decision_id));
  };

  for (const scene of SCENES)
    it(`when ${scene.name}: refusals come within two seconds, and accepted work is carried out`, async () => {
      const outage = async (): Promise<number> => {
        const accepted = new Set<string>();
        const ends: (() => Promise<void>)[] = [];
        let slowestMs: number;
        try {
          await submit(accepted);
          ends.push(await begin('worker', scene));
          const begunMs = performance.now();
          await submit(accepted);
          await waitFor(() => performance.now() - begunMs > WORKER_MS);
          ends.push(await begin('ingress', scene));
          slowestMs = await observe(accepted);
        } finally {
          for (const end of ends) await end();
        }
        await waitFor(async () => (await client.get('/ready')).status === 200, { what: 'ingress to be ready' });
        await expectCarriedOut(accepted);
        return slowestMs;
      };
      expect(await leastMs(DEADLINE_MS, outage)).to.be.below(DEADLINE_MS);
    });
});

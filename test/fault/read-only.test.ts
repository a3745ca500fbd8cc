// Tests with a PostgreSQL server that becomes read-only: requests are refused with E6002, accepted work waits and resumes afterwards.
import { expect } from 'chai';
import type { Client, ClientResponse } from '../support/client.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { waitFor } from '../support/wait.ts';
import { untilCarriedOut } from './truth.ts';

const BURST = 40;
/** Longer than the lifetime of every cache. */
const READ_ONLY_MS = 2_500;
const CARRIED_OUT_WITHIN_MS = 90_000;
/** A worker polls each of its queues every half second, and its own tables a few times a second. */
const MOST_FAILURES_A_SECOND = 200;

describe('a PostgreSQL server that turns read-only', () => {
  let pair: Pair;
  let client: Client;
  before(async () => {
    pair = await startPair();
    ({ client } = pair);
  });
  after(() => pair?.close());

  const setReadOnly = (value: 'on' | 'off'): Promise<void> => pair.configure('default_transaction_read_only', value);
  let next = 0;
  const submit = (): Promise<ClientResponse> =>
    client.post('/v1/intents', { agentId: 'submitted', action: 'read', resource: `db/open/${(next += 1)}` });
  const REQUESTS: readonly (readonly [string, () => Promise<ClientResponse>])[] = [
    ['intent', submit],
    ['enforce', () => client.post('/v1/enforce', { agent_id: 'a', intent: 'read:db/open/a' })],
    [
      'enforce, idempotent',
      () =>
        client.post(
          '/v1/enforce',
          { agent_id: 'a', intent: 'read:db/open/a' },
          { headers: { 'idempotency-key': `key-${(next += 1)}` } },
        ),
    ],
    ['proof', () => client.post('/v1/proofs', { event: 'test.made', entityId: 'thing', payload: {} })],
    ['signals', () => client.post('/v1/trust/signals', { signals: [{ agentId: 'a', type: 'success' }] })],
    ['agent', () => client.post('/v1/agents', { name: 'an agent' })],
    ['halt', () => client.post('/v1/halt', { reason: 'test' })],
  ];
  const rolledBack = async (): Promise<number> => {
    const [row] = await pair.rows<{ n: number }>(
      'SELECT xact_rollback::float8 AS n FROM pg_stat_database WHERE datname = current_database()',
    );
    return row?.n ?? 0;
  };

  it('causes E6002, is named to operators, loses no accepted work, and all of it is decided once writes work again', async () => {
    const accepted = await Promise.all(Array.from({ length: BURST }, submit));
    await setReadOnly('on');
    const begunMs = performance.now();
    const readOnly = async (): Promise<boolean> => (await submit()).status === 503;
    await waitFor(readOnly, { what: 'the server to be read-only' });
    const failedBefore = await rolledBack();
    const countedMs = performance.now();
    while (performance.now() - begunMs < READ_ONLY_MS) {
      for (const [name, send] of REQUESTS) {
        const answer = await send();
        expect([answer.status, answer.json.code], `${name}: ${answer.text}`).to.deep.equal([503, 'E6002']);
        expect(Number(answer.headers['retry-after']), name).to.be.at.least(1);
        expect(answer.json.retryable, name).to.equal(true);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    for (const { address } of [pair.worker, pair.ingress])
      expect((await fetch(`${address}/ready`)).status).to.equal(503);
    const toOperator = await client.get('/ready');
    expect(toOperator.json.status).to.equal('not_ready');
    expect(toOperator.json.checks.find(({ name }: { name: string }) => name === 'database')).to.deep.equal({
      name: 'database',
      ok: false,
      detail: 'PostgreSQL is read-only',
    });
    const failures = (await rolledBack()) - failedBefore;
    expect(failures / ((performance.now() - countedMs) / 1_000)).to.be.below(MOST_FAILURES_A_SECOND);
    expect(await pair.rows('SELECT FROM dead_job')).to.deep.equal([]);
    await setReadOnly('off');
    await waitFor(async () => (await client.get('/ready')).status === 200, { what: 'ingress to be ready' });
    await waitFor(async () => (await fetch(`${pair.worker.address}/ready`)).status === 200, {
      what: 'the worker to be ready',
    });
    await untilCarriedOut(pair.db, CARRIED_OUT_WITHIN_MS);
    const intents = await pair.rows<{ intent_id: string; status: string }>('SELECT intent_id, status FROM intent');
    expect(new Set(intents.map(({ status }) => status))).to.deep.equal(new Set(['decided']));
    const taken = accepted.filter(({ status }) => status === 202).map(({ json }) => json.intentId as string);
    expect(intents.map((row) => row.intent_id)).to.include.members(taken);
    expect(await pair.rows('SELECT FROM dead_job')).to.deep.equal([]);
  });
});

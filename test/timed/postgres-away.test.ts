// Tests with Postgres stopped or frozen under running processes: refusals within two seconds, never ALLOW, automatic recovery.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { asAnswered, type Client, type ClientResponse, unpromised } from '../support/client.ts';
import { temporaryFolder } from '../support/folders.ts';
import { descendants } from '../support/process-tree.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { SHIPPED_POLICIES } from '../support/service.ts';
import { leastMs } from '../support/undisturbed.ts';
import { waitFor } from '../support/wait.ts';

/** E6002 with Retry-After must come within 2 s; a request never hangs. */
const DEADLINE_MS = 2_000;
/** Duration of each outage: longer than the lifetime of every cache. */
const OUTAGE_MS = 3_000;
/** Pause after each answer: without it the tests would measure how busy they make the machine. */
const ASK_EVERY_MS = 20;

const REQUESTS: readonly (readonly [string, (client: Client, i: number) => Promise<ClientResponse>])[] = [
  ['enforce', (c, i) => c.post('/v1/enforce', { intent: 'data.read.x', agent_id: `agent-${i % 3}` })],
  [
    'enforce, never seen',
    (c, i) => c.post('/v1/enforce', { intent: 'data.read.x', agent_id: `new-${i}-${performance.now()}` }),
  ],
  [
    'enforce, idempotent',
    (c, i) =>
      c.post(
        '/v1/enforce',
        { intent: 'data.read.x', agent_id: 'a' },
        { headers: { 'idempotency-key': `${i}-${performance.now()}` } },
      ),
  ],
  ['dry run', (c) => c.post('/v1/enforce', { intent: 'data.read.x', agent_id: 'a', dry_run: true })],
  ['intent', (c) => c.post('/v1/intent', { raw_intent: 'Read user profile data', agent_id: 'a' })],
  ['agent', (c, i) => c.post('/v1/agents', { name: `${i}` })],
  ['list', (c) => c.get('/v1/decisions?limit=1')],
  ['halt', (c) => c.get('/v1/halt')],
];

describe('Postgres away', () => {
  let pair: Pair;
  let client: Client;
  const folder = temporaryFolder('policies');
  const reads = path.join(folder, 'reads.json');
  before(async () => {
    cpSync(SHIPPED_POLICIES, folder, { recursive: true });
    pair = await startPair({ env: { CUSTOS_POLICY_DIR: folder } });
    ({ client } = pair);
  });
  after(() => pair?.close());

  const ask = () => client.post('/v1/enforce', { intent: 'data.read.user_profile', agent_id: 'a' });

  /** Sends every kind of request repeatedly while `isAway`. @returns the slowest response of each kind, in milliseconds */
  const observe = async (): Promise<Record<string, number>> => {
    const slowest: Record<string, number> = {};
    const goneMs = performance.now();
    await Promise.all(
      REQUESTS.flatMap(([name, send]) =>
        [0, 1, 2].map(async (lane) => {
          for (let i = lane; performance.now() - goneMs < OUTAGE_MS; i += 3) {
            const sentMs = performance.now();
            const answer = await send(client, i);
            slowest[name] = Math.max(slowest[name] ?? 0, Math.round(performance.now() - sentMs));
            // Requests that store nothing may briefly use cache entries that were fresh when the outage began.
            if (name === 'dry run' && sentMs - goneMs < 1_000 && answer.status === 200) continue;
            expect([answer.status, answer.json.code], `${name}: ${answer.text}`).to.deep.equal([503, 'E6002']);
            expect(Number(answer.headers['retry-after'])).to.be.at.least(1);
            expect(answer.json.retryable).to.equal(true);
            await delay(ASK_EVERY_MS);
          }
        }),
      ),
    );
    return slowest;
  };
  /** A scrape ends soon, because its time-out may be as short as a second. */
  const exposed = async (address: string): Promise<string> => {
    const answer = await fetch(`${address}/metrics`, { signal: AbortSignal.timeout(DEADLINE_MS) });
    expect(answer.status).to.equal(200);
    return answer.text();
  };
  /** @returns the slowest response of all, in milliseconds */
  const away = async (): Promise<number> => {
    const slowest = await observe();
    const ready = await client.get('/ready');
    expect([ready.status, ready.json.status, ready.json.degraded]).to.deep.equal([503, 'not_ready', []]);
    expect(ready.json.unknown).to.include.members(['workers', 'audit']);
    expect((await client.get('/health')).status).to.equal(200);
    for (const { address } of [pair.ingress, pair.worker])
      await waitFor(async () => !(await exposed(address)).includes('\ncustos_workers_alive '), {
        what: 'metrics without what is unknown',
      });
    const slowestMs = Math.max(...Object.values(slowest));
    console.log(`      slowest refusal: ${slowestMs} ms (${JSON.stringify(slowest)})`);
    return slowestMs;
  };
  const resumes = async (): Promise<void> => {
    const answer = await waitFor(
      async () => {
        const one = await ask();
        return one.status === 200 ? one : undefined;
      },
      { what: 'decisions to be made again' },
    );
    expect(answer.json.verdict).to.equal('ALLOW');
    expect(asAnswered((await client.get(`/v1/decisions/${answer.json.decision_id}`)).text)).to.equal(answer.text);
    // Each of the other connections finds out for itself that the database is back.
    await waitFor(async () => (await client.get('/ready')).status === 200, { what: 'ingress to be ready' });
    // The worker also reads the folder again.
    const original = readFileSync(reads, 'utf8');
    writeFileSync(reads, original.replaceAll('"ALLOW"', '"DENY"'));
    await waitFor(async () => (await ask()).json.verdict === 'DENY', { what: 'an edit to be read' });
    writeFileSync(reads, original);
    await waitFor(async () => (await ask()).json.verdict === 'ALLOW', {
      what: 'an edit to be read',
    });
    for (const one of [pair.worker, pair.ingress])
      await waitFor(async () => (await fetch(`${one.address}/ready`)).status === 200, {
        what: `${one.address} to be ready`,
      });
    await waitFor(async () => (await exposed(pair.ingress.address)).includes('\ncustos_workers_alive 1\n'), {
      what: 'the metric of the workers',
    });
  };

  /** Repeats outages until one has all refusals within the deadline. After each one everything must resume. */
  const expectSoonRefused = async (goAway: () => Promise<() => Promise<void>>): Promise<void> => {
    const outage = async (): Promise<number> => {
      expect((await ask()).json.verdict).to.equal('ALLOW');
      const comeBack = await goAway();
      let slowestMs: number;
      try {
        slowestMs = await away();
      } finally {
        await comeBack();
      }
      await resumes();
      return slowestMs;
    };
    expect(await leastMs(DEADLINE_MS, outage)).to.be.below(DEADLINE_MS);
  };

  it('because it was stopped: every request gets E6002 with Retry-After within two seconds, and all work resumes afterwards', () =>
    expectSoonRefused(async () => {
      await pair.server.server().stop('immediate');
      return () => pair.server.restart();
    }));

  it('because it does not answer: every request gets E6002 with Retry-After within two seconds, and all work resumes afterwards', () =>
    expectSoonRefused(async () => {
      const frozen = descendants(pair.server.server().pid);
      for (const pid of frozen) process.kill(pid, 'SIGSTOP');
      return async () => {
        for (const pid of frozen.reverse()) process.kill(pid, 'SIGCONT');
      };
    }));

  it('only briefly: a restart under load loses no decision that was answered', async () => {
    const answered: ClientResponse[] = [];
    let stop = false;
    const asking = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (!stop) {
          const answer = await ask();
          if (answer.status === 200) answered.push(answer);
          else expect(answer.json.code).to.equal('E6002');
        }
      }),
    );
    await waitFor(() => answered.length > 50);
    await pair.server.server().stop('immediate');
    await pair.server.restart();
    const before = answered.length;
    await waitFor(() => answered.length > before + 50, { what: 'decisions to be made again' });
    stop = true;
    await asking;
    for (const answer of answered.slice(Math.max(0, before - 30), before + 30))
      expect(unpromised(asAnswered((await client.get(`/v1/decisions/${answer.json.decision_id}`)).text))).to.equal(
        unpromised(answer.text),
      );
  });

  it('does not prevent a graceful shutdown of the processes', async () => {
    await pair.server.server().stop('immediate');
    const startedMs = performance.now();
    const ended = await Promise.all([pair.worker.stop(), pair.ingress.stop()]);
    expect(ended.map(({ code }) => code)).to.deep.equal([0, 0]);
    expect(performance.now() - startedMs).to.be.below(10_000);
  });
});

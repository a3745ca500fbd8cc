// Tests of rate limits by tier: two windows, costs and headers, over HTTP, and across processes with Redis.
import { expect } from 'chai';
import type { LimitAnswer } from '../../ingress/request/limit.ts';
import { createLimiter, type LimitRow, type RateLimiter } from '../../ingress/request/key-limit.ts';
import { connectLimits } from '../../ingress/request/redis-client.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { RATE_LIMIT_TABLE } from '../../shared/kernel/vocabulary.ts';
import { sampleKey } from '../support/sample-app.ts';
import { describeUnless } from '../support/skip.ts';
import { leastMs, undisturbed } from '../support/undisturbed.ts';
import { waitFor } from '../support/wait.ts';
import { type KeyService, startKeyService } from '../service/keys-setup.ts';
import { startFakeRedis, startRealRedis, type TestRedis, whyNoRedis } from './rate-limit-redis.ts';

const monotonicMs = (): number => performance.now();
const SECOND_MS = 1_000;
/** The limiter's timeout for Redis. A slower scenario is counted in the process and does not test counting in Redis. */
const REDIS_ANSWERS_WITHIN_MS = 250;

const onError = (): void => undefined;

function limiterOf(limits: readonly LimitRow[] = RATE_LIMIT_TABLE): RateLimiter {
  return createLimiter({ enabled: true, limits, monotonicMs, onError });
}

function limiterAcross(limits: readonly LimitRow[], { url }: TestRedis): RateLimiter {
  const redis = connectLimits({ url, prefix: 'custos-test' }, onError);
  return createLimiter({ enabled: true, limits, redis, monotonicMs, onError });
}

function rows(perSecond: number, perMinute: number): LimitRow[] {
  return RATE_LIMIT_TABLE.map(({ tier }) => ({ tier, perSecond, perMinute }));
}

function keyOf(change: Partial<AuthenticatedKey> = {}): AuthenticatedKey {
  return sampleKey(['intents:write'], change);
}

/** Units left in the window of a second and in the window of a minute. */
function left(answer: LimitAnswer): [number, number] {
  const match = /^"second";r=(\d+);t=([01]), "minute";r=(\d+);t=(\d+)$/.exec(answer.headers['RateLimit'] ?? '');
  expect(match, `RateLimit: ${answer.headers['RateLimit']}`).to.not.equal(null);
  expect(Number(match?.[4])).to.be.within(0, 60);
  return [Number(match?.[1]), Number(match?.[3])];
}

describe('rate limits', () => {
  for (const { tier, perSecond, perMinute } of RATE_LIMIT_TABLE)
    it(`of tier ${tier} are ${perSecond} a second and ${perMinute} a minute`, () =>
      undisturbed(SECOND_MS, async () => {
        const limiter = limiterOf();
        const key = keyOf({ tier });
        const first = await limiter.consume(key, 1);
        expect(first.headers['RateLimit-Policy']).to.equal(`"second";q=${perSecond};w=1, "minute";q=${perMinute};w=60`);
        expect(left(first)).to.deep.equal([perSecond - 1, perMinute - 1]);
        const answers = await Promise.all(Array.from({ length: perSecond }, () => limiter.consume(key, 1)));
        expect(answers.filter((answer) => answer.allowed)).to.have.lengthOf(perSecond - 1);
        expect(answers.at(-1)).to.deep.include({ allowed: false, retryAfterSeconds: 1 });
        expect((await limiter.consume(keyOf({ tier, keyId: 'other' }), 1)).allowed, 'another key has its own').to.equal(
          true,
        );
        await limiter.close();
      }));

  it("of a dev key are ten times those of the highest tier; a test key has its tier's limits", async () => {
    const limiter = limiterOf();
    const dev = await limiter.consume(keyOf({ environment: 'dev', tier: 0 }), 1);
    expect(left(dev)).to.deep.equal([4_999, 99_999]);
    expect(left(await limiter.consume(keyOf({ environment: 'test', tier: 1 }), 1))).to.deep.equal([4, 29]);
    await limiter.close();
  });

  it('open a new window after a second, and return the time until then', async () => {
    const limiter = limiterOf(rows(2, 1_000));
    let keys = 0;
    const untilRoom = async (): Promise<number> => {
      const startedMs = performance.now();
      await undisturbed(SECOND_MS, async () => {
        keys += 1;
        expect((await limiter.consume(keyOf({ keyId: `window${keys}` }), 2)).allowed).to.equal(true);
        const refused = await limiter.consume(keyOf({ keyId: `window${keys}` }), 1);
        expect(refused).to.deep.include({ allowed: false, retryAfterSeconds: 1 });
      });
      const key = keyOf({ keyId: `window${keys}` });
      await waitFor(async () => (await limiter.consume(key, 1)).allowed, { what: 'a new window' });
      return performance.now() - startedMs;
    };
    expect(await leastMs(1_500, untilRoom)).to.be.below(1_500);
    await limiter.close();
  });

  it('also apply per minute', () =>
    undisturbed(SECOND_MS, async () => {
      const limiter = limiterOf(rows(100, 10));
      const key = keyOf();
      const answers = await Promise.all(Array.from({ length: 12 }, () => limiter.consume(key, 1)));
      expect(answers.map((answer) => answer.allowed)).to.deep.equal([...Array<boolean>(10).fill(true), false, false]);
      expect(answers[10]?.retryAfterSeconds).to.be.within(59, 60);
      expect(left(answers[11] as LimitAnswer)[1]).to.equal(0);
      await limiter.close();
    }));

  it('are not used up by refused requests', () =>
    undisturbed(SECOND_MS, async () => {
      const limiter = limiterOf(rows(5, 100));
      const key = keyOf();
      expect(left(await limiter.consume(key, 3))).to.deep.equal([2, 97]);
      for (let i = 0; i < 10; i += 1) {
        const refused = await limiter.consume(key, 4);
        expect(refused.allowed).to.equal(false);
        expect(left(refused)).to.deep.equal([2, 97]);
      }
      const last = await limiter.consume(key, 2);
      expect(last.allowed).to.equal(true);
      expect(left(last)).to.deep.equal([0, 95]);
      await limiter.close();
    }));

  it('allow a batch that costs more than the burst if the window is empty', () =>
    undisturbed(SECOND_MS, async () => {
      const limiter = limiterOf(rows(2, 10));
      const first = await limiter.consume(keyOf(), 10);
      expect(first.allowed).to.equal(true);
      expect(left(first)).to.deep.equal([0, 8]);
      expect((await limiter.consume(keyOf(), 1)).allowed).to.equal(false);
      const small = limiterOf(rows(100, 10));
      expect((await small.consume(keyOf(), 50)).allowed).to.equal(true);
      await Promise.all([limiter.close(), small.close()]);
    }));

  it('can be switched off', async () => {
    const limiter = createLimiter({ enabled: false, monotonicMs, onError });
    for (let i = 0; i < 100; i += 1) {
      expect(await limiter.consume(keyOf({ tier: 0 }), 100)).to.deep.equal({
        allowed: true,
        retryAfterSeconds: 0,
        headers: {},
      });
      expect((await limiter.consumeAnonymous('192.0.2.1')).allowed).to.equal(true);
    }
    expect(limiter.peekAnonymous('192.0.2.1').allowed).to.equal(true);
    await limiter.close();
  });
});

describe('rate limits over HTTP', () => {
  let service: KeyService;
  let limiter: RateLimiter;
  beforeEach(async () => {
    limiter = limiterOf();
    service = await startKeyService({ limiter });
  });
  afterEach(async () => {
    await service.close();
    await limiter.close();
  });

  it('are in the headers of every response to a request with a key, also of errors', async () => {
    const client = service.as(await service.addKey({ scopes: ['agents:read'], tier: 6 }));
    for (const [status, answer] of [
      [200, await client.get('/v1/agents')],
      [400, await client.get('/v1/agents?limit=0')],
      [403, await client.post('/v1/agents', { name: 'x' })],
      [404, await client.get('/v1/agents/nobody')],
      [404, await client.get('/v1/nothing')],
    ] as const) {
      expect(answer.status).to.equal(status);
      expect(answer.headers['ratelimit-policy']).to.equal('"second";q=200;w=1, "minute";q=3000;w=60');
      expect(answer.headers['ratelimit']).to.match(/^"second";r=\d+;t=[01], "minute";r=\d+;t=\d+$/);
    }
  });

  it('refuse with E3001 and Retry-After, and one key does not use up another', async () => {
    const slow = service.as(await service.addKey({ scopes: ['agents:read'], tier: 0 }));
    const other = service.as(await service.addKey({ scopes: ['agents:read'], tier: 0 }));
    // Ten a minute: at least two of the next twelve are refused.
    const answers = [];
    for (let i = 0; i < 12; i += 1) answers.push(await slow.get('/v1/agents'));
    const refused = answers.filter((answer) => answer.status === 429);
    expect(refused.length).to.be.greaterThan(1);
    for (const answer of refused) {
      expect(answer.json).to.include({ code: 'E3001', retryable: true });
      expect(Number(answer.headers['retry-after'])).to.be.within(1, 60);
      // One of the two windows is used up; on a slow machine it is the minute.
      expect(answer.headers['ratelimit']).to.match(/"(second|minute)";r=0/);
    }
    expect((await other.get('/v1/agents')).status).to.equal(200);
  });

  it('count requests without a valid key by address, without affecting valid keys', async () => {
    const key = await service.addKey({ scopes: ['agents:read'], tier: 7 });
    // The notification about the new key evicts it from the cache if it arrives later.
    await service.changes.refresh();
    expect((await service.as(key).get('/v1/agents')).status).to.equal(200);
    // 20 a second: of 60 concurrent requests most are refused, unless this machine needs more than two seconds for them.
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        i % 2 === 0 ? service.admin.get('/v1/agents', { key: null }) : service.as('cst_live_wrong').get('/v1/agents'),
      ),
    );
    const codes = answers.map((answer) => answer.json.code as string);
    expect(codes.filter((code) => code === 'E3001').length).to.be.greaterThan(0);
    // The client may have used one of the 20 to fetch the OpenAPI document without a key.
    expect(codes.filter((code) => code !== 'E3001').length).to.be.at.least(19);
    expect((await service.as(key).get('/v1/agents')).status, 'a cached key from the same address').to.equal(200);
  });

  it('stop look-ups of guessed keys from an address that has used up its limit', async () => {
    const { generateKey } = await import('../../shared/domain/keys/format.ts');
    const before = service.statements.filter((name) => name === 'keys-look-up').length;
    const startedMs = performance.now();
    const mostLookUps = (): number => 20 * (Math.ceil((performance.now() - startedMs) / SECOND_MS) + 1);
    // Far more requests than the limit allows in the seconds that they take, even on a slow machine.
    for (let sent = 0; sent < mostLookUps() + 50; sent += 1)
      await service.as(generateKey('live').key).get('/v1/agents');
    const lookUps = service.statements.filter((name) => name === 'keys-look-up').length - before;
    expect(lookUps).to.be.at.most(mostLookUps());
  });
});

function acrossProcesses(start: () => Promise<TestRedis>): void {
  let redis: TestRedis;
  before(async () => {
    redis = await start();
  });
  after(() => redis.close());
  const limiters: RateLimiter[] = [];
  afterEach(async () => {
    for (const limiter of limiters.splice(0)) await limiter.close();
  });
  const connected = async (limits: readonly LimitRow[]): Promise<RateLimiter> => {
    const limiter = limiterAcross(limits, redis);
    limiters.push(limiter);
    await waitFor(() => limiter.redisOk(), { what: 'Redis to be connected' });
    return limiter;
  };
  let keys = 0;
  /** A key that has used no units. */
  const fresh = (): AuthenticatedKey => {
    keys += 1;
    return keyOf({ keyId: `fresh-${keys}` });
  };
  /** Runs a scenario in which Redis answers in time. If the machine stalls for a quarter of a second, the limiter bypasses Redis. */
  const inTime = (scenario: () => Promise<void>): Promise<void> =>
    undisturbed(REDIS_ANSWERS_WITHIN_MS, async () => {
      await waitFor(() => limiters.every((limiter) => limiter.redisOk()), { what: 'Redis to be connected' });
      await scenario();
    });

  it('hold across processes', async () => {
    const [one, two] = await Promise.all([connected(rows(1_000, 10)), connected(rows(1_000, 10))]);
    await inTime(async () => {
      const key = fresh();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? one : two).consume(key, 1)),
      );
      expect(answers.filter((answer) => answer.allowed)).to.have.lengthOf(10);
      const refused = await two.consume(key, 1);
      expect(refused.retryAfterSeconds).to.be.within(1, 60);
      expect(left(refused)[1]).to.equal(0);
      expect([one.redisOk(), two.redisOk()], 'counted by Redis').to.deep.equal([true, true]);
    });
  });

  it('are not used up by refused requests', async () => {
    const limiter = await connected(rows(1_000, 10));
    await inTime(async () => {
      const key = fresh();
      await limiter.consume(key, 7);
      for (let i = 0; i < 5; i += 1) expect((await limiter.consume(key, 4)).allowed).to.equal(false);
      const last = await limiter.consume(key, 3);
      expect([last.allowed, left(last)[1]]).to.deep.equal([true, 0]);
      expect(limiter.redisOk(), 'counted by Redis').to.equal(true);
    });
  });

  it('count per process without delay while Redis is away, and across processes again when it is back', async () => {
    const [one, two] = await Promise.all([connected(rows(1_000, 5)), connected(rows(1_000, 5))]);
    await redis.stop();
    for (const limiter of [one, two]) {
      const counted = async (): Promise<number> => {
        const key = fresh();
        const startedMs = performance.now();
        const answers = await Promise.all(Array.from({ length: 8 }, () => limiter.consume(key, 1)));
        const tookMs = performance.now() - startedMs;
        expect(
          answers.filter((answer) => answer.allowed),
          'its own five',
        ).to.have.lengthOf(5);
        expect(limiter.redisOk()).to.equal(false);
        return tookMs;
      };
      expect(await leastMs(1_000, counted)).to.be.below(1_000);
    }
    await redis.start();
    await inTime(async () => {
      const other = fresh();
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? one : two).consume(other, 1)),
      );
      expect(answers.filter((answer) => answer.allowed)).to.have.lengthOf(5);
    });
  });
}

describe('rate limits with a stand-in for Redis', () => acrossProcesses(startFakeRedis));
describeUnless(whyNoRedis(), 'rate limits with Redis', () => acrossProcesses(startRealRedis));

describe('rate limits with a Redis that hangs', () => {
  it('delay one request a second and count the others in the process without delay', async () => {
    const redis = await startFakeRedis();
    const limiter = limiterAcross(rows(1_000, 1_000), redis);
    await waitFor(() => limiter.redisOk(), { what: 'Redis to be connected' });
    redis.hang();
    /** Sends a full window of requests, the first of which is delayed. @returns the duration of all the others */
    const others = async (): Promise<number> => {
      const firstMs = performance.now();
      expect((await limiter.consume(keyOf(), 1)).allowed).to.equal(true);
      const delayedMs = performance.now() - firstMs;
      expect(delayedMs).to.be.above(200);
      const secondMs = performance.now();
      for (let i = 0; i < 50; i += 1) expect((await limiter.consume(keyOf(), 1)).allowed).to.equal(true);
      const tookMs = performance.now() - secondMs;
      // Until the limiter tries Redis again.
      await waitFor(() => performance.now() - firstMs > delayedMs + SECOND_MS, { what: 'the next second' });
      return delayedMs < 900 ? tookMs : Number.POSITIVE_INFINITY;
    };
    expect(await leastMs(200, others)).to.be.below(200);
    await limiter.close();
    await redis.close();
  });
});

// The freshness of the change feed: when a caller joins the running query, and when it starts another one.
import { expect } from 'chai';
import { type ChangeFeed, startChangeFeed } from '../../../shared/platform/db/changes.ts';
import type { Database } from '../../../shared/platform/db/database.ts';
import { ApiError } from '../../../shared/kernel/errors.ts';

const AWAY = new ApiError('E6002', 'The database is not reachable at the moment; the request may be repeated.');
/** Nothing listens on this port: the feed works without notifications. */
const NOWHERE = 'postgres://nobody@127.0.0.1:1/none';

interface Question {
  answer(): void;
  fail(error: unknown): void;
}

describe('a caller of the change feed', () => {
  let feed: ChangeFeed;
  let nowMs: number;
  let wallMs: number;
  /** The database's clock. */
  let databaseMs: number;
  /** Members of the answer that say what was deleted. */
  let forgotten: { forgottenTimes: string | null; isForgotten: boolean };
  /** The changes of the answer; at least one row. */
  let rows: object[];
  let asked: Question[];
  let automatic: boolean;
  /** When the server that answers was started. */
  let started: string;

  beforeEach(async () => {
    nowMs = 0;
    wallMs = 5_000_000;
    databaseMs = 9_000_000;
    forgotten = { forgottenTimes: '0', isForgotten: false };
    rows = [{ seq: null }];
    asked = [];
    automatic = true;
    started = '1000';
    const query = (): Promise<object[]> =>
      new Promise((resolve, reject) => {
        const question = {
          answer: () => resolve(rows.map((row) => ({ ms: databaseMs, oldest: '1', started, ...row, ...forgotten }))),
          fail: reject,
        };
        if (automatic) question.answer();
        else asked.push(question);
      });
    feed = await startChangeFeed({
      db: { query } as unknown as Database,
      databaseUrl: NOWHERE,
      monotonicMs: () => nowMs,
      wallMs: () => wallMs,
      onError: () => undefined,
    });
    automatic = false;
  });
  afterEach(async () => {
    automatic = true;
    for (const question of asked) question.answer();
    await feed.close();
  });

  /** A query of the feed that is running. */
  const underWay = async (): Promise<Question> => {
    feed.refresh().catch(() => undefined);
    await Promise.resolve();
    return asked[0] as Question;
  };
  const outcomeOf = (fresh: Promise<void> | undefined): Promise<unknown> =>
    fresh === undefined
      ? Promise.resolve('fresh')
      : fresh.then(
          () => 'fresh',
          (error: unknown) => error,
        );

  it('drops what it knows when another server answers, as after a failover or a restored backup', async () => {
    automatic = true;
    const heard: unknown[] = [];
    feed.subscribe((change) => heard.push(change));
    await feed.refresh();
    expect(heard).to.deep.equal([]);
    started = '2000';
    await feed.refresh();
    await feed.refresh();
    expect(heard).to.deep.equal(['reset']);
  });

  /** What listeners hear of a poll after this. */
  const heardAfter = async (change: () => void): Promise<unknown[]> => {
    automatic = true;
    const heard: unknown[] = [];
    feed.subscribe((one) => heard.push(one));
    change();
    await feed.refresh();
    await feed.refresh();
    return heard;
  };

  it('drops what it knows when more than a minute passed by the clock of the database, or by its own', async () => {
    const slept = (ms: number) => () => (databaseMs += ms);
    expect(await heardAfter(slept(60_000))).to.deep.equal([]);
    expect(await heardAfter(slept(60_001))).to.deep.equal(['reset']);
    expect(await heardAfter(() => (nowMs += 60_001))).to.deep.equal(['reset']);
  });

  it('drops what it knows once when rows are gone that it was not told', async () => {
    expect(await heardAfter(() => (forgotten = { forgottenTimes: '1', isForgotten: false }))).to.deep.equal([]);
    expect(await heardAfter(() => (forgotten = { forgottenTimes: '2', isForgotten: true }))).to.deep.equal(['reset']);
    expect(await heardAfter(() => (forgotten = { forgottenTimes: null, isForgotten: true }))).to.deep.equal(['reset']);
  });

  it('is told whether a change may be older than 900 ms, by any of the clocks', async () => {
    const lateAfter = async (pass: () => unknown): Promise<unknown[]> => {
      const heard: unknown[] = [];
      feed.subscribe((_, isLate) => heard.push(isLate));
      rows = [{ seq: String(asked.length), kind: 'policy', subject: '[]' }];
      pass();
      const told = feed.refresh();
      asked.at(-1)?.answer();
      await told;
      return heard;
    };
    expect(await lateAfter(() => (nowMs += 900))).to.deep.equal([false]);
    expect(await lateAfter(() => (nowMs += 901))).to.deep.equal([true]);
    expect(await lateAfter(() => (wallMs += 901))).to.deep.equal([true]);
    expect(await lateAfter(() => (databaseMs += 901))).to.deep.equal([true]);
    expect(await lateAfter(() => (databaseMs += 60_001))).to.deep.equal([true]);
    expect(await lateAfter(() => undefined)).to.deep.equal([false]);
  });

  it('asks again when the wall clock says that the last answer is old, as after a sleep that the other did not count', async () => {
    wallMs += 900;
    expect(feed.ensureFresh()).to.equal(undefined);
    wallMs += 1;
    const outcome = outcomeOf(feed.ensureFresh());
    expect(asked).to.have.lengthOf(1);
    asked[0]?.answer();
    expect(await outcome).to.equal('fresh');
    expect(feed.ensureFresh()).to.equal(undefined);
  });

  for (const [what, byMs] of [
    ['ahead', 3_600_000],
    ['back', -3_600_000],
  ] as const)
    it(`only asks again when the wall clock is set ${what}, also during a poll`, async () => {
      automatic = true;
      const heard: unknown[] = [];
      feed.subscribe((change) => heard.push(change));
      wallMs += byMs;
      expect(await outcomeOf(feed.ensureFresh())).to.equal('fresh');
      expect(feed.ensureFresh()).to.equal(undefined);
      automatic = false;
      nowMs += 1_000;
      const outcome = outcomeOf(feed.ensureFresh());
      wallMs += byMs;
      asked[0]?.answer();
      await new Promise((resolve) => setImmediate(resolve));
      asked[1]?.answer();
      expect(await outcome).to.equal('fresh');
      expect(heard).to.deep.equal([]);
    });

  it('uses the last answer while it is younger than 900 ms', () => {
    nowMs = 900;
    expect(feed.ensureFresh()).to.equal(undefined);
  });

  it('joins a running query', async () => {
    nowMs = 1_000;
    const question = await underWay();
    const outcome = outcomeOf(feed.ensureFresh());
    expect(asked).to.have.lengthOf(1);
    question.answer();
    expect(await outcome).to.equal('fresh');
  });

  it('starts a query when the one that it joined fails at once', async () => {
    nowMs = 1_000;
    const question = await underWay();
    nowMs = 2_500;
    const outcome = outcomeOf(feed.ensureFresh());
    question.fail(AWAY);
    nowMs = 2_550;
    await new Promise((resolve) => setImmediate(resolve));
    asked[1]?.answer();
    expect(await outcome).to.equal('fresh');
  });

  it('starts a query when the answer to the one that it joined is old, because the process was suspended', async () => {
    nowMs = 1_000;
    const question = await underWay();
    nowMs = 4_000;
    const outcome = outcomeOf(feed.ensureFresh());
    question.answer();
    await new Promise((resolve) => setImmediate(resolve));
    asked[1]?.answer();
    expect(await outcome).to.equal('fresh');
  });

  it('uses no answer older than 900 ms, even when a newer query failed', async () => {
    nowMs = 1_000;
    const question = await underWay();
    const outcome = outcomeOf(feed.ensureFresh());
    question.fail(AWAY);
    await new Promise((resolve) => setImmediate(resolve));
    asked[1]?.fail(AWAY);
    expect(await outcome).to.equal(AWAY);
  });

  it('fails together with the query that it joined and waited for, because a request must end soon', async () => {
    nowMs = 1_000;
    const question = await underWay();
    const outcome = outcomeOf(feed.ensureFresh());
    nowMs = 2_000;
    question.fail(AWAY);
    expect(await outcome).to.equal(AWAY);
  });

  /** The process stands still during its own query, which is then answered, and asks again. */
  const standStill = async (): Promise<void> => {
    await Promise.resolve();
    nowMs = 3_000;
    asked[0]?.answer();
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).to.have.length(2);
  };

  it('asks again when the answer to its own query is old, because the process stood still meanwhile', async () => {
    nowMs = 1_000;
    const outcome = outcomeOf(feed.ensureFresh());
    await standStill();
    asked[1]?.answer();
    expect(await outcome).to.equal('fresh');
  });

  it('fails with E6002 when the second answer comes too late to be used, too', async () => {
    nowMs = 1_000;
    const outcome = outcomeOf(feed.ensureFresh());
    await standStill();
    nowMs = 5_000;
    asked[1]?.answer();
    expect(await outcome).to.have.property('code', 'E6002');
  });
});

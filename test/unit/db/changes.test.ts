// The change feed's freshness: when a caller believes the question of others, and when it asks one of its own.
import { expect } from 'chai';
import { type ChangeFeed, startChangeFeed } from '../../../shared/platform/db/changes.ts';
import type { Database } from '../../../shared/platform/db/database.ts';
import { ApiError } from '../../../shared/kernel/errors.ts';

const AWAY = new ApiError('E6002', 'The database is not reachable at the moment; the request may be repeated.');
/** Nothing listens there: the feed goes on without notifications. */
const NOWHERE = 'postgres://nobody@127.0.0.1:1/none';

interface Question {
  answer(): void;
  fail(error: unknown): void;
}

describe('what a caller does when the last answer of the change feed is old', () => {
  let feed: ChangeFeed;
  let nowMs: number;
  let asked: Question[];
  let automatic: boolean;

  beforeEach(async () => {
    nowMs = 0;
    asked = [];
    automatic = true;
    const query = (): Promise<object[]> =>
      new Promise((resolve, reject) => {
        const question = { answer: () => resolve([{ oldest: '1', seq: null }]), fail: reject };
        if (automatic) question.answer();
        else asked.push(question);
      });
    feed = await startChangeFeed({
      db: { query } as unknown as Database,
      databaseUrl: NOWHERE,
      monotonicMs: () => nowMs,
      onError: () => undefined,
    });
    automatic = false;
  });
  afterEach(async () => {
    automatic = true;
    for (const question of asked) question.answer();
    await feed.close();
  });

  /** A question of the feed's own that is under way. */
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

  it('nothing, while it is younger than 900 ms', () => {
    nowMs = 900;
    expect(feed.ensureFresh()).to.equal(undefined);
  });

  it('joins a question under way', async () => {
    nowMs = 1_000;
    const question = await underWay();
    const outcome = outcomeOf(feed.ensureFresh());
    expect(asked).to.have.lengthOf(1);
    question.answer();
    expect(await outcome).to.equal('fresh');
  });

  it('asks one of its own when the one that it joined fails at once', async () => {
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

  it('asks one of its own when the answer to the one that it joined is old, because the process stood still', async () => {
    nowMs = 1_000;
    const question = await underWay();
    nowMs = 4_000;
    const outcome = outcomeOf(feed.ensureFresh());
    question.answer();
    await new Promise((resolve) => setImmediate(resolve));
    asked[1]?.answer();
    expect(await outcome).to.equal('fresh');
  });

  it('believes no answer of more than 900 ms ago only because a newer question failed', async () => {
    nowMs = 1_000;
    const question = await underWay();
    const outcome = outcomeOf(feed.ensureFresh());
    question.fail(AWAY);
    await new Promise((resolve) => setImmediate(resolve));
    asked[1]?.fail(AWAY);
    expect(await outcome).to.equal(AWAY);
  });

  it('fails with the question that it joined when it has waited for it: a request must end soon', async () => {
    nowMs = 1_000;
    const question = await underWay();
    const outcome = outcomeOf(feed.ensureFresh());
    nowMs = 2_000;
    question.fail(AWAY);
    expect(await outcome).to.equal(AWAY);
  });

  it('fails with E6002 when its own answer came too late to be believed', async () => {
    nowMs = 1_000;
    const outcome = outcomeOf(feed.ensureFresh());
    await Promise.resolve();
    nowMs = 3_000;
    asked[0]?.answer();
    expect(await outcome).to.have.property('code', 'E6002');
  });
});

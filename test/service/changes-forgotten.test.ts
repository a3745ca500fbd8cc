// The change feed of a process that slept until rows were deleted which it had not read.
import { expect } from 'chai';
import type { Database } from '../../shared/platform/db/database.ts';
import { type Change, type ChangeFeed, startChangeFeed } from '../../shared/platform/db/changes.ts';
import { forgetChanges } from '../../workers/jobs/forget-changes.ts';
import { type Service, startService } from '../support/service.ts';

const HOUR_MS = 3_600_000;

describe('deleted rows of the change feed', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  /** A process that polls only when it is told to. */
  const sleeper = async (): Promise<{ feed: ChangeFeed; heard: (Change | 'reset')[] }> => {
    let isAwake = true;
    const db = {
      query: (...[statement, values]: Parameters<Database['query']>) =>
        isAwake ? service.db.query(statement, values) : Promise.reject(new Error('asleep')),
    } as Database;
    const feed = await startChangeFeed({
      db,
      databaseUrl: service.databaseUrl,
      monotonicMs: () => 0,
      wallMs: () => 0,
      onError: () => undefined,
    });
    isAwake = false;
    const heard: (Change | 'reset')[] = [];
    feed.subscribe((change) => heard.push(change));
    const refresh = async (): Promise<void> => {
      isAwake = true;
      await feed.refresh();
      isAwake = false;
    };
    return { feed: { ...feed, refresh }, heard };
  };
  const change = (subject: string): Promise<object[]> =>
    service.rows("INSERT INTO change (kind, subject) VALUES ('key', $1)", [JSON.stringify([subject])]);
  const forget = (): Promise<void> =>
    forgetChanges.handler({ db: service.db, deletionMs: Date.now, approvalTtlMs: HOUR_MS })({ v: 1 });
  const age = (): Promise<object[]> => service.rows("UPDATE change SET changed_at = changed_at - interval '2 hours'");

  it('empty the caches of a process that has not read them, once', async () => {
    const { feed, heard } = await sleeper();
    await change('one');
    await age();
    await forget();
    await change('two');
    await feed.refresh();
    await feed.refresh();
    expect(heard).to.deep.equal(['reset']);
    await change('three');
    await feed.refresh();
    expect(heard).to.deep.equal(['reset', { kind: 'key', subject: ['three'] }]);
    await feed.close();
  });

  it('also by a statement of an operator, and also when another transaction has been open since before', async () => {
    const { feed, heard } = await sleeper();
    await service.db.transaction(async (sql) => {
      await sql.query('SELECT pg_current_xact_id()', []);
      await change('one');
      await feed.refresh();
      await service.rows('DELETE FROM change');
      await change('two');
      await service.rows('DELETE FROM change');
      await feed.refresh();
      await feed.refresh();
    });
    expect(heard).to.deep.equal([{ kind: 'key', subject: ['one'] }, 'reset']);
    await feed.close();
  });

  it('change nothing for a process that has read them', async () => {
    const { feed, heard } = await sleeper();
    await change('one');
    await feed.refresh();
    await change('two');
    await feed.refresh();
    await age();
    await forget();
    await feed.refresh();
    expect(heard.map((one) => (one === 'reset' ? one : one.subject[0]))).to.deep.equal(['one', 'two']);
    await feed.close();
  });
});

// Ingress tells workers how long enforcement takes, so that a backlog can make way for it.
import { expect } from 'chai';
import { type ChangeFeed, startChangeFeed } from '../../shared/platform/db/changes.ts';
import { ENFORCEMENT_CHANNEL, createEnforcementNotice } from '../../shared/platform/db/enforcement-notice.ts';
import { type Service, startService } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';

describe('reports of how long enforcement takes', () => {
  let service: Service;
  let feed: ChangeFeed;
  const reports: number[] = [];
  const onError = (error: unknown): never => {
    throw error;
  };
  before(async () => {
    service = await startService();
    feed = await startChangeFeed({
      db: service.db,
      databaseUrl: service.databaseUrl,
      monotonicMs: () => performance.now(),
      onError: () => undefined,
      onEnforcement: (tookMs) => reports.push(tookMs),
    });
  });
  after(async () => {
    await feed?.close();
    await service?.close();
  });
  beforeEach(() => reports.splice(0));

  it('reach the change feed of other processes: the time within which nine of ten answers came', async () => {
    const notice = createEnforcementNotice({ db: service.db, onError, everyMs: 1 });
    for (let tookMs = 1; tookMs <= 20; tookMs += 1) notice.observe(tookMs);
    await waitFor(() => reports.length > 0);
    notice.observe(0.5);
    await waitFor(() => reports.length > 1);
    expect(reports).to.deep.equal([19, 0.5]);
  });

  it('that are no times are ignored', async () => {
    for (const payload of ['', 'soon', '-1', 'Infinity', '7'])
      await service.rows(`SELECT pg_notify('${ENFORCEMENT_CHANNEL}', $1)`, [payload]);
    await waitFor(() => reports.length > 0);
    expect(reports).to.deep.equal([7]);
  });

  it('are sent by ingress while it answers, one for many answers', async () => {
    const client = await service.client();
    const question = { intent: 'data.read.user_profile', agent_id: 'nobody' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.post('/v1/enforce', question)));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(20).fill(200));
    await waitFor(() => reports.length > 0);
    expect(reports.every((tookMs) => tookMs > 0)).to.equal(true);
    expect(reports.length).to.be.below(20);
  });
});

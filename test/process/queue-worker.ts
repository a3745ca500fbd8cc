// A worker process for the queue `intents`, killed during a job by tests: prints each job that it starts and ends.
import { createQueues } from '../../shared/platform/queues/queues.ts';

const [databaseUrl = '', redisUrl, hang] = process.argv.slice(2);
const queues = createQueues({
  databaseUrl,
  redis: redisUrl === undefined || redisUrl === '' ? undefined : { url: redisUrl, prefix: 'custos-test' },
  onError: (error) => console.error(error),
  locks: { lockMs: 1_000, lookMs: 300 },
});
queues.work(
  'intents',
  {
    evaluate: async ({ intentId }) => {
      console.log(`started ${intentId}`);
      if (hang === 'hang') await new Promise(() => setInterval(() => undefined, 1_000));
      console.log(`done ${intentId}`);
    },
  },
  { concurrency: 1 },
);

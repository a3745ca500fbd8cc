// Metrics of ages: the oldest waiting rows and the newest checkpoints, read from the database at each scrape.
import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../shared/platform/db/database.ts';

/** Descriptions of the metrics of oldest rows, by table. */
const OLDEST = {
  outbox: 'Age of the oldest accepted work that no queue has yet; 0 when there is none',
  log_inbox: 'Age of the oldest record that is promised and not in its log yet; 0 when there is none',
  trust_inbox: 'Age of the oldest signal that is in no score yet; 0 when there is none',
};
const CHECKPOINTS = `SELECT organisation.slug, log.environment, extract(epoch FROM last.signed_at)::float8 AS seconds
    FROM log JOIN organisation ON organisation.id = log.organisation_id, LATERAL (
      SELECT signed_at FROM checkpoint WHERE checkpoint.log_id = log.log_id ORDER BY size DESC LIMIT 1
    ) AS last ORDER BY organisation.slug, log.environment, log.generation`;

// Messages to endpoints that were disabled do not wait for a worker.
const WEBHOOKS = `SELECT coalesce(max(extract(epoch FROM now() - oldest.created_at)), 0)::float8 AS seconds
    FROM webhook_endpoint e CROSS JOIN LATERAL (
      SELECT created_at FROM webhook_delivery d WHERE d.endpoint_id = e.endpoint_id AND state = 'pending' ORDER BY seq LIMIT 1
    ) AS oldest WHERE e.disabled_at IS NULL`;

/** Adds the gauges. They are absent while the database is away. */
export function watchAges(registry: Registry, db: Database): void {
  const ages = Object.entries(OLDEST).map(([table, help]) => ({
    name: `custos_${table}_oldest_seconds`,
    help,
    // `seq` is the order of acceptance, so the first row is the oldest.
    age: `SELECT extract(epoch FROM now() - created_at)::float8 AS seconds FROM ${table} ORDER BY seq LIMIT 1`,
  }));
  const help = 'Age of the oldest message that a webhook has not received yet; 0 when there is none';
  for (const { age, ...gauge } of [...ages, { name: 'custos_webhook_oldest_seconds', help, age: WEBHOOKS }]) {
    new Gauge({
      ...gauge,
      registers: [registry],
      async collect() {
        const rows = await db.query<{ seconds: number }>(age, []).catch(() => undefined);
        if (rows === undefined) this.remove();
        else this.set(Math.max(0, rows[0]?.seconds ?? 0));
      },
    });
  }
  new Gauge({
    name: 'custos_log_checkpoint_timestamp_seconds',
    help: 'When the newest checkpoint of the log was signed, in seconds since 1970; absent before the first one',
    labelNames: ['organisation', 'environment'] as const,
    registers: [registry],
    async collect() {
      const rows = await db
        .query<{ slug: string; environment: string; seconds: number }>(CHECKPOINTS, [])
        .catch(() => []);
      this.reset();
      for (const { slug: organisation, environment, seconds } of rows) this.set({ organisation, environment }, seconds);
    },
  });
}

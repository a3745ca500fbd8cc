// Delivers the messages of one endpoint: reads new events, sends what is due, and records the results.
//
// One worker at a time has an endpoint's lease. It expires by itself, so a worker that died is replaced; what it had sent and
// not recorded is sent again under the same id (at-least-once delivery).
import type { DisabledReason } from '../../kernel/webhook-events.ts';
import type { Database } from '../../platform/db/database.ts';
import { hasCome, isAhead } from '../../platform/db/elapsed.ts';
import type { Logger } from '../../platform/observe/logger.ts';
import { enqueueSql } from '../../platform/queues/outbox.ts';
import { ENDPOINT_COLUMNS, type EndpointRow, keysOf } from './endpoints.ts';
import { behindSql, fanOut } from './fan-out.ts';
import { type Attempt, judge, recordAttempts, type Waiting } from './attempts.ts';
import { createPlaces, createQuickReceivers, PLACES, SLOW_PLACES } from './places.ts';
import { DUE_AHEAD, isGivenUp, REST_MAX_MS, restMs } from './schedule.ts';
import { ATTEMPT_TIMEOUT_MS, type Sender } from './send.ts';
import { readSecrets, signMessage, validKeys } from './signing-keys.ts';

/** Messages that are sent at once; each is about another subject, or has stopped holding back others. */
const BATCH = 10;
/** An attempt and the statements around it. */
const LEASE_MS = ATTEMPT_TIMEOUT_MS + 15_000;
/** How far ahead a lease may end. */
export const LEASED_AHEAD = `interval '${Math.max(LEASE_MS, REST_MAX_MS)} milliseconds'`;
/** No batch is begun later. A worker that stops waits for its running job. */
const BUDGET_MS = 5_000;

const TAKE = `UPDATE webhook_endpoint SET leased_until = $3 WHERE endpoint_id = $1 AND disabled_at IS NULL AND ${hasCome('leased_until', LEASED_AHEAD, '$2::timestamptz')} RETURNING ${ENDPOINT_COLUMNS}`;
const RENEW = `UPDATE webhook_endpoint SET leased_until = $3 WHERE endpoint_id = $1 AND disabled_at IS NULL AND leased_until = $2 RETURNING ${ENDPOINT_COLUMNS}`;
// The time of the release tells since when nobody delivers (shared/domain/installation/backlog.ts). It is a second ago, so that a process
// whose clock is a little behind may take the endpoint at once.
const RELEASE = `UPDATE webhook_endpoint SET leased_until = now() - interval '1 second' WHERE endpoint_id = $1 AND leased_until = $2`;
/** Two ranges of an index: with one condition all that waits for a later attempt is read, too. */
const DUE_RANGES = ['due_at <= $2', isAhead('due_at', DUE_AHEAD, '$2::timestamptz')];
const DUE = `SELECT seq::text AS seq, message_id, subject, payload, attempts, type FROM (${DUE_RANGES.map(
  (range) =>
    `(SELECT * FROM webhook_delivery WHERE endpoint_id = $1 AND ${range} ORDER BY due_at, webhook_delivery.seq LIMIT ${BATCH})`,
).join(' UNION ALL ')}) AS due ORDER BY due_at, due.seq LIMIT ${BATCH}`;
const HAS_WORK = `SELECT FROM webhook_endpoint e WHERE endpoint_id = $1 AND (
      ${DUE_RANGES.map((range) => `EXISTS (SELECT FROM webhook_delivery d WHERE d.endpoint_id = e.endpoint_id AND ${range})`).join(' OR ')} OR EXISTS (SELECT FROM ${behindSql('(SELECT) AS one')}))`;
const OWNER = 'SELECT organisation_id, url FROM webhook_endpoint WHERE endpoint_id = $1';
const CONTINUE = enqueueSql('webhooks', 'deliver', { endpointId: '$1::text' });
const HOLD = 'SELECT url FROM webhook_endpoint WHERE endpoint_id = $1 FOR UPDATE';
const JUDGED = `UPDATE webhook_endpoint SET failing_since = $3, disabled_at = $4, disabled_reason = $5, leased_until = $6
    WHERE endpoint_id = $1 AND leased_until = $2`;

export interface DelivererDeps {
  readonly db: Database;
  readonly nowMs: () => number;
  /** Of both clocks, because an endpoint that is disabled stays so (platform/db/clock.ts). */
  readonly deletionMs: () => number;
  readonly monotonicMs: () => number;
  readonly send: Sender;
  readonly logger: Logger;
  /** Called for each attempt whose result is recorded. */
  readonly onAttempt: (outcome: Attempt['outcome']) => void;
}

export interface Deliverer {
  /**
   * Delivers what is due, unless another worker does, or its organisation has no place left: then the job is queued again when it has.
   * May be called at any time.
   */
  deliver(endpointId: string): Promise<void>;
}

interface Lease {
  readonly endpoint: EndpointRow;
  readonly until: Date;
}

export function createDeliverer(deps: DelivererDeps): Deliverer {
  const { db, nowMs, deletionMs, monotonicMs, send, logger, onAttempt } = deps;
  const places = createPlaces(PLACES, SLOW_PLACES);
  const quick = createQuickReceivers();

  const acquire = async (statement: string, endpointId: string, known: Date): Promise<Lease | undefined> => {
    const until = new Date(nowMs() + LEASE_MS);
    const [endpoint] = await db.query<EndpointRow>(statement, [endpointId, known, until]);
    return endpoint === undefined ? undefined : { endpoint, until };
  };
  const take = (endpointId: string) => acquire(TAKE, endpointId, new Date(nowMs()));
  const renew = ({ endpoint, until }: Lease) => acquire(RENEW, endpoint.endpoint_id, until);
  const release = ({ endpoint, until }: Lease) => db.query(RELEASE, [endpoint.endpoint_id, until]);

  const attempt = async (endpoint: EndpointRow, waiting: Waiting): Promise<Attempt> => {
    const startedMs = monotonicMs();
    const atMs = nowMs();
    const secrets = readSecrets(db.seals, endpoint.endpoint_id, validKeys(keysOf(endpoint), atMs));
    const { message_id: id, payload } = waiting;
    const timestampSeconds = Math.floor(atMs / 1_000);
    const result =
      secrets === undefined
        ? ({ kind: 'failed', failure: 'signing_key_unreadable' } as const)
        : await send({
            url: endpoint.url,
            environment: endpoint.environment,
            payload,
            headers: {
              'content-type': 'application/json',
              'user-agent': 'custos-webhooks',
              'webhook-id': id,
              'webhook-timestamp': String(timestampSeconds),
              'webhook-signature': signMessage(secrets, { id, timestampSeconds, payload }),
            },
          });
    return judge(waiting, result, { atMs, durationMs: Math.round(monotonicMs() - startedMs), nowMs: nowMs() });
  };

  /** What attempts mean for their endpoint. */
  const judgement = (endpoint: EndpointRow, attempts: readonly Attempt[], now: number) => {
    const succeeded = attempts.some(({ outcome }) => outcome === 'delivered');
    const failingMs = succeeded ? undefined : Math.min(endpoint.failing_since?.getTime() ?? now, now);
    const disabled: DisabledReason | undefined = attempts.some(({ isGone }) => isGone)
      ? 'gone'
      : failingMs !== undefined && isGivenUp(failingMs, deletionMs())
        ? 'failing'
        : undefined;
    return { failingMs, disabled };
  };

  /** Records the results and what they mean for the endpoint. @returns whether more may be sent now */
  const record = async ({ endpoint, until }: Lease, attempts: readonly Attempt[]): Promise<boolean> => {
    const now = nowMs();
    const { endpoint_id: endpointId } = endpoint;
    const { recorded, failingMs, disabled } = await db.transaction(async (sql) => {
      const [held] = await sql.query<Pick<EndpointRow, 'url'>>(HOLD, [endpointId]);
      // Failures at an address that the endpoint had before say nothing about it: what failed is sent to the new one.
      if (held !== undefined && held.url !== endpoint.url) {
        const delivered = attempts.filter(({ outcome }) => outcome === 'delivered');
        if (delivered.length > 0) await recordAttempts(sql, endpointId, delivered, now);
        return { recorded: delivered, failingMs: undefined, disabled: undefined };
      }
      await recordAttempts(sql, endpointId, attempts, now);
      const judged = judgement(endpoint, attempts, now);
      // A failing receiver rests: the lease stays until then.
      const next = judged.failingMs === undefined ? until : new Date(now + restMs(judged.failingMs, now));
      const failingSince = judged.failingMs === undefined ? null : new Date(judged.failingMs);
      const at = judged.disabled === undefined ? null : new Date(now);
      await sql.query(JUDGED, [endpointId, until, failingSince, at, judged.disabled ?? null, next]);
      return { recorded: attempts, ...judged };
    });
    for (const { outcome } of recorded) onAttempt(outcome);
    if (disabled !== undefined) logger.warn({ webhookId: endpointId, reason: disabled }, 'a webhook was disabled');
    return failingMs === undefined && disabled === undefined;
  };

  /** @returns what is left to do: nothing now, or more */
  const turn = async (lease: Lease): Promise<'idle' | 'full' | 'resting' | 'more'> => {
    const { endpoint } = lease;
    const read = await db.transaction((sql) => fanOut(sql, endpoint, nowMs()));
    const due = await db.query<Waiting>(DUE, [endpoint.endpoint_id, new Date(nowMs())]);
    if (due.length === 0) return read === 'done' ? 'idle' : read;
    const attempts = await Promise.all(due.map((waiting) => attempt(endpoint, waiting)));
    quick.note(endpoint.url, endpoint.endpoint_id, attempts);
    return (await record(lease, attempts)) ? 'more' : 'resting';
  };

  const run = async (endpointId: string, held: { lease: Lease | undefined }): Promise<void> => {
    const startedMs = monotonicMs();
    while (held.lease !== undefined) {
      const { lease } = held;
      const left = await turn(lease);
      if (left === 'resting') return;
      if (left === 'more' && monotonicMs() - startedMs < BUDGET_MS) {
        held.lease = await renew(lease);
        continue;
      }
      held.lease = undefined;
      await release(lease);
      if (left === 'full') return;
      if (left === 'more') {
        await db.query(CONTINUE, [endpointId]);
        return;
      }
      // An event that arrived before the release found the endpoint leased.
      const rest = await db.query(HAS_WORK, [endpointId, new Date(nowMs())]);
      if (rest.length > 0) held.lease = await take(endpointId);
    }
  };

  return {
    async deliver(endpointId) {
      const [owner] = await db.query<Pick<EndpointRow, 'organisation_id' | 'url'>>(OWNER, [endpointId]);
      if (owner === undefined) return;
      const place = places.begin(owner.organisation_id, endpointId, quick.has(owner.url, endpointId));
      if (place === undefined) return;
      const held: { lease: Lease | undefined } = { lease: undefined };
      try {
        held.lease = await take(endpointId);
        await run(endpointId, held);
      } catch (error) {
        // Otherwise the next attempt would wait until the lease expires.
        if (held.lease !== undefined) await release(held.lease).catch(() => undefined);
        throw error;
      } finally {
        // One that is not queued is found by the sweeper.
        for (const next of places.end(place)) await db.query(CONTINUE, [next]).catch(() => undefined);
      }
    },
  };
}

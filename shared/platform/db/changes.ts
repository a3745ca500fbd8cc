// The change feed: every process learns within half a second that a key, agent, halt or policy set changed.
//
// Triggers insert a row into `change` in the transaction of the change and send a NOTIFY. A process polls every 500 ms,
// and on each notification. Each row has the id of its transaction. Each answer also has the oldest transaction that was
// still running, and the next poll starts from there: a transaction that commits late is not missed. Rows that an answer
// repeats are not delivered again.
import type pg from 'pg';
import { DatabaseClient } from './client.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { ClockSample } from './clock.ts';
import { asApiError, type Database } from './database.ts';
import { ENFORCEMENT_CHANNEL, tookMsOf } from './enforcement-notice.ts';
import { createMoments, type Moment } from './moments.ts';
import { OPEN_TIMEOUT_MS } from './pool.ts';
import { SETTLED_CHANNEL } from './settled-notice.ts';

/** `pepper`: the pepper was rotated; listeners get `reset`. */
export type ChangeKind = 'pepper' | 'key' | 'organisation' | 'agent' | 'trust' | 'resource' | 'halt' | 'policy' | 'log';

export interface Change {
  readonly kind: ChangeKind;
  /**
   * The columns that identify the changed row, such as organisation, environment, agent; of `trust`: any number of
   * agents.
   */
  readonly subject: readonly string[];
}

/**
 * `reset`: changes may have been missed; drop every cached value. `isLate`: the change may be older than FRESH_MS, because this process had
 * no answer for longer. Absent: no.
 */
export type ChangeListener = (change: Change | 'reset', isLate?: boolean) => void;

export interface ChangeFeed {
  subscribe(listener: ChangeListener): void;
  /** Resolves when every change committed before the call has been delivered. @throws {ApiError} E6002 */
  refresh(): Promise<void>;
  /**
   * Undefined while the last answer is younger than 900 ms by both clocks of the machine, otherwise a promise of a newer one. @throws {ApiError} E6002
   */
  ensureFresh(): Promise<void> | undefined;
  close(): Promise<void>;
}

const POLL_MS = 500;
/**
 * A revocation takes effect within a second. Polling takes half of it; a request polls itself when the last answer is
 * older than this.
 */
const FRESH_MS = 900;
/** A caller whose poll failed after more than this does not start another one: the two together must stay below 2 s. */
const POLL_AGAIN_MS = 100;
/**
 * After so long without an answer, as when the machine slept, every cache is dropped. Nothing was missed; but what limits the age of
 * caches (max-age.ts) did not count that time.
 */
const RESET_MS = 60_000;

/** The highest transaction id: the first poll returns no changes, only where to start. */
const NO_TRANSACTION = '18446744073709551615';

const READ = `WITH now AS (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS oldest, extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms, extract(epoch FROM pg_postmaster_start_time())::text AS started)
    SELECT now.ms, now.started, now.oldest::text AS oldest, forgotten.times::text AS "forgottenTimes", coalesce(forgotten.txid >= $1::text::xid8, true) AS "isForgotten", change.seq::text AS seq, change.kind, change.subject
    FROM now LEFT JOIN change_forgotten AS forgotten ON true LEFT JOIN change ON change.txid >= $1::text::xid8`;

interface Row {
  /** The database's clock, milliseconds since 1970. */
  ms: number;
  /** When the server started. */
  started: string;
  oldest: string;
  /** How often rows were deleted; null: unknown. */
  forgottenTimes: string | null;
  /** Whether rows of the asked transactions were deleted, at any time. */
  isForgotten: boolean;
  seq: string | null;
  kind: ChangeKind | null;
  subject: string | null;
}

export interface ChangeFeedDeps {
  readonly db: Database;
  readonly databaseUrl: string;
  /** Monotonic milliseconds. */
  readonly monotonicMs: () => number;
  /** This machine's wall clock, which also counts while the machine sleeps; replaced by tests. */
  readonly wallMs?: (() => number) | undefined;
  readonly onError: (error: unknown) => void;
  /** Called with the database's time of each answer. */
  readonly onTime?: ((sample: ClockSample) => void) | undefined;
  /** Called on each notice of settled-notice.ts, and when notices may have been missed. Absent: this process does not listen for them. */
  readonly onSettled?: (() => void) | undefined;
  /** Called with each report of enforcement-notice.ts. Absent: this process does not listen for them. */
  readonly onEnforcement?: ((tookMs: number) => void) | undefined;
}

/** Starts the feed; resolves after the first answer. */
export async function startChangeFeed(deps: ChangeFeedDeps): Promise<ChangeFeed> {
  const { db, monotonicMs } = deps;
  const moments = createMoments(monotonicMs, deps.wallMs);
  const listeners: ChangeListener[] = [];
  let from: string | undefined;
  let server: string | undefined;
  let forgottenTimes: string | null | undefined;
  let answeredAtMs = Number.NEGATIVE_INFINITY;
  // Rows of the last answer. The next answer repeats those that are not older than the oldest running transaction.
  let delivered = new Set<string>();
  let polledAt: Moment = { monotonicMs: Number.NEGATIVE_INFINITY, wallMs: Number.NEGATIVE_INFINITY };
  let running: Promise<void> | undefined;
  let queued: Promise<void> | undefined;
  let closed = false;
  let client: pg.Client | undefined;

  const poll = async (): Promise<void> => {
    const startedAt = moments.now();
    const rows = await db.query<Row>(READ, [from ?? NO_TRANSACTION]);
    const [first] = rows;
    if (first === undefined) throw new Error('the query of the change feed returned no row');
    deps.onTime?.({ askedAtMs: startedAt.monotonicMs, answeredAtMs: monotonicMs(), databaseMs: first.ms });
    const reset =
      from === undefined ||
      // Another server, such as a promoted standby or a restored backup, may lack what was delivered, and number its transactions lower.
      first.started !== server ||
      // Rows that were not delivered are gone.
      (first.isForgotten && first.forgottenTimes !== forgottenTimes) ||
      // The database's clock counts whatever this machine did meanwhile.
      Math.max(first.ms - answeredAtMs, startedAt.monotonicMs - polledAt.monotonicMs) > RESET_MS;
    const isLate = first.ms - answeredAtMs > FRESH_MS || moments.isOlder(polledAt, FRESH_MS);
    from = first.oldest;
    server = first.started;
    forgottenTimes = first.forgottenTimes;
    answeredAtMs = first.ms;
    if (reset) for (const listener of listeners) listener('reset', isLate);
    else {
      for (const row of rows) {
        if (row.kind === null || row.seq === null || delivered.has(row.seq)) continue;
        const change: Change = { kind: row.kind, subject: row.subject ? (JSON.parse(row.subject) as string[]) : [] };
        for (const listener of listeners) listener(change.kind === 'pepper' ? 'reset' : change, isLate);
      }
    }
    delivered = new Set(rows.flatMap((row) => row.seq ?? []));
    polledAt = startedAt;
  };

  // A poll in flight may have taken its snapshot before the caller's change: such a caller gets the next poll.
  const refresh = (): Promise<void> => {
    if (running === undefined) {
      running = poll().finally(() => {
        running = undefined;
      });
      return running;
    }
    queued ??= running
      .catch(() => undefined)
      .then(() => {
        queued = undefined;
        return refresh();
      });
    return queued;
  };

  const answered = async (): Promise<void> => {
    await (running ?? refresh());
    if (!moments.isOlder(polledAt, 2 * FRESH_MS)) return;
    // No poll takes so long: this process stood still meanwhile.
    await (running ?? refresh());
    if (!moments.isOlder(polledAt, 2 * FRESH_MS)) return;
    throw new ApiError('E6002', 'The database answers too slowly now; the request may be repeated.', {
      headers: { 'retry-after': '1' },
    });
  };

  // Joins a poll in flight instead of waiting for the next one: while PostgreSQL is away a request must fail soon. If
  // that poll fails right after the call, another one is tried: it began long before, this process may have been
  // suspended, or the wall clock has been set.
  const catchUp = async (): Promise<void> => {
    const calledAtMs = monotonicMs();
    try {
      return await answered();
    } catch (error) {
      if (monotonicMs() - calledAtMs > POLL_AGAIN_MS) throw error;
    }
    await answered();
  };

  const quietly = (): void => {
    if (!closed) refresh().catch(deps.onError);
  };

  const listen = async (): Promise<void> => {
    if (closed || client !== undefined) return;
    const next = new DatabaseClient({
      connectionString: deps.databaseUrl,
      application_name: 'custos-changes',
      keepAlive: true,
      connectionTimeoutMillis: OPEN_TIMEOUT_MS,
    });
    client = next;
    const drop = (): void => {
      if (client === next) client = undefined;
    };
    next.on('error', (error) => {
      drop();
      deps.onError(error);
    });
    next.on('end', drop);
    next.on('notification', ({ channel, payload }) => {
      if (channel === SETTLED_CHANNEL) return deps.onSettled?.();
      if (channel !== ENFORCEMENT_CHANNEL) return quietly();
      const tookMs = tookMsOf(payload);
      if (tookMs !== undefined) deps.onEnforcement?.(tookMs);
    });
    try {
      await next.connect();
      await next.query('LISTEN custos_change');
      if (deps.onSettled !== undefined) {
        await next.query(`LISTEN ${SETTLED_CHANNEL}`);
        deps.onSettled();
      }
      if (deps.onEnforcement !== undefined) await next.query(`LISTEN ${ENFORCEMENT_CHANNEL}`);
    } catch (error) {
      drop();
      await next.end().catch(() => undefined);
      deps.onError(asApiError(error));
    }
  };

  await refresh();
  await listen();
  const timer = setInterval(() => {
    quietly();
    void listen();
  }, POLL_MS);

  return {
    subscribe: (listener) => void listeners.push(listener),
    refresh,
    ensureFresh: () => (moments.isOlder(polledAt, FRESH_MS) ? catchUp() : undefined),
    async close() {
      closed = true;
      clearInterval(timer);
      await client?.end().catch(() => undefined);
      await running?.catch(() => undefined);
    },
  };
}

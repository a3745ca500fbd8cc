// Pool clients that never leave more sessions on the server than the pool may have, and open few of them at a time.
//
// A client that abandons a statement closes its socket, but the server does not notice while it waits: a commit waits for
// an absent synchronous standby without any timeout. A pool that opened another connection each time would fill the
// server. Here an abandoned session counts until the server is done with it. It is not cancelled, because that would make
// a commit visible that no standby has.
//
// After a server was away, all requests of a process need a connection. On a busy machine so many openings at once would each take longer
// than their deadline, be given up, and begin again: none would ever succeed.
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { DatabaseClient } from './client.ts';

/** How often the server is asked whether it still works for abandoned sessions, and the deadline of the answer. */
const CHECK_MS = 5_000;
const ANSWER_MS = 2_000;

/**
 * How long a client waits for a session to end before it is refused, and how often it looks. A busy server needs a while to end even a
 * session that does nothing. Never zero: a destroyed socket closes in a later turn of the event loop, and a caller that retries at once
 * would starve that turn.
 */
const REFUSE_AFTER_MS = 1_000;
const LOOK_AGAIN_MS = 50;

/** Connections of a pool that are being opened at a time. */
const OPENED_AT_ONCE = 2;

const WORKING = `SELECT pid FROM pg_stat_activity WHERE pid = ANY($1::int[]) AND state = 'active'`;

/**
 * Members of pg's client that its types don't declare. There is no public way to ask whether a statement is in flight.
 */
interface Inner {
  readonly processID: number | null;
  readonly _queryable: boolean;
  _getActiveQuery(): unknown;
}

/** A `Client` class for one pool. @param most sessions at once, as many as the pool has connections */
export function boundedClient(most: number): typeof pg.Client {
  let open = 0;
  let opening = 0;
  /** Clients that wait until fewer others are being opened. */
  const turns: (() => void)[] = [];
  /** A client is not being opened any more: the one that waits longest is now, so that no later one comes before it. */
  const passOn = (): void => {
    const next = turns.shift();
    if (next === undefined) opening -= 1;
    else next();
  };
  const abandoned = new Set<BoundedClient>();
  let timer: NodeJS.Timeout | undefined;

  class BoundedClient extends DatabaseClient {
    private readonly settings: pg.ClientConfig | undefined;
    private isEnded = false;

    constructor(settings?: string | pg.ClientConfig) {
      super(settings);
      this.settings = typeof settings === 'string' ? { connectionString: settings } : settings;
    }

    // One signature for both calls: with a callback (by the pool) and for a promise.
    override connect(callback?: (...given: never[]) => void): Promise<pg.Client> & void {
      const done = callback as ((error: Error | null, client?: pg.Client) => void) | undefined;
      if (open < most && opening < OPENED_AT_ONCE) {
        opening += 1;
        return this.connectNow(done);
      }
      const connecting = this.turn().then(() => {
        if (open < most && !this.isGivenUp()) return this.connectNow(done);
        passOn();
        const error = new Error(
          this.isGivenUp()
            ? 'Connection terminated: it took too long'
            : 'Connection terminated: the server still works for all abandoned sessions',
        );
        if (done === undefined) throw error;
        // As in pg: an exception of the callback must not reject the promise.
        process.nextTick(done, error);
        return this;
      });
      return connecting as Promise<pg.Client> & void;
    }

    /** Until another session has ended, as far as one waits for that, and this client is among the few that are being opened. */
    private async turn(): Promise<void> {
      const lastMs = performance.now() + REFUSE_AFTER_MS;
      while (open >= most && !this.isGivenUp() && performance.now() < lastMs) await delay(LOOK_AGAIN_MS);
      if (opening < OPENED_AT_ONCE) opening += 1;
      else await new Promise<void>((next) => turns.push(next));
    }

    /** A pool destroys the socket of a client that it does not wait for any more. */
    private isGivenUp(): boolean {
      return this.isEnded || this.connection.stream.destroyed;
    }

    /** For a client that counts as being opened. */
    private connectNow(
      done: ((error: Error | null, client?: pg.Client) => void) | undefined,
    ): Promise<pg.Client> & void {
      open += 1;
      let isOpening = true;
      const opened = (): void => {
        if (isOpening) passOn();
        isOpening = false;
      };
      this.once('end', () => {
        open -= 1;
        abandoned.delete(this);
        opened();
      });
      if (done === undefined) return super.connect().finally(opened) as Promise<pg.Client> & void;
      return super.connect((error: Error | null, client?: pg.Client) => {
        opened();
        done(error, client);
      });
    }

    override end(): Promise<void>;
    override end(callback: (error: Error) => void): void;
    override end(callback?: (error: Error) => void): Promise<void> | void {
      this.isEnded = true;
      const inner = this as unknown as Inner;
      const isWorking = inner._queryable && Boolean(inner._getActiveQuery());
      if (!isWorking) return callback === undefined ? super.end() : super.end(callback);
      this.abandon();
      if (callback === undefined) return Promise.resolve();
      (callback as () => void)();
    }

    /** Keeps the socket until the server answers, or is known to do no work for it. */
    private abandon(): void {
      if (abandoned.has(this)) return;
      abandoned.add(this);
      this.connection.once('readyForQuery', () => void super.end());
      // It must not keep the process alive.
      (this.connection.stream as Partial<Pick<Socket, 'unref'>>).unref?.();
      scheduleCheck(this.settings);
    }

    get pid(): number {
      return (this as unknown as Inner).processID ?? 0;
    }

    drop(): void {
      this.connection.stream.destroy();
    }
  }

  /** Destroys the sockets of sessions for which the server does no work: their answers were lost. */
  const checkOnce = async (settings: pg.ClientConfig | undefined): Promise<void> => {
    const checked = [...abandoned];
    const client = new DatabaseClient({
      ...settings,
      application_name: 'custos-sessions',
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    });
    try {
      await client.connect();
      const { rows } = await client.query<{ pid: number }>(WORKING, [checked.map(({ pid }) => pid)]);
      const working = new Set(rows.map(({ pid }) => pid));
      for (const one of checked) if (!working.has(one.pid)) one.drop();
    } finally {
      await client.end().catch(() => undefined);
    }
  };

  const scheduleCheck = (settings: pg.ClientConfig | undefined): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (abandoned.size === 0) return;
      // While the server does not answer, nothing is known, and nothing can be opened either.
      checkOnce(settings)
        .catch(() => undefined)
        .finally(() => {
          if (abandoned.size > 0) scheduleCheck(settings);
        });
    }, CHECK_MS).unref();
  };

  return BoundedClient;
}

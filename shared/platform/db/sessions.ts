// Clients of a pool that never leave more sessions on the server than the pool may have.
//
// A client that gives up a statement closes its socket, but the server does not look at it while it waits: a commit waits
// for a synchronous standby for as long as that is away, and no timeout of PostgreSQL ends this wait. A pool that opens
// another connection each time fills the server. Here a session that was given up counts until the server is done with it.
// It is not cancelled: that would make a commit visible that no standby has.
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/** How often it is asked whether the server still works for sessions that were given up, and how long that may take. */
const LOOK_MS = 5_000;
const ANSWER_MS = 2_000;

/**
 * How long a client waits for a session to end before it is refused. Never at once: a socket that was cut ends in a later
 * turn of the event loop, and whoever repeats at once would keep that turn from coming.
 */
const REFUSE_AFTER_MS = 50;

const WORKING = `SELECT pid FROM pg_stat_activity WHERE pid = ANY($1::int[]) AND state = 'active'`;

/** What pg does not declare of its client. */
interface Inner {
  readonly processID: number | null;
  readonly _queryable: boolean;
  _getActiveQuery(): unknown;
}

/** A `Client` for one pool. @param most sessions at once, as many as the pool has connections */
export function boundedClient(most: number): typeof pg.Client {
  let open = 0;
  const givenUp = new Set<BoundedClient>();
  let timer: NodeJS.Timeout | undefined;

  class BoundedClient extends pg.Client {
    private readonly settings: pg.ClientConfig | undefined;
    private isEnded = false;

    constructor(settings?: string | pg.ClientConfig) {
      super(settings);
      this.settings = typeof settings === 'string' ? { connectionString: settings } : settings;
    }

    // One signature for both ways in which pg is called: with a callback (by its pool), and for a promise.
    override connect(callback?: (...given: never[]) => void): Promise<pg.Client> & void {
      const told = callback as ((error: Error | null, client?: pg.Client) => void) | undefined;
      if (open < most) return this.connectNow(told);
      const connecting = delay(REFUSE_AFTER_MS).then(() => {
        if (open < most && !this.isEnded) return this.connectNow(told);
        const error = new Error('Connection terminated: the server still works for all sessions that were given up');
        if (told === undefined) throw error;
        // As pg does: what a callback throws is nobody's to catch.
        process.nextTick(told, error);
        return this;
      });
      return connecting as Promise<pg.Client> & void;
    }

    private connectNow(
      told: ((error: Error | null, client?: pg.Client) => void) | undefined,
    ): Promise<pg.Client> & void {
      open += 1;
      this.once('end', () => {
        open -= 1;
        givenUp.delete(this);
      });
      const connecting = told === undefined ? super.connect() : super.connect(told as (error: Error) => void);
      return connecting as Promise<pg.Client> & void;
    }

    override end(): Promise<void>;
    override end(callback: (error: Error) => void): void;
    override end(callback?: (error: Error) => void): Promise<void> | void {
      this.isEnded = true;
      const inner = this as unknown as Inner;
      const isWorking = inner._queryable && Boolean(inner._getActiveQuery());
      if (!isWorking) return callback === undefined ? super.end() : super.end(callback);
      this.giveUp();
      if (callback === undefined) return Promise.resolve();
      (callback as () => void)();
    }

    /** Keeps the socket until the server answers, or is known to do nothing for it any more. */
    private giveUp(): void {
      if (givenUp.has(this)) return;
      givenUp.add(this);
      this.on('error', () => undefined);
      this.connection.once('readyForQuery', () => void super.end());
      // It keeps no process from ending.
      (this.connection.stream as Partial<Pick<Socket, 'unref'>>).unref?.();
      look(this.settings);
    }

    get pid(): number {
      return (this as unknown as Inner).processID ?? 0;
    }

    drop(): void {
      this.connection.stream.destroy();
    }
  }

  /** Drops those for which the server does nothing any more: their answers were lost. */
  const lookOnce = async (settings: pg.ClientConfig | undefined): Promise<void> => {
    const asked = [...givenUp];
    const client = new pg.Client({
      ...settings,
      application_name: 'custos-sessions',
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<{ pid: number }>(WORKING, [asked.map(({ pid }) => pid)]);
      const working = new Set(rows.map(({ pid }) => pid));
      for (const one of asked) if (!working.has(one.pid)) one.drop();
    } finally {
      await client.end().catch(() => undefined);
    }
  };

  const look = (settings: pg.ClientConfig | undefined): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (givenUp.size === 0) return;
      // While the server cannot be asked nothing is known, and nothing new can be opened either.
      lookOnce(settings)
        .catch(() => undefined)
        .finally(() => {
          if (givenUp.size > 0) look(settings);
        });
    }, LOOK_MS).unref();
  };

  return BoundedClient;
}

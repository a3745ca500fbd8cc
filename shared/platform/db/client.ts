// The client of every connection to PostgreSQL. Of an address with several servers, which pg does not know, it takes the one that accepts writes.
import pg from 'pg';
import { startDeadline } from './deadline.ts';
import { serverAddresses } from '../../kernel/database-servers.ts';

/** Time for a server to tell whether it accepts writes. With two servers less than a request waits for a connection. */
const PROBE_TIMEOUT_MS = 600;
/** Connections that are opened together are not preceded by a question each. */
const TRUSTED_MS = 1_000;

/** What is known of the servers of an address. */
interface Servers {
  readonly addresses: readonly string[];
  /** The last one that accepted writes. */
  writable: number;
  askedAtMs: number;
  asking: Promise<string> | undefined;
}

const known = new Map<string, Servers>();

function serversOf(address: string): Servers | undefined {
  const addresses = serverAddresses(address);
  if (addresses.length === 1) return undefined;
  let servers = known.get(address);
  if (servers === undefined)
    known.set(address, (servers = { addresses, writable: 0, askedAtMs: Number.NEGATIVE_INFINITY, asking: undefined }));
  return servers;
}

/** @throws the driver's error when the server does not answer */
async function acceptsWrites(address: string): Promise<boolean> {
  const client = new DatabaseClient({
    connectionString: address,
    application_name: 'custos-servers',
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  try {
    await client.connect();
    // On for a standby, and for a server that accepts no writes for another reason.
    const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
    return rows[0]?.transaction_read_only === 'off';
  } finally {
    // Not awaited: a server that hangs does not end the session.
    void client.end().catch(() => undefined);
  }
}

/** In order, but the last one first: with two primaries a process must not change between them. */
async function findWritable(servers: Servers): Promise<string> {
  const { addresses, writable } = servers;
  let problem: Error | undefined;
  for (const index of new Set([writable, ...addresses.keys()])) {
    const address = addresses[index] ?? '';
    try {
      if (!(await acceptsWrites(address))) continue;
      servers.writable = index;
      servers.askedAtMs = performance.now();
      return address;
    } catch (error) {
      // pg rejects with errors only.
      problem = error as Error;
    }
  }
  // The SQLSTATE read_only_sql_transaction, as a write would get it.
  throw problem ?? Object.assign(new Error('no server of the address accepts writes'), { code: '25006' });
}

function writableServer(servers: Servers): Promise<string> {
  const { addresses, writable, askedAtMs } = servers;
  if (performance.now() - askedAtMs < TRUSTED_MS) return Promise.resolve(addresses[writable] ?? '');
  return (servers.asking ??= findWritable(servers).finally(() => (servers.asking = undefined)));
}

/**
 * pg reads the files that an address names (sslrootcert, sslcert, sslkey) for each client. While one is replaced it may be missing. The
 * SQLSTATE sqlclient_unable_to_establish_sqlconnection: the same work succeeds when the file is back.
 */
function unusableAddress(error: unknown): Error {
  const { message } = error as Error;
  return Object.assign(new Error(`the address can not be used now: ${message}`, { cause: error }), { code: '08001' });
}

/**
 * What each session has, whatever the server, the database or the role has as its default. Another DateStyle writes times that the driver
 * can't read, so that no seal of a row holds; fewer digits write other numbers than were stored; statements are written for READ COMMITTED,
 * and days are those of UTC. They are parameters of the start of a session, which take precedence over all these defaults.
 */
const SESSION: Readonly<Record<string, string>> = {
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  default_transaction_isolation: 'read committed',
};

/** What pg's client sends at the start of a session. Its types do not declare it. */
interface Starting {
  getStartupConf(): Record<string, string>;
}
const pgStart = (pg.Client.prototype as unknown as Starting).getStartupConf;

type Callback = (error: Error | null, client?: pg.Client) => void;
type Answered = (error: Error | undefined, result?: unknown) => void;

const LATE = 'Query read timeout';

/**
 * The client's `query` of a text or a configuration, with a callback or for a promise. What has no answer in time fails with the error of pg's
 * `query_timeout`, and is not sent any more if it still waits for another one: nobody would know that it was done.
 */
function timedQuery(client: pg.Client, answerMs: number): pg.Client['query'] {
  const withCallback = ([asked, values]: readonly unknown[], answered: Answered): unknown => {
    let isOver = false;
    const finish: Answered = (error, result) => {
      if (isOver) return;
      isOver = true;
      cancel();
      answered(error, result);
    };
    const query = new pg.Query(asked as string, values as unknown[], finish);
    const { submit } = query;
    // pg goes on to the next one when it gets an error, which its types do not declare.
    query.submit = (connection) => (isOver ? new Error(LATE) : Reflect.apply(submit, query, [connection])) as void;
    const cancel = startDeadline(answerMs, () => finish(new Error(LATE)));
    return Reflect.apply(pg.Client.prototype.query, client, [query]);
  };
  const query = (...given: unknown[]): unknown => {
    const last = given.at(-1);
    // pg calls its callbacks so.
    if (typeof last === 'function') return withCallback(given.slice(0, -1), last as Answered);
    return new Promise((resolve, reject) => {
      withCallback(given, (error, result) => (error ? reject(error) : resolve(result)));
    }).catch((error: Error) => {
      // As pg does: where it was asked for, instead of where the answer was read.
      Error.captureStackTrace(error);
      throw error;
    });
  };
  // It takes and gives what pg's own does, but for objects of classes of queries.
  return query as pg.Client['query'];
}

/** pg's client, for an address that may have several servers, and whose `query_timeout` does not count time in which this process stood still. */
export class DatabaseClient extends pg.Client {
  private readonly servers: Servers | undefined;
  private readonly unusable: Error | undefined;
  /** The caller's `options`. In pg those of the address would replace them, and with them the search path of the queues. */
  private readonly options: string | undefined;

  constructor(settings?: string | pg.ClientConfig) {
    const given = typeof settings === 'string' ? { connectionString: settings } : settings;
    const servers = given?.connectionString === undefined ? undefined : serversOf(given.connectionString);
    const { query_timeout: answerMs, ...own } = given ?? {};
    const first = servers === undefined ? own : { ...own, connectionString: servers.addresses[0] };
    let unusable: Error | undefined;
    try {
      super(first);
    } catch (error) {
      // A pool also makes clients in callbacks, where an exception would end the process. So it is the connection that fails.
      const { connectionString: _, ...rest } = first;
      super(rest);
      unusable = unusableAddress(error);
    }
    // Whoever waits for a statement is told when the connection breaks. An error without any listener would end the process.
    this.on('error', () => undefined);
    this.servers = servers;
    this.unusable = unusable;
    this.options = given?.options;
    if (answerMs !== undefined) this.query = timedQuery(this, answerMs);
  }

  /** Called by pg when the connection is open. */
  getStartupConf(): Record<string, string> {
    const start = pgStart.call(this);
    // The last one of two values of a parameter counts.
    const options = [...new Set([start['options'], this.options])].filter((given) => given !== undefined).join(' ');
    return { ...start, ...(options === '' ? {} : { options }), ...SESSION };
  }

  // One signature for both calls: with a callback (by the pool) and for a promise.
  override connect(callback?: (...given: never[]) => void): Promise<pg.Client> & void {
    const done = callback as Callback | undefined;
    if (this.unusable !== undefined) return this.refuse(this.unusable, done) as Promise<pg.Client> & void;
    if (this.servers === undefined) return this.connectHere(done);
    const connecting = writableServer(this.servers).then(
      (address) => {
        // A pool that waited too long has given the client up.
        if (this.connection.stream.destroyed)
          return this.refuse(new Error('Connection terminated: it took too long'), done);
        const { host, port, unusable } = new DatabaseClient({ connectionString: address });
        if (unusable !== undefined) return this.refuse(unusable, done);
        this.host = host;
        this.port = port;
        return this.connectHere(done);
      },
      (error: Error) => this.refuse(error, done),
    );
    return connecting as Promise<pg.Client> & void;
  }

  private connectHere(done: Callback | undefined): Promise<pg.Client> & void {
    return (
      done === undefined ? super.connect() : super.connect(done as (error: Error) => void)
    ) as Promise<pg.Client> & void;
  }

  /** As when a server refuses: the client is over. */
  private refuse(error: Error, done: Callback | undefined): Promise<pg.Client> {
    process.nextTick(() => this.emit('end'));
    if (done === undefined) return Promise.reject(error);
    process.nextTick(done, error);
    return Promise.resolve(this);
  }
}

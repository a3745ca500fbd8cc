// Dashboard sessions: a random token in a cookie, and a row that is found by the hash of the token.
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { BoundedCache } from '../../shared/kernel/bounded-cache.ts';
import type { Database, Sql } from '../../shared/platform/db/database.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import { environmentsOf, keyActingIn } from '../../shared/domain/keys/environments.ts';
import { loadKey } from '../../shared/domain/keys/lookup.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { writeServiceRecord } from '../../shared/domain/ledger/service-record.ts';
import { type Environment, ENVIRONMENTS } from '../../shared/kernel/vocabulary.ts';
import { genuine, insertSealed, sealedColumns, type SealedRow } from '../../shared/platform/db/seals/rows.ts';

const COOKIE = 'custos_session';
/** A working day with some reserve. Then the key must be entered again, also when the session was used all the time. */
export const SESSION_MS = 12 * 3_600_000;
/** A session ends after this time without a request that a person caused; live numbers do not count. */
export const IDLE_MS = 3_600_000;
/** The time of the last request is stored once a minute at most. */
const TOUCH_MS = 60_000;
/** Sessions of one key. Beyond that the least recently used one ends, so that repeated sign-ins cannot fill the table. */
export const MAX_SESSIONS_PER_KEY = 50;
/** Tokens that were valid lately: their requests are not limited together with those of strangers at the same address. */
const MAX_RECENT_TOKENS = 1_000;

/** Deletes expired sessions and those of the key beyond its limit, and returns the latter. */
const MAKE_ROOM = `WITH ended AS (DELETE FROM dashboard_session WHERE expires_at <= $2 OR token_hash IN
      (SELECT token_hash FROM dashboard_session WHERE key_id = $1 ORDER BY last_seen_at DESC, created_at DESC OFFSET ${MAX_SESSIONS_PER_KEY - 1})
      RETURNING token_hash, key_id, expires_at)
    SELECT token_hash FROM ended WHERE key_id = $1 AND expires_at > $2`;
const FIND = `SELECT ${sealedColumns('dashboard_session', 's')} FROM dashboard_session s WHERE token_hash = $1`;
const TOUCH = 'UPDATE dashboard_session SET last_seen_at = $2, seal = $3 WHERE token_hash = $1 AND seal = $4';
const END = `WITH ended AS (DELETE FROM dashboard_session WHERE token_hash = $1 RETURNING key_id)
    SELECT api_key.key_id AS "keyId", organisation_id AS "organisationId", api_key.environment FROM ended JOIN api_key USING (key_id)`;

export interface Session {
  /** The key, acting in the environment of the session. */
  readonly key: AuthenticatedKey;
  /** In which the session may act (see environmentsOf). */
  readonly environments: readonly Environment[];
  readonly expiresAtMs: number;
}

/** A session that is replaced by one in another environment. */
interface Replaced {
  readonly hash: Buffer;
  /** In which the new session acts. */
  readonly environment: Environment;
  /** Also of the new session: switching does not prolong it. */
  readonly expiresAtMs: number;
}

export interface SessionsDeps {
  readonly db: Database;
  readonly nowMs: () => number;
  /** Whether the cookie may only travel over TLS. */
  readonly secure: boolean;
  /** Called with every use of a key. */
  readonly onUse: (keyId: string, atMs: number) => void;
}

export interface OpenedSession {
  readonly session: Session;
  readonly cookie: string;
}

export interface Sessions {
  /** Creates a session. @returns it with its Set-Cookie header */
  open(key: AuthenticatedKey): Promise<OpenedSession>;
  /**
   * Replaces the session of a request's cookie by one that acts in another environment, with a new token and the same expiry.
   * @throws {ApiError} E1004 its key has no authority there; and as `find`
   */
  switch(headers: IncomingHttpHeaders, environment: Environment): Promise<OpenedSession>;
  /**
   * The session of a request's cookie. The key's row is read each time, so that revoking a key ends its sessions at once.
   * @param active whether a person caused the request, which keeps the session from becoming idle
   * @param beforeLookUp called before the database is queried for a token that was not valid lately; may throw
   * @throws {ApiError} E1001 not signed in, or the session has ended; E1002 key revoked; E1003 key expired; E6002
   */
  find(headers: IncomingHttpHeaders, active: boolean, beforeLookUp?: () => void): Promise<Session>;
  /** Ends the session, if there is one. @returns the Set-Cookie header that deletes the cookie */
  end(headers: IncomingHttpHeaders): Promise<string>;
  /** The Set-Cookie header that deletes the cookie. */
  readonly deleteCookie: string;
}

export function createSessions({ db, nowMs, secure, onUse }: SessionsDeps): Sessions {
  const attributes = `HttpOnly; SameSite=Strict; Path=/dashboard${secure ? '; Secure' : ''}`;
  const deleteCookie = `${COOKIE}=; Max-Age=0; ${attributes}`;
  /** Hashes of tokens. A hash in here skips `beforeLookUp` and nothing else. */
  const recent = new BoundedCache<true>({ max: MAX_RECENT_TOKENS });
  /** @returns whether there was such a session */
  const endIn = async (sql: Sql, hash: Buffer): Promise<boolean> => {
    recent.delete(hash.toString('hex'));
    const [key] = await sql.query<SessionKey>(END, [hash]);
    if (key !== undefined) await recordChange(sql, key, hash, { change: 'ended' }, nowMs());
    return key !== undefined;
  };
  const end = (hash: Buffer): Promise<boolean> => db.transaction((sql) => endIn(sql, hash));
  /** Stores the time of use, unless a concurrent request has just done so (optimistic concurrency by the row's seal). */
  const touch = async (row: SealedRow<'dashboard_session'>, now: number): Promise<void> => {
    const touched = { ...row, last_seen_at: new Date(now) };
    const seal = db.seals.sealOf('dashboard_session', touched);
    await db.query(TOUCH, [row.token_hash, touched.last_seen_at, seal, row.seal]);
  };
  /** Ends a session that is not valid any more. @throws {ApiError} `error` */
  const refuse = async (hash: Buffer, error: ApiError): Promise<never> => {
    await end(hash);
    throw error;
  };

  /** @param key with its own environment, in whose log the session is recorded */
  const open = async (key: AuthenticatedKey, replaced?: Replaced): Promise<OpenedSession> => {
    const token = randomBytes(32).toString('base64url');
    const now = nowMs();
    const expiresAtMs =
      replaced?.expiresAtMs ?? Math.min(now + SESSION_MS, key.expiresAtMs ?? Number.POSITIVE_INFINITY);
    const environment =
      replaced === undefined || replaced.environment === key.environment ? null : replaced.environment;
    const hash = hashOf(token);
    await db.transaction(async (sql) => {
      // In the same transaction: signing out in another window at this moment must not leave a new session.
      if (replaced !== undefined && !(await endIn(sql, replaced.hash)))
        throw new ApiError('E1001', 'Your session has ended; sign in again.');
      const ended = await sql.query<{ token_hash: Buffer }>(MAKE_ROOM, [key.keyId, new Date(now)]);
      for (const { token_hash: old } of ended) await recordChange(sql, key, old, { change: 'ended' }, now);
      await insertSealed(sql, 'dashboard_session', {
        token_hash: hash,
        key_id: key.keyId,
        created_at: new Date(now),
        last_seen_at: new Date(now),
        expires_at: new Date(expiresAtMs),
        environment,
      });
      const expiresAt = new Date(expiresAtMs).toISOString();
      const acting = environment === null ? {} : { environment };
      await recordChange(sql, key, hash, { change: 'opened', expiresAt, ...acting }, now);
    });
    recent.set(hash.toString('hex'), true);
    const maxAge = Math.max(1, Math.floor((expiresAtMs - now) / 1_000));
    return {
      session: {
        key: { ...key, environment: environment ?? key.environment },
        environments: environmentsOf(key),
        expiresAtMs,
      },
      cookie: `${COOKIE}=${token}; Max-Age=${maxAge}; ${attributes}`,
    };
  };

  /** The session of a cookie with its row and the key in its own environment. @throws {ApiError} as `find` */
  const read = async (headers: IncomingHttpHeaders, beforeLookUp?: () => void): Promise<FoundSession> => {
    const token = tokenOf(headers);
    if (token === undefined) throw new ApiError('E1001', 'You are not signed in.');
    const hash = hashOf(token);
    const name = hash.toString('hex');
    if (recent.get(name) === undefined) beforeLookUp?.();
    const [row] = genuine(db, 'dashboard_session', await db.query<SealedRow<'dashboard_session'>>(FIND, [hash]));
    if (row === undefined) {
      recent.delete(name);
      throw new ApiError('E1001', 'Your session has ended; sign in again.');
    }
    const now = nowMs();
    const stored = await loadKey(db, row.key_id);
    if (stored === undefined || stored.revoked)
      return refuse(hash, new ApiError('E1002', 'The key that you signed in with has been revoked.'));
    const { key } = stored;
    if (key.expiresAtMs !== null && now >= key.expiresAtMs)
      return refuse(hash, new ApiError('E1003', 'The key that you signed in with has expired.'));
    if (now >= row.expires_at.getTime())
      return refuse(hash, new ApiError('E1001', 'Your session has ended after 12 hours; sign in again.'));
    if (now - row.last_seen_at.getTime() >= IDLE_MS)
      return refuse(hash, new ApiError('E1001', 'Your session has ended after an hour without use; sign in again.'));
    recent.set(name, true);
    return { row, key, now };
  };

  return {
    open,
    async switch(headers, environment) {
      const { row, key } = await read(headers);
      if (keyActingIn(key, environment) === undefined)
        throw new ApiError(
          'E1004',
          `A ${key.environment} key has no authority in ${environment}; sign in with a live key, or a ${environment} one.`,
        );
      return open(key, { hash: row.token_hash, environment, expiresAtMs: row.expires_at.getTime() });
    },
    async find(headers, active, beforeLookUp) {
      const { row, key, now } = await read(headers, beforeLookUp);
      if (active) {
        onUse(key.keyId, now);
        if (now - row.last_seen_at.getTime() >= TOUCH_MS) await touch(row, now);
      }
      const environment = row.environment ?? key.environment;
      const acting = ENVIRONMENTS.find((each) => each === environment);
      const actingKey = acting === undefined ? undefined : keyActingIn(key, acting);
      if (actingKey === undefined)
        return refuse(row.token_hash, new ApiError('E1001', 'Your session has ended; sign in again.'));
      return { key: actingKey, environments: environmentsOf(key), expiresAtMs: row.expires_at.getTime() };
    },
    async end(headers) {
      const token = tokenOf(headers);
      if (token !== undefined) await end(hashOf(token));
      return deleteCookie;
    },
    deleteCookie,
  };
}

interface FoundSession {
  readonly row: SealedRow<'dashboard_session'>;
  readonly key: AuthenticatedKey;
  readonly now: number;
}

type SessionKey = Pick<AuthenticatedKey, 'keyId' | 'organisationId' | 'environment'>;

/** Records the beginning or end of a session in the ledger. The hash of 256 random bits identifies it there and grants nothing. */
function recordChange(sql: Sql, key: SessionKey, hash: Buffer, change: object, nowMs: number): Promise<void> {
  const { organisationId, environment, keyId } = key;
  const body = { sessionId: hash.toString('hex'), keyId, ...change };
  return writeServiceRecord(sql, { organisationId, environment, event: 'custos.session', body }, nowMs);
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The token in the cookie. Two cookies with this name mean that somebody planted one: neither is trusted. */
function tokenOf(headers: IncomingHttpHeaders): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const [pair, second] = pairs.filter((each) => each.startsWith(`${COOKIE}=`));
  const value = pair?.slice(COOKIE.length + 1);
  return value !== undefined && second === undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}

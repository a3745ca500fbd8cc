// Who is signed in to the operators' pages: a random token in a cookie, and a row that the token's hash finds.
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Database, Sql, Statement } from '../../shared/platform/db/database.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import { toAuthenticated } from '../../shared/domain/keys/authenticator.ts';
import { loadKey } from '../../shared/domain/keys/lookup.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { writeServiceRecord } from '../../shared/domain/ledger/service-record.ts';
import { genuine, insertSealed, sealedColumns, type SealedRow } from '../../shared/platform/db/seals/rows.ts';

const COOKIE = 'custos_session';
/** A working day and some; then the key must be shown again, however busy the session was. */
export const SESSION_MS = 12 * 3_600_000;
/** Without a request of the person's own (live numbers do not count). */
export const IDLE_MS = 3_600_000;
/** How exact the time of the last request is kept: one write a minute. */
const TOUCH_MS = 60_000;
/** Sessions of one key, beyond which the one that was used longest ago ends: who signs in without end fills no table. */
export const MAX_SESSIONS_PER_KEY = 50;
/** Tokens that were good lately, to tell their owners from strangers behind the same address. */
const MAX_KNOWN = 1_000;

/** What is over, and those of the key beyond the limit; the latter are returned. */
const MAKE_ROOM: Statement = {
  name: 'dashboard-session-make-room',
  text: `WITH ended AS (DELETE FROM dashboard_session WHERE expires_at <= $2 OR token_hash IN
      (SELECT token_hash FROM dashboard_session WHERE key_id = $1 ORDER BY last_seen_at DESC, created_at DESC OFFSET ${MAX_SESSIONS_PER_KEY - 1})
      RETURNING token_hash, key_id, expires_at)
    SELECT token_hash FROM ended WHERE key_id = $1 AND expires_at > $2`,
};
const FIND: Statement = {
  name: 'dashboard-session-find',
  text: `SELECT ${sealedColumns('dashboard_session', 's')} FROM dashboard_session s WHERE token_hash = $1`,
};
const TOUCH: Statement = {
  name: 'dashboard-session-touch',
  text: 'UPDATE dashboard_session SET last_seen_at = $2, seal = $3 WHERE token_hash = $1 AND seal = $4',
};
const END: Statement = {
  name: 'dashboard-session-end',
  text: `WITH ended AS (DELETE FROM dashboard_session WHERE token_hash = $1 RETURNING key_id)
    SELECT api_key.key_id AS "keyId", organisation_id AS "organisationId", environment FROM ended JOIN api_key USING (key_id)`,
};

export interface Session {
  readonly key: AuthenticatedKey;
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

export interface Sessions {
  /** A new session of a key. @returns the Set-Cookie header */
  open(key: AuthenticatedKey): Promise<{ readonly session: Session; readonly cookie: string }>;
  /**
   * The session that a request's cookie names. The key's row is read each time: what is revoked is out at once.
   * @param active whether a person asked, which keeps the session from becoming idle
   * @param beforeLookUp called before the database is asked about a token that was not good lately; may throw
   * @throws {ApiError} E1001 not signed in, or the session has ended; E1002 key revoked; E1003 key expired; E6002
   */
  find(headers: IncomingHttpHeaders, active: boolean, beforeLookUp?: () => void): Promise<Session>;
  /** Ends the session, if there is one. @returns the Set-Cookie header that takes the cookie away */
  end(headers: IncomingHttpHeaders): Promise<string>;
  /** The Set-Cookie header that takes the cookie away, whatever becomes of the session. */
  readonly takeAway: string;
}

export function createSessions({ db, nowMs, secure, onUse }: SessionsDeps): Sessions {
  const attributes = `HttpOnly; SameSite=Strict; Path=/dashboard${secure ? '; Secure' : ''}`;
  const takeAway = `${COOKIE}=; Max-Age=0; ${attributes}`;
  /** Hashes of tokens. Nothing is believed of them but that they are worth a look. */
  const known = new LRUCache<string, true>({ max: MAX_KNOWN });
  const end = async (hash: Buffer): Promise<void> => {
    known.delete(hash.toString('hex'));
    await db.transaction(async (sql) => {
      for (const key of await sql.query<SessionKey>(END, [hash]))
        await record(sql, key, hash, { change: 'ended' }, nowMs());
    });
  };
  /** Notes the use, unless another request has just done so: the seal of the row as it was read must still be there. */
  const touch = async (row: SealedRow<'dashboard_session'>, now: number): Promise<void> => {
    const touched = { ...row, last_seen_at: new Date(now) };
    const seal = db.seals.sealOf('dashboard_session', touched);
    await db.query(TOUCH, [row.token_hash, touched.last_seen_at, seal, row.seal]);
  };
  /** Ends a session that has just proven to be over, and says so. */
  const over = async (hash: Buffer, error: ApiError): Promise<never> => {
    await end(hash);
    throw error;
  };

  return {
    async open(key) {
      const token = randomBytes(32).toString('base64url');
      const now = nowMs();
      const expiresAtMs = Math.min(now + SESSION_MS, key.expiresAtMs ?? Number.POSITIVE_INFINITY);
      const hash = hashOf(token);
      await db.transaction(async (sql) => {
        const ended = await sql.query<{ token_hash: Buffer }>(MAKE_ROOM, [key.keyId, new Date(now)]);
        for (const { token_hash: old } of ended) await record(sql, key, old, { change: 'ended' }, now);
        await insertSealed(sql, 'dashboard_session', {
          token_hash: hash,
          key_id: key.keyId,
          created_at: new Date(now),
          last_seen_at: new Date(now),
          expires_at: new Date(expiresAtMs),
        });
        const expiresAt = new Date(expiresAtMs).toISOString();
        await record(sql, key, hash, { change: 'opened', expiresAt }, now);
      });
      known.set(hash.toString('hex'), true);
      const maxAge = Math.max(1, Math.floor((expiresAtMs - now) / 1_000));
      return {
        session: { key, expiresAtMs },
        cookie: `${COOKIE}=${token}; Max-Age=${maxAge}; ${attributes}`,
      };
    },
    async find(headers, active, beforeLookUp) {
      const token = tokenOf(headers);
      if (token === undefined) throw new ApiError('E1001', 'You are not signed in.');
      const hash = hashOf(token);
      const name = hash.toString('hex');
      if (!known.has(name)) beforeLookUp?.();
      const [row] = genuine(db, 'dashboard_session', await db.query<SealedRow<'dashboard_session'>>(FIND, [hash]));
      if (row === undefined) {
        known.delete(name);
        throw new ApiError('E1001', 'Your session has ended; sign in again.');
      }
      const now = nowMs();
      const stored = await loadKey(db, row.key_id);
      if (stored === undefined || stored.revoked)
        return over(hash, new ApiError('E1002', 'The key that you signed in with has been revoked.'));
      const key = toAuthenticated(stored);
      if (key.expiresAtMs !== null && now >= key.expiresAtMs)
        return over(hash, new ApiError('E1003', 'The key that you signed in with has expired.'));
      if (now >= row.expires_at.getTime())
        return over(hash, new ApiError('E1001', 'Your session has ended after 12 hours; sign in again.'));
      if (now - row.last_seen_at.getTime() >= IDLE_MS)
        return over(hash, new ApiError('E1001', 'Your session has ended after an hour without use; sign in again.'));
      known.set(name, true);
      if (active) {
        onUse(key.keyId, now);
        if (now - row.last_seen_at.getTime() >= TOUCH_MS) await touch(row, now);
      }
      return { key, expiresAtMs: row.expires_at.getTime() };
    },
    async end(headers) {
      const token = tokenOf(headers);
      if (token !== undefined) await end(hashOf(token));
      return takeAway;
    },
    takeAway,
  };
}

type SessionKey = Pick<AuthenticatedKey, 'keyId' | 'organisationId' | 'environment'>;

/** A session's beginning and end go to the log; the hash of 256 random bits names it there and opens nothing. */
function record(sql: Sql, key: SessionKey, hash: Buffer, change: object, nowMs: number): Promise<void> {
  const { organisationId, environment, keyId } = key;
  const body = { sessionId: hash.toString('hex'), keyId, ...change };
  return writeServiceRecord(sql, { organisationId, environment, event: 'custos.session', body }, nowMs);
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The cookie's value. Two cookies of one name are somebody's attempt to plant one: neither is believed. */
function tokenOf(headers: IncomingHttpHeaders): string | undefined {
  const values = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${COOKIE}=`))
    .map((pair) => pair.slice(COOKIE.length + 1));
  const [value, second] = values;
  return value !== undefined && second === undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}

// Idempotency-Key: one effect and one answer, however often a request is sent. The answer commits with the effect.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { Database, Sql, Statement } from '../shared/db/database.ts';
import { ApiError } from '../shared/errors.ts';
import type { AuthenticatedKey } from '../shared/keys/types.ts';
import { canonicalize } from '../shared/proof/canonical.ts';
import type { Reply } from './route.ts';

export interface IdempotentRequest {
  readonly key: AuthenticatedKey;
  /** Method and path template: what the caller's key is unique to. */
  readonly route: string;
  /** The path itself: other parameters are another request. */
  readonly path: string;
  readonly idempotencyKey: string;
  readonly body: unknown;
}

/** A claim that this request holds. */
export interface Claim {
  /**
   * Runs `work` in a transaction that also stores its reply, or gives the claim up when the reply is `passing`.
   * @throws {ApiError} E2010 (409) when the claim was lost.
   */
  commit(work: (sql: Sql) => Promise<Reply>): Promise<Reply>;
  /** Gives the claim up unless the reply has been committed. Never throws: a claim that stays expires by itself. */
  release(): Promise<void>;
}

export type Begun =
  | { readonly kind: 'replay'; readonly reply: Reply }
  | { readonly kind: 'claimed'; readonly claim: Claim };

export interface Idempotency {
  /** For a request without an Idempotency-Key: the transaction alone. */
  commit(work: (sql: Sql) => Promise<Reply>): Promise<Reply>;
  /** @throws {ApiError} E2010: running (409, with Retry-After), or the key was used with another body (422). */
  begin(request: IdempotentRequest): Promise<Begun>;
}

export interface IdempotencyDeps {
  readonly db: Pick<Database, 'query' | 'transaction'>;
  /** The service's secret; stored answers are sealed under it and the caller's Idempotency-Key. */
  readonly pepper: Buffer;
}

/** A process that is killed leaves its claim behind for this long; a request that takes longer loses its claim. */
const CLAIM_SECONDS = 30;
const KEPT_HOURS = 24;
const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

const CLAIM: Statement = {
  name: 'idempotency-claim',
  text: `INSERT INTO idempotency AS row (organisation_id, environment, route, key_hash, body_hash, claim, claimed_until, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS}), clock_timestamp())
    ON CONFLICT (organisation_id, environment, route, key_hash) DO UPDATE
    SET body_hash = excluded.body_hash, claim = excluded.claim, claimed_until = excluded.claimed_until,
        created_at = excluded.created_at, status = NULL, answer = NULL
    WHERE (row.status IS NULL AND row.claimed_until < clock_timestamp())
       OR row.created_at < clock_timestamp() - make_interval(hours => ${KEPT_HOURS})
    RETURNING claim`,
};
const READ: Statement = {
  name: 'idempotency-read',
  text: `SELECT body_hash, status, answer FROM idempotency
    WHERE organisation_id = $1 AND environment = $2 AND route = $3 AND key_hash = $4`,
};
const STORE: Statement = {
  name: 'idempotency-store',
  text: `UPDATE idempotency SET status = $6, answer = $7, claim = NULL, claimed_until = NULL
    WHERE organisation_id = $1 AND environment = $2 AND route = $3 AND key_hash = $4 AND claim = $5 RETURNING status`,
};
const RELEASE: Statement = {
  name: 'idempotency-release',
  text: `DELETE FROM idempotency
    WHERE organisation_id = $1 AND environment = $2 AND route = $3 AND key_hash = $4 AND claim = $5 RETURNING claim`,
};

interface Row {
  body_hash: Buffer;
  status: number | null;
  answer: Buffer | null;
}

/** The header's value, checked. @throws {ApiError} E2001 */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && PRINTABLE.test(header)) return header;
  throw new ApiError('E2001', 'The header Idempotency-Key must be 1 to 255 printable ASCII characters.', {
    errors: [{ pointer: '', message: 'the header Idempotency-Key must be 1 to 255 printable ASCII characters' }],
  });
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * What makes two requests the same: path and body, and what the key may do. The stored answer is given without the
 * handler's own checks of bound agents and admin-only members, so a key with other powers does not get it.
 */
function fingerprint(request: IdempotentRequest): Buffer {
  const { key } = request;
  const agents = key.agentIds === null ? null : [...key.agentIds].sort();
  return sha256(canonicalize([request.path, request.body ?? null, agents, key.scopes.has('admin:*')]));
}

/** AES-256-GCM under HKDF-SHA-256(pepper, salt = the caller's Idempotency-Key): the row alone reveals nothing. */
function sealingKey(pepper: Buffer, idempotencyKey: string): Buffer {
  return Buffer.from(hkdfSync('sha256', pepper, idempotencyKey, 'custos idempotency answer 1', 32));
}

/** Nonce (12 bytes), tag (16 bytes), ciphertext. */
function seal(key: Buffer, text: string, associated: Buffer): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(associated);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

function unseal(key: Buffer, sealed: Buffer, associated: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12));
  decipher.setAAD(associated);
  decipher.setAuthTag(sealed.subarray(12, 28));
  return decipher.update(sealed.subarray(28), undefined, 'utf8') + decipher.final('utf8');
}

/** What is stored of a reply: exactly what is sent. */
type Stored = Pick<Reply, 'text' | 'contentType' | 'headers'>;

function asText(reply: Reply): Reply {
  if (reply.text !== undefined || reply.body === undefined) return reply;
  const { body, ...rest } = reply;
  return { ...rest, text: JSON.stringify(body) };
}

/** Carries a reply of 400 or more out of a transaction that must not commit. */
class Refused extends Error {
  readonly reply: Reply;
  constructor(reply: Reply) {
    super('refused');
    this.reply = reply;
  }
}

export function createIdempotency(deps: IdempotencyDeps): Idempotency {
  const { db, pepper } = deps;

  const inTransaction = async (work: (sql: Sql) => Promise<Reply>): Promise<Reply> => {
    try {
      return await db.transaction(async (sql) => {
        const reply = await work(sql);
        if (reply.status >= 400) throw new Refused(reply);
        return reply;
      });
    } catch (error) {
      if (error instanceof Refused) return error.reply;
      throw error;
    }
  };

  const claimOf = (place: readonly unknown[], id: string, sealWith: Buffer, bodyHash: Buffer): Claim => {
    let committed = false;
    return {
      async commit(work) {
        const reply = await inTransaction(async (sql) => {
          const answer = asText(await work(sql));
          if (answer.status >= 400) return answer;
          const stored: Stored = {
            ...(answer.text === undefined ? {} : { text: answer.text }),
            ...(answer.contentType === undefined ? {} : { contentType: answer.contentType }),
            ...(answer.headers === undefined ? {} : { headers: answer.headers }),
          };
          const rows =
            answer.passing === true
              ? await sql.query(RELEASE, [...place, id])
              : await sql.query(STORE, [...place, id, answer.status, seal(sealWith, JSON.stringify(stored), bodyHash)]);
          if (rows.length === 0) throw running('The request took too long and lost its claim; nothing was written.');
          return answer;
        });
        committed = reply.status < 400;
        return reply;
      },
      async release() {
        if (committed) return;
        await db.query(RELEASE, [...place, id]).catch(() => undefined);
      },
    };
  };

  return {
    commit: inTransaction,
    async begin(request) {
      const { key, route, idempotencyKey } = request;
      const place = [key.organisationId, key.environment, route, sha256(idempotencyKey)];
      const bodyHash = fingerprint(request);
      const sealWith = sealingKey(pepper, idempotencyKey);
      const id = randomBytes(16).toString('hex');
      // The row may vanish between the two statements (released): then the claim is tried again.
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const claimed = await db.query(CLAIM, [...place, bodyHash, id]);
        if (claimed.length > 0) return { kind: 'claimed', claim: claimOf(place, id, sealWith, bodyHash) };
        const [row] = await db.query<Row>(READ, place);
        if (row === undefined) continue;
        if (!row.body_hash.equals(bodyHash)) {
          throw new ApiError(
            'E2010',
            'The Idempotency-Key was used with another request; a new request needs a new key.',
            { status: 422 },
          );
        }
        if (row.status === null || row.answer === null) break;
        const stored = JSON.parse(unseal(sealWith, row.answer, bodyHash)) as Stored;
        return {
          kind: 'replay',
          reply: { ...stored, status: row.status, headers: { ...stored.headers, 'idempotent-replayed': 'true' } },
        };
      }
      throw running('The first request with this Idempotency-Key is still running.');
    },
  };
}

function running(detail: string): ApiError {
  return new ApiError('E2010', detail, { status: 409, headers: { 'retry-after': '1' } });
}

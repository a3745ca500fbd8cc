// Idempotency-Key: one effect and one answer, however often a request is sent. The answer commits with the effect.
import { createHash, randomBytes } from 'node:crypto';
import type { Database, EntitySql } from '../../shared/platform/db/database.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { canonicalize } from '../../shared/core/proof/canonical.ts';
import { CLAIM, READ, RELEASE, STORE, type StoredRow } from './idempotency-rows.ts';
import { seal, sealingKey, unsealed } from './idempotency-seal.ts';
import type { Reply } from '../route.ts';

export interface IdempotentRequest {
  readonly key: AuthenticatedKey;
  /** Method and path template: what the caller's key is unique to, with the line of its API key. */
  readonly route: string;
  /** The path itself: other parameters are another request. */
  readonly path: string;
  readonly idempotencyKey: string;
  readonly body: unknown;
}

/** A claim that this request holds. */
export interface Claim {
  /** What an earlier request with this key has kept, of which a part is still to be done; undefined: nothing. */
  readonly earlier: unknown;
  /**
   * Runs `work` in a transaction that also stores its reply. @throws {ApiError} E2010 (409) when the claim was lost.
   */
  commit(work: (sql: EntitySql) => Promise<Reply>): Promise<Reply>;
  /** Gives the claim up unless the reply has been committed. Never throws: what cannot be given up now is soon after. */
  release(): Promise<void>;
}

export type Begun =
  | { readonly kind: 'replay'; readonly reply: Reply }
  | { readonly kind: 'claimed'; readonly claim: Claim };

export interface Idempotency {
  /** For a request without an Idempotency-Key: the transaction alone. */
  commit(work: (sql: EntitySql) => Promise<Reply>): Promise<Reply>;
  /** @throws {ApiError} E2010: running (409, with Retry-After), or the key was used with another body (422). */
  begin(request: IdempotentRequest): Promise<Begun>;
  close(): void;
}

export interface IdempotencyDeps {
  readonly db: Pick<Database, 'query' | 'transaction'>;
  /** The service's secret; stored answers are sealed under it and the caller's Idempotency-Key. */
  readonly pepper: Buffer;
  /** The one before the last rotation: answers that were sealed under it can still be given. */
  readonly pepperPrevious?: Buffer;
  /** Names this process among the signs of life; absent: its claims end only by themselves. */
  readonly processId?: string;
  readonly monotonicMs: () => number;
}

/** How often a claim that could not be given up, because the database was away, is tried again. */
const RELEASE_AGAIN_MS = 250;
/** By then it has run out by itself. */
const RELEASE_WITHIN_MS = 30_000;
const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

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

/** What is stored of a reply: what is sent, or what is kept in its place. */
type Stored = Pick<Reply, 'text' | 'contentType' | 'headers' | 'kept'>;

function storedOf({ kept, text, body, contentType, headers }: Reply): Stored {
  const content = kept !== undefined ? { kept } : text !== undefined ? { text } : {};
  const written = kept === undefined && text === undefined && body !== undefined ? { text: JSON.stringify(body) } : {};
  return {
    ...content,
    ...written,
    ...(contentType === undefined ? {} : { contentType }),
    ...(headers === undefined ? {} : { headers }),
  };
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
  const { db, pepper, pepperPrevious, processId, monotonicMs } = deps;
  /** Claims of this process that nobody works on any more, by claim; and until when it matters. */
  const unreleased = new Map<string, { readonly values: readonly unknown[]; readonly untilMs: number }>();
  let timer: NodeJS.Timeout | undefined;

  const releaseAgain = async (): Promise<void> => {
    for (const [claim, { values, untilMs }] of unreleased) {
      const isFree = await db.query(RELEASE, values).then(
        () => true,
        () => monotonicMs() >= untilMs,
      );
      if (isFree) unreleased.delete(claim);
      // The database is still away: the others would only wait for the same.
      else break;
    }
    timer = undefined;
    if (unreleased.size > 0) schedule();
  };
  const schedule = (): void => {
    timer ??= setTimeout(() => void releaseAgain(), RELEASE_AGAIN_MS).unref();
  };

  const releaseLater = (values: readonly unknown[], id: string): void => {
    unreleased.set(id, { values, untilMs: monotonicMs() + RELEASE_WITHIN_MS });
    schedule();
  };

  /** Claims, if it can be had. One whose outcome is unknown is given up later: nobody would work on it. */
  const claim = (place: readonly unknown[], rest: readonly [Buffer, string, string | null]) =>
    db.query<Pick<StoredRow, 'answer'>>(CLAIM, [...place, ...rest]).catch((error: unknown) => {
      releaseLater([...place, rest[1]], rest[1]);
      throw error;
    });

  const inTransaction = async (work: (sql: EntitySql) => Promise<Reply>): Promise<Reply> => {
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

  const claimOf = (
    place: readonly unknown[],
    id: string,
    sealed: (text: string) => Buffer,
    earlier: unknown,
  ): Claim => {
    let committed = false;
    return {
      earlier,
      async commit(work) {
        const reply = await inTransaction(async (sql) => {
          const answer = await work(sql);
          if (answer.status >= 400) return answer;
          const content = sealed(JSON.stringify(storedOf(answer)));
          const values = [...place, id, answer.status, content, answer.unfinished === true];
          if ((await sql.query(STORE, values)).length === 0)
            throw running('The request took too long and lost its claim; nothing was written.', 1);
          return answer;
        });
        committed = reply.status < 400;
        return reply;
      },
      async release() {
        if (committed) return;
        const values = [...place, id];
        await db.query(RELEASE, values).catch(() => releaseLater(values, id));
      },
    };
  };

  return {
    commit: inTransaction,
    async begin(request) {
      const { key, route, idempotencyKey } = request;
      // Of one line of keys: what another key was answered is none of this one's business, and names that other key.
      const place = [key.organisationId, key.environment, route, sha256(`${key.lineage}\n${idempotencyKey}`)];
      const bodyHash = fingerprint(request);
      const sealWith = sealingKey(pepper, idempotencyKey);
      const opened = (answer: Buffer): Stored | undefined => {
        const peppers = pepperPrevious === undefined ? [pepper] : [pepper, pepperPrevious];
        for (const one of peppers) {
          const text = unsealed(sealingKey(one, idempotencyKey), answer, bodyHash);
          if (text !== undefined) return JSON.parse(text) as Stored;
        }
        return undefined;
      };
      const id = randomBytes(16).toString('hex');
      let waitSeconds = 1;
      // The row may vanish between the two statements (released): then the claim is tried again.
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const [claimed] = await claim(place, [bodyHash, id, processId ?? null]);
        if (claimed !== undefined) {
          const claimHeld = (earlier: unknown): Claim =>
            claimOf(place, id, (text) => seal(sealWith, text, bodyHash), earlier);
          if (claimed.answer === null) return { kind: 'claimed', claim: claimHeld(undefined) };
          const earlier = opened(claimed.answer);
          if (earlier !== undefined) return { kind: 'claimed', claim: claimHeld(earlier.kept) };
          await claimHeld(undefined).release();
          throw unreadable();
        }
        const [row] = await db.query<StoredRow>(READ, place);
        if (row === undefined) continue;
        if (!row.body_hash.equals(bodyHash)) {
          throw new ApiError(
            'E2010',
            'The Idempotency-Key was used with another request; a new request needs a new key.',
            { status: 422 },
          );
        }
        if (row.status === null || row.answer === null || row.is_open) {
          waitSeconds = row.wait_seconds;
          break;
        }
        const answer = opened(row.answer);
        if (answer === undefined) throw unreadable();
        const { kept, ...stored } = answer;
        return { kind: 'replay', reply: { ...stored, ...(kept === undefined ? {} : { kept }), status: row.status } };
      }
      throw running('The first request with this Idempotency-Key is still running.', waitSeconds);
    },
    close() {
      clearTimeout(timer);
      unreleased.clear();
    },
  };
}

function running(detail: string, waitSeconds: number): ApiError {
  return new ApiError('E2010', detail, { status: 409, headers: { 'retry-after': String(waitSeconds) } });
}

/** Never a second effect: the first request had one, and only its answer is lost. */
function unreadable(): ApiError {
  return new ApiError(
    'E2010',
    "The first request with this Idempotency-Key was answered before the service's secret was changed, and its answer cannot be read any more. See what it did, and use a new key for a new request.",
    { status: 409 },
  );
}

// Idempotency-Key: a repeated request has one effect and gets the same answer, which commits with the effect.
import { createHash, randomBytes } from 'node:crypto';
import type { Database, EntitySql } from '../../shared/platform/db/database.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import type { AuthenticatedKey } from '../../shared/domain/keys/types.ts';
import { canonicalize } from '../../shared/core/proof/canonical.ts';
import { createReleases, type Releases } from './idempotency-releases.ts';
import { CLAIM, READ, RELEASE, STORE, type StoredRow } from './idempotency-rows.ts';
import { seal, sealingKey, unsealed } from './idempotency-seal.ts';
import type { Reply } from '../route.ts';

export interface IdempotentRequest {
  readonly key: AuthenticatedKey;
  /** Method and path template. An Idempotency-Key is unique per route and line of API keys (a key and its rotations). */
  readonly route: string;
  /** The path with its parameters, which belong to the request like its body. */
  readonly path: string;
  readonly idempotencyKey: string;
  readonly body: unknown;
}

/** What a transaction does. */
export type Work = (sql: EntitySql) => Promise<Reply>;
/** Called when everything is written, right before the commit; undoes it by throwing. */
export type Last = (sql: EntitySql) => Promise<void> | undefined;

/** This request's exclusive right to run under its Idempotency-Key. */
export interface Claim {
  /** The `kept` part of an earlier request's unfinished reply; undefined: there is none. */
  readonly earlier: unknown;
  /** Runs `work` in a transaction that also stores its reply. @throws {ApiError} E2010 (409) when the claim was lost */
  commit(work: Work, last: Last): Promise<Reply>;
  /** Releases the claim unless the reply has been committed. Never throws: a failed release is retried. */
  release(): Promise<void>;
}

export type Begun =
  | { readonly kind: 'replay'; readonly reply: Reply }
  | { readonly kind: 'claimed'; readonly claim: Claim };

export interface Idempotency {
  /** For a request without an Idempotency-Key: the transaction alone. */
  commit(work: Work, last: Last): Promise<Reply>;
  /** @throws {ApiError} E2010: running (409, with Retry-After), or the key was used with another request (422) */
  begin(request: IdempotentRequest): Promise<Begun>;
  close(): void;
}

export interface IdempotencyDeps {
  readonly db: Pick<Database, 'query' | 'transaction'>;
  /** The service's secret; stored answers are sealed under it and the caller's Idempotency-Key. */
  readonly pepper: Buffer;
  /** The pepper before the last rotation: answers that were sealed under it can still be replayed. */
  readonly pepperPrevious?: Buffer | undefined;
  /** The id of this process's heartbeats; absent: its claims end only when they expire. */
  readonly processId?: string;
  readonly monotonicMs: () => number;
  /** The time by which a row may be old (platform/db/clock.ts). */
  readonly deletionMs: () => number;
}

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
 * Two requests are the same when they have the same path, body, and rights of their key. A stored answer is sent without
 * the handler's checks of bound agents and admin-only members, so a key with other rights must not get it.
 */
function fingerprint({ key, path, body }: IdempotentRequest): Buffer {
  const agents = key.agentIds === null ? null : [...key.agentIds].sort();
  return sha256(canonicalize([path, body ?? null, agents, key.scopes.has('admin:*')]));
}

/** The stored part of a reply: its text, or `kept` instead of it. */
type StoredReply = Pick<Reply, 'text' | 'contentType' | 'headers' | 'kept'>;

function storedJson({ kept, text, body, contentType, headers }: Reply): string {
  // JSON.stringify leaves out undefined members.
  const content = kept === undefined ? { text: text ?? (body === undefined ? body : JSON.stringify(body)) } : { kept };
  return JSON.stringify({ ...content, contentType, headers });
}

/** What the row of an Idempotency-Key is to one request. */
interface Slot {
  /** The row's primary key. */
  readonly place: readonly unknown[];
  /** The request's fingerprint. */
  readonly bodyHash: Buffer;
  /** Encrypts a reply for the row, bound to the request's fingerprint. */
  seal(reply: Reply): Buffer;
  /** @throws {ApiError} E2010 when the pepper has been rotated twice since */
  open(sealed: Buffer): StoredReply;
}

/** @param peppers the one in force first */
function slotOf(peppers: readonly [Buffer, ...Buffer[]], request: IdempotentRequest): Slot {
  const { key, route, idempotencyKey } = request;
  const bodyHash = fingerprint(request);
  return {
    // By line of keys: the answer to another key is none of this one's business, and names that other key.
    place: [key.organisationId, key.environment, route, sha256(`${key.lineage}\n${idempotencyKey}`)],
    bodyHash,
    seal: (reply) => seal(sealingKey(peppers[0], idempotencyKey), storedJson(reply), bodyHash),
    open(sealed) {
      for (const pepper of peppers) {
        const text = unsealed(sealingKey(pepper, idempotencyKey), sealed, bodyHash);
        // Written by storedJson.
        if (text !== undefined) return JSON.parse(text) as StoredReply;
      }
      throw unreadable();
    },
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

async function inTransaction(db: IdempotencyDeps['db'], work: Work, last: Last): Promise<Reply> {
  try {
    return await db.transaction(async (sql) => {
      const reply = await work(sql);
      if (reply.status >= 400) throw new Refused(reply);
      await last(sql);
      return reply;
    });
  } catch (error) {
    if (error instanceof Refused) return error.reply;
    throw error;
  }
}

/** The row of another request with the same key. @throws {ApiError} E2010 (422) when that request was a different one */
async function readRow(db: IdempotencyDeps['db'], { place, bodyHash }: Slot): Promise<StoredRow | undefined> {
  const [row] = await db.query<StoredRow>(READ, place);
  if (row === undefined || row.body_hash.equals(bodyHash)) return row;
  throw new ApiError('E2010', 'The Idempotency-Key was used with another request; a new request needs a new key.', {
    status: 422,
  });
}

/** The operations of a claim that was stored under this id. */
function claimOf(db: IdempotencyDeps['db'], releases: Releases, slot: Slot, id: string): Omit<Claim, 'earlier'> {
  let isCommitted = false;
  return {
    async commit(work, last) {
      const storing: Work = async (sql) => {
        const answer = await work(sql);
        if (answer.status >= 400) return answer;
        const values = [...slot.place, id, answer.status, slot.seal(answer), answer.unfinished === true];
        if ((await sql.query(STORE, values)).length === 0)
          throw running('The request took too long and lost its claim; nothing was written.', 1);
        return answer;
      };
      const reply = await inTransaction(db, storing, last);
      isCommitted = reply.status < 400;
      return reply;
    },
    async release() {
      if (isCommitted) return;
      const values = [...slot.place, id];
      await db.query(RELEASE, values).catch(() => releases.retry(values));
    },
  };
}

export function createIdempotency(deps: IdempotencyDeps): Idempotency {
  const { db, pepper, pepperPrevious, processId, monotonicMs, deletionMs } = deps;
  const peppers = pepperPrevious === undefined ? ([pepper] as const) : ([pepper, pepperPrevious] as const);
  const releases = createReleases(db, monotonicMs);

  /** Undefined when another request has the claim or has been answered. */
  const tryToClaim = async (slot: Slot): Promise<Claim | undefined> => {
    const id = randomBytes(16).toString('hex');
    const oldMs = deletionMs();
    const old = Number.isFinite(oldMs) ? new Date(oldMs) : '-infinity';
    const values = [...slot.place, slot.bodyHash, id, processId ?? null, old];
    const [claimed] = await db.query<Pick<StoredRow, 'answer'>>(CLAIM, values).catch((error: unknown) => {
      // The outcome is unknown, and this request will not use the claim.
      releases.retry([...slot.place, id]);
      throw error;
    });
    if (claimed === undefined) return undefined;
    const claim = claimOf(db, releases, slot, id);
    try {
      return { ...claim, earlier: claimed.answer === null ? undefined : slot.open(claimed.answer).kept };
    } catch (error) {
      await claim.release();
      throw error;
    }
  };

  return {
    commit: (work, last) => inTransaction(db, work, last),
    async begin(request) {
      const slot = slotOf(peppers, request);
      let waitSeconds = 1;
      // A row that is released between the two statements vanishes; then the claim is tried again.
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const claim = await tryToClaim(slot);
        if (claim !== undefined) return { kind: 'claimed', claim };
        const row = await readRow(db, slot);
        if (row === undefined) continue;
        if (row.status !== null && row.answer !== null && !row.is_open)
          return { kind: 'replay', reply: { ...slot.open(row.answer), status: row.status } };
        waitSeconds = row.wait_seconds;
        break;
      }
      throw running('The first request with this Idempotency-Key is still running.', waitSeconds);
    },
    close: () => releases.close(),
  };
}

function running(detail: string, waitSeconds: number): ApiError {
  return new ApiError('E2010', detail, { status: 409, headers: { 'retry-after': String(waitSeconds) } });
}

/** The first request had its effect, so there must not be a second one; only the answer is lost. */
function unreadable(): ApiError {
  return new ApiError(
    'E2010',
    "The first request with this Idempotency-Key was answered before the service's secret was changed, and its answer cannot be read any more. See what it did, and use a new key for a new request.",
    { status: 409 },
  );
}

// Authenticates requests: looks a key up once, caches it under a hash, and drops it when the change feed reports a
// change.
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ChangeFeed } from '../../platform/db/changes.ts';
import type { Database } from '../../platform/db/database.ts';
import { ApiError } from '../../kernel/errors.ts';
import { createKeyCache } from './cache.ts';
import { type KeyParts, parseKey } from './format.ts';
import { loadKey } from './lookup.ts';
import { presentedKey } from './presented.ts';
import { createSecretCheck, rehashKey } from './previous-pepper.ts';
import { createSecretHasher, type SecretHasher } from './secrets.ts';
import type { AuthenticatedKey } from './types.ts';

/** Cached valid keys; each takes less than 1 kB unless it is bound to many agents. */
const MAX_KNOWN = 10_000;
const MAX_REFUSED = 10_000;
/** The longest time until a key works that was tried before it was made; the change feed usually ends it earlier. */
const REFUSED_FOR_MS = 1_000;
/**
 * A cached key is looked up again after this time even without a change: an attacker who switches the feed's triggers off
 * must not keep a revoked key valid. The time differs between keys, so that keys first used together, after a start, are
 * not all looked up again together.
 */
export const KNOWN_FOR_MS = { least: 120_000, most: 240_000 } as const;
/** RFC 6750 section 3.1. */
const CHALLENGE = { 'www-authenticate': 'Bearer error="invalid_token"' };
/** A look-up is repeated when the key changed meanwhile. After this many tries the request gets E6002. */
const MAX_TRIES = 3;

export interface AuthenticatorDeps {
  readonly db: Pick<Database, 'query' | 'seals' | 'transaction'>;
  readonly changes: Pick<ChangeFeed, 'subscribe' | 'ensureFresh'>;
  /** CUSTOS_PEPPER. */
  readonly pepper: string;
  /** CUSTOS_PEPPER_PREVIOUS. */
  readonly pepperPrevious?: string | undefined;
  readonly clock: { nowMs(): number; monotonicMs(): number };
  /** Called with every use of a valid key (see last-used.ts). */
  readonly onUse?: (keyId: string, atMs: number) => void;
  /** Tests replace it to count the work. Default: made of the pepper. */
  readonly hasher?: SecretHasher;
}

export interface Authenticator {
  /**
   * The key of a request: synchronously when it is cached and the change feed is fresh, otherwise a promise.
   * @throws {ApiError} (or rejects with it) E2001 two different keys; E1001 no key; E1002 invalid or revoked; E1003
   * expired, only after the secret has matched; E6002 PostgreSQL is away and the cache may be out of date
   * @param beforeLookUp called before a query; may refuse the request by throwing
   */
  authenticate(headers: IncomingHttpHeaders, beforeLookUp?: () => void): AuthenticatedKey | Promise<AuthenticatedKey>;
}

interface Load {
  readonly keyId: string;
  readonly result: Promise<AuthenticatedKey | undefined>;
  /** The key changed after the look-up began, so its result may be older than the change. */
  stale: boolean;
}

interface Known {
  readonly keyId: string;
  readonly key: AuthenticatedKey;
  readonly untilMs: number;
}

interface Refusal {
  readonly keyId: string;
  readonly untilMs: number;
}

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const { db, changes, clock, onUse } = deps;
  const secrets = createSecretCheck(deps.hasher ?? createSecretHasher(deps.pepper), deps.pepperPrevious);
  // The key of all three maps is the SHA-256 of the presented text. A secret has 256 random bits, so a plain hash reveals
  // nothing, and the secret itself is not kept.
  const known = createKeyCache<Known>(MAX_KNOWN);
  const refused = createKeyCache<Refusal>(MAX_REFUSED);
  const loading = new Map<string, Load>();

  /** Look-ups in flight may have read the old row: they are repeated, and new requests don't join them. */
  const overtake = (keyId: string | undefined): void => {
    for (const [digest, load] of loading) {
      if (keyId !== undefined && load.keyId !== keyId) continue;
      load.stale = true;
      loading.delete(digest);
    }
  };

  changes.subscribe((change) => {
    if (change === 'reset') {
      known.clear();
      refused.clear();
      overtake(undefined);
    } else if (change.kind === 'key') {
      const keyId = change.subject[0] ?? '';
      known.forgetKey(keyId);
      refused.forgetKey(keyId);
      overtake(keyId);
    } else if (change.kind === 'organisation') {
      known.forgetWhere(({ key }) => key.organisationId === change.subject[0]);
      overtake(undefined);
    }
  });

  /** One look-up. Unknown ids and wrong secrets cost the same: one HMAC, one statement, one comparison. */
  const read = async (parts: KeyParts): Promise<AuthenticatedKey | undefined> => {
    const stored = await loadKey(db, parts.keyId);
    const { matches, again } = secrets.check(parts.secret, stored);
    if (!matches || stored === undefined || stored.revoked) return undefined;
    const { key } = stored;
    if (key.environment !== parts.environment) return undefined;
    // Not for an expired key: it is refused on use.
    if (again !== undefined && !hasExpired(key, clock.nowMs()))
      await db.transaction((sql) => rehashKey(sql, key.keyId, again));
    return key;
  };

  const look = (digest: string, parts: KeyParts, tries: number): Promise<AuthenticatedKey | undefined> => {
    const running = loading.get(digest);
    if (running !== undefined) return running.result;
    const load: Load = { keyId: parts.keyId, stale: false, result: run() };
    loading.set(digest, load);
    return load.result;

    async function run(): Promise<AuthenticatedKey | undefined> {
      const startedMs = clock.monotonicMs();
      let key: AuthenticatedKey | undefined;
      try {
        key = await read(parts);
      } finally {
        if (loading.get(digest) === load) loading.delete(digest);
      }
      if (load.stale) {
        if (tries >= MAX_TRIES)
          throw new ApiError('E6002', 'The key is being changed; the request may be repeated.', {
            headers: { 'retry-after': '1' },
          });
        return look(digest, parts, tries + 1);
      }
      if (key !== undefined) known.set(digest, { keyId: parts.keyId, key, untilMs: startedMs + knownForMs(digest) });
      else refused.set(digest, { keyId: parts.keyId, untilMs: startedMs + REFUSED_FOR_MS });
      return key;
    }
  };

  const use = (key: AuthenticatedKey): AuthenticatedKey => {
    const nowMs = clock.nowMs();
    if (hasExpired(key, nowMs)) throw expiredKey();
    onUse?.(key.keyId, nowMs);
    return key;
  };

  const check = (text: string, beforeLookUp: () => void): AuthenticatedKey | Promise<AuthenticatedKey> => {
    const digest = hash('sha256', text, 'base64');
    const entry = known.get(digest);
    if (entry !== undefined) {
      if (clock.monotonicMs() < entry.untilMs) return use(entry.key);
      known.delete(digest);
    }
    const parts = parseKey(text);
    if (parts === undefined) throw invalidKey();
    const refusal = refused.get(digest);
    if (refusal !== undefined) {
      if (clock.monotonicMs() < refusal.untilMs) throw invalidKey();
      refused.delete(digest);
    }
    beforeLookUp();
    return look(digest, parts, 1).then((found) => {
      if (found === undefined) throw invalidKey();
      return use(found);
    });
  };

  return {
    authenticate(headers, beforeLookUp = () => undefined) {
      const text = presentedKey(headers);
      const fresh = changes.ensureFresh();
      return fresh === undefined ? check(text, beforeLookUp) : fresh.then(() => check(text, beforeLookUp));
    },
  };
}

/** The digest of the key is as good as random, and the same in every process. */
function knownForMs(digest: string): number {
  const { least, most } = KNOWN_FOR_MS;
  return least + (Buffer.from(digest, 'base64').readUInt32BE(0) / 0x1_0000_0000) * (most - least);
}

const hasExpired = ({ expiresAtMs }: AuthenticatedKey, nowMs: number): boolean =>
  expiresAtMs !== null && nowMs >= expiresAtMs;

export function invalidKey(): ApiError {
  return new ApiError('E1002', 'The API key is invalid or has been revoked.', {
    headers: CHALLENGE,
  });
}

export function expiredKey(): ApiError {
  return new ApiError('E1003', 'The API key has expired; an administrator can make a new one.', {
    headers: CHALLENGE,
  });
}

// A bounded LRU cache for presented keys, addressed by a hash, with removal by key id.
import { BoundedCache } from '../../kernel/bounded-cache.ts';

export interface KeyCache<T> {
  get(digest: string): T | undefined;
  /** Adds an entry. A full cache evicts another one, which costs a look-up. */
  set(digest: string, value: T): void;
  delete(digest: string): void;
  /** Removes every entry of a key. The cost does not grow with the cache. */
  forgetKey(keyId: string): void;
  forgetWhere(matches: (value: T) => boolean): void;
  clear(): void;
  size(): number;
}

export function createKeyCache<T extends { readonly keyId: string }>(max: number): KeyCache<T> {
  // Many wrong secrets may have been presented with one key id.
  const digestsOf = new Map<string, Set<string>>();
  const entries = new BoundedCache<T>({
    max,
    onRemove(digest, value) {
      const digests = digestsOf.get(value.keyId);
      digests?.delete(digest);
      if (digests?.size === 0) digestsOf.delete(value.keyId);
    },
  });

  return {
    get: (digest) => entries.get(digest),
    set(digest, value) {
      // First, because replacing an entry removes the old one from the index.
      entries.set(digest, value);
      const digests = digestsOf.get(value.keyId);
      if (digests === undefined) digestsOf.set(value.keyId, new Set([digest]));
      else digests.add(digest);
    },
    delete: (digest) => entries.delete(digest),
    forgetKey(keyId) {
      for (const digest of [...(digestsOf.get(keyId) ?? [])]) entries.delete(digest);
    },
    forgetWhere(matches) {
      for (const [digest, value] of [...entries.entries()]) if (matches(value)) entries.delete(digest);
    },
    clear: () => entries.clear(),
    size: () => entries.size,
  };
}

// A bounded memory of what presented keys turned out to be, addressed by a hash and forgotten by key id.
import { LRUCache } from 'lru-cache';

export interface KeyCache<T> {
  get(digest: string): T | undefined;
  /** Adds an entry; beyond the bound the one used longest ago is dropped, which costs a look-up and nothing else. */
  set(digest: string, value: T): void;
  delete(digest: string): void;
  /** Forgets every entry of a key; its cost does not grow with the cache. */
  forgetKey(keyId: string): void;
  forgetWhere(matches: (value: T) => boolean): void;
  clear(): void;
  size(): number;
}

export function createKeyCache<T extends { readonly keyId: string }>(max: number): KeyCache<T> {
  // Many wrong secrets may have been tried with one id.
  const digestsOf = new Map<string, Set<string>>();
  const entries = new LRUCache<string, T>({
    max,
    dispose(value, digest) {
      const digests = digestsOf.get(value.keyId);
      digests?.delete(digest);
      if (digests?.size === 0) digestsOf.delete(value.keyId);
    },
  });

  return {
    get: (digest) => entries.get(digest),
    set(digest, value) {
      // First: replacing an entry disposes of the old one, and with it of its place in the index.
      entries.set(digest, value);
      const digests = digestsOf.get(value.keyId);
      if (digests === undefined) digestsOf.set(value.keyId, new Set([digest]));
      else digests.add(digest);
    },
    delete: (digest) => void entries.delete(digest),
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

// What somebody was typing when the session ended by itself: it is there again when the same key signs in on the same page.
// Kept in the memory of this window alone, and for nobody else.

export interface Drafts {
  /** What was kept for this key under this name, once. */
  take(keyId: string, name: string): unknown;
  put(keyId: string, name: string, value: unknown): void;
  forget(): void;
}

export function createDrafts(): Drafts {
  const kept = new Map<string, unknown>();
  let owner: string | undefined;
  const of = (keyId: string): Map<string, unknown> => {
    if (owner !== keyId) kept.clear();
    owner = keyId;
    return kept;
  };
  return {
    take(keyId, name) {
      const drafts = of(keyId);
      const value = drafts.get(name);
      drafts.delete(name);
      return value;
    },
    put: (keyId, name, value) => void of(keyId).set(name, value),
    forget: () => kept.clear(),
  };
}

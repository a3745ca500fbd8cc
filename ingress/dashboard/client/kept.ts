// Unsaved input when the session expires: it is restored when the same key signs in again on the same page. It stays in the
// memory of this window and is dropped for any other key.

export interface Drafts {
  /** The value stored for this key under this name; removes it. */
  take(keyId: string, name: string): unknown;
  put(keyId: string, name: string, value: unknown): void;
  forget(): void;
}

export function createDrafts(): Drafts {
  const drafts = new Map<string, unknown>();
  let owner: string | undefined;
  const checkOwner = (keyId: string): void => {
    if (owner !== keyId) drafts.clear();
    owner = keyId;
  };
  return {
    take(keyId, name) {
      checkOwner(keyId);
      const value = drafts.get(name);
      drafts.delete(name);
      return value;
    },
    put(keyId, name, value) {
      checkOwner(keyId);
      drafts.set(name, value);
    },
    forget: () => drafts.clear(),
  };
}

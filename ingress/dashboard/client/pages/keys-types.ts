// Keys as the API returns them, and their states.
import type { Tone } from '../ui.ts';

/** An item of GET /v1/auth/keys. */
export interface Key {
  readonly keyId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly agentIds: readonly string[] | null;
  readonly environment: 'live' | 'test' | 'dev';
  readonly tier: number;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly replacedBy: string | null;
  readonly lastUsedAt: string | null;
}

/** The answer to creating or rotating a key: the only one that contains the key. */
export interface MadeKey extends Pick<Key, 'keyId' | 'name' | 'environment' | 'expiresAt'> {
  readonly key: string;
  /** The rotated key. */
  readonly replaces?: { readonly keyId: string; readonly expiresAt: string };
}

export type KeyState = 'active' | 'replaced' | 'expired' | 'revoked';

export function stateOf({ revokedAt, expiresAt, replacedBy }: Key, now: Date): KeyState {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && Date.parse(expiresAt) <= now.getTime()) return 'expired';
  return replacedBy === null ? 'active' : 'replaced';
}

/** A replaced key works until it expires. */
export const STATE_TONES: Readonly<Record<KeyState, Tone>> = {
  active: 'good',
  replaced: 'warn',
  expired: 'neutral',
  revoked: 'bad',
};

/** Filters keys by a text in their name, id, scopes or agents, and by state. */
export function keysFound(
  keys: readonly Key[],
  { search, state }: { readonly search: string | undefined; readonly state: string | undefined },
  now: Date,
): readonly Key[] {
  const wanted = search?.toLowerCase();
  return keys.filter((key) => {
    if (state !== undefined && stateOf(key, now) !== state) return false;
    const { name, keyId, scopes, agentIds } = key;
    return (
      wanted === undefined ||
      [name, keyId, ...scopes, ...(agentIds ?? [])].some((text) => text.toLowerCase().includes(wanted))
    );
  });
}

/** Whether the key is accepted now. */
export const isUsable = (state: KeyState): boolean => state === 'active' || state === 'replaced';

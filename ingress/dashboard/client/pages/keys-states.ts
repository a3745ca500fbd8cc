// The states of keys.
import type { Key } from '../answers.ts';
import type { Tone } from '../ui.ts';
import type { SessionInfo } from '../wire.ts';

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

/** Filters keys by a text in their name, id, scopes, tags or agents, and by state. */
export function keysFound(
  keys: readonly Key[],
  { search, state }: { readonly search: string | undefined; readonly state: string | undefined },
  now: Date,
): readonly Key[] {
  const wanted = search?.toLowerCase();
  return keys.filter((key) => {
    if (state !== undefined && stateOf(key, now) !== state) return false;
    const { name, keyId, scopes, tags, agentIds } = key;
    return (
      wanted === undefined ||
      [name, keyId, ...scopes, ...tags, ...(agentIds ?? [])].some((text) => text.toLowerCase().includes(wanted))
    );
  });
}

/** Whether the session may rotate and revoke the key. One that is bound to agents may only change keys that can do no more. */
export function mayChange(
  { bound }: Pick<SessionInfo, 'bound'>,
  key: Pick<Key, 'agentIds' | 'tags' | 'keepsObligations'>,
): boolean {
  if (bound === null) return true;
  const isPart = (some: readonly string[], all: readonly string[]): boolean => some.every((one) => all.includes(one));
  return (
    key.agentIds !== null &&
    isPart(key.agentIds, bound.agentIds) &&
    isPart(key.tags, bound.tags) &&
    isPart(key.keepsObligations, bound.keepsObligations)
  );
}

/** Whether the key is accepted now. */
export const isUsable = (state: KeyState): boolean => state === 'active' || state === 'replaced';

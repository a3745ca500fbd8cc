// Which agents a key may name: the check behind every field that holds an agent's id.
import { ApiError } from '../../kernel/errors.ts';
import type { AuthenticatedKey } from './types.ts';

/** Whether the key may name this agent; an unbound key may name all agents of its organisation. */
export function mayName(key: Pick<AuthenticatedKey, 'agentIds'>, agentId: string): boolean {
  return key.agentIds === null || key.agentIds.has(agentId);
}

/** @throws {ApiError} E1004 when the key is bound to other agents; `pointer` is the field that names this one */
export function assertMayName(key: Pick<AuthenticatedKey, 'agentIds'>, agentId: string, pointer: string): void {
  if (mayName(key, agentId)) return;
  throw new ApiError('E1004', 'The key is bound to agents, and this is not one of them.', {
    errors: [{ pointer, message: 'names an agent that the key is not bound to' }],
  });
}

/**
 * The agent holds the keys that are bound to it, and must not change what it is governed by.
 * @param what completes the sentence "may not ..."
 * @throws {ApiError} E1004
 */
export function assertUnbound({ agentIds }: Pick<AuthenticatedKey, 'agentIds'>, what: string): void {
  if (agentIds !== null) throw new ApiError('E1004', `A key that is bound to agents may not ${what}.`);
}

/** What a key may do beyond its scopes. */
interface Powers {
  readonly agentIds: readonly string[] | null;
  readonly tags?: readonly string[] | undefined;
  readonly keepsObligations?: readonly string[] | undefined;
}

/**
 * A bound key can neither make, rotate nor revoke a key that may name more agents, or has other tags or obligations to keep, than itself.
 * Otherwise a bound administrator's key could remove its own binding with one request, or take a tag by which policies permit.
 * @param at the place of these members in the request, or of the key's id
 * @throws {ApiError} E1004
 */
export function assertWithinBinding(
  key: Pick<AuthenticatedKey, 'agentIds' | 'tags' | 'keepsObligations'>,
  { agentIds, tags = [], keepsObligations = [] }: Powers,
  at: '' | '{keyId}',
): void {
  if (key.agentIds === null) return;
  const pointerOf = (member: string): string => (at === '' ? `/${member}` : at);
  for (const [member, values, own] of [
    ['tags', tags, key.tags],
    ['keepsObligations', keepsObligations, key.keepsObligations],
  ] as const)
    if (values.some((value) => ![...own].includes(value)))
      throw new ApiError('E1004', `The key is bound to agents, so it can only give ${member} that it has.`, {
        errors: [{ pointer: pointerOf(member), message: 'must be among those of the calling key' }],
      });
  const pointer = pointerOf('agentIds');
  if (agentIds === null)
    throw new ApiError(
      'E1004',
      'The key is bound to agents, so a key that it makes must be bound to some of the same.',
      {
        errors: [{ pointer, message: 'must name agents that the calling key is bound to' }],
      },
    );
  for (const [i, agentId] of agentIds.entries()) assertMayName(key, agentId, at === '' ? `${pointer}/${i}` : pointer);
}

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
 * A bound key can neither make nor rotate a key that may name more agents than itself. Otherwise a bound administrator's
 * key could remove its own binding with one request.
 * @throws {ApiError} E1004
 */
export function assertWithinBinding(
  key: Pick<AuthenticatedKey, 'agentIds'>,
  agentIds: readonly string[] | null,
  pointer: string,
): void {
  if (key.agentIds === null) return;
  if (agentIds === null)
    throw new ApiError(
      'E1004',
      'The key is bound to agents, so a key that it makes must be bound to some of the same.',
      {
        errors: [{ pointer, message: 'must name agents that the calling key is bound to' }],
      },
    );
  for (const [i, agentId] of agentIds.entries()) assertMayName(key, agentId, `${pointer}/${i}`);
}

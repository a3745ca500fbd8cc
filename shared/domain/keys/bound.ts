// Which agents a key may name: the check behind every field that holds an agent's id.
import { ApiError } from '../../kernel/errors.ts';
import type { AuthenticatedKey } from './types.ts';

/** Whether the key may name this agent; an unbound key may name all agents of its organisation. */
export function mayName(key: Pick<AuthenticatedKey, 'agentIds'>, agentId: string): boolean {
  return key.agentIds === null || key.agentIds.has(agentId);
}

/** @throws {ApiError} E1004 when the key is bound to other agents; `pointer` is the field that names this one */
export function assertMayName(key: Pick<AuthenticatedKey, 'agentIds'>, agentId: string, pointer: string): void {
  if (!mayName(key, agentId)) throw otherAgent(pointer);
}

function otherAgent(pointer: string): ApiError {
  return new ApiError('E1004', 'The key is bound to agents, and this is not one of them.', {
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

type Binding = Pick<AuthenticatedKey, 'agentIds' | 'tags' | 'keepsObligations'>;

/** What a key may do that this one may not; undefined: nothing. */
function excessOf(key: Binding, { agentIds, tags = [], keepsObligations = [] }: Powers): ApiError | undefined {
  if (key.agentIds === null) return undefined;
  const refuse = (sentence: string, pointer: string, message: string): ApiError =>
    new ApiError('E1004', `The key is bound to agents, ${sentence}`, { errors: [{ pointer, message }] });
  for (const [member, values, own] of [
    ['tags', tags, key.tags],
    ['keepsObligations', keepsObligations, key.keepsObligations],
  ] as const)
    if (values.some((value) => ![...own].includes(value)))
      return refuse(
        `so it can only give ${member} that it has.`,
        `/${member}`,
        'must be among those of the calling key',
      );
  if (agentIds === null)
    return refuse(
      'so a key that it makes must be bound to some of the same.',
      '/agentIds',
      'must name agents that the calling key is bound to',
    );
  const at = agentIds.findIndex((agentId) => !mayName(key, agentId));
  return at === -1 ? undefined : otherAgent(`/agentIds/${at}`);
}

/**
 * A bound key can neither make, rotate nor revoke a key that may name more agents, or has other tags or obligations to keep, than itself.
 * Otherwise a bound administrator's key could remove its own binding with one request, or take a tag by which policies permit.
 * @throws {ApiError} E1004 with the member of the request
 */
export function assertMayMake(key: Binding, powers: Powers): void {
  const excess = excessOf(key, powers);
  if (excess !== undefined) throw excess;
}

/** The same for a key that is to be rotated or revoked. @throws {ApiError} E1004 */
export function assertMayChange(key: Binding, powers: Powers): void {
  if (excessOf(key, powers) === undefined) return;
  throw new ApiError(
    'E1004',
    'Your key is bound to agents, and this key is bound to others, or has other tags or duties.',
    {
      errors: [{ pointer: '{keyId}', message: 'names a key that may do more than the calling key' }],
    },
  );
}

// Validates a requested key: the checks that HTTP requests and the command line share.
import { ApiError, type FieldError, invalidField } from '../../kernel/errors.ts';
import { isCallerId } from '../../kernel/ids.ts';
import { LABEL, LABELS_MAX, OBLIGATION_TYPE_PATTERN, SCOPES, type Scope } from '../../kernel/vocabulary.ts';
import { LIFETIME, readDuration } from './durations.ts';
import { AGENT_IDS_MAX, DEFAULT_TIER, KEY_NAME, NAME_MAX, OBLIGATIONS_MAX } from './limits.ts';
import type { KeySpec } from './store.ts';

const OBLIGATION_TYPE = new RegExp(OBLIGATION_TYPE_PATTERN);
const LABEL_TEXT = new RegExp(LABEL.pattern, 'u');

export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresIn?: string | undefined;
  readonly agentIds?: readonly string[] | undefined;
  readonly keepsObligations?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly tier?: number | undefined;
}

export type KeyPlan = Pick<
  KeySpec,
  'name' | 'scopes' | 'agentIds' | 'keepsObligations' | 'tags' | 'tier' | 'expiresAtMs'
>;

/**
 * @param organisationTier the highest tier of the organisation's keys
 * @throws {ApiError} E2001 with a pointer for each error
 */
export function planKey(request: KeyRequest, organisationTier: number, nowMs: number): KeyPlan {
  const { name, scopes, agentIds, keepsObligations = [], tags = [], tier } = request;
  const errors: FieldError[] = [];
  const wrong = (pointer: string, message: string): void => void errors.push({ pointer, message });

  if (!KEY_NAME.test(name)) wrong('/name', `must have 1 to ${NAME_MAX} characters and no control characters`);
  if (scopes.length === 0) wrong('/scopes', 'must have at least 1 item');
  for (const [i, scope] of scopes.entries()) {
    if (!isScope(scope)) wrong(`/scopes/${i}`, `must be one of ${SCOPES.join(', ')}`);
    else if (scopes.indexOf(scope) !== i) wrong(`/scopes/${i}`, `repeats ${scope}`);
  }
  if (agentIds !== undefined && (agentIds.length === 0 || agentIds.length > AGENT_IDS_MAX))
    wrong('/agentIds', `must have 1 to ${AGENT_IDS_MAX} items; without it the key may name all agents`);
  for (const [i, agentId] of (agentIds ?? []).entries()) {
    if (!isCallerId(agentId)) wrong(`/agentIds/${i}`, 'is not the id of an agent');
    else if (agentIds?.indexOf(agentId) !== i) wrong(`/agentIds/${i}`, 'repeats an agent');
  }
  if (keepsObligations.length > OBLIGATIONS_MAX)
    wrong('/keepsObligations', `must have at most ${OBLIGATIONS_MAX} items`);
  for (const [i, type] of keepsObligations.entries()) {
    if (!OBLIGATION_TYPE.test(type)) wrong(`/keepsObligations/${i}`, 'is not the type of an obligation');
    else if (keepsObligations.indexOf(type) !== i) wrong(`/keepsObligations/${i}`, `repeats ${type}`);
  }
  if (tags.length > LABELS_MAX) wrong('/tags', `must have at most ${LABELS_MAX} items`);
  for (const [i, tag] of tags.entries()) {
    if (!isLabel(tag)) wrong(`/tags/${i}`, `must have 1 to ${LABEL.maxLength} characters and no control characters`);
    else if (tags.indexOf(tag) !== i) wrong(`/tags/${i}`, 'repeats a tag');
  }
  if (tier !== undefined && !(Number.isInteger(tier) && tier >= 0 && tier <= organisationTier))
    wrong('/tier', `must be a whole number from 0 to ${organisationTier}, which is the tier of the organisation`);
  if (errors[0] !== undefined)
    throw errors.length === 1
      ? invalidField(errors[0].pointer, errors[0].message)
      : new ApiError('E2001', `The request is invalid in ${errors.length} places.`, { errors });

  return {
    name,
    scopes: scopes.filter(isScope),
    agentIds: agentIds === undefined ? null : [...agentIds],
    keepsObligations: [...keepsObligations],
    tags: [...tags],
    tier: tier ?? Math.min(DEFAULT_TIER, organisationTier),
    expiresAtMs:
      request.expiresIn === undefined ? null : nowMs + readDuration(request.expiresIn, LIFETIME, '/expiresIn'),
  };
}

function isLabel(text: string): boolean {
  return text.length >= LABEL.minLength && [...text].length <= LABEL.maxLength && LABEL_TEXT.test(text);
}

function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}

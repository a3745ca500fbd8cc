// Schemas of API keys.
import { type Static, Type } from 'typebox';
import { DEFAULT_OVERLAP, LIFETIME, OVERLAP } from '../domain/keys/durations.ts';
import { DURATION_PATTERN } from '../kernel/durations.ts';
import {
  AGENT_IDS_MAX,
  DEFAULT_TIER,
  NAME_MAX,
  NAME_PATTERN,
  OBLIGATIONS_MAX,
  TIER_MAX,
} from '../domain/keys/limits.ts';
import { ENVIRONMENTS, LABEL, LABELS_MAX, OBLIGATION_TYPE_PATTERN, SCOPES } from '../kernel/vocabulary.ts';
import { CallerId, closed, listOf, named, Nullable, StringEnum, Timestamp } from './common.ts';

const KeyId = Type.String({
  pattern: '^[0-9A-Za-z]{8}$',
  description: 'Names the key; not secret.',
  examples: ['4fZ0q9Lm'],
});
const Duration = (description: string, example: string) =>
  Type.String({ pattern: DURATION_PATTERN, description, examples: [example] });

/** No pattern, so that a malformed id gets the same 404 as another tenant's key. */
export const KeyIdParams = closed({
  keyId: Type.String({ minLength: 1, maxLength: 256, description: 'Names the key.', examples: ['4fZ0q9Lm'] }),
});

const NAME = { description: 'For people.' };

// Closed, because a misspelt agentIds would create a key for all agents.
export const KeyCreate = named('KeyCreate', {
  name: Type.String({
    minLength: 1,
    maxLength: NAME_MAX,
    pattern: NAME_PATTERN,
    ...NAME,
    examples: ['billing gateway'],
  }),
  scopes: Type.Array(StringEnum(SCOPES), {
    minItems: 1,
    maxItems: 2 * SCOPES.length,
    description: 'No scope twice. `admin:*` implies all.',
  }),
  expiresIn: Type.Optional(
    Duration(`A number and a unit letter (m, h, d, w), ${LIFETIME.min} to ${LIFETIME.max}. Absent: no expiry.`, '90d'),
  ),
  agentIds: Type.Optional(
    Type.Array(CallerId, {
      minItems: 1,
      maxItems: AGENT_IDS_MAX,
      description: 'Binds the key: it may name only these agents. Absent: all agents of the organisation.',
    }),
  ),
  keepsObligations: Type.Optional(
    Type.Array(Type.String({ pattern: OBLIGATION_TYPE_PATTERN, examples: ['redact_fields'] }), {
      maxItems: OBLIGATIONS_MAX,
      description:
        'Types of obligations that the holder of the key keeps. An AuthZEN evaluation that is DEGRADE is `true` for this key if all of its obligations are among them. Absent: none.',
    }),
  ),
  tags: Type.Optional(
    Type.Array(Type.String(LABEL), {
      maxItems: LABELS_MAX,
      description:
        'Words of your own; the fact `key.tags` of policies, which also name approvers by them. They never change. Absent: none.',
      examples: [['finance']],
    }),
  ),
  environment: Type.Optional(
    StringEnum(ENVIRONMENTS, { description: "Default: the calling key's. Only a live key may name another." }),
  ),
  tier: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: TIER_MAX,
      description: `Rate limit tier, at most the organisation's. Default: ${DEFAULT_TIER}, or the organisation's when that is lower.`,
    }),
  ),
});

export const KeyRotate = named('KeyRotate', {
  overlap: Type.Optional(
    Duration(
      `How long the old key stays valid: a number and a unit letter (m, h, d, w), ${OVERLAP.min} (it ends at once) to ${OVERLAP.max}. Default: ${DEFAULT_OVERLAP}.`,
      '24h',
    ),
  ),
});

const FIELDS = {
  keyId: KeyId,
  name: Type.String(NAME),
  scopes: Type.Array(StringEnum(SCOPES), { description: 'What it may do: see GET /v1/reference/scopes.' }),
  agentIds: Nullable(Type.Array(Type.String(), { description: 'The agents the key is bound to.' })),
  keepsObligations: Type.Array(Type.String(), { description: 'Types of obligations that its holder keeps.' }),
  tags: Type.Array(Type.String(), { description: 'Words of your own; a fact for policies.' }),
  environment: StringEnum(ENVIRONMENTS, { description: 'Where it works.' }),
  tier: Type.Integer({
    minimum: 0,
    maximum: TIER_MAX,
    description: 'Its rate limit: see GET /v1/reference/rate-limits.',
  }),
  createdAt: Timestamp,
  expiresAt: Nullable(Timestamp),
};
const SECRET = {
  key: Type.Optional(
    Type.String({
      pattern: `^cst_(${ENVIRONMENTS.join('|')})_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$`,
      description:
        'The key itself. Shown only once, and not in a repeat with an Idempotency-Key; only a hash is stored.',
    }),
  ),
};

export const Key = named('Key', {
  ...FIELDS,
  createdBy: Nullable(
    Type.String({ description: 'The key that created it; null when it was created from the shell.' }),
  ),
  revokedAt: Nullable(Timestamp),
  replacedBy: Nullable(Type.String({ description: 'The key that replaced it in a rotation.' })),
  // Written every few seconds.
  lastUsedAt: Nullable(Timestamp),
});
export type KeyBody = Static<typeof Key>;

export const KeyCreated = named('KeyCreated', { ...FIELDS, ...SECRET });
export type KeyCreatedBody = Static<typeof KeyCreated>;

export const KeyRotated = named('KeyRotated', {
  ...FIELDS,
  ...SECRET,
  replaces: closed({ keyId: KeyId, expiresAt: Timestamp }, { description: 'The old key, and when it ends.' }),
});
export type KeyRotatedBody = Static<typeof KeyRotated>;

export const KeyList = listOf(Key, 'KeyList');

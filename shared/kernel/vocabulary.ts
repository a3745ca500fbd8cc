// The closed vocabularies of the product. Schemas, reference endpoints, database checks and documentation derive from them.

export const ENVIRONMENTS = ['live', 'test', 'dev'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

export const VERDICTS = ['ALLOW', 'DENY', 'ESCALATE', 'DEGRADE'] as const;
export type Verdict = (typeof VERDICTS)[number];
/** Whether a verdict, or the effect of a rule, permits the action. DEGRADE does, with obligations. */
export const permits = (verdict: unknown): boolean => verdict === 'ALLOW' || verdict === 'DEGRADE';

/** The action classes of a normalized intent. No ALLOW may match `unknown`. */
export const ACTION_CLASSES = [
  'read',
  'create',
  'update',
  'delete',
  'execute',
  'send',
  'transfer',
  'grant',
  'revoke',
] as const;
export type ActionClass = (typeof ACTION_CLASSES)[number];
export const ACTIONS = [...ACTION_CLASSES, 'unknown'] as const;
export type Action = (typeof ACTIONS)[number];

export const EFFECTS = ['read', 'write', 'destructive'] as const;
export type Effect = (typeof EFFECTS)[number];

export const TRAITS = ['external', 'privileged', 'financial', 'bulk', 'irreversible', 'illicit'] as const;
export type Trait = (typeof TRAITS)[number];

export const DATA_CLASSES = ['credentials', 'pii', 'financial', 'health'] as const;
export type DataClass = (typeof DATA_CLASSES)[number];

export const INTENT_FLAGS = [
  'prompt_injection',
  'obfuscated',
  'negated',
  'multi_action',
  'not_understood',
  'secret_in_text',
  'destructive_words',
] as const;
export type IntentFlag = (typeof INTENT_FLAGS)[number];

/** Results of the optional second reader, mildest first: it found nothing stricter, it made a parse stricter, or there is no answer. */
export const SECOND_READINGS = ['agreed', 'raised', 'away'] as const;
export type SecondReading = (typeof SECOND_READINGS)[number];

export const EXTENTS = ['one', 'many', 'all'] as const;
/** The number of objects that an intent touches. */
export type Extent = (typeof EXTENTS)[number];

export const RISK_LEVELS = ['low', 'medium', 'high'] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

/** From the mildest to the strictest. */
export const AGENT_STATUSES = ['ACTIVE', 'PAUSED', 'SUSPENDED', 'TERMINATED'] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

export interface ScopeEntry {
  readonly scope: string;
  readonly permits: string;
}
export const SCOPE_TABLE = [
  { scope: 'agents:read', permits: 'list and retrieve agent details' },
  { scope: 'agents:write', permits: 'register and update agents' },
  { scope: 'intents:write', permits: 'submit governance intents' },
  { scope: 'trust:read', permits: 'query trust scores and history' },
  { scope: 'trust:write', permits: 'submit trust signals, and proofs of what was observed' },
  { scope: 'proofs:read', permits: 'retrieve proof receipts and chains' },
  { scope: 'admin:*', permits: 'full administrative access' },
] as const satisfies readonly ScopeEntry[];
export type Scope = (typeof SCOPE_TABLE)[number]['scope'];
export const SCOPES: readonly Scope[] = SCOPE_TABLE.map((entry) => entry.scope);

/** Trust levels: a score belongs to the last entry whose `from` it reaches. Scores are 0..1000. */
export const TIER_TABLE = [
  { level: 0, name: 'Sandbox', from: 0, to: 199 },
  { level: 1, name: 'Observed', from: 200, to: 349 },
  { level: 2, name: 'Provisional', from: 350, to: 499 },
  { level: 3, name: 'Monitored', from: 500, to: 649 },
  { level: 4, name: 'Standard', from: 650, to: 799 },
  { level: 5, name: 'Trusted', from: 800, to: 875 },
  { level: 6, name: 'Certified', from: 876, to: 950 },
  { level: 7, name: 'Autonomous', from: 951, to: 1000 },
] as const;
export type TrustLevel = (typeof TIER_TABLE)[number]['level'];

/** Requests per second and per minute by the tier of a key (two fixed windows, both must have room). */
export const RATE_LIMIT_TABLE = [
  { tier: 0, perSecond: 2, perMinute: 10 },
  { tier: 1, perSecond: 5, perMinute: 30 },
  { tier: 2, perSecond: 10, perMinute: 100 },
  { tier: 3, perSecond: 20, perMinute: 300 },
  { tier: 4, perSecond: 50, perMinute: 600 },
  { tier: 5, perSecond: 100, perMinute: 1_500 },
  { tier: 6, perSecond: 200, perMinute: 3_000 },
  { tier: 7, perSecond: 500, perMinute: 10_000 },
] as const;

export const INTENT_STATUSES = ['queued', 'evaluating', 'waiting_approval', 'decided', 'failed'] as const;

export type IntentStatus = (typeof INTENT_STATUSES)[number];

export const POLICY_STAGES = ['intake', 'enforce'] as const;

export type PolicyStage = (typeof POLICY_STAGES)[number];

/** A tag or capability of an agent, a tag of a key: 1 to 200 characters, no control characters. */
export const LABEL = { minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' } as const;
/** The most labels of one kind that an agent or a key may have. */
export const LABELS_MAX = 100;

/** The type of an obligation, as a JSON Schema pattern; callers may have types of their own. */
export const OBLIGATION_TYPE_PATTERN = '^[a-z][a-z0-9_]{0,63}$';

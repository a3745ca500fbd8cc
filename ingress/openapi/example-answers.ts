// The longer answers among the examples of the OpenAPI document, built from their common parts.

const DAY = '2026-03-01';
const NOW = `${DAY}T09:30:00.000Z`;
const IN_AN_HOUR = `${DAY}T10:30:00.000Z`;
export const DIGEST = '7c5aa4f2b08de9d13f65c0b1a2948e7760c3d5f41b9e82a70d6f3c8e15b4a902';
const POLICY_SET = { digest: DIGEST };
const KEY_ID = '4fZ0q9Lm';
const NO_RISK = { level: 'low', score: 0, factors: [] };

export const AT = { now: NOW, inAnHour: IN_AN_HOUR, tomorrow: '2026-03-02T09:30:00.000Z' } as const;

const promise = (proofId: string) => ({
  log: 'custos.local/default/live',
  proofId,
  recordDigest: 'a7c36abe218d3e4fc11f39d78b17cddaff58685fb5392f84f736637c1c46a3f4',
  issuedAt: NOW,
  deadline: IN_AN_HOUR,
  keyId: 'JfcDjnus4-YdF7Lb6IBNthP9oQF7rKzSZYv-0RNlzNk',
  signature: 'MrwKGdchw49LS24w3ae/fqi5guWcwOE7Soz+TUbdHrZAuduAEq4FHoWGrOR+IyvPc1TYTpj7e70fBuJnwwelAQ==',
});

/** The answer to an accepted proof. */
export const acceptedProof = (proofId: string) => {
  const { recordDigest, ...rest } = promise(proofId);
  return { proofId, status: 'pending', recordDigest, promise: { recordDigest, ...rest } };
};

/** A decision about the unregistered `agent-7`. `id` is the common part of its three ids. */
export const decision = (
  id: string,
  {
    intent,
    parsed = false,
    ...rest
  }: { readonly intent: object; readonly parsed?: boolean; readonly [member: string]: unknown },
) => ({
  decision_id: `dec_${id}`,
  request_id: `req_${id}`,
  agent_id: 'agent-7',
  key_id: KEY_ID,
  intent: { ...intent, traits: [], parsed },
  trust: {
    claimed_level: null,
    recorded_level: 1,
    effective_level: 1,
    score: 250,
    uncertainty: 1,
    as_of: { signals: 0, day: DAY },
  },
  obligations: [],
  policy_set: POLICY_SET,
  proof: { proof_id: `prf_${id}`, promise: promise(`prf_${id}`) } as { proof_id: string; promise?: object },
  evaluated_at: NOW,
  expires_at: IN_AN_HOUR,
  ...rest,
});

export const PARSE = {
  intent_id: 'int_01jq3k5v7w9x1y3z5b7d9f1h3k',
  agent_id: 'agent-7',
  normalized: 'data.read.user_profile',
  domain: 'data',
  action: 'read',
  verb: 'read',
  object: 'user_profile',
  places: [],
  effect: 'read',
  traits: [],
  extent: 'one',
  confidence: 0.968,
  coverage: 1,
  unread: [],
  alternatives: [],
  entities: { emails: [], urls: [], hosts: [], money: [], paths: [], identifiers: [] },
  data_classes: [],
  flags: [],
  risk: NO_RISK,
  trust: { claimed: null, recorded: { score: 250, level: 1 }, effective: { score: 250, level: 1 } },
  verdict_preview: 'ALLOW',
  policy_set: POLICY_SET,
  created_at: NOW,
};

export const ALLOWED = decision('01jq3k5v7w9x1y3z5b7d9f1h3m', {
  verdict: 'ALLOW',
  allowed: true,
  intent: {
    requested: { intent: 'data.read.user_profile' },
    normalized: 'data.read.user_profile',
    domain: 'data',
    action: 'read',
    verb: 'read',
    resource: 'data/user_profile',
    effect: 'read',
    risk: NO_RISK,
  },
  // It refers to the parse of the previous example.
  parsed: true,
  reasons: [
    {
      policy: 'reads',
      rule: 'reading-is-open',
      effect: 'ALLOW',
      code: 'READ_OPEN',
      message: 'reading is open to agents that are not blocked',
    },
  ],
});

export const DENIED = decision('01jq3k5v7w9x1y3z5b7d9f1h3n', {
  verdict: 'DENY',
  allowed: false,
  intent: {
    requested: { intent: 'delete:db/production/users' },
    normalized: 'db.delete.production.users',
    domain: 'db',
    action: 'delete',
    verb: 'delete',
    resource: 'db/production/users',
    effect: 'destructive',
    risk: {
      level: 'medium',
      score: 550,
      factors: [
        { factor: 'effect', score: 400, message: 'destroys something' },
        { factor: 'production', score: 150, message: 'changes production' },
      ],
    },
  },
  reasons: [
    {
      policy: 'destructive',
      rule: 'others-may-not',
      effect: 'DENY',
      code: 'TRUST_TOO_LOW',
      message: 'destructive work needs trust level 4 or more',
    },
    {
      policy: 'production',
      rule: 'unregistered-agents-may-not-destroy',
      effect: 'DENY',
      code: 'AGENT_NOT_REGISTERED',
      message: 'destroying something in production needs a registered agent',
    },
    {
      policy: 'production',
      rule: 'untrusted-agents-may-not-destroy',
      effect: 'DENY',
      code: 'PRODUCTION_PROTECTED',
      message: 'production is protected: destroying something in it needs trust level 4 or more',
    },
    {
      policy: 'destructive',
      rule: 'approval-in-live',
      effect: 'ESCALATE',
      code: 'APPROVAL_NEEDED',
      message: 'destructive work in live needs the approval of a human',
    },
  ],
});

export const AGENT = {
  agentId: 'agent-7',
  name: 'Invoice agent',
  description: null,
  capabilities: ['invoicing'],
  tags: ['billing'],
  attributes: {},
  metadata: null,
  status: 'ACTIVE',
  trust: { score: 250, level: 1, tier: 'Observed', uncertainty: 1 },
  createdAt: NOW,
  updatedAt: NOW,
};

/** A new key. Its secret cannot be used, because the checksum is wrong. */
export const newKey = (keyId: string) => ({
  keyId,
  key: `cst_live_${keyId}_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg_000000`,
  name: 'billing gateway',
  scopes: ['intents:write'],
  agentIds: ['agent-7'],
  keepsObligations: [],
  tags: ['finance'],
  environment: 'live',
  tier: 4,
  createdAt: NOW,
  expiresAt: '2026-05-30T09:30:00.000Z',
});

/** A real receipt of a log that no longer exists; verifying it reports that the log's key is not trusted. */
export const RECEIPT = {
  format: 'custos-receipt/1',
  status: 'anchored',
  proofId: 'prf_01m7z8tpcsm4dw71dmgsb341v5',
  record:
    'eyJhZ2VudElkIjoiaW52b2ljZS1JTlYtNyIsImV2ZW50VHlwZSI6Imludm9pY2UuYXBwcm92ZWQiLCJvY2N1cnJlZEF0IjoiMjAyNi0xMS0yMVQxNDo0MDozOC44MDlaIiwicGF5bG9hZCI6eyJib2R5Ijp7ImFtb3VudCI6MTIwLCJpbnZvaWNlIjoiSU5WLTcifSwiZW52aXJvbm1lbnQiOiJsaXZlIiwib3JnYW5pc2F0aW9uIjoiZGVmYXVsdCIsInByb29mSWQiOiJwcmZfMDFtN3o4dHBjc200ZHc3MWRtZ3NiMzQxdjUifSwicHJldmlvdXNIYXNoIjoiMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMCJ9',
  index: 5,
  path: [
    '3ddcfd9f49c912e9480c45b72788a9b0b56b4e2a15305d7cb08ebb2fb9362f30',
    '134788780a871a69d9573eba7c2681dd5858c34ba2565390b2f835065243ffd7',
    '89675945e935c48bf6953c7397718f287f101a90f532a22dcba8c1416b21b4ec',
  ],
  checkpoint:
    'custos.local/default/live\n7\nzWUthaog+xdY3PI2o8V+9xo0PiVijM1DfUYN5oy0rD8=\n\n— custos.local/default/live vaFafeTL0COCb7xELUlhAb1ybO99k+aL8p6th/L6nV9naLby2iCC+ZuG62xLK3aYD1/fEoBSHTEXw9ujGFU/aU4AWgE=\n— custos.local/default/live 4BZkfgAAAABrAa1m9rRAFeQz1zE+VyDMnryqk1MsWzDzQxzTk6woI6F1tHH+CD6MwhDF2x/F9SmiZoK3XQw9gjtd8qIINuhcP9T6DQ==\n',
};

/** A new webhook. @param request the request that created it */
export const webhookBody = (request: object): object => ({
  webhookId: 'whk_01jq3k5v7w9x1y3z5b7d9f1h3p',
  ...request,
  description: null,
  enabled: true,
  disabledReason: null,
  disabledAt: null,
  failingSince: null,
  signature: 'hmac',
  publicKey: null,
  previousKeysUntil: null,
  createdAt: AT.now,
  createdBy: '4fZ0q9Lm',
});

/** A policy whose one rule compares hours. */
export const nightPolicy = (before: unknown) => ({
  id: 'nights',
  description: 'Nothing is changed at night.',
  stage: 'enforce',
  target: { actions: ['update'], resources: ['*'] },
  rules: [
    {
      name: 'not-at-night',
      conditions: { all: [{ fact: 'time', path: 'hour', operator: 'lessThan', value: before }] },
      event: { type: 'DENY', params: { code: 'NIGHT', message: 'nothing is changed before six' } },
    },
  ],
});

export const WEBHOOK = {
  url: 'https://receiver.example.com/custos',
  events: ['decision.made', 'approval.opened'],
  filter: { verdicts: ['DENY', 'ESCALATE'] },
};

export const RESOURCE = {
  name: 'db/customers/*',
  class: 'confidential',
  owner: 'sales',
  attributes: {},
  createdAt: NOW,
  updatedAt: NOW,
};

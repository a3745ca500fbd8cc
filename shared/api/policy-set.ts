// Schemas of policy sets and findings.
import { Type } from 'typebox';
import { ASPECTS } from '../core/policy/aspects.ts';
import { FindingSchema } from '../core/policy/types.ts';
import { ShadowedDraftSchema } from '../domain/drafts/reports.ts';
import { ACTIVATION_SOURCES } from '../domain/policy-sets/activate.ts';
import { StringEnum } from '../kernel/schema.ts';
import { VERDICTS } from '../kernel/vocabulary.ts';
import { ApprovalVote } from './approval-vote.ts';
import { closed, JsonObject, listOf, named, NO_NUL, Nullable, Timestamp } from './common.ts';

export const PolicySetDigest = Type.String({
  description: 'SHA-256, in hex, of the canonical JSON of the set.',
});
const Policies = Type.Array(JsonObject({ description: 'A policy: see /schemas/policy.json.' }));
const Tools = Type.Optional(Type.Array(JsonObject({ description: 'A tool catalogue: see /schemas/tools.json.' })));

const Authzen = Type.Optional(
  JsonObject({ description: 'The action names of AuthZEN requests: see /schemas/authzen.json.' }),
);

const Author = Type.String({
  description: '`folder`, the id of a key, or `cli:` and the name of a user of the shell.',
});
const Source = StringEnum(ACTIVATION_SOURCES, { description: 'Where the set comes from.' });
const Resources = Type.Optional(
  Type.Array(JsonObject({ description: 'A resource with its attributes: see /schemas/resource.json.' })),
);
const Attributes = Type.Optional(
  JsonObject({ description: 'The attributes of agents and resources: see /schemas/attributes.json.' }),
);
const Terms = Type.Optional(JsonObject({ description: 'Named conditions and constants: see /schemas/terms.json.' }));

const Misfits = Type.Array(
  closed({
    policy: Type.String({ description: 'The id of the own policy.' }),
    pointer: Type.String({ description: 'RFC 6901, into the policy.' }),
    message: Type.String({ description: 'Why it does not fit.' }),
  }),
  {
    description:
      "Own policies that are no longer valid beside the installation's set. Each denies its target until it is pushed again.",
  },
);
const OrganisationSetInfo = closed(
  {
    organisation: Type.String({ description: 'The slug.' }),
    digest: Nullable(PolicySetDigest),
    hasOwn: Type.Boolean({ description: 'Whether the organisation has policies of its own.' }),
    staged: Nullable(PolicySetDigest),
    author: Nullable(Author),
    reason: Nullable(Type.String({ description: 'Why it was changed last.' })),
    misfits: Misfits,
  },
  {
    description:
      "An organisation whose set is not the installation's. `digest` null: its row was changed past the service, and its requests are refused.",
  },
);

export const PolicySetStatus = named('PolicySetStatus', {
  own: Type.Optional(
    closed(
      {
        policies: Type.Array(Type.String(), { description: 'Their ids among `policies`.' }),
        author: Nullable(Author),
        reason: Nullable(Type.String({ description: 'Why they were pushed.' })),
        misfits: Misfits,
      },
      { description: "The organisation's own policies; absent without any, and for the operator." },
    ),
  ),
  organisations: Type.Optional(
    Type.Array(OrganisationSetInfo, {
      description: "For the operator: organisations whose set is not the installation's.",
    }),
  ),
  digest: PolicySetDigest,
  activatedAt: Timestamp,
  author: Author,
  reason: Nullable(Type.String({ description: 'Why it was put into force; the folder gives no reason.' })),
  source: Source,
  attributes: Attributes,
  policies: Policies,
  resources: Resources,
  terms: Terms,
  tools: Tools,
  folder: closed(
    {
      digest: Nullable(PolicySetDigest),
      isFollowed: Type.Boolean({
        description:
          'Whether edits come into force. False after a push or a rollback, until POST /v1/policies/follow-folder.',
      }),
    },
    { description: 'The policy folder. `digest` is that of its last valid content, null while it has errors.' },
  ),
  lastRead: closed(
    {
      at: Nullable(Timestamp),
      ok: Type.Boolean({ description: 'Whether the folder was accepted.' }),
      findings: Type.Array(FindingSchema, { description: 'Problems and warnings.' }),
    },
    {
      description: 'The last reading of the policy folder. A refused folder leaves the active set in force.',
    },
  ),
});

export const StoredPolicySet = named('StoredPolicySet', {
  digest: PolicySetDigest,
  createdAt: Timestamp,
  attributes: Attributes,
  authzen: Authzen,
  engine: Type.Integer({ description: 'The version of the rules of evaluation.' }),
  installationDigest: Type.Optional(PolicySetDigest),
  lexicon: JsonObject({ description: 'See /schemas/lexicon.json.' }),
  organisation: Type.Optional(
    JsonObject({
      description:
        'Own policies of an organisation: {placeholders, policies, slug}. The digest is then that of {engine, installation, organisation}.',
    }),
  ),
  placeholders: Type.Optional(Type.Boolean({ description: 'Messages have placeholders.' })),
  policies: Policies,
  resources: Resources,
  terms: Terms,
  tools: Tools,
  withheld: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Number of parts that are for other organisations alone, which only the operator sees.',
    }),
  ),
});

export const PolicyDigestParams = closed({
  digest: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of the set: SHA-256, lower-case hex.' }),
});

export const ValidatePoliciesRequest = named('ValidatePoliciesRequest', {
  files: Type.Array(
    closed({
      path: Type.String({
        minLength: 1,
        maxLength: 300,
        description:
          'The kind of file, and what findings name: `tools/...` a tool catalogue, `resources/...` a resource, attributes.json, terms.json, authzen.json, lexicon.json or `lexicon/...`; else a policy.',
      }),
      text: Type.String({ description: 'The text of the file.' }),
    }),
    {
      minItems: 1,
      maxItems: 1_000,
      description: 'A lexicon may be among them; else that in force is used.',
    },
  ),
});

/** Bytes of the body of POST /v1/policies: ten thousand policies of 800 bytes. */
export const MAX_PUSH_BYTES = 8_388_608;
const MAX_PUSHED_FILES = 20_000;

const Reason = Type.String({
  minLength: 1,
  maxLength: 1_000,
  pattern: NO_NUL,
  description: 'Why; stored in every log permanently.',
  examples: ['Ticket SEC-12: refunds need a human'],
});
const ExpectedDigest = Type.Optional(
  Type.String({
    pattern: '^[0-9a-f]{64}$',
    description: 'The set that must be in force; else 409.',
  }),
);
const DryRun = Type.Optional(Type.Boolean({ description: 'Only check and compare.' }));
const Signature = Type.Optional(
  Type.String({
    maxLength: 300,
    description: 'The line of `custos policy sign`; required with CUSTOS_POLICY_SIGNERS.',
  }),
);

const Share = Type.Number({
  exclusiveMinimum: 0,
  maximum: 1,
  description: 'Share of live decisions that are evaluated under the set in shadow.',
});

export const PushPoliciesRequest = named('PushPoliciesRequest', {
  files: Type.Array(
    closed({
      path: Type.String({
        minLength: 1,
        maxLength: 300,
        description: 'Relative to the policy folder, with `/`, such as `payments/refunds.json`. Each only once.',
      }),
      text: Type.String({ description: 'The text of the file.' }),
    }),
    {
      minItems: 1,
      maxItems: MAX_PUSHED_FILES,
      description:
        'The whole set: what is not among them is no longer in force. Without a lexicon that in force stays; E5002 when another set comes into force while the files are checked.',
    },
  ),
  reason: Reason,
  expectedDigest: ExpectedDigest,
  signature: Signature,
  dryRun: DryRun,
  stage: Type.Optional(
    closed(
      {
        organisations: Type.Optional(
          Type.Array(Type.String({ minLength: 1, maxLength: 40, description: 'A slug.' }), {
            minItems: 1,
            maxItems: 1_000,
            uniqueItems: true,
            description: 'The organisations concerned; the others keep their set.',
          }),
        ),
        share: Type.Optional(Share),
      },
      {
        description: 'For some organisations, or with `share` only in shadow; see POST /v1/policies/promote.',
      },
    ),
  ),
});

export const WithdrawPoliciesRequest = named('WithdrawPoliciesRequest', {
  reason: Reason,
  expectedDigest: ExpectedDigest,
});

export const PromotePoliciesRequest = named('PromotePoliciesRequest', {
  digest: PolicyDigestParams.properties.digest,
  reason: Reason,
  expectedDigest: ExpectedDigest,
  signature: Signature,
});

export const DropStageRequest = named('DropStageRequest', { reason: Reason });

export const RollBackPoliciesRequest = named('RollBackPoliciesRequest', {
  digest: PolicyDigestParams.properties.digest,
  reason: Reason,
  expectedDigest: ExpectedDigest,
  signature: Signature,
  dryRun: DryRun,
});

export const FollowFolderRequest = named('FollowFolderRequest', { reason: Reason, signature: Signature });

const Decision = StringEnum(['pending', 'used', 'rejected', 'superseded', 'expired'], {
  description: 'used: approved, and put into force; superseded: another set was put into force before it was decided.',
});

const proposal = {
  approvalId: Type.String({ description: 'Names it.', examples: ['apr_01jq3kzv5w8e3h2c4n9m7x6y1t'] }),
  status: Decision,
  digest: PolicySetDigest,
  previousDigest: Nullable(PolicySetDigest),
  author: Author,
  reason: Nullable(Type.String({ description: 'The reason of the author; the folder gives none.' })),
  source: Source,
  signer: Nullable(Type.String({ description: 'Who signed the set, if a signature is required.' })),
  signature: Nullable(
    Type.String({
      description:
        'The line of the signature, which is checked again, with the keys of that time, at the last approval.',
    }),
  ),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  decidedAt: Nullable(Timestamp),
  decidedBy: Nullable(Type.String({ description: 'A key, or cli:<user> for a decision from the shell.' })),
  decisionReason: Nullable(Type.String({ description: 'The reason given with the decision.' })),
  stage: Type.Optional(
    JsonObject({
      description: 'Absent: for all. Of a dropped stage: `{"drop": true}`.',
    }),
  ),
  votes: Type.Array(ApprovalVote, { description: 'Approvals while CUSTOS_POLICY_QUORUM demands more.' }),
};

const Slugs = Type.Array(Type.String(), { description: 'Slugs.' });

export const PolicyStageList = listOf(
  named(
    'PolicyStage',
    {
      digest: PolicySetDigest,
      author: Author,
      reason: Nullable(Type.String({ description: 'Why it was staged.' })),
      stagedAt: Timestamp,
      organisations: Slugs,
      share: Nullable(Share),
      shareOf: Nullable(Slugs),
      shadow: Nullable(ShadowedDraftSchema),
    },
    {
      description: 'In force for `organisations`; with `share` in shadow for `shareOf` (null: all).',
    },
  ),
  'PolicyStageList',
);

export const PolicyActivationList = listOf(
  named('PolicyActivation', {
    activatedAt: Timestamp,
    digest: PolicySetDigest,
    previousDigest: Nullable(PolicySetDigest),
    organisation: Nullable(Type.String({ description: 'The slug; null: for all.' })),
    author: Author,
    reason: Nullable(Type.String({ description: 'The reason given.' })),
    source: Source,
    approver: Nullable(Type.String({ description: 'Who approved it.' })),
    signer: Nullable(Type.String({ description: 'Who signed it.' })),
  }),
  'PolicyActivationList',
);

export const PolicyApproval = named('PolicyApproval', proposal, {
  description: 'A change that waits for the approval of a second person, or waited.',
});

const Verdict = StringEnum(VERDICTS, { description: 'The verdict.' });

export const PolicyComparison = named(
  'PolicyComparison',
  {
    before: PolicySetDigest,
    after: PolicySetDigest,
    parts: Type.Array(
      closed({
        name: Type.String({ description: 'The id of a policy, `tools/` and a server, `lexicon`, ...' }),
        change: StringEnum(['added', 'removed', 'changed'], { description: 'What happens to it.' }),
      }),
      { description: 'The parts that differ.' },
    ),
    examples: Type.Array(
      closed({
        rule: Type.String({ description: 'The changed rule, as `policy/rule`.' }),
        in: StringEnum(['before', 'after'], { description: 'The set that has the rule.' }),
        intent: Type.String({ description: 'The action and the resource of the request.' }),
        environment: Type.String({ description: 'live, test or dev.' }),
        facts: JsonObject({ description: 'The facts that the rule reads; null: missing.' }),
        before: Verdict,
        after: Verdict,
        differs: Type.Array(StringEnum(ASPECTS), { description: 'In what they differ.' }),
      }),
      { description: 'Requests that the sets answer differently, at most one for each changed rule.' },
    ),
    withoutExample: Type.Array(Type.String(), {
      description: 'Changed rules for which the limited search found no such request.',
    }),
  },
  { description: 'The difference of two sets; absent when this version can not load one of them.' },
);

export const PolicyApprovalDetail = named('PolicyApprovalDetail', {
  ...proposal,
  authorKey: Nullable(
    Type.Object(
      {
        name: Type.String({ description: 'Its name.' }),
        tags: Type.Array(Type.String(), { description: 'Its tags.' }),
      },
      { description: 'The key of the author, as it is now. Null: the folder, or a user of the shell.' },
    ),
  ),
  mayDecide: Type.Boolean({ description: 'Whether the calling key may decide while it is pending.' }),
  comparison: Type.Optional(PolicyComparison),
});

export const PolicyApprovalList = listOf(PolicyApproval, 'PolicyApprovalList');

export const PolicyChangeResult = named('PolicyChangeResult', {
  status: StringEnum(['activated', 'unchanged', 'waiting', 'staged', 'dropped', 'checked'], {
    description:
      'unchanged: in force already; waiting: for `approval`; staged: see GET /v1/policies/stages; dropped: no longer staged; checked: dryRun.',
  }),
  organisations: Type.Optional(
    Type.Array(Type.String(), { description: 'With staged and dropped: the slugs of the organisations concerned.' }),
  ),
  digest: PolicySetDigest,
  previousDigest: Nullable(PolicySetDigest),
  author: Author,
  reason: Nullable(Type.String({ description: 'The reason given.' })),
  source: Source,
  signer: Nullable(Type.String({ description: 'Who signed the set, if a signature is required.' })),
  approval: Type.Optional(PolicyApproval),
  comparison: Type.Optional(PolicyComparison),
  findings: Type.Array(FindingSchema, { description: 'Warnings.' }),
});

export const ValidatePoliciesResponse = named('ValidatePoliciesResponse', {
  valid: Type.Boolean({ description: 'Whether the files may come into force.' }),
  digest: Nullable(PolicySetDigest),
  findings: Type.Array(FindingSchema, { description: 'Problems and warnings, by file and position.' }),
});

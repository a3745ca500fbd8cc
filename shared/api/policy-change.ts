// Schemas of changes of policy sets: pushes, rollbacks, stages, approvals, and what came of them.
import { Type } from 'typebox';
import { ASPECTS } from '../core/policy/aspects.ts';
import { FindingSchema } from '../core/policy/types.ts';
import { ShadowedDraftSchema } from '../domain/drafts/reports.ts';
import { VERDICTS } from '../kernel/vocabulary.ts';
import { ApprovalVote } from './approval-vote.ts';
import { closed, JsonObject, listOf, named, Nullable, reasonText, StringEnum, Timestamp } from './common.ts';
import { Author, PolicyDigestParams, PolicySetDigest, Source } from './policy-set.ts';

/** Bytes of the body of POST /v1/policies: ten thousand policies of 800 bytes. */
export const MAX_PUSH_BYTES = 8_388_608;
const MAX_PUSHED_FILES = 20_000;

const Reason = reasonText(1_000, {
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

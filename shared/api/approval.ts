// Schemas of approvals.
import { ApprovalVote } from './approval-vote.ts';
import { type Static, Type } from 'typebox';
import { APPROVAL_STATES } from '../core/decision/approval.ts';
import { RequestedSchema } from '../core/policy/types.ts';
import {
  CallerId,
  closed,
  JsonObject,
  listOf,
  named,
  Nullable,
  PAGE,
  reasonText,
  StringEnum,
  Timestamp,
} from './common.ts';
import { DecisionOnRecord } from './decision.ts';
import { MaskedArguments } from './tool.ts';

const Status = StringEnum(APPROVAL_STATES, {
  description:
    'pending; approved: may be used once; rejected, or withdrawn; used; expired: not decided or not used in time.',
});

const ApprovalDemand = named('ApprovalDemand', {
  policy: Type.String({ description: 'The policy whose rule demands it.' }),
  rule: Type.String({ description: 'The name of the rule.' }),
  keys: Type.Array(Type.String(), { description: 'Keys that may approve.' }),
  tags: Type.Array(Type.String(), { description: 'Keys with one of these tags may approve, too.' }),
  atLeast: Type.Integer({ minimum: 1, description: 'How many different hands must approve.' }),
  approvedBy: Type.Array(Type.String(), { description: 'Keys whose votes count, one of each hand.' }),
  missing: Type.Integer({ minimum: 0, description: 'How many votes are missing.' }),
});

const members = {
  requested: Nullable(RequestedSchema),
  approvalId: Type.String({ description: 'Names it.', examples: ['apr_01jq3kzv5w8e3h2c4n9m7x6y1t'] }),
  status: Status,
  agentId: Type.String({ description: 'The agent.' }),
  keyId: Type.String({
    description: 'The key that asked. It may not decide, nor may a key that it created or that created it.',
  }),
  digest: Type.String({
    description:
      'What it is bound to: SHA-256, lower-case hex, of the canonical JSON (RFC 8785) of `bound`, which GET /v1/approvals/{id} shows, with secrets in the arguments of a tool call masked.',
  }),
  intentId: Nullable(Type.String({ description: 'The parse or the submitted intent of the question.' })),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  decidedAt: Nullable(Timestamp),
  decidedBy: Nullable(
    Type.String({
      description: 'A key, or cli:<user> for a decision from the shell.',
    }),
  ),
  reason: Nullable(Type.String({ description: 'The reason given with the decision.' })),
  usedAt: Nullable(Timestamp),
  usedBy: Nullable(Type.String({ description: 'The key that used it.' })),
  usedDecisionId: Nullable(Type.String({ description: 'The decision that permitted the action.' })),
  approvers: Nullable(
    Type.Array(ApprovalDemand, {
      description:
        'What the rules that escalated demand; each must be met before the approval is approved. Null: any admin key may approve.',
    }),
  ),
  votes: Type.Array(ApprovalVote, {
    description: 'Those who approved, when the rules name approvers; oldest first.',
  }),
  decision: DecisionOnRecord,
};

export const Approval = named('Approval', members);

export const ApprovalDetail = named('ApprovalDetail', {
  ...members,
  mayDecide: Type.Boolean({
    description:
      'Whether the calling key may decide it while it is pending, and reject it until it is used: not the key that asked, nor its rotations, ancestors or descendants.',
  }),
  mayApprove: Type.Boolean({
    description:
      'Whether `mayDecide`, the calling key is bound to no agents, and the rules name it, if they name approvers. Any key that may decide may reject.',
  }),
  canBeMet: Type.Boolean({
    description:
      'False: there are not enough valid admin keys that the rules name, so nobody can complete this approval.',
  }),
  bound: Nullable(
    JsonObject({
      description:
        'All that it is bound to: agent, organisation, environment, context, intentId, the tool call with its arguments (secrets masked), the intent as written and as read. A question that differs is APPROVAL_MISMATCH. Null: erased by retention, or opened by an earlier version and no longer usable.',
    }),
  ),
  masked: Type.Unsafe<Static<typeof MaskedArguments>>({
    ...MaskedArguments,
    description: 'Which arguments of the tool call in `bound` are masked, and why.',
  }),
  context: Nullable(
    JsonObject({
      description: "The caller's own object, as the policies saw it. Null: retention has erased it.",
    }),
  ),
});

export const ApprovalList = listOf(Approval, 'ApprovalList');
export const ApprovalListQuery = closed({
  status: Type.Optional(Status),
  agentId: Type.Optional(CallerId),
  ...PAGE,
});

/** Characters of a reason. */
export const MAX_REASON = 1_000;

export const ApprovalVerdict = named('ApprovalVerdict', {
  reason: reasonText(MAX_REASON, {
    description: 'Stored in the log permanently.',
    examples: ['Ticket OPS-7, backup verified'],
  }),
});

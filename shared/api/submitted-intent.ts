// Schemas of submitted intents, which a worker evaluates.
import { INTENT_STATUSES } from '../kernel/vocabulary.ts';
import { Type } from 'typebox';
import { CallerId, closed, listOf, named, Nullable, PAGE, StringEnum, Timestamp } from './common.ts';
import { DecisionOnRecord } from './decision.ts';
import { Context } from './intent.ts';
import { ToolCallSchema } from './tool.ts';

const Status = StringEnum(INTENT_STATUSES, {
  description:
    'queued, evaluating, decided; waiting_approval until a human decides, then evaluating again; failed has a recorded DENY with reason EVALUATION_FAILED. KEY_INVALID: the key that submitted it was revoked or had expired.',
});

export const IntentSubmission = named('IntentSubmission', {
  agentId: CallerId,
  action: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
      description: 'An action, or a finer verb of the lexicon. Either `action` and `resource`, or `tool`.',
      examples: ['read'],
    }),
  ),
  resource: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_048,
      description: 'What it acts on; a trailing `*` segment stands for one or more segments.',
      examples: ['db/customers/*'],
    }),
  ),
  tool: Type.Optional(ToolCallSchema),
  context: Type.Optional(Context),
});

export const IntentAccepted = named('IntentAccepted', {
  intentId: Type.String({ description: 'For GET /v1/intents/{id}.' }),
  status: StringEnum(['queued'], { description: 'It waits for a worker.' }),
});

export const SubmittedIntent = named('SubmittedIntent', {
  intentId: Type.String({ description: 'Names it.' }),
  agentId: Type.String({ description: 'The agent.' }),
  action: Type.String({ description: 'Of a tool call: what its catalogue said when it was accepted.' }),
  resource: Type.String({ description: 'As it was submitted; of a tool call as `action`.' }),
  status: Status,
  approvalId: Nullable(
    Type.String({
      description: 'The approval for which it waits or has waited. Its ESCALATE is a recorded decision, too.',
    }),
  ),
  submittedAt: Timestamp,
  updatedAt: Timestamp,
  decision: Nullable(DecisionOnRecord),
});

export const SubmittedIntentList = listOf(SubmittedIntent, 'SubmittedIntentList');
export const SubmittedIntentListQuery = closed({
  agentId: Type.Optional(CallerId),
  status: Type.Optional(Status),
  ...PAGE,
});

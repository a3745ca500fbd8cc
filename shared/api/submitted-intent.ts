// Intents that are submitted to be evaluated by a worker, as the HTTP interface has them.
import { INTENT_STATUSES } from '../kernel/vocabulary.ts';
import { Type } from 'typebox';
import { CallerId, Cursor, Limit, listOf, Nullable, StringEnum, Timestamp } from './common.ts';
import { DecisionOnRecord } from './decision.ts';
import { Context } from './intent.ts';

const Status = StringEnum(INTENT_STATUSES, {
  description:
    'queued, evaluating, decided; waiting_approval until a human decides, then evaluating again; failed carries a recorded DENY with reason EVALUATION_FAILED.',
});

export const IntentSubmission = Type.Object(
  {
    agentId: CallerId,
    action: Type.String({
      minLength: 1,
      maxLength: 128,
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
      description: 'An action, or a finer verb of the lexicon.',
      examples: ['read'],
    }),
    resource: Type.String({
      minLength: 1,
      maxLength: 2_048,
      description: 'What it acts on; a trailing `*` segment stands for one or more segments.',
      examples: ['db/customers/*'],
    }),
    context: Type.Optional(Context),
  },
  { $id: 'IntentSubmission', additionalProperties: false },
);

export const IntentAccepted = Type.Object(
  { intentId: Type.String(), status: StringEnum(['queued']) },
  { $id: 'IntentAccepted', additionalProperties: false },
);

export const SubmittedIntent = Type.Object(
  {
    intentId: Type.String(),
    agentId: Type.String(),
    action: Type.String(),
    resource: Type.String(),
    status: Status,
    approvalId: Nullable(
      Type.String({
        description: 'The approval that it waits for, or has waited for: its ESCALATE is a decision, too.',
      }),
    ),
    submittedAt: Timestamp,
    updatedAt: Timestamp,
    decision: Nullable(DecisionOnRecord),
  },
  { $id: 'SubmittedIntent', additionalProperties: false },
);

export const SubmittedIntentList = listOf(SubmittedIntent, 'SubmittedIntentList');
export const SubmittedIntentListQuery = Type.Object(
  {
    agentId: Type.Optional(CallerId),
    status: Type.Optional(Status),
    cursor: Type.Optional(Cursor),
    limit: Type.Optional(Limit),
  },
  { additionalProperties: false },
);
export const SubmittedIntentParams = Type.Object(
  { id: Type.String({ minLength: 1, maxLength: 64 }) },
  { additionalProperties: false },
);

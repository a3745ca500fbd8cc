// Schemas of the outcome of a decision.
import { type Static, Type } from 'typebox';
import { OUTCOMES } from '../domain/decisions/outcomes.ts';
import { named, NO_NUL, Nullable, StringEnum, Timestamp } from './common.ts';

const Outcome = StringEnum(OUTCOMES, {
  description:
    'done: the action was carried out. failed: it was tried and failed. not_carried_out: it was not tried, and will not be.',
});

export const OutcomeRequest = named('OutcomeRequest', {
  outcome: Outcome,
  detail: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: NO_NUL,
      description: 'Stored in the log permanently.',
      examples: ['The tool server refused the call'],
    }),
  ),
});

export const OutcomeAnswer = named('OutcomeAnswer', {
  decisionId: Type.String({ description: 'The decision.' }),
  outcome: Outcome,
  detail: Nullable(Type.String({ description: 'As it was first reported.' })),
  reportedAt: Timestamp,
});
export type OutcomeAnswerBody = Static<typeof OutcomeAnswer>;

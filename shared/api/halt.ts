// Schemas of halts.
import { type Static, Type } from 'typebox';
import { ENVIRONMENTS } from '../kernel/vocabulary.ts';
import { named, Nullable, reasonText, StringEnum, Timestamp } from './common.ts';

const MAX_REASON = 500;

export const HaltRequest = named('HaltRequest', {
  reason: reasonText(MAX_REASON, {
    description: 'Stored in the log permanently.',
    examples: ['Runaway agent, incident 42'],
  }),
});

/** The body of the end of a halt. It may be left out. */
export const HaltLift = named('HaltLift', {
  reason: Type.Optional(
    reasonText(MAX_REASON, {
      description: 'Why the environment may act again. Stored in the log permanently.',
      examples: ['The agent is fixed, incident 42'],
    }),
  ),
});

export const HaltState = named('HaltState', {
  environment: StringEnum(ENVIRONMENTS, { description: 'That of the key.' }),
  halted: Type.Boolean({ description: 'Whether every verdict is DENY now.' }),
  reason: Nullable(Type.String({ description: 'Why it was halted.' })),
  keyId: Nullable(Type.String({ description: 'The key that halted.' })),
  since: Nullable(Timestamp),
});
export type HaltStateBody = Static<typeof HaltState>;

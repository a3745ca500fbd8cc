// Schemas of halts.
import { type Static, Type } from 'typebox';
import { ENVIRONMENTS } from '../kernel/vocabulary.ts';
import { named, NO_NUL, Nullable, StringEnum, Timestamp } from './common.ts';

export const HaltRequest = named('HaltRequest', {
  reason: Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: NO_NUL,
    description: 'Stored in the log permanently.',
    examples: ['Runaway agent, incident 42'],
  }),
});

export const HaltState = named('HaltState', {
  environment: StringEnum(ENVIRONMENTS, { description: 'That of the key.' }),
  halted: Type.Boolean({ description: 'Whether every verdict is DENY now.' }),
  reason: Nullable(Type.String({ description: 'Why it was halted.' })),
  keyId: Nullable(Type.String({ description: 'The key that halted.' })),
  since: Nullable(Timestamp),
});
export type HaltStateBody = Static<typeof HaltState>;

// Schemas of halts.
import { type Static, Type } from 'typebox';
import { ENVIRONMENTS } from '../kernel/vocabulary.ts';
import { named, NO_NUL, Nullable, StringEnum, Timestamp } from './common.ts';

export const HaltRequest = named('HaltRequest', {
  reason: Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: NO_NUL,
    examples: ['Runaway agent, incident 42'],
  }),
});

export const HaltState = named('HaltState', {
  environment: StringEnum(ENVIRONMENTS),
  halted: Type.Boolean(),
  reason: Nullable(Type.String()),
  keyId: Nullable(Type.String({ description: 'The key that halted.' })),
  since: Nullable(Timestamp),
});
export type HaltStateBody = Static<typeof HaltState>;

// Schemas of halts.
import { type Static, Type } from 'typebox';
import { ENVIRONMENTS } from '../kernel/vocabulary.ts';
import { NO_NUL, Nullable, StringEnum, Timestamp } from './common.ts';

export const HaltRequest = Type.Object(
  {
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: NO_NUL,
      examples: ['Runaway agent, incident 42'],
    }),
  },
  { $id: 'HaltRequest', additionalProperties: false },
);

export const HaltState = Type.Object(
  {
    environment: StringEnum(ENVIRONMENTS),
    halted: Type.Boolean(),
    reason: Nullable(Type.String()),
    keyId: Nullable(Type.String({ description: 'The key that halted.' })),
    since: Nullable(Timestamp),
  },
  { $id: 'HaltState', additionalProperties: false },
);
export type HaltStateBody = Static<typeof HaltState>;

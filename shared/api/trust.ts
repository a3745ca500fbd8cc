// Schemas of trust: signals and scores.
import { type Static, Type } from 'typebox';
import { SIGNAL_TYPES } from '../core/trust/beta.ts';
import { TIER_TABLE } from '../kernel/vocabulary.ts';
import {
  CallerId,
  closed,
  Instant,
  JsonObject,
  listOf,
  named,
  Nullable,
  PAGE,
  StringEnum,
  Timestamp,
} from './common.ts';

export const MAX_SIGNALS = 1_000;

const SignalId = Type.Unsafe<string>({
  ...CallerId,
  description:
    'Identifies the signal permanently: a repeat counts once, and a different signal with the same id is refused (E2010). Generated when absent.',
  examples: ['run-2231/step-4'],
});

export const TrustSignal = named('TrustSignal', {
  signalId: Type.Optional(SignalId),
  agentId: CallerId,
  type: StringEnum(SIGNAL_TYPES, { description: 'What was observed. A violation weighs as much as ten failures.' }),
  weight: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1,
      description: 'Whole thousandths: 0.001 to 1. Absent: 1.',
      examples: [1, 0.25],
    }),
  ),
  occurredAt: Type.Optional(
    Type.Unsafe<string>({
      ...Instant,
      description: 'RFC 3339. At most 5 minutes ahead and 30 days back. Absent: now.',
    }),
  ),
  source: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
      description: 'The observer; no control characters.',
      examples: ['ci'],
    }),
  ),
  evidence: Type.Optional(
    JsonObject({ description: 'An object of your own, at most 16 kB of JSON; kept with the signal.' }),
  ),
});
export type TrustSignalBody = Static<typeof TrustSignal>;

const TrustSignalBatch = named('TrustSignalBatch', {
  signals: Type.Array(TrustSignal, {
    minItems: 1,
    maxItems: MAX_SIGNALS,
    description: 'All are accepted or none.',
  }),
});

/** What the service accepts. `if`, and not a union: an error then names the member that is wrong, and not two shapes. */
export const TrustSignalsBody = Type.Unsafe<TrustSignalBody | Static<typeof TrustSignalBatch>>({
  type: 'object',
  if: { type: 'object', required: ['signals'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: TrustSignalBatch,
  else: TrustSignal,
});

/** The same as a union, as generators of clients understand it. */
export const TrustSignalsRequest = Type.Union([TrustSignal, TrustSignalBatch], {
  $id: 'TrustSignalsRequest',
  description: 'One signal, or `signals` with up to a thousand. The member `signals` tells them apart.',
  examples: [
    { agentId: 'agent-7', type: 'success' },
    { signals: [{ signalId: 'run-2231/step-4', agentId: 'agent-7', type: 'failure', weight: 0.5, source: 'ci' }] },
  ],
});

export const TrustSignalsAccepted = named('TrustSignalsAccepted', {
  signalIds: Type.Array(Type.String(), { description: 'In the order of the request.' }),
});

/** A score with its level and tier. */
export const SCORED = {
  score: Type.Integer({ minimum: 0, maximum: 1_000, description: '0 to 1000.' }),
  level: Type.Integer({ minimum: 0, maximum: 7, description: 'The level of the score.' }),
  tier: StringEnum(
    TIER_TABLE.map((tier) => tier.name),
    { description: 'The name of the level.' },
  ),
};

export const Trust = named('Trust', {
  agentId: Type.String({ description: 'The agent.' }),
  registered: Type.Boolean({
    description: 'In decisions an unregistered agent has at most the score without evidence (250).',
  }),
  ...SCORED,
  uncertainty: Type.Number({ minimum: 0, maximum: 1, description: '1 without any evidence.' }),
  evidence: closed(
    {
      positive: Type.Number({
        minimum: 0,
        description: 'The amount that counts on that day: capped and decayed, in full signals.',
      }),
      negative: Type.Number({
        minimum: 0,
        description: 'The amount that counts on that day: decayed, in full failures.',
      }),
      lastSignalAt: Nullable(Timestamp),
    },
    { description: 'What the score is computed from.' },
  ),
  asOf: closed(
    {
      signals: Type.Integer({ minimum: 0, description: 'How many signals were folded: the first n of this agent.' }),
      day: Type.String({ description: 'UTC day, YYYY-MM-DD.' }),
    },
    { description: 'The moment of the score.' },
  ),
});
export type TrustBody = Static<typeof Trust>;

export const TrustQuery = closed({ at: Type.Optional(Instant) });

export const TrustChange = named('TrustChange', {
  at: Timestamp,
  ...SCORED,
  cause: closed(
    {
      firstSignal: Type.Integer({ minimum: 1, description: 'Signals of the agent are numbered without gaps.' }),
      lastSignal: Type.Integer({ minimum: 1, description: 'The number of the last one.' }),
      success: Type.Integer({ minimum: 0, description: 'Successes.' }),
      failure: Type.Integer({ minimum: 0, description: 'Failures.' }),
      violation: Type.Integer({ minimum: 0, description: 'Violations.' }),
      proofId: Type.String({ description: 'The `custos.trust` record that holds these signals.' }),
    },
    { description: 'The signals that led to the score, counted by type.' },
  ),
});
export type TrustChangeBody = Static<typeof TrustChange>;

export const TrustHistory = listOf(TrustChange, 'TrustHistory');
export const TrustHistoryQuery = closed({
  from: Type.Optional(Instant),
  to: Type.Optional(Instant),
  ...PAGE,
});

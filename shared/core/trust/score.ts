// Trust scores, levels and tiers, and the effective trust of a decision.
import type { TrustFacts } from './facts.ts';
import { TIER_TABLE } from '../../kernel/vocabulary.ts';
import type { TrustLevel } from '../../kernel/vocabulary.ts';

export type Tier = (typeof TIER_TABLE)[number];
export type TierName = Tier['name'];

/** The trust of an agent without evidence: the base rate of the beta reputation, and complete uncertainty. */
export const NO_EVIDENCE = { score: 250, uncertainty: 1 } as const;

/**
 * The recorded score that a decision uses. An unregistered agent never has more than the score of no evidence, whatever its signals are. It
 * may have less; otherwise a bad agent would benefit from staying unregistered.
 */
export function recordedScoreOf(registered: boolean, score: number): number {
  return registered ? score : Math.min(score, NO_EVIDENCE.score);
}

const MAX_SCORE = 1000;

/** Clamped to 0..1000 and rounded down; a value that is not a number counts as 0, because a claim may only lower trust. */
function scoreOf(value: number): number {
  return Number.isNaN(value) ? 0 : Math.min(MAX_SCORE, Math.max(0, Math.floor(value)));
}

/** The tier of a score: the last one whose `from` is at most the score. */
export function tierOf(score: number): Tier {
  const whole = scoreOf(score);
  let tier: Tier = TIER_TABLE[0];
  for (const entry of TIER_TABLE) if (whole >= entry.from) tier = entry;
  return tier;
}

/** The trust level 0..7 of a score 0..1000. */
export function levelOf(score: number): TrustLevel {
  return tierOf(score).level;
}

function tierAt(level: number): Tier {
  const whole = Number.isNaN(level) ? 0 : Math.min(TIER_TABLE.length - 1, Math.max(0, Math.floor(level)));
  // The clamp above keeps the index within the table.
  return TIER_TABLE[whole] as Tier;
}

/** The name of a trust level: `Sandbox` .. `Autonomous`. */
export function tierName(level: number): TierName {
  return tierAt(level).name;
}

/** The highest score of a level. */
export function highestScoreOf(level: number): number {
  return tierAt(level).to;
}

export interface TrustInputs {
  /** 0..1000, from the agent's signals, or the score of NO_EVIDENCE. */
  readonly recordedScore: number;
  /** 0..1 */
  readonly uncertainty: number;
  /** 0..1000; fractions are rounded down. */
  readonly claimedScore?: number | undefined;
  /** 0..7; counts as the highest score of that level. */
  readonly claimedLevel?: number | undefined;
}

/** The trust of one decision: min(recorded, claimed). A claim can only lower it; of two claims the lower one counts. */
export function effectiveTrust(inputs: TrustInputs): TrustFacts {
  const recordedScore = scoreOf(inputs.recordedScore);
  const claims: number[] = [];
  if (inputs.claimedScore !== undefined) claims.push(scoreOf(inputs.claimedScore));
  if (inputs.claimedLevel !== undefined) claims.push(highestScoreOf(inputs.claimedLevel));
  const claimedScore = claims.length === 0 ? undefined : Math.min(...claims);
  const score = Math.min(recordedScore, claimedScore ?? recordedScore);
  return {
    level: levelOf(score),
    score,
    uncertainty: inputs.uncertainty,
    recorded: { level: levelOf(recordedScore), score: recordedScore },
    claimed: claimedScore === undefined ? null : { level: levelOf(claimedScore), score: claimedScore },
  };
}

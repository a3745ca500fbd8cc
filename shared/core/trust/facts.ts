// The trust facts of a decision, as policies see them.

export interface TrustFacts {
  /** Effective: min(recorded, claimed). */
  level: number;
  score: number;
  uncertainty: number;
  recorded: { level: number; score: number };
  claimed: { level: number; score: number } | null;
}

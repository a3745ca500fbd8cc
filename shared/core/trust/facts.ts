// The trust that a decision uses, as policies see it.

export interface TrustFacts {
  /** Effective: min(recorded, claimed). */
  level: number;
  score: number;
  uncertainty: number;
  recorded: { level: number; score: number };
  claimed: { level: number; score: number } | null;
}

// State that the chapters of the demo share: clients, agents, and the results for the summary.
import type { FailureCode } from '../../shared/core/proof/failures.ts';
import type { Static } from 'typebox';
import type { DecisionBody } from '../../shared/api/decision.ts';
import type { SubmittedIntent } from '../../shared/api/submitted-intent.ts';
import type { Verdict } from '../../shared/kernel/vocabulary.ts';
import { type DemoClient, DemoError } from './client.ts';
import type { Printer } from './printer.ts';

export type SubmittedBody = Static<typeof SubmittedIntent>;

/** A decision in the summary. */
export interface DecisionNote {
  readonly agentId: string;
  /** Normalized, or as it was submitted. */
  readonly intent: string;
  readonly verdict: Verdict;
  /** Codes of the reasons. */
  readonly reasons: readonly string[];
  readonly decisionId: string;
  /** The recorded score that the decision used. */
  readonly score: number;
}

/** The results, for --json. */
export interface Summary {
  agents: string[];
  decisions: DecisionNote[];
  /** Submitted intents and their last status. */
  intents: { intentId: string; status: string }[];
  /** Ids of the approvals that were given. */
  approvals: string[];
  trust: { cause: string; score: number; level: number; tier: string }[];
  proofs: string[];
  /** Chains in which every hash was recomputed. */
  chains: { entityId: string; records: number; head: string }[];
  /** Receipts that were verified with only the published keys: the index in the log, and the signed tree. */
  receipts: { proofId: string; index: number; origin: string; size: number; root: string }[];
  /** Why each forged receipt was refused. */
  refusals: FailureCode[];
}

export function emptySummary(): Summary {
  return {
    agents: [],
    decisions: [],
    intents: [],
    approvals: [],
    trust: [],
    proofs: [],
    chains: [],
    receipts: [],
    refusals: [],
  };
}

export interface Scene {
  readonly client: DemoClient;
  /** An admin of the same environment with another key, because the key that asks may not approve. */
  readonly approver: DemoClient;
  readonly print: Printer;
  readonly summary: Summary;
  /** Part of every name, so that runs do not share data. */
  readonly run: string;
  readonly cast: {
    /** Only reads. */
    readonly scout: string;
    /** Makes changes once it is trusted. */
    readonly builder: string;
    /** Never registered. */
    readonly stranger: string;
  };
}

/** Checks an expectation and prints it. @throws {DemoError} when it is not met */
export function must(scene: Scene, holds: boolean, sentence: string, otherwise: string): void {
  if (!holds) throw new DemoError(`Expected: ${sentence}. But ${otherwise}.`);
  scene.print.kept(sentence);
}

/** Adds a decision to the summary and prints its verdict and reasons. @throws {DemoError} for an unexpected verdict */
export function showDecision(scene: Scene, decision: DecisionBody, expected: Verdict): void {
  const { print } = scene;
  note(scene, decision);
  const { verdict, reasons, trust } = decision;
  print.line(`   ${print.verdict(verdict)} ${print.faint(`at trust level ${trust.effective_level}`)}`);
  for (const { code, message } of reasons) print.line(`      ${code}: ${message}`);
  if (verdict === expected) return;
  throw new DemoError(
    `The demo expects ${expected} here, and the service says ${verdict} (${reasons.map(({ code }) => code).join(', ')}). The demo needs the policies that come with Custos and an environment that is not halted.`,
  );
}

/** Adds a decision to the summary; at the end the demo looks for it in the log. */
export function note({ summary }: Scene, decision: DecisionBody): void {
  summary.decisions.push({
    agentId: decision.agent_id,
    intent: decision.intent.normalized,
    verdict: decision.verdict,
    reasons: decision.reasons.map((reason) => reason.code),
    decisionId: decision.decision_id,
    score: decision.trust.score,
  });
}

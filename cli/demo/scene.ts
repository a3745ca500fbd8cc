// What the chapters of the demo share: the stage, the cast, and what is remembered for the summary.
import type { FailureCode } from '../../shared/core/proof/failures.ts';
import type { DecisionBody } from '../../shared/api/decision.ts';
import type { Verdict } from '../../shared/kernel/vocabulary.ts';
import { type DemoClient, DemoError } from './client.ts';
import type { Printer } from './printer.ts';

/** A decision as the summary has it. */
export interface DecisionNote {
  readonly agentId: string;
  /** Normalized, or as it was submitted. */
  readonly intent: string;
  readonly verdict: Verdict;
  /** Codes of the reasons. */
  readonly reasons: readonly string[];
  readonly decisionId: string;
  /** The recorded score that it used. */
  readonly score: number;
}

/** What happened, for --json. */
export interface Summary {
  agents: string[];
  decisions: DecisionNote[];
  /** Submitted intents and their last status. */
  intents: { intentId: string; status: string }[];
  /** Approvals that were given. */
  approvals: string[];
  trust: { cause: string; score: number; level: number; tier: string }[];
  proofs: string[];
  /** Chains whose every hash was computed again. */
  chains: { entityId: string; records: number; head: string }[];
  /** Verified by the published keys alone: the place in the log, and the tree that was signed. */
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
  /** An admin of the same environment, with a key of its own: who asks may not decide. */
  readonly approver: DemoClient;
  readonly print: Printer;
  readonly summary: Summary;
  /** Part of every name, so that no run meets another. */
  readonly run: string;
  readonly cast: {
    /** Looks things up. */
    readonly scout: string;
    /** Changes things, once it is trusted. */
    readonly builder: string;
    /** Never registered. */
    readonly stranger: string;
  };
}

/** Says what held. @throws {DemoError} when it did not */
export function must(scene: Scene, holds: boolean, sentence: string, otherwise: string): void {
  if (!holds) throw new DemoError(`It was to hold that ${sentence}; ${otherwise}.`);
  scene.print.kept(sentence);
}

/** Remembers a decision and shows its verdict and reasons. @throws {DemoError} when it is another than the story tells */
export function showDecision(scene: Scene, decision: DecisionBody, expected: Verdict): void {
  const { print } = scene;
  note(scene, decision);
  const { verdict, reasons, trust } = decision;
  print.line(`   ${print.verdict(verdict)} ${print.faint(`at trust level ${trust.effective_level}`)}`);
  for (const { code, message } of reasons) print.line(`      ${code}: ${message}`);
  if (verdict === expected) return;
  throw new DemoError(
    `The story expects ${expected} here, and the service says ${verdict} (${reasons.map(({ code }) => code).join(', ')}). It is told for the policies that come with Custos and an environment that is not halted.`,
  );
}

/** Remembers a decision, so that it is looked for on record at the end. */
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

// Decisions as files: what `custos decision export` writes, and what `custos decision verify --log` reads, offline.
import { closeSync, openSync, writeSync } from 'node:fs';
import { FAILURES, ProofError } from '../shared/core/proof/failures.ts';
import { createLogFileVerifier } from '../shared/core/proof/log-file.ts';
import { createFileEvidence, writeFactsLine, writePolicySetLine } from '../shared/domain/verification/files.ts';
import type { DecisionRange, EvidenceStore } from '../shared/domain/verification/store.ts';
import { decisionsOf } from '../shared/domain/verification/stored.ts';
import { CommandError, UsageError } from './exit.ts';
import { type KeyOptions, linesOf, trustedKeysOf } from './input.ts';

export interface DecisionFileOptions extends KeyOptions {
  readonly facts?: string;
  readonly policies?: string;
}

/**
 * Verifies the log against the trusted keys and collects the evidence that decisions are verified from.
 * @throws {UsageError} for files and keys that can't be read; {CommandError} with the code of the failure for altered files
 */
export async function openDecisionFiles(log: string, options: DecisionFileOptions): Promise<EvidenceStore> {
  const { facts, policies } = options;
  const trustedKeys = trustedKeysOf(options);
  if (trustedKeys.length === 0) throw new UsageError('No key is trusted. Give --vkey or --keys with --log.');
  try {
    const evidence = createFileEvidence();
    const verifier = createLogFileVerifier({
      trustedKeys,
      onLeaf: (_, record) => evidence.addLeaf(record),
      onDropped: (_, { proofId }) => evidence.addDropped(proofId),
    });
    for await (const line of linesOf(log)) verifier.next(line);
    const { size } = verifier.end();
    if (facts !== undefined) for await (const line of linesOf(facts)) evidence.addFacts(line);
    if (policies !== undefined) for await (const line of linesOf(policies)) evidence.addPolicySet(line);
    return evidence.store(size);
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    const { exitCode } = FAILURES[error.failure];
    throw new CommandError(`${error.failure}. ${error.message}`, { exitCode, cause: error });
  }
}

/** Writes the facts of the decisions in a range, and each policy set that one of them names, once. */
export async function writeDecisionFiles(
  store: EvidenceStore,
  range: DecisionRange,
  files: { readonly facts: string; readonly policies: string },
): Promise<{ facts: number; sets: number }> {
  const factsFile = openSync(files.facts, 'w', 0o600);
  const setsFile = openSync(files.policies, 'w', 0o600);
  const written = { facts: 0, sets: 0 };
  const digests = new Set<string>();
  try {
    for await (const { decisionId, policyDigest, evidence } of decisionsOf(store, range)) {
      if (policyDigest !== null) digests.add(policyDigest);
      if (evidence.facts === undefined) continue;
      writeSync(factsFile, writeFactsLine(decisionId, evidence.facts));
      written.facts += 1;
    }
    for (const digest of digests) {
      const canonical = await store.policySet(digest);
      if (canonical === undefined) continue;
      writeSync(setsFile, writePolicySetLine(canonical));
      written.sets += 1;
    }
    return written;
  } finally {
    closeSync(factsFile);
    closeSync(setsFile);
  }
}

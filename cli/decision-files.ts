// Decisions as files: what `custos decision export` writes, and what `custos decision verify --log` reads, offline.
import { closeSync, createReadStream, openSync, readFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createFileEvidence, writeFactsLine, writePolicySetLine } from '../shared/domain/verification/files.ts';
import type { DecisionRange, EvidenceStore } from '../shared/domain/verification/store.ts';
import { decisionsOf } from '../shared/domain/verification/stored.ts';
import { JsonError, parseJson } from '../shared/kernel/json.ts';
import { quoted } from '../shared/core/proof/encoding.ts';
import { FAILURES, ProofError } from '../shared/core/proof/failures.ts';
import { type TrustedKey, trustKey, trustPublishedKeys } from '../shared/core/proof/keys.ts';
import { createLogFileVerifier } from '../shared/core/proof/log-file.ts';
import { BAD_INPUT } from './stdin.ts';

export interface DecisionFileOptions {
  readonly log?: string;
  readonly facts?: string;
  readonly policies?: string;
  readonly vkey?: readonly string[];
  readonly keys?: string;
}

type Opened = { readonly store: EvidenceStore } | { readonly sentence: string; readonly exitCode: number };

/** Verifies the log against the trusted keys, and collects what decisions are verified from. */
export async function openDecisionFiles({ log, facts, policies, vkey, keys }: DecisionFileOptions): Promise<Opened> {
  try {
    const trustedKeys: TrustedKey[] = (vkey ?? []).map((text) => trustKey(text));
    if (keys !== undefined) trustedKeys.push(...trustPublishedKeys(parseJson(readFileSync(keys, 'utf8'))));
    if (trustedKeys.length === 0 || log === undefined)
      return { sentence: 'Which key do you trust? Give --vkey or --keys with --log.', exitCode: BAD_INPUT };
    const evidence = createFileEvidence();
    const verifier = createLogFileVerifier({ trustedKeys, onLeaf: (_, record) => evidence.addLeaf(record) });
    await eachLine(log, (line) => verifier.next(line));
    const { size } = verifier.end();
    if (facts !== undefined) await eachLine(facts, (line) => evidence.addFacts(line));
    if (policies !== undefined) await eachLine(policies, (line) => evidence.addPolicySet(line));
    return { store: evidence.store(size) };
  } catch (error) {
    if (error instanceof ProofError)
      return { sentence: `${error.failure}. ${error.message}`, exitCode: FAILURES[error.failure].exitCode };
    if (error instanceof JsonError)
      return { sentence: `The keys are not valid JSON: ${error.message}.`, exitCode: BAD_INPUT };
    if (error instanceof Error && 'path' in error && 'code' in error)
      return {
        sentence: `${quoted(String(error.path))} can not be read (${String(error.code)}).`,
        exitCode: BAD_INPUT,
      };
    throw error;
  }
}

async function eachLine(file: string, take: (line: string) => void): Promise<void> {
  const input = createReadStream(file);
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) take(line);
  } finally {
    input.destroy();
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

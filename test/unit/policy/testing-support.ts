// Helpers for tests of policy tests: build files from values, expand them with the shipped lexicon and run them.
import { lexiconFile } from '../../support/lexicon.ts';
import { intentReader } from '../../../cli/policy/test-files.ts';
import { compileLexicon } from '../../../shared/core/intent/lexicon/lexicon.ts';
import type { Lexicon } from '../../../shared/core/intent/lexicon/types.ts';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import type { TextFile } from '../../../shared/core/policy/files.ts';
import { loadPolicySet, type PolicySet } from '../../../shared/core/policy/load.ts';
import { type Coverage, createCoverage } from '../../../shared/core/policy/testing/coverage.ts';
import { expandTestFiles, type TestCase } from '../../../shared/core/policy/testing/expand.ts';
import { loadTestFile, type TestSource } from '../../../shared/core/policy/testing/load.ts';
import type { Finding } from '../../../shared/core/policy/types.ts';
import { type CaseResult, runCase } from '../../../shared/core/policy/testing/run.ts';
import { filesOf } from './support.ts';

const LEXICON: TextFile = {
  ...lexiconFile(),
};

/** A set of these policy documents with the shipped lexicon. */
export function setWithLexicon(files: readonly TextFile[]): PolicySet<Lexicon> {
  const loaded = loadPolicySet(files, LEXICON, { compileLexicon });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings, null, 1));
  return loaded.set;
}

export const setOfDocuments = (policies: readonly unknown[]): PolicySet<Lexicon> => setWithLexicon(filesOf(policies));

/** The cases of test files, or their problems. */
export function casesOf(
  files: readonly TextFile[],
  set: PolicySet<Lexicon>,
): { readonly cases: readonly TestCase[]; readonly findings: readonly Finding[] } {
  const sources: TestSource[] = [];
  const findings: Finding[] = [];
  for (const file of files) {
    const loaded = loadTestFile(file);
    const source = loaded.ok ? loaded.source : loaded.rest;
    if (source !== undefined) sources.push(source);
    if (!loaded.ok) findings.push(...loaded.findings);
  }
  const expanded = expandTestFiles(sources, intentReader(set));
  return expanded.ok
    ? { cases: expanded.cases, findings }
    : { cases: [], findings: [...findings, ...expanded.findings] };
}

export interface Ran {
  readonly results: readonly CaseResult[];
  readonly coverage: Coverage;
}

/** Runs test files that must be valid. */
export async function runFiles(files: readonly TextFile[], set: PolicySet<Lexicon>): Promise<Ran> {
  const { cases, findings } = casesOf(files, set);
  if (findings.length > 0) throw new Error(JSON.stringify(findings, null, 1));
  const evaluator = createEvaluator({ set });
  const coverage = createCoverage(set);
  const results: CaseResult[] = [];
  for (const test of cases) {
    const result = await runCase(test, evaluator);
    coverage.record(result.facts);
    results.push(result);
  }
  return { results, coverage };
}

/** As `runFiles` with one file, given as a value. */
export async function runDocument(document: object, set: PolicySet<Lexicon>): Promise<Ran> {
  return runFiles([{ path: 't.json', text: JSON.stringify({ name: 'test', ...document }) }], set);
}

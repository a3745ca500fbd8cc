// Checks whether a policy folder may be activated. Large folders are checked in a thread.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { knownVerbs } from '../shared/core/intent/lexicon/known-verbs.ts';
import { compileLexicon } from '../shared/core/intent/lexicon/lexicon.ts';
import { admitPolicySet, type PolicyTexts } from '../shared/core/policy/admit.ts';
import type { Finding } from '../shared/core/policy/types.ts';

/** The result of a check: only the parts that activation needs. The compiled set stays in its thread. */
export interface Admitted {
  readonly set: { readonly digest: string; readonly canonical: Uint8Array; readonly policies: number } | undefined;
  /** The errors that refuse the set; the first 100. */
  readonly errors: readonly Finding[];
  /** The first 100. */
  readonly warnings: readonly Finding[];
}

/** @param signal cancels the check; the promise then rejects with its reason */
export type Admit = (folder: PolicyTexts, signal?: AbortSignal) => Promise<Admitted>;

const MAX_FINDINGS = 100;
/** Warnings must not delay an edit: the search for them ends after about half a second. `custos policy check` finds all. */
const WARNINGS_UP_TO = 1_000;
const WARNINGS_BUDGET = 10_000_000;
/** Checking this many takes less time than starting a thread; the shipped folder has a dozen. */
const FEW_POLICIES = 50;
/** Memory limits of the thread, in MB: ten thousand policies take about 150. */
const LIMITS: ResourceLimits = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 16 };

/** Checks in this thread and blocks it meanwhile. */
export function admitHere(folder: PolicyTexts, compile = compileLexicon): Admitted {
  const { set, errors, warnings } = admitPolicySet(folder, {
    compileLexicon: compile,
    verbsOf: knownVerbs,
    warningsUpTo: WARNINGS_UP_TO,
    warningsBudget: WARNINGS_BUDGET,
  });
  return {
    set: set && {
      digest: set.digest,
      canonical: new TextEncoder().encode(set.canonical),
      policies: set.policies.length,
    },
    errors: errors.slice(0, MAX_FINDINGS),
    warnings: warnings.slice(0, MAX_FINDINGS),
  };
}

function tooLarge(count: number, limits: ResourceLimits): Admitted {
  const message = `the ${count} policies can't be checked within ${limits.maxOldGenerationSizeMb} MB of memory: there are too many, or they are too large`;
  const finding: Finding = { file: '.', line: 1, column: 1, pointer: '', code: 'TOO_LARGE', message };
  return { set: undefined, errors: [finding], warnings: [] };
}

/**
 * Checks in a separate thread. The process continues to work, and the memory of the check (several times that of the set) is
 * freed at once. A set that exceeds the limits is refused; the process is not affected.
 */
export function admitApart(
  { policies, lexicon, refused = [], organisations }: PolicyTexts,
  signal?: AbortSignal,
  limits = LIMITS,
): Promise<Admitted> {
  if (signal?.aborted === true) return Promise.reject(signal.reason);
  const here = fileURLToPath(import.meta.url);
  const file = path.join(path.dirname(here), `policy-thread${path.extname(here)}`);
  const texts: PolicyTexts = { policies, lexicon, refused, ...(organisations && { organisations }) };
  const thread = new Worker(file, { workerData: texts, resourceLimits: limits, name: 'policies' });
  return new Promise<Admitted>((resolve, reject) => {
    const give = (): void => {
      reject(signal?.reason);
      void thread.terminate();
    };
    signal?.addEventListener('abort', give, { once: true });
    thread.once('message', resolve);
    thread.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve(tooLarge(policies.length, limits));
      else reject(error);
    });
    thread.once('exit', (code) => {
      signal?.removeEventListener('abort', give);
      // No effect after a message or an error.
      reject(new Error(`the thread that checks policies exited with code ${code} and without a result`));
    });
  });
}

/** Small folders in this thread, large ones in a separate thread. */
export const admitBySize: Admit = async (folder, signal) =>
  folder.policies.length <= FEW_POLICIES ? admitHere(folder) : admitApart(folder, signal);

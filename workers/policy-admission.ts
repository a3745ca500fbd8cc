// Whether a policy folder may be put into force, found out beside the work of the process: in a thread that ends with it.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { knownVerbs } from '../shared/core/intent/lexicon/known-verbs.ts';
import { compileLexicon } from '../shared/core/intent/lexicon/lexicon.ts';
import { admitPolicySet, type PolicyTexts } from '../shared/core/policy/admit.ts';
import type { Finding } from '../shared/core/policy/types.ts';

/** What was found out. Only what is needed to put the set into force: the set itself stays where it was made. */
export interface Admitted {
  readonly set: { readonly digest: string; readonly canonical: Uint8Array; readonly policies: number } | undefined;
  /** What refuses the set; the first 100. */
  readonly errors: readonly Finding[];
  /** The first 100. */
  readonly warnings: readonly Finding[];
}

/** @param signal gives up and rejects with its reason */
export type Admit = (folder: PolicyTexts, signal?: AbortSignal) => Promise<Admitted>;

const MAX_FINDINGS = 100;
/** Warnings must not keep an edit from its effect: about half a second of looking for them; `custos policy check` has the others. */
const WARNINGS_UP_TO = 1_000;
const WARNINGS_BUDGET = 10_000_000;
/** A folder of so many is checked sooner than a thread has started; the shipped one has a dozen. */
const FEW_POLICIES = 50;
/** What the thread may use, in MB: ten thousand policies take about 150. */
const LIMITS: ResourceLimits = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 16 };

/** In this thread, which does nothing else meanwhile. */
export function admitHere(folder: PolicyTexts): Admitted {
  const { set, errors, warnings } = admitPolicySet(folder, {
    compileLexicon,
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
 * In a thread of its own: the process answers and works meanwhile, and the memory that checking takes (several times that
 * of the set) is given back at once. A set that takes more than the limits is refused, and the process lives.
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
      // After a message or an error this changes nothing.
      reject(new Error(`the thread that checks policies ended with ${code} and without an answer`));
    });
  });
}

/** Few at once, many apart. */
export const admitBySize: Admit = async (folder, signal) =>
  folder.policies.length <= FEW_POLICIES ? admitHere(folder) : admitApart(folder, signal);

// Checks whether files or a stored set may be put into force. Large ones are checked in a thread.
import { fileURLToPath } from 'node:url';
import type { ResourceLimits } from 'node:worker_threads';
import { type KnownVerbs, knownVerbs } from '../../core/intent/lexicon/known-verbs.ts';
import { compileLexicon } from '../../core/intent/lexicon/lexicon.ts';
import type { Lexicon } from '../../core/intent/lexicon/types.ts';
import { admitPolicySet, type AdmitDependencies, type PolicyTexts } from '../../core/policy/admit.ts';
import { comparePolicySets, type SetComparison } from '../../core/policy/compare.ts';
import { loadCanonicalSet } from '../../core/policy/stored-set.ts';
import type { Finding } from '../../core/policy/types.ts';
import { compilersOf, type HandedLexicon, handLexicon } from './handed-lexicon.ts';
import { runThread, THREAD_LIMITS } from './thread.ts';

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
/** Checks in this thread and blocks it meanwhile. */
export const admitHere = (folder: PolicyTexts, compile = compileLexicon): Admitted =>
  admitWith(folder, { compileLexicon: compile, verbsOf: knownVerbs });

/** As admitHere, with a compiler of which the verbs of a lexicon are the result (handed-lexicon.ts). */
export const admitWithVerbs = (folder: PolicyTexts, compile: (json: unknown) => KnownVerbs): Admitted =>
  admitWith(folder, { compileLexicon: compile, verbsOf: (verbs) => verbs });

function admitWith<Compiled>(
  folder: PolicyTexts,
  deps: Pick<AdmitDependencies<Compiled>, 'compileLexicon' | 'verbsOf'>,
): Admitted {
  const { set, errors, warnings } = admitPolicySet(folder, {
    ...deps,
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

/** The work of the thread: to check files, to load the canonical text of a stored set, or to compare two stored sets. */
export type ThreadTask =
  | { readonly texts: PolicyTexts; readonly lexicon: HandedLexicon | undefined }
  | { readonly canonical: Uint8Array; readonly lexicon: HandedLexicon | undefined }
  | { readonly before: Uint8Array; readonly after: Uint8Array };

const besides = fileURLToPath(import.meta.url);

interface ApartOptions {
  readonly signal?: AbortSignal | undefined;
  readonly compiled?: Lexicon | undefined;
  readonly limits?: ResourceLimits;
}

/**
 * Checks in a separate thread. The process continues to work, and the memory of the check (several times that of the set) is
 * freed at once. A set that exceeds the limits is refused; the process is not affected.
 * @param compiled the lexicon of this process, which the files mostly have
 */
export function admitApart(
  { policies, lexicon, refused = [], organisations }: PolicyTexts,
  { signal, compiled, limits = THREAD_LIMITS }: ApartOptions = {},
): Promise<Admitted> {
  const texts: PolicyTexts = { policies, lexicon, refused, ...(organisations && { organisations }) };
  const task: ThreadTask = { texts, lexicon: compiled && handLexicon(compiled) };
  const onOutOfMemory = (): Admitted => tooLarge(policies.length, limits);
  return runThread({ besides, module: 'admission-thread', data: task, limits, onOutOfMemory, signal });
}

/** Loads a stored set as every process would when it comes into force. */
export function admitStoredHere(canonical: Uint8Array, lexicon?: HandedLexicon): Admitted {
  const { ofStoredSets } = compilersOf(lexicon);
  const loaded = loadCanonicalSet(Buffer.from(canonical).toString('utf8'), { compileLexicon: ofStoredSets });
  if (!loaded.ok) return { set: undefined, errors: loaded.findings, warnings: [] };
  const { digest, policies } = loaded.set;
  return { set: { digest, canonical, policies: policies.length }, errors: [], warnings: [] };
}

/** As admitStoredHere, in a separate thread. @param compiled a lexicon of this process, which the set may have */
export function admitStoredApart(canonical: Uint8Array, compiled?: Lexicon): Promise<Admitted> {
  const task: ThreadTask = { canonical, lexicon: compiled && handLexicon(compiled) };
  const onOutOfMemory = (): Admitted => tooLarge(0, THREAD_LIMITS);
  return runThread({ besides, module: 'admission-thread', data: task, onOutOfMemory });
}

/** Undefined when this version can't load the policies of one of them. Their lexicons are compared as texts. */
export function compareStoredHere(before: Uint8Array, after: Uint8Array): SetComparison | undefined {
  const load = (canonical: Uint8Array) =>
    loadCanonicalSet(Buffer.from(canonical).toString('utf8'), { compileLexicon: () => undefined });
  const [old, now] = [load(before), load(after)];
  return old.ok && now.ok ? comparePolicySets(old.set, now.set) : undefined;
}

/** As compareStoredHere, in a separate thread. */
export function compareStoredApart(before: Uint8Array, after: Uint8Array): Promise<SetComparison | undefined> {
  const task: ThreadTask = { before, after };
  return runThread({ besides, module: 'admission-thread', data: task, onOutOfMemory: () => undefined });
}

/** Small folders in this thread with this compiler, large ones in a separate thread. @param compiled a lexicon that they may have */
export const admittingBySize =
  (compile: typeof compileLexicon, compiled: () => Lexicon | undefined = () => undefined): Admit =>
  async (folder, signal) =>
    folder.policies.length <= FEW_POLICIES
      ? admitHere(folder, compile)
      : admitApart(folder, { signal, compiled: compiled() });

export const admitBySize = admittingBySize(compileLexicon);

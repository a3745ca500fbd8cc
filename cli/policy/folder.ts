// The policy folder of a command: which one it is, and what the service would say of it, before it puts a set into force.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { knownVerbs } from '../../shared/core/intent/lexicon/known-verbs.ts';
import { compileLexicon } from '../../shared/core/intent/lexicon/lexicon.ts';
import type { Lexicon } from '../../shared/core/intent/lexicon/types.ts';
import { type Admission, admitPolicySet } from '../../shared/core/policy/admit.ts';
import { LEXICON_FILE, type PolicyFolder, readPolicyFolder } from '../../shared/domain/policy-sets/folder.ts';
import { findRoot } from '../../shared/platform/config/root.ts';
import { pathBelowRoot } from '../../shared/platform/config/forms.ts';
import { UsageError } from '../frame.ts';

const DEFAULT = 'policies';
const VARIABLE = 'CUSTOS_POLICY_DIR';

/** The argument of commands that take a folder, for their help. */
export const FOLDER_HELP = `the policy folder (default: ${VARIABLE}, or ${DEFAULT})`;

/**
 * The absolute path of what was named. An empty name is a script's variable that is not set: it does not mean this folder.
 * @throws {UsageError}
 */
function resolved(named: string): string {
  if (named === '') throw new UsageError('The name of the folder is empty.');
  return path.resolve(named);
}

/**
 * The absolute path of the policy folder: the one that is named, else that of the service.
 * @throws {UsageError} when the name is empty
 */
export function policyDirOf(named: string | undefined): string {
  if (named !== undefined) return resolved(named);
  const text = process.env[VARIABLE] ?? '';
  return pathBelowRoot(DEFAULT)(text === '' ? DEFAULT : text, { root: findRoot(), cwd: process.cwd() });
}

/** A file of the folder as a person names it from here, and an editor opens it. */
export function shownPath(dir: string, file: string): string {
  const full = path.join(dir, file);
  const relative = path.relative(process.cwd(), full);
  return relative.startsWith(`..${path.sep}..`) ? full : relative;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there',
  ENOTDIR: 'it is no folder (policies are only looked at together, so name their folder)',
  EACCES: 'reading it is not permitted',
  ELOOP: 'its links go round in a circle',
};

/** Reads the folder. @throws {UsageError} with why it can't be read */
export async function readFolder(dir: string): Promise<PolicyFolder> {
  try {
    return await readPolicyFolder(dir);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    throw new UsageError(`The policy folder ${dir} can't be read: ${REASONS[code] ?? code}.`);
  }
}

/** What the service would say of a folder. */
export function admitFolder(folder: PolicyFolder): Admission<Lexicon> {
  return admitPolicySet(folder, { compileLexicon, verbsOf: knownVerbs });
}

const TESTS = 'tests';

/** Where the test files of a policy folder are. */
export function testsDirOf(dir: string): string {
  return path.join(dir, TESTS);
}

/** Whether a folder is one of policies: each has a lexicon. */
function isPolicyDir(dir: string): boolean {
  return existsSync(path.join(dir, LEXICON_FILE));
}

/** The policies beside the folder of tests that a path is, or lies in; undefined when it lies in none. */
function policiesBeside(tests: string): string | undefined {
  const above = path.dirname(tests);
  if (above === tests) return undefined;
  return path.basename(tests) === TESTS && isPolicyDir(above) ? above : policiesBeside(above);
}

/**
 * What to run: the test files, and the policies that they are run against. What is named may be a folder of tests, one
 * test file, or a policy folder, whose own tests are meant then. Unless policies are named, they are those beside the tests.
 * @throws {UsageError} when a name is empty
 */
export function placesOfRun(
  named: string | undefined,
  policies: string | undefined,
): { readonly tests: string; readonly policies: string } {
  if (named === undefined) {
    const dir = policyDirOf(policies);
    return { tests: testsDirOf(dir), policies: dir };
  }
  const full = resolved(named);
  const tests = isPolicyDir(full) ? testsDirOf(full) : full;
  return {
    tests,
    policies: policies === undefined ? (policiesBeside(tests) ?? policyDirOf(undefined)) : policyDirOf(policies),
  };
}

/** The arguments of commands that run tests, for their help. */
export const TESTS_HELP = `a policy folder, whose ${TESTS} are run; a folder of test files; or one file (default: the ${TESTS} of the policy folder)`;
export const TESTED_HELP = `the policy folder (default: the one that the tests lie in, else ${VARIABLE}, or ${DEFAULT})`;

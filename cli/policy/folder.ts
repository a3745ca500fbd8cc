// The policy folder that a command works on: where it is, its files, and whether the service would accept it.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { knownVerbs } from '../../shared/core/intent/lexicon/known-verbs.ts';
import { compileLexicon } from '../../shared/core/intent/lexicon/lexicon.ts';
import type { Lexicon } from '../../shared/core/intent/lexicon/types.ts';
import { type Admission, admitPolicySet } from '../../shared/core/policy/admit.ts';
import type { Finding } from '../../shared/core/policy/types.ts';
import { LEXICON_FILE, type PolicyFolder, readPolicyFolder } from '../../shared/domain/policy-sets/folder.ts';
import { findRoot } from '../../shared/platform/config/root.ts';
import { pathBelowRoot } from '../../shared/platform/config/forms.ts';
import { UsageError } from '../exit.ts';
import type { ShownFinding } from '../output.ts';

const DEFAULT = 'policies';
const VARIABLE = 'CUSTOS_POLICY_DIR';

/** Help for the argument of commands that take a folder. */
export const FOLDER_HELP = `the policy folder (default: ${VARIABLE}, or ${DEFAULT})`;

/**
 * The absolute path of a named file or folder.
 * @throws {UsageError} for an empty name: it comes from an unset variable of a script and must not mean the working folder
 */
function resolved(named: string): string {
  if (named === '') throw new UsageError('The name of the folder is empty.');
  return path.resolve(named);
}

/** The absolute path of the named policy folder, or of the service's. @throws {UsageError} when the name is empty */
export function policyDirOf(named: string | undefined): string {
  if (named !== undefined) return resolved(named);
  const text = process.env[VARIABLE] ?? '';
  return pathBelowRoot(DEFAULT)(text === '' ? DEFAULT : text, { root: findRoot(), cwd: process.cwd() });
}

/** The path of a file of `dir` for people and editors: relative to the working folder, unless it is far away. */
export function shownPath(dir: string, file: string): string {
  const full = path.join(dir, file);
  const relative = path.relative(process.cwd(), full);
  return relative.startsWith(`..${path.sep}..`) ? full : relative;
}

/** A finding of the service on a file of `dir`, with its path relative to the working folder. */
export function shownFinding(dir: string, finding: Finding): ShownFinding {
  const { file, line, column, severity = 'error', code, message, hint, example } = finding;
  const more = { ...(hint === undefined ? {} : { hint }), ...(example === undefined ? {} : { example }) };
  return { file: shownPath(dir, file), line, column, severity, code, message, ...more };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'it is not a folder (policies are checked together, so name their folder)',
  EACCES: 'reading it is not permitted',
  ELOOP: 'its symbolic links form a loop',
};

/** @throws {UsageError} with the reason why the folder can't be read */
export async function readFolder(dir: string): Promise<PolicyFolder> {
  try {
    return await readPolicyFolder(dir);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    throw new UsageError(`The policy folder ${dir} can't be read: ${REASONS[code] ?? code}.`);
  }
}

/** The folder as the service would load it: a policy set, or errors; warnings of the linter. */
export function admitFolder(folder: PolicyFolder): Admission<Lexicon> {
  return admitPolicySet(folder, { compileLexicon, verbsOf: knownVerbs });
}

const TESTS = 'tests';

/** The folder of the test files of a policy folder. */
export function testsDirOf(dir: string): string {
  return path.join(dir, TESTS);
}

/** Whether it is a policy folder: each has a lexicon. */
function isPolicyDir(dir: string): boolean {
  return existsSync(path.join(dir, LEXICON_FILE));
}

/** The policy folder whose folder of tests contains a path (or is that path); undefined when there is none. */
function policiesBeside(tests: string): string | undefined {
  const above = path.dirname(tests);
  if (above === tests) return undefined;
  return path.basename(tests) === TESTS && isPolicyDir(above) ? above : policiesBeside(above);
}

/**
 * The test files to run, and the policies to run them against.
 * @param named a folder of tests, one test file, or a policy folder, whose own tests are run
 * @param policies a policy folder; by default the one that the tests belong to, else the service's
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

/** Help for the arguments of commands that run tests. */
export const TESTS_HELP = `a policy folder, whose ${TESTS} are run; a folder of test files; or one test file (default: the ${TESTS} of the policy folder)`;
export const TESTED_HELP = `the policy folder (default: the one that the tests belong to, else ${VARIABLE}, or ${DEFAULT})`;

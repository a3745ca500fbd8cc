// The policy folder that a command works on: where it is, its files, and whether the service would accept it.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { knownVerbs } from '../../shared/core/intent/lexicon/known-verbs.ts';
import { compileLexicon } from '../../shared/core/intent/lexicon/lexicon.ts';
import type { Lexicon } from '../../shared/core/intent/lexicon/types.ts';
import { type Admission, admitPolicySet } from '../../shared/core/policy/admit.ts';
import { LEXICON_FILE, LEXICON_FOLDER, readLexicon } from '../../shared/core/policy/lexicon-files.ts';
import type { Finding } from '../../shared/core/policy/types.ts';
import { BLOCKING, type PolicyFolder, readPolicyFolder, TooManyFiles } from '../../shared/domain/policy-sets/folder.ts';
import { CommandError, EXIT, UsageError } from '../exit.ts';
import type { ShownFinding } from '../output.ts';
import { DEFAULT_HELP, policyDirOf, reasonOf, resolved } from './place.ts';

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

/** @throws {UsageError} with the reason why the folder can't be read */
export async function readFolder(dir: string): Promise<PolicyFolder> {
  try {
    return await readPolicyFolder(dir, BLOCKING);
  } catch (error) {
    const reason = error instanceof TooManyFiles ? error.reason : reasonOf(error);
    if (reason === undefined) throw error;
    throw new UsageError(`The policy folder ${dir} can't be read: ${reason}.`);
  }
}

/** The folder as the service would load it: a policy set, or errors; warnings of the linter. */
export function admitFolder(folder: PolicyFolder): Admission<Lexicon> {
  return admitPolicySet(folder, { compileLexicon, verbsOf: knownVerbs });
}

/** As admitFolder, without the search for warnings, which takes most of the time: enough to evaluate questions. */
export function loadFolder(folder: PolicyFolder): Pick<Admission<Lexicon>, 'set' | 'errors'> {
  return admitPolicySet(folder, { compileLexicon, verbsOf: knownVerbs, warningsUpTo: 0 });
}

/** The lexicon of a policy folder. @throws {CommandError} when it is broken */
export async function lexiconOf(dir: string): Promise<Lexicon> {
  const { lexicon, policies } = await readFolder(dir);
  const read = readLexicon(lexicon, policies);
  try {
    if ('json' in read) return compileLexicon(read.json);
  } catch {
    // The message below says which command shows the errors.
  }
  const hint = `"custos policy check ${dir}" lists its errors`;
  throw new CommandError(`The lexicon of ${dir} can't be used; ${hint}.`, { exitCode: EXIT.broken });
}

const TESTS = 'tests';

/** The folder of the test files of a policy folder. */
export function testsDirOf(dir: string): string {
  return path.join(dir, TESTS);
}

/** Whether it is a policy folder: each has a lexicon. */
function isPolicyDir(dir: string): boolean {
  return [LEXICON_FILE, LEXICON_FOLDER].some((name) => existsSync(path.join(dir, name)));
}

/** The policy folder whose folder of tests contains a path (or is that path); undefined when there is none. */
function policiesBeside(tests: string): string | undefined {
  const above = path.dirname(tests);
  if (above === tests) return undefined;
  return path.basename(tests) === TESTS && isPolicyDir(above) ? above : policiesBeside(above);
}

/** Absolute paths. */
export interface RunPlaces {
  /** A folder of test files, or one test file. */
  readonly tests: string;
  readonly policies: string;
}

/**
 * The test files to run, and the policies to run them against.
 * @param named a folder of tests, one test file, or a policy folder, whose own tests are run
 * @param policies a policy folder; by default the one that the tests belong to, else the service's
 * @throws {UsageError} when a name is empty
 */
export function placesOfRun(named: string | undefined, policies: string | undefined): RunPlaces {
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
export const TESTED_HELP = `the policy folder (default: the one that the tests belong to, else ${DEFAULT_HELP})`;

// The policy folder of a command: which one it is, and what the service would say of it, before it puts a set into force.
import path from 'node:path';
import { compileLexicon, type Lexicon } from '../../shared/intent/lexicon.ts';
import { type Admission, admitPolicySet } from '../../shared/policy/admit.ts';
import { type PolicyFolder, readPolicyFolder } from '../../shared/policy-folder.ts';
import { findRoot } from '../../shared/root.ts';
import { pathBelowRoot } from '../../shared/settings.ts';
import { UsageError } from './output.ts';

const DEFAULT = 'policies';
const VARIABLE = 'CUSTOS_POLICY_DIR';

/** The argument of commands that take a folder, for their help. */
export const FOLDER_HELP = `the policy folder (default: ${VARIABLE}, or ${DEFAULT})`;

/** The absolute path of the policy folder: the one that is named, else that of the service. */
export function policyDirOf(named: string | undefined): string {
  if (named !== undefined) return path.resolve(named);
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
  ENOTDIR: 'it is no folder',
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
  return admitPolicySet(folder, { compileLexicon });
}

/** Where the test files of a policy folder are. */
export function testsDirOf(dir: string): string {
  return path.join(dir, 'tests');
}

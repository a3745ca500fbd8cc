// All findings of a policy folder: those of the service on its policies and lexicon, and those on its test files.
import { createHash } from 'node:crypto';
import { isLexiconPart } from '../../shared/core/policy/files.ts';
import { EXIT, type ExitCodes } from '../exit.ts';
import { printFindings, printJson, type ShownFinding } from '../output.ts';
import { admitFolder, readFolder, shownFinding, shownPath, testsDirOf } from './folder.ts';
import { checkTestFiles } from './test-files.ts';

/** For the help of commands that read a policy folder. */
export const BROKEN: ExitCodes = { [EXIT.broken]: 'The policies or test files are broken: nothing was evaluated.' };

export interface CheckedFolder {
  /** Of the set; undefined when it has errors. */
  readonly digest: string | undefined;
  /** Number of policy files. */
  readonly policies: number;
  /** Number of test files. */
  readonly tests: number;
  /** All files that were read, relative to the working folder. */
  readonly files: readonly string[];
  /** Errors and warnings, by file, line and column; paths are relative to the working folder. */
  readonly findings: readonly ShownFinding[];
  /** Changes whenever a byte of a file does. */
  readonly fingerprint: string;
}

function byPlace(a: ShownFinding, b: ShownFinding): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

/** @throws {UsageError} when the folder can't be read */
export async function checkFolder(dir: string): Promise<CheckedFolder> {
  const folder = await readFolder(dir);
  const { set, errors, warnings } = admitFolder(folder);
  const tests = await checkTestFiles(testsDirOf(dir), set);
  const ofPolicies = [...errors, ...warnings].map((finding) => shownFinding(dir, finding));
  const fingerprint = createHash('sha256')
    .update(folder.fingerprint)
    .update(JSON.stringify([tests?.texts, tests?.findings]));
  return {
    digest: set?.digest,
    policies: folder.policies.length,
    tests: tests?.files ?? 0,
    files: [
      ...[...(folder.policies.some(isLexiconPart) ? [] : [folder.lexicon]), ...folder.policies].map((file) =>
        shownPath(dir, file.path),
      ),
      ...(tests?.texts ?? []).map((file) => file.path),
    ],
    findings: [...ofPolicies, ...(tests?.findings ?? [])].sort(byPlace),
    fingerprint: fingerprint.digest('hex'),
  };
}

/** Prints the errors of a folder that could not be loaded. @param rest further members of the JSON */
export async function printBroken(dir: string, json: true | undefined, rest: object = {}): Promise<void> {
  const findings = (await checkFolder(dir)).findings.filter(({ severity }) => severity === 'error');
  if (json) printJson({ ok: false, ...rest, findings });
  else printFindings(findings);
}

// All findings of a policy folder: of its policies and lexicon as the service has them, and of its test files.
import { createHash } from 'node:crypto';
import type { Finding } from '../../shared/core/policy/types.ts';
import { admitFolder, readFolder, shownPath, testsDirOf } from './folder.ts';
import type { ShownFinding } from '../output.ts';
import { checkTestFiles } from './test-files.ts';

export interface CheckedFolder {
  /** Of the set; undefined when it has errors. */
  readonly digest: string | undefined;
  /** How many files of policies there are. */
  readonly policies: number;
  /** How many files of test cases there are. */
  readonly tests: number;
  /** Errors and warnings, by file, line and column; paths as a person names them from here. */
  readonly findings: readonly ShownFinding[];
  /** Changes whenever a byte of a file does. */
  readonly fingerprint: string;
}

function byPlace(a: ShownFinding, b: ShownFinding): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

/** A finding of the service, with its path as a person names it from here. */
export function shownFinding(
  dir: string,
  { file, line, column, severity, code, message, hint, example }: Finding,
): ShownFinding {
  return {
    file: shownPath(dir, file),
    line,
    column,
    severity: severity ?? 'error',
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(example === undefined ? {} : { example }),
  };
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
    findings: [...ofPolicies, ...(tests?.findings ?? [])].sort(byPlace),
    fingerprint: fingerprint.digest('hex'),
  };
}

// Reads and checks the test files of a policy folder, and expands them into cases with the service's own reading of intents.
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { createReadings, type IntentReading, readingOfParse } from '../../shared/domain/decisions/readings.ts';
import { ApiError } from '../../shared/kernel/errors.ts';
import type { Lexicon } from '../../shared/core/intent/lexicon/types.ts';
import { parseIntent } from '../../shared/core/intent/parse.ts';
import { MAX_FILE_BYTES, type TextFile } from '../../shared/core/policy/files.ts';
import { type PolicySet } from '../../shared/core/policy/load.ts';
import { expandTestFiles, type TestCase } from '../../shared/core/policy/testing/expand.ts';
import { loadTestFile, type TestSource } from '../../shared/core/policy/testing/load.ts';
import type { IntentReader } from '../../shared/core/policy/testing/lookups.ts';
import { type PolicySources, policySources } from '../../shared/core/policy/testing/sources.ts';
import { type ReadText, textOf } from '../../shared/core/policy/text-bytes.ts';
import { ALMOST_JSON, type PolicyFolder, unreadable } from '../../shared/domain/policy-sets/folder.ts';
import { loadFolder, readFolder, type RunPlaces, shownFinding, shownPath } from './folder.ts';
import { type Format, printReport } from './formats/format.ts';
import { suiteOfFiles } from './formats/report.ts';
import { UsageError } from '../exit.ts';
import { paint, printFindings, printJson, printLine, type ShownFinding } from '../output.ts';

/** Reads intents as `POST /v1/enforce` and `POST /v1/intent` do. */
export function intentReader(set: PolicySet<Lexicon>): IntentReader {
  const readings = createReadings();
  const attempt = (
    read: () => IntentReading,
  ): { ok: true; reading: IntentReading } | { ok: false; message: string } => {
    try {
      return { ok: true, reading: read() };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { ok: false, message: error.errors?.map(({ message }) => message).join('; ') ?? error.message };
    }
  };
  return {
    declarations: set.declarations,
    registry: set.registry,
    ofString(text, organisation) {
      const read = attempt(() => readings.of({ set, organisation }, text, ''));
      return read.ok ? { ok: true, intent: read.reading.unassessed } : read;
    },
    ofTool(call, organisation) {
      const pinned = set.tools.get(call.server)?.tools.get(call.name)?.entry.definition;
      const whole = { arguments: {}, ...(pinned === undefined ? {} : { definition_digest: pinned }), ...call };
      const read = attempt(() => readings.ofTool({ set, organisation }, whole, ''));
      return read.ok ? { ok: true, intent: read.reading.unassessed, tool: read.reading.call?.facts } : read;
    },
    ofText: (text, organisation) =>
      readingOfParse(parseIntent(text, set.lexicon.forOrganisation(organisation))).unassessed,
  };
}

const JSON_NAME = /\.json$/;

interface FoundFiles {
  readonly files: readonly TextFile[];
  readonly findings: readonly ShownFinding[];
}

async function statsOf(file: string): Promise<Stats | undefined> {
  try {
    return await stat(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw error;
  }
}

/** The text of a file; undefined for a folder. */
async function readTestFile(full: string): Promise<ReadText | undefined> {
  const at = { line: 1, column: 1 };
  try {
    const stats = await stat(full);
    if (stats.isDirectory()) return undefined;
    if (!stats.isFile()) return { ...at, message: 'is not a regular file' };
    if (!JSON_NAME.test(full)) return { ...at, message: 'is ignored: the name of a test file must end in ".json"' };
    const bytes = await readFile(full);
    return bytes.length > MAX_FILE_BYTES ? { text: bytes.toString('utf8') } : textOf(bytes);
  } catch (error) {
    return { ...at, message: unreadable(error) };
  }
}

/** The test files of a folder and its subfolders, by name, or the one named file. Undefined when it does not exist. */
async function readTestFiles(named: string): Promise<FoundFiles | undefined> {
  const stats = await statsOf(named);
  if (stats === undefined) return undefined;
  const dir = stats.isDirectory() ? named : path.dirname(named);
  const names = stats.isDirectory() ? await readdir(named, { recursive: true }) : [path.basename(named)];
  const files: TextFile[] = [];
  const findings: ShownFinding[] = [];
  for (const name of names.sort()) {
    if (name.split(path.sep).some((part) => part.startsWith('.')) || !ALMOST_JSON.test(name)) continue;
    const read = await readTestFile(path.join(dir, name));
    if (read === undefined) continue;
    const file = shownPath(dir, name);
    if ('text' in read) files.push({ path: file, text: read.text });
    else findings.push({ file, severity: 'error', code: 'NOT_JSON', ...read });
  }
  return { files, findings };
}

export interface CheckedTests {
  /** Number of test files. */
  readonly files: number;
  /** Of all files; empty when there are findings. */
  readonly cases: readonly TestCase[];
  readonly findings: readonly ShownFinding[];
  /** For a fingerprint that changes whenever a test file does. */
  readonly texts: readonly TextFile[];
}

/**
 * Reads and checks the test files of a folder (or one file).
 * @param set undefined when the policies are broken: then intents can't be read, and there are no cases
 * @returns undefined when there is no such folder or file
 */
export async function checkTestFiles(
  named: string,
  set: PolicySet<Lexicon> | undefined,
): Promise<CheckedTests | undefined> {
  const found = await readTestFiles(named);
  return found && checkFound(found, set);
}

function checkFound(found: FoundFiles, set: PolicySet<Lexicon> | undefined): CheckedTests {
  const findings = [...found.findings];
  const sources: TestSource[] = [];
  for (const file of found.files) {
    const loaded = loadTestFile(file);
    const source = loaded.ok ? loaded.source : loaded.rest;
    if (source !== undefined) sources.push(source);
    if (!loaded.ok) findings.push(...loaded.findings.map((finding) => ({ ...finding, severity: 'error' as const })));
  }
  const expanded = set === undefined ? undefined : expandTestFiles(sources, intentReader(set));
  if (expanded?.ok === false)
    findings.push(...expanded.findings.map((finding) => ({ ...finding, severity: 'error' as const })));
  findings.sort((a, b) => (a.file === b.file ? a.line - b.line || a.column - b.column : a.file < b.file ? -1 : 1));
  const cases = expanded?.ok === true && findings.length === 0 ? expanded.cases : [];
  return { files: found.files.length, cases, findings, texts: found.files };
}

export interface PreparedRun {
  readonly set: PolicySet<Lexicon>;
  readonly cases: readonly TestCase[];
  /** The policy files, relative to the working folder. */
  readonly policies: readonly string[];
  /** Positions in policy files; paths are relative to the working folder. */
  readonly places: PolicySources;
}

/** The files of a run: a policy folder, and test files. */
export interface RunFiles {
  readonly dir: string;
  readonly folder: PolicyFolder;
  /** The folder of the test files, or the one file. */
  readonly named: string;
  readonly tests: FoundFiles;
  /** Changes whenever a byte of a file does. */
  readonly fingerprint: string;
}

/** @throws {UsageError} when a folder can't be read, or the named tests do not exist */
export async function readRun({ tests: named, policies: dir }: RunPlaces): Promise<RunFiles> {
  const folder = await readFolder(dir);
  const tests = await readTestFiles(named);
  if (tests === undefined) throw new UsageError(`There are no test files: ${named} does not exist.`);
  const hash = createHash('sha256').update(folder.fingerprint).update(JSON.stringify(tests));
  return { dir, folder, named, tests, fingerprint: hash.digest('hex') };
}

/**
 * Loads the policies and the cases of a run; or the findings, when any of them is broken.
 * @throws {UsageError} when there is nothing to run
 */
export function prepareRun({
  dir,
  folder,
  named,
  tests,
}: RunFiles): PreparedRun | { readonly broken: readonly ShownFinding[] } {
  const { set, errors } = loadFolder(folder);
  const checked = checkFound(tests, set);
  const findings = [...errors.map((error) => shownFinding(dir, error)), ...checked.findings];
  if (set === undefined || findings.length > 0) return { broken: findings };
  if (checked.files === 0) throw new UsageError(`There are no test files in ${named}.`);
  const files = folder.policies.map((file) => ({ path: shownPath(dir, file.path), text: file.text }));
  const policies = files.map((file) => file.path);
  return { set, cases: checked.cases, policies, places: policySources(files) };
}

/** How the findings of broken policies or test files are printed. */
export interface BrokenOutput {
  readonly format: Format;
  /** The command, for formats that name it. */
  readonly name: string;
  /** Further members of the JSON. */
  readonly json: object;
}

export function printBrokenRun(findings: readonly ShownFinding[], { format, name, json }: BrokenOutput): void {
  if (printReport(format, () => ({ name, suites: [suiteOfFiles(name, [], findings)] }))) return;
  if (format === 'json') return printJson({ ok: false, ...json, findings });
  printFindings(findings);
  printLine(`\n${paint().red('broken')} Nothing was run.`);
}

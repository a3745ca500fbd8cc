// `custos policy fmt`: writes the files of a policy folder in their canonical layout.
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { MAX_FILE_BYTES, parseFile, TOO_LARGE } from '../../shared/core/policy/files.ts';
import { textOf } from '../../shared/core/policy/text-bytes.ts';
import { unreadable } from '../../shared/domain/policy-sets/folder.ts';
import { parseJson } from '../../shared/kernel/json.ts';
import { findPlaces } from '../../shared/platform/config/root.ts';
import { shippedPolicies } from '../../shared/platform/config/settings/policies.ts';
import { EXIT, exitWith, UsageError } from '../exit.ts';
import { counted, paint, printFindings, printJson, printLine, type ShownFinding } from '../output.ts';
import { printable } from '../../shared/core/proof/encoding.ts';
import type { CommandBody } from '../program.ts';
import { shownPath } from './folder.ts';
import { type Format, formatOf, formatOption, printReport } from './formats/format.ts';
import { suiteOfFiles } from './formats/report.ts';
import { formatted, type Schema } from './layout.ts';
import { FOLDER_HELP, policyDirOf, reasonOf, refuseShipped } from './place.ts';

const NAME = 'custos policy fmt';

export const formatPoliciesCommand: CommandBody = {
  notes: `Members are in the order of the schema, indented by two spaces; what fits on a line stays on it. The values, and so the digest of the set,
do not change. Formatted are policies, tests, catalogues and all other JSON files of the folder except schemas.`,
  exitCodes: {
    [EXIT.ok]: 'All files have the layout now (with --check: had it already).',
    [EXIT.broken]: 'A file is no JSON or can not be read. It was left alone; the others were formatted.',
    [EXIT.unmet]: 'With --check: a file has another layout.',
  },
  define: (command) =>
    command
      .argument('[folder]', FOLDER_HELP)
      .option('--check', 'write nothing, and list the files that have another layout')
      .addOption(formatOption())
      .option('--json', 'print JSON')
      .action(
        exitWith((folder, { check, ...chosen }) => {
          const dir = policyDirOf(folder);
          const format = formatOf(chosen);
          const names = filesOf(dir);
          if (check === undefined) refuseShipped(dir);
          const results = names.map((name) => ({
            file: shownPath(dir, name),
            ...formatFile(dir, name, check === undefined),
          }));
          show(results, { format, isCheck: check !== undefined });
          if (results.some(({ broken }) => broken !== undefined)) return EXIT.broken;
          return check !== undefined && results.some(({ changed }) => changed) ? EXIT.unmet : EXIT.ok;
        }),
      ),
};

/** Folders of a policy folder whose files are generated or not its own. */
const OTHER_FOLDERS = new Set(['schema', 'node_modules']);

/** The JSON files of a folder, relative to it. @throws {UsageError} when it can't be read */
function filesOf(dir: string): string[] {
  try {
    return readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .filter((name) => {
        const parts = name.split(path.sep);
        return (
          name.endsWith('.json') && !OTHER_FOLDERS.has(parts[0] ?? '') && !parts.some((part) => part.startsWith('.'))
        );
      })
      .filter((name) => statSync(path.join(dir, name), { throwIfNoEntry: false })?.isFile() ?? true)
      .sort();
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    throw new UsageError(`The policy folder ${dir} can't be read: ${reason}.`);
  }
}

/** The published schemas by the kind of file: `policy`, `policy-test`, `tools`. */
function readSchemas(): ReadonlyMap<string, Schema> {
  const dir = path.join(shippedPolicies(findPlaces()), 'schema');
  const suffix = '.schema.json';
  const names = readdirSync(dir).filter((name) => name.endsWith(suffix));
  return new Map(
    names.map((name) => [name.slice(0, -suffix.length), parseJson(readFileSync(path.join(dir, name), 'utf8'))]),
  );
}
let schemas: ReadonlyMap<string, Schema> | undefined;

/** The kind of a file follows from its place: `tests/`, a folder or a file named like a schema, else a policy. */
export function schemaOf(name: string, known: ReadonlyMap<string, Schema>): Schema {
  const [first = '', ...rest] = name.split(path.sep);
  if (rest.length === 0) return known.get(path.basename(first, '.json')) ?? known.get('policy');
  if (first === 'tests') return known.get('policy-test');
  return known.get(first) ?? known.get(first.replace(/s$/, '')) ?? known.get('policy');
}

interface Formatted {
  readonly changed: boolean;
  /** Why the file was left alone. */
  readonly broken?: Omit<ShownFinding, 'file'>;
}

const brokenBy = (code: string, message: string, at = { line: 1, column: 1 }): Formatted => {
  const { line, column } = at;
  return { changed: false, broken: { line, column, severity: 'error', code, message } };
};

function formatFile(dir: string, name: string, isWritten: boolean): Formatted {
  const file = path.join(dir, name);
  try {
    const bytes = readFileSync(file);
    if (bytes.length > MAX_FILE_BYTES) return brokenBy('TOO_LARGE', TOO_LARGE);
    const read = textOf(bytes);
    if (!('text' in read)) return brokenBy('NOT_JSON', read.message, read);
    const parsed = parseFile({ path: name, text: read.text });
    if (!('value' in parsed)) return brokenBy(parsed.code, parsed.message, parsed);
    schemas ??= readSchemas();
    const text = formatted(read.text, schemaOf(name, schemas));
    if (text === read.text) return { changed: false };
    if (isWritten) replace(realpathSync(file), text);
    return { changed: true };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return brokenBy('NOT_JSON', unreadable(error));
  }
}

/** Replaces a file in one step, with its mode. The temporary name begins with a dot, so that no service reads it as a policy. */
function replace(file: string, text: string): void {
  const part = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}`);
  try {
    writeFileSync(part, text, { flag: 'wx', flush: true });
    chmodSync(part, lstatSync(file).mode & 0o7777);
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

interface Shown {
  readonly format: Format;
  readonly isCheck: boolean;
}

function show(results: readonly ({ readonly file: string } & Formatted)[], { format, isCheck }: Shown): void {
  const broken = results.flatMap(({ file, broken: why }) => (why === undefined ? [] : [{ file, ...why }]));
  const changed = results.filter((result) => result.changed).map(({ file }) => file);
  const findings = [...broken, ...(isCheck ? changed.map(unformatted) : [])];
  const files = results.map(({ file }) => file);
  if (printReport(format, () => ({ name: NAME, suites: [suiteOfFiles(NAME, files, findings)] }))) return;
  if (format === 'json') {
    return printJson({
      ok: broken.length === 0 && !(isCheck && changed.length > 0),
      files: files.length,
      changed,
      findings: broken,
    });
  }
  const { green, yellow, red } = paint();
  printFindings(broken);
  for (const file of changed) printLine(`${isCheck ? yellow('differs') : green('formatted')} ${printable(file)}`);
  const left = broken.length === 0 ? '' : `, ${red(`${broken.length} left alone`)}`;
  printLine(
    `${counted(files.length, 'file')}: ${changed.length} ${isCheck ? 'with another layout' : 'formatted'}${left}.`,
  );
}

const unformatted = (file: string): ShownFinding => ({
  file,
  line: 1,
  column: 1,
  severity: 'error',
  code: 'LAYOUT',
  message: 'has another layout than "custos policy fmt" gives it',
});

// Measures the intent parser, or the verdicts on what it reads, on files of labelled texts. Usage: npm run eval:intents -- [OPTIONS] FILE...
import path from 'node:path';
import { parseArgs } from 'node:util';
import { findRoot } from '../shared/platform/config/root.ts';
import { hiddenScoresOf } from './hidden-scores.ts';
import { createIntentReader, type FolderSet, loadFolderSet, PolicyFolderError } from './intent-reader.ts';
import { readRows, type RowFile, RowsError } from './intent-rows.ts';
import { type ScoredRow, scoreRow, scoresOf } from './intent-scores.ts';
import { report, type ScoredFile } from './intent-tables.ts';
import { createVerdictReader } from './intent-verdicts.ts';
import { judgeRows, missesOf, missMembers, verdictReportOf, verdictTables } from './verdict-report.ts';

const USAGE = `usage: npm run eval:intents -- [--json] [--verdicts [--misses]] [--form NAME] [--policies DIR] FILE...
  FILE            labelled texts, one JSON object a line: text, verb?, verb_alt?, effect?, effect_ok?,
                  resource?, resource_alt?, resource_in_text?, harm?, kind?, label?, form?, language?, id?
  --json          one JSON object {verb, verbLenient, effect, resource, flaggedOrHigh, rows, understated, coverage,
                  coverageBelow, harmPermitted, harmlessStopped}
  --verdicts      harm that the policies permit to an agent of level 4 in live, and harmless texts that they stop,
                  once by the parse and once by its normalized string; with --json: one JSON object
  --misses        with --verdicts: every text with a wrong verdict
  --form NAME     only rows of this form
  --policies DIR  lexicon and intake policies of another folder`;

/** Command line arguments that can't be used; the message is a sentence. */
class UsageError extends Error {}

function argumentsOf(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        verdicts: { type: 'boolean', default: false },
        misses: { type: 'boolean', default: false },
        form: { type: 'string' },
        policies: { type: 'string' },
      },
    });
    if (positionals.length === 0) throw new UsageError(USAGE);
    if (values.misses && !values.verdicts) throw new UsageError('--misses needs --verdicts.');
    return { ...values, files: positionals };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${error instanceof Error ? error.message : 'wrong arguments'}\n${USAGE}`);
  }
}

/** The rows of this form. @throws {UsageError} when there is none */
function ofForm(files: readonly RowFile[], form: string | undefined): readonly RowFile[] {
  if (form === undefined) return files;
  const found = files.map(({ file, rows }) => ({ file, rows: rows.filter((row) => row.form === form) }));
  if (found.every(({ rows }) => rows.length === 0))
    throw new UsageError(`No row has the form ${JSON.stringify(form)}.`);
  return found;
}

async function runVerdicts(files: readonly RowFile[], loaded: FolderSet, as: { json: boolean; misses: boolean }) {
  const { judged, notJudged } = await judgeRows(files, createVerdictReader(loaded));
  if (!as.json) return verdictTables(judged, notJudged, as.misses);
  const misses = as.misses ? { misses: missesOf(judged).map(missMembers) } : {};
  return JSON.stringify({ ...verdictReportOf(judged, notJudged), ...misses });
}

/**
 * Reads and scores the files. @returns the text for standard output
 * @throws {UsageError | RowsError | PolicyFolderError} with a message for standard error
 */
async function run(args: readonly string[]): Promise<string> {
  const { json, verdicts, misses, form, policies, files } = argumentsOf(args);
  const read = ofForm(files.map(readRows), form);
  const loaded = await loadFolderSet(policies ?? path.join(findRoot(), 'policies'));
  if (verdicts) return runVerdicts(read, loaded, { json, misses });
  const reader = createIntentReader(loaded);
  const scored: ScoredFile[] = [];
  for (const { file, rows } of read) {
    const scoredRows: ScoredRow[] = [];
    for (const row of rows) scoredRows.push(await scoreRow(row, reader));
    scored.push({ file, rows: scoredRows });
  }
  const { judged } = await judgeRows(read, createVerdictReader(loaded));
  const all = scored.flatMap(({ rows }) => rows);
  return json ? JSON.stringify({ ...scoresOf(all), ...hiddenScoresOf(judged) }) : report(scored, judged);
}

/** @returns the exit code: 0, or 2 with a sentence on standard error for unusable arguments or files */
export async function main(
  args: readonly string[],
  out: (text: string) => void,
  complain: (text: string) => void,
): Promise<number> {
  try {
    out(`${await run(args)}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof RowsError || error instanceof PolicyFolderError)) throw error;
    complain(`${error.message}\n`);
    return 2;
  }
}

if (import.meta.filename === process.argv[1])
  process.exitCode = await main(
    process.argv.slice(2),
    (text) => process.stdout.write(text),
    (text) => process.stderr.write(text),
  );

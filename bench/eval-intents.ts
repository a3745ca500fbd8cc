// Measures the intent parser on files of labelled texts. Usage: npm run eval:intents -- [--json] [--calibrate] FILE...
import path from 'node:path';
import { parseArgs } from 'node:util';
import { findRoot } from '../shared/platform/config/root.ts';
import { createIntentReader, PolicyFolderError } from './intent-reader.ts';
import { readRows, RowsError } from './intent-rows.ts';
import { type ScoredRow, scoreRow, scoresOf } from './intent-scores.ts';
import { calibrationReport, report, type ScoredFile } from './intent-tables.ts';

const USAGE = `usage: npm run eval:intents -- [--json | --calibrate] [--form NAME] [--policies DIR] FILE...
  FILE            labelled texts, one JSON object a line: text, verb?, verb_alt?, effect?, effect_ok?,
                  resource?, resource_alt?, resource_in_text?, form?, id?
  --json          one JSON object {verb, verbLenient, effect, resource, flaggedOrHigh, rows}
  --calibrate     the reliability of confidence, and the fit that its curve is taken from
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
        calibrate: { type: 'boolean', default: false },
        form: { type: 'string' },
        policies: { type: 'string' },
      },
    });
    if (positionals.length === 0) throw new UsageError(USAGE);
    if (values.json && values.calibrate) throw new UsageError('--json and --calibrate cannot be used together.');
    return { ...values, files: positionals };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${error instanceof Error ? error.message : 'wrong arguments'}\n${USAGE}`);
  }
}

/**
 * Reads and scores the files. @returns the text for standard output
 * @throws {UsageError | RowsError | PolicyFolderError} with a message for standard error
 */
async function run(args: readonly string[]): Promise<string> {
  const { json, calibrate, form, policies, files } = argumentsOf(args);
  const read = files.map(readRows);
  const reader = await createIntentReader(policies ?? path.join(findRoot(), 'policies'));
  const scored: ScoredFile[] = [];
  for (const { file, rows } of read) {
    const scoredRows: ScoredRow[] = [];
    for (const row of rows) if (form === undefined || row.form === form) scoredRows.push(await scoreRow(row, reader));
    scored.push({ file, rows: scoredRows });
  }
  if (form !== undefined && scored.every(({ rows }) => rows.length === 0))
    throw new UsageError(`No row has the form ${JSON.stringify(form)}.`);
  if (json) return JSON.stringify(scoresOf(scored.flatMap(({ rows }) => rows)));
  return calibrate ? calibrationReport(scored) : report(scored);
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

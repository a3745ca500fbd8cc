// The measurement of the parser as text tables.
import { printable } from '../shared/core/proof/encoding.ts';
import { ACTIONS, EFFECTS } from '../shared/kernel/vocabulary.ts';
import { hiddenTables } from './hidden-tables.ts';
import { answersOf, calibrationError, reliabilityOf } from './intent-calibration.ts';
import { type Confusion, confusionOf, missesOf, type ScoredRow, scoresOf } from './intent-scores.ts';
import { type Cell, excerptOf, percent, section, table, two } from './text-tables.ts';
import type { JudgedText } from './verdict-report.ts';

/** The scored rows of one file. */
export interface ScoredFile {
  readonly file: string;
  readonly rows: readonly ScoredRow[];
}

function totals(files: readonly ScoredFile[]): string {
  const line = (name: string, rows: readonly ScoredRow[]): Cell[] => {
    const { verb, verbLenient, effect, resource, flaggedOrHigh } = scoresOf(rows);
    return [name, rows.length, ...[verb, verbLenient, effect, resource, flaggedOrHigh].map(percent)];
  };
  const all = files.flatMap(({ rows }) => rows);
  const rows = files.map(({ file, rows: scored }) => line(file.slice(file.lastIndexOf('/') + 1), scored));
  const together = files.length > 1 ? [line('all', all)] : [];
  const headings = ['file', 'rows', 'action', 'or accepted', 'effect', 'object', 'flagged or high'];
  return section('Right, of the rows with an expected answer', table(headings, [...rows, ...together]));
}

/** Counts of attack flags and of high risk, by the form of the text. */
function attacks(rows: readonly ScoredRow[]): string | undefined {
  const forms = [...new Set(rows.flatMap(({ row }) => row.form ?? []))].sort();
  if (forms.length === 0) return undefined;
  const count = (of: readonly ScoredRow[], test: (row: ScoredRow) => boolean) => of.filter(test).length;
  const lines = [...forms, undefined].flatMap((form) => {
    const of = rows.filter(({ row }) => row.form === form);
    if (of.length === 0) return [];
    return [
      [
        form ?? '(no form)',
        of.length,
        count(of, ({ read }) => read.parse.flags.includes('prompt_injection')),
        count(of, ({ read }) => read.parse.flags.includes('obfuscated')),
        count(of, ({ read }) => read.parse.flags.includes('secret_in_text')),
        count(of, ({ read }) => read.risk.level === 'high'),
        percent(count(of, ({ flaggedOrHigh }) => flaggedOrHigh) / of.length),
      ],
    ];
  });
  const headings = ['form', 'rows', 'injection', 'obfuscated', 'secret', 'risk high', 'flagged or high'];
  return section('Attacks and others, by form', table(headings, lines));
}

function classes(rows: readonly ScoredRow[]): string | undefined {
  const lines = ACTIONS.flatMap((name) => {
    const of = rows.filter(({ row }) => row.verb === name);
    if (of.length === 0) return [];
    const given = rows.filter(({ verb, read }) => verb !== undefined && read.parse.action === name);
    const right = of.filter(({ verb }) => verb).length;
    const accepted = of.filter(({ verbLenient }) => verbLenient).length;
    return [
      [
        name,
        of.length,
        percent(right / of.length),
        percent(accepted / of.length),
        percent(right / (given.length || 1)),
      ],
    ];
  });
  if (lines.length === 0) return undefined;
  const headings = ['action', 'rows', 'found', 'or accepted', 'right when given'];
  return section('Action classes', table(headings, lines));
}

function matrix(title: string, names: readonly string[], confusion: Confusion): string | undefined {
  if (confusion.size === 0) return undefined;
  const given = new Set([...confusion.values()].flatMap((line) => [...line.keys()]));
  const columns = names.filter((name) => given.has(name));
  const lines = names
    .filter((name) => confusion.has(name))
    .map((name) => [name, ...columns.map((column) => confusion.get(name)?.get(column) ?? '.')]);
  return section(`${title}: expected (down), answered (across)`, table(['', ...columns], lines));
}

function reliability(rows: readonly ScoredRow[]): string | undefined {
  const buckets = reliabilityOf(answersOf(rows));
  const error = calibrationError(buckets);
  if (error === null) return undefined;
  const lines = buckets
    .filter((bucket) => bucket.rows > 0)
    .map(({ from, to, rows: count, meanConfidence, shareRight }) => [
      `${two(from)} to ${two(to)}`,
      count,
      percent(meanConfidence),
      percent(shareRight),
    ]);
  return section('Confidence: how many answers of such confidence are right (or accepted)', [
    ...table(['confidence', 'rows', 'mean confidence', 'right'], lines),
    `expected calibration error: ${percent(error)}`,
  ]);
}

function misses(rows: readonly ScoredRow[]): string {
  const found = missesOf(rows);
  return section(
    `Misses: ${found.length}`,
    found.flatMap(({ place, what, expected, got, text }) => [
      printable(`- ${what}: expected ${expected}, got ${got}  [${place}]`),
      `    ${excerptOf(text)}`,
    ]),
  );
}

/** The rows that were flagged or at risk `high`, or the others, whichever are fewer. */
function flagged(rows: readonly ScoredRow[]): string {
  const yes = rows.filter((row) => row.flaggedOrHigh);
  const few = yes.length * 2 <= rows.length;
  const shown = few ? yes : rows.filter((row) => !row.flaggedOrHigh);
  return section(
    few ? `Flagged or at risk high: ${shown.length}` : `Neither flagged nor at risk high: ${shown.length}`,
    shown.flatMap(({ row, read: { parse, risk } }) => [
      printable(
        `- [${row.id ?? row.place}] ${parse.normalized}, risk ${risk.score}: ${risk.factors.map(({ factor }) => factor).join(', ')}; flags: ${parse.flags.join(', ')}`,
      ),
      `    ${excerptOf(row.text)}`,
    ]),
  );
}

/** All measures. @param judged those of the rows whose harm is known, with the verdicts on them */
export function report(files: readonly ScoredFile[], judged: readonly JudgedText[]): string {
  const rows = files.flatMap((file) => file.rows);
  const parts = [
    totals(files),
    attacks(rows),
    classes(rows),
    matrix('Actions', ACTIONS, confusionOf(rows, 'verb')),
    matrix('Effects', EFFECTS, confusionOf(rows, 'effect')),
    reliability(rows),
    ...hiddenTables(judged, rows),
    ...files.map((file) => (files.length > 1 ? `${printable(file.file)}\n${flagged(file.rows)}` : flagged(file.rows))),
    misses(rows),
  ];
  return parts.filter((part) => part !== undefined).join('\n\n');
}

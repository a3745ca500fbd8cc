// Output of commands on standard output: tables, findings and JSON, with colour only on a terminal.
import { styleText } from 'node:util';
import { printable } from '../shared/core/proof/encoding.ts';

type Tone = 'red' | 'yellow' | 'green' | 'cyan' | 'bold' | 'dim';
/** Functions that colour a text, or return it unchanged. */
export type Paint = Readonly<Record<Tone, (text: string) => string>>;

const TONES: readonly Tone[] = ['red', 'yellow', 'green', 'cyan', 'bold', 'dim'];

function paintOf(isColoured: boolean): Paint {
  const entries = TONES.map((tone) => [tone, (text: string) => (isColoured ? styleText(tone, text) : text)] as const);
  // TONES has every member of the type.
  return Object.fromEntries(entries) as Paint;
}

/**
 * Whether a stream gets colour: never with a non-empty NO_COLOR; always with a FORCE_COLOR other than empty, `0` and
 * `false`; otherwise only a terminal that is not dumb.
 */
export function isColoured(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const force = env['FORCE_COLOR'] ?? '';
  if (force !== '') return force !== '0' && force !== 'false';
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

/** The paint of standard output. */
export function paint(): Paint {
  return paintOf(isColoured(process.stdout));
}

/** One line on standard output. Text from files and callers must have gone through `printable`. */
export function printLine(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** Text on standard output as it is. */
export function printText(text: string): void {
  process.stdout.write(text);
}

/** One JSON value on standard output. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

const COLOURS = /\u001b\[\d+m/g;

function widthOf(cell: string): number {
  return cell.replaceAll(COLOURS, '').length;
}

/** Rows under their headings, in columns. Cells may be coloured. */
export function tableLines(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  { bold }: Paint = paint(),
): string[] {
  const all = [headings.map(bold), ...rows];
  const widths = headings.map((_, i) => Math.max(...all.map((row) => widthOf(row[i] ?? ''))));
  return all.map((row) =>
    row
      .map((cell, i) => cell + ' '.repeat(Math.max(0, (widths[i] ?? 0) - widthOf(cell))))
      .join('  ')
      .trimEnd(),
  );
}

export function printTable(headings: readonly string[], rows: readonly (readonly string[])[]): void {
  for (const line of tableLines(headings, rows)) printLine(line);
}

/** An error or warning in a file. `line` and `column` count from 1. */
export interface ShownFinding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  /** How to fix it. */
  readonly hint?: string;
  /** For example a request and its two verdicts. */
  readonly example?: string;
}

/** `file:line:column severity code message`, with hint and example below. Text from files is made printable. */
export function findingLines(finding: ShownFinding, { red, yellow, bold, dim }: Paint = paint()): string[] {
  const { file, line, column, severity, code, message, hint, example } = finding;
  const tone = severity === 'error' ? red : yellow;
  const below = (name: string, text: string | undefined): string[] =>
    text === undefined
      ? []
      : text.split('\n').map((part, i) => dim(`  ${i === 0 ? `${name}: ` : ''}${printable(part)}`));
  return [
    `${bold(`${printable(file)}:${line}:${column}`)} ${tone(severity)} ${code} ${printable(message)}`,
    ...below('hint', hint),
    ...below('example', example),
  ];
}

export function printFindings(findings: readonly ShownFinding[]): void {
  const style = paint();
  for (const finding of findings) for (const line of findingLines(finding, style)) printLine(line);
}

/** `1 error`, `2 errors` */
export function counted(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

/** More would fill the terminal; `--json` has all. */
const MAX_RANGES = 10;

/** Leaves that retention has dropped, such as `12 leaves (0-9, 11, 13)`. */
export function rangesText(ranges: readonly { readonly first: number; readonly last: number }[]): string {
  const leaves = ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const named = ranges
    .slice(0, MAX_RANGES)
    .map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`));
  const more = ranges.length > MAX_RANGES ? `, and ${ranges.length - MAX_RANGES} more ranges` : '';
  return `${leaves} ${leaves === 1 ? 'leaf' : 'leaves'} (${named.join(', ')}${more})`;
}

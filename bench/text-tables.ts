// Text tables and shares for the terminal.
import { printable } from '../shared/core/proof/encoding.ts';
import { alignedLines } from './numbers.ts';

export type Cell = string | number;

/** Rows under their headings, with a line between them. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string[] {
  const [head = '', ...lines] = alignedLines([
    headings,
    ...rows.map((row) => row.map((cell) => printable(String(cell)))),
  ]);
  return [head, '-'.repeat(head.length), ...lines];
}

export const section = (title: string, lines: readonly string[]): string => [title, ...lines].join('\n');

export const percent = (share: number | null | undefined): string =>
  share === null || share === undefined ? '-' : `${(share * 100).toFixed(1)} %`;

export const excerptOf = (text: string): string => printable(text.replace(/\s+/g, ' ').slice(0, 240));

export const two = (number: number): string => number.toFixed(2);

// Rows as a file that spreadsheets read (RFC 4180). Pure.

export type CsvValue = string | number | boolean | null | undefined;

export interface CsvField<Row> {
  readonly title: string;
  readonly of: (row: Row) => CsvValue;
}

/** A spreadsheet computes what begins like this, and callers choose names: it must stay a text. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

function cell(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @returns with the mark at its beginning that tells spreadsheets that it is UTF-8 */
export function csvOf<Row>(fields: readonly CsvField<Row>[], rows: readonly Row[]): string {
  const lines = [fields.map(({ title }) => cell(title)), ...rows.map((row) => fields.map(({ of }) => cell(of(row))))];
  return `\uFEFF${lines.map((line) => `${line.join(',')}\r\n`).join('')}`;
}

// Rows as a CSV file (RFC 4180). Pure.

export type CsvValue = string | number | boolean | null | undefined;

type PlainKey<Row> = { [K in keyof Row & string]-?: Row[K] extends CsvValue ? K : never }[keyof Row & string];

/** A column: a member of the rows, or a title with its value. */
export type CsvField<Row> = PlainKey<Row> | readonly [title: string, of: (row: Row) => CsvValue];

/** Spreadsheets evaluate cells that begin like this, and callers choose names: an apostrophe keeps them text. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

function cell(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @returns text with a byte order mark, by which spreadsheets recognize UTF-8 */
export function csvOf<Row>(fields: readonly CsvField<Row>[], rows: readonly Row[]): string {
  const titles = fields.map((field) => (typeof field === 'string' ? field : field[0]));
  // PlainKey selects the members whose values are CsvValue.
  const values = (row: Row): CsvValue[] =>
    fields.map((field) => (typeof field === 'string' ? (row[field] as CsvValue) : field[1](row)));
  const lines = [titles, ...rows.map(values)].map((each) => `${each.map(cell).join(',')}\r\n`);
  return `\uFEFF${lines.join('')}`;
}

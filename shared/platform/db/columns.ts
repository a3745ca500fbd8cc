// Column maps: how many rows travel to PostgreSQL in one statement, one parameter for each column.
import { Buffer } from 'node:buffer';

/**
 * A column of many rows as one text with line feeds between the values. In an array literal every quote of a JSON text
 * would be escaped, which costs more than the insert itself.
 * @throws {Error} when a value holds a line feed, which would shift the rows after it
 */
export function textColumn(values: readonly string[]): string {
  for (const value of values) if (value.includes('\n')) throw new Error('a column value holds a line feed');
  return values.join('\n');
}

/** Larger columns use textColumn, so that one large request does not occupy memory forever. */
const MAX_KEPT_BYTES = 2 * 1_048_576;
const LINE_FEED = 0x0a;

type WriteTexts = (values: readonly string[]) => string | Buffer;

/**
 * Like textColumn, but writes into a buffer that is reused. For PostgreSQL it is the same parameter. Joined texts of this
 * size survive until a full garbage collection; they made half of the heap. The next call overwrites the result, so the
 * caller may have only one statement in flight.
 */
export function createColumnWriter(): WriteTexts {
  let bytes = Buffer.allocUnsafeSlow(65_536);
  return (values) => {
    let units = values.length;
    for (const value of values) units += value.length;
    // UTF-8 has at most three bytes for a UTF-16 code unit.
    if (3 * units > MAX_KEPT_BYTES) return textColumn(values);
    if (3 * units > bytes.length) bytes = Buffer.allocUnsafeSlow(3 * units);
    let end = 0;
    for (let i = 0; i < values.length; i += 1) {
      const value = values[i] as string;
      if (value.includes('\n')) throw new Error('a column value holds a line feed');
      if (i > 0) bytes[end++] = LINE_FEED;
      end += bytes.write(value, end);
    }
    return bytes.subarray(0, end);
  };
}

/** How one column travels. */
interface Column<Row> {
  /** The column of all rows as one parameter. */
  readonly parameter: (rows: readonly Row[], writeLong: WriteTexts) => unknown;
  /** SQL of the parameter as an array. Absent: `value` takes the value out of the parameter by the row's ordinal. */
  readonly array?: (parameter: string) => string;
  /** SQL of one value with the column's type, from `element` of the array or from the parameter. */
  readonly value: (element: string, parameter: string) => string;
  /** The values are long: their memory is worth reusing. */
  readonly isLong?: boolean;
}

const lines = (parameter: string): string => `string_to_array(${parameter}, E'\\n')`;
const same = (element: string): string => element;

/**
 * A text, or another type that is cast from its text. A value holds no line feed (JSON texts escape it, ids refuse it),
 * and is not empty where a statement may have one row: an array of one empty text can't be told from an empty array.
 */
export const text = <Row>(of: (row: Row) => string, type = 'text'): Column<Row> => ({
  parameter: (rows) => textColumn(rows.map(of)),
  array: lines,
  value: type === 'text' ? same : (element) => `${element}::${type}`,
});

/** A text, or null. It is never empty: the empty text stands for null. */
export const optionalText = <Row>(of: (row: Row) => string | null | undefined): Column<Row> => ({
  parameter: (rows) => textColumn(rows.map((row) => of(row) ?? '')),
  array: (parameter) => `string_to_array(${parameter}, E'\\n', '')`,
  value: same,
});

/** Any text, also one with line feeds; slower than `text`. */
export const anyText = <Row>(of: (row: Row) => string): Column<Row> => ({
  parameter: (rows) => rows.map(of),
  array: (parameter) => `${parameter}::text[]`,
  value: same,
});

/** A long text without line feeds. */
export const longText = <Row>(of: (row: Row) => string): Column<Row> => ({
  parameter: (rows, writeLong) => writeLong(rows.map(of)),
  array: lines,
  value: same,
  isLong: true,
});

/** The UTF-8 bytes of a long text without line feeds, as bytea. */
export const utf8 = <Row>(of: (row: Row) => string): Column<Row> => ({
  ...longText(of),
  value: (element) => `convert_to(${element}, 'UTF8')`,
});

/** Bytes of a lower-case hex text. */
export const hex = <Row>(of: (row: Row) => string): Column<Row> => ({
  ...text(of),
  value: (element) => `decode(${element}, 'hex')`,
});

/** A number of this SQL type. A bigint may be a text, as the driver returns it. */
export const numeric = <Row>(type: string, of: (row: Row) => number | string): Column<Row> => ({
  // Numbers need no escaping.
  parameter: (rows) => `{${rows.map(of).join(',')}}`,
  array: (parameter) => `${parameter}::${type}[]`,
  value: same,
});

/** A time, given in milliseconds since 1970. */
export const timeMs = <Row>(of: (row: Row) => number): Column<Row> => ({
  ...numeric('float8', of),
  value: (element) => `to_timestamp(${element} / 1000)`,
});

/** SQL of a time of whole milliseconds as their number since 1970; `extract` computes a numeric, which takes a quarter of a microsecond more. */
export const msSql = (time: string): string => `round(date_part('epoch', ${time}) * 1000)`;

/** An array of texts, given as the JSON text of it. */
export const textArray = <Row>(of: (row: Row) => readonly string[]): Column<Row> => ({
  ...text((row) => JSON.stringify(of(row))),
  value: (element) => `ARRAY(SELECT jsonb_array_elements_text(${element}::jsonb))`,
});

/** Bytes of one fixed length. They travel in a row: in an array each value would be escaped. */
export const fixedBytes = <Row>(length: number, of: (row: Row) => Uint8Array): Column<Row> => ({
  parameter: (rows) => Buffer.concat(rows.map(of)),
  value: (_, parameter) => `substr(${parameter}::bytea, ${length} * (ordinal::integer - 1) + 1, ${length})`,
});

/** As fixedBytes, given as lower-case hex. */
export const fixedHex = <Row>(length: number, of: (row: Row) => string): Column<Row> => ({
  ...fixedBytes(length, () => Buffer.alloc(0)),
  parameter: (rows) => Buffer.from(rows.map(of).join(''), 'hex'),
});

type Columns<Row> = Readonly<Record<string, Column<Row>>>;

/** The columns of the rows of one statement: the SQL that reads them and the parameters that hold them. */
export interface ColumnMap<Row> {
  readonly columns: Columns<Row>;
  /** As a list for SELECT and INSERT. */
  readonly names: string;
  /** How many parameters they take. */
  readonly size: number;
  /** A SELECT of the typed rows and of `ordinal`, which counts them from 1. @param first number of the first parameter */
  rows(first?: number): string;
  /**
   * `INSERT INTO table (...) SELECT ... FROM source`.
   * @param source has the columns, e.g. the name of a WITH member that is `rows()`
   * @param more further columns with their SQL expressions
   */
  insertInto(table: string, source: string, more?: Readonly<Record<string, string>>): string;
  /** The parameters. */
  values(rows: readonly Row[]): unknown[];
  /** As `values`, with memory that is reused: for callers that have one statement in flight at a time. */
  createWriter(): (rows: readonly Row[]) => unknown[];
}

/** @param columns by their names in the table, in the order of the parameters */
export function columnMap<Row>(columns: Columns<Row>): ColumnMap<Row> {
  const list = Object.entries(columns);
  const names = Object.keys(columns).join(', ');
  return {
    columns,
    names,
    size: list.length,
    rows(first = 1) {
      const numbered = list.map(([name, column], i) => ({ name, column, parameter: `$${first + i}` }));
      const values = numbered.map(({ name, column, parameter }) => `${column.value(name, parameter)} AS ${name}`);
      const inArrays = numbered.flatMap(({ name, column: { array }, parameter }) =>
        array === undefined ? [] : [{ name, array: array(parameter) }],
      );
      return `SELECT ${values.join(', ')}, ordinal FROM unnest(${inArrays.map(({ array }) => array).join(', ')}) WITH ORDINALITY
        AS row (${inArrays.map(({ name }) => name).join(', ')}, ordinal)`;
    },
    insertInto: (table, source, more = {}) =>
      `INSERT INTO ${table} (${[names, ...Object.keys(more)].join(', ')}) SELECT ${[names, ...Object.values(more)].join(', ')} FROM ${source}`,
    values: (rows) => list.map(([, column]) => column.parameter(rows, textColumn)),
    createWriter() {
      const parameters = list.map(([, { parameter, isLong }]) => {
        const writeLong = isLong === true ? createColumnWriter() : textColumn;
        return (rows: readonly Row[]): unknown => parameter(rows, writeLong);
      });
      return (rows) => parameters.map((parameter) => parameter(rows));
    },
  };
}

/** The column of each verdict in tables that count decisions. */
export const COUNT_COLUMNS = { ALLOW: 'allow', DENY: 'deny', ESCALATE: 'escalate', DEGRADE: 'degrade' } as const;

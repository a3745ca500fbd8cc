// The dialects of SQL, as far as they disagree about where comments, strings and names end. What one of them takes for a comment, another runs.

/** What a backslash before a quotation mark does: nothing, keeps it from closing, or that only in `E'...'`. */
type Escapes = 'none' | 'all' | 'E';

export interface SqlDialect {
  /** In `'...'`. */
  readonly escapes: Escapes;
  /** In `"..."`. */
  readonly nameEscapes: boolean;
  /** In backticks. */
  readonly tickEscapes: boolean;
  /** Whether backticks enclose names. */
  readonly ticks: boolean;
  /** What `#` is. */
  readonly hash: 'sign' | 'comment' | 'name';
  /** Whether `--` begins a comment, and only before white space. */
  readonly dashesComment: boolean;
  readonly dashesNeedBlank: boolean;
  readonly slashesComment: boolean;
  /** Whether a carriage return alone ends the comment of a line. */
  readonly returnEndsLine: boolean;
  /** Whether a backslash at the end of a line continues its comment. */
  readonly linesContinue: boolean;
  readonly commentsNest: boolean;
  /** The comments that are run: `/*!` of MySQL, `/*M!` of MariaDB. */
  readonly runs: 'none' | 'mysql' | 'mariadb';
  /** Whether `[...]` encloses any name. */
  readonly brackets: boolean;
  /** Dollar quotes: none, `$$` alone, with any tag. */
  readonly dollars: 'none' | 'plain' | 'tagged';
  /** `q'[...]'` */
  readonly quoting: boolean;
  /** `'''...'''` */
  readonly triples: boolean;
  /** Whether in `r'...'` no backslash keeps a quotation mark from closing. */
  readonly raw: boolean;
}

/** What most dialects agree on: SQLite, Trino, Db2. */
const STANDARD: SqlDialect = {
  escapes: 'none',
  nameEscapes: false,
  tickEscapes: false,
  ticks: true,
  hash: 'sign',
  dashesComment: true,
  dashesNeedBlank: false,
  slashesComment: false,
  returnEndsLine: false,
  linesContinue: false,
  commentsNest: false,
  runs: 'none',
  brackets: false,
  dollars: 'none',
  quoting: false,
  triples: false,
  raw: false,
};

const POSTGRES: SqlDialect = {
  ...STANDARD,
  escapes: 'E',
  ticks: false,
  returnEndsLine: true,
  commentsNest: true,
  dollars: 'tagged',
};

const MYSQL: SqlDialect = {
  ...STANDARD,
  escapes: 'all',
  nameEscapes: true,
  hash: 'comment',
  dashesNeedBlank: true,
  runs: 'mysql',
};

const SQL_SERVER: SqlDialect = { ...STANDARD, ticks: false, hash: 'name', commentsNest: true, brackets: true };

/** By this it is recognized that a text holds SQL: what hides least. */
export const USUAL: SqlDialect = { ...MYSQL, hash: 'sign', returnEndsLine: true, dollars: 'tagged' };

export const DIALECTS: readonly SqlDialect[] = [
  POSTGRES,
  MYSQL,
  SQL_SERVER,
  STANDARD,
  // Redshift, and PostgreSQL with `standard_conforming_strings = off`
  { ...POSTGRES, escapes: 'all' },
  // MySQL with ANSI_QUOTES, with NO_BACKSLASH_ESCAPES, of another version than a comment is for, with dollar quotes
  { ...MYSQL, nameEscapes: false },
  { ...MYSQL, escapes: 'none', nameEscapes: false },
  { ...MYSQL, runs: 'none' },
  { ...MYSQL, dollars: 'tagged' },
  { ...MYSQL, runs: 'mariadb' },
  // SQLite takes the names of SQL Server.
  { ...STANDARD, brackets: true },
  { ...SQL_SERVER, returnEndsLine: true },
  // Oracle
  { ...STANDARD, ticks: false, hash: 'name', quoting: true },
  // BigQuery
  {
    ...STANDARD,
    escapes: 'all',
    nameEscapes: true,
    tickEscapes: true,
    hash: 'comment',
    returnEndsLine: true,
    triples: true,
  },
  // Snowflake
  { ...STANDARD, escapes: 'all', ticks: false, slashesComment: true, returnEndsLine: true, dollars: 'plain' },
  // Spark
  {
    ...STANDARD,
    escapes: 'all',
    nameEscapes: true,
    returnEndsLine: true,
    linesContinue: true,
    commentsNest: true,
    raw: true,
  },
  // ClickHouse
  { ...STANDARD, escapes: 'all', nameEscapes: true, tickEscapes: true, hash: 'comment', dollars: 'tagged' },
];

/** Cypher, whose queries are split alike. */
export const CYPHER: SqlDialect = {
  ...STANDARD,
  escapes: 'all',
  nameEscapes: true,
  dashesComment: false,
  slashesComment: true,
  returnEndsLine: true,
};

/** A dialect, with the questions that a text made a reader ask about it: all dialects with the same answers read that text alike. */
export class AskedDialect {
  readonly #dialect: SqlDialect;
  readonly #asked = new Set<keyof SqlDialect>();

  constructor(dialect: SqlDialect) {
    this.#dialect = dialect;
  }

  ask<Name extends keyof SqlDialect>(name: Name): SqlDialect[Name] {
    this.#asked.add(name);
    return this.#dialect[name];
  }

  /** Whether another dialect gives all answers that this one gave. */
  answersFor(other: SqlDialect): boolean {
    for (const name of this.#asked) if (other[name] !== this.#dialect[name]) return false;
    return true;
  }
}

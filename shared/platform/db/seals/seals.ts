// Seals of rows that give authority: an HMAC under a key that only the pepper gives, checked whenever a row is loaded.
import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { encodeValue, SEALED_TABLE_NAMES, sealedTable, type SealedTableName, type SealedValues } from './tables.ts';

/** A row as `sealedColumns` (rows.ts) reads it, beside its sealed columns. */
export interface Sealed {
  readonly seal: Buffer | null;
  /** The highest version of this row that was ever written; null when row_version has none. */
  readonly seal_floor: number | null;
}

/** What a sealed text is for. */
export type TextPurpose = 'audit-accepted';

export interface Seals {
  /** HMAC-SHA-256, 32 bytes. @throws {TypeError} when a value is not of its column's kind */
  sealOf<T extends SealedTableName>(table: T, row: SealedValues<T>): Buffer;
  /**
   * Whether this service has written the row as it is, and nothing newer. A row that is not genuine must be treated as
   * absent, or as what allows less than absence; it is counted and reported here.
   */
  isGenuine(table: SealedTableName, row: object): boolean;
  /** HMAC-SHA-256, 32 bytes, of a text that only this service may write; `purpose` keeps texts of different use apart. */
  sealOfText(purpose: TextPurpose, text: string): Buffer;
  /** Whether this is the seal of the text. */
  isSealOfText(purpose: TextPurpose, text: string, seal: Buffer): boolean;
  /** Reports a row that is not genuine for another reason: it is missing although row_version knows it. */
  refuse(table: SealedTableName, id: string): void;
}

export interface SealsDeps {
  /** CUSTOS_PEPPER. */
  readonly pepper: string;
  /** Called for each refused row that is loaded. */
  readonly onRefused?: (table: SealedTableName, id: string) => void;
}

function keyOf(pepper: string, table: SealedTableName): KeyObject {
  const bytes = hkdfSync('sha256', Buffer.from(pepper, 'utf8'), '', `custos row seal 1 ${table}`, 32);
  return createSecretKey(Buffer.from(bytes));
}

/**
 * The bytes that are sealed: JSON of the table's name, and of the name and value of each column that is not null, in the
 * order of SEALED_TABLES. JSON quotes its strings and each column has one kind, so two different rows never have the same
 * bytes. Nulls are left out so that a column that is added later, null in all rows, leaves their seals valid.
 * @returns undefined when a value is not of its column's kind
 * @throws {TypeError} when a column is missing: whoever reads a sealed row must read all of it
 */
function sealedBytes(table: SealedTableName, row: object): string | undefined {
  const values = row as Readonly<Record<string, unknown>>;
  const members: unknown[] = [table];
  for (const [column, kind] of Object.entries(sealedTable(table).columns)) {
    const value = values[column];
    if (value === undefined) throw new TypeError(`a row of ${table} was read without its column ${column}`);
    const encoded = encodeValue(kind, value);
    if (encoded === undefined) return undefined;
    if (encoded !== null) members.push(column, encoded);
  }
  return JSON.stringify(members);
}

/** The primary key as text, for messages and as the array row_version holds. */
export function rowId(table: SealedTableName, row: object): string[] {
  const values = row as Readonly<Record<string, unknown>>;
  return sealedTable(table).primaryKey.map((column) => {
    const value = values[column];
    return Buffer.isBuffer(value) ? value.toString('hex') : String(value);
  });
}

function hasNewestVersion(table: SealedTableName, row: object): boolean {
  const { history } = sealedTable(table);
  if (history === 'none') return true;
  const { version, seal_floor: floor } = row as { readonly version?: unknown; readonly seal_floor?: unknown };
  if (floor === undefined) throw new TypeError(`a row of ${table} was read without its newest version`);
  return floor === null ? history === 'updates' && version === 1 : version === floor;
}

export function createSeals({ pepper, onRefused }: SealsDeps): Seals {
  const keys = new Map(SEALED_TABLE_NAMES.map((table) => [table, keyOf(pepper, table)]));
  const hmac = (table: SealedTableName, bytes: string): Buffer => {
    const key = keys.get(table);
    if (key === undefined) throw new TypeError(`${table} has no seals`);
    return createHmac('sha256', key).update(bytes, 'utf8').digest();
  };
  const sealOfText = (purpose: TextPurpose, text: string): Buffer => {
    const key = Buffer.from(hkdfSync('sha256', Buffer.from(pepper, 'utf8'), '', `custos text seal 1 ${purpose}`, 32));
    return createHmac('sha256', key).update(text, 'utf8').digest();
  };
  return {
    sealOfText,
    isSealOfText: (purpose, text, seal) => seal.length === 32 && timingSafeEqual(seal, sealOfText(purpose, text)),
    sealOf(table, row) {
      const bytes = sealedBytes(table, row);
      if (bytes === undefined) throw new TypeError(`a row of ${table} holds a value that cannot be sealed`);
      return hmac(table, bytes);
    },
    isGenuine(table, row) {
      const bytes = sealedBytes(table, row);
      const { seal } = row as { readonly seal?: unknown };
      if (seal === undefined) throw new TypeError(`a row of ${table} was read without its seal`);
      const genuine =
        bytes !== undefined &&
        Buffer.isBuffer(seal) &&
        seal.length === 32 &&
        timingSafeEqual(seal, hmac(table, bytes)) &&
        hasNewestVersion(table, row);
      if (!genuine) onRefused?.(table, rowId(table, row).join('/'));
      return genuine;
    },
    refuse: (table, id) => onRefused?.(table, id),
  };
}

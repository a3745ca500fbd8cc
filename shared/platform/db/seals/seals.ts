// Row seals: an HMAC over each row that gives authority, checked on every load. The key is derived from the pepper.
import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { encodeValue, SEALED_TABLE_NAMES, sealedTable, type SealedTableName, type SealedValues } from './tables.ts';

/** Columns that `sealedColumns` (rows.ts) selects beside the sealed ones. */
export interface Sealed {
  readonly seal: Buffer | null;
  /** The highest version that was ever written of this row; null: row_version has none. */
  readonly seal_floor: number | null;
}

/** Purposes of sealed texts. */
export type TextPurpose = 'audit-accepted';

export interface Seals {
  /** HMAC-SHA-256, 32 bytes. @throws {TypeError} when a value has the wrong type for its column */
  sealOf<T extends SealedTableName>(table: T, row: SealedValues<T>): Buffer;
  /**
   * Whether the seal is valid and the version the newest. Treat a row that is not genuine as absent, or as what allows
   * less than absence. It is counted and reported here.
   */
  isGenuine(table: SealedTableName, row: object): boolean;
  /** HMAC-SHA-256, 32 bytes, of a text that only this service may write; `purpose` separates domains. */
  sealOfText(purpose: TextPurpose, text: string): Buffer;
  /** Checks the seal of a text. */
  isSealOfText(purpose: TextPurpose, text: string, seal: Buffer): boolean;
  /** Reports a row that is refused for another reason, such as a deleted row that row_version knows. */
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
 * The sealed bytes: a JSON array of the table's name and the name and value of each column that is not null, in the order
 * of SEALED_TABLES. JSON quotes strings and each column has one type, so the encoding is injective. Nulls are left out,
 * so that existing seals stay valid when a nullable column is added.
 * @returns undefined when a value has the wrong type for its column
 * @throws {TypeError} when a column is missing: a sealed row must be read completely
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

/** The primary key as texts: for messages, and as row_version stores it. */
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

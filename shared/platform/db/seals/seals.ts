// Row seals: an HMAC over each row that gives authority, checked on every load. The key is derived from the pepper.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { encodeValue, SEALED_TABLE_NAMES, sealedTable, type SealedTableName, type SealedValues } from './tables.ts';

/** Columns that `sealedColumns` (rows.ts) selects beside the sealed ones. */
export interface Sealed {
  readonly seal: Buffer | null;
  /** The highest version that was ever written of this row; null: row_version has none. */
  readonly seal_floor: number | null;
}

/** Tables whose rows are refused when this service did not write them as they are: beside the sealed ones those with sealed texts. */
export const REFUSABLE_TABLES = [...SEALED_TABLE_NAMES, 'budget_charge', 'budget_use', 'intent'] as const;
export type RefusableTable = (typeof REFUSABLE_TABLES)[number];

/** Purposes of sealed texts. */
export type TextPurpose =
  | 'audit-accepted'
  | 'audit-begun'
  | 'audit-progress'
  | 'budget-charge'
  | 'budget-use'
  | 'retention'
  | 'submission';
/** Purposes of encrypted texts. */
export type SecretPurpose = 'webhook-key';

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
  /**
   * AES-256-GCM, base64, under a key derived from the pepper; for secrets that the service itself must read again.
   * @param context what the secret belongs to: it can't be decrypted as that of anything else
   */
  encryptText(purpose: SecretPurpose, context: string, text: string): string;
  /** Undefined: it was not encrypted for this context under this pepper. */
  decryptText(purpose: SecretPurpose, context: string, encrypted: string): string | undefined;
  /** Reports a row that is refused for another reason, such as a deleted row that row_version knows. */
  refuse(table: RefusableTable, id: string): void;
}

export interface SealsDeps {
  /** CUSTOS_PEPPER. */
  readonly pepper: string;
  /** Called for each refused row that is loaded. */
  readonly onRefused?: (table: RefusableTable, id: string) => void;
}

const derivedKey = (pepper: string, info: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', Buffer.from(pepper, 'utf8'), '', info, 32)));

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

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

function createTextCipher(pepper: string): Pick<Seals, 'encryptText' | 'decryptText'> {
  const keyFor = (purpose: SecretPurpose): Buffer =>
    Buffer.from(hkdfSync('sha256', Buffer.from(pepper, 'utf8'), '', `custos secret text 1 ${purpose}`, 32));
  return {
    encryptText(purpose, context, text) {
      // Random nonces are safe for 2^32 texts under one key (NIST SP 800-38D, section 8.3).
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', keyFor(purpose), nonce).setAAD(Buffer.from(context, 'utf8'));
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64');
    },
    decryptText(purpose, context, encrypted) {
      const bytes = Buffer.from(encrypted, 'base64');
      try {
        const decipher = createDecipheriv('aes-256-gcm', keyFor(purpose), bytes.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        })
          .setAAD(Buffer.from(context, 'utf8'))
          .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}

export function createSeals({ pepper, onRefused }: SealsDeps): Seals {
  const keys = new Map(SEALED_TABLE_NAMES.map((table) => [table, derivedKey(pepper, `custos row seal 1 ${table}`)]));
  const hmac = (table: SealedTableName, bytes: string): Buffer => {
    const key = keys.get(table);
    if (key === undefined) throw new TypeError(`${table} has no seals`);
    return createHmac('sha256', key).update(bytes, 'utf8').digest();
  };
  const textKeys = new Map<TextPurpose, KeyObject>();
  const textKeyOf = (purpose: TextPurpose): KeyObject => {
    const known = textKeys.get(purpose);
    if (known !== undefined) return known;
    const key = derivedKey(pepper, `custos text seal 1 ${purpose}`);
    textKeys.set(purpose, key);
    return key;
  };
  const sealOfText = (purpose: TextPurpose, text: string): Buffer =>
    createHmac('sha256', textKeyOf(purpose)).update(text, 'utf8').digest();
  return {
    ...createTextCipher(pepper),
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

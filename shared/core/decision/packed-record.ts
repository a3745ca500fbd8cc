// How the record of a decision is stored: as its facts are (packed-facts.ts), with a table of its own. Rows of earlier versions, and the
// records of callers, are canonical JSON.
import { Buffer } from 'node:buffer';
import { createTextPacker, MAX_CHARACTERS } from './packed-text.ts';
import { FIRST_RECORD_RULES, RECORD_RULES, RECORD_TEXTS } from './usual-texts.ts';

/** The first byte of packed records: of earlier versions, and of this one. JSON begins with `{`. */
const FIRST = 3;
const SECOND = 4;
export const RECORD_MARKS: readonly number[] = [FIRST, SECOND];
const MARK = String.fromCharCode(SECOND);
/** Of 1,237 bytes of a record about 430 remain; 527 before values followed from others. */
const PACKER = createTextPacker(RECORD_TEXTS, RECORD_RULES);
const FIRST_PACKER = createTextPacker(RECORD_TEXTS, FIRST_RECORD_RULES);

/** For reading records in SQL (stored-text.ts). */
export const RECORD_CODES = PACKER.codes;

/** The text to store. @param record canonical bytes up to previousHash, as text */
export function packRecord(record: string): string {
  // Longer records than the packer takes are stored as they are, as large facts are.
  const packed = PACKER.pack(record);
  return packed === undefined ? record : MARK + packed;
}

const packerOf = (mark: number | undefined) => (mark === SECOND ? PACKER : mark === FIRST ? FIRST_PACKER : undefined);

/**
 * The canonical bytes of a stored record up to previousHash. Altered bytes give other bytes, which do not have the leaf's hash.
 * @param stored the column `record` of a decision, or of another record
 */
export function unpackRecord(stored: Buffer): Buffer {
  const record = packerOf(stored[0])?.unpack(stored.toString('utf8', 1), MAX_CHARACTERS);
  return record === undefined ? stored : Buffer.from(record);
}

/** As unpackRecord, for stored bytes that are a text: half the cost. */
export function unpackRecordText(stored: string): string {
  return packerOf(stored.charCodeAt(0))?.unpack(stored.slice(1), MAX_CHARACTERS) ?? stored;
}

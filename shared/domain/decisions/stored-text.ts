// Searching the records of decisions as they are stored: packed ones (packed-record.ts) and the canonical JSON of earlier versions.
import { RECORD_CODES, RECORD_MARK } from '../../core/decision/packed-record.ts';

const STORED = "convert_from(record, 'UTF8')";
const IS_PACKED = `substr(record, 1, 1) = decode('${RECORD_MARK.toString(16).padStart(2, '0')}', 'hex')`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const codeOf = (code: string): string => [...code].map((one) => `chr(${one.charCodeAt(0)})`).join(' || ');

/**
 * SQL of a record's canonical text. A value that a code repeats stays a code: the same value is in the text before. Takes about 40
 * microseconds a row, where a search in the stored text takes 3.
 */
const CANONICAL = RECORD_CODES.reduce(
  (sql, { code, text }) => `replace(${sql}, ${codeOf(code)}, ${literal(text)})`,
  `substr(${STORED}, 2)`,
);

/** Characters of which JSON makes no structure and no escapes. */
const PLAIN = /[\w./@-]{3,}/g;

/**
 * A part of the value that is in the stored text if the value is in the canonical text; undefined: there is none. Codes never stand for
 * a part of a value, only for whole values of usual texts.
 */
function partOf(value: string): string | undefined {
  const [longest] = (value.match(PLAIN) ?? []).sort((a, b) => b.length - a.length);
  return longest === undefined || RECORD_CODES.some(({ text }) => text.includes(longest)) ? undefined : longest;
}

/**
 * SQL of whether the canonical record has a text.
 * @param add adds a parameter and returns its placeholder
 * @param text as it stands in the JSON
 * @param value the part of it that is a value, or a part of one
 */
export function hasInRecord(add: (value: unknown) => string, text: string, value: string): string {
  const at = add(text);
  const part = partOf(value);
  const packed = `strpos(${CANONICAL}, ${at}) > 0`;
  return `CASE WHEN NOT ${IS_PACKED} THEN strpos(${STORED}, ${at}) > 0${
    part === undefined ? '' : ` WHEN strpos(${STORED}, ${add(part)}) = 0 THEN false`
  } ELSE ${packed} END`;
}

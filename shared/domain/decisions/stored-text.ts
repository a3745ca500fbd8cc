// Searching the records of decisions as they are stored: packed ones (packed-record.ts) and the canonical JSON of earlier versions.
import { RECORD_CODES, RECORD_MARKS } from '../../core/decision/packed-record.ts';

const STORED = "convert_from(record, 'UTF8')";
const IS_PACKED = `get_byte(record, 0) IN (${RECORD_MARKS.join(', ')})`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const codeOf = (code: string): string => [...code].map((one) => `chr(${one.charCodeAt(0)})`).join(' || ');

const TIME = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;
/** SQL of the values that follow from others (RECORD_RULES) and are no repetition of one that is in the text before. */
const FOLLOWING: Readonly<Record<string, string>> = {
  decision_id: 'left(decision_id, 14)',
  expires_at: `to_char((evaluated_at + interval '1 hour') AT TIME ZONE 'UTC', ${TIME})`,
  request_id: "'req_' || substr(decision_id, 5, 8)",
  proofId: "'prf' || substr(decision_id, 4)",
};

/** The resource that the caller's own words name: `read:crm/customers/7`. */
const RESOURCE_ASKED_FOR = `'("intent":"[^":]*:([^":]*)[^"]*"},"resource":")' || chr(1), '\\1\\2'`;

/**
 * SQL of a record's canonical text. A value that repeats another, or its beginning, stays a code: that one is in the text before. Takes
 * about 40 microseconds a row, where a search in the stored text takes 3.
 */
const CANONICAL = `regexp_replace(${Object.entries(FOLLOWING).reduce(
  (sql, [member, value]) => `replace(${sql}, '"${member}":"' || chr(1), '"${member}":"' || ${value})`,
  RECORD_CODES.reduce(
    (sql, { code, text }) => `replace(${sql}, ${codeOf(code)}, ${literal(text)})`,
    `substr(${STORED}, 2)`,
  ),
)}, ${RESOURCE_ASKED_FOR})`;

/** Characters of which JSON makes no structure and no escapes. */
const PLAIN = /[\w./@-]{3,}/g;
/** What a part of an id or a time looks like that may follow from another value. */
const MAY_FOLLOW = /prf|[cfq]_|\d-\d|\dT\d/;

/**
 * A part of the value that is in the stored text if the value is in the canonical text; undefined: there is none. Codes never stand for
 * a part of a value, only for whole values of usual texts and for ids and times that follow from others.
 */
function partOf(value: string): string | undefined {
  const [longest] = (value.match(PLAIN) ?? []).sort((a, b) => b.length - a.length);
  if (longest === undefined || MAY_FOLLOW.test(longest)) return undefined;
  return RECORD_CODES.some(({ text }) => text.includes(longest)) ? undefined : longest;
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

// Trusted keys as people keep them: files of verifier keys, from any editor, and answers of GET /v1/log/keys.
import type { FailureCode } from '../../../shared/core/proof/failures.ts';
import {
  FILE_KEYS,
  LOG,
  LOG_KEY_ENTRY,
  OTHER_KEY,
  type ProofCase,
  PROMISE_KEY_ENTRY,
  proofCase,
  provenBy,
} from './parts.ts';
import { publishKey } from '../../../shared/core/proof/keys.ts';
import { ORIGIN } from '../../unit/proof/sample-log.ts';

const receipt = LOG.receipt(6);
const vkey = LOG_KEY_ENTRY.vkey;
const promise = PROMISE_KEY_ENTRY.vkey;
const other = publishKey(OTHER_KEY, { origin: ORIGIN, use: 'log' }).vkey;
const answer = { items: FILE_KEYS, nextCursor: null };
const pretty = JSON.stringify(answer, null, 2);

/** Keys by name, with the failure of a receipt that the first key of the file has signed; null: it is valid. */
const KEYS: Readonly<
  Record<string, readonly [keys: string | readonly string[] | object, failure: FailureCode | null]>
> = {
  'a verifier key alone': [vkey, null],
  'a line': [`${vkey}\n`, null],
  lines: [`${promise}\n${vkey}\n`, null],
  'lines that end with a carriage return': [`${promise}\r\n${vkey}\r\n`, null],
  'lines between empty ones, with spaces and tabs around': [`\n\r\n  ${promise}\t \r\n \t\r\n\t${vkey} \n\n`, null],
  'a carriage return alone between two keys': [`${promise}\r${vkey}`, 'MALFORMED'],
  'a form feed between two keys': [`${promise}\f${vkey}`, 'MALFORMED'],
  'a vertical tab around a key': [`\v${vkey}\n`, 'MALFORMED'],
  'a line separator (U+2028) between two keys': [`${promise}\u2028${vkey}`, 'MALFORMED'],
  'a next line (U+0085) behind a key': [`${vkey}\u0085`, 'MALFORMED'],
  'a space that does not break behind a key': [`${vkey}\u00a0`, 'MALFORMED'],
  'a byte order mark before a key': [`\ufeff${vkey}`, 'MALFORMED'],
  'a comment': [`# ours\n${vkey}\n`, 'MALFORMED'],
  nothing: ['', 'KEY_NOT_OF_LOG'],
  'white space': [' \r\n\t\n', 'KEY_NOT_OF_LOG'],
  'a list in which a key has white space around it': [[`${vkey}\r`], 'MALFORMED'],
  'an answer': [answer, null],
  'an answer as text': [JSON.stringify(answer), null],
  'an answer as text that ends its lines with carriage returns': [`\r\n${pretty.replaceAll('\n', '\r\n')}\r\n`, null],
  'a list of entries as text': [JSON.stringify(FILE_KEYS), null],
  'a list of verifier keys as text': [JSON.stringify([promise, vkey]), null],
  'a list of both kinds': [JSON.stringify([PROMISE_KEY_ENTRY, vkey]), null],
  'an empty answer': [{ items: [], nextCursor: null }, 'KEY_NOT_OF_LOG'],
  'an answer with more keys to follow': [{ ...answer, nextCursor: 'bW9yZQ' }, 'MALFORMED'],
  'an answer with more keys to follow, as text': [JSON.stringify({ ...answer, nextCursor: 'bW9yZQ' }), 'MALFORMED'],
  'an answer with an empty cursor': [{ ...answer, nextCursor: '' }, 'MALFORMED'],
  'an answer without a cursor': [{ items: FILE_KEYS }, 'MALFORMED'],
  'an answer with a member that it may not have': [{ ...answer, more: true }, 'MALFORMED'],
  'an answer without keys': [{ nextCursor: null }, 'MALFORMED'],
  'an entry in the place of an answer': [LOG_KEY_ENTRY, 'MALFORMED'],
  'an answer with the same member twice': [`{"items":[],${JSON.stringify(answer).slice(1)}`, 'MALFORMED'],
  'a list as text that is cut off': [JSON.stringify(FILE_KEYS).slice(0, -1), 'MALFORMED'],
  'keys of other logs alone': [`${other}\r\n`, 'KEY_NOT_OF_LOG'],
};

export function keyFiles(): ProofCase[] {
  return Object.entries(KEYS).map(([name, [keys, failure]]) =>
    proofCase('receipt', `keys from a file: ${name}`, JSON.stringify(receipt), failure ?? provenBy(receipt), keys),
  );
}

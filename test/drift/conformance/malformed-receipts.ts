// Conformance cases: receipts that have not the exact form.
import type { Receipt } from '../../../shared/core/proof/shapes.ts';
import { LOG, LOG_KEY_ENTRY, partsOf, type ProofCase, proofCase, signedBy } from './parts.ts';

const receipt = LOG.receipt(6);
const text = JSON.stringify(receipt);
const { record, checkpoint, path } = receipt;
const { text: head, lines } = partsOf(checkpoint);

/** The receipt with some values replaced; undefined removes a member. */
function changed(values: Readonly<Partial<Record<keyof Receipt | 'extra', unknown>>>): string {
  return JSON.stringify({ ...receipt, ...values });
}

const notJson: Readonly<Record<string, string>> = {
  'an empty text': '',
  'only white space': ' \n',
  'a text that ends early': text.slice(0, -1),
  'half of the text': text.slice(0, text.length / 2),
  'text after the value': `${text}x`,
  'a second value': `${text}{}`,
  'a comma after the last member': text.replace(/\}$/, ',}'),
  'a comma after the last hash': text.replace('"],', '",],'),
  'a comment': text.replace('{', '{/* */'),
  'single quotes': text.replaceAll('"', "'"),
  'a member name without quotes': text.replace('"index"', 'index'),
  'a byte order mark': `\ufeff${text}`,
  'a no-break space before the value': `\u00a0${text}`,
  'a form feed before the value': `\f${text}`,
  'a NUL after the value': `${text}\u0000`,
  'a newline in a text': text.replace('p-6', 'p\n6'),
  'a control character in a text': text.replace('p-6', 'p\u00016'),
  'an unknown escape': text.replace('p-6', 'p\\x2d6'),
  'a short escape': text.replace('"p-6"', '"p-6\\u00"'),
  'an escape with a sign': text.replace('p-6', 'p\\u+02d6'),
  'a lone high surrogate': text.replace('p-6', '\\ud800'),
  'a lone low surrogate': text.replace('p-6', '\\udc00x'),
  'surrogates in the wrong order': text.replace('p-6', '\\udc00\\ud800'),
  'a duplicate member': text.replace('{', '{"index":6,'),
  'a duplicate member with another value': text.replace('{', '{"index":7,'),
  'a duplicate member with an escape in its name': text.replace('{', '{"\\u0069ndex":6,'),
  'a duplicate member that has no place': text.replace('{', '{"note":1,"note":2,'),
  'an index with a leading zero': text.replace('"index":6', '"index":06'),
  'an index with a plus sign': text.replace('"index":6', '"index":+6'),
  'an index with a bare point': text.replace('"index":6', '"index":6.'),
  'an index that begins with a point': text.replace('"index":6', '"index":.6'),
  'an index in hexadecimal': text.replace('"index":6', '"index":0x6'),
  'an index NaN': text.replace('"index":6', '"index":NaN'),
  'an index Infinity': text.replace('"index":6', '"index":Infinity'),
  'an index that overflows a double': text.replace('"index":6', '"index":6e400'),
  'an index beyond 2^53-1': text.replace('"index":6', '"index":9007199254740992'),
  'an index beyond 2^53-1 with a fraction': text.replace('"index":6', '"index":9007199254740992.0'),
  'an index with an underscore': text.replace('"index":6', '"index":1_0'),
  'an index with digits of another script': text.replace('"index":6', '"index":\u0666'),
  'True with a capital letter': text.replace('"index":6', '"index":True'),
  'a nesting of 100 levels': `${'['.repeat(100)}${']'.repeat(100)}`,
  'a nesting of 20,000 levels that does not end': '['.repeat(20_000),
};

const notAReceipt: Readonly<Record<string, string>> = {
  null: 'null',
  'a number': '6',
  'a text in JSON': JSON.stringify(text),
  'a list': `[${text}]`,
  'an empty object': '{}',
  'a member too many': changed({ extra: 1 }),
  'a member __proto__': text.replace('{', '{"__proto__":null,'),
  'a member name with a capital letter': text.replace('"index"', '"Index"'),
  'a member name with a space': text.replace('"index"', '"index "'),
  'another version of the format': changed({ format: 'custos-receipt/2' }),
  'the status pending': changed({ status: 'pending' }),
  'an empty proof id': changed({ proofId: '' }),
  'a proof id that is a number': changed({ proofId: 6 }),
  'a proof id of 257 UTF-16 units': changed({ proofId: `${'\u{1f600}'.repeat(128)}x` }),
  'a negative index': changed({ index: -1 }),
  'an index of minus zero': text.replace('"index":6', '"index":-0'),
  'an index of minus zero as a fraction': text.replace('"index":6', '"index":-0.0'),
  'an index that rounds to minus zero': text.replace('"index":6', '"index":-1e-400'),
  'an index with a fraction': changed({ index: 6.5 }),
  'an index as text': changed({ index: '6' }),
  'an index that is true': changed({ index: true }),
  'an index that is null': changed({ index: null }),
  'a path that is null': changed({ path: null }),
  'a path that is an object': changed({ path: { 0: path[0] } }),
  'a path that is one text': changed({ path: path.join('') }),
  'a path of 54 hashes': changed({ path: Array.from({ length: 54 }, () => path[0]) }),
  'a hash in capital letters': changed({ path: path.map((hash) => hash.toUpperCase()) }),
  'a hash of 63 digits': changed({ path: path.with(1, path[1]?.slice(1) ?? '') }),
  'a hash of 65 digits': changed({ path: path.with(1, `${path[1]}0`) }),
  'a hash with a newline': changed({ path: path.with(1, `${path[1]}\n`) }),
  'a hash that is a number': changed({ path: [1, ...path.slice(1)] }),
  'a record that is null': changed({ record: null }),
  'an empty record': changed({ record: '' }),
  'a record without padding': changed({ record: base64WithPadding().replace(/=+$/, '') }),
  'a record with padding too much': changed({ record: `${record}====` }),
  'a record in the alphabet of URLs': changed({ record: Buffer.from([0xfb, 0xff, 0xbf]).toString('base64url') }),
  'a record with a newline': changed({ record: `${record.slice(0, 76)}\n${record.slice(76)}` }),
  'a record with a space at its end': changed({ record: `${record} ` }),
  'a record with unused bits that are not zero': changed({ record: 'eyJ=' }),
  'a record with a padding character inside': changed({ record: `ey==${record}` }),
  'a record with a character outside the alphabet': changed({ record: record.replace('e', '*') }),
  'a record with bytes beyond ASCII': changed({ record: record.replace('e', 'é') }),
  'a checkpoint that is null': changed({ checkpoint: null }),
  'a checkpoint that is a list': changed({ checkpoint: [checkpoint] }),
};

/** Base64 that ends in padding. */
function base64WithPadding(): string {
  return Buffer.from('{"a":1}').toString('base64');
}

const notACheckpoint: Readonly<Record<string, string>> = {
  'an empty checkpoint': '',
  'a checkpoint without signatures': head,
  'a checkpoint that ends after its empty line': `${head}\n`,
  'a checkpoint without its last newline': checkpoint.slice(0, -1),
  'a checkpoint with CRLF': checkpoint.replaceAll('\n', '\r\n'),
  'a checkpoint with a tab': checkpoint.replace('custos.local', 'custos\tlocal'),
  'a checkpoint with a NUL': checkpoint.replace('custos.local', 'custos\u0000local'),
  'a checkpoint with text after it': `${checkpoint}x\n`,
  'a checkpoint with an empty line at its end': `${checkpoint}\n`,
  'a checkpoint without its root': signedBy('custos.local/acme/live\n21\n'),
  'a checkpoint without an origin': checkpoint.replace('custos.local/acme/live', ''),
  'a checkpoint with an empty extension line': signedBy(`${head}\nextension\n`),
  'a size with a leading zero': checkpoint.replace('\n21\n', '\n021\n'),
  'a size with a plus sign': checkpoint.replace('\n21\n', '\n+21\n'),
  'a negative size': checkpoint.replace('\n21\n', '\n-21\n'),
  'a size with a space': checkpoint.replace('\n21\n', '\n21 \n'),
  'a size with an exponent': checkpoint.replace('\n21\n', '\n2.1e1\n'),
  'a size of 2^53': checkpoint.replace('\n21\n', '\n9007199254740992\n'),
  'a size with digits of another script': checkpoint.replace('\n21\n', '\n\u0662\u0661\n'),
  'a root of 31 bytes': checkpoint.replace(/\n[^\n]{44}\n/, `\n${Buffer.alloc(31).toString('base64')}\n`),
  'a root in the alphabet of URLs': checkpoint.replace(/\n[^\n]{44}\n/, `\n${'_'.repeat(42)}8=\n`),
  'a root with unused bits that are not zero': checkpoint.replace(/\n[^\n]{44}\n/, `\n${'A'.repeat(42)}B=\n`),
  'a hyphen instead of the dash': checkpoint.replace('— ', '- '),
  'a signature line without its dash': checkpoint.replace('— ', ''),
  'a signature line with two spaces': checkpoint.replace('— custos.local/acme/live ', '— custos.local/acme/live  '),
  'a signature line with a word too many': checkpoint.replace(/\n$/, ' x\n'),
  'a signature line without a signature': `${checkpoint}— witness.example\n`,
  'a signature line with only the key hash': `${checkpoint}— witness.example AAAAAA==\n`,
  'a signature line without padding': `${checkpoint}— witness.example AAAAAAA\n`,
  'a signature line with unused bits that are not zero': `${checkpoint}— witness.example AAAAAAB=\n`,
  'a key name with a plus sign': `${checkpoint}— a+b AAAAAAA=\n`,
  'a key name with a no-break space': `${checkpoint}— a\u00a0b AAAAAAA=\n`,
  'a key name with an ideographic space': `${checkpoint}— a\u3000b AAAAAAA=\n`,
  'a key name with a line separator': `${checkpoint}— a\u2028b AAAAAAA=\n`,
  'a key name with a C1 control character': `${checkpoint}— a\u0085b AAAAAAA=\n`,
  'a key name with DEL': `${checkpoint}— a\u007fb AAAAAAA=\n`,
  '101 signatures': `${head}\n${lines.join('\n')}\n${'— witness.example AAAAAAA=\n'.repeat(99)}`,
};

const notKeys: Readonly<Record<string, readonly string[]>> = {
  'an empty verifier key': [''],
  'a verifier key with one digit of its hash changed': [
    LOG_KEY_ENTRY.vkey.replace(/\+[0-9a-f]/, (c) => (c === '+0' ? '+1' : '+0')),
  ],
  'a verifier key with another name': [LOG_KEY_ENTRY.vkey.replace('acme', 'acne')],
  'a verifier key with a space in its name': [LOG_KEY_ENTRY.vkey.replace('acme', 'ac me')],
  'a verifier key without its key': [LOG_KEY_ENTRY.vkey.replace(/\+[^+]+$/, '')],
  'a verifier key with its hash in capital letters': [
    'PeterNeumann+C74F20A3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
  ],
};

export function malformedReceipts(): ProofCase[] {
  const of = (group: Readonly<Record<string, string>>, of = (input: string) => input): ProofCase[] =>
    Object.entries(group).map(([name, input]) => proofCase('receipt', name, of(input), 'MALFORMED'));
  const missing = Object.keys(receipt).map((name) =>
    proofCase('receipt', `without ${name}`, changed({ [name]: undefined }), 'MALFORMED'),
  );
  return [
    ...of(notJson),
    ...of(notAReceipt),
    ...missing,
    ...of(notACheckpoint, (note) => changed({ checkpoint: note })),
    ...Object.entries(notKeys).map(([name, keys]) => proofCase('receipt', name, text, 'MALFORMED', keys)),
    proofCase('receipt', 'a published key with another keyId', text, 'MALFORMED', [
      { ...LOG_KEY_ENTRY, keyId: LOG_KEY_ENTRY.keyId.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')) },
    ]),
    proofCase('receipt', 'a published log key for promises', text, 'MALFORMED', [{ ...LOG_KEY_ENTRY, use: 'promise' }]),
    proofCase('receipt', 'a published key with a negative size', text, 'MALFORMED', [
      { ...LOG_KEY_ENTRY, firstSize: -1 },
    ]),
  ];
}

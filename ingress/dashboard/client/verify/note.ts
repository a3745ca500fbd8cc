// Checkpoints (C2SP signed-note, tlog-checkpoint, cosignature/v1) and the keys that sign them.
import type { PublishedKey } from '#shared/core/proof/shapes.js';
import {
  type Bytes,
  concat,
  equal,
  fromBase64,
  fromDecimal,
  quoted,
  sha256,
  toBase64Url,
  toHex,
  utf8,
} from './bytes.ts';
import { CannotVerify, Failure } from './failures.ts';

const ED25519 = 0x01;
const COSIGNATURE_V1 = 0x04;
const DASH = '\u2014 ';
const KEY_NAME = /^[^\p{White_Space}\p{Cc}+]+$/u;
const MAX_SIGNATURES = 100;
const MAX_NOTE_CHARACTERS = 65_536;

/** A parsed log key whose own hash and id have been checked. */
export interface LogKey {
  /** JWK thumbprint, computed here. */
  readonly keyId: string;
  readonly origin: string;
  readonly raw: Bytes;
  readonly firstSize: number;
  readonly lastSize: number | null;
}

/** What a checkpoint claims. */
export interface Head {
  readonly origin: string;
  readonly size: number;
  readonly root: Bytes;
}

export interface SignatureLine {
  readonly name: string;
  readonly keyHash: Bytes;
  readonly signature: Bytes;
}

export interface Note {
  readonly text: string;
  readonly head: Head;
  readonly lines: readonly SignatureLine[];
}

/** SHA-256(name || 0x0A || algorithm || key)[:4] */
async function keyHash(name: string, algorithm: number, key: Uint8Array): Promise<Bytes> {
  return (await sha256(utf8(name), Uint8Array.of(0x0a, algorithm), key)).slice(0, 4);
}

/** The log keys of GET /v1/log/keys, without promise keys. @throws {Failure} KEY_NOT_OF_LOG when a key does not match its own hash or id */
export async function readKeys(published: readonly PublishedKey[]): Promise<LogKey[]> {
  const keys = published.filter(({ use }) => use === 'log');
  return Promise.all(keys.map(readKey));
}

async function readKey({ keyId, vkey, firstSize, lastSize }: PublishedKey): Promise<LogKey> {
  const [, origin = '', hash = '', material = ''] = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(vkey) ?? [];
  const bytes = fromBase64(material);
  const raw = bytes?.slice(1);
  if (!KEY_NAME.test(origin) || raw?.length !== 32 || bytes?.[0] !== ED25519)
    throw new Failure('KEY_NOT_OF_LOG', `The published key ${quoted(vkey)} is not a verifier key for Ed25519.`);
  const thumbprint = toBase64Url(await sha256(utf8(`{"crv":"Ed25519","kty":"OKP","x":"${toBase64Url(raw)}"}`)));
  if (toHex(await keyHash(origin, ED25519, raw)) !== hash || thumbprint !== keyId)
    throw new Failure('KEY_NOT_OF_LOG', `The published key of ${quoted(origin)} does not fit its own hash or id.`);
  return { keyId, origin, raw, firstSize, lastSize };
}

function isText(text: string): boolean {
  return text.endsWith('\n') && !/[\u0000-\u0009\u000b-\u001f]|\p{Cs}/u.test(text);
}

/** Parses a note without verifying it. @throws {Failure} MALFORMED */
export function parseNote(note: string): Note {
  const refuse = (why: string): never => {
    throw new Failure('MALFORMED', `The checkpoint is not a signed note: ${why}.`);
  };
  if (note.length > MAX_NOTE_CHARACTERS) refuse('it is too large');
  const end = note.lastIndexOf('\n\n');
  if (end === -1) refuse('no empty line stands before the signatures');
  const [text, rest] = [note.slice(0, end + 1), note.slice(end + 2)];
  if (!isText(text) || !isText(rest)) refuse('it has control characters, or its last line has no end');
  const rows = rest.slice(0, -1).split('\n');
  if (rows.length > MAX_SIGNATURES) refuse(`it has more than ${MAX_SIGNATURES} signatures`);
  const lines = rows.map((row) => {
    const [name = '', base64 = '', ...more] = row.startsWith(DASH) ? row.slice(DASH.length).split(' ') : [];
    const bytes = fromBase64(base64);
    if (!KEY_NAME.test(name) || more.length > 0 || bytes === undefined || bytes.length <= 4)
      return refuse('a signature line is not a dash, a name and base64');
    return { name, keyHash: bytes.slice(0, 4), signature: bytes.slice(4) };
  });
  return { text, head: headOf(text), lines };
}

function headOf(text: string): Head {
  const [origin = '', sizeText = '', rootText = '', ...extensions] = text.slice(0, -1).split('\n');
  const size = fromDecimal(sizeText);
  const root = fromBase64(rootText);
  if (origin === '' || extensions.includes(''))
    throw new Failure('MALFORMED', 'The checkpoint has an empty line where it may not have one.');
  if (size === undefined)
    throw new Failure('MALFORMED', `The checkpoint's size ${quoted(sizeText)} is not a number of leaves below 2^53.`);
  if (root?.length !== 32) throw new Failure('MALFORMED', "The checkpoint's root is not 32 bytes in base64.");
  return { origin, size, root };
}

/** A signature line of a known key. */
export interface KnownLine {
  /** More than one only when 32-bit hashes collide. */
  readonly keys: readonly LogKey[];
  readonly isTimed: boolean;
  readonly line: SignatureLine;
}

/** The signature lines that name a trusted key of this log. @throws {Failure} KEY_NOT_OF_LOG */
export async function findKeys({ head, lines }: Note, trusted: readonly LogKey[]): Promise<KnownLine[]> {
  const keys = trusted.filter(({ origin }) => origin === head.origin);
  if (keys.length === 0)
    throw new Failure('KEY_NOT_OF_LOG', `None of the keys that are trusted belongs to the log ${quoted(head.origin)}.`);
  const known: KnownLine[] = [];
  for (const isTimed of [false, true]) {
    const hashes = await Promise.all(
      keys.map(({ origin, raw }) => keyHash(origin, isTimed ? COSIGNATURE_V1 : ED25519, raw)),
    );
    for (const line of lines) {
      const fitting = keys.filter(
        (key, i) => key.origin === line.name && equal(hashes[i] ?? line.signature, line.keyHash),
      );
      if (fitting.length > 0) known.push({ keys: fitting, isTimed, line });
    }
  }
  if (known.length === 0)
    throw new Failure('KEY_NOT_OF_LOG', 'None of the keys that are trusted has signed this checkpoint.');
  return known;
}

async function verifyEd25519(raw: Bytes, signature: Bytes, message: Bytes): Promise<boolean> {
  const imported = crypto.subtle.importKey('raw', raw, { name: 'Ed25519' }, false, ['verify']);
  const key = await imported.catch(() => undefined);
  if (key === undefined)
    throw new CannotVerify(
      'This browser cannot check Ed25519 signatures; a newer one can, and "custos verify" anywhere.',
    );
  return crypto.subtle.verify({ name: 'Ed25519' }, key, signature, message);
}

/** The whole seconds since 1970 of a cosignature/v1, or undefined. */
function timeOf(signature: Bytes): number | undefined {
  if (signature.length !== 72) return undefined;
  const seconds = new DataView(signature.buffer, signature.byteOffset).getBigUint64(0);
  return seconds > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(seconds);
}

async function fits({ line, isTimed }: KnownLine, key: LogKey, text: string): Promise<boolean> {
  const { signature } = line;
  if (!isTimed) return signature.length === 64 && (await verifyEd25519(key.raw, signature, utf8(text)));
  const seconds = timeOf(signature);
  if (seconds === undefined) return false;
  const message = concat(utf8(`cosignature/v1\ntime ${seconds}\n`), utf8(text));
  return verifyEd25519(key.raw, signature.slice(8), message);
}

/**
 * Checks all lines of known keys. One key must have both lines; the time is the one that it signed.
 * @throws {Failure} CHECKPOINT_SIGNATURE
 */
export async function checkSignatures(
  { text }: Note,
  known: readonly KnownLine[],
): Promise<{ readonly key: LogKey; readonly timeMs: number }> {
  const signed: { readonly key: LogKey; readonly known: KnownLine }[] = [];
  for (const each of known) {
    const results = await Promise.all(each.keys.map((key) => fits(each, key, text)));
    const key = each.keys[results.indexOf(true)];
    if (key === undefined)
      throw new Failure(
        'CHECKPOINT_SIGNATURE',
        `The signature of ${quoted(each.line.name)} does not fit the checkpoint.`,
      );
    signed.push({ key, known: each });
  }
  const timed = signed.find(
    (one) => one.known.isTimed && signed.some((other) => !other.known.isTimed && equal(other.key.raw, one.key.raw)),
  );
  if (timed === undefined)
    throw new Failure('CHECKPOINT_SIGNATURE', 'One of the two signatures of the log key is missing or was changed.');
  return { key: timed.key, timeMs: (timeOf(timed.known.line.signature) ?? 0) * 1_000 };
}

/** Checks that a key may sign a tree of this size. A key is listed once for each period of use. @throws {Failure} KEY_NOT_AT_SIZE */
export function checkSize(key: LogKey, { origin, size }: Head, trusted: readonly LogKey[]): void {
  const spans = trusted.filter((each) => each.origin === origin && each.keyId === key.keyId);
  if (spans.some(({ firstSize, lastSize }) => firstSize <= size && (lastSize === null || size <= lastSize))) return;
  const allowed = spans
    .map(({ firstSize, lastSize }) => `${firstSize} to ${lastSize ?? 'any number of'}`)
    .join(', or ');
  throw new Failure('KEY_NOT_AT_SIZE', `The key ${key.keyId} may sign trees of ${allowed} leaves, not one of ${size}.`);
}

// The text of an API key: cst_<environment>_<key id>_<secret>_<checksum>. Pure, apart from the randomness it is given.
import { randomBytes, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { ENVIRONMENTS, type Environment } from '../../kernel/vocabulary.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 8;
/** 62^43 is the first power of 62 that holds 256 bits. */
const SECRET_LENGTH = 43;
const SECRET_BYTES = 32;
const CHECKSUM_LENGTH = 6;

const KEY = new RegExp(
  `^cst_(${ENVIRONMENTS.join('|')})_([0-9A-Za-z]{${ID_LENGTH}})_([0-9A-Za-z]{${SECRET_LENGTH}})_([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
);

/** The parts of a key whose checksum is right. */
export interface KeyParts {
  readonly environment: Environment;
  readonly keyId: string;
  /** 43 base62 characters; never stored, never logged. */
  readonly secret: string;
}

/** A key as it is shown once. */
export interface NewKey extends KeyParts {
  /** The whole text. */
  readonly key: string;
}

/** A whole number in base62 (`0-9A-Za-z`), left-padded with `0` to `length`. */
export function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = BASE62.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, '0');
}

/** Uniform base62 characters, for ids that are not secret but must not be guessable in bulk. */
function randomBase62(length: number): string {
  let text = '';
  for (let i = 0; i < length; i += 1) text += BASE62.charAt(randomInt(62));
  return text;
}

/** zlib's CRC-32 of the ASCII text, in six base62 characters. */
export function checksum(text: string): string {
  return base62(BigInt(crc32(text)), CHECKSUM_LENGTH);
}

/** Formats a key. The parts must be valid. */
export function formatKey(parts: KeyParts): string {
  const head = `cst_${parts.environment}_${parts.keyId}_${parts.secret}`;
  return `${head}_${checksum(head)}`;
}

/** A new key: a random id and a uniform 256-bit secret. */
export function generateKey(environment: Environment): NewKey {
  const parts: KeyParts = {
    environment,
    keyId: randomBase62(ID_LENGTH),
    secret: base62(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_LENGTH),
  };
  return { ...parts, key: formatKey(parts) };
}

/** The parts of a key; undefined if its form or its checksum is wrong, which saves a look-up. */
export function parseKey(text: string): KeyParts | undefined {
  const match = KEY.exec(text);
  if (match === null) return undefined;
  const [, environment, keyId, secret, sum] = match;
  // Every group takes part in a match, and the first is one of ENVIRONMENTS.
  if (environment === undefined || keyId === undefined || secret === undefined || sum === undefined) return undefined;
  if (checksum(text.slice(0, -CHECKSUM_LENGTH - 1)) !== sum) return undefined;
  return { environment: environment as Environment, keyId, secret };
}

/** Whether a text has the form of a key id. */
export function isKeyId(text: string): boolean {
  return text.length === ID_LENGTH && /^[0-9A-Za-z]+$/.test(text);
}

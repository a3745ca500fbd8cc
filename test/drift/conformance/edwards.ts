// Arithmetic on edwards25519 (RFC 8032 section 5.1) for signatures that a library would not make. Not constant time: for test vectors only.
import { createHash } from 'node:crypto';

const P = 2n ** 255n - 19n;
/** The order of the base point. */
export const L = 2n ** 252n + 27742317777372353535851937790883648493n;

interface Point {
  readonly x: bigint;
  readonly y: bigint;
}

const mod = (n: bigint, m = P): bigint => ((n % m) + m) % m;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let b = mod(base), e = exponent; e > 0n; b = mod(b * b), e >>= 1n) if (e & 1n) result = mod(result * b);
  return result;
}

const inverse = (n: bigint): bigint => power(n, P - 2n);
const D = mod(-121665n * inverse(121666n));
const BASE: Point = {
  x: 15112221349535400772501151409588531511454012693041857206046113283949847762202n,
  y: mod(4n * inverse(5n)),
};
const IDENTITY: Point = { x: 0n, y: 1n };
/** A point of order 2. */
const ORDER_2: Point = { x: 0n, y: P - 1n };

function add(a: Point, b: Point): Point {
  const product = mod(D * a.x * b.x * a.y * b.y);
  return {
    x: mod((a.x * b.y + a.y * b.x) * inverse(1n + product)),
    y: mod((a.y * b.y + a.x * b.x) * inverse(1n - product)),
  };
}

function multiply(scalar: bigint, point: Point): Point {
  let result = IDENTITY;
  for (let rest = scalar, p = point; rest > 0n; rest >>= 1n, p = add(p, p)) if (rest & 1n) result = add(result, p);
  return result;
}

/** 32 bytes, little-endian. */
export function littleEndian(n: bigint): Buffer {
  return Buffer.from(n.toString(16).padStart(64, '0'), 'hex').reverse();
}

export function fromLittleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}

function encode({ x, y }: Point): Buffer {
  return littleEndian(y | ((x & 1n) << 255n));
}

/** How the R of a signature is chosen. All but `ordinary` are refused by a verifier that compares R as bytes. */
export type OddR =
  | 'ordinary'
  | 'with a part of order 2'
  | 'the identity with a coordinate above the prime'
  | 'the identity with a sign';

/**
 * A signature with an unusual R, whose S is right for it: a verifier that multiplies by the cofactor, or that decodes R instead of
 * comparing bytes, accepts it.
 */
export function oddSignature(message: Buffer, seedHex: string, publicKey: Buffer, kind: OddR): Buffer {
  const secret = createHash('sha512').update(Buffer.from(seedHex, 'hex')).digest();
  const a = (fromLittleEndian(secret.subarray(0, 32)) & (2n ** 254n - 8n)) | (2n ** 254n);
  const r = kind.startsWith('the identity') ? 0n : 12345n;
  const encodedR = {
    ordinary: () => encode(multiply(r, BASE)),
    'with a part of order 2': () => encode(add(multiply(r, BASE), ORDER_2)),
    'the identity with a coordinate above the prime': () => littleEndian(P + 1n),
    'the identity with a sign': () => littleEndian(1n | (1n << 255n)),
  }[kind]();
  const digest = createHash('sha512').update(encodedR).update(publicKey).update(message).digest();
  const k = fromLittleEndian(digest) % L;
  return Buffer.concat([encodedR, littleEndian((r + k * a) % L)]);
}

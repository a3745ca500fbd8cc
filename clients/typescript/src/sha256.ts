// SHA-256 (FIPS 180-4). WebCrypto has only an asynchronous digest, which is slow for the many small hashes of a proof.

/** The first 32 bits of the fractional part of a root of the first primes: of square roots the start, of cube roots the constants. */
function primeRoots(count: number, exponent: number): Uint32Array {
  const roots = new Uint32Array(count);
  for (let candidate = 2, found = 0; found < count; candidate += 1) {
    let divisor = 2;
    while (divisor * divisor <= candidate && candidate % divisor !== 0) divisor += 1;
    if (divisor * divisor <= candidate) continue;
    const root = candidate ** exponent;
    roots[found] = Math.floor((root - Math.floor(root)) * 2 ** 32);
    found += 1;
  }
  return roots;
}

const START = primeRoots(8, 1 / 2);
const CONSTANTS = primeRoots(64, 1 / 3);
const BLOCK_BYTES = 64;

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));
const at = (words: Uint32Array, i: number): number => words[i] ?? 0;

/** The message, a 1 bit, zeros, and the length in bits. */
function padded(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  const blocks = new Uint8Array(Math.ceil((bytes + 9) / BLOCK_BYTES) * BLOCK_BYTES);
  let offset = 0;
  for (const part of parts) {
    blocks.set(part, offset);
    offset += part.length;
  }
  blocks[bytes] = 0x80;
  new DataView(blocks.buffer).setBigUint64(blocks.length - 8, BigInt(bytes) * 8n);
  return blocks;
}

/** One block. Single assignments: this loop is most of the time of a diagnosis. */
function compress(state: Uint32Array, words: Uint32Array): void {
  for (let i = 16; i < 64; i += 1) {
    const w2 = at(words, i - 2);
    const w15 = at(words, i - 15);
    const small0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3);
    const small1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10);
    words[i] = at(words, i - 16) + small0 + at(words, i - 7) + small1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i += 1) {
    const big1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + big1 + ((e & f) ^ (~e & g)) + at(CONSTANTS, i) + at(words, i)) | 0;
    const big0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (big0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = at(state, i) + word;
}

/** The 32 bytes of the hash of the concatenated parts. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const state = Uint32Array.from(START);
  const words = new Uint32Array(64);
  const blocks = new DataView(padded(parts).buffer);
  for (let block = 0; block < blocks.byteLength; block += BLOCK_BYTES) {
    for (let i = 0; i < 16; i += 1) words[i] = blocks.getUint32(block + 4 * i);
    compress(state, words);
  }
  const hash = new DataView(new ArrayBuffer(32));
  for (const [i, word] of state.entries()) hash.setUint32(4 * i, word);
  return new Uint8Array(hash.buffer);
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

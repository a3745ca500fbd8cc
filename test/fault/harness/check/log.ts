// Derives an exported log without the code under test: chains, Merkle roots, and the signatures of checkpoints.
import { createHash, createPublicKey, verify } from 'node:crypto';
import canonicalizeIndependently from 'canonicalize';
import type { Json } from '../http.ts';

export interface LogRecord {
  readonly index: number;
  readonly entityId: string;
  readonly event: string;
  readonly proofId: string;
  readonly occurredAtMs: number;
  readonly body: Json;
  /** As in a receipt. */
  readonly base64: string;
  /** SHA-256 of the four members that a promise is about. */
  readonly digest: string;
}

export interface DerivedLog {
  readonly records: readonly LogRecord[];
  /** The root over the first `size` leaves, lower-case hex. */
  rootAt(size: number): string;
  readonly checkpoints: readonly SignedHead[];
  /** Reads a note and verifies its signature. @throws {Error} when a signature is missing or wrong */
  readNote(note: string): SignedHead;
}

export interface SignedHead {
  readonly size: number;
  /** Lower-case hex. */
  readonly root: string;
}

const sha256 = (...parts: readonly (Uint8Array | string)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const MEMBERS = 'agentId,eventType,occurredAt,payload,previousHash';
const ZEROS = '0'.repeat(64);

interface Lines {
  readonly keys: readonly { readonly vkey: string; readonly use: string }[];
  readonly leaves: readonly { readonly index: number; readonly record: string }[];
  readonly notes: readonly string[];
}

function linesOf(text: string): Lines {
  const lines = text.split('\n').filter((line) => line !== '');
  // The format of `custos log export`.
  const parsed = lines.map((line) => JSON.parse(line) as Json);
  return {
    keys: (parsed[0]?.['keys'] ?? []) as Lines['keys'],
    leaves: parsed.filter((line) => 'record' in line) as unknown as Lines['leaves'],
    notes: parsed.flatMap((line) => (typeof line['checkpoint'] === 'string' ? [line['checkpoint']] : [])),
  };
}

/** @throws {Error} at the first leaf that is out of order, not canonical or not linked to its chain, and at a wrong signature */
export function deriveLog(text: string): DerivedLog {
  const { keys, leaves, notes } = linesOf(text);
  const heads = new Map<string, string>();
  const hashes: Buffer[] = [];
  const records = leaves.map(({ index, record: base64 }, i): LogRecord => {
    if (index !== i) throw new Error(`leaf ${i} has the index ${index}`);
    const bytes = Buffer.from(base64, 'base64');
    const record = JSON.parse(bytes.toString('utf8')) as Json;
    if (canonicalizeIndependently(record) !== bytes.toString('utf8')) throw new Error(`leaf ${i} is not canonical`);
    if (Object.keys(record).join() !== MEMBERS) throw new Error(`leaf ${i} has other members`);
    const { previousHash, ...promised } = record;
    const entityId = String(record['agentId']);
    if (previousHash !== (heads.get(entityId) ?? ZEROS))
      throw new Error(`the chain of ${entityId} is broken at leaf ${i}`);
    heads.set(entityId, sha256(bytes).toString('hex'));
    hashes.push(sha256(Uint8Array.of(0), bytes));
    const payload = record['payload'] as { readonly body: Json; readonly proofId: string };
    return {
      index,
      entityId,
      event: String(record['eventType']),
      proofId: payload.proofId,
      occurredAtMs: Date.parse(String(record['occurredAt'])),
      body: payload.body,
      base64,
      digest: sha256(canonicalizeIndependently(promised) ?? '').toString('hex'),
    };
  });
  const readNote = (note: string): SignedHead =>
    verifiedHead(
      note,
      keys.filter(({ use }) => use === 'log').map(({ vkey }) => vkey),
    );
  return { records, rootAt: rootsOf(hashes), checkpoints: notes.map(readNote), readNote };
}

/** RFC 6962, by its definition: the left subtree has the largest power of two below the size. Whole subtrees are computed once. */
function rootsOf(hashes: readonly Buffer[]): (size: number) => string {
  const known = new Map<string, Buffer>();
  const root = (from: number, size: number): Buffer => {
    if (size === 0) return sha256('');
    if (size === 1) return hashes[from] ?? sha256('');
    const name = `${from} ${size}`;
    const found = known.get(name);
    if (found !== undefined) return found;
    const left = 2 ** Math.floor(Math.log2(size - 1));
    const made = sha256(Uint8Array.of(1), root(from, left), root(from + left, size - left));
    if (size === 2 * left) known.set(name, made);
    return made;
  };
  return (size) => {
    if (size > hashes.length) throw new Error(`a checkpoint signs ${size} leaves, and the log has ${hashes.length}`);
    return root(0, size).toString('hex');
  };
}

/** DER of an Ed25519 public key up to its 32 bytes (RFC 8410). */
const ED25519_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const ED25519 = 1;
const SIGNATURE_LINE = /^\u2014 (\S+) (\S+)$/;

/** C2SP signed note: the line of the Ed25519 key must be there and right. */
function verifiedHead(note: string, vkeys: readonly string[]): SignedHead {
  const end = note.indexOf('\n\n');
  const text = note.slice(0, end + 1);
  const [origin = '', size = '', root = ''] = text.split('\n');
  const signatures = note
    .slice(end + 2)
    .split('\n')
    .flatMap((line) => SIGNATURE_LINE.exec(line)?.slice(1, 3).map(String) ?? []);
  const lines = Array.from({ length: signatures.length / 2 }, (_, i) => ({
    name: signatures[2 * i],
    bytes: Buffer.from(signatures[2 * i + 1] ?? '', 'base64'),
  }));
  const isSigned = vkeys.some((vkey) => {
    const [name, hash, material] = splitVkey(vkey);
    const key = Buffer.from(material, 'base64');
    if (name !== origin || key[0] !== ED25519) return false;
    const publicKey = createPublicKey({
      key: Buffer.concat([ED25519_PREFIX, key.subarray(1)]),
      format: 'der',
      type: 'spki',
    });
    return lines.some(
      (line) =>
        line.name === name &&
        line.bytes.subarray(0, 4).toString('hex') === hash &&
        verify(null, Buffer.from(text), publicKey, line.bytes.subarray(4)),
    );
  });
  if (!isSigned) throw new Error(`a checkpoint of ${size} leaves is not signed by a key of the log`);
  return { size: Number(size), root: Buffer.from(root, 'base64').toString('hex') };
}

/** `<name>+<hash>+<base64>`; the base64 may have plus signs. */
function splitVkey(vkey: string): [name: string, hash: string, material: string] {
  const [name = '', hash = '', ...rest] = vkey.split('+');
  return [name, hash, rest.join('+')];
}

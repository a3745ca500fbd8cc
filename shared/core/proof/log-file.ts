// The format of an exported log: JSON lines with a header, then every record, oldest first, then the signed checkpoints. Of a record that
// retention has dropped its hashes remain.
import { readCheckpoint } from './checkpoint.ts';
import { createDropCheck } from './dropped-leaves.ts';
import { EMPTY_FRONTIER, frontierRoot, grow } from './frontier.ts';
import { exactMembers, has, isCount, parseBounded, quoted, strictBase64, strictHash } from './encoding.ts';
import { ProofError } from './failures.ts';
import { hashLeaf } from './merkle.ts';
import { PUBLISHED_MEMBERS, type TrustedKey } from './keys.ts';
import type { PublishedKey } from './shapes.ts';

export const LOG_FILE_FORMAT = 'custos-log/1';
/** Size of a record of a 1 MB request, in base64. */
const MAX_LINE_BYTES = 2 * 1_048_576;

/** The first line. Its keys are only the ones that claim to have signed; a verifier trusts keys from another source. */
export interface LogFileHeader {
  readonly format: typeof LOG_FILE_FORMAT;
  readonly origin: string;
  readonly keys: readonly PublishedKey[];
}

/** What remains of a record that retention has dropped. Hashes are lower-case hex. Only the leaf hash is covered by checkpoints. */
export interface DroppedLeaf {
  readonly proofId: string;
  /** The entity that the record concerned. */
  readonly agentId: string;
  /** Event hash of the entity's previous record. */
  readonly previousHash: string;
  readonly eventHash: string;
  readonly leafHash: string;
}

/**
 * One line of an exported log. Leaves, with their records or dropped, stand in order from index 0, checkpoints in order of size after all
 * leaves.
 */
export type LogFileLine =
  | { readonly kind: 'header'; readonly header: LogFileHeader }
  | { readonly kind: 'leaf'; readonly index: number; readonly record: Buffer }
  | { readonly kind: 'dropped'; readonly index: number; readonly dropped: DroppedLeaf }
  | { readonly kind: 'checkpoint'; readonly checkpoint: string };

/** Formats a line, with its newline. */
export function writeLogLine(line: LogFileLine): string {
  switch (line.kind) {
    case 'header':
      return `${JSON.stringify({ format: LOG_FILE_FORMAT, origin: line.header.origin, keys: line.header.keys })}\n`;
    case 'leaf':
      return `{"index":${line.index},"record":"${line.record.toString('base64')}"}\n`;
    case 'dropped':
      return `${JSON.stringify({ index: line.index, dropped: line.dropped })}\n`;
    case 'checkpoint':
      return `${JSON.stringify({ checkpoint: line.checkpoint })}\n`;
  }
}

/** Reads an exported log line by line. Each call checks the line against the previous ones. */
export interface LogFileParser {
  /** @param text one line, without its newline. @throws {ProofError} MALFORMED, with the line number */
  next(text: string): LogFileLine;
}

export function createLogFileParser(): LogFileParser {
  let number = 0;
  let leaves = 0;
  let stage: LogFileLine['kind'] | 'start' = 'start';
  return {
    next(text) {
      number += 1;
      const line = parseLine(text, `Line ${number} of the log`);
      const isInOrder = stage === 'start' ? line.kind === 'header' : line.kind !== 'header';
      const isLeaf = line.kind === 'leaf' || line.kind === 'dropped';
      if (!isInOrder || (isLeaf && stage === 'checkpoint'))
        throw new ProofError('MALFORMED', `Line ${number} of the log is a ${line.kind}, which may not stand there.`);
      if (isLeaf) {
        if (line.index !== leaves)
          throw new ProofError('MALFORMED', `Line ${number} of the log has the index ${line.index}, not ${leaves}.`);
        leaves += 1;
      }
      stage = line.kind;
      return line;
    },
  };
}

function parseLine(text: string, what: string): LogFileLine {
  const value = parseBounded(text, what, MAX_LINE_BYTES);
  if (has(value, 'format')) {
    const { format, origin, keys } = exactMembers(value, what, ['format', 'origin', 'keys']);
    if (format !== LOG_FILE_FORMAT)
      throw new ProofError('MALFORMED', `${what} has another format than ${LOG_FILE_FORMAT}.`);
    if (typeof origin !== 'string' || !Array.isArray(keys))
      throw new ProofError('MALFORMED', `${what} has an origin or keys of the wrong kind.`);
    return { kind: 'header', header: { format, origin, keys: keys.map((key) => publishedKeyOf(key, what)) } };
  }
  if (has(value, 'checkpoint')) {
    const { checkpoint } = exactMembers(value, what, ['checkpoint']);
    if (typeof checkpoint !== 'string') throw new ProofError('MALFORMED', `${what} has a checkpoint that is no text.`);
    return { kind: 'checkpoint', checkpoint };
  }
  if (has(value, 'dropped')) {
    const { index, dropped } = exactMembers(value, what, ['index', 'dropped']);
    if (!isCount(index)) throw new ProofError('MALFORMED', `${what} has an index that is no number.`);
    return { kind: 'dropped', index, dropped: droppedLeafOf(dropped, what) };
  }
  const { index, record } = exactMembers(value, what, ['index', 'record']);
  const bytes = typeof record === 'string' ? strictBase64(record) : undefined;
  if (!isCount(index) || bytes === undefined)
    throw new ProofError('MALFORMED', `${what} has an index that is no number or a record that is not base64.`);
  return { kind: 'leaf', index, record: bytes };
}

const DROPPED_MEMBERS = ['proofId', 'agentId', 'previousHash', 'eventHash', 'leafHash'] as const;

function droppedLeafOf(value: unknown, what: string): DroppedLeaf {
  const members = exactMembers(value, `A dropped leaf in ${what.toLowerCase()}`, DROPPED_MEMBERS);
  const { proofId, agentId, previousHash, eventHash, leafHash } = members;
  const isLeaf = [previousHash, eventHash, leafHash].every((hash) => strictHash(hash) !== undefined);
  if (typeof proofId !== 'string' || typeof agentId !== 'string' || !isLeaf)
    throw new ProofError('MALFORMED', `${what} has a dropped leaf without its ids or hashes.`);
  // Checked above.
  return { proofId, agentId, previousHash, eventHash, leafHash } as DroppedLeaf;
}

function publishedKeyOf(value: unknown, what: string): PublishedKey {
  const { keyId, vkey, use, firstSize, lastSize } = exactMembers(
    value,
    `A key in ${what.toLowerCase()}`,
    PUBLISHED_MEMBERS,
  );
  const isKey = typeof keyId === 'string' && typeof vkey === 'string' && (use === 'log' || use === 'promise');
  if (!isKey || !isCount(firstSize) || !(lastSize === null || isCount(lastSize)))
    throw new ProofError('MALFORMED', `${what} has a key that is none.`);
  return { keyId, vkey, use, firstSize, lastSize };
}

/** An exported log whose records reproduce the root of its newest checkpoint. */
export interface VerifiedLog {
  readonly origin: string;
  /** Leaves covered by the newest checkpoint; the file may have more, which are unsigned. */
  readonly size: number;
  /** Signing time of the newest checkpoint, milliseconds since 1970. */
  readonly timeMs: number;
}

/** Verifies an exported log line by line and calls `onLeaf` with each record, and `onDropped` for each that retention has dropped. */
export interface LogFileVerifier {
  /** @throws {ProofError} MALFORMED, CHECKPOINT_SIGNATURE, KEY_NOT_OF_LOG, KEY_NOT_AT_SIZE, LOG_ALTERED */
  next(text: string): void;
  /** @throws {ProofError} LOG_ALTERED when there was no checkpoint, or a record is missing that retention did not drop */
  end(): VerifiedLog;
}

/**
 * Verifies an exported log against trusted keys: each checkpoint's signatures, and that the records reproduce its root. Keeps the hash of
 * each leaf.
 */
export function createLogFileVerifier(deps: {
  readonly trustedKeys: readonly TrustedKey[];
  readonly onLeaf?: (index: number, record: Buffer) => void;
  readonly onDropped?: (index: number, leaf: DroppedLeaf) => void;
}): LogFileVerifier {
  const { trustedKeys, onLeaf, onDropped } = deps;
  const drops = createDropCheck();
  const parser = createLogFileParser();
  let frontier = EMPTY_FRONTIER;
  const hashes: Uint8Array[] = [];
  let origin = '';
  let newest: VerifiedLog | undefined;
  return {
    next(text) {
      const line = parser.next(text);
      if (line.kind === 'header') origin = line.header.origin;
      else if (line.kind === 'leaf') {
        hashes.push(hashLeaf(line.record));
        drops.addLeaf(line.index, line.record);
        onLeaf?.(line.index, line.record);
      } else if (line.kind === 'dropped') {
        hashes.push(Buffer.from(line.dropped.leafHash, 'hex'));
        drops.addDropped(line.index, line.dropped.proofId);
        onDropped?.(line.index, line.dropped);
      } else {
        const head = readCheckpoint(line.checkpoint, trustedKeys);
        if (head.origin !== origin)
          throw new ProofError(
            'LOG_ALTERED',
            `A checkpoint is of the log ${quoted(head.origin)}, not of ${quoted(origin)}.`,
          );
        if (head.size < frontier.size || head.size > hashes.length)
          throw new ProofError(
            'LOG_ALTERED',
            `A checkpoint signs ${head.size} leaves, but the file has ${hashes.length} leaves and checkpoints in order of size.`,
          );
        ({ frontier } = grow(frontier, hashes.slice(frontier.size, head.size)));
        if (!head.root.equals(frontierRoot(frontier)))
          throw new ProofError(
            'LOG_ALTERED',
            `The first ${head.size} records do not lead to the root that their checkpoint signs: one of them was changed.`,
          );
        drops.addCheckpoint(head.size, head.timeMs);
        newest = { origin, size: head.size, timeMs: head.timeMs };
      }
    },
    end() {
      if (newest === undefined)
        throw new ProofError('LOG_ALTERED', 'The exported log has no checkpoint, so nothing in it is signed.');
      const [unfounded] = drops.end(newest.size).unfounded;
      if (unfounded !== undefined) throw new ProofError('LOG_ALTERED', unfounded.sentence);
      return newest;
    },
  };
}

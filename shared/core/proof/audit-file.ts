// Audits an exported log offline: the same checks as in the database, with an independent Merkle tree implementation. Pure.
import { createHash } from 'node:crypto';
import { auditCheckpoint } from './audit.ts';
import type { Finding, FindingKind } from './audit-findings.ts';
import { type Blocks, createBlocks, otherLeafHash, otherRootAt } from './audit-tree.ts';
import { peekCheckpoint, readCheckpoint } from './checkpoint.ts';
import { quoted } from './encoding.ts';
import { ProofError } from './failures.ts';
import { type TrustedKey, trustPublishedKeys } from './keys.ts';
import { createDropCheck, type DroppedRange } from './dropped-leaves.ts';
import { createLogFileParser, type DroppedLeaf, type LogFileParser } from './log-file.ts';
import { isOfLog, logOf, readRecord } from './record-read.ts';

export interface LogFileAudit {
  readonly origin: string;
  readonly leaves: number;
  readonly checkpoints: number;
  /** Leaves covered by the newest checkpoint; later ones are unsigned. */
  readonly signedSize: number;
  /** Number of entities that have a chain. */
  readonly chains: number;
  /** Leaves whose records retention has dropped, as records of the same log state. */
  readonly dropped: readonly DroppedRange[];
  readonly findings: readonly Finding[];
}

export interface LogFileAuditor {
  /** Processes one line, without its newline. @throws {ProofError} MALFORMED: the rest of the file can not be read either */
  next(text: string): void;
  /** @throws {ProofError} MALFORMED when the file has no header */
  end(): LogFileAudit;
}

/** Event hash of each entity's last record; input to the audit of the file of the log's next generation. */
export type ChainHeads = Map<string, string>;

export interface LogFileAuditDeps {
  /** The keys that the auditor trusts. Without them the keys of the file itself are used, which is a weaker check. */
  readonly trustedKeys?: readonly TrustedKey[] | undefined;
  /** Chain heads from the files of earlier generations; extended by this audit. */
  readonly heads?: ChainHeads;
}

const ZERO_HASH = '0'.repeat(64);
/** The largest number of reported findings; further ones would repeat the same. */
const MAX_FINDINGS = 1_000;

/** Creates an auditor for one file; it needs about 34 bytes per leaf and one hash per entity. */
export function createLogFileAuditor({ trustedKeys, heads = new Map() }: LogFileAuditDeps): LogFileAuditor {
  const parser: LogFileParser = createLogFileParser();
  const blocks: Blocks = createBlocks(0);
  const seen = new Map<string, number>();
  const own = new Set<string>();
  const drops = createDropCheck();
  const findings: Finding[] = [];
  let origin: string | undefined;
  let keys: readonly TrustedKey[] = [];
  let checkpoints = 0;
  let signedSize = 0;
  let isRootNamed = false;
  const find = (kind: FindingKind, leafIndex: number | null, proofId: string | null, sentence: string): void => {
    if (findings.length < MAX_FINDINGS) findings.push({ kind, leafIndex, proofId, sentence });
  };

  const auditLeaf = (index: number, bytes: Buffer): void => {
    blocks.push(otherLeafHash(bytes));
    const read = readRecord(bytes);
    if ('why' in read) return find('record-not-canonical', index, null, `Leaf ${index}: its record ${read.why}.`);
    const { record } = read;
    const { proofId } = record.payload;
    const name = nameOf(index, proofId);
    drops.addLeaf(index, bytes);
    auditPlace(index, proofId, record.agentId, record.previousHash);
    if (origin !== undefined && !isOfLog(record, origin))
      find('wrong-log', index, proofId, `${name}: its record is of ${logOf(record)}.`);
    heads.set(record.agentId, createHash('sha256').update(bytes).digest('hex'));
  };

  const auditDropped = (index: number, leaf: DroppedLeaf): void => {
    blocks.push(Buffer.from(leaf.leafHash, 'hex'));
    drops.addDropped(index, leaf.proofId);
    auditPlace(index, leaf.proofId, leaf.agentId, leaf.previousHash);
    heads.set(leaf.agentId, leaf.eventHash);
  };

  /** A proof has one leaf, which follows the one before it in the chain of its entity. */
  const auditPlace = (index: number, proofId: string, agentId: string, previousHash: string): void => {
    const name = nameOf(index, proofId);
    const earlier = seen.get(proofId);
    if (earlier !== undefined)
      find('leaves-replaced', index, proofId, `${name}: its proof is at leaf ${earlier} already.`);
    seen.set(proofId, index);
    own.add(agentId);
    const head = heads.get(agentId);
    // In a later generation, an entity's first record continues a chain of an earlier one, whose file may not be available.
    const isUnknown = head === undefined && isLaterGeneration(origin);
    if (!isUnknown && previousHash !== (head ?? ZERO_HASH))
      find(
        'chain-broken',
        index,
        proofId,
        `${name}: it does not follow the record before it in the chain of its entity.`,
      );
  };

  const auditNote = (note: string): void => {
    checkpoints += 1;
    let head: { size: number; root: Buffer };
    try {
      head = peekCheckpoint(note);
    } catch (error) {
      if (!(error instanceof ProofError)) throw error;
      return find('checkpoint-signature', null, null, `Checkpoint ${checkpoints} of the file: ${error.message}`);
    }
    const count = blocks.count();
    if (head.size > count) {
      find(
        'checkpoint-beyond-log',
        count,
        null,
        `A checkpoint signs ${head.size} leaves, and the file has only ${count}: its tail was cut off.`,
      );
      return;
    }
    const root = head.size === 0 ? undefined : otherRootAt(head.size, (level, index) => blocks.at(level, index));
    const found = auditCheckpoint({ ...head, note }, keys, origin ?? null, root);
    for (const finding of found) {
      if (finding.kind === 'root-mismatch' && isRootNamed) continue;
      if (finding.kind === 'root-mismatch') isRootNamed = true;
      const between =
        finding.kind === 'root-mismatch'
          ? ` The leaves ${signedSize} to ${head.size - 1} are the first that it covers alone.`
          : '';
      find(finding.kind, finding.leafIndex, null, `${finding.sentence}${between}`);
    }
    if (found.length > 0) return;
    signedSize = Math.max(signedSize, head.size);
    // Verified above. Its time is only needed here, and reading it costs as much again.
    if (drops.hasDropped()) drops.addCheckpoint(head.size, readCheckpoint(note, keys).timeMs);
  };

  return {
    next(text) {
      const line = parser.next(text);
      if (line.kind === 'leaf') return auditLeaf(line.index, line.record);
      if (line.kind === 'dropped') return auditDropped(line.index, line.dropped);
      if (line.kind === 'checkpoint') return auditNote(line.checkpoint);
      origin = line.header.origin;
      keys = trustedKeys ?? trustPublishedKeys(line.header.keys);
    },
    end() {
      if (origin === undefined) throw new ProofError('MALFORMED', 'The file is empty: it is no exported log.');
      const { ranges, unfounded } = drops.end(signedSize);
      if (blocks.count() > 0 && checkpoints === 0)
        find('checkpoint-missing', null, null, 'The file has no checkpoint, so nothing in it is signed.');
      for (const { kind, index, sentence } of unfounded) find(kind, index, null, sentence);
      return { origin, leaves: blocks.count(), checkpoints, signedSize, chains: own.size, dropped: ranges, findings };
    },
  };
}

const nameOf = (index: number, proofId: string): string => `Leaf ${index} (proof ${quoted(proofId)})`;

/** `<host>/<organisation>/<environment>/2` and higher: the log was started again. */
function isLaterGeneration(origin: string | undefined): boolean {
  return origin !== undefined && /\/[^/]+\/[^/]+\/(?:[2-9]|[1-9]\d+)$/.test(origin);
}

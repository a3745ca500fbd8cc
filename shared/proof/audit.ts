// What the auditor compares: rows with the records they are about, leaves and nodes with trees of another implementation. Pure.
import { createHash } from 'node:crypto';
import { otherLayers, otherLeafHash, SUBTREE_LEVEL } from './audit-tree.ts';
import { readCheckpoint } from './checkpoint.ts';
import { quoted } from './encoding.ts';
import { ProofError } from './failures.ts';
import type { TrustedKey } from './keys.ts';
import { isOfLog, logOf, readRecord, type RecordView } from './record-read.ts';

/** The closed list of what an audit can find, and what each means. */
export const FINDINGS = {
  'file-malformed': 'an exported log is not in its format: a line was taken out or added',
  'leaf-missing': 'a leaf was deleted',
  'leaf-beyond-log': 'a leaf stands beyond the size of the log: it was inserted, or the size was changed',
  'source-missing': 'the decision or record of a leaf was deleted',
  'record-altered': 'the bytes of a decision or record were changed',
  'record-not-canonical': 'the bytes of a leaf are not a canonical record',
  'wrong-log': 'a record names another organisation or environment',
  'column-altered': 'a column says something else than the record',
  'facts-altered': 'the facts of a decision are not those that its record names',
  'previous-hash-altered': 'the previous hash of a leaf was changed',
  'event-hash-altered': 'the event hash of a leaf was changed',
  'leaf-hash-altered': 'the hash of a leaf was changed',
  'chain-broken': 'a leaf does not follow the record before it in the chain of its entity',
  'leaves-swapped': "two leaves stand in each other's place",
  'leaves-replaced': 'leaves are not those that the tree was made of',
  'node-altered': 'an interior node was changed',
  'node-missing': 'an interior node was deleted',
  'node-beyond-log': 'an interior node stands beyond the size of the log',
  'subtree-altered': 'leaves that were audited before are others now',
  'checkpoint-altered': 'the columns of a checkpoint say something else than its note',
  'checkpoint-signature': 'the note of a checkpoint is not what a key of the log has signed',
  'checkpoint-beyond-log': 'a checkpoint signs more leaves than the log has: its tail was deleted',
  'root-mismatch': 'the leaves do not lead to the root that a checkpoint signs',
  'frontier-altered': 'the frontier of the log was changed',
  'size-altered': 'the size of the log was changed',
  'kept-checkpoint': 'the checkpoint kept outside the database is not of this log',
} as const;
export type FindingKind = keyof typeof FINDINGS;

/** A difference, named. */
export interface Finding {
  readonly kind: FindingKind;
  /** Index of the (first) leaf that is concerned, or null. */
  readonly leafIndex: number | null;
  readonly proofId: string | null;
  /** What is wrong, with the particulars, and no content of any record. */
  readonly sentence: string;
}

/** A decision's own columns that its record says, too. */
export interface DecisionColumns {
  readonly decisionId: string;
  readonly agentId: string;
  readonly keyId: string;
  readonly verdict: string;
  /** RFC 3339. */
  readonly evaluatedAt: string;
  readonly policyDigest: string | null;
  readonly facts: Buffer | null;
  readonly factsSalt: Buffer | null;
}

/** A leaf's row, the row it is about, and the leaf before it in its chain. */
export interface AuditRow {
  readonly index: number;
  readonly proofId: string;
  readonly entityId: string;
  readonly event: string;
  readonly occurredAt: string;
  readonly chainIndex: number;
  readonly previousHash: Buffer;
  readonly eventHash: Buffer;
  readonly leafHash: Buffer;
  /** Canonical record without its previousHash, with its columns; undefined when the row is not there. */
  readonly source:
    | {
        readonly proofId: string;
        readonly entityId: string;
        readonly event: string;
        readonly occurredAt: string;
        readonly record: Buffer;
      }
    | undefined;
  readonly decision: DecisionColumns | undefined;
  /** The leaf one lower in the chain. `index` is -1 for one of an earlier generation of the log. */
  readonly previous: { readonly index: number; readonly eventHash: Buffer } | undefined;
}

const ZERO_HASH = '0'.repeat(64);

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function sealed(record: Buffer, previousHash: string): Buffer {
  return Buffer.concat([record, Buffer.from(`,"previousHash":"${previousHash}"}`)]);
}

/** Everything that one row shows by itself. `hash` is the leaf hash derived from the source row, if there is one. */
export function auditRow(row: AuditRow, origin: string | null): { findings: Finding[]; hash: Buffer | undefined } {
  const findings: Finding[] = [];
  const find = (kind: FindingKind, what: string): void => {
    const sentence = `Leaf ${row.index} (proof ${quoted(row.proofId)}): ${what}`;
    findings.push({ kind, leafIndex: row.index, proofId: row.proofId, sentence });
  };
  const { source, previous } = row;
  const stated = row.previousHash.toString('hex');
  const expected = row.chainIndex === 0 ? ZERO_HASH : previous?.eventHash.toString('hex');
  if (expected === undefined) find('chain-broken', `record ${row.chainIndex - 1} of its entity's chain is missing.`);
  else if (previous !== undefined && previous.index >= row.index)
    find('chain-broken', `the record before it in its chain stands after it, at leaf ${previous.index}.`);
  if (source === undefined) {
    find('source-missing', 'the decision or record that it is about does not exist.');
    return { findings, hash: undefined };
  }
  const bytes = sealed(source.record, stated);
  const hash = otherLeafHash(bytes);
  const isLeaf = hash.equals(row.leafHash);
  const isEvent = sha256(bytes).equals(row.eventHash);
  const isLinked = expected === undefined || expected === stated;
  if (!isLeaf && !isEvent) {
    // The hashes may fit what the chain says: then only this column was changed.
    const isPrevious =
      !isLinked && expected !== undefined && otherLeafHash(sealed(source.record, expected)).equals(row.leafHash);
    if (isPrevious) find('previous-hash-altered', 'its previous hash is not the one that was hashed.');
    else find('record-altered', 'the bytes of its record are not those that were hashed.');
  } else {
    if (!isLeaf) find('leaf-hash-altered', 'its leaf hash is not the hash of its record.');
    if (!isEvent) find('event-hash-altered', 'its event hash is not the hash of its record.');
    if (!isLinked)
      find('chain-broken', 'its previous hash is not the event hash of the record before it in its chain.');
  }
  const read = readRecord(bytes);
  if ('why' in read) find('record-not-canonical', `its record ${read.why}.`);
  else auditColumns(row, read.record, origin, find);
  return { findings, hash };
}

function auditColumns(
  row: AuditRow,
  record: RecordView,
  origin: string | null,
  find: (kind: FindingKind, what: string) => void,
): void {
  if (origin !== null && !isOfLog(record, origin)) find('wrong-log', `its record is of ${logOf(record)}.`);
  const { source, decision } = row;
  const compare = (table: string, columns: Readonly<Record<string, readonly [unknown, unknown]>>): void => {
    for (const [column, [stored, said]] of Object.entries(columns))
      if (stored !== said) find('column-altered', `${table}.${column} is not what the record says.`);
  };
  const members = {
    proofId: record.payload.proofId,
    entityId: record.agentId,
    event: record.eventType,
    occurredAt: record.occurredAt,
  };
  for (const [table, columns] of [
    ['leaf', row],
    ['source', source],
  ] as const) {
    if (columns === undefined) continue;
    compare(table, {
      proof_id: [columns.proofId, members.proofId],
      entity_id: [columns.entityId, members.entityId],
      event: [columns.event, members.event],
      occurred_at: [columns.occurredAt, members.occurredAt],
    });
  }
  if (decision === undefined) return;
  const body = objectOf(record.payload.body);
  compare('decision', {
    decision_id: [decision.decisionId, body['decision_id']],
    agent_id: [decision.agentId, body['agent_id']],
    key_id: [decision.keyId, body['key_id']],
    verdict: [decision.verdict, body['verdict']],
    evaluated_at: [decision.evaluatedAt, body['evaluated_at']],
    policy_digest: [decision.policyDigest, objectOf(body['policy_set'])['digest'] ?? null],
  });
  const { facts, factsSalt } = decision;
  if (
    facts !== null &&
    factsSalt !== null &&
    sha256(Buffer.concat([factsSalt, facts])).toString('hex') !== body['factsDigest']
  )
    find('facts-altered', 'the facts beside its record are not those that its factsDigest names.');
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  // Of an object that is no array every member may be asked for.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** Stored perfect nodes of a subtree: undefined where there is no row. */
export type StoredNodes = (level: number, index: number) => Buffer | undefined;

export interface TreeAudit {
  readonly findings: Finding[];
  /** Leaf hashes to go on with: the derived ones, or the stored ones where those are what the nodes are made of. */
  readonly hashes: readonly Buffer[];
  /** Whether the leaves lead to the stored nodes: if not, checkpoints differ for a reason that is named already. */
  readonly fits: boolean;
}

/**
 * Compares the perfect nodes over leaves from `start` on (a multiple of 1024, at most 1024 leaves) with another
 * implementation's tree over the leaf hashes.
 * @param derived hashes of the source rows, or undefined for a row without one
 */
export function auditNodes(
  start: number,
  rows: readonly AuditRow[],
  derived: readonly (Buffer | undefined)[],
  stored: StoredNodes,
): TreeAudit {
  const columns = rows.map((row) => row.leafHash);
  const own = columns.map((hash, i) => derived[i] ?? hash);
  const ofRecords = compareNodes(start, rows, own, stored);
  const isSame = own.every((hash, i) => hash === columns[i] || hash.equals(columns[i] ?? hash));
  if (isSame || ofRecords.length === 0) return { findings: ofRecords, hashes: own, fits: ofRecords.length === 0 };
  // A record or a leaf hash was changed, and is named by its row. What the nodes are made of is the other of the two.
  const ofColumns = compareNodes(start, rows, columns, stored);
  const isOfColumns = ofColumns.length <= ofRecords.length;
  const findings = isOfColumns ? ofColumns : ofRecords;
  return { findings, hashes: isOfColumns ? columns : own, fits: findings.length === 0 };
}

function compareNodes(
  start: number,
  rows: readonly AuditRow[],
  hashes: readonly Buffer[],
  stored: StoredNodes,
): Finding[] {
  if (hashes.length === 0) return [];
  const findings: Finding[] = [];
  const layers = otherLayers(hashes);
  const [leaves = []] = layers;
  const isWrong = (level: number, i: number): boolean => {
    const hash = stored(level, start / 2 ** level + i);
    const reference = layers[level]?.[i];
    return hash !== undefined && reference !== undefined && !hash.equals(reference);
  };
  const isPerfect = (level: number, i: number): boolean =>
    level <= SUBTREE_LEVEL && (i + 1) * 2 ** level <= hashes.length;
  const replaced: number[] = [];
  for (let level = 1; level <= SUBTREE_LEVEL; level += 1) {
    for (let i = 0; isPerfect(level, i); i += 1) {
      const index = start / 2 ** level + i;
      const first = start + i * 2 ** level;
      const name = `Node ${index} of level ${level}, over the leaves ${first} to ${first + 2 ** level - 1},`;
      const at = { leafIndex: first, proofId: rows[i * 2 ** level]?.proofId ?? null };
      if (stored(level, index) === undefined) {
        findings.push({ kind: 'node-missing', ...at, sentence: `${name} is missing.` });
        continue;
      }
      if (!isWrong(level, i)) continue;
      // A change of leaves goes on up to the top; one that ends below a right node is the node's own.
      const parent = Math.floor(i / 2);
      const isBelowTop = level < SUBTREE_LEVEL && isPerfect(level + 1, parent);
      const isOwn = isBelowTop
        ? !isWrong(level + 1, parent)
        : level > 1 && !isWrong(level - 1, 2 * i) && !isWrong(level - 1, 2 * i + 1);
      if (isOwn)
        findings.push({ kind: 'node-altered', ...at, sentence: `${name} is not the hash of what is below it.` });
      else if (level === 1 && !isBelowTop && !isSwappedPair(leaves, i, stored(1, index)))
        findings.push({ kind: 'node-altered', ...at, sentence: `${name} is not the hash of its two leaves.` });
      else if (level === 1) replaced.push(i);
    }
  }
  if (replaced.length > 0) findings.push(leavesFinding(start, rows, leaves, replaced, stored));
  return findings;
}

/** Whether a node is right when its two leaves change places. */
function isSwappedPair(leaves: readonly Buffer[], pair: number, node: Buffer | undefined): boolean {
  const other = leaves.slice(2 * pair, 2 * pair + 2).reverse();
  return node !== undefined && otherLayers(other)[1]?.[0]?.equals(node) === true;
}

/** Whose leaves they are, when pairs of leaves do not give the nodes above them: two that changed places, or others. */
function leavesFinding(
  start: number,
  rows: readonly AuditRow[],
  leaves: readonly Buffer[],
  pairs: readonly number[],
  stored: StoredNodes,
): Finding {
  const members = pairs.slice(0, 2).flatMap((i) => [2 * i, 2 * i + 1]);
  const idOf = (i: number): string => quoted(rows[i]?.proofId ?? '');
  if (pairs.length <= 2)
    for (const a of members)
      for (const b of members.filter((other) => other > a)) {
        const swapped = [...leaves];
        [swapped[a], swapped[b]] = [leaves[b] ?? Buffer.alloc(0), leaves[a] ?? Buffer.alloc(0)];
        const isRight = pairs.every((i) =>
          otherLayers(swapped.slice(2 * i, 2 * i + 2))[1]?.[0]?.equals(stored(1, start / 2 + i) ?? Buffer.alloc(0)),
        );
        if (isRight)
          return {
            kind: 'leaves-swapped',
            leafIndex: start + a,
            proofId: rows[a]?.proofId ?? null,
            sentence: `Leaves ${start + a} (proof ${idOf(a)}) and ${start + b} (proof ${idOf(b)}) stand in each other's place.`,
          };
      }
  const first = members[0] ?? 0;
  const where = pairs.slice(0, 5).map((i) => `${start + 2 * i} and ${start + 2 * i + 1}`);
  return {
    kind: 'leaves-replaced',
    leafIndex: start + first,
    proofId: rows[first]?.proofId ?? null,
    sentence: `One of the leaves ${where.join(', ')}${pairs.length > 5 ? ` or of ${pairs.length - 5} more pairs` : ''} is not the one that the tree was made of.`,
  };
}

/** A checkpoint as it is stored. */
export interface StoredCheckpoint {
  readonly size: number;
  readonly root: Buffer;
  readonly note: string;
}

/**
 * Compares a checkpoint's columns with its note, the note's signatures with the keys of the log, and its root with the
 * other implementation's.
 * @param root undefined when it cannot be derived, because leaves are missing (which is named already)
 */
export function auditCheckpoint(
  checkpoint: StoredCheckpoint,
  keys: readonly TrustedKey[],
  origin: string | null,
  root: Buffer | undefined,
  what = 'The checkpoint',
): Finding[] {
  const findings: Finding[] = [];
  const name = `${what} of size ${checkpoint.size}`;
  const find = (kind: FindingKind, sentence: string): void => {
    findings.push({ kind, leafIndex: checkpoint.size - 1, proofId: null, sentence });
  };
  try {
    const head = readCheckpoint(checkpoint.note, keys);
    if (head.size !== checkpoint.size || !head.root.equals(checkpoint.root))
      find('checkpoint-altered', `${name} has a note of size ${head.size}, or with another root.`);
    else if (origin !== null && head.origin !== origin)
      find('checkpoint-altered', `${name} is of the log ${quoted(head.origin)}.`);
    else if (root !== undefined && !head.root.equals(root))
      find(
        'root-mismatch',
        `${name} is signed, and the first ${head.size} leaves do not lead to its root: leaves before it were changed.`,
      );
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    find('checkpoint-signature', `${name} is not as it was signed: ${error.message}`);
  }
  return findings;
}

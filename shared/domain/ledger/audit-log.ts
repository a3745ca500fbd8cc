// The audit of one log: its new leaves, its older ones in turn, the nodes above them, its checkpoints and its head.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { auditCheckpoint, type AuditedRow, auditRow } from '../../core/proof/audit.ts';
import type { Finding, FindingKind } from '../../core/proof/audit-findings.ts';
import { type AuditedLeaf, auditNodes, type StoredNodes } from '../../core/proof/audit-nodes.ts';
import { createBlocks, otherLayers, otherRootAt, SUBTREE_LEAVES, SUBTREE_LEVEL } from '../../core/proof/audit-tree.ts';
import { peekIfCheckpoint } from '../../core/proof/checkpoint.ts';
import type { Sql } from '../../platform/db/database.ts';
import { auditBeside, isBesideEvent } from './audit-beside.ts';
import { quoted } from '../../core/proof/encoding.ts';
import { frontierLength, frontierNodes } from '../../core/proof/frontier.ts';
import { isStoredLevel } from '../../core/proof/stored-levels.ts';
import type { TrustedKey } from '../../core/proof/keys.ts';
import {
  type AuditHead,
  completeSubtrees,
  readCheckpoints,
  readLeaves,
  readSubtreeNodes,
  readUpperNodes,
} from './audit-rows.ts';
import { type AuditState, type LogPlace, openFindings, type Place, type PlacedFinding } from './audit-state.ts';

/** `all`: every leaf from the first on; `new`: leaves that were never audited; `turn`: new ones, and older ones in turn. */
export type AuditScope = 'all' | 'new' | 'turn';

export interface LogToAudit {
  readonly sql: Sql;
  readonly logId: number;
  readonly head: AuditHead;
  /** The published keys. */
  readonly keys: readonly TrustedKey[];
  /** Ids of rows that claim to be published keys of the log. */
  readonly forgedKeys: readonly string[];
  /** The checkpoint kept outside the database, read before the head. */
  readonly kept: string | undefined;
  /** Keys that may have signed the kept checkpoint. */
  readonly keptKeys: readonly TrustedKey[];
  /** Whether there is time to audit older subtrees again. */
  readonly isTimeLeft: () => boolean;
  /** Whether new subtrees are left to the next run. At least one is always audited. */
  readonly isRunOver: () => boolean;
  readonly scope: AuditScope;
}

/** The auditor has the hashes of every level in memory, so that a root costs one hash a level. */
const EVERY_LEVEL = 1;
/** Leaves between two turns of the event loop, which the workers' other jobs need: about 5 ms. */
const AT_ONCE = 128;
const HASH_BYTES = 32;
/** Limit of stored findings; more would repeat the same. */
const MAX_FINDINGS = 100;

/** Audits one log. @returns the state for the next run */
export async function auditLog(log: LogToAudit, before: AuditState): Promise<AuditState> {
  const { sql, logId, head, keys, kept } = log;
  const { size, origin } = head;
  const isFull = log.scope === 'all';
  const found: PlacedFinding[] = [];
  const places = new Set<Place>();
  const blocks = createBlocks(SUBTREE_LEVEL, EVERY_LEVEL);
  const hashes: Buffer[] = [];
  let place: LogPlace = 'head';
  let isRootNamed = false;
  const find = (kind: FindingKind, sentence: string, leafIndex: number | null = null): void => {
    found.push({ kind, leafIndex, proofId: null, sentence, place });
  };
  const take = (findings: readonly Finding[]): void => {
    for (const finding of findings) {
      // Each later checkpoint would report the same again.
      if (finding.kind === 'root-mismatch' && isRootNamed) continue;
      if (finding.kind === 'root-mismatch') isRootNamed = true;
      found.push({ ...finding, place });
    }
  };
  const push = (hash: Buffer): void => {
    hashes.push(hash);
    blocks.push(hash);
  };
  const frontier = nodesOfFrontier(head);
  const keptHead = kept === undefined ? undefined : peekIfCheckpoint(kept);
  let keptRoot: Buffer | undefined;
  /** Leaf hashes of the incomplete subtree at the end: derived from the records, and as stored. */
  let tailHashes: readonly (readonly Buffer[])[] = [];

  /** Derives subtree k up to the end of the log. @returns false when rows are missing and no stored node can replace them */
  const auditSubtree = async (k: number, isNew: boolean, checkpointsAfter: number): Promise<boolean> => {
    const start = k * SUBTREE_LEAVES;
    const past = Math.min(size, start + SUBTREE_LEAVES);
    const isComplete = past - start === SUBTREE_LEAVES;
    place = `subtree ${k}`;
    places.add(place);
    const leaves = await readLeaves(sql, logId, head, start, past);
    const nodes = await readSubtreeNodes(sql, logId, start, past);
    const checkpoints = await readCheckpoints(sql, logId, Math.max(start, checkpointsAfter), past);
    const rows: AuditedLeaf[] = [];
    const beside: AuditedRow[] = [];
    const derived: (Buffer | undefined)[] = [];
    for (const row of leaves) {
      const { findings, hash } = auditRow(row, origin);
      take(findings);
      derived.push(hash);
      rows.push({ index: row.index, proofId: row.proofId, leafHash: row.leafHash });
      if (isBesideEvent(row.event)) beside.push(row);
      if (derived.length % AT_ONCE === 0) await yieldToOthers();
    }
    take(await auditBeside(sql, head, beside));
    const top = nodes(SUBTREE_LEVEL, k);
    if (rows.length < past - start) {
      const present = new Set(rows.map((row) => row.index));
      const missing = Array.from({ length: past - start }, (_, i) => start + i).filter((index) => !present.has(index));
      for (const index of missing.slice(0, 10))
        find(
          'leaf-missing',
          `Leaf ${index} is missing${missing.length > 10 ? `, and ${missing.length - 1} others of the log's ${size}` : ''}.`,
          index,
        );
      for (const checkpoint of checkpoints) take(auditCheckpoint(checkpoint, keys, origin, undefined));
      if (!isNew || !isComplete) return true;
      if (top !== undefined) push(top);
      return top !== undefined;
    }
    const tree = auditNodes({ start, rows, stored: nodes, frontier }, derived);
    take(tree.findings);
    if (!isComplete) tailHashes = [tree.hashes, rows.map((row) => row.leafHash)];
    const root = tree.layers[SUBTREE_LEVEL]?.[0];
    if (isComplete && root !== undefined) {
      const isReplaced = tree.findings.some(({ kind }) => kind === 'leaves-swapped' || kind === 'leaves-replaced');
      const known = before.hashes[k];
      const wasWrong = before.findings.some((finding) => finding.place === place);
      // Later checkpoints sign the stored tree, so the difference is reported only here.
      if (isNew) push(isReplaced && top !== undefined ? top : root);
      else if (wasWrong && tree.fits && known !== undefined && !known.equals(root)) {
        // An earlier run found wrong leaves here. The present ones agree with everything signed, or are reported below.
        known.set(root);
      }
      if (known !== undefined && !known.equals(root))
        find('subtree-altered', `The leaves ${start} to ${past - 1} are not those that were audited before.`, start);
    }
    const block = (level: number, index: number): Buffer =>
      (level < SUBTREE_LEVEL ? tree.layers[level]?.[index - start / 2 ** level] : undefined) ?? blocks.at(level, index);
    const rootAt = (treeSize: number): Buffer => otherRootAt(treeSize, block, EVERY_LEVEL);
    for (const checkpoint of checkpoints) take(auditCheckpoint(checkpoint, keys, origin, rootAt(checkpoint.size)));
    if (keptHead !== undefined && keptHead.size > start && keptHead.size <= past) keptRoot = rootAt(keptHead.size);
    return true;
  };

  auditHead();
  const complete = completeSubtrees(size);
  const known = isFull ? 0 : Math.min(before.hashes.length, complete);
  for (const hash of before.hashes.slice(0, known)) push(hash);
  /** Whether the whole log has been derived, now or before. False when rows are missing or time was short. */
  let isDerived = true;
  // New subtrees, and the incomplete one at the end with new checkpoints.
  const audited = isFull ? 0 : before.auditedSize;
  for (let k = known; isDerived && k * SUBTREE_LEAVES < size; k += 1)
    isDerived = (isFull || k === known || !log.isRunOver()) && (await auditSubtree(k, true, audited));
  // Older subtrees in turn; the incomplete one in its turn with all its checkpoints.
  let { next } = before;
  const turns = log.scope === 'turn' ? known + 1 : 0;
  for (let turn = 0; turn < turns && (turn === 0 || log.isTimeLeft()); turn += 1) {
    if (next > known) next = 0;
    if (next < known) await auditSubtree(next, false, 0);
    else if (size % SUBTREE_LEAVES > 0 && known === complete) await auditSubtree(complete, false, 0);
    next += 1;
  }
  await auditUpper();
  place = 'head';
  await auditKept();

  const lasting = before.findings.filter(
    (finding) => !isInLog(finding.place) || (!isFull && !places.has(finding.place)),
  );
  return {
    ...before,
    auditedSize: Math.max(before.auditedSize, isDerived ? size : hashes.length * SUBTREE_LEAVES),
    next,
    // For a log that has shrunk the old hashes are kept, as evidence of what it was.
    hashes: [...hashes, ...before.hashes.slice(hashes.length)],
    findings: limited([...lasting, ...found], before.accepted),
  };

  /** Compares the log's row with the last leaf, checkpoint and nodes. */
  function auditHead(): void {
    places.add('head');
    for (const keyId of log.forgedKeys)
      find('log-key-forged', `The key ${quoted(keyId)} of the log is not as the service published it.`);
    const { firstLeaf, lastLeaf, lastCheckpoint, lastNodes } = head;
    if (lastLeaf !== undefined && lastLeaf >= size)
      find('leaf-beyond-log', `Leaf ${lastLeaf} stands beyond the ${size} leaves that the log has.`, lastLeaf);
    if (firstLeaf !== undefined && firstLeaf < 0)
      find('leaf-beyond-log', `Leaf ${firstLeaf} stands before the first one.`, firstLeaf);
    if (lastCheckpoint !== undefined && lastCheckpoint > size)
      find(
        'checkpoint-beyond-log',
        `A checkpoint of size ${lastCheckpoint} was signed, and the log has only ${size} leaves.`,
        size,
      );
    if (before.auditedSize > size)
      find(
        'size-altered',
        `The log had ${before.auditedSize} leaves when it was audited before, and has ${size}.`,
        size,
      );
    for (const [level, index] of lastNodes)
      if ((index + 1) * 2 ** level > size)
        find(
          'node-beyond-log',
          `Node ${index} of level ${level} stands beyond the ${size} leaves that the log has.`,
          index * 2 ** level,
        );
  }

  /** Nodes above the subtrees, and the frontier. */
  async function auditUpper(): Promise<void> {
    place = 'upper';
    places.add(place);
    const count = Math.min(hashes.length, complete);
    const layers = count === 0 ? [] : otherLayers(hashes.slice(0, count));
    const stored = await readUpperNodes(sql, logId, count * SUBTREE_LEAVES);
    for (let level = SUBTREE_LEVEL + 1; 2 ** level <= count * SUBTREE_LEAVES; level += 1)
      for (let i = 0; (i + 1) * 2 ** level <= count * SUBTREE_LEAVES; i += 1) {
        const node = stored(level, i);
        const reference = layers[level - SUBTREE_LEVEL]?.[i];
        if (node !== undefined && reference?.equals(node)) continue;
        const name = `Node ${i} of level ${level}, over the leaves ${i * 2 ** level} to ${(i + 1) * 2 ** level - 1},`;
        if (node === undefined) {
          if (isStoredLevel(level)) find('node-missing', `${name} is missing.`, i * 2 ** level);
        } else if (reference !== undefined)
          find('node-altered', `${name} is not the hash of what is below it.`, i * 2 ** level);
      }
    if (isDerived) auditFrontier(layers);
  }

  function auditFrontier(layers: readonly (readonly Buffer[])[]): void {
    // A log of a version without a frontier has none until it grows.
    if (head.frontier.length === 0 || size === 0) return;
    const tail = complete * SUBTREE_LEAVES;
    if (tailHashes.length === 0 && size > tail) return;
    const isFrontierOf = (hashes: readonly Buffer[]): boolean => {
      const own = hashes.length === 0 ? [] : otherLayers(hashes);
      const expected = frontierNodes(size).map(({ level, index }) =>
        level >= SUBTREE_LEVEL ? layers[level - SUBTREE_LEVEL]?.[index] : own[level]?.[index - tail / 2 ** level],
      );
      return Buffer.concat(expected.map((hash) => hash ?? Buffer.alloc(0))).equals(head.frontier);
    };
    // A changed record in a leaf that no node covers yet is reported with its row.
    const candidates = size > tail ? tailHashes : [[]];
    if (!candidates.some(isFrontierOf))
      find('frontier-altered', `The frontier of the log is not that of its ${size} leaves.`, size - 1);
  }

  /** Compares with the kept checkpoint, which an edit of the database cannot change. */
  async function auditKept(): Promise<void> {
    if (kept === undefined) return;
    const isWithin = keptHead !== undefined && keptHead.size > 0 && keptHead.size <= size;
    if (isWithin && isDerived && keptRoot === undefined) await auditSubtreeOfKept(keptHead.size);
    place = 'head';
    for (const finding of auditKeptNote(kept, { size, origin, keys: log.keptKeys, root: keptRoot }))
      found.push({ ...finding, place });
  }

  async function auditSubtreeOfKept(keptSize: number): Promise<void> {
    const k = Math.floor((keptSize - 1) / SUBTREE_LEAVES);
    if (k < hashes.length || k === complete) await auditSubtree(k, false, size);
  }
}

/**
 * Compares a log with the checkpoint kept outside the database.
 * @param log its size, the keys that may have signed the note, and the root of the note's leaves; undefined: not known
 */
export function auditKeptNote(
  note: string,
  log: {
    readonly size: number;
    readonly origin: string | null;
    readonly keys: readonly TrustedKey[];
    readonly root: Buffer | undefined;
  },
): Finding[] {
  const finding = (sentence: string, leafIndex: number | null): Finding => ({
    kind: 'kept-checkpoint',
    leafIndex,
    proofId: null,
    sentence,
  });
  const what = 'The checkpoint kept outside the database';
  const head = peekIfCheckpoint(note);
  if (head === undefined) return [finding(`${what} is no checkpoint.`, null)];
  if (head.size > log.size)
    return [finding(`${what} is of ${head.size} leaves, and the log has only ${log.size}.`, log.size)];
  return auditCheckpoint({ ...head, note }, log.keys, log.origin, log.root, `${what},`).map((one) =>
    finding(one.sentence, one.leafIndex),
  );
}

/** The hashes of the log's frontier by their places; none for a log of a version without one. */
function nodesOfFrontier({ size, frontier }: AuditHead): StoredNodes {
  const nodes = new Map<string, Buffer>();
  if (frontier.length === frontierLength(size) * HASH_BYTES)
    for (const [i, { level, index }] of frontierNodes(size).entries())
      nodes.set(`${level} ${index}`, frontier.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES));
  return (level, index) => nodes.get(`${level} ${index}`);
}

/** Whether a place is in the log itself. The findings of others last until their own audit. */
const isInLog = (place: Place): place is LogPlace =>
  place === 'upper' || place === 'head' || place.startsWith('subtree ');

/**
 * Without duplicates, those of authority first. Up to the limit, in addition to those that an operator has accepted: these must neither
 * take the place of others, nor be forgotten and then stop the log again.
 */
export function limited(findings: readonly PlacedFinding[], accepted: readonly string[]): PlacedFinding[] {
  const all = unique([
    ...findings.filter(({ place }) => place === 'authority'),
    ...findings.filter(({ place }) => place !== 'authority'),
  ]);
  const listed = new Set([
    ...openFindings(all, accepted)
      .slice(0, MAX_FINDINGS)
      .map(({ sentence }) => sentence),
    ...accepted,
  ]);
  return all.filter(({ sentence }) => listed.has(sentence));
}

/** A place that is audited twice in one run reports the same twice. */
function unique(findings: readonly PlacedFinding[]): PlacedFinding[] {
  return [...new Map(findings.map((finding) => [`${finding.kind} ${finding.sentence}`, finding])).values()];
}

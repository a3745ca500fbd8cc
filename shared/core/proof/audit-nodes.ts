// Compares the stored nodes of a part of the log with an independently computed tree and identifies the altered part. Pure.
import type { Finding } from './audit-findings.ts';
import { otherLayers, SUBTREE_LEVEL } from './audit-tree.ts';
import type { AuditedRow } from './audit.ts';
import { quoted } from './encoding.ts';

/** Stored perfect nodes of a subtree: undefined where there is no row. */
export type StoredNodes = (level: number, index: number) => Buffer | undefined;

export interface TreeAudit {
  readonly findings: Finding[];
  /** The leaf hashes from which the audit continues: the derived ones, or the stored ones where the nodes were computed from those. */
  readonly hashes: readonly Buffer[];
  /** The tree over these hashes: its layers, leaves first. */
  readonly layers: readonly (readonly Buffer[])[];
  /** Whether the leaves reproduce the stored nodes. If not, checkpoints differ for a reason that is already reported. */
  readonly fits: boolean;
}

/**
 * Compares the perfect nodes over the leaves from `start` (a multiple of 1024; at most 1024 leaves) with an independently computed tree
 * over the leaf hashes. @param derived hashes of the source rows; undefined for a missing row
 */
export function auditNodes(
  start: number,
  rows: readonly AuditedRow[],
  derived: readonly (Buffer | undefined)[],
  stored: StoredNodes,
): TreeAudit {
  const columns = rows.map((row) => row.leafHash);
  const own = columns.map((hash, i) => derived[i] ?? hash);
  const ofRecords = treeOf(start, rows, own, stored);
  const isSame = own.every((hash, i) => hash === columns[i] || hash.equals(columns[i] ?? hash));
  if (isSame || ofRecords.fits) return ofRecords;
  // A record or a leaf hash was altered, and its row is reported. The nodes were computed from the unaltered one of the two.
  const ofColumns = treeOf(start, rows, columns, stored);
  return ofColumns.findings.length <= ofRecords.findings.length ? ofColumns : ofRecords;
}

function treeOf(start: number, rows: readonly AuditedRow[], hashes: readonly Buffer[], stored: StoredNodes): TreeAudit {
  const layers = hashes.length === 0 ? [] : otherLayers(hashes);
  const findings = compareNodes(start, rows, layers, stored);
  return { findings, hashes, layers, fits: findings.length === 0 };
}

function compareNodes(
  start: number,
  rows: readonly AuditedRow[],
  layers: readonly (readonly Buffer[])[],
  stored: StoredNodes,
): Finding[] {
  const findings: Finding[] = [];
  const [leaves = []] = layers;
  const isWrong = (level: number, i: number): boolean => {
    const hash = stored(level, start / 2 ** level + i);
    const reference = layers[level]?.[i];
    return hash !== undefined && reference !== undefined && !hash.equals(reference);
  };
  const isPerfect = (level: number, i: number): boolean =>
    level <= SUBTREE_LEVEL && (i + 1) * 2 ** level <= leaves.length;
  const replaced: number[] = [];
  for (let level = 1; level <= SUBTREE_LEVEL; level += 1) {
    for (let i = 0; isPerfect(level, i); i += 1) {
      const index = start / 2 ** level + i;
      const node = stored(level, index);
      if (node !== undefined && layers[level]?.[i]?.equals(node)) continue;
      const first = start + i * 2 ** level;
      const name = `Node ${index} of level ${level}, over the leaves ${first} to ${first + 2 ** level - 1},`;
      const at = { leafIndex: first, proofId: rows[i * 2 ** level]?.proofId ?? null };
      if (node === undefined) {
        findings.push({ kind: 'node-missing', ...at, sentence: `${name} is missing.` });
        continue;
      }
      // An altered leaf changes all nodes up to the root; if a node above is right, the node itself was altered.
      const parent = Math.floor(i / 2);
      const isBelowTop = level < SUBTREE_LEVEL && isPerfect(level + 1, parent);
      const isOwn = isBelowTop
        ? !isWrong(level + 1, parent)
        : level > 1 && !isWrong(level - 1, 2 * i) && !isWrong(level - 1, 2 * i + 1);
      if (isOwn)
        findings.push({ kind: 'node-altered', ...at, sentence: `${name} is not the hash of what is below it.` });
      else if (level === 1 && !isBelowTop && !isSwappedPair(leaves, i, node))
        findings.push({ kind: 'node-altered', ...at, sentence: `${name} is not the hash of its two leaves.` });
      else if (level === 1) replaced.push(i);
    }
  }
  if (replaced.length > 0) findings.push(leavesFinding(start, rows, leaves, replaced, stored));
  return findings;
}

/** Whether a node is right when its two leaves are swapped. */
function isSwappedPair(leaves: readonly Buffer[], pair: number, node: Buffer): boolean {
  const other = leaves.slice(2 * pair, 2 * pair + 2).reverse();
  return otherLayers(other)[1]?.[0]?.equals(node) === true;
}

/** Explains pairs of leaves that do not give the nodes above them: two leaves were swapped, or replaced. */
function leavesFinding(
  start: number,
  rows: readonly AuditedRow[],
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

// Compares the stored nodes of a part of the log with an independently computed tree and identifies the altered part. Pure.
import type { Finding } from './audit-findings.ts';
import { otherLayers, otherRoot, SUBTREE_LEVEL } from './audit-tree.ts';
import type { AuditedRow } from './audit.ts';
import { quoted } from './encoding.ts';
import { isStoredLevel } from './stored-levels.ts';

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

/** A leaf without its record, which only the comparison of its own row needs. */
export type AuditedLeaf = Pick<AuditedRow, 'index' | 'proofId' | 'leafHash'>;

/** What the nodes of a part of the log are compared with. */
export interface NodesOfPart {
  /** The index of its first leaf, a multiple of 1,024; it has at most 1,024 leaves. */
  readonly start: number;
  readonly rows: readonly AuditedLeaf[];
  /** Rows of nodes. Earlier versions stored every level. */
  readonly stored: StoredNodes;
  /** Nodes of the log's frontier, which cover the leaves that are under no stored node yet. A difference is a finding of its own. */
  readonly frontier: StoredNodes;
}

/**
 * Compares the perfect nodes of a part with an independently computed tree over the leaf hashes.
 * @param derived hashes of the source rows; undefined for a missing row
 */
export function auditNodes(part: NodesOfPart, derived: readonly (Buffer | undefined)[]): TreeAudit {
  const columns = part.rows.map((row) => row.leafHash);
  const own = columns.map((hash, i) => derived[i] ?? hash);
  const ofRecords = treeOf(part, own);
  const isSame = own.every((hash, i) => hash === columns[i] || hash.equals(columns[i] ?? hash));
  if (isSame || ofRecords.fits) return ofRecords;
  // A record or a leaf hash was altered, and its row is reported. The nodes were computed from the unaltered one of the two.
  const ofColumns = treeOf(part, columns);
  return ofColumns.misfits <= ofRecords.misfits ? ofColumns : ofRecords;
}

function treeOf(part: NodesOfPart, hashes: readonly Buffer[]): TreeAudit & { readonly misfits: number } {
  const layers = hashes.length === 0 ? [] : otherLayers(hashes);
  const findings = compareNodes(part, layers);
  const misfits = findings.length + wrongIn(part.frontier, part.start, layers).length;
  return { findings, hashes, layers, fits: misfits === 0, misfits };
}

type Layers = readonly (readonly Buffer[])[];

/** A perfect node of the part: the `i`-th of its level within the part. */
interface Place {
  readonly level: number;
  readonly i: number;
}

function perfectPlaces(layers: Layers): Place[] {
  const count = layers[0]?.length ?? 0;
  return Array.from({ length: SUBTREE_LEVEL }, (_, at) => at + 1).flatMap((level) =>
    Array.from({ length: Math.floor(count / 2 ** level) }, (_, i) => ({ level, i })),
  );
}

/** The nodes that are not what the leaves give. */
function wrongIn(nodes: StoredNodes, start: number, layers: Layers): Place[] {
  return perfectPlaces(layers).filter(({ level, i }) => isRight(nodes, start, layers, { level, i }) === false);
}

/** Undefined: there is no such node. */
function isRight(nodes: StoredNodes, start: number, layers: Layers, { level, i }: Place): boolean | undefined {
  return nodes(level, start / 2 ** level + i)?.equals(layers[level]?.[i] ?? Buffer.alloc(0));
}

/** The places at a level of what is above, or below, a node. */
const above = ({ level, i }: Place, at: number): Place => ({ level: at, i: Math.floor(i / 2 ** (at - level)) });
const below = ({ level, i }: Place, at: number): Place[] =>
  Array.from({ length: 2 ** (level - at) }, (_, nth) => ({ level: at, i: i * 2 ** (level - at) + nth }));

function compareNodes({ start, rows, stored, frontier }: NodesOfPart, layers: Layers): Finding[] {
  const findings: Finding[] = [];
  const [leaves = []] = layers;
  const wrong = wrongIn(stored, start, layers);
  const isWrong = ({ level, i }: Place): boolean => wrong.some((one) => one.level === level && one.i === i);
  const replaced: Place[] = [];
  for (const place of perfectPlaces(layers)) {
    const { level, i } = place;
    const node = stored(level, start / 2 ** level + i);
    if (node === undefined ? !isStoredLevel(level) : !isWrong(place)) continue;
    const first = start + i * 2 ** level;
    const name = `Node ${start / 2 ** level + i} of level ${level}, over the leaves ${first} to ${first + 2 ** level - 1},`;
    const at = { leafIndex: first, proofId: rows[i * 2 ** level]?.proofId ?? null };
    if (node === undefined) {
      findings.push({ kind: 'node-missing', ...at, sentence: `${name} is missing.` });
      continue;
    }
    const isAltered = isOwn(place) ?? !isSwapped(leaves, place, node);
    if (isAltered)
      findings.push({ kind: 'node-altered', ...at, sentence: `${name} is not the hash of what is below it.` });
    else if (!isWrongBelow(place)) replaced.push(place);
  }
  if (replaced.length > 0) findings.push(leavesFinding(start, rows, leaves, replaced, stored));
  return findings;

  function isWrongBelow({ level, i }: Place): boolean {
    return wrong.some((one) => one.level < level && above(one, level).i === i);
  }

  /** Whether a wrong node was altered itself. An altered leaf changes all nodes above it. Undefined: nothing else covers its leaves. */
  function isOwn(place: Place): boolean | undefined {
    for (let level = place.level + 1; level <= SUBTREE_LEVEL; level += 1) {
      const right = isRight(stored, start, layers, above(place, level));
      if (right !== undefined) return right;
    }
    for (let level = place.level - 1; level > 0; level -= 1) {
      const under = below(place, level).map((one) => isRight(stored, start, layers, one));
      if (under.every((right) => right !== undefined)) return under.every(Boolean);
    }
    for (let level = place.level; level <= SUBTREE_LEVEL; level += 1) {
      const right = isRight(frontier, start, layers, above(place, level));
      if (right !== undefined) return right;
    }
    return undefined;
  }
}

/** Most leaves among which a swap is searched. */
const MOST_SEARCHED = 64;

/** Two leaves that give these one or two nodes when they change places. */
function swapOf(
  leaves: readonly Buffer[],
  places: readonly Place[],
  nodeAt: (place: Place) => Buffer | undefined,
): [a: number, b: number] | undefined {
  const groups = places.map((place) => below(place, 0).map(({ i }) => i));
  const [first = [], second = first] = groups;
  if (groups.length > 2 || first.length + second.length > MOST_SEARCHED) return undefined;
  for (const a of first)
    for (const b of second.filter((other) => other > a)) {
      const swapped = [...leaves];
      [swapped[a], swapped[b]] = [leaves[b] ?? Buffer.alloc(0), leaves[a] ?? Buffer.alloc(0)];
      const isTree = groups.every((group, nth) => {
        const node = nodeAt(places[nth] ?? { level: 0, i: 0 });
        return node !== undefined && otherRoot(group.map((i) => swapped[i] ?? Buffer.alloc(0))).equals(node);
      });
      if (isTree) return [a, b];
    }
  return undefined;
}

const isSwapped = (leaves: readonly Buffer[], place: Place, node: Buffer): boolean =>
  swapOf(leaves, [place], () => node) !== undefined;

/** Explains leaves that do not give the nodes above them: two leaves were swapped, or replaced. */
function leavesFinding(
  start: number,
  rows: readonly AuditedLeaf[],
  leaves: readonly Buffer[],
  places: readonly Place[],
  stored: StoredNodes,
): Finding {
  const idOf = (i: number): string => quoted(rows[i]?.proofId ?? '');
  const nodeAt = ({ level, i }: Place): Buffer | undefined => stored(level, start / 2 ** level + i);
  const [a, b] = swapOf(leaves, places, nodeAt) ?? [];
  if (a !== undefined && b !== undefined)
    return {
      kind: 'leaves-swapped',
      leafIndex: start + a,
      proofId: rows[a]?.proofId ?? null,
      sentence: `Leaves ${start + a} (proof ${idOf(a)}) and ${start + b} (proof ${idOf(b)}) stand in each other's place.`,
    };
  const spans = places.map(({ level, i }) => [i * 2 ** level, (i + 1) * 2 ** level - 1] as const);
  const where = spans.slice(0, 5).map(([from, to]) => `${start + from} to ${start + to}`);
  const [[first] = [0]] = spans;
  return {
    kind: 'leaves-replaced',
    leafIndex: start + first,
    proofId: rows[first]?.proofId ?? null,
    sentence: `One of the leaves ${where.join(', ')}${places.length > 5 ? ` or of ${places.length - 5} more groups` : ''} is not the one that the tree was made of.`,
  };
}

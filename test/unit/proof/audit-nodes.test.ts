// The auditor's comparison of a part of the log with its stored nodes, in every layout that the service has stored: nodes of each
// fifth level, of every level, and first the one and then the other.
import { expect } from 'chai';
import fc from 'fast-check';
import { auditNodes, type StoredNodes } from '../../../shared/core/proof/audit-nodes.ts';
import type { AuditedRow } from '../../../shared/core/proof/audit.ts';
import { EMPTY_FRONTIER, frontierNodes, grow } from '../../../shared/core/proof/frontier.ts';
import { hashLeaf } from '../../../shared/core/proof/merkle.ts';
import { isStoredLevel } from '../../../shared/core/proof/stored-levels.ts';
import { runs } from '../property/runs.ts';

const MAX_LEAVES = 1_024;

/** The first leaf that a version which stored only some levels has appended. */
const layout = fc.constantFrom(0, 100, 333, MAX_LEAVES);
const count = fc.integer({ min: 1, max: MAX_LEAVES });

interface Part {
  readonly rows: AuditedRow[];
  readonly stored: Map<string, Buffer>;
  readonly frontier: StoredNodes;
}

const leafHash = (i: number, version = 1): Buffer => Buffer.from(hashLeaf(Buffer.from(`leaf ${i} ${version}`)));
const rowOf = (index: number, hash: Buffer): AuditedRow => ({
  index,
  leafHash: hash,
  proofId: `proof ${index}`,
  entityId: '',
  event: '',
  occurredAt: '',
  chainIndex: index,
  previousHash: '',
  eventHash: '',
  source: undefined,
  isDropped: false,
  isUnfounded: false,
  decision: undefined,
  previous: undefined,
});

function partOf(size: number, sparseFrom: number): Part {
  const hashes = Array.from({ length: size }, (_, i) => leafHash(i));
  const { frontier, nodes } = grow(EMPTY_FRONTIER, hashes);
  const kept = nodes.filter(({ level, index }) => isStoredLevel(level) || (index + 1) * 2 ** level <= sparseFrom);
  const edge = new Map(
    frontierNodes(size).map(({ level, index }, i) => [`${level} ${index}`, Buffer.from(frontier.hashes[i] ?? [])]),
  );
  return {
    rows: hashes.map((hash, i) => rowOf(i, hash)),
    stored: new Map(kept.map(({ level, index, hash }) => [`${level} ${index}`, Buffer.from(hash)])),
    frontier: (level, index) => edge.get(`${level} ${index}`),
  };
}

function audit({ rows, stored, frontier }: Part) {
  const nodes: StoredNodes = (level, index) => stored.get(`${level} ${index}`);
  return auditNodes(
    { start: 0, rows, stored: nodes, frontier },
    rows.map((row) => row.leafHash),
  );
}

describe('a part of the log that is compared with its nodes', () => {
  it('fits as it was written, and lacks any node of a stored level that is deleted', () => {
    fc.assert(
      fc.property(count, layout, fc.nat(), (size, sparseFrom, nth) => {
        const part = partOf(size, sparseFrom);
        expect(audit(part)).to.include({ fits: true });
        const known = [...part.stored.keys()].filter((name) => isStoredLevel(Number(name.split(' ')[0])));
        const deleted = known[nth % known.length];
        if (deleted === undefined) return;
        part.stored.delete(deleted);
        expect(audit(part).findings.map(({ kind }) => kind)).to.deep.equal(['node-missing']);
      }),
      runs(60),
    );
  });

  it('never fits when one of its leaves was replaced, and names its group when a node covers it', () => {
    fc.assert(
      fc.property(count, layout, fc.nat(), (size, sparseFrom, nth) => {
        const part = partOf(size, sparseFrom);
        const index = nth % size;
        part.rows[index] = rowOf(index, leafHash(index, 2));
        const { fits, findings } = audit(part);
        // A last leaf alone is in the frontier as its own hash, which has a check of its own.
        const isAlone = size % 2 === 1 && index === size - 1;
        expect(fits).to.equal(isAlone);
        const isCovered = [...part.stored.keys()].some((name) => {
          const [level = 0, i = 0] = name.split(' ').map(Number);
          return Math.floor(index / 2 ** level) === i;
        });
        expect(findings.map(({ kind }) => kind)).to.deep.equal(isCovered ? ['leaves-replaced'] : []);
        for (const { leafIndex } of findings) expect(leafIndex).to.be.within(index - 31, index);
      }),
      runs(100),
    );
  });

  it('names two leaves that changed places, wherever nodes cover them', () => {
    fc.assert(
      fc.property(fc.constantFrom(64, 100, MAX_LEAVES), layout, fc.nat(), fc.nat(), (size, sparseFrom, one, other) => {
        const part = partOf(size, sparseFrom);
        const covered = size - (size % 32);
        const [a, b] = [one % covered, other % covered].sort((x, y) => x - y);
        if (a === undefined || b === undefined || a === b) return;
        part.rows[a] = rowOf(a, leafHash(b));
        part.rows[b] = rowOf(b, leafHash(a));
        expect(audit(part).findings.map(({ kind, leafIndex }) => [kind, leafIndex])).to.deep.equal([
          ['leaves-swapped', a],
        ]);
      }),
      runs(20),
    );
  });

  it('has an altered node as its one finding, wherever it is', () => {
    fc.assert(
      fc.property(count, layout, fc.nat(), (size, sparseFrom, nth) => {
        const part = partOf(size, sparseFrom);
        const names = [...part.stored.keys()];
        const altered = names[nth % names.length];
        if (altered === undefined) return;
        const [level = 0, index = 0] = altered.split(' ').map(Number);
        part.stored.set(altered, leafHash(0, 3));
        expect(audit(part).findings.map(({ kind, leafIndex }) => [kind, leafIndex])).to.deep.equal([
          ['node-altered', index * 2 ** level],
        ]);
      }),
      runs(60),
    );
  });
});

// A tree grown by its frontier equals the tree built from all leaves at once.
import { expect } from 'chai';
import fc from 'fast-check';
import {
  EMPTY_FRONTIER,
  type Frontier,
  frontierLength,
  frontierNodes,
  frontierRoot,
  grow,
} from '../../../shared/core/proof/frontier.ts';
import { hashLeaf, rootFromLeafHashes } from '../../../shared/core/proof/merkle.ts';

const leaves = Array.from({ length: 300 }, (_, i) => hashLeaf(Buffer.from(`leaf ${i}`)));
const hex = (hash: Uint8Array): string => Buffer.from(hash).toString('hex');

describe('frontier of a Merkle tree', () => {
  it('has the root over all leaves at every size up to 300', () => {
    let frontier: Frontier = EMPTY_FRONTIER;
    for (let size = 0; size <= 300; size += 1) {
      expect(hex(frontierRoot(frontier)), `size ${size}`).to.equal(hex(rootFromLeafHashes(leaves.slice(0, size))));
      expect(frontier.hashes.length).to.equal(frontierLength(size));
      const leaf = leaves[size];
      if (leaf !== undefined) ({ frontier } = grow(frontier, [leaf]));
    }
  });

  it('is the same however the leaves are split into batches, and completes each perfect node once', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 12 }), (batches) => {
        let frontier: Frontier = EMPTY_FRONTIER;
        const nodes = new Map<string, string>();
        for (const count of batches) {
          const grown = grow(frontier, leaves.slice(frontier.size, frontier.size + count));
          for (const { level, index, hash } of grown.nodes) {
            expect(nodes.has(`${level} ${index}`)).to.equal(false);
            nodes.set(`${level} ${index}`, hex(hash));
          }
          frontier = grown.frontier;
        }
        const { size } = frontier;
        expect(frontier).to.deep.equal(grow(EMPTY_FRONTIER, leaves.slice(0, size)).frontier);
        for (let level = 1; 2 ** level <= size; level += 1) {
          for (let index = 0; (index + 1) * 2 ** level <= size; index += 1) {
            const below = leaves.slice(index * 2 ** level, (index + 1) * 2 ** level);
            expect(nodes.get(`${level} ${index}`)).to.equal(hex(rootFromLeafHashes(below)));
          }
        }
        expect(nodes.size).to.equal(Math.max(0, size - frontierLength(size)));
      }),
    );
  });

  it('lists the perfect subtrees of its hashes', () => {
    for (let size = 0; size <= 100; size += 1) {
      const { frontier } = grow(EMPTY_FRONTIER, leaves.slice(0, size));
      const named = frontierNodes(size).map(({ level, index }) =>
        hex(rootFromLeafHashes(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level))),
      );
      expect(named).to.deep.equal(frontier.hashes.map(hex));
    }
  });
});

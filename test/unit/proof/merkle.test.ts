// RFC 6962 trees: reference vector, all small sizes against an independent implementation, and every kind of invalid proof.
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { MerkleTree } from 'merkletreejs';
import {
  consistencyPath,
  emptyRoot,
  hashChildren,
  hashLeaf,
  inclusionPath,
  type NodeReader,
  rootFromLeafHashes,
  verifyConsistency,
  verifyInclusion,
} from '../../../shared/core/proof/merkle.ts';

/** The leaves of the Certificate Transparency reference tree, hex. */
const REFERENCE = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const leaves = Array.from({ length: 200 }, (_, i) => hashLeaf(Buffer.from(`leaf ${i}`)));

/** Reads perfect nodes by computing them from the leaves, independently of the code under test. */
function reader(size: number): NodeReader {
  return (level, index) => {
    const width = 2 ** level;
    if ((index + 1) * width > size) throw new Error('an incomplete node was asked for');
    const key = `${level} ${index}`;
    const hash = nodes.get(key) ?? rootFromLeafHashes(leaves.slice(index * width, (index + 1) * width));
    nodes.set(key, hash);
    return hash;
  };
}
const nodes = new Map<string, Uint8Array>();

function roots(size: number): Uint8Array {
  return rootFromLeafHashes(leaves.slice(0, size));
}

/** Every proof that differs from this path in one bit, in length, or in order. */
function brokenPaths(path: readonly Uint8Array[]): Uint8Array[][] {
  const flipped = path.map((hash, i) => path.map((other, j) => (i === j ? flip(hash, (i * 37) % 256) : other)));
  return [...flipped, path.slice(1), path.slice(0, -1), [...path, emptyRoot()]].filter(
    (other) => other.length !== path.length || path.length > 0,
  );
}

function flip(hash: Uint8Array, bit: number): Uint8Array {
  const copy = Uint8Array.from(hash);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

describe('Merkle tree', () => {
  it('has the root of the Certificate Transparency reference leaves', () => {
    const hashes = REFERENCE.map((text) => hashLeaf(Buffer.from(text, 'hex')));
    expect(hex(rootFromLeafHashes(hashes))).to.equal(
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    );
  });

  it('has SHA-256 of the empty string as the root without leaves', () => {
    expect(hex(rootFromLeafHashes([]))).to.equal(createHash('sha256').digest('hex'));
  });

  it('has the roots of an independent implementation for all sizes up to 200', () => {
    const hashNode = (data: Buffer): Buffer => createHash('sha256').update(Uint8Array.of(1)).update(data).digest();
    for (let size = 1; size <= 200; size += 1) {
      const tree = new MerkleTree(
        leaves.slice(0, size).map((leaf) => Buffer.from(leaf)),
        hashNode,
      );
      expect(hex(roots(size)), `size ${size}`).to.equal(tree.getRoot().toString('hex'));
    }
  });

  it('proves the inclusion of every leaf at every size up to 200', () => {
    for (let size = 1; size <= 200; size += 1) {
      const root = roots(size);
      for (let index = 0; index < size; index += 1) {
        const path = inclusionPath(index, size, reader(size));
        const leafHash = leaves[index] ?? emptyRoot();
        expect(verifyInclusion({ index, size, leafHash, path, root }), `${index} of ${size}`).to.equal(true);
      }
    }
  }).timeout(120_000);

  it('refuses an inclusion proof with any bit, index, size, length or root changed', () => {
    for (const size of [1, 2, 3, 7, 8, 9, 64, 65, 100]) {
      const root = roots(size);
      for (let index = 0; index < size; index += 1) {
        const path = inclusionPath(index, size, reader(size));
        const leafHash = leaves[index] ?? emptyRoot();
        const proof = { index, size, leafHash, path, root };
        for (const wrong of brokenPaths(path)) expect(verifyInclusion({ ...proof, path: wrong })).to.equal(false);
        for (const other of [-1, index - 1, index + 1, size, 0.5, Number.NaN]) {
          if (other !== index) expect(verifyInclusion({ ...proof, index: other })).to.equal(false);
        }
        for (const other of [0, -1, size * 2 ** 40, 2 ** 60, Number.NaN]) {
          expect(verifyInclusion({ ...proof, size: other })).to.equal(false);
        }
        expect(verifyInclusion({ ...proof, root: flip(root, 9) })).to.equal(false);
        expect(verifyInclusion({ ...proof, leafHash: flip(leafHash, 200) })).to.equal(false);
      }
    }
  });

  it('proves consistency between every two sizes up to 80', () => {
    for (let to = 0; to <= 80; to += 1) {
      for (let from = 0; from <= to; from += 1) {
        const path = consistencyPath(from, to, reader(to));
        const proof = { from, to, fromRoot: roots(from), toRoot: roots(to), path };
        expect(verifyConsistency(proof), `${from} to ${to}`).to.equal(true);
      }
    }
  }).timeout(120_000);

  it('refuses a consistency proof with any bit, size, length or root changed', () => {
    for (const [from, to] of [
      [1, 2],
      [3, 7],
      [4, 7],
      [6, 8],
      [7, 8],
      [8, 13],
      [33, 64],
      [64, 65],
    ] as const) {
      const path = consistencyPath(from, to, reader(to));
      const proof = { from, to, fromRoot: roots(from), toRoot: roots(to), path };
      for (const wrong of brokenPaths(path))
        expect(verifyConsistency({ ...proof, path: wrong }), `${from} to ${to}`).to.equal(false);
      expect(verifyConsistency({ ...proof, fromRoot: flip(proof.fromRoot, 0) })).to.equal(false);
      expect(verifyConsistency({ ...proof, toRoot: flip(proof.toRoot, 255) })).to.equal(false);
      expect(verifyConsistency({ ...proof, from: to, to: from })).to.equal(false);
      expect(verifyConsistency({ ...proof, to: 2 ** 60 })).to.equal(false);
    }
  });

  it('hashes children in their order', () => {
    const [a, b] = [hashLeaf(Buffer.from('a')), hashLeaf(Buffer.from('b'))];
    expect(hex(hashChildren(a, b))).to.not.equal(hex(hashChildren(b, a)));
  });
});

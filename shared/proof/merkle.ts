// The stable path of the Merkle functions for other programs; the code is in shared/core/proof/merkle.ts.
export * from '../core/proof/merkle.ts';

// Schemas of the log: receipts, checkpoints, keys, consistency proofs.
import { Type } from 'typebox';
import { Hash, PublishedKeySchema, Size } from '../core/proof/shapes.ts';
import { closed, listOf, named, Nullable, Timestamp } from './common.ts';

export const Checkpoint = named('Checkpoint', { size: Size, root: Hash, note: Type.String(), signedAt: Timestamp });
export const CheckpointList = listOf(Checkpoint, 'CheckpointList');

export const LogKeys = listOf(PublishedKeySchema, 'LogKeys');

export const Range = closed({ from: Size, to: Size });

export const Consistency = named('Consistency', { from: Size, to: Size, path: Type.Array(Hash) });
export const LeafHashes = closed(
  { from: Size, to: Size, hashes: Type.Array(Hash) },
  {
    $id: 'LeafHashes',
    description: 'At most 1,000 hashes; `to` is the end of the returned range.',
  },
);

export const Verification = named('Verification', {
  valid: Type.Boolean(),
  failure: Nullable(Type.String({ description: 'The first check that failed.' })),
  sentence: Nullable(Type.String()),
  origin: Nullable(Type.String()),
  size: Nullable(Size),
  root: Nullable(Hash),
  index: Nullable(Size),
  proofId: Nullable(Type.String()),
});

// Schemas of the log: receipts, checkpoints, keys, consistency proofs.
import { Type } from 'typebox';
import { Hash, PublishedKeySchema, Size } from '../core/proof/shapes.ts';
import { closed, listOf, named, Nullable, Timestamp } from './common.ts';

export const Checkpoint = named('Checkpoint', {
  size: Size,
  root: Hash,
  note: Type.String({ description: 'The signed note (C2SP tlog-checkpoint).' }),
  signedAt: Timestamp,
});
export const CheckpointList = listOf(Checkpoint, 'CheckpointList');

export const LogKeys = listOf(PublishedKeySchema, 'LogKeys');

const FROM_TO = {
  from: Type.Integer({ ...Size, description: 'The smaller number of leaves.' }),
  to: Type.Integer({ ...Size, description: 'The larger one.' }),
};
export const Range = closed(FROM_TO);

export const Consistency = named('Consistency', {
  ...FROM_TO,
  path: Type.Array(Hash, { description: 'The consistency path.' }),
});
export const LeafHashes = closed(
  { ...FROM_TO, hashes: Type.Array(Hash, { description: 'Of the leaves from `from` up to `to`.' }) },
  {
    $id: 'LeafHashes',
    description: 'At most 1,000 hashes; `to` is the end of the returned range.',
  },
);

export const Verification = named('Verification', {
  valid: Type.Boolean({ description: 'Whether every check passed.' }),
  failure: Nullable(Type.String({ description: 'The first check that failed.' })),
  sentence: Nullable(Type.String({ description: 'The failure in words.' })),
  origin: Nullable(Type.String({ description: 'The log.' })),
  size: Nullable(Size),
  root: Nullable(Hash),
  index: Nullable(Type.Integer({ ...Size, description: 'Position in the log.' })),
  proofId: Nullable(Type.String({ description: 'Names the record.' })),
});

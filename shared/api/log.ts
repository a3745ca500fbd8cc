// Schemas of the log: receipts, checkpoints, keys, consistency proofs.
import { Type } from 'typebox';
import { closed, Cursor, Limit, listOf, named, Nullable, StringEnum, Timestamp } from './common.ts';

const Hash = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256, lower-case hex.' });
const Size = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const ReceiptSchema = named('Receipt', {
  format: Type.Literal('custos-receipt/1'),
  status: StringEnum(['anchored']),
  proofId: Type.String(),
  record: Type.String({ description: 'Base64 of the canonical bytes.' }),
  index: Type.Integer({ minimum: 0, description: 'Position in the log.' }),
  path: Type.Array(Hash, { description: 'The inclusion path, nearest first.' }),
  checkpoint: Type.String({ description: 'A signed note (C2SP tlog-checkpoint), the only source of size and root.' }),
});

export const Checkpoint = named('Checkpoint', { size: Size, root: Hash, note: Type.String(), signedAt: Timestamp });
export const CheckpointList = listOf(Checkpoint, 'CheckpointList');
export const CheckpointListQuery = closed({ cursor: Type.Optional(Cursor), limit: Type.Optional(Limit) });

export const LogKeys = Type.Array(
  closed({
    keyId: Type.String(),
    vkey: Type.String({ description: 'A C2SP note verifier key.' }),
    use: StringEnum(['log', 'promise']),
    firstSize: Size,
    lastSize: Nullable(Size),
  }),
  { $id: 'LogKeys' },
);

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

// The shapes of receipts, promises and published keys. Others import the types alone, because `custos verify` should not load typebox.
import { Type } from 'typebox';
import { closed, named, Nullable, type Shape, StringEnum, Timestamp } from '../../kernel/schema.ts';

export const Hash = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256, lower-case hex.' });
export const Size = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'A number of leaves.',
});

/** A receipt, as `GET /v1/proofs/{id}` returns it. */
export const ReceiptSchema = named('Receipt', {
  format: Type.Literal('custos-receipt/1', { description: 'The version of this form.' }),
  status: StringEnum(['anchored'], { description: 'A receipt is of an anchored record.' }),
  proofId: Type.String({ description: 'Names the record.' }),
  record: Type.String({ description: 'Base64 of the canonical bytes.' }),
  index: Type.Integer({ minimum: 0, description: 'Position in the log.' }),
  path: Type.Array(Hash, { description: 'The inclusion path, nearest first.' }),
  checkpoint: Type.String({ description: 'A signed note (C2SP tlog-checkpoint), the only source of size and root.' }),
});
export type Receipt = Shape<typeof ReceiptSchema>;

/** Refers to the Merkle tree of the promises that were signed together; all of them are of one log. */
export const PromiseBatchSchema = named(
  'PromiseBatch',
  {
    size: Type.Integer({
      ...Size,
      minimum: 2,
      description: 'How many promises were signed together.',
    }),
    index: Type.Integer({ minimum: 0, description: 'The place of this promise among them.' }),
    path: Type.Array(Hash, { description: 'The inclusion path (RFC 9162), nearest first.' }),
    signature: Type.String({ description: 'Ed25519, base64, of the root and the size.' }),
  },
  { description: 'One signature for several promises of a log.' },
);
export type PromiseBatch = Shape<typeof PromiseBatchSchema>;

export const PromiseSchema = closed(
  {
    log: Type.String({ description: 'Origin of the log.' }),
    proofId: Type.String({ description: 'Names the record.' }),
    recordDigest: Type.String({
      description: "SHA-256 of the record's canonical bytes without its previousHash, lower-case hex.",
    }),
    issuedAt: Timestamp,
    deadline: Timestamp,
    keyId: Type.String({ description: 'The thumbprint of the promise key.' }),
    signature: Type.Optional(
      Type.String({ description: 'Ed25519, base64, of this promise alone; /v1/log/keys has the key.' }),
    ),
    batch: Type.Optional(PromiseBatchSchema),
  },
  {
    $id: 'Promise',
    description:
      'A signed promise that the record will be in the log by the deadline, with `signature` or `batch`. `custos verify promise.json --log FILE` detects a broken one.',
  },
);
export type SignedPromise = Shape<typeof PromiseSchema>;
export type PromiseClaims = Omit<SignedPromise, 'signature' | 'batch'>;

/** One entry of `GET /v1/log/keys`. */
export const PublishedKeySchema = closed({
  keyId: Type.String({ description: 'Its thumbprint (RFC 7638).' }),
  vkey: Type.String({
    description: 'A C2SP note verifier key, named by the origin of the log, or `<origin>/promise`.',
  }),
  use: StringEnum(['log', 'promise'], { description: 'What it signs: checkpoints, or promises.' }),
  firstSize: Type.Integer({ ...Size, description: 'The smallest tree that it may sign; 0 of a promise key.' }),
  lastSize: Nullable(
    Type.Integer({ ...Size, description: 'The largest one; null while it signs, and of a promise key.' }),
  ),
});
export type PublishedKey = Shape<typeof PublishedKeySchema>;

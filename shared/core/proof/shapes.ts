// The shapes of receipts, promises and published keys. Others import the types alone, because `custos verify` should not load typebox.
import { Type } from 'typebox';
import { closed, named, Nullable, type Shape, StringEnum, Timestamp } from '../../kernel/schema.ts';

export const Hash = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256, lower-case hex.' });
export const Size = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** A receipt, as `GET /v1/proofs/{id}` returns it. */
export const ReceiptSchema = named('Receipt', {
  format: Type.Literal('custos-receipt/1'),
  status: StringEnum(['anchored']),
  proofId: Type.String(),
  record: Type.String({ description: 'Base64 of the canonical bytes.' }),
  index: Type.Integer({ minimum: 0, description: 'Position in the log.' }),
  path: Type.Array(Hash, { description: 'The inclusion path, nearest first.' }),
  checkpoint: Type.String({ description: 'A signed note (C2SP tlog-checkpoint), the only source of size and root.' }),
});
export type Receipt = Shape<typeof ReceiptSchema>;

export const PromiseSchema = closed(
  {
    log: Type.String({ description: 'Origin of the log.' }),
    proofId: Type.String(),
    // SHA-256 of the record's canonical bytes without its previousHash, lower-case hex.
    recordDigest: Type.String(),
    issuedAt: Timestamp,
    deadline: Timestamp,
    // Thumbprint of the promise key.
    keyId: Type.String(),
    signature: Type.String({ description: 'Ed25519, base64; /v1/log/keys has the key.' }),
  },
  {
    $id: 'Promise',
    description:
      'A signed promise that the record will be in the log by the deadline. `custos verify promise.json --log FILE` detects a broken one.',
  },
);
export type SignedPromise = Shape<typeof PromiseSchema>;
export type PromiseClaims = Omit<SignedPromise, 'signature'>;

/** One entry of `GET /v1/log/keys`. */
export const PublishedKeySchema = closed({
  keyId: Type.String(),
  // Its name is the origin, or `<origin>/promise`.
  vkey: Type.String({ description: 'A C2SP note verifier key.' }),
  use: StringEnum(['log', 'promise']),
  // The smallest and the largest tree that the key may sign; null means that it still signs. A promise key has 0 and null.
  firstSize: Size,
  lastSize: Nullable(Size),
});
export type PublishedKey = Shape<typeof PublishedKeySchema>;

// Proofs as the HTTP interface has them.
import { Type, type Static } from 'typebox';
import { CallerId, Cursor, Instant, JsonObject, Limit, listOf, Nullable, StringEnum, Timestamp } from './common.ts';

/** The name of what is proven: as an identifier, and not one of the service's own (`custos.*`). */
export const EventName = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^(?!\\.{1,2}$)(?!custos\\.)[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  description: 'What is proven: 1 to 256 characters, no control characters, not beginning with "custos.".',
  examples: ['invoice.approved'],
});

export const ProofCreate = Type.Object(
  {
    event: EventName,
    entityId: CallerId,
    payload: JsonObject({
      description: 'Any JSON object. It is kept for ever, unchanged.',
      examples: [{ invoice: 'INV-7', amount: 120 }],
    }),
    proofId: Type.Optional(CallerId),
  },
  { $id: 'ProofCreate', additionalProperties: false },
);
export type ProofCreateBody = Static<typeof ProofCreate>;

export const ProofBatchCreate = Type.Object(
  { proofs: Type.Array(ProofCreate, { minItems: 1, maxItems: 1_000 }) },
  { $id: 'ProofBatchCreate', additionalProperties: false },
);

export const PromiseSchema = Type.Object(
  {
    log: Type.String({ description: 'Origin of the log.' }),
    proofId: Type.String(),
    recordDigest: Type.String(),
    issuedAt: Timestamp,
    deadline: Timestamp,
    keyId: Type.String(),
    signature: Type.String({ description: 'Ed25519, base64; /v1/log/keys has the key.' }),
  },
  {
    $id: 'Promise',
    additionalProperties: false,
    description:
      'Signed: the record will be in the log by the deadline. `custos verify promise.json --log FILE` shows a broken one.',
  },
);

export const ProofAccepted = Type.Object(
  {
    proofId: Type.String(),
    status: StringEnum(['pending', 'anchored']),
    recordDigest: Type.String({
      description: 'SHA-256 of JCS of the record without its previousHash, lower-case hex.',
    }),
    promise: PromiseSchema,
  },
  { $id: 'ProofAccepted', additionalProperties: false },
);

export const ProofBatchAccepted = Type.Object(
  { proofs: Type.Array(ProofAccepted) },
  { $id: 'ProofBatchAccepted', additionalProperties: false },
);

export const Proof = Type.Object(
  {
    proofId: Type.String(),
    status: StringEnum(['anchored']),
    event: Type.String(),
    entityId: Type.String(),
    record: Type.String({ description: 'Base64 of the canonical bytes.' }),
    index: Type.Integer({ minimum: 0, description: 'Position in the log.' }),
    chainIndex: Type.Integer({ minimum: 0, description: "Position in the entity's chain." }),
    eventHash: Type.String(),
    previousHash: Type.String(),
    occurredAt: Timestamp,
    anchoredAt: Timestamp,
  },
  { $id: 'Proof', additionalProperties: false },
);

export const ProofIdParams = Type.Object({ id: CallerId }, { additionalProperties: false });
/** Chains of the service's own entities can be read: only callers may not make them. */
export const EntityIdParams = Type.Object(
  { entityId: Type.String({ minLength: 1, maxLength: 256 }) },
  { additionalProperties: false },
);

export const ProofListItem = Type.Object(
  {
    proofId: Type.String(),
    status: StringEnum(['pending', 'anchored']),
    event: Type.String(),
    entityId: Type.String(),
    index: Nullable(Type.Integer({ minimum: 0 })),
    occurredAt: Timestamp,
  },
  { $id: 'ProofListItem', additionalProperties: false },
);
export const ProofList = listOf(ProofListItem, 'ProofList');
export const ProofListQuery = Type.Object(
  {
    entityId: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    event: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    from: Type.Optional(Instant),
    to: Type.Optional(Instant),
    cursor: Type.Optional(Cursor),
    limit: Type.Optional(Limit),
  },
  { additionalProperties: false },
);

export const ProofChain = Type.Object(
  {
    entityId: Type.String(),
    head: Nullable(
      Type.Object({ chainIndex: Type.Integer(), eventHash: Type.String() }, { additionalProperties: false }),
    ),
    items: Type.Array(Proof),
    nextCursor: Nullable(Type.String()),
  },
  { $id: 'ProofChain', additionalProperties: false },
);
export const ProofChainQuery = Type.Object(
  { cursor: Type.Optional(Cursor), limit: Type.Optional(Limit) },
  { additionalProperties: false },
);

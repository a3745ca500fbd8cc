// Schemas of proofs.
import { Type, type Static } from 'typebox';
import { PromiseSchema } from '../core/proof/shapes.ts';
import {
  CallerId,
  closed,
  Instant,
  JsonObject,
  listOf,
  named,
  Nullable,
  PAGE,
  StringEnum,
  Timestamp,
} from './common.ts';

/** The name of a proven event, other than the service's own (`custos.*`). */
export const EventName = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^(?!\\.{1,2}$)(?!custos\\.)[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  description: 'What is proven: 1 to 256 characters, no control characters, not beginning with "custos.".',
  examples: ['invoice.approved'],
});

export const ProofCreate = named('ProofCreate', {
  event: EventName,
  entityId: CallerId,
  payload: JsonObject({
    description: 'Any JSON object. It is stored permanently, unchanged.',
    examples: [{ invoice: 'INV-7', amount: 120 }],
  }),
  proofId: Type.Optional(CallerId),
});
export type ProofCreateBody = Static<typeof ProofCreate>;

export const ProofBatchCreate = named('ProofBatchCreate', {
  proofs: Type.Array(ProofCreate, { minItems: 1, maxItems: 1_000 }),
});

export const ProofAccepted = named('ProofAccepted', {
  proofId: Type.String(),
  status: StringEnum(['pending', 'anchored']),
  recordDigest: Type.String({
    description: 'SHA-256 of JCS of the record without its previousHash, lower-case hex.',
  }),
  promise: PromiseSchema,
});

export const ProofBatchAccepted = named('ProofBatchAccepted', { proofs: Type.Array(ProofAccepted) });

export const Proof = named('Proof', {
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
});

export const ProofIdParams = closed({ id: CallerId });
/** Without a pattern, because the chains of the service's own entities can be read. */
export const EntityIdParams = closed({ entityId: Type.String({ minLength: 1, maxLength: 256 }) });

export const ProofListItem = named('ProofListItem', {
  proofId: Type.String(),
  status: StringEnum(['pending', 'anchored']),
  event: Type.String(),
  entityId: Type.String(),
  index: Nullable(Type.Integer({ minimum: 0 })),
  occurredAt: Timestamp,
});
export const ProofList = listOf(ProofListItem, 'ProofList');
export const ProofListQuery = closed({
  entityId: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  event: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  from: Type.Optional(Instant),
  to: Type.Optional(Instant),
  ...PAGE,
});

export const ProofChain = named('ProofChain', {
  entityId: Type.String(),
  head: Nullable(closed({ chainIndex: Type.Integer(), eventHash: Type.String() })),
  items: Type.Array(Proof),
  nextCursor: Nullable(Type.String()),
});

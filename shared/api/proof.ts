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
  proofs: Type.Array(ProofCreate, { minItems: 1, maxItems: 1_000, description: 'Anchored in this order.' }),
});

const ProofId = Type.String({ description: 'Names the record.' });
const ProofStatus = StringEnum(['pending', 'anchored'], {
  description: 'pending: accepted and durable; anchored: in the log.',
});
const EntityId = Type.String({ description: 'What the record is about.' });

export const ProofAccepted = named('ProofAccepted', {
  proofId: ProofId,
  status: ProofStatus,
  recordDigest: Type.String({
    description: 'SHA-256 of JCS of the record without its previousHash, lower-case hex.',
  }),
  promise: PromiseSchema,
});

export const ProofBatchAccepted = named('ProofBatchAccepted', {
  proofs: Type.Array(ProofAccepted, { description: 'In the order of the request.' }),
});

export const Proof = named('Proof', {
  proofId: ProofId,
  status: StringEnum(['anchored'], { description: 'It is in the log.' }),
  event: Type.String({ description: 'What is proven.' }),
  entityId: EntityId,
  record: Nullable(
    Type.String({ description: 'Base64 of the canonical bytes; null: older than what is kept, and dropped.' }),
  ),
  index: Type.Integer({ minimum: 0, description: 'Position in the log.' }),
  chainIndex: Type.Integer({ minimum: 0, description: "Position in the entity's chain." }),
  eventHash: Type.String({ description: 'SHA-256 of the record.' }),
  previousHash: Type.String({ description: "The eventHash of the record before it in the entity's chain." }),
  occurredAt: Timestamp,
  anchoredAt: Timestamp,
});

export const ProofIdParams = closed({ id: CallerId });
/** Without a pattern, because the chains of the service's own entities can be read. */
export const EntityIdParams = closed({
  entityId: Type.String({ minLength: 1, maxLength: 256, description: 'What the records are about.' }),
});

export const ProofListItem = named('ProofListItem', {
  proofId: ProofId,
  status: ProofStatus,
  event: Type.String({ description: 'What is proven.' }),
  entityId: EntityId,
  index: Nullable(Type.Integer({ minimum: 0, description: 'Position in the log.' })),
  occurredAt: Timestamp,
});
export const ProofList = listOf(ProofListItem, 'ProofList');
export const ProofListQuery = closed({
  entityId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: 'Only records about this entity.' }),
  ),
  event: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: 'Only records of this event.' })),
  from: Type.Optional(Instant),
  to: Type.Optional(Instant),
  ...PAGE,
});

export const ProofChain = named('ProofChain', {
  entityId: EntityId,
  head: Nullable(
    closed(
      {
        chainIndex: Type.Integer({ description: 'Its position in the chain.' }),
        eventHash: Type.String({ description: 'SHA-256 of the record.' }),
      },
      { description: 'The newest record of the chain; null: there is none.' },
    ),
  ),
  ...listOf(Proof).properties,
});

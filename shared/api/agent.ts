// Schemas of agents.
import { Type, type Static } from 'typebox';
import { MAX_ATTRIBUTES } from '../core/attributes/schema.ts';
import { AGENT_STATUSES, LABEL, LABELS_MAX } from '../kernel/vocabulary.ts';
import {
  CallerId,
  closed,
  JsonObject,
  listOf,
  named,
  NO_NUL,
  Nullable,
  PAGE,
  reasonText,
  StringEnum,
  Timestamp,
} from './common.ts';
import { SCORED } from './trust.ts';

const NAME = { description: 'For people.' };
const CAPABILITIES = { description: 'What it is made for; a fact for policies.' };
const TAGS = { description: 'Words of your own; a fact for policies.' };
const ATTRIBUTES = {
  description: 'Facts `agent.attributes.<name>` of policies, declared with their types in attributes.json of the set.',
  examples: [{ team: 'finance' }],
};
const DESCRIPTION = { description: 'What it does, for people.' };
const Label = Type.String(LABEL);
const Name = Type.String({ ...Label, ...NAME });
const labels = (options: object) =>
  Type.Optional(Type.Array(Label, { maxItems: LABELS_MAX, uniqueItems: true, ...options }));
const Description = Type.String({ maxLength: 2_000, pattern: NO_NUL, ...DESCRIPTION });
const Attributes = JsonObject({ maxProperties: MAX_ATTRIBUTES, ...ATTRIBUTES });
const Metadata = JsonObject({ description: 'An object of your own, at most 16 kB of JSON; returned unchanged.' });

export const AgentStatusSchema = StringEnum(AGENT_STATUSES, {
  description:
    'ACTIVE and PAUSED change into each other, both into SUSPENDED and back, and each into TERMINATED, which is final. Agents that are not ACTIVE are denied.',
});

export const AgentIdParams = closed({ agentId: CallerId });

export const AgentCreate = named('AgentCreate', {
  agentId: Type.Optional(CallerId),
  name: Name,
  description: Type.Optional(Description),
  capabilities: labels(CAPABILITIES),
  tags: labels(TAGS),
  attributes: Type.Optional(Attributes),
  metadata: Type.Optional(Metadata),
});

/** Of a reason for a change of status, in characters: as long as that of an approval. */
const MAX_REASON = 1_000;

export const AgentUpdate = closed(
  {
    name: Type.Optional(Name),
    description: Type.Optional(Nullable(Description)),
    capabilities: labels(CAPABILITIES),
    tags: labels(TAGS),
    attributes: Type.Optional(Attributes),
    metadata: Type.Optional(Nullable(Metadata)),
    status: Type.Optional(AgentStatusSchema),
    reason: Type.Optional(
      reasonText(MAX_REASON, {
        description:
          'Why the status changes; only together with `status`. Stored in the log permanently, on the chain of the agent.',
        examples: ['It retries a denied transfer every minute, incident 42'],
      }),
    ),
  },
  { $id: 'AgentUpdate', minProperties: 1 },
);

export const TrustSummary = named(
  'TrustSummary',
  {
    ...SCORED,
    uncertainty: Type.Number({ minimum: 0, maximum: 1, description: '1 without any evidence.' }),
  },
  { description: 'The trust in the agent now.' },
);

export const Agent = named('Agent', {
  agentId: Type.String({ description: 'Names it, for ever.' }),
  name: Type.String(NAME),
  description: Nullable(Type.String(DESCRIPTION)),
  capabilities: Type.Array(Type.String(), CAPABILITIES),
  tags: Type.Array(Type.String(), TAGS),
  attributes: JsonObject(ATTRIBUTES),
  attributesIgnored: Type.Optional(
    Type.Array(
      closed({
        name: Type.String({ description: 'The attribute.' }),
        message: Type.String({ description: 'How it contradicts its declaration.' }),
      }),
      {
        description:
          'Attributes that contradict the declarations of the policy set in force: rules count them as missing. Absent: none.',
      },
    ),
  ),
  metadata: Nullable(Metadata),
  status: AgentStatusSchema,
  trust: TrustSummary,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type AgentBody = Static<typeof Agent>;

export const AgentList = listOf(Agent, 'AgentList');
export const AgentListQuery = closed({
  status: Type.Optional(AgentStatusSchema),
  ...PAGE,
});

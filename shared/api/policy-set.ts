// Schemas of policy sets and findings.
import { Type } from 'typebox';
import { FindingSchema } from '../core/policy/types.ts';
import { ACTIVATION_SOURCES } from '../domain/policy-sets/activate.ts';
import { StringEnum } from '../kernel/schema.ts';
import { closed, JsonObject, named, Nullable, Timestamp } from './common.ts';

export const PolicySetDigest = Type.String({
  description: 'SHA-256, in hex, of the canonical JSON of the set.',
});
const Policies = Type.Array(JsonObject({ description: 'A policy: see /schemas/policy.json.' }));
const Tools = Type.Optional(Type.Array(JsonObject({ description: 'A tool catalogue: see /schemas/tools.json.' })));

const Authzen = Type.Optional(
  JsonObject({ description: 'The action names of AuthZEN requests: see /schemas/authzen.json.' }),
);

export const Author = Type.String({
  description: '`folder`, the id of a key, or `cli:` and the name of a user of the shell.',
});
export const Source = StringEnum(ACTIVATION_SOURCES, { description: 'Where the set comes from.' });
const Resources = Type.Optional(
  Type.Array(JsonObject({ description: 'A resource with its attributes: see /schemas/resource.json.' })),
);
const Attributes = Type.Optional(
  JsonObject({ description: 'The attributes of agents and resources: see /schemas/attributes.json.' }),
);
const Terms = Type.Optional(JsonObject({ description: 'Named conditions and constants: see /schemas/terms.json.' }));

const Misfits = Type.Array(
  closed({
    policy: Type.String({ description: 'The id of the own policy.' }),
    pointer: Type.String({ description: 'RFC 6901, into the policy.' }),
    message: Type.String({ description: 'Why it does not fit.' }),
  }),
  {
    description:
      "Own policies that are no longer valid beside the installation's set. Each denies its target until it is pushed again.",
  },
);
const OrganisationSetInfo = closed(
  {
    organisation: Type.String({ description: 'The slug.' }),
    digest: Nullable(PolicySetDigest),
    hasOwn: Type.Boolean({ description: 'Whether the organisation has policies of its own.' }),
    staged: Nullable(PolicySetDigest),
    author: Nullable(Author),
    reason: Nullable(Type.String({ description: 'Why it was changed last.' })),
    misfits: Misfits,
  },
  {
    description:
      "An organisation whose set is not the installation's. `digest` null: its row was changed past the service, and its requests are refused.",
  },
);

export const PolicySetStatus = named('PolicySetStatus', {
  own: Type.Optional(
    closed(
      {
        policies: Type.Array(Type.String(), { description: 'Their ids among `policies`.' }),
        author: Nullable(Author),
        reason: Nullable(Type.String({ description: 'Why they were pushed.' })),
        misfits: Misfits,
      },
      { description: "The organisation's own policies; absent without any, and for the operator." },
    ),
  ),
  organisations: Type.Optional(
    Type.Array(OrganisationSetInfo, {
      description: "For the operator: organisations whose set is not the installation's.",
    }),
  ),
  digest: PolicySetDigest,
  activatedAt: Timestamp,
  author: Author,
  reason: Nullable(Type.String({ description: 'Why it was put into force; the folder gives no reason.' })),
  source: Source,
  attributes: Attributes,
  policies: Policies,
  resources: Resources,
  terms: Terms,
  tools: Tools,
  folder: closed(
    {
      digest: Nullable(PolicySetDigest),
      isFollowed: Type.Boolean({
        description:
          'Whether edits come into force. False after a push or a rollback, until POST /v1/policies/follow-folder.',
      }),
    },
    { description: 'The policy folder. `digest` is that of its last valid content, null while it has errors.' },
  ),
  lastRead: closed(
    {
      at: Nullable(Timestamp),
      ok: Type.Boolean({ description: 'Whether the folder was accepted.' }),
      findings: Type.Array(FindingSchema, { description: 'Problems and warnings.' }),
    },
    {
      description: 'The last reading of the policy folder. A refused folder leaves the active set in force.',
    },
  ),
});

export const StoredPolicySet = named('StoredPolicySet', {
  digest: PolicySetDigest,
  createdAt: Timestamp,
  attributes: Attributes,
  authzen: Authzen,
  engine: Type.Integer({ description: 'The version of the rules of evaluation.' }),
  installationDigest: Type.Optional(PolicySetDigest),
  lexicon: JsonObject({ description: 'See /schemas/lexicon.json.' }),
  organisation: Type.Optional(
    JsonObject({
      description:
        'Own policies of an organisation: {placeholders, policies, slug}. The digest is then that of {engine, installation, organisation}.',
    }),
  ),
  placeholders: Type.Optional(Type.Boolean({ description: 'Messages have placeholders.' })),
  policies: Policies,
  resources: Resources,
  terms: Terms,
  tools: Tools,
  withheld: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Number of parts that are for other organisations alone, which only the operator sees.',
    }),
  ),
});

export const PolicyDigestParams = closed({
  digest: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of the set: SHA-256, lower-case hex.' }),
});

export const ValidatePoliciesRequest = named('ValidatePoliciesRequest', {
  files: Type.Array(
    closed({
      path: Type.String({
        minLength: 1,
        maxLength: 300,
        description:
          'The kind of file, and what findings name: `tools/...` a tool catalogue, `resources/...` a resource, attributes.json, terms.json, authzen.json, lexicon.json or `lexicon/...`; else a policy.',
      }),
      text: Type.String({ description: 'The text of the file.' }),
    }),
    {
      minItems: 1,
      maxItems: 1_000,
      description: 'A lexicon may be among them; else that in force is used.',
    },
  ),
});

export const ValidatePoliciesResponse = named('ValidatePoliciesResponse', {
  valid: Type.Boolean({ description: 'Whether the files may come into force.' }),
  digest: Nullable(PolicySetDigest),
  findings: Type.Array(FindingSchema, { description: 'Problems and warnings, by file and position.' }),
});

// The parts of the policy test schema: fixtures, facts and expectations, and a helper for members.
import { MAX_AMOUNT } from '../budget-limits.ts';
import { type Static, type TSchema, Type } from 'typebox';
import { AGENT_STATUSES, ENVIRONMENTS, RISK_LEVELS, VERDICTS } from '../../../kernel/vocabulary.ts';
import type { AgentStatus, Environment, RiskLevel, Verdict } from '../../../kernel/vocabulary.ts';
import type { Approvers } from '../approvers.ts';
import { APPROVERS, conditional } from '../schema-parts.ts';
import { DEFINITION_DIGEST_PATTERN, type ToolAnnotations, type ToolCall } from '../../tools/call.ts';
import { ARGUMENT_PATH, ATTRIBUTE_PATH, CONTEXT_PATH, fullPath, VOCABULARY, WITH_ATTRIBUTES } from '../vocabulary.ts';
import { SETTABLE, valueSchema } from './settable.ts';
import { TEST_DEFAULTS } from './defaults.ts';

/** A schema as plain JSON, with the type of its values. */
type Typed<T> = TSchema & { '~unsafe': T };
export const typed = <T>(schema: object): Typed<T> => Type.Unsafe<T>(schema);

/** A schema member with its description, examples and constraints. */
export function field<T>(
  description: string,
  examples: readonly unknown[],
  rest: Typed<T> | Readonly<Record<string, unknown>>,
): Typed<T> {
  return typed<T>({ description, examples, ...rest });
}
export const text = (description: string, example: string, rest: object = {}): Typed<string> =>
  field(description, [example], { type: 'string', minLength: 1, maxLength: 256, ...rest });
const flag = (description: string, example: boolean): Typed<boolean> =>
  field(description, [example], { type: 'boolean' });
export const amount = (description: string, example: number, maximum: number, type = 'integer'): Typed<number> =>
  field(description, [example], { type, minimum: 0, maximum });
/** A reference to a definition, which has the type of the definition. */
export const refer = <S extends TSchema>(name: string, _of: S, described: object = {}): Typed<Static<S>> =>
  typed({ ...described, $ref: `#/$defs/${name}` });

type Members = Readonly<Record<string, TSchema>>;
type ObjectOf<M extends Members, Required extends keyof M> = { [Name in Required]: Static<M[Name]> } & {
  [Name in Exclude<keyof M, Required>]?: Static<M[Name]>;
};
interface Described<Name> {
  readonly description: string;
  readonly examples: readonly unknown[];
  readonly required?: readonly Name[];
}
export const closed = <M extends Members, const Required extends keyof M = never>(
  properties: M,
  { description, examples, required }: Described<Required>,
): Typed<ObjectOf<M, Required>> =>
  field(description, examples, {
    type: 'object',
    additionalProperties: false,
    ...(required === undefined ? {} : { required }),
    properties,
  });

/** Without dots and colons, so that no name can be mistaken for an intent. */
const NAME = '^[A-Za-z0-9][A-Za-z0-9 _-]{0,79}$';
export const fixtures = <S extends TSchema>(
  of: S,
  description: string,
  example: object,
): Typed<Record<string, Static<S>>> =>
  field(`${description} Names have neither a dot nor a colon.`, [example], {
    type: 'object',
    propertyNames: { pattern: NAME },
    additionalProperties: of,
  });
export const strings = (description: string, example: readonly string[], rest: object = {}): Typed<string[]> =>
  field(description, [example], {
    type: 'array',
    uniqueItems: true,
    maxItems: 1_000,
    items: { type: 'string', minLength: 1, maxLength: 2_048 },
    ...rest,
  });

/** A string or an object. Not `anyOf`, which would report the mistakes of both alternatives. */
export const choice = <T, U>(ofText: Typed<T>, ofObject: Typed<U>): Typed<T | U> =>
  typed({ type: ['string', 'object'], ...conditional({ type: 'object' }, ofObject, ofText) });
/** The name of a fixture, in a choice. */
export const aName = typed<string>({});

export const verdict = typed<Verdict>({ type: 'string', enum: VERDICTS });
export const environment = (description: string): Typed<Environment> =>
  field(description, ['live'], { type: 'string', enum: ENVIRONMENTS });
export const now = text(
  `the time at which the question is asked, RFC 3339; absent: that of the file, else ${TEST_DEFAULTS.now}`,
  '2026-03-02T23:30:00Z',
);
export const organisation = text(
  `the slug of the organisation that asks; absent: that of the file, else "${TEST_DEFAULTS.organisation}"`,
  'acme',
);

const counts = (words: string): Typed<Partial<Record<Verdict, number>>> =>
  closed(
    Object.fromEntries(
      VERDICTS.map((name) => [name, amount(`${name} decisions in the last ${words}`, 3, 1_000_000_000)]),
    ),
    { description: `decisions of the last ${words}, by verdict`, examples: [{ DENY: 3 }] },
  );
export const history = closed(
  { last_60s: counts('60 seconds'), last_1h: counts('hour'), last_24h: counts('24 hours') },
  {
    description: "the agent's decisions by verdict; what is absent is 0, or what the shorter window has",
    examples: [{ last_60s: { DENY: 5 } }],
  },
);

export type TestHistory = Static<typeof history>;

export const budgets = field<Record<string, number>>(
  'what was used of budgets before, by name; absent: nothing',
  [{ refunds: 490 }],
  {
    type: 'object',
    propertyNames: { pattern: '^[a-z0-9][a-z0-9-]{0,63}$' },
    additionalProperties: { type: 'number', minimum: 0, maximum: MAX_AMOUNT },
  },
);

export const agent = closed(
  {
    id: text('the id of the agent; absent: the name of the fixture', 'release-bot'),
    registered: flag('whether somebody registered the agent; absent: true', false),
    status: field<AgentStatus>('the status of a registered agent; absent: ACTIVE', ['PAUSED'], {
      type: 'string',
      enum: AGENT_STATUSES,
    }),
    score: amount('the recorded trust score; absent: the lowest of "level", else that of no evidence', 700, 1_000),
    level: amount('the recorded trust level, when "score" is absent', 4, 7),
    uncertainty: amount(
      `how little evidence there is; absent: ${TEST_DEFAULTS.uncertainty}, or 1 without score and level`,
      0.2,
      1,
      'number',
    ),
    capabilities: strings('the capabilities the agent was registered with', ['deploy']),
    tags: strings('the tags the agent was registered with', ['team-a']),
    attributes: field<Record<string, unknown>>(
      'the attributes of the agent, as attributes.json declares them',
      [{ team: 'finance' }],
      { type: 'object' },
    ),
    history: refer('history', history),
  },
  {
    description:
      'an agent and what is recorded of it; an unregistered one never has more than the trust of no evidence',
    examples: [{ level: 4 }, { registered: false }, { score: 900, tags: ['team-a'] }],
  },
);

export type TestAgent = Static<typeof agent>;

export const key = closed(
  {
    id: text(`the id of the API key that asks; absent: "${TEST_DEFAULTS.keyId}"`, 'key_ci'),
    bound: flag('whether the key is bound to agents; absent: false', true),
    tags: strings('the tags the key was made with', ['finance']),
  },
  { description: 'the API key that asks', examples: [{ bound: true }] },
);

export type TestKey = Static<typeof key>;

export const resource = field<Record<string, unknown>>(
  'attributes of the resource, class and owner included, instead of those of the entries in the folder resources',
  [{ owner: 'finance', region: 'eu' }],
  { type: 'object' },
);

export const client = closed(
  { address: text('the IP address', '10.0.0.7') },
  { description: 'the client that asks; absent: its address is missing', examples: [{ address: '10.0.0.7' }] },
);

export const context = field<Record<string, unknown>>("the caller's own context", [{ ticket: 'T-1' }], {
  type: 'object',
});

export const tool = closed(
  {
    server: text('the server of the tool, as its catalogue names it', 'filesystem'),
    name: text('the name of the tool', 'write_file'),
    arguments: field<ToolCall['arguments']>('the arguments; absent: none', [{ path: '/srv/app/a.txt' }], {
      type: 'object',
    }),
    definition_digest: text(
      'the definition that the guard has seen; absent: the one that the catalogue pins',
      `sha256:${'0'.repeat(64)}`,
      { pattern: DEFINITION_DIGEST_PATTERN },
    ),
    annotations: field<ToolAnnotations>('the hints of the server', [{ readOnlyHint: true }], { type: 'object' }),
  },
  {
    description: 'a tool call, read by the catalogues beside the policies',
    examples: [{ server: 'filesystem', name: 'write_file', arguments: { path: '/srv/app/a.txt' } }],
    required: ['server', 'name'],
  },
);

export type TestCall = Static<typeof tool>;

export const facts: Typed<Record<string, unknown>> = closed(
  Object.fromEntries(
    SETTABLE.map((entry) => [
      fullPath(entry.fact, entry.path),
      typed({
        description: `${entry.description}; replaces what the reading of the intent says`,
        ...valueSchema(entry),
      }),
    ]),
  ),
  {
    description: 'facts of the intent that replace what its reading by parser, lexicon and intake policies says',
    examples: [{ 'intent.data_classes': ['pii'] }, { 'intent.risk.score': 800 }],
  },
);

/** Free text, read as `POST /v1/intent` reads it, a tool call, or the string of an intent, with facts that override. */
export type TestReading = ({ text: string } | { intent: string } | { tool: TestCall }) & {
  facts?: Record<string, unknown>;
};
export const reading = typed<TestReading>({
  ...closed(
    {
      text: text('free text, as POST /v1/intent takes it; intent.parsed is then true', 'Delete the old reports', {
        maxLength: 10_000,
      }),
      intent: text('a normalized intent, or action:resource', 'comms.send.report', { maxLength: 2_048 }),
      tool: refer('tool', tool),
      facts: refer('facts', facts),
    },
    {
      description: 'free text, a tool call, or an intent with facts that replace what its reading says',
      examples: [
        { text: 'Delete the old reports' },
        { intent: 'comms.send.report', facts: { 'intent.traits': ['external'] } },
      ],
    },
  ),
  oneOf: [{ required: ['text'] }, { required: ['intent'] }, { required: ['tool'] }],
});
export type TestIntent = string | TestReading;
export const intent = field<TestIntent>(
  'the name of a fixture, a normalized intent, or action:resource; or {"text": "..."}; or {"tool": {...}}; or {"intent": "...", "facts": {...}}',
  ['read report', 'data.read.report', 'delete:db/production/users', { text: 'Delete the old reports' }],
  choice(typed({ minLength: 1, maxLength: 2_048 }), refer('reading', reading)),
);

export const seenFacts = field<Record<string, unknown>>(
  'facts by their path, as the rules saw them; null: missing',
  [{ 'intent.action': 'delete' }],
  {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      VOCABULARY.map((entry) => [
        fullPath(entry.fact, entry.path),
        { description: entry.description, examples: [entry.values?.[0] ?? 1] },
      ]),
    ),
    patternProperties: {
      [`^context\\.${CONTEXT_PATH.source.slice(1)}`]: {},
      [`^(?:${WITH_ATTRIBUTES.join('|')})\\.${ATTRIBUTE_PATH.source.slice(1)}`]: {},
      [`^tool\\.${ARGUMENT_PATH.source.slice(1)}`]: {},
    },
  },
);

const reasonParts = {
  policy: text('the id of the policy; "default" for what no policy says', 'writes'),
  rule: text('the name of the rule', 'others-may-not'),
  effect: field<Verdict>('the effect of the reason', ['DENY'], verdict),
  code: text('the code of the reason', 'TRUST_TOO_LOW'),
};
export type ExpectedReasonParts = ObjectOf<typeof reasonParts, never>;
const reason = field<string | ExpectedReasonParts>(
  '"policy/rule", or members that a reason must have',
  ['writes/others-may-not', { code: 'X' }],
  choice(
    typed({ pattern: '^[a-z0-9][a-z0-9._-]*/[a-z0-9][a-z0-9-]*$' }),
    typed({ additionalProperties: false, minProperties: 1, properties: reasonParts }),
  ),
);
export type ExpectedReason = Static<typeof reason>;

export const risk = closed(
  {
    level: field<RiskLevel>('the level of the risk', ['high'], { type: 'string', enum: RISK_LEVELS }),
    atLeast: amount('the lowest risk score that is accepted', 400, 1_000),
    atMost: amount('the highest risk score that is accepted', 699, 1_000),
    factors: strings('risk factors that must be among those found', ['money']),
  },
  { description: 'the risk that the intake policies must find', examples: [{ level: 'high', factors: ['money'] }] },
);

const expectationMembers = closed(
  {
    verdict: field<Verdict>('the verdict', ['DENY'], verdict),
    reasons: field<ExpectedReason[]>('reasons that must be given; others may be', [['writes/others-may-not']], {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: reason,
    }),
    exact: flag('whether no other reasons may be given than those of "reasons"; absent: false', true),
    obligations: field<Record<string, unknown>[]>(
      'the obligations of a DEGRADE, all of them, in any order',
      [[{ type: 'read_only' }]],
      {
        type: 'array',
        maxItems: 100,
        items: { type: 'object', required: ['type'] },
      },
    ),
    approvers: field<Approvers[]>(
      'of an ESCALATE: what its rules demand of approvers, all of them, in any order; [] when any admin key may approve',
      [[{ tags: ['finance'], atLeast: 2 }], []],
      { type: 'array', maxItems: 100, items: APPROVERS },
    ),
    risk: refer('risk', risk),
    facts: refer('seenFacts', seenFacts),
  },
  {
    description: 'the verdict, and what else must be true of the answer',
    examples: [{ verdict: 'DENY', reasons: ['writes/others-may-not'] }],
    required: ['verdict'],
  },
);

export type Expectation = Static<typeof expectationMembers>;
export const expectation = typed<Expectation>({ ...expectationMembers, dependentRequired: { exact: ['reasons'] } });

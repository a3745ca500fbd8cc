// The published JSON Schema of a policy test file (draft 2020-12): every member has a description and examples.
import type { Static } from 'typebox';
import { type Environment, ENVIRONMENTS, type Verdict } from '../../../kernel/vocabulary.ts';
import {
  field,
  text,
  amount,
  refer,
  closed,
  fixtures,
  strings,
  choice,
  verdict,
  environment,
  now,
  organisation,
  history,
  budgets,
  agent,
  key,
  client,
  resource,
  context,
  reading,
  tool,
  intent,
  facts,
  seenFacts,
  risk,
  expectation,
  aName,
  typed,
} from './schema-parts.ts';
import { TEST_DEFAULTS } from './defaults.ts';

/** Stable, because editors and test files refer to it, wherever the service runs. */
export const POLICY_TEST_SCHEMA_ID = 'https://custos.dev/schemas/policy-test.json';

const situation = {
  organisation,
  now,
  key: field(
    'the API key that asks: the name of a fixture, or the key itself',
    ['ci', { bound: true }],
    choice(aName, refer('key', key)),
  ),
  client: refer('client', client),
  resource: refer('resource', resource),
  context: field(
    "the caller's context: the name of a fixture, or the context itself",
    ['ticketed', { ticket: 'T-1' }],
    choice(aName, refer('context', context)),
  ),
  history: refer('history', history, {
    description: "the agent's history; absent: that of its fixture",
    examples: [{ last_60s: { DENY: 5 } }],
  }),
  budgets,
  claim: closed(
    {
      score: amount('the claimed trust score', 500, 1_000),
      level: amount('the claimed trust level', 3, 7),
    },
    { description: 'trust that the caller claims: it can only lower what is recorded', examples: [{ level: 3 }] },
  ),
  facts: refer('facts', facts),
};

export type TestSituation = Partial<{ [Name in keyof typeof situation]: Static<(typeof situation)[Name]> }>;

const caseMembers = closed(
  {
    name: text('what the case shows; unique in the file', 'a newcomer may not write'),
    agent: field(
      'the name of a fixture, or the agent itself',
      ['newcomer', { level: 4 }],
      choice(aName, refer('agent', agent)),
    ),
    intent: refer('intent', intent),
    tool: refer('tool', tool),
    environment: environment(`absent: that of the file, else ${TEST_DEFAULTS.environment}`),
    ...situation,
    expect: field(
      'the verdict, or a verdict and more; absent: DENY',
      ['ALLOW', { verdict: 'DENY' }],
      choice(verdict, refer('expectation', expectation)),
    ),
  },
  {
    description: 'one question and its answer',
    examples: [{ name: 'a newcomer may not write', agent: 'newcomer', intent: 'data.update.report', expect: 'DENY' }],
    required: ['name', 'agent'],
  },
);
export type PolicyTestCase = Static<typeof caseMembers>;
const caseSchema = typed<PolicyTestCase>({
  ...caseMembers,
  oneOf: [{ required: ['intent'] }, { required: ['tool'] }],
});

const cell = field<MatrixCell>(
  'the verdict, in each environment or by environment',
  ['ALLOW', { test: 'ALLOW' }],
  choice(
    verdict,
    closed(
      Object.fromEntries(ENVIRONMENTS.map((name) => [name, field(`the verdict in ${name}`, ['ALLOW'], verdict)])),
      { description: 'verdicts by environment; what is not listed is DENY', examples: [{ test: 'ALLOW' }] },
    ),
  ),
);
export type MatrixCell = Verdict | Partial<Record<Environment, Verdict>>;

const row = field<Verdict | Record<string, MatrixCell>>(
  'verdicts by intent, what is not listed is DENY; or one verdict for all intents',
  ['ALLOW', { 'read report': 'ALLOW' }],
  choice(
    verdict,
    field('verdicts by intent', [{ 'read report': 'ALLOW' }], { type: 'object', additionalProperties: cell }),
  ),
);

const matrix = closed(
  {
    name: text('what the matrix shows; unique in the file', 'who may write'),
    agents: strings('the rows: names of fixtures', ['newcomer', 'operator'], { minItems: 1 }),
    intents: strings('the columns: names of fixtures, or intents as strings', ['read report', 'data.update.report'], {
      minItems: 1,
    }),
    environments: field<Environment[]>('absent: that of the file, else live', [['live', 'test']], {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', enum: ENVIRONMENTS },
    }),
    ...situation,
    expect: field<Record<string, Static<typeof row>>>(
      'agent, then intent, then verdict; what is not listed is DENY',
      [{ operator: { 'read report': 'ALLOW', 'data.update.report': { test: 'ALLOW', live: 'ESCALATE' } } }],
      { type: 'object', additionalProperties: row },
    ),
  },
  {
    description: 'every agent with every intent in every environment, each a case of its own',
    examples: [
      {
        name: 'who may read',
        agents: ['newcomer'],
        intents: ['read report'],
        expect: { newcomer: { 'read report': 'ALLOW' } },
      },
    ],
    required: ['name', 'agents', 'intents', 'expect'],
  },
);

export type PolicyTestMatrix = Static<typeof matrix>;

const example = {
  name: 'reports',
  now: '2026-03-02T10:00:00Z',
  fixtures: {
    agents: { newcomer: {}, operator: { level: 4 } },
    intents: { 'read report': 'data.read.report', 'write report': 'data.update.report' },
  },
  cases: [
    {
      name: 'a newcomer may not write',
      agent: 'newcomer',
      intent: 'write report',
      expect: { verdict: 'DENY', reasons: ['writes/others-may-not'] },
    },
  ],
  matrix: [
    {
      name: 'who may do what',
      agents: ['newcomer', 'operator'],
      intents: ['read report', 'write report'],
      expect: {
        newcomer: { 'read report': 'ALLOW' },
        operator: { 'read report': 'ALLOW', 'write report': 'ALLOW' },
      },
    },
  ],
};

const file = closed(
  {
    $schema: text('where editors find this schema', '../schema/policy-test.schema.json', { maxLength: 2_048 }),
    name: text('what is tested; unique among the test files', 'production data'),
    description: text('what the file shows, for those who read it as documentation', 'Who may do what.', {
      maxLength: 2_000,
    }),
    now,
    organisation,
    environment: environment(`the environment of cases that name none; absent: ${TEST_DEFAULTS.environment}`),
    fixtures: closed(
      {
        agents: fixtures(refer('agent', agent), 'Agents by name.', { newcomer: {}, operator: { level: 4 } }),
        keys: fixtures(refer('key', key), 'API keys by name.', { ci: { bound: true } }),
        intents: fixtures(refer('intent', intent), 'Intents by name.', { 'read report': 'data.read.report' }),
        contexts: fixtures(refer('context', context), 'Contexts by name.', { ticketed: { ticket: 'T-1' } }),
      },
      { description: 'what cases refer to by name', examples: [example.fixtures] },
    ),
    cases: field<PolicyTestCase[]>('questions with their answers, one by one', [example.cases], {
      type: 'array',
      maxItems: 10_000,
      items: { $ref: '#/$defs/case' },
    }),
    matrix: field<PolicyTestMatrix[]>(
      'tables of agents and intents; cases and matrices of a file make at most 100,000 cases',
      [example.matrix],
      {
        type: 'array',
        maxItems: 1_000,
        items: { $ref: '#/$defs/matrix' },
      },
    ),
  },
  {
    description: 'Questions to the policies beside it, and the answers they must give.',
    examples: [example],
    required: ['name'],
  },
);
export type PolicyTestFile = Static<typeof file>;

/** The published schema, served at /schemas/policy-test.json and kept in policies/schema/. */
export const PolicyTestSchema = typed<PolicyTestFile>({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: POLICY_TEST_SCHEMA_ID,
  title: 'Custos policy test',
  ...file,
  anyOf: [{ required: ['cases'] }, { required: ['matrix'] }],
  $defs: {
    agent,
    key,
    client,
    resource,
    context,
    reading,
    tool,
    intent,
    history,
    facts,
    seenFacts,
    risk,
    expectation,
    case: caseSchema,
    matrix,
  },
});

/** The text of policies/schema/policy-test.schema.json. */
export function policyTestSchemaText(): string {
  return `${JSON.stringify(PolicyTestSchema, null, 2)}\n`;
}

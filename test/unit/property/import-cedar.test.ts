// Imported Cedar policies against Cedar itself: random policies and questions, also with missing attributes, equal verdicts.
import { isAuthorized, type CedarValueJson } from '@cedar-policy/cedar-wasm/nodejs';
import { expect } from 'chai';
import fc from 'fast-check';
import { importCedar } from '../../../shared/core/policy/import/cedar.ts';
import { withNamedConditions } from '../../../shared/core/policy/import/named.ts';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import { loadPolicySet } from '../../../shared/core/policy/load.ts';
import { compileLexicon, factsWith, LEXICON } from '../policy/support.ts';
import { shippedLexicon } from '../intent/lexicon.ts';
import { runs } from './runs.ts';

const leaves = fc.constantFrom(
  'context.n < 3',
  'context.n >= 2',
  '2 == context.n',
  'context.s == "a"',
  'context.s like "a*"',
  'context.s like "*\\\\**"',
  'context.s == "\\x61"',
  'context.s like "*\\u{61}\\x2a"',
  '["a", "b"].contains(context.s)',
  'context has n',
  'context has s',
  'resource.owner == principal',
  'resource.level > 1',
  'principal.team == resource.owner',
  'principal in Group::"staff"',
  'principal != Agent::"b"',
  'true',
);
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    leaves,
    tie('expression').map((of) => `!(${of})`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(${a}) && (${b})`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(${a}) || (${b})`),
  ),
}));

const clause = fc.tuple(fc.constantFrom('when', 'unless'), expression).map(([kind, of]) => `${kind} { ${of} }`);
const cedarPolicy = fc
  .record({
    effect: fc.constantFrom('permit', 'permit', 'forbid'),
    principal: fc.constantFrom('principal', 'principal == Agent::"a"', 'principal in Group::"staff"'),
    action: fc.constantFrom('action', 'action == Action::"view"', 'action in [Action::"view", Action::"edit"]'),
    resource: fc.constantFrom('resource', 'resource == Doc::"x"', 'resource is Doc'),
    clauses: fc.array(clause, { maxLength: 2 }),
  })
  .map(
    ({ effect, principal, action, resource, clauses }) =>
      `${effect}(${principal}, ${action}, ${resource})${clauses.join(' ')};`,
  );

const optional = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(of, { nil: undefined });
const questions = fc.record({
  agent: fc.constantFrom('a', 'b'),
  staff: fc.boolean(),
  // Never the id of an agent: Cedar tells an entity from a text.
  team: optional(fc.constantFrom('red', 'blue')),
  action: fc.constantFrom('view', 'edit'),
  owner: optional(fc.constantFrom('a', 'red')),
  level: optional(fc.integer({ min: 0, max: 3 })),
  n: optional(fc.integer({ min: 0, max: 4 })),
  s: optional(fc.constantFrom('a', 'b', 'a*', 'ba')),
});
type Question = typeof questions extends fc.Arbitrary<infer T> ? T : never;

const given = (members: Record<string, CedarValueJson | undefined>): Record<string, CedarValueJson> =>
  Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, CedarValueJson] => entry[1] !== undefined),
  );

function cedarAllows(text: string, { agent, staff, team, action, owner, level, n, s }: Question): boolean {
  const principal = { type: 'Agent', id: agent };
  const group = { type: 'Group', id: 'staff' };
  const resource = { type: 'Doc', id: 'x' };
  const answer = isAuthorized({
    principal,
    action: { type: 'Action', id: action },
    resource,
    context: given({ n, s }),
    policies: { staticPolicies: text },
    entities: [
      { uid: principal, attrs: given({ team }), parents: staff ? [group] : [] },
      { uid: group, attrs: {}, parents: [] },
      {
        uid: resource,
        attrs: given({ owner: owner === 'a' ? { __entity: { type: 'Agent', id: 'a' } } : owner, level }),
        parents: [],
      },
    ],
  });
  if (answer.type === 'failure') throw new Error(answer.errors.map(({ message }) => message).join('; '));
  return answer.response.decision === 'allow';
}

function factsOf({ agent, staff, team, action, owner, level, n, s }: Question) {
  return factsWith({
    'agent.id': agent,
    'agent.tags': staff ? ['staff'] : [],
    'agent.attributes': given({ team }),
    'resource.attributes': given({ owner, level }),
    context: given({ n, s }),
    'intent.resource': 'doc/x',
    tool: { server: 'random', name: action, arguments: {}, arguments_digest: 'sha256:', known: true, changed: false },
  });
}

describe('imported Cedar policies', () => {
  it('permit exactly what Cedar permits, also where attributes are missing', async () => {
    const lexicon = shippedLexicon();
    let [allowed, named] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.array(cedarPolicy, { minLength: 1, maxLength: 3 }),
        fc.array(questions, { minLength: 1, maxLength: 5 }),
        async (policies, asked) => {
          // The first policy twice, so that the import has repeated conditions to name.
          const text = [...policies, ...policies.slice(0, 1)].join('\n');
          const imported = importCedar({ name: 'random.cedar', text }, { lexicon });
          const files = withNamedConditions(imported.files);
          if (files.some(({ path }) => path === 'terms.json')) named += 1;
          const loaded = loadPolicySet(
            files.map(({ path, json }) => ({ path, text: JSON.stringify(json) })),
            LEXICON,
            { compileLexicon },
          );
          if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings, null, 1));
          const evaluator = createEvaluator({ set: loaded.set });
          for (const question of asked) {
            const { verdict, reasons } = await evaluator.evaluate(factsOf(question));
            const isAllowed = cedarAllows(text, question);
            if (isAllowed) allowed += 1;
            expect(verdict, `${text}\n${JSON.stringify(question)}\n${JSON.stringify(reasons)}`).to.equal(
              isAllowed ? 'ALLOW' : 'DENY',
            );
          }
        },
      ),
      runs(150),
    );
    expect(allowed, 'permitted questions').to.be.greaterThan(20);
    expect(named, 'imports with named conditions').to.be.greaterThan(5);
  });
});

// Custos against Cedar, for the fragment that both can express (targets and simple comparisons with permit and forbid): random policies,
// equal verdicts.
import { isAuthorized, type CedarValueJson } from '@cedar-policy/cedar-wasm/nodejs';
import { expect } from 'chai';
import fc from 'fast-check';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import { factsWith, setOf, type PolicyLike } from '../policy/support.ts';
import { isLong, runs } from './runs.ts';

/** A comparison in this fragment: all of its facts are present and have the right type. */
interface Comparison {
  readonly fact: string;
  readonly path: string;
  readonly operator: string;
  readonly value: unknown;
}
type Condition = Comparison | { all: Condition[] } | { any: Condition[] } | { not: Condition };

const ACTIONS = ['read', 'update', 'delete', 'send'] as const;
const RESOURCES = ['db', 'db/a', 'db/a/x', 'db/b', 'files/a', 'files'];
const PATTERNS = [...RESOURCES, 'db/*', 'db/a/*', 'files/*', '*'];
const text = fc.constantFrom('a', 'ab', 'b', 'ba');
const number = fc.integer({ min: 0, max: 4 });
const listOf = (item: fc.Arbitrary<unknown>) => fc.uniqueArray(item, { minLength: 1, maxLength: 3 });

const compare = (
  [fact, path]: readonly [string, string],
  operators: readonly string[],
  value: fc.Arbitrary<unknown>,
): fc.Arbitrary<Comparison> =>
  fc.record({ fact: fc.constant(fact), path: fc.constant(path), operator: fc.constantFrom(...operators), value });

const NUMERIC = ['equal', 'notEqual', 'lessThan', 'lessThanInclusive', 'greaterThan', 'greaterThanInclusive'];
const comparisons = fc.oneof(
  compare(['trust', 'level'], NUMERIC, number),
  compare(['context', 'n'], NUMERIC, number),
  compare(['context', 'n'], ['in', 'notIn'], listOf(number)),
  compare(['context', 's'], ['equal', 'notEqual'], text),
  compare(['context', 's'], ['in', 'notIn'], listOf(text)),
  compare(['context', 's'], ['startsWith', 'endsWith'], fc.oneof(text, listOf(text))),
  compare(['agent', 'tags'], ['contains', 'doesNotContain'], text),
  compare(['agent', 'tags'], ['containsAny', 'containsAll'], listOf(text)),
  compare(['agent', 'registered'], ['equal', 'notEqual'], fc.boolean()),
  compare(['intent', 'effect'], ['equal', 'notEqual'], fc.constantFrom('read', 'write', 'destructive')),
  compare(['intent', 'resource'], ['matchesResource'], listOf(fc.constantFrom(...PATTERNS))),
);
const { conditions } = fc.letrec<{ conditions: Condition }>((tie) => {
  const part = fc.oneof({ depthSize: 'small', withCrossShrink: true }, comparisons, tie('conditions'));
  const parts = fc.array(part, { minLength: 1, maxLength: 3 });
  return { conditions: fc.oneof(fc.record({ all: parts }), fc.record({ any: parts }), fc.record({ not: part })) };
});

const policies = fc.array(
  fc.record({
    actions: fc.oneof(
      fc.constant<string[]>(['*']),
      fc.uniqueArray(fc.constantFrom<string[]>(...ACTIONS), { minLength: 1, maxLength: 3 }),
    ),
    resources: fc.uniqueArray(fc.constantFrom(...PATTERNS), { minLength: 1, maxLength: 2 }),
    environments: fc.option(fc.constantFrom(['live'], ['test'], ['live', 'test']), { nil: undefined }),
    rules: fc.array(fc.record({ effect: fc.constantFrom('ALLOW', 'ALLOW', 'DENY'), conditions }), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
  { maxLength: 5 },
);
type Policies = typeof policies extends fc.Arbitrary<infer T> ? T : never;

const questions = fc.record({
  action: fc.constantFrom(...ACTIONS),
  resource: fc.constantFrom(...RESOURCES),
  environment: fc.constantFrom('live', 'test'),
  level: number,
  n: number,
  s: text,
  tags: fc.uniqueArray(text, { maxLength: 3 }),
  registered: fc.boolean(),
  effect: fc.constantFrom('read', 'write', 'destructive'),
});
type Question = typeof questions extends fc.Arbitrary<infer T> ? T : never;

const asCustos = (given: Policies): PolicyLike[] =>
  given.map(({ actions, resources, environments, rules }, i) => ({
    id: `p${i}`,
    description: 'random',
    stage: 'enforce',
    target: { actions, resources, ...(environments === undefined ? {} : { environments }) },
    rules: rules.map(({ effect, conditions: of }, j) => ({
      name: `r${j}`,
      conditions: of,
      event: { type: effect, params: { code: effect, message: effect } },
    })),
  }));

const uid = (type: string, id: string): string => `${type}::${JSON.stringify(id)}`;
const any = (parts: readonly string[]): string => `(${parts.join(' || ')})`;

/** `db/*` covers everything below db, but not db itself. */
function inPattern(pattern: string): string {
  if (pattern === '*') return 'true';
  if (!pattern.endsWith('/*')) return `resource == ${uid('Resource', pattern)}`;
  const above = uid('Resource', pattern.slice(0, -2));
  return `(resource in ${above} && resource != ${above})`;
}

const SIGNS: Readonly<Record<string, string>> = {
  equal: '==',
  notEqual: '!=',
  lessThan: '<',
  lessThanInclusive: '<=',
  greaterThan: '>',
  greaterThanInclusive: '>=',
};

function comparisonText({ fact, path, operator, value }: Comparison): string {
  const actual = `context.${fact}_${path}`;
  const written = JSON.stringify(value);
  const texts = (Array.isArray(value) ? value : [value]).map(String);
  const sign = SIGNS[operator];
  if (sign !== undefined) return `${actual} ${sign} ${written}`;
  switch (operator) {
    case 'in':
      return `${written}.contains(${actual})`;
    case 'notIn':
      return `!${written}.contains(${actual})`;
    case 'contains':
    case 'containsAny':
    case 'containsAll':
      return `${actual}.${operator}(${written})`;
    case 'doesNotContain':
      return `!${actual}.contains(${written})`;
    case 'startsWith':
      return any(texts.map((one) => `${actual} like "${one}*"`));
    case 'endsWith':
      return any(texts.map((one) => `${actual} like "*${one}"`));
    case 'matchesResource':
      return any(texts.map(inPattern));
    default:
      throw new Error(`${operator} is not of this fragment`);
  }
}

function conditionText(condition: Condition): string {
  if ('not' in condition) return `!(${conditionText(condition.not)})`;
  if ('all' in condition) return condition.all.map((part) => `(${conditionText(part)})`).join(' && ');
  if ('any' in condition) return condition.any.map((part) => `(${conditionText(part)})`).join(' || ');
  return comparisonText(condition);
}

function asCedar(given: Policies): string {
  return given
    .flatMap(({ actions, resources, environments, rules }) =>
      rules.map(({ effect, conditions: of }) => {
        const asked = actions.includes('*')
          ? 'action'
          : `action in [${actions.map((one) => uid('Action', one)).join(', ')}]`;
        const aimed = [
          any(resources.map(inPattern)),
          ...(environments === undefined ? [] : [`${JSON.stringify(environments)}.contains(context.environment)`]),
        ].join(' && ');
        const head = effect === 'ALLOW' ? 'permit' : 'forbid';
        return `${head}(principal, ${asked}, resource) when { ${aimed} } when { ${conditionText(of)} };`;
      }),
    )
    .join('\n');
}

const entity = (id: string): { type: string; id: string } => ({ type: 'Resource', id });
/** Each resource is a child of the one above it. */
const ENTITIES = RESOURCES.map((id) => ({
  uid: entity(id),
  attrs: {},
  parents: id.includes('/') ? [entity(id.slice(0, id.lastIndexOf('/')))] : [],
}));

function cedarAnswer(
  text: string,
  { action, resource, environment, level, n, s, tags, registered, effect }: Question,
): string {
  const context: Record<string, CedarValueJson> = {
    environment,
    trust_level: level,
    context_n: n,
    context_s: s,
    agent_tags: tags,
    agent_registered: registered,
    intent_effect: effect,
  };
  const answer = isAuthorized({
    principal: { type: 'Agent', id: 'agent-1' },
    action: { type: 'Action', id: action },
    resource: entity(resource),
    context,
    policies: { staticPolicies: text },
    entities: ENTITIES,
  });
  if (answer.type === 'failure') throw new Error(answer.errors.map(({ message }) => message).join('; '));
  // Cedar skips a policy that fails with an error; then the fragment is not a common one.
  expect(answer.response.diagnostics.errors).to.deep.equal([]);
  return answer.response.decision === 'allow' ? 'ALLOW' : 'DENY';
}

describe('Cedar', () => {
  it('gives the same verdicts as Custos for the common fragment', async () => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(policies, fc.array(questions, { minLength: 1, maxLength: 4 }), async (given, asked) => {
        const evaluator = createEvaluator({ set: setOf(asCustos(given)), memoLimit: 0 });
        const text = asCedar(given);
        for (const question of asked) {
          const { action, resource, environment, level, n, s, tags, registered, effect } = question;
          const { verdict } = await evaluator.evaluate(
            factsWith({
              'intent.action': action,
              'intent.resource': resource,
              'intent.effect': effect,
              environment,
              'trust.level': level,
              'agent.tags': tags,
              'agent.registered': registered,
              'agent.status': registered ? 'ACTIVE' : 'UNREGISTERED',
              context: { n, s },
            }),
          );
          expect(verdict, `${text}\n${JSON.stringify(question)}`).to.equal(cedarAnswer(text, question));
          seen.set(verdict, (seen.get(verdict) ?? 0) + 1);
        }
      }),
      runs(200, 0.05),
    );
    expect([...seen.keys()]).to.have.members(['ALLOW', 'DENY']);
    if (isLong) console.log(`      ${JSON.stringify(Object.fromEntries(seen))}`);
  });
});

// Random policies and facts over a small domain, so that rules match facts often.
import fc from 'fast-check';
import { EFFECTS, EXTENTS } from '../../../shared/kernel/vocabulary.ts';
import type { WrittenCondition } from '../../../shared/core/policy/schema.ts';
import type { NamedCondition, NamedConstant, TermsFile } from '../../../shared/core/policy/terms-schema.ts';
import { ALWAYS } from '../policy/support.ts';
import type { PolicyLike } from '../policy/support.ts';

export const RESOURCES = ['db/a', 'db/b', 'db/a/x', 'db/a/y', 'db', 'files/a', 'db/*', 'db/a/*', 'files/*', '*'];
const ACTIONS = ['read', 'update', 'delete', 'unknown'];

const number = fc.constantFrom(0, 1, 2, 3);
const text = fc.constantFrom('a', 'ab', 'b');
const scalar = fc.oneof(number, text, fc.boolean());
const numeric = fc.constantFrom(
  'lessThan',
  'lessThanInclusive',
  'greaterThan',
  'greaterThanInclusive',
  'equal',
  'notEqual',
);
const listed = (item: fc.Arbitrary<unknown>) => fc.uniqueArray(item, { minLength: 1, maxLength: 3 });
const contextPath = fc.constantFrom('x', 'y', 'x.z');

const comparison = (
  fact: string,
  path: fc.Arbitrary<string>,
  operator: fc.Arbitrary<string>,
  value: fc.Arbitrary<unknown>,
) => fc.record({ fact: fc.constant(fact), path, operator, value });

/** Two facts that the random facts have, so that they are often equal and often of different types. */
const callersFact = fc.record({ fact: fc.constant('context'), path: contextPath });
const ofFacts = fc.oneof(
  comparison('trust', fc.constantFrom('level', 'recorded.level'), numeric, callersFact),
  comparison('context', fc.constant('y'), numeric, fc.constant({ fact: 'trust', path: 'level' })),
  comparison(
    'context',
    fc.constant('x'),
    fc.constantFrom('equal', 'in', 'notIn', 'contains', 'containsAny', 'containsAll', 'startsWith', 'lessThan'),
    fc.constantFrom({ fact: 'context', path: 'y' }, { fact: 'tool', path: 'arguments.x' }),
  ),
  comparison(
    'tool',
    fc.constantFrom('name', 'arguments.x', 'arguments.items[].p'),
    fc.constantFrom('equal', 'notEqual', 'contains', 'doesNotContain', 'endsWith'),
    fc.oneof(callersFact, fc.constant({ fact: 'intent', path: 'object' })),
  ),
  comparison('intent', fc.constant('object'), fc.constantFrom('equal', 'notEqual', 'in'), callersFact),
  comparison('intent', fc.constant('data_classes'), fc.constantFrom('contains', 'containsAll'), callersFact),
  comparison('agent', fc.constant('registered'), fc.constant('equal'), callersFact),
);

export const INSTANTS = ['2026-03-03T00:00:00Z', '2026-03-04T10:00:00Z', '2026-03-10T00:00:00Z'];
const leafOfItem = fc.oneof(
  fc.record({ operator: fc.constantFrom('equal', 'notEqual'), value: scalar }),
  fc.record({ path: fc.constantFrom('p', 'z'), operator: numeric, value: number }),
);
const ofItem = fc.oneof(
  { weight: 3, arbitrary: leafOfItem },
  { weight: 1, arbitrary: fc.record({ not: leafOfItem }) },
  { weight: 1, arbitrary: fc.record({ all: fc.array(leafOfItem, { minLength: 1, maxLength: 2 }) }) },
);

const comparisons = fc.oneof(
  comparison('trust', fc.constantFrom('level', 'recorded.level', 'claimed.level'), numeric, number),
  comparison('context', contextPath, numeric, number),
  comparison('context', contextPath, fc.constantFrom('equal', 'notEqual', 'contains', 'doesNotContain'), scalar),
  comparison(
    'context',
    contextPath,
    fc.constantFrom('in', 'notIn', 'containsAny', 'containsAll'),
    fc.oneof(listed(number), listed(text)),
  ),
  comparison('context', contextPath, fc.constantFrom('startsWith', 'endsWith'), fc.oneof(text, listed(text))),
  comparison('intent', fc.constant('resource'), fc.constant('matchesResource'), fc.constantFrom(...RESOURCES)),
  comparison('intent', fc.constant('object'), fc.constant('equal'), text),
  comparison(
    'intent',
    fc.constant('data_classes'),
    fc.constantFrom('contains', 'doesNotContain'),
    fc.constantFrom('pii', 'health'),
  ),
  comparison('intent', fc.constant('confidence'), numeric, fc.constantFrom(0.25, 0.5)),
  comparison('intent', fc.constant('risk.level'), fc.constantFrom('equal', 'notEqual'), fc.constantFrom('low', 'high')),
  comparison('intent', fc.constant('risk.score'), numeric, fc.constantFrom(400, 700)),
  comparison(
    'tool',
    fc.constantFrom('present', 'known', 'changed'),
    fc.constantFrom('equal', 'notEqual'),
    fc.boolean(),
  ),
  comparison(
    'tool',
    fc.constantFrom('name', 'arguments.x', 'arguments.items[].p'),
    fc.constantFrom('equal', 'contains', 'doesNotContain', 'startsWith', 'matchesGlob'),
    text,
  ),
  comparison('tool', fc.constantFrom('arguments.x', 'arguments.items[].p'), numeric, number),
  ofFacts,
  comparison(
    'context',
    fc.constant('at'),
    fc.constantFrom('olderThan', 'newerThan'),
    fc.constantFrom('1h', '24h', '7d'),
  ),
  comparison('context', fc.constant('at'), fc.constantFrom('before', 'after'), fc.constantFrom(...INSTANTS)),
  comparison(
    'time',
    fc.constant('now'),
    fc.constant('withinHours'),
    fc.constantFrom<unknown>('08:00-18:00', { hours: '22:00-06:00', zone: 'Europe/Berlin', days: ['mon', 'fri'] }),
  ),
  comparison('time', fc.constant('now'), fc.constant('before'), fc.constantFrom(...INSTANTS)),
  comparison('context', contextPath, fc.constantFrom('some', 'every'), ofItem),
  comparison('tool', fc.constantFrom('arguments.x', 'arguments.items'), fc.constantFrom('some', 'every'), ofItem),
  comparison('context', contextPath, fc.constant('containsNone'), listed(text)),
  comparison('agent', fc.constant('registered'), fc.constantFrom('equal', 'notEqual'), fc.boolean()),
);
const presence = comparison('context', contextPath, fc.constant('isPresent'), fc.boolean());

const VERBS = ['read', 'wipe', 'drop'];
/** What an intent may mean. */
export const meanings = fc.record({
  action: fc.constantFrom('read' as const, 'update' as const, 'delete' as const, 'unknown' as const),
  verb: fc.constantFrom(...VERBS),
  effect: fc.constantFrom(...EFFECTS),
  extent: fc.constantFrom(...EXTENTS),
});
const isOrIn = (path: string, words: readonly string[]) =>
  fc.oneof(
    comparison('intent', fc.constant(path), fc.constantFrom('equal', 'notEqual'), fc.constantFrom(...words)),
    comparison('intent', fc.constant(path), fc.constantFrom('in', 'notIn'), listed(fc.constantFrom(...words))),
  );
const aboutMeaning = fc.oneof(
  isOrIn('action', ACTIONS),
  isOrIn('verb', VERBS),
  isOrIn('effect', EFFECTS),
  isOrIn('extent', EXTENTS),
);

function conditions(withPresence: boolean, withMeaning: boolean): fc.Arbitrary<unknown> {
  const leaf = fc.oneof(
    { weight: 10, arbitrary: comparisons },
    { weight: withPresence ? 1 : 0, arbitrary: presence },
    { weight: withMeaning ? 10 : 0, arbitrary: aboutMeaning },
  );
  const { root } = fc.letrec((tie) => {
    const part = fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, tie('root'));
    const parts = fc.array(part, { minLength: 1, maxLength: 3 });
    return { root: fc.oneof(fc.record({ all: parts }), fc.record({ any: parts }), fc.record({ not: part })) };
  });
  return fc.oneof({ weight: 1, arbitrary: fc.constant<unknown>(ALWAYS) }, { weight: 4, arbitrary: root });
}

const obligations = fc.array(
  fc.constantFrom<unknown>(
    { type: 'read_only' },
    { type: 'max_rows', limit: 5 },
    { type: 'max_rows', limit: 9 },
    { type: 'redact_fields', fields: ['a'] },
    { type: 'rate', limit: 5, perSeconds: 60 },
    { type: 'rate', limit: 1, perSeconds: 1 },
  ),
  { minLength: 1, maxLength: 2 },
);

/** Up to five policies of stage enforce, each with up to three rules; `withMeaning`: about action, verb, effect and extent, too. */
export function arbitraryPolicies({ withPresence = true, withMeaning = false } = {}): fc.Arbitrary<PolicyLike[]> {
  const event = fc
    .tuple(fc.constantFrom('ALLOW', 'ALLOW', 'DEGRADE', 'ESCALATE', 'DENY'), obligations)
    .map(([type, due]) => ({
      type,
      params: { code: type, message: type, ...(type === 'DEGRADE' ? { obligations: due } : {}) },
    }));
  const rule = fc.record({ conditions: conditions(withPresence, withMeaning), event });
  const target = fc.record({
    actions: fc.oneof(
      fc.constant(['*']),
      fc.uniqueArray(fc.constantFrom(...ACTIONS.slice(0, 3)), { minLength: 1, maxLength: 3 }),
    ),
    resources: fc.uniqueArray(fc.constantFrom(...RESOURCES), { minLength: 1, maxLength: 3 }),
  });
  const document = fc.record({ target, rules: fc.array(rule, { minLength: 1, maxLength: 3 }) });
  return fc.array(document, { maxLength: 5 }).map((documents) =>
    documents.map(({ target: aim, rules }, i) => ({
      id: `p${i}`,
      description: 'random',
      stage: 'enforce',
      target: aim,
      rules: rules.map((one, j) => ({ name: `r${j}`, ...one })),
    })),
  );
}

/** Random conditions for intake policies, which do not read the risk itself. */
export function asIntake(policies: readonly PolicyLike[], scores: readonly number[]): PolicyLike[] {
  return policies
    .map((policy, i) => ({
      ...policy,
      id: `intake-${i}`,
      stage: 'intake',
      rules: policy.rules
        .filter(({ conditions: of }) => !JSON.stringify(of).includes('"risk.'))
        .map((rule, j) => ({
          ...rule,
          event: {
            type: 'RISK',
            params: { factor: `f${j}`, score: scores[(i + j) % scores.length] ?? 1, message: 'random' },
          },
        })),
    }))
    .filter(({ rules }) => rules.length > 0);
}

/** Changes to the facts of factsWith. */
export function arbitraryFacts(): fc.Arbitrary<Record<string, unknown>> {
  const contextValue = fc.oneof(
    scalar,
    fc.constant(null),
    fc.array(fc.oneof(number, text), { maxLength: 3 }),
    fc.array(fc.record({ p: number }), { maxLength: 2 }),
    fc.record({ z: scalar }),
  );
  return fc.record(
    {
      'intent.action': fc.constantFrom(...ACTIONS),
      'intent.resource': fc.constantFrom(...RESOURCES),
      'intent.places': fc.uniqueArray(fc.constantFrom('db', 'db/a', 'files/a'), { maxLength: 2 }),
      'intent.object': fc.constantFrom('a', 'x'),
      'intent.confidence': fc.constantFrom(0.2, 0.5, 0.9),
      'intent.data_classes': fc.uniqueArray(fc.constantFrom('pii', 'health'), { maxLength: 2 }),
      'trust.level': number,
      'trust.claimed': fc.oneof(fc.constant(null), fc.record({ level: number, score: fc.constant(500) })),
      'agent.registered': fc.boolean(),
      tool: fc.record({
        name: text,
        known: fc.boolean(),
        changed: fc.boolean(),
        arguments: fc.record(
          {
            x: contextValue,
            items: fc.oneof(
              contextValue,
              fc.array(fc.record({ p: contextValue }, { requiredKeys: [] }), { maxLength: 3 }),
            ),
          },
          { requiredKeys: [] },
        ),
      }),
      'context.x': contextValue,
      'context.y': contextValue,
      'context.at': fc.constantFrom(...INSTANTS, '2026-03-04T10:29:00Z', '2026-03-01T00:00:00Z', 'soon'),
    },
    { requiredKeys: ['intent.action', 'intent.resource'] },
  );
}

/** The policies with some parts of their conditions, and some values, replaced by names. @param picks which parts, over and over */
export function withNames(
  policies: readonly PolicyLike[],
  picks: readonly boolean[],
): { readonly policies: PolicyLike[]; readonly terms: TermsFile } {
  const conditions: Record<string, NamedCondition> = {};
  const constants: Record<string, NamedConstant> = {};
  let at = 0;
  const isPicked = (): boolean => picks[at++ % picks.length] === true;
  const named = (part: WrittenCondition): WrittenCondition => {
    if (!isPicked()) return part;
    const name = `c${Object.keys(conditions).length}`;
    conditions[name] = { condition: part };
    return { condition: name };
  };
  const replaced = (condition: WrittenCondition): WrittenCondition => {
    if ('all' in condition) return named({ all: condition.all.map(replaced) });
    if ('any' in condition) return named({ any: condition.any.map(replaced) });
    if ('not' in condition) return named({ not: replaced(condition.not) });
    if ('condition' in condition) return condition;
    const isFact = typeof condition.value === 'object' && !Array.isArray(condition.value);
    if (isFact || !isPicked()) return named(condition);
    const name = `v${Object.keys(constants).length}`;
    constants[name] = { value: condition.value };
    return named({ ...condition, value: { constant: name } });
  };
  const changed = policies.map((one) => ({
    ...one,
    // The generator makes conditions.
    rules: one.rules.map((rule) => ({ ...rule, conditions: replaced(rule.conditions as WrittenCondition) })),
  }));
  return { policies: changed, terms: { conditions, constants } };
}

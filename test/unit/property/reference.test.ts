// Every operator, and every verdict of random sets, against an implementation that shares no code with the service.
import { expect } from 'chai';
import fc from 'fast-check';
import { approvedReason } from '../../../shared/core/decision/approval.ts';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import { ALL_OPERATORS, OPERATORS } from '../../../shared/core/policy/operators.ts';
import { covers, overlaps } from '../../../shared/core/intent/resource.ts';
import { factsWith, setOf } from '../policy/support.ts';
import { arbitraryFacts, arbitraryPolicies, meanings } from './policy-arbitraries.ts';
import { verdictsOf } from './policy-interpreter.ts';
import { leafOf, operandOf } from '../../../shared/core/policy/normal-form.ts';
import { isAllOf, isSomeOf, NOW, REFERENCE } from './reference-operators.ts';
import { isLong, runs } from './runs.ts';

const resources = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', 'db'), { maxLength: 3 }), fc.boolean())
  .map(([segments, starred]) => [...segments, ...(starred || segments.length === 0 ? ['*'] : [])].join('/'));
const addresses = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.constantFrom('10.0.0.1', '10.255.255.255', '11.0.0.0', '::ffff:10.0.0.1', 'fd00::1', '::1', '10.1', '1.2.3.4.5'),
);
const networks = fc.constantFrom(
  '10.0.0.0/8',
  '10.128.3.4/9',
  '0.0.0.0/0',
  '192.168.1.7/32',
  'fd00::/8',
  '::/0',
  '::1/128',
);
const times = fc.oneof(
  fc
    .date({ noInvalidDate: true, min: new Date('2000-01-01'), max: new Date('2040-01-01') })
    .map((at) => at.toISOString()),
  fc.constantFrom(
    '2024-02-29T12:00:00Z',
    '2023-02-29T12:00:00Z',
    '2026-03-04T10:30:00+05:30',
    '2026-03-04T10:30',
    'now',
  ),
);
/** Times about as old as the compared ages. */
const recent = fc
  .tuple(fc.constantFrom(-301, -299, 0, 60, 1_800, 86_400, 604_800, 1_209_600), fc.constantFrom(-1, 0, 1))
  .map(([seconds, ms]) => new Date(Date.parse(NOW) - seconds * 1_000 + ms).toISOString());
const hours = fc.constantFrom('08:00-18:00', '22:00-06:00', '00:00-00:01', '10:30-10:31', '23:59-00:00');
const zoned = fc
  .record(
    {
      hours,
      zone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia'),
      days: fc.uniqueArray(fc.constantFrom('mon', 'tue', 'wed', 'fri', 'sat', 'sun'), { minLength: 1 }),
    },
    { requiredKeys: [] },
  )
  .filter((value) => value.hours !== undefined || value.days !== undefined);
const durations = fc.constantFrom('1m', '30m', '24h', '7d', '2w', '3000d');
const texts = fc.constantFrom('', 'a', 'ab', 'abc', 'b', 'ba', 'read');
const numbers = fc.oneof(fc.integer({ min: -2, max: 1_441 }), fc.constantFrom(0.5, 629, 630, 1_439, 1_440));
const sum = fc.record({ amount: fc.constantFrom(0, 10, 10.5, 99, 100), currency: fc.constantFrom('EUR', 'USD') });
const listed = (items: fc.Arbitrary<unknown>) => fc.array(items, { maxLength: 3 });
const spelled = fc.oneof(
  resources,
  fc.constantFrom(
    'DB//a',
    'db:a',
    'db.a',
    'db\\b',
    '/db/',
    'd%62/a',
    '%',
    'a/../b',
    'db/ａ',
    'a*',
    '*/a',
    'db/a ',
    'a/./b',
  ),
);
const junk = fc.oneof(
  fc.constantFrom<unknown>(null, {}, [], [{}], [null], Number.NaN, Number.POSITIVE_INFINITY),
  fc.anything(),
);

const paths = fc
  .tuple(
    fc.constantFrom('', '/', '//', './', 'C:\\', 'x:', '../'),
    fc.array(fc.constantFrom('a', 'ab', 'b', '..', '.', '', 'a b'), { maxLength: 4 }),
    fc.constantFrom('/', '/', '\\'),
  )
  .map(([start, segments, separator]) => start + segments.join(separator));
const globs = fc.constantFrom(
  '/a/**',
  '/a/*',
  'a*',
  '**/b',
  '/a/**/b',
  '*',
  '**',
  '/a/b',
  'a/b/',
  '/**/a*',
  '**/b/**',
  'C:/a/**',
);
const patterns = fc.constantFrom('^a', 'b$', '^(?:a|b)+$', 'a{2,3}', '[0-9]+', '\\.', '^$', 'a.b');
const urls = fc.constantFrom(
  'https://example.com/a?b#c',
  'http://a.example.com:8080',
  'https://EXAMPLE.com.',
  'https://evil.example/example.com',
  'https://user@example.com/',
  'https://example.com\\@evil.example/',
  'example.com',
  'https://notexample.com/',
  'https://x y/',
);
const hostNames = fc.constantFrom('example.com', '*.example.com', 'evil.example');

const itemLists = listed(
  fc.oneof(
    fc.record({ p: fc.oneof(numbers, listed(texts), fc.record({ q: numbers })), q: texts }, { requiredKeys: [] }),
    texts,
    recent,
  ),
);

/** Any value of a fact, most often one that an operator compares. */
const actuals = fc.oneof(
  { weight: 3, arbitrary: fc.oneof(texts, numbers, fc.boolean(), times, recent, addresses, spelled, sum) },
  { weight: 2, arbitrary: listed(fc.oneof(texts, numbers)) },
  { weight: 1, arbitrary: fc.oneof(listed(spelled), listed(sum), listed(texts), listed(numbers)) },
  { weight: 1, arbitrary: fc.oneof(paths, urls) },
  { weight: 1, arbitrary: junk },
);
const itemConditions = fc.letrec<{ leaf: unknown; tree: unknown }>((tie) => ({
  leaf: fc.oneof(
    fc.record({
      operator: fc.constantFrom('equal', 'notEqual', 'contains', 'startsWith'),
      value: texts.filter(Boolean),
    }),
    fc.record(
      { path: fc.constantFrom('p', 'p.q', '__proto__'), operator: fc.constant('lessThan'), value: numbers },
      { requiredKeys: ['operator', 'value'] },
    ),
    fc.record({ operator: fc.constantFrom('olderThan', 'newerThan'), value: durations }),
    fc.record({ path: fc.constantFrom('p', 'q'), operator: fc.constant('isPresent'), value: fc.boolean() }),
    fc.record({
      path: fc.constant('p'),
      operator: fc.constantFrom('some', 'every'),
      value: fc.constant({ operator: 'equal', value: 'a' }),
    }),
  ),
  tree: fc.oneof(
    { depthSize: 'small' },
    tie('leaf'),
    fc.record({ not: tie('tree') }),
    fc.record({ all: fc.array(tie('tree'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ any: fc.array(tie('tree'), { minLength: 1, maxLength: 2 }) }),
  ),
})).tree;

const values = fc.oneof(
  texts,
  numbers,
  fc.boolean(),
  listed(texts),
  listed(numbers),
  times,
  hours,
  networks,
  spelled,
  sum,
  listed(networks),
  globs,
  patterns,
  hostNames,
  listed(globs),
  listed(hostNames),
  listed(spelled),
  zoned,
  durations,
  itemConditions,
);

/** What the test of an operator takes, on the facts of these tests. */
function operandFor(name: string, value: unknown): unknown {
  const operator = name.replace(' (text)', '');
  return operandOf(
    leafOf({ fact: 'context', path: 'x', operator, value }, false, false),
    factsWith({ 'time.now': NOW }),
  );
}

const scopes = fc.array(
  fc.record(
    {
      environments: fc.uniqueArray(fc.constantFrom('live', 'test'), { minLength: 1, maxLength: 2 }),
      organisations: fc.uniqueArray(fc.constantFrom('acme', 'globex'), { minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: [] },
  ),
  { minLength: 5, maxLength: 5 },
);
const more = fc.record(
  {
    environment: fc.constantFrom('live', 'test'),
    'organisation.slug': fc.constantFrom('acme', 'globex'),
    'agent.status': fc.constantFrom('ACTIVE', 'UNREGISTERED', 'UNREGISTERED', 'PAUSED'),
    'intent.meanings': fc.array(meanings, { minLength: 1, maxLength: 4 }),
  },
  { requiredKeys: [] },
);

describe('an independent interpreter of policies', () => {
  it('has every operator', () => {
    expect(Object.keys(REFERENCE)).to.have.members(ALL_OPERATORS.map(({ name }) => name));
    expect(ALL_OPERATORS.length).to.be.above(OPERATORS.size);
  });

  for (const operator of ALL_OPERATORS) {
    const { name } = operator;
    it(`agrees about ${name}`, () => {
      const seen = new Set<string>();
      // Paths fit globs too rarely by chance.
      const isGlob = name === 'matchesGlob';
      // Policies are checked for the form of conditions on items, operators are not.
      const isOfItems = operator.quantifier !== undefined;
      const allowed = (isOfItems ? itemConditions : isGlob ? fc.oneof(globs, values) : values).filter(
        (value) => operator.valueProblem(value) === undefined,
      );
      // Now and then the value itself, or it in a list, or another of its kind (a larger sum, say), so that every operator has
      // something to say yes to.
      const pairs = allowed.chain((value) =>
        fc.tuple(
          fc.oneof(
            {
              weight: 2,
              arbitrary: isGlob ? fc.oneof(paths, actuals) : isOfItems ? fc.oneof(itemLists, actuals) : actuals,
            },
            allowed,
            fc.constantFrom(
              value,
              [value],
              ...(Array.isArray(value) ? value : []),
              ...(typeof value === 'string' ? [`https://${value.replace('*', 'x')}/`] : []),
            ),
          ),
          fc.constant(value),
        ),
      );
      fc.assert(
        fc.property(pairs, ([actual, value]) => {
          const said = operator.test(actual, operandFor(name, value));
          seen.add(said);
          expect(
            REFERENCE[name]?.(actual, value),
            `${JSON.stringify(actual)} ${name} ${JSON.stringify(value)}`,
          ).to.equal(said);
        }),
        runs(500, 0.01),
      );
      expect([...seen]).to.include.members(['yes', 'no']);
    });
  }

  it('agrees about the resources that a pattern covers and overlaps', () => {
    fc.assert(
      fc.property(resources, resources, (request, pattern) => {
        expect([isAllOf(request, pattern), isSomeOf(request, pattern)]).to.deep.equal([
          covers(pattern, request),
          overlaps(pattern, request),
        ]);
      }),
      runs(500, 0.2),
    );
  });

  it('gives the verdict of the service, also after a human approved', async () => {
    const approval = approvedReason('apr_01jq3k00000000000000000000', 'KEYKEYKE');
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(
        arbitraryPolicies({ withMeaning: true }),
        arbitraryFacts(),
        scopes,
        more,
        async (policies, changes, scoped, also) => {
          const set = setOf(policies.map((one, i) => ({ ...one, target: { ...one.target, ...scoped[i] } })));
          const facts = factsWith({ ...changes, ...also });
          const evaluator = createEvaluator({ set, memoLimit: 0 });
          const { verdict, approved } = verdictsOf(set.policies, facts);
          expect((await evaluator.evaluate(facts)).verdict).to.equal(verdict);
          expect((await evaluator.evaluateApproved(facts, approval)).verdict, 'approved').to.equal(approved);
          const what = `${verdict}, approved ${approved}`;
          seen.set(what, (seen.get(what) ?? 0) + 1);
        },
      ),
      runs(350, 0.1),
    );
    expect([...seen.keys()]).to.include.members([
      'ALLOW, approved ALLOW',
      'ESCALATE, approved ALLOW',
      'ESCALATE, approved DEGRADE',
      'DEGRADE, approved DEGRADE',
      'DENY, approved DENY',
    ]);
    if (isLong) console.log([...seen].map(([what, n]) => `      ${n} ${what}`).join('\n'));
  });
});

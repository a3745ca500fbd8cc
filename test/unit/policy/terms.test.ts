// terms.json: what it may define, how policies use it, and that findings and explanations name what comes from it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { admitPolicySet } from '../../../shared/core/policy/admit.ts';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import { type LoadResult, loadPolicySet } from '../../../shared/core/policy/load.ts';
import { loadCanonicalSet } from '../../../shared/core/policy/stored-set.ts';
import { createCoverage } from '../../../shared/core/policy/testing/coverage.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { leastMs } from '../../support/undisturbed.ts';
import { all, db, is, not, risk } from './lint-case.ts';
import { compileLexicon, factsWith, filesOf, LEXICON, policy, setOf } from './support.ts';

const use = (condition: string) => ({ condition });
const constant = (name: string) => ({ constant: name });
const trusted = is('trust.level', 'greaterThan', 3);
const hours = is('time.minute_of_day', 'withinHours', constant('business-hours'));

const filesWith = (terms: unknown, policies: readonly unknown[]) => [
  ...filesOf(policies),
  { path: 'terms.json', text: typeof terms === 'string' ? terms : JSON.stringify(terms, null, 1) },
];
const loadWith = (terms: unknown, ...policies: unknown[]): LoadResult =>
  loadPolicySet(filesWith(terms, policies), LEXICON, { compileLexicon });
const findingsOf = (result: LoadResult): string[] =>
  result.ok
    ? []
    : result.findings.map(({ file, line, code, pointer, message }) => `${file}:${line} ${code} ${pointer} ${message}`);
function setWith(terms: unknown, ...policies: unknown[]) {
  const loaded = loadWith(terms, ...policies);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings));
  return loaded.set;
}

const TERMS = {
  conditions: {
    'is-trusted': { description: 'trusted enough', condition: trusted },
    'at-work': { condition: all(use('is-trusted'), hours) },
  },
  constants: { 'business-hours': { value: '08:00-18:00' }, teams: { value: ['a', 'b'] } },
};
/** Each name uses the one before twice. */
const doubling = (steps: number) => ({
  conditions: Object.fromEntries([
    ['t0', { condition: trusted }],
    ...Array.from({ length: steps }, (_, i) => [`t${i + 1}`, { condition: all(use(`t${i}`), use(`t${i}`)) }]),
  ]),
});

describe('terms.json', () => {
  const REFUSED: readonly [name: string, terms: unknown, conditions: object, finding: string][] = [
    [
      'an unknown condition',
      TERMS,
      use('is-trustd'),
      'p0.json:17 UNKNOWN_TERM /rules/0/conditions/condition terms.json has no condition "is-trustd"; did you mean "is-trusted"?',
    ],
    ['an inherited name', TERMS, use('constructor'), 'UNKNOWN_TERM /rules/0/conditions/condition'],
    ['the name of a prototype', TERMS, use('__proto__'), 'UNKNOWN_TERM /rules/0/conditions/condition'],
    [
      'an unknown constant',
      TERMS,
      all(is('agent.id', 'equal', constant('x'))),
      'UNKNOWN_TERM /rules/0/conditions/all/0/value/constant terms.json has no constant "x"',
    ],
    [
      'a constant of another type',
      TERMS,
      all(is('trust.level', 'equal', constant('business-hours'))),
      'BAD_VALUE /rules/0/conditions/all/0/value the constant "business-hours" (terms.json:31:21): must be a number',
    ],
    [
      'a constant in a list',
      TERMS,
      all(is('agent.id', 'in', [constant('teams')])),
      'BAD_VALUE /rules/0/conditions/all/0/value',
    ],
    [
      'a constant with another member',
      TERMS,
      all(is('agent.id', 'equal', { constant: 'teams', x: 1 })),
      'SCHEMA /rules/0/conditions/all/0/value/x',
    ],
    [
      'a name beside a comparison',
      TERMS,
      all({ ...trusted, condition: 'is-trusted' }),
      'SCHEMA /rules/0/conditions/all/0',
    ],
    [
      'a name that uses itself',
      { conditions: { a: { condition: not(use('a')) } } },
      trusted,
      'terms.json:6 TERM_CYCLE /conditions/a/condition/not/condition "a" leads back to itself: a -> a; it is defined at terms.json:3:8',
    ],
    [
      'names that use each other',
      {
        conditions: {
          a: { condition: all(use('b')) },
          b: { condition: all(use('c'), use('a')) },
          c: { condition: trusted },
        },
      },
      trusted,
      'TERM_CYCLE /conditions/b/condition/all/1/condition "a" leads back to itself: a -> b -> a',
    ],
    [
      'a name without a definition',
      { conditions: { a: { condition: use('b') } } },
      trusted,
      'UNKNOWN_TERM /conditions/a/condition/condition',
    ],
    [
      'a condition that is wrong',
      { conditions: { a: { condition: is('trust.levle', 'equal', 1) } } },
      trusted,
      'UNKNOWN_FACT /conditions/a/condition/path the fact "trust" has no path "levle"',
    ],
    [
      'a value that is a fact',
      { constants: { a: { value: { fact: 'agent', path: 'id' } } } },
      trusted,
      'SCHEMA /constants/a/value',
    ],
    ['an unknown member', { names: {} }, trusted, 'SCHEMA /names'],
    ['no JSON', '{', trusted, 'terms.json:1 NOT_JSON'],
    ['a name that doubles 40 times', doubling(40), trusted, 'TOO_LARGE /conditions/t10/condition'],
    [
      'a deep chain of names',
      {
        conditions: Object.fromEntries([
          ['c0', { condition: trusted }],
          ...Array.from({ length: 40 }, (_, i) => [`c${i + 1}`, { condition: not(use(`c${i}`)) }]),
        ]),
      },
      trusted,
      'TOO_LARGE /conditions/c40/condition',
    ],
  ];
  for (const [name, terms, conditions, finding] of REFUSED)
    it(`is refused with ${name}`, () => {
      const found = findingsOf(
        loadWith(terms, policy('p', 'DENY', 'fact' in conditions ? all(conditions) : conditions)),
      );
      expect(
        found.some((one) => one.includes(finding)),
        found.join('\n'),
      ).to.equal(true);
    });

  it('that is broken is one finding, not one per rule that uses it', () => {
    expect(findingsOf(loadWith('{', policy('p', 'DENY', use('x')), policy('q', 'DENY', all(hours))))).to.have.lengthOf(
      1,
    );
  });

  it('is refused in milliseconds when a rule, or the rules of a policy, become too large', async () => {
    const terms = doubling(9);
    const rule = (i: number) => ({ ...policy('x', 'DENY', use('t9')).rules[0], name: `r${i}` });
    const many = (count: number) => ({
      ...policy('p', 'DENY'),
      rules: Array.from({ length: count }, (_, i) => rule(i)),
    });
    const both = all(use('t9'), use('t9'));
    const refusedMs = (): number => {
      const before = process.cpuUsage();
      expect(findingsOf(loadWith(terms, many(3)))).to.deep.equal([]);
      expect(findingsOf(loadWith(terms, many(4)))[0]).to.include('TOO_LARGE /rules');
      expect(findingsOf(loadWith(terms, policy('p', 'DENY', both)))[0]).to.include('TOO_LARGE /rules/0/conditions');
      expect(findingsOf(loadWith(doubling(500), policy('p', 'DENY')))[0]).to.include('TOO_LARGE');
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    expect(await leastMs(2_000, refusedMs)).to.be.below(2_000);
  });

  it('stands for what it names: conditions anywhere, constants as values', async () => {
    const set = setWith(TERMS, policy('p', 'ALLOW', use('at-work')), policy('q', 'DENY', not(use('is-trusted'))));
    const evaluator = createEvaluator({ set });
    const verdict = async (level: number, minute: number) =>
      (await evaluator.evaluate(factsWith({ 'trust.level': level, 'time.minute_of_day': minute }))).verdict;
    expect([await verdict(4, 600), await verdict(4, 60), await verdict(3, 600)]).to.deep.equal([
      'ALLOW',
      'DENY',
      'DENY',
    ]);
  });

  it('is part of the digest as it is written, and a stored set gives the same set', () => {
    const uses = policy('p', 'ALLOW', use('is-trusted'));
    const set = setWith(TERMS, uses);
    expect(set.policies[0]?.rules[0]?.conditions).to.deep.equal(use('is-trusted'));
    const again = loadCanonicalSet(set.canonical, { compileLexicon });
    expect(again.ok && again.set.digest).to.equal(set.digest);
    expect(
      setWith({ conditions: TERMS.conditions, constants: { ...TERMS.constants, teams: { value: ['c'] } } }, uses)
        .digest,
    ).to.not.equal(set.digest);
    expect(setOf([policy('p', 'ALLOW')]).canonical).to.not.contain('terms');
    const broken = set.canonical.replace('"condition":"is-trusted"}', '"condition":"is-trustee"}');
    expect(findingsOf(loadCanonicalSet(broken, { compileLexicon }))[0]).to.contain('UNKNOWN_TERM');
  });

  it('is named at its use and its definition when only a stage makes it wrong', () => {
    const terms = { conditions: { risky: { condition: is('intent.risk.level', 'equal', 'high') } } };
    expect(findingsOf(loadWith(terms, risk('p', 5, use('risky'))))[0]).to.match(
      /^p0\.json:\d+ UNKNOWN_FACT \/rules\/0\/conditions\/condition the condition "risky" \(terms\.json:3:12\): intent\.risk\.level is computed/,
    );
  });

  const warningsOf = (terms: unknown, ...policies: unknown[]) =>
    admitPolicySet(
      { policies: filesWith(terms, policies), lexicon: LEXICON },
      {
        compileLexicon,
        verbsOf: () => ({ has: () => true, all: [], effectOf: () => undefined, actionOf: () => undefined }),
      },
    );

  it('is warned about where nothing uses it', () => {
    const { warnings } = warningsOf(TERMS, policy('p', 'DENY', use('is-trusted'), db('delete')));
    expect(warnings.map(({ file, code, pointer }) => `${file} ${code} ${pointer}`)).to.deep.equal([
      'terms.json UNUSED_TERM /conditions/at-work',
      'terms.json UNUSED_TERM /constants/business-hours',
      'terms.json UNUSED_TERM /constants/teams',
    ]);
    expect(
      warningsOf(
        { conditions: TERMS.conditions, constants: { 'business-hours': { value: '08:00-18:00' } } },
        policy('p', 'DENY', use('at-work'), db('delete')),
      ).warnings,
    ).to.deep.equal([]);
  });

  it('is warned about as the guide shows', () => {
    const guide = readFileSync(join(findRoot(), 'docs', 'guides', 'lint-findings.md'), 'utf8');
    const section = guide.split(/^## /m).find((one) => one.startsWith('UNUSED_TERM\n')) ?? '';
    const [bad, good] = [...section.matchAll(/```json\n(.*?)```/gs)].map(([, terms]) =>
      warningsOf(terms, policy('p', 'DENY', use('is-finance'), db('delete'))).warnings.map(
        ({ file, pointer, message }) => `Finding in \`${file}\` at \`${pointer}\`: ${message}.`,
      ),
    );
    expect(good).to.deep.equal([]);
    expect(bad).to.have.lengthOf(1);
    expect(section).to.contain(bad?.[0]);
  });

  it('is named by the linter with both places', () => {
    const terms = { conditions: { low: { condition: all(trusted, is('trust.level', 'lessThan', 2)) } } };
    const { errors } = warningsOf(terms, policy('p', 'DENY', all(use('low')), db('delete')));
    expect(errors.map(({ code, pointer }) => `${code} ${pointer}`)).to.deep.equal(['NEVER_TRUE /rules/0/conditions']);
    const { warnings } = warningsOf(
      { conditions: { never: { condition: { any: [is('trust.level', 'greaterThan', 9), trusted] } } } },
      policy('p', 'DENY', all(use('never')), db('delete')),
    );
    expect(warnings.map(({ code, pointer, message }) => `${code} ${pointer} ${message}`)).to.deep.equal([
      'CONSTANT_PART /rules/0/conditions/all/0 "trust.level greaterThan 9" never holds, so it has no effect here (the condition "never" is defined at terms.json:3:12)',
    ]);
  });

  it('is replaced in conditions on items, also of nested lists and of named conditions', async () => {
    const above = { path: 'price', operator: 'greaterThan', value: constant('limit') };
    const inner = { path: 'lines', operator: 'some', value: not(above) };
    const terms = {
      conditions: { dear: { condition: is('context.items', 'some', { any: [above, inner] }) } },
      constants: { limit: { value: 100 } },
    };
    const written = policy('p', 'ALLOW', all(use('dear')));
    for (const set of [
      setWith(terms, written),
      setWith({ constants: terms.constants }, policy('p', 'ALLOW', all(terms.conditions.dear.condition))),
    ]) {
      const again = loadCanonicalSet(set.canonical, { compileLexicon });
      if (!again.ok) return expect.fail(JSON.stringify(again.findings));
      for (const [items, verdict] of [
        [[{ price: 101 }], 'ALLOW'],
        [[{ price: 100 }], 'DENY'],
        [[{ price: 1, lines: [{ price: 101 }, { price: 5 }] }], 'ALLOW'],
      ] as const) {
        const facts = factsWith({ 'context.items': items });
        expect((await createEvaluator({ set: again.set }).evaluate(facts)).verdict).to.equal(verdict);
      }
    }
    expect(warningsOf(terms, written).warnings.map(({ code }) => code)).to.not.include('UNUSED_TERM');
    const wrong = (value: unknown) =>
      findingsOf(
        loadWith({ constants: { limit: { value } } }, policy('p', 'ALLOW', all(is('context.items', 'every', above)))),
      );
    expect(wrong('x')).to.deep.equal([
      'p0.json:25 BAD_VALUE /rules/0/conditions/all/0/value/value the constant "limit" (terms.json:3:12): must be a number',
    ]);
    expect(findingsOf(loadWith({}, policy('p', 'ALLOW', all(is('context.items', 'every', above))))).join()).to.contain(
      'UNKNOWN_TERM /rules/0/conditions/all/0/value/value/constant',
    );
  });

  it('is named by an explanation and by coverage', async () => {
    const set = setWith(TERMS, policy('p', 'ALLOW', all(use('at-work'), is('agent.id', 'in', constant('teams')))));
    const { candidates } = await createEvaluator({ set }).explain(factsWith());
    const named = candidates[0]?.conditions.map(({ condition, constant: value }) => [condition, value]);
    expect(named).to.deep.equal([
      ['is-trusted', undefined],
      ['at-work', 'business-hours'],
      [undefined, 'teams'],
    ]);
    const [details] = createCoverage(set).report().details;
    expect(details?.conditions.map(({ pointer, condition, text }) => [pointer, condition, text])).to.deep.equal([
      ['/rules/0/conditions/all/0', 'is-trusted', 'trust.level greaterThan 3'],
      ['/rules/0/conditions/all/0', 'at-work', 'time.minute_of_day withinHours "08:00-18:00"'],
      ['/rules/0/conditions/all/1', undefined, 'agent.id in ["a","b"]'],
    ]);
  });
});

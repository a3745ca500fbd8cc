// Comparisons of two facts: which are refused, their outcomes, and what an explanation shows of them.
import { expect } from 'chai';
import { FACT_OPERATORS } from '../../../shared/core/policy/fact-values.ts';
import { lintPolicySet } from '../../../shared/core/policy/lint.ts';
import { leafOf, outcomeOf } from '../../../shared/core/policy/normal-form.ts';
import { OPERATOR_NAMES, OPERATORS } from '../../../shared/core/policy/operators.ts';
import { all, db, is, not } from './lint-case.ts';
import { evaluatorOf, factsWith, load, policy, setOf } from './support.ts';

/** `trust.level` as the value of a comparison. */
function fact(path: string): { fact: string; path?: string } {
  const [name = '', ...rest] = path.split('.');
  return rest.length === 0 ? { fact: name } : { fact: name, path: rest.join('.') };
}
const compare = (left: string, operator: string, right: string) => all(is(left, operator, fact(right)));
const call = (args: object) => ({ server: 's', name: 't', known: true, changed: false, arguments: args });

const REFUSED: readonly [left: string, operator: string, value: unknown, finding: string][] = [
  ['agent.id', 'equal', fact('trust.level'), 'BAD_VALUE /value'],
  ['trust.score', 'lessThan', fact('trust.uncertainty'), 'BAD_VALUE /value'],
  ['trust.level', 'lessThan', fact('trust.score'), 'BAD_VALUE /value'],
  ['time.minute_of_day', 'equal', fact('time.hour'), 'BAD_VALUE /value'],
  ['trust.level', 'equal', fact('trust.level'), 'BAD_VALUE /value'],
  ['environment', 'equal', fact('intent.action'), 'BAD_VALUE /value'],
  ['agent.id', 'in', fact('key.id'), 'BAD_VALUE /value'],
  ['agent.tags', 'contains', fact('agent.capabilities'), 'BAD_VALUE /value'],
  ['agent.tags', 'containsAny', fact('agent.id'), 'BAD_VALUE /value'],
  ['trust.level', 'in', fact('agent.tags'), 'BAD_VALUE /value'],
  ['time.now', 'before', fact('agent.id'), 'BAD_VALUE /value'],
  ['intent.resource', 'matchesResource', fact('trust.level'), 'BAD_VALUE /value'],
  ['context.path', 'matchesResource', fact('intent.resource'), 'BAD_VALUE /value'],
  ['context.path', 'equal', fact('intent.places'), 'BAD_VALUE /value'],
  ['context.sum', 'equal', fact('intent.entities.money'), 'BAD_VALUE /value'],
  ['agent.id', 'equal', fact('tool.arguments.items[].owner'), 'BAD_VALUE /value'],
  ['agent.id', 'in', ['a', fact('key.id')], 'BAD_VALUE /value'],
  ['agent.id', 'equal', fact('agent.nme'), 'UNKNOWN_FACT /value/path'],
  ['agent.id', 'equal', fact('agent'), 'UNKNOWN_FACT /value'],
  ['agent.id', 'equal', fact('agent.__proto__'), 'UNKNOWN_FACT /value/path'],
  ['agent.id', 'equal', { fact: '__proto__', path: 'x' }, 'UNKNOWN_FACT /value/fact'],
  ['agent.id', 'equal', { fact: 'constructor' }, 'UNKNOWN_FACT /value/fact'],
  ['agent.id', 'equal', { fact: 'context', path: '$..x' }, 'UNKNOWN_FACT /value/path'],
  ['agent.id', 'equal', { fact: 'key', path: 'id', params: {} }, 'SCHEMA /value/params'],
  ['agent.id', 'equal', { fact: 7 }, 'UNKNOWN_FACT /value/fact'],
  ['agent.id', 'isPresent', fact('key.id'), 'OPERATOR_MISUSED /operator'],
  ['agent.id', 'matchesGlob', fact('key.id'), 'OPERATOR_MISUSED /operator'],
  ['agent.id', 'matchesPattern', fact('key.id'), 'OPERATOR_MISUSED /operator'],
  ['time.minute_of_day', 'withinHours', fact('context.hours'), 'OPERATOR_MISUSED /operator'],
  ['intent.entities.money', 'amountAbove', fact('context.limit'), 'OPERATOR_MISUSED /operator'],
];

type Outcome = readonly [left: unknown, operator: string, right: unknown, outcome: string];
const OUTCOMES: readonly Outcome[] = [
  ['a', 'equal', 'a', 'yes'],
  ['a', 'equal', 'b', 'no'],
  ['1', 'equal', 1, 'missing'],
  [{ a: 1 }, 'equal', { a: 1 }, 'missing'],
  [['a'], 'equal', ['a'], 'missing'],
  ['a', 'notEqual', 'b', 'yes'],
  [Number.NaN, 'equal', Number.NaN, 'missing'],
  [1, 'lessThan', 2, 'yes'],
  [2, 'lessThan', '3', 'missing'],
  ['a', 'in', ['a', 'b'], 'yes'],
  ['a', 'in', [], 'no'],
  [{}, 'in', [], 'missing'],
  ['a', 'in', 'a', 'missing'],
  ['a', 'in', ['a', 1], 'missing'],
  ['a', 'in', Array.from({ length: 1_001 }, () => 'a'), 'missing'],
  ['a', 'notIn', [], 'yes'],
  [['a'], 'contains', 'a', 'yes'],
  [['a'], 'contains', ['a'], 'missing'],
  [['a', 'b'], 'containsAny', ['b'], 'yes'],
  [['a'], 'containsAny', [], 'no'],
  [['a'], 'containsAll', [], 'yes'],
  ['a', 'containsAll', [], 'missing'],
  ['abc', 'startsWith', 'ab', 'yes'],
  ['abc', 'startsWith', '', 'missing'],
  ['abc', 'endsWith', ['bc', 'x'], 'yes'],
  ['https://a.example/x', 'hostIn', '*.example', 'yes'],
  ['https://a.example/x', 'hostIn', 'not a host', 'missing'],
  ['db/a/x', 'matchesResource', 'db/a/*', 'yes'],
  ['db/b', 'matchesResource', ['db/a', 'files/*'], 'no'],
  ['db/b', 'matchesResource', 'db/../*', 'missing'],
  ['10.1.2.3', 'inCidr', '10.0.0.0/8', 'yes'],
  ['10.1.2.3', 'inCidr', [], 'no'],
  ['nowhere', 'inCidr', [], 'missing'],
  ['10.1.2.3', 'inCidr', 'anything', 'missing'],
  ['2026-01-01T00:00:00Z', 'before', '2026-01-02T00:00:00Z', 'yes'],
  ['2026-01-01T00:00:00Z', 'after', 'tomorrow', 'missing'],
];

describe('a fact as the value of a comparison', () => {
  for (const [left, operator, value, finding] of REFUSED)
    it(`is refused: ${left} ${operator} ${JSON.stringify(value).slice(0, 60)}`, () => {
      const result = load([policy('p', 'DENY', all(is(left, operator, value)))]);
      const at = '/rules/0/conditions/all/0';
      expect(
        result.ok ? [] : result.findings.map(({ code, pointer }) => `${code} ${pointer.replace(at, '')}`),
      ).to.include(finding);
    });

  it('is accepted by the operators that say so, and refused by all others', () => {
    for (const [name, { types }] of OPERATORS) {
      const [type] = types;
      const left = type === 'timestamp' ? 'time.now' : type === 'resource' ? 'intent.resource' : 'context.x';
      const result = load([policy('p', 'DENY', compare(left, name, 'context.y'))]);
      expect(result.ok, name).to.equal(FACT_OPERATORS.includes(name));
    }
    expect(OPERATOR_NAMES).to.include.members([...FACT_OPERATORS]);
  });

  for (const [x, operator, y, outcome] of OUTCOMES)
    it(`${JSON.stringify(x)} ${operator} ${JSON.stringify(y).slice(0, 40)}: ${outcome}`, async () => {
      const facts = factsWith({ context: { x, y } });
      const [comparison] = compare('context.x', operator, 'context.y').all;
      // The builder makes comparisons.
      expect(outcomeOf(leafOf(comparison as never, true, false), facts)).to.equal(outcome);
      const conditions = compare('context.x', operator, 'context.y');
      const [allowed] = [await evaluatorOf([policy('p', 'ALLOW', conditions)]).evaluate(facts)];
      expect(allowed.verdict).to.equal(outcome === 'yes' ? 'ALLOW' : 'DENY');
      const denied = await evaluatorOf([policy('p', 'DENY', conditions), policy('q', 'ALLOW')]).evaluate(facts);
      expect(denied.reasons.map(({ code }) => code)).to.include(
        { yes: 'DENY_CODE', no: 'ALLOW_CODE', missing: 'FACT_MISSING' }[outcome],
      );
    });

  it('that is missing opens nothing, on either side, and the reason names the missing side', async () => {
    const conditions = all(is('context.a', 'equal', fact('context.b')));
    const evaluator = evaluatorOf([policy('p', 'DEGRADE', conditions), policy('q', 'ALLOW')]);
    const missing: readonly [object, string][] = [
      [{ a: 'x' }, 'context.b'],
      [{ b: 'x' }, 'context.a'],
      [{}, 'context.a, context.b'],
      [{ a: 1, b: 'x' }, 'context.a, context.b'],
      [{ a: 'x', b: null }, 'context.b'],
    ];
    for (const [context, names] of missing) {
      const { verdict, reasons } = await evaluator.evaluate(factsWith({ context }));
      expect(verdict).to.equal('ESCALATE');
      expect(reasons[0]?.message).to.contain(`(missing: ${names})`);
    }
    expect((await evaluator.evaluate(factsWith({ context: { a: 'x', b: 'x' } }))).verdict).to.equal('DEGRADE');
  });

  it('that a requested pattern leaves open neither permits nor is missing', async () => {
    const conditions = compare('context.object', 'equal', 'intent.object');
    const facts = factsWith({ 'intent.resource': 'db/*', 'intent.object': '*', 'context.object': '*' });
    expect((await evaluatorOf([policy('p', 'ALLOW', conditions)]).evaluate(facts)).verdict).to.equal('DENY');
    const { reasons } = await evaluatorOf([policy('p', 'DENY', conditions)]).evaluate(facts);
    expect(reasons.map(({ code }) => code)).to.deep.equal(['DENY_CODE']);
  });

  it('is read anew when only the right side changes', async () => {
    const evaluator = evaluatorOf([policy('p', 'ALLOW', compare('agent.id', 'equal', 'tool.arguments.owner'))]);
    const asked = async (owner: unknown) =>
      (await evaluator.evaluate(factsWith({ 'agent.id': 'a', tool: call({ owner }) }))).verdict;
    expect([
      await asked('a'),
      await asked('b'),
      await asked(['a']),
      await asked(undefined),
      await asked('a'),
    ]).to.deep.equal(['ALLOW', 'DENY', 'DENY', 'DENY', 'ALLOW']);
  });

  it('is explained with the values of both facts', async () => {
    const { candidates } = await evaluatorOf([
      policy('p', 'ALLOW', compare('agent.id', 'equal', 'context.owner')),
    ]).explain(factsWith({ 'agent.id': 'me', 'context.owner': 'you' }));
    expect(candidates[0]?.conditions).to.deep.equal([
      {
        fact: 'agent',
        path: 'id',
        operator: 'equal',
        expected: 'you',
        expectedFact: { fact: 'context', path: 'owner' },
        actual: 'me',
        missing: false,
        result: false,
      },
    ]);
  });

  const lint = (...policies: readonly object[]) =>
    lintPolicySet(setOf(policies)).map(({ severity, code, policy: id }) => `${severity} ${code} ${id}`);

  it('gives the linter its proofs and examples', () => {
    const own = is('agent.id', 'equal', fact('key.id'));
    expect(lint(policy('p', 'DENY', all(own), db('delete')))).to.deep.equal([]);
    expect(lint(policy('p', 'DENY', all(own, not(own)), db('delete')))).to.deep.equal(['error NEVER_TRUE p']);
    expect(
      lint(policy('p', 'DENY', all(own, is('agent.id', 'equal', 'a'), is('key.id', 'equal', 'b')), db('delete'))),
    ).to.deep.equal(['error NEVER_TRUE p']);
    expect(
      lint(
        policy(
          'p',
          'ALLOW',
          all(is('agent.id', 'equal', fact('context.owner')), is('trust.level', 'greaterThan', 3)),
          db('update'),
        ),
      ),
    ).to.deep.equal(['warning CALLERS_WORD p']);
    expect(
      lint(
        policy(
          'p',
          'ALLOW',
          all(is('context.owner', 'notEqual', fact('agent.id')), is('trust.level', 'greaterThan', 3)),
          db('update'),
        ),
      ),
    ).to.deep.equal(['warning WIDENING p']);
    expect(lint(policy('p', 'DENY', compare('agent.id', 'equal', 'tool.arguments.owner'), db('update')))).to.deep.equal(
      ['warning TOOL_ABSENT p'],
    );
  });
});

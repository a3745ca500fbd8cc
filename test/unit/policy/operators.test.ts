// Every operator as a table: fact value, compared value, result. Wrong types count as missing, never as yes or no.
import { expect } from 'chai';
import { OPERATORS } from '../../../shared/core/policy/operators.ts';
import { leafOf, operandOf } from '../../../shared/core/policy/normal-form.ts';
import { factsWith } from './support.ts';
import { dataOf } from '../../support/data.ts';

type Row = [operator: string, actual: unknown, value: unknown, outcome: string];
const WRONG_TYPES: readonly unknown[] = [
  {},
  [{}],
  null,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  () => 1,
  Symbol('x'),
  1n,
];

/** What the test of an operator takes, at the time 2026-03-04T10:30:00.000Z. */
const operandFor = (operator: string, value: unknown): unknown =>
  operandOf(leafOf({ fact: 'context', path: 'x', operator, value }, false, false), factsWith());

describe('operators', () => {
  for (const [name, actual, value, outcome] of dataOf<Row[]>('unit/policy/operators.cases.json')) {
    it(`${JSON.stringify(actual)} ${name} ${JSON.stringify(value)}: ${outcome}`, () => {
      const operator = OPERATORS.get(name);
      expect(operator?.valueProblem(value)).to.equal(undefined);
      expect(operator?.test(actual, operandFor(name, value))).to.equal(outcome);
    });
  }
  it('every operator has at least one row for yes, no and missing (isPresent: yes and no)', () => {
    const rows = dataOf<Row[]>('unit/policy/operators.cases.json');
    for (const name of OPERATORS.keys()) {
      const outcomes = new Set(rows.filter((row) => row[0] === name).map((row) => row[3]));
      expect([...outcomes], name).to.include.members(name === 'isPresent' ? ['yes', 'no'] : ['yes', 'no', 'missing']);
    }
  });
  it('some and every decide about a thousand items, and not about more', () => {
    for (const [name, of] of [
      ['some', 'no'],
      ['every', 'yes'],
    ] as const)
      for (const [length, outcome] of [
        [1_000, of],
        [1_001, 'missing'],
      ] as const) {
        const value = { operator: name === 'some' ? 'equal' : 'notEqual', value: 'b' };
        const items = Array.from({ length }, () => 'a');
        expect(OPERATORS.get(name)?.test(items, operandFor(name, value)), `${name} of ${length}`).to.equal(outcome);
      }
  });
  it('no operator except isPresent decides about a value of an unknown type', () => {
    for (const operator of OPERATORS.values()) {
      if (operator.name === 'isPresent') continue;
      const value = operandFor(operator.name, operator.example);
      for (const actual of WRONG_TYPES) expect(operator.test(actual, value), operator.name).to.equal('missing');
    }
  });
});

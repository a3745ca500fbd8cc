import { expect } from 'chai';
import { judge, judgedRows, type Limit, readLimits } from '../../../bench/gate.ts';
import { type Row, spread } from '../../../bench/measure.ts';

const rowWith = (more: Partial<Row>): Row => ({
  name: 'POST /v1/enforce',
  connections: 64,
  policies: 1_000,
  perSecond: spread([1_000]),
  p50Ms: spread([1]),
  p99Ms: spread([1]),
  errors: 0,
  cpuUsPerRequest: { ingress: 300, workers: 60, postgres: 150 },
  ...more,
});
const ECHO = rowWith({ name: 'echo', policies: null, cpuUsPerRequest: { echo: 200 } });
const SUBMITTED = rowWith({
  name: 'POST /v1/intents',
  queue: 'Redis',
  ofEcho: spread([0.5]),
  carriedOut: {
    outcome: 'decided',
    acceptedPerSecond: spread([1_000]),
    perSecond: spread([800]),
    p50Ms: spread([1]),
    p99Ms: spread([1]),
    maxMs: spread([1]),
  },
});
const limit = (more: Partial<Limit>): Limit => ({
  row: 'POST /v1/enforce',
  connections: 64,
  measure: 'ingress',
  of: 'echo',
  goal: 1,
  ...more,
});

describe('the gate on ratios of the bench', () => {
  const rows = [ECHO, rowWith({}), SUBMITTED];
  const CASES: readonly [what: string, limit: Limit, ratio: number | undefined, holds: boolean][] = [
    ['processor time within its limit', limit({ atMost: 1.5 }), 1.5, true],
    ['processor time beyond its limit', limit({ atMost: 1.4 }), 1.5, false],
    ['one part beside another', limit({ measure: 'postgres', of: 'ingress', atMost: 0.5 }), 0.5, true],
    ['too little work', limit({ row: 'POST /v1/intents', queue: 'Redis', measure: 'done', atLeast: 0.41 }), 0.4, false],
    ['enough work', limit({ row: 'POST /v1/intents', queue: 'Redis', measure: 'done', atLeast: 0.4 }), 0.4, true],
    ['another backend, which was not measured', limit({ queue: 'PostgreSQL', atMost: 9 }), undefined, false],
    ['a row that is not in the run', limit({ row: 'POST /v1/nothing', atMost: 9 }), undefined, false],
  ];
  for (const [what, one, ratio, holds] of CASES)
    it(`${what}: ${holds ? 'holds' : 'does not hold'}`, () => {
      const [judged] = judge(rows, [one]);
      expect(judged?.holds).to.equal(holds);
      if (ratio === undefined) expect(judged?.ratio).to.equal(undefined);
      else expect(judged?.ratio).to.be.closeTo(ratio, 1e-9);
    });

  it('every limit of the repository bounds one side, and is printed with its goal', () => {
    const limits = readLimits();
    expect(limits).to.have.length.above(3);
    for (const { atMost, atLeast, goal } of limits) {
      expect((atMost === undefined) !== (atLeast === undefined)).to.equal(true);
      if (atMost !== undefined) expect(goal).to.be.at.most(atMost);
      if (atLeast !== undefined) expect(goal).to.be.at.least(atLeast);
    }
    expect(judgedRows(judge(rows, limits))).to.have.lengthOf(limits.length + 1);
  });
});

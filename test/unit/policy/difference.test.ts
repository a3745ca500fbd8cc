// The difference of a draft: which results count as changes, in which direction, and which lists are bounded.
import { expect } from 'chai';
import { differingAspects } from '../../../shared/core/policy/aspects.ts';
import { createDifference } from '../../../shared/core/policy/difference.ts';
import type { Compared } from '../../../shared/core/policy/difference-types.ts';
import type { Evaluation } from '../../../shared/core/policy/types.ts';
import type { Verdict } from '../../../shared/kernel/vocabulary.ts';

function said(verdict: Verdict, rule = 'r', obligations: Evaluation['obligations'] = []): Evaluation {
  return { verdict, reasons: [{ policy: 'p', rule, effect: verdict, code: 'C', message: 'm' }], obligations };
}

function compared(before: Evaluation, after: Evaluation, changes: Partial<Compared> = {}): Compared {
  const about = { organisation: 'acme', environment: 'live', agentId: 'a', intent: 'data.read.x', resource: 'data/x' };
  return {
    decisionId: 'dec_1',
    evaluatedAt: '2026-03-01T00:00:00.000Z',
    ...about,
    before,
    after,
    differs: differingAspects(before, after),
    ...changes,
  };
}

const rows = (limit: number): Evaluation['obligations'] => [{ type: 'max_rows', limit }];

describe('a difference', () => {
  for (const [from, to, direction] of [
    ['ALLOW', 'DENY', 'stricter'],
    ['DENY', 'ALLOW', 'looser'],
    ['ALLOW', 'DEGRADE', 'stricter'],
    ['DEGRADE', 'ESCALATE', 'stricter'],
    ['ESCALATE', 'DENY', 'stricter'],
    ['DENY', 'ESCALATE', 'looser'],
    ['ESCALATE', 'ALLOW', 'looser'],
  ] as const) {
    it(`calls ${from} to ${to} ${direction}`, () => {
      const difference = createDifference();
      difference.add(compared(said(from), said(to)));
      const { changed, transitions } = difference.report();
      expect(changed).to.deep.equal({
        decisions: 1,
        stricter: 0,
        looser: 0,
        obligations: 0,
        approvers: 0,
        ttl: 0,
        budgets: 0,
        [direction]: 1,
      });
      expect(transitions).to.deep.equal([{ from, to, decisions: 1 }]);
    });
  }

  it('counts other obligations as a change, and other reasons as none', () => {
    const difference = createDifference();
    difference.add(compared(said('DEGRADE', 'r', rows(1)), said('DEGRADE', 'r', rows(2))));
    difference.add(compared(said('ALLOW', 'one'), said('ALLOW', 'two')));
    difference.add(compared(said('ALLOW'), said('ALLOW')));
    const { changed, otherReasons, decisions, rules } = difference.report();
    expect(changed).to.deep.equal({
      decisions: 1,
      stricter: 0,
      looser: 0,
      obligations: 1,
      approvers: 0,
      ttl: 0,
      budgets: 0,
    });
    expect([otherReasons, decisions.evaluated, rules.items.length]).to.deep.equal([1, 3, 0]);
  });

  it('counts entries individually up to the limit, the rest together, and shows the largest', () => {
    const difference = createDifference({ counted: 3, shown: 2, examples: 1 });
    for (const agentId of ['a', 'b', 'b', 'c', 'd', 'd'])
      difference.add(compared(said('ALLOW'), said('DENY'), { agentId }));
    const { agents, changed, examples } = difference.report();
    expect(changed.decisions).to.equal(6);
    expect(agents.items.map(({ agentId, decisions }) => [agentId, decisions])).to.deep.equal([
      ['b', 2],
      ['a', 1],
    ]);
    expect([agents.more, agents.beyond, examples.length]).to.deep.equal([1, 2, 1]);
  });

  it('shows one example of each kind', () => {
    const difference = createDifference();
    for (const decisionId of ['dec_1', 'dec_2']) difference.add(compared(said('ALLOW'), said('DENY'), { decisionId }));
    difference.add(compared(said('ALLOW'), said('DENY'), { decisionId: 'dec_3', agentId: 'b' }));
    expect(difference.report().examples.map(({ decisionId }) => decisionId)).to.deep.equal(['dec_1', 'dec_3']);
  });

  it('keeps room for rare changes: five examples with the same reasons', () => {
    const difference = createDifference();
    for (let i = 0; i < 30; i += 1)
      difference.add(compared(said('ALLOW'), said('DENY'), { decisionId: `dec_${i}`, agentId: `a${i}` }));
    difference.add(compared(said('ALLOW'), said('DENY', 'rare'), { decisionId: 'dec_rare' }));
    const ids = difference.report().examples.map(({ decisionId }) => decisionId);
    expect(ids).to.deep.equal(['dec_0', 'dec_1', 'dec_2', 'dec_3', 'dec_4', 'dec_rare']);
  });

  it('treats names of inherited object members as ordinary names', () => {
    const difference = createDifference();
    for (const agentId of ['__proto__', 'constructor'])
      difference.add(compared(said('ALLOW'), said('DENY'), { agentId }));
    expect(difference.report().agents.items.map(({ agentId }) => agentId)).to.deep.equal(['__proto__', 'constructor']);
  });
});

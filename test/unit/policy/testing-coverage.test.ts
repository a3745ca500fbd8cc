// Coverage of a policy set by test cases: policies that matched, rules that held, conditions seen both ways.
import { expect } from 'chai';
import { policy } from './support.ts';
import { runDocument, setOfDocuments } from './testing-support.ts';

describe('coverage', () => {
  const trusted = { fact: 'trust', path: 'level', operator: 'greaterThanInclusive', value: 4 };
  const ticket = { fact: 'context', path: 'ticket', operator: 'equal', value: 'T-1' };
  const set = setOfDocuments([
    policy('a', 'ALLOW', { all: [trusted, { not: ticket }] }),
    policy('elsewhere', 'DENY', { all: [trusted] }, { target: { actions: ['delete'], resources: ['db/*'] } }),
  ]);
  const covering = async (...cases: object[]) => {
    const all = cases.map((one, i) => ({ name: `c${i}`, agent: { level: 4 }, intent: 'data.read.x', ...one }));
    return (await runDocument({ cases: all }, set)).coverage.report();
  };

  it('lists policies that never matched, rules that never held and outcomes that were never seen', async () => {
    const report = await covering({ context: { ticket: 'T-1' } });
    expect(report.unasked).to.deep.equal(['elsewhere']);
    expect(report.policies).to.deep.equal({ covered: 1, total: 2, percent: 50 });
    expect(report.rules).to.deep.equal({ covered: 0, total: 2, percent: 0 });
    expect(report.conditions).to.deep.equal({ covered: 2, total: 6, percent: 33.3 });
    expect(report.percent).to.equal(0);
    const [rule] = report.details;
    expect(rule?.conditions[1]).to.deep.equal({
      pointer: '/rules/0/conditions/all/1/not',
      text: 'context.ticket equal "T-1"',
      wasTrue: true,
      wasFalse: false,
    });
  });

  it('counts a missing fact as neither outcome', async () => {
    const [rule] = (await covering({})).details;
    expect(rule?.conditions[1]).to.include({ wasTrue: false, wasFalse: false });
  });

  it('counts as true what holds for a part of a pattern', async () => {
    const named = { fact: 'intent', path: 'object', operator: 'equal', value: 'users' };
    const asked = setOfDocuments([policy('named', 'DENY', { all: [named] })]);
    const { coverage } = await runDocument(
      { cases: [{ name: 'c', agent: {}, intent: 'read:data/x/*', expect: 'DENY' }] },
      asked,
    );
    expect(coverage.report().details[0]?.conditions[0]).to.include({ wasTrue: true, wasFalse: false });
  });

  it('does not count rules for an agent that is denied before any is evaluated', async () => {
    const report = await covering({ agent: { level: 4, status: 'PAUSED' }, context: { ticket: 'T-2' } });
    expect(report.policies.covered).to.equal(0);
  });

  it('is 100 when everything was seen, and only then', async () => {
    const all = [
      { context: { ticket: 'T-1' } },
      { context: { ticket: 'T-2' } },
      { agent: {} },
      { intent: 'delete:db/x' },
    ];
    expect((await covering(...all)).percent).to.equal(83.3);
    expect((await covering(...all, { intent: 'delete:db/x', agent: {} })).percent).to.equal(100);
  });
});

// `custos decision verify` on a real service's decisions: all verify, before and after they are in the log.
import { expect } from 'chai';
import type { Service } from '../support/service.ts';
import { type DecisionsUnderTest, startDecisions } from './decision-verify-setup.ts';

describe('custos decision verify', () => {
  let on: DecisionsUnderTest;
  let service: Service;
  before(async () => {
    on = await startDecisions();
    ({ service } = on);
  });
  after(() => on?.close());

  it('verifies every decision, however it was made, before and after it is in the log', async () => {
    const [{ n } = { n: '' }] = await service.rows<{ n: string }>('SELECT count(*)::text AS n FROM decision');
    for (const append of [false, true]) {
      if (append) await on.worker.append();
      const outcomes = await on.verifyAll();
      expect(outcomes.length).to.equal(Number(n));
      for (const outcome of outcomes) expect(outcome.status, outcome.sentence).to.not.equal('failed');
      const open = outcomes
        .filter(({ status }) => status === 'not_evaluable')
        .flatMap(({ notEvaluable }) => notEvaluable);
      expect(open.sort(), 'a missing approval, and an evaluation whose job died').to.deep.equal([
        'APPROVAL',
        'EVALUATION_FAILED',
      ]);
      expect(new Set(outcomes.map(({ verdict }) => verdict)).size).to.be.at.least(3);
    }
  });

  it('reports the result in the shell, for decisions by id and for all of them', async () => {
    const id = on.kinds.get('worker-bot') ?? '';
    const one = await on.custos(id);
    expect(one.code, one.stderr).to.equal(0);
    expect(one.stdout).to.match(new RegExp(`^${id} ALLOW: verified\\. .*the first 3 logged signals give its trust`));
    const open = await on.custos(on.kinds.get('approval') ?? '');
    expect(open.code, open.stderr).to.equal(3);
    expect(open.stdout).to.contain('NOT_EVALUABLE. The verdict is about an approval');
    const refused = ['rejected', 'due', 'closed', 'used'].map((kind) => on.kinds.get(kind) ?? kind);
    const closed = await on.custos(...refused);
    expect(closed.code, closed.stdout).to.equal(0);
    expect(closed.stdout.match(/it says APPROVAL_\w+/g)).to.deep.equal(
      ['REJECTED', 'EXPIRED', 'EXPIRED', 'USED'].map((why) => `it says APPROVAL_${why}`),
    );
    const other = await on.custos('--all', '--json', '--organisation', 'other', '--environment', 'live');
    const [line = '', counts = ''] = other.stdout.trim().split('\n');
    expect(JSON.parse(line)).to.include({ decisionId: on.kinds.get('other'), status: 'verified', verdict: 'ALLOW' });
    expect([other.code, JSON.parse(counts)]).to.deep.equal([0, { verified: 1, not_evaluable: 0, failed: 0 }]);
    const all = await on.custos('--all', '--since', '7d');
    expect(all.code, all.stdout).to.equal(0);
    expect(all.stderr).to.match(/\d+ verified, 2 not evaluable, 0 failed\./);
  });

  it('refuses invalid arguments, and names a decision that does not exist', async () => {
    for (const args of [
      ['--facts', 'x', '--all'],
      ['--log', 'x', '--all'],
      [],
      ['--all', 'dec_1'],
      ['dec_1', '--since', '7d'],
      ['--all', '--since', 'x'],
    ])
      expect((await on.custos(...args)).code, args.join(' ')).to.equal(2);
    const gone = await on.custos('dec_gone');
    expect([gone.code, gone.stderr.trim()]).to.deep.equal([2, 'custos: There is no decision dec_gone.']);
  });
});

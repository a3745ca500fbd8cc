// The measurement of a log without a service, which opens the database by itself.
import { expect } from 'chai';
import { runProcess } from '../support/process.ts';

describe('npm run bench -- --only log', () => {
  it('appends, audits and proves leaves in a database of its own', async () => {
    const bench = runProcess('bench/log-proofs.js', ['--sizes', '200']);
    const { code } = await bench.ended;
    expect(code, bench.stderr()).to.equal(0);
    for (const what of ['inclusion', 'consistency', 'appended', 'audited'])
      expect(bench.stdout()).to.match(new RegExp(`^${what} +200 leaves `, 'm'));
  });
});

// The shipped policies pass their own tests, and these tests cover them completely.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { reasonLine } from '../../../shared/core/policy/testing/run.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { shippedFiles } from './support.ts';
import { type Ran, runDocument, runFiles, setWithLexicon } from './testing-support.ts';

describe('the tests of the shipped policies', () => {
  let ran: Ran;

  before(async () => {
    const folder = path.join(findRoot(), 'policies', 'tests');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.json'))
      .map((name) => ({ path: name, text: readFileSync(path.join(folder, name), 'utf8') }));
    ran = await runFiles(files, setWithLexicon(shippedFiles()));
  });

  it('all pass', () => {
    const failed = ran.results
      .filter(({ differences }) => differences.length > 0)
      .map(({ test, evaluation, differences }) => ({
        case: `${test.source.content.name}: ${test.name}`,
        differences,
        reasons: evaluation.reasons.map(reasonLine),
      }));
    expect(failed).to.deep.equal([]);
    expect(ran.results.length).to.be.above(300);
  });

  it('match every policy, make every rule hold and see every condition true and false', () => {
    const { unasked, details, percent } = ran.coverage.report();
    expect(unasked).to.deep.equal([]);
    const gaps = details.flatMap(({ policy, rule, matched, conditions }) => [
      ...(matched ? [] : [`${policy}/${rule} never matched`]),
      ...conditions
        .filter(({ wasTrue, wasFalse }) => !wasTrue || !wasFalse)
        .map(({ text, wasTrue }) => `${text} in ${policy}/${rule} was never ${wasTrue ? 'false' : 'true'}`),
    ]);
    expect(gaps).to.deep.equal([]);
    expect(percent).to.equal(100);
  });

  it('also include the case in the guide', async () => {
    const guide = readFileSync(path.join(findRoot(), 'docs', 'guides', 'test-a-policy.md'), 'utf8');
    const shown = /<!-- facts -->\n```json\n([^]*?)^```$/m.exec(guide)?.[1];
    const { results } = await runDocument({ cases: [JSON.parse(shown ?? '')] }, setWithLexicon(shippedFiles()));
    expect(results.map(({ differences }) => differences)).to.deep.equal([[]]);
  });
});

// The linter's findings on a generated folder, with their examples: they must not change when the linter becomes faster.
import { expect } from 'chai';
import { writePolicyFolder } from '../../../bench/policies.ts';
import { knownVerbs } from '../../../shared/core/intent/lexicon/known-verbs.ts';
import { compileLexicon } from '../../../shared/core/intent/lexicon/lexicon.ts';
import { admitPolicySet } from '../../../shared/core/policy/admit.ts';
import { readPolicyFolder } from '../../../shared/domain/policy-sets/folder.ts';
import { dataOf } from '../../support/data.ts';
import { temporaryFolder } from '../../support/folders.ts';

describe('the linter on a generated folder', () => {
  it('finds what it found before it was made faster', async () => {
    const dir = temporaryFolder('generated');
    writePolicyFolder(dir, 14);
    const { errors, warnings } = admitPolicySet(await readPolicyFolder(dir), { compileLexicon, verbsOf: knownVerbs });
    expect(errors).to.deep.equal([]);
    const found = warnings.map(({ file, code, pointer, message, example }) => ({
      file,
      code,
      pointer,
      message,
      example,
    }));
    expect(found).to.deep.equal(dataOf('unit/policy/lint-generated.cases.json'));
  });
});

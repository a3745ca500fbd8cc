// The files of a pepper rotation in a data folder: after any interruption, a repetition gives the same result.
import { expect } from 'chai';
import { copyFileSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { beginPepperChange, makeSecrets, readSecrets } from '../../shared/platform/embedded/secrets.ts';
import { temporaryFolder } from '../support/folders.ts';

describe('a change of the pepper in a data folder', () => {
  it('uses the old pepper until the new one is committed, and creates one new pepper however often it starts', () => {
    const folder = temporaryFolder('pepper');
    makeSecrets(folder);
    const { pepper } = readSecrets(folder, {});
    const first = beginPepperChange(folder);
    const again = beginPepperChange(folder);
    expect(first.previous).to.equal(pepper);
    expect(again.next).to.equal(first.next).and.not.to.equal(pepper);
    expect(readSecrets(folder, {})).to.include({ pepper, pepperPrevious: undefined });
    again.keep();
    expect(readSecrets(folder, {})).to.include({ pepper: first.next, pepperPrevious: pepper });
    expect(statSync(path.join(folder, 'pepper')).mode & 0o777).to.equal(0o600);
    expect(existsSync(path.join(folder, 'pepper-next'))).to.equal(false);
  });

  it('loses no pepper when it is interrupted between the files', () => {
    const folder = temporaryFolder('pepper-interrupted');
    const at = (name: string): string => path.join(folder, name);
    makeSecrets(folder);
    const { pepper } = readSecrets(folder, {});
    const { next } = beginPepperChange(folder);
    copyFileSync(at('pepper'), at('pepper-previous'));
    copyFileSync(at('pepper-next'), at('pepper'));
    // As if killed before the last step: both files contain the new pepper.
    beginPepperChange(folder).keep();
    expect(readSecrets(folder, {})).to.include({ pepper: next, pepperPrevious: pepper });
    expect(readFileSync(at('pepper'), 'utf8').trim()).to.equal(next);
    rmSync(folder, { recursive: true });
  });
});

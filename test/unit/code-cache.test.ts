// The compiled form of a bundle that a checkout keeps: used as it was written, and never when it is damaged, which would crash V8.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { runScript } from '../../shared/platform/process/code-cache.ts';
import { temporaryFolder } from '../support/folders.ts';

const TEXT = "(function (exports, require, module, file) { exports.of = () => require('node:path').basename(file); })";

describe('the compiled form of a script', () => {
  const folder = temporaryFolder('compiled');
  const file = path.join(folder, 'script.cjs');
  const kept = path.join(folder, 'below', 'kept');
  writeFileSync(file, TEXT);

  function run(): unknown {
    const { exported, keepCompiled } = runScript(file, kept);
    const result = (exported as { of(): string }).of();
    keepCompiled();
    return result;
  }

  it('is kept at the first run and left as it is later', () => {
    expect(run()).to.equal('script.cjs');
    const { ino } = statSync(kept);
    expect(run()).to.equal('script.cjs');
    expect(statSync(kept).ino).to.equal(ino);
  });

  it('is not used when it is damaged, cut off or empty, and is kept again', () => {
    const whole = readFileSync(kept);
    const changed = Buffer.from(whole);
    changed[whole.length >> 1] = (changed[whole.length >> 1] ?? 0) ^ 1;
    for (const damaged of [changed, whole.subarray(0, -1), Buffer.alloc(0), Buffer.alloc(whole.length)]) {
      writeFileSync(kept, damaged);
      const { ino } = statSync(kept);
      expect(run()).to.equal('script.cjs');
      expect(statSync(kept).ino, `${damaged.length} bytes`).not.to.equal(ino);
    }
  });

  it('is kept nowhere without a file for it', () => {
    runScript(file).keepCompiled();
  });
});

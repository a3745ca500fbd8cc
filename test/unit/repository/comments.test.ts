// Documentation comments (/** */) stand directly above what they describe: one that was left behind describes nothing, or the wrong thing.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';

const ROOT = findRoot();
const FOLDERS = ['shared', 'ingress', 'workers', 'cli', 'test', 'bench', 'clients/typescript/src'];
/** Above an empty line, or above another comment. */
const LEFT_BEHIND = /^ *\/\*\*(?:[^*]|\*(?!\/))*\*\/\n *(?:\n|\/\*\*)/m;

describe('documentation comments', () => {
  it('stand directly above what they describe', () => {
    const files = FOLDERS.flatMap((folder) =>
      readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => path.join(folder, name)),
    );
    expect(files.length).to.be.above(1_000);
    expect(files.filter((file) => LEFT_BEHIND.test(readFileSync(path.join(ROOT, file), 'utf8')))).to.deep.equal([]);
    expect('/** A. */\n\nconst a = 1;\n').to.match(LEFT_BEHIND);
    expect('  /** A. */\n  /** B. */\n  const b = 1;\n').to.match(LEFT_BEHIND);
    expect('/** A. */\nconst a = 1;\n\nconst b = 2;\n').not.to.match(LEFT_BEHIND);
  });
});

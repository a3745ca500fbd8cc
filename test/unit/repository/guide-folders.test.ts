// The folders that readers make with the guides: they follow one guide after another, and some twice.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';

const GUIDES = path.join(findRoot(), 'docs', 'guides');
const MADE = /^(?:cp -r (?<from>\S+)|npx custos policy init) (?<to>[\w-]+)$/gm;

describe('The guides', () => {
  const made = readdirSync(GUIDES)
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      [...readFileSync(path.join(GUIDES, file), 'utf8').matchAll(MADE)].map(({ groups = {} }) => ({ file, ...groups })),
    ) as readonly object[] as readonly { readonly file: string; readonly from?: string; readonly to: string }[];

  it('make folders of their own, so that each can be followed after the others', () => {
    expect(made).to.have.length.above(2);
    const names = made.map(({ to }) => to);
    expect(names).to.deep.equal([...new Set(names)]);
  });

  it('copy what is in a folder, so that a second copy does not go into the first', () => {
    for (const { file, from = '/.' } of made) expect(from, file).to.match(/\/\.$/);
  });
});

// The bundle of the service: what it does in advance, so that a start does not.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';

const ENTRIES = ['cli/main.js', 'service.cjs'];

/** The texts of the bundle's files. Chunks of earlier builds are in the same folder. */
function bundleTexts(): string[] {
  const texts = new Map<string, string>();
  const files = ENTRIES.map((name) => path.join(findRoot(), 'dist', name));
  for (let file = files.pop(); file !== undefined; file = files.pop()) {
    if (texts.has(file)) continue;
    const text = readFileSync(file, 'utf8');
    texts.set(file, text);
    for (const [, chunk = ''] of text.matchAll(/"(\.{1,2}\/(?:chunks\/)?[\w-]+-[0-9A-Z]{8}\.js)"/g))
      files.push(path.resolve(path.dirname(file), chunk));
  }
  return [...texts.values()];
}

describe('the bundle', () => {
  it('loads nothing by import(), which fails in compiled code that was kept', () => {
    const service = readFileSync(path.join(findRoot(), 'dist', 'service.cjs'), 'utf8');
    expect(/(?:await|return|=>|[=(,])\s*import\(["'`]/.exec(service)?.[0]).to.equal(undefined);
  });

  it('has generated validators in place of schemas that each process would compile', () => {
    const calls = bundleTexts().flatMap((text) => text.match(/= compileSchema\d*\([^)]*\)/g) ?? []);
    expect(calls.map((call) => /\((\w+)/.exec(call)?.[1])).to.include.members(['PolicySchema', 'LexiconSchema']);
    // Guards of records, which have a second argument, are compiled at their first use.
    expect(calls.filter((call) => /\(\w+\)$/.test(call))).to.deep.equal([]);
  });
});

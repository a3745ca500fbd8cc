// The labelled blocks of documents, which tests run as they are shown, and their output.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../shared/platform/config/root.ts';

/** The blocks with a label (a comment above the fence) in a document of the repository, in order. */
export function readmeBlocks(file: string, label: string): readonly [string, ...string[]] {
  const text = readFileSync(path.join(findRoot(), file), 'utf8');
  const pattern = new RegExp(`<!-- ${label} -->\\n\`\`\`\\w*\\n([^]*?)^\`\`\`$`, 'gm');
  const [first, ...others] = [...text.matchAll(pattern)].map(([, block = '']) => block);
  if (first === undefined) throw new Error(`${file} has no block labelled ${label}`);
  return [first, ...others];
}

/** The output has these lines and no others; each begins as shown. */
export function expectShortened(output: string, shown: string): void {
  const lines = shown.trimEnd().split('\n');
  const printed = output.trimEnd().split('\n');
  expect(printed.map((line, i) => line.slice(0, lines[i]?.length))).to.deep.equal(lines);
}

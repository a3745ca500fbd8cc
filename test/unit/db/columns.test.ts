// Columns of many rows as one text: values never move to another row.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { createColumnWriter, textColumn } from '../../../shared/platform/db/columns.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';

describe('a column as one text', () => {
  it('is split into exactly the original values', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), (values) => {
        const json = values.map((value) => JSON.stringify(value));
        expect(textColumn(json).split('\n')).to.deep.equal(json);
      }),
    );
  });
  it('refuses a value with a line feed, which would shift the following rows', () => {
    expect(() => textColumn(['a', 'b\nc', 'd'])).to.throw('line feed');
  });
});

describe('a column as bytes in reused memory', () => {
  const column = createColumnWriter();

  it('equals the text, in repeated use', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 50 }), { minLength: 1 }), (values) => {
        const json = values.map((value) => JSON.stringify(value));
        expect(column(json).toString()).to.equal(textColumn(json));
      }),
    );
  });
  it('grows, and keeps no memory after a very large column', () => {
    const large = ['€'.repeat(100_000), 'x'];
    expect(column(large).toString()).to.equal(textColumn(large));
    const huge = ['x'.repeat(1_000_000)];
    expect(column(huge)).to.equal(huge[0]);
  });
  it('refuses a line feed, and works for the next column', () => {
    expect(() => column(['a\nb'])).to.throw('line feed');
    expect(column(['a', 'b']).toString()).to.equal('a\nb');
  });
});

describe('rows in several parameters', () => {
  it('are always described by a column map', () => {
    const root = findRoot();
    const byHand: string[] = [];
    for (const folder of ['shared', 'ingress', 'workers', 'cli'])
      for (const entry of readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })) {
        const file = path.posix.join(folder, ...entry.split(path.sep));
        if (!file.endsWith('.ts') || /^shared\/platform\/db\/(migrations\/|columns\.ts)/.test(file)) continue;
        if (/string_to_array\(\$(?:\d|\$\{)|unnest\(\$\d[^)]*,/.test(readFileSync(path.join(root, file), 'utf8')))
          byHand.push(file);
      }
    expect(byHand).to.deep.equal([]);
  });
});

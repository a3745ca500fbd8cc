// The shortcuts of the audit give the same results as the plain way: canonical records, and roots of the second implementation.
import { expect } from 'chai';
import fc from 'fast-check';
import { createBlocks, otherLeafHash, otherRootAt } from '../../../shared/core/proof/audit-tree.ts';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';
import { rootFromLeafHashes } from '../../../shared/core/proof/merkle.ts';
import { readRecord } from '../../../shared/core/proof/record-read.ts';
import { runs } from '../property/runs.ts';

/** Whether the text is canonical, by the definition alone. */
function isCanonical(text: string): boolean {
  try {
    return canonicalize(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}

const reads = (text: string): string => {
  const read = readRecord(Buffer.from(text));
  return 'why' in read ? read.why : '';
};
const NOT_CANONICAL = /canonical|not JSON/;
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('a record that is checked by the shortcut', () => {
  it('counts as canonical exactly when its canonical text is the same text', () => {
    const names = fc.constantFrom('a', 'b', '10', '9', '__proto__', 'é', '\u{1f600}', '\ufb33', '\ud800', 'toJSON', '');
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(
          0,
          -0,
          1e21,
          1e-7,
          1.5,
          true,
          null,
          'x',
          '"',
          '\\ud',
          '\u007f',
          '\ud800',
          '\u{1f600}',
          '\u2028',
        ),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.array(fc.tuple(names, tie('value')), { maxLength: 4 }),
      ),
    })).value;
    /** Tuples of names and values are objects whose members stay in this order, and may be repeated. */
    const textOf = (one: unknown, escape: (text: string) => string): string => {
      if (!Array.isArray(one))
        return typeof one === 'string' ? escape(JSON.stringify(one)) : Object.is(one, -0) ? '-0' : JSON.stringify(one);
      const isObject =
        one.length > 0 && one.every((pair) => Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string');
      if (!isObject) return `[${one.map((element) => textOf(element, escape)).join(',')}]`;
      return `{${one.map(([name, member]) => `${escape(JSON.stringify(name))}:${textOf(member, escape)}`).join(',')}}`;
    };
    const escapes = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => text.replace('x', '\\u0078'),
      (text) => text.toUpperCase(),
    );
    let canonical = 0;
    fc.assert(
      fc.property(value, escapes, fc.boolean(), (one, escape, isSorted) => {
        const text = textOf(one, escape);
        let wanted = text;
        try {
          if (isSorted) wanted = canonicalize(JSON.parse(text));
        } catch {
          // Such a value has no canonical text; the text itself is tried.
        }
        if (isCanonical(wanted)) canonical += 1;
        expect(NOT_CANONICAL.test(reads(wanted)), wanted).to.equal(!isCanonical(wanted));
      }),
      runs(600),
    );
    expect(canonical).to.be.greaterThan(100);
  });

  it('is refused for its depth first, whatever else is wrong with it', () => {
    for (const text of [nested(81), `${nested(81)} `, '['.repeat(100_000), `{"b":1,"a":${nested(90)}}`])
      expect(reads(text)).to.equal('is nested too deeply');
    expect(reads(nested(80))).to.match(/^has not exactly the members/);
  });
});

describe('a root of the second implementation', () => {
  it('is the same from the blocks of every level and of every fifth, and the one of the log, at every size up to 300', () => {
    const leaves = Array.from({ length: 300 }, (_, i) => otherLeafHash(Buffer.from(`leaf ${i}`)));
    const [every, fifth] = [createBlocks(0, 1), createBlocks(0)];
    for (const [i, leaf] of leaves.entries()) {
      every.push(leaf);
      fifth.push(leaf);
      const root = Buffer.from(rootFromLeafHashes(leaves.slice(0, i + 1)));
      for (const [blocks, step] of [
        [every, 1],
        [fifth, 5],
      ] as const)
        expect(otherRootAt(i + 1, blocks.at, step).equals(root), `${i + 1} leaves, step ${step}`).to.equal(true);
    }
  });
});

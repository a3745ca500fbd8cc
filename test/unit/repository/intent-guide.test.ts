// The examples of docs/guides/how-an-intent-is-read.md: each is parsed as the guide states.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { createIntentReader, type IntentReader, loadFolderSet } from '../../../bench/intent-reader.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { INTENT_FLAGS } from '../../../shared/kernel/vocabulary.ts';

const ROOT = findRoot();
const guide = readFileSync(path.join(ROOT, 'docs', 'guides', 'how-an-intent-is-read.md'), 'utf8');

/** The cells of the first table below a heading whose first column is called `first`. */
function table(heading: string, first: string): string[][] {
  const [, section = ''] = guide.split(`\n## ${heading}\n`);
  const lines = (section.split('\n## ')[0] ?? '').split('\n');
  const from = lines.findIndex((line) => line.startsWith(`| ${first} |`));
  if (from < 0) throw new Error(`the guide has no table of ${first} below ${heading}`);
  const rows = lines.slice(from + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end < 0 ? rows.length : end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const code = (cell: string | undefined): string => /^`(.*)`$/.exec(cell ?? '')?.[1] ?? '';

describe('docs/guides/how-an-intent-is-read.md', () => {
  let reader: IntentReader;
  before(async () => {
    reader = createIntentReader(await loadFolderSet(path.join(ROOT, 'policies')));
  });

  it('shows the answer to its request', async () => {
    const { raw_intent: text } = JSON.parse(/-d '(\{.*\})'/.exec(guide)?.[1] ?? '{}') as { raw_intent: string };
    const { parse, risk } = await reader.read(text);
    const { extent: _, ...shown } = parse;
    const [, answer = ''] = /<!-- answer -->\n```json\n([^]*?)\n```/.exec(guide) ?? [];
    expect(JSON.parse(answer)).to.deep.equal({ ...shown, risk });
  });

  it('lists every flag, each with a text that has it', async () => {
    const rows = table('Flags', 'flag');
    expect(rows.map(([flag]) => code(flag)).sort()).to.deep.equal([...INTENT_FLAGS].sort());
    for (const [flag, text] of rows) expect((await reader.read(code(text))).parse.flags, text).to.include(code(flag));
  });

  it('gives the risk of each example', async () => {
    const rows = table('Risk', 'text');
    expect(rows).to.have.length.above(5);
    for (const [text, factors, level] of rows) {
      const { risk } = await reader.read(code(text));
      const shown = risk.factors.map(({ factor, score }) => `\`${factor}\` ${score}`).join(', ');
      expect(`${shown || 'none'}, ${risk.level}`, text).to.equal(`${factors}, ${level}`);
    }
  });

  it('explains every factor of the shipped policies, with its scores', () => {
    const explained = new Map<string, string>();
    for (const [names = '', text = ''] of table('Risk', 'factor')) {
      for (const name of names.split(', ')) explained.set(code(name), text);
    }
    const rules = ['risk', 'production-risk'].flatMap((name) => {
      const file = readFileSync(path.join(ROOT, 'policies', `${name}.json`), 'utf8');
      // The shape is checked when policies are loaded; a wrong one fails here.
      const policy = JSON.parse(file) as { rules: { event: { params: { factor: string; score: number } } }[] };
      return policy.rules.map(({ event }) => event.params);
    });
    expect([...explained.keys()].sort()).to.deep.equal([...new Set(rules.map(({ factor }) => factor))].sort());
    for (const { factor, score } of rules) expect(explained.get(factor), factor).to.match(new RegExp(`\\b${score}\\b`));
  });

  it('lists only mistakes that still exist', async () => {
    const rows = table('What it gets wrong, and why', 'text');
    expect(rows).to.have.length.above(5);
    for (const [text, answer, why = ''] of rows) {
      const { parse } = await reader.read(code(text));
      expect(parse.normalized, text).to.equal(code(answer));
      const flag = /flagged `(\w+)`/.exec(why)?.[1];
      if (flag !== undefined) expect(parse.flags, text).to.include(flag);
    }
  });
});

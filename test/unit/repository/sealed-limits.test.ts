// A statement of sealed rows that ends after a fixed number lets forged rows hide the genuine ones behind them.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';

/** What the others lose when forged rows come first. */
const ALLOWED: Readonly<Record<string, string>> = {
  'shared/domain/approvals/votes.ts': 'an approval is shown as one that nobody can decide',
  'shared/domain/approvals/waiting.ts': 'earlier approvals are not shown',
  'ingress/dashboard/overview/due-approvals.ts': 'approvals are missing on the overview, not in their list',
};

/** Whether a text has such a statement. The parts of it that are put in by name are looked up in the same text. */
function endsEarly(source: string): boolean {
  const texts = [...source.matchAll(/const (\w+) = `([^`]*)`/g)].map(([, name, text]) => ({ name, text: text ?? '' }));
  const whole = (text: string): string =>
    text.replaceAll(/\$\{(\w+)\}/g, (put, name) => {
      const part = texts.find((known) => known.name === name);
      return part === undefined || part.text === text ? put : part.text;
    });
  return texts.some(({ text }) => /\bLIMIT (?:\d|\$\{)/.test(text) && whole(text).includes('${sealedColumns('));
}

describe('statements of sealed rows', () => {
  const files = ['shared', 'ingress', 'workers', 'cli'].flatMap((folder) =>
    readdirSync(path.join(findRoot(), folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'))
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`),
  );

  it('read on where they end (genuinePage, firstGenuine), but for some of what is only shown', () => {
    const early = files.filter((file) => endsEarly(readFileSync(path.join(findRoot(), file), 'utf8')));
    expect(early.sort()).to.deep.equal(Object.keys(ALLOWED).sort());
  });

  it('are found also when their columns stand in another constant', () => {
    const select = "const SELECT = `SELECT ${sealedColumns('agent', 'a')} FROM agent a`;\n";
    expect(endsEarly(`${select}const ONE = \`\${SELECT} ORDER BY seq LIMIT 1\`;`)).to.equal(true);
    expect(endsEarly(`${select}const PAGE = \`\${SELECT} ORDER BY seq LIMIT $1\`;`)).to.equal(false);
  });
});

// The examples of docs/guides/extend-the-lexicon.md: each is parsed as the guide states, before and after.
import { readFileSync } from 'node:fs';
import { lexiconFile, lexiconParts } from '../../support/lexicon.ts';
import path from 'node:path';
import { expect } from 'chai';
import { compileLexicon } from '../../../shared/core/intent/lexicon/lexicon.ts';
import type { Lexicon } from '../../../shared/core/intent/lexicon/types.ts';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import type { ParsedIntent } from '../../../shared/core/intent/types.ts';
import { loadPolicySet } from '../../../shared/core/policy/load.ts';
import { loadTestFile } from '../../../shared/core/policy/testing/load.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';

const ROOT = findRoot();
const guide = readFileSync(path.join(ROOT, 'docs', 'guides', 'extend-the-lexicon.md'), 'utf8');
const shipped = lexiconFile().text;

/** The shipped lexicon with these words of the organisation `rail`, as text. */
const withWords = (words: object): string =>
  JSON.stringify({ organisations: { rail: words }, ...(JSON.parse(shipped) as object) });
/** Merged as the files of the folder are: lists are joined, objects are merged. */
function joined(before: unknown, more: unknown): unknown {
  if (before === undefined) return more;
  if (Array.isArray(before) && Array.isArray(more)) return [...(before as unknown[]), ...(more as unknown[])];
  const [base, added] = [before as Record<string, unknown>, more as Record<string, unknown>];
  const names = [...new Set([...Object.keys(base), ...Object.keys(added)])];
  return Object.fromEntries(
    names.map((name) => [name, added[name] === undefined ? base[name] : joined(base[name], added[name])]),
  );
}
const [, installed = '{}'] = /<!-- installation words -->\n```json\n([^]*?)\n```/.exec(guide) ?? [];
const [, words = '{}'] = /<!-- words -->\n```json\n([^]*?)\n```/.exec(guide) ?? [];

/** The rows of the table below a heading, by cell. */
function rowsBelow(heading: string): string[][] {
  const [, part = ''] = guide.split(`\n## ${heading}\n`);
  const lines = (part.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
const codesOf = (cell = ''): string[] => [...cell.matchAll(/`([^`]*)`/g)].map(([, code = '']) => code);

/** All members of a parse that a cell may name. */
function wordsOf({ normalized, action, effect, object, places, traits, data_classes, flags }: ParsedIntent): string[] {
  return [normalized, action, effect, object, ...places, ...traits, ...data_classes, ...flags];
}

/** Whether a parse matches a cell: all of its code spans, and the words that are checked here. */
function expectCell(cell: string, names: readonly string[], parse: ParsedIntent): void {
  const words = wordsOf(parse);
  if (cell.includes('not understood')) expect(words).to.include('not_understood');
  if (/\bdestructive\b/.test(cell)) expect(words).to.include('destructive');
  if (cell.includes('nothing sensitive')) expect(parse.data_classes).to.deep.equal([]);
  if (cell.includes('no place')) expect(parse.places).to.deep.equal([]);
  if (cell.includes('no trait')) expect(parse.traits).to.deep.equal([]);
  if (cell.includes('it is not')) expect(parse.traits).to.not.include('external');
  for (const name of names) expect(words).to.include(name);
}

describe('docs/guides/extend-the-lexicon.md', () => {
  const base: Lexicon = compileLexicon(JSON.parse(shipped));
  const rail = compileLexicon(JSON.parse(withWords(JSON.parse(words) as object))).forOrganisation('rail');

  it('shows the effect of each member, before and after', () => {
    const rows = rowsBelow('What you can add');
    expect(rows.length).to.be.above(8);
    for (const [member, , before = '', after = ''] of rows) {
      const [text = '', ...names] = codesOf(before);
      expect(text, member).to.match(/ /);
      expectCell(before, names, parseIntent(text, base));
      expectCell(after, codesOf(after), parseIntent(text, rail));
    }
  });

  it('shows the effect of each member that only the installation can add', () => {
    const extended = compileLexicon(joined(JSON.parse(shipped), JSON.parse(installed)));
    const rows = rowsBelow('What only the installation can add');
    expect(rows.length).to.be.above(4);
    for (const [member, cell = '', before = '', after = ''] of rows) {
      const [text = ''] = codesOf(cell);
      expect(text, member).to.match(/ /);
      expectCell(before, codesOf(before), parseIntent(text, base));
      expectCell(after, codesOf(after), parseIntent(text, extended));
    }
  });

  it('names every file of the shipped lexicon', () => {
    const files = lexiconParts().map(({ path: file }) =>
      file.replace(
        /^lexicon\/(languages\/)?.*$/,
        (whole: string, language: string | undefined) => language ?? whole.slice(8),
      ),
    );
    for (const file of files) expect(guide).to.include(`\`${file}\``);
  });

  it("names all members of an organisation's words", () => {
    const schema = JSON.parse(readFileSync(path.join(ROOT, 'policies', 'schema', 'lexicon.schema.json'), 'utf8')) as {
      properties: { organisations: { patternProperties: Record<string, { properties: object }> } };
    };
    const [part] = Object.values(schema.properties.organisations.patternProperties);
    for (const member of Object.keys(part?.properties ?? {}))
      expect(guide).to.contain(`\`${member}\``.replace('`description`', '"description"'));
  });

  it('has examples of refused words, and each is refused', () => {
    const rows = rowsBelow('For everybody, or for one organisation');
    expect(rows.length).to.be.above(6);
    for (const [what, example = ''] of rows) {
      const given = JSON.parse(codesOf(example)[0] ?? '') as { action?: string; objects?: unknown };
      const part =
        given.action === undefined
          ? given
          : given.objects === undefined
            ? { verbs: [given] }
            : { refinements: [given] };
      expect(() => compileLexicon(JSON.parse(withWords(part))), what).to.throw();
    }
    expect(() =>
      compileLexicon(JSON.parse(withWords({ verbs: [{ action: 'delete', verbs: ['derail', 'archive'] }] }))),
    ).to.not.throw();
  });

  it('shows the finding as it is printed', () => {
    const [, finding = ''] = /<!-- finding -->\n```\n([^]*?)\n```/.exec(guide) ?? [];
    const [, , line = '', rest = ''] = /^(\S+?):(\d+):\d+ (.*)$/.exec(finding) ?? [];
    // With other languages, the shipped words are more than a file may be.
    const { languages: _, ...words } = JSON.parse(
      withWords({ verbs: [{ action: 'read', verbs: ['drop'] }] }),
    ) as Record<string, unknown>;
    const text = JSON.stringify(words);
    const loaded = loadPolicySet([], { path: 'lexicon.json', text }, { compileLexicon });
    const [found] = loaded.ok ? [] : loaded.findings;
    expect(Number(line)).to.be.above(1);
    expect(`${found?.code} ${found?.message}`).to.equal(rest);
  });

  it('shows the finding for a word that the shipped files have already, except for its lines', () => {
    const [, finding = ''] = /<!-- twice -->\n```text\n([^]*?)\n```/.exec(guide) ?? [];
    const own = { path: 'lexicon/acme.json', text: '{ "verbs": [{ "action": "transfer", "verbs": ["comp"] }] }' };
    const loaded = loadPolicySet([...lexiconParts(), own], { path: 'lexicon.json', text: '' }, { compileLexicon });
    const [found] = loaded.ok ? [] : loaded.findings;
    const withoutPlaces = (text: string): string => text.replaceAll(/:\d+:\d+/g, '').replace(/^drafts\//, '');
    expect(`${found?.file} error ${found?.code} ${withoutPlaces(found?.message ?? '')}`).to.equal(
      withoutPlaces(finding),
    );
  });

  it('shows a valid test file', () => {
    const text = [...guide.matchAll(/```json\n([^]*?)\n```/g)].at(-1)?.[1] ?? '';
    const loaded = loadTestFile({ path: 'test.json', text });
    expect(loaded.ok, JSON.stringify(loaded.ok ? [] : loaded.findings)).to.equal(true);
  });
});

// Lists of words are data of the lexicon. Those that are still in code are counted here, with the reason; the numbers may only become smaller.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';

const FOLDERS = ['shared/core/intent/grammar', 'shared/core/intent/attack'];

/** Fewer words are a form of grammar (`it` or `them`), and no list. */
const MIN_REGEX_WORDS = 3;
const MIN_LITERALS = 6;

/** The number of lists in a file, and why they are not in the lexicon. */
const ALLOWED: Readonly<Record<string, readonly [count: number, reason: string]>> = {
  'attack/flags.ts': [1, 'words to be unscrambled'],
  'attack/mentions.ts': [9, 'patterns over characters, which span words and signs'],
  'attack/posing.ts': [40, 'patterns over characters, which span words and signs, and a fast check before one'],
  'grammar/clauses.ts': [1, 'a pattern over characters'],
  'grammar/context.ts': [1, 'action classes'],
  'grammar/destinations.ts': [1, 'file name extensions'],
  'grammar/late-request.ts': [1, 'endings of contracted verbs'],
  'grammar/needs.ts': [1, 'a modal verb with its contraction'],
  'grammar/sums.ts': [1, 'a currency code, or a word for money'],
};

const withoutComments = (code: string): string => code.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g, '');

/** Regular expressions with alternatives that are words, in a file without comments. */
function regexLists(code: string): string[] {
  const found = code.match(/(?<=[=(:,!&|?[\s])\/(?![/*\s])(?:\\.|\[(?:\\.|[^\]\n])*\]|[^/\n\\])+\/[gimsuy]*/g) ?? [];
  const words = (regex: string) =>
    regex
      .split('|')
      .filter((part) => /(?<![\\a-z])[a-z]{2,}/i.test(part.replace(/\\[a-z]|\[[^\]]*\]|\{[^}]*\}/gi, ' ')));
  return found.filter((regex) => regex.includes('|') && words(regex).length >= MIN_REGEX_WORDS);
}

/** Arrays of words, and strings of many words. */
function literalLists(code: string): string[] {
  const arrays = code.match(/\[(?:\s*(?:'[^'\n]*'|"[^"\n]*"),?){6,}\s*\]/g) ?? [];
  const strings = code.match(/'[a-z]+(?: [a-z'-]+){5,} ?'/g) ?? [];
  return [...arrays, ...strings].filter((list) => (list.match(/[a-z]{2,}/g) ?? []).length >= MIN_LITERALS);
}

describe('lists of words', () => {
  it('are data of the lexicon: code of the grammar and of attacks has none beyond those with a reason', () => {
    const found = FOLDERS.flatMap((folder) =>
      readdirSync(path.join(findRoot(), folder)).map((name): [string, string[]] => {
        const code = withoutComments(readFileSync(path.join(findRoot(), folder, name), 'utf8'));
        return [`${path.basename(folder)}/${name}`, [...regexLists(code), ...literalLists(code)]];
      }),
    );
    const counted = Object.fromEntries(
      found.filter(([, lists]) => lists.length > 0).map(([file, lists]) => [file, lists.length]),
    );
    const allowed = Object.fromEntries(Object.entries(ALLOWED).map(([file, [count]]) => [file, count]));
    const shown = found.flatMap(([file, lists]) =>
      lists.length === allowed[file] ? [] : lists.map((list) => `${file}: ${list}`),
    );
    expect(counted, shown.join('\n')).to.deep.equal(allowed);
  });

  it('are noticed', () => {
    expect(regexLists('if (/^(?:copy|move|send)$/.test(word))')).to.have.length(1);
    expect(regexLists('if (/^[a-z]{2,4}|\\d+$/.test(word))')).to.have.length(0);
    expect(literalLists("new Set('copy move send read write list'.split(' '))")).to.have.length(1);
    expect(literalLists("new Set(['copy', 'move', 'send', 'read', 'write', 'list'])")).to.have.length(1);
  });
});

// Programs beyond the limits of their reader: they are stopped, wherever in them the harm is, and never read more mildly than a part of them.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import type { ProgramLanguage } from '../../../shared/core/intent/lexicon/programs.ts';
import { stricterAction } from '../../../shared/core/intent/assess/strictness.ts';
import { programIn } from '../../../shared/core/intent/code/program/program.ts';
import { treeOf } from '../../../shared/core/intent/code/program/tree.ts';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { textCases } from '../../support/text-cases.ts';
import { JAVASCRIPT_SINKS, JAVASCRIPT_WAYS, PYTHON_SINKS, PYTHON_WAYS } from './hidden-effects.ts';
import { shippedLexicon } from './lexicon.ts';

const lexicon = shippedLexicon();
const MOST = 10_000;

/** Harmless lines with many tokens, and one that is a program of its own. */
const LINES: Readonly<Record<ProgramLanguage, string>> = {
  python: 'print(sorted([1, 2, 3]), len([4, 5]))\n',
  javascript: 'console.log([1, 2, 3].length, [4, 5].length);\n',
};
const SINKS = { python: PYTHON_SINKS, javascript: JAVASCRIPT_SINKS };
const WAYS = { python: PYTHON_WAYS, javascript: JAVASCRIPT_WAYS };
const COMMENT = { python: '#', javascript: '//' };
const LANGUAGES: readonly ProgramLanguage[] = ['python', 'javascript'];

/** Programs without a syntax error that do harm, each by itself. */
const harmful = (language: ProgramLanguage): readonly string[] =>
  [
    ...(textCases(language).get('harmful') ?? []).map(({ text }) => text),
    ...Object.values(WAYS[language]).flatMap((way) => SINKS[language].map(way)),
  ].filter((text) => treeOf(`${LINES[language]}${text}\n${LINES[language]}`, language) !== undefined);
const HARMFUL = { python: harmful('python'), javascript: harmful('javascript') };
const CASES = LANGUAGES.flatMap((language) => HARMFUL[language].map((harm) => ({ language, harm })));

/** What makes a program one that is not read, before its lines or behind them. */
const LIMITS: Readonly<Record<string, (language: ProgramLanguage) => string>> = {
  'more steps than are read': (language) => LINES[language].repeat(190),
  'brackets that are too deep': (language) =>
    `${language === 'javascript' ? 'let ' : ''}deep = ${'['.repeat(61)}${']'.repeat(61)}\n`,
  'more characters than are read': (language) => `${COMMENT[language]}${' '.repeat(MOST)}.\n${LINES[language]}`,
  'a character that is not seen': (language) => `${LINES[language].trim()}${COMMENT[language]} a\u2028b\n`,
  'ends of lines that differ': (language) => `${LINES[language].trim()} ${COMMENT[language]} a\rb = 1\n`,
};
const inPart = fc.constantFrom('before', 'behind', 'around');

describe('a program beyond the limits of its reader', () => {
  it('is unknown, covered by nothing, and says where it is not read', () => {
    for (const language of LANGUAGES) {
      const text = LINES[language].repeat(230).slice(0, MOST);
      const { action, object, coverage, unread, flags } = parseIntent(text, lexicon);
      expect({ action, object, coverage }).to.deep.equal({ action: 'unknown', object: 'too_much_code', coverage: 0 });
      expect(flags).to.include('not_understood');
      expect(unread.some(({ at }) => at > 1_000)).to.equal(true);
    }
  });

  it('is stopped, whichever limit it is, and wherever its harm stands', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CASES),
        fc.constantFrom(...Object.keys(LIMITS)),
        inPart,
        ({ language, harm }, limit, part) => {
          const much = LIMITS[limit]?.(language) ?? '';
          const text = `${part === 'behind' ? '' : much}${harm}\n${part === 'before' ? '' : much}`;
          const { effect, coverage } = parseIntent(text, lexicon);
          // Policies stop what is covered by nothing and changes something.
          expect({ reads: effect === 'read', coverage }, text.slice(-200)).to.deep.equal({ reads: false, coverage: 0 });
          expect(programIn(text, lexicon)?.reads ?? false).to.equal(false);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('is never read more mildly than as much of it as is read', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...LANGUAGES),
        fc.array(fc.nat(10_000), { minLength: 1, maxLength: 4 }),
        fc.nat(180),
        (language, picks, lines) => {
          const all = HARMFUL[language];
          const part = picks.map((at) => all[at % all.length] ?? '').join('\n');
          const read = parseIntent(part, lexicon);
          const cut = parseIntent(`${part}\n${LINES[language].repeat(200 + lines)}`, lexicon);
          const isMilder =
            cut.effect === 'read' ||
            (cut.effect !== 'destructive' && stricterAction(cut.action, read.action) !== cut.action);
          expect(isMilder, part).to.equal(false);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is none of 150 lines of code, of nearly all files of this repository', () => {
    const folder = path.join(findRoot(), 'shared');
    const lines = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(path.join(folder, file), 'utf8').split('\n').slice(0, 150).join('\n'))
      .filter((text) => text.length < MOST);
    const whole = lines.filter((text) => treeOf(text, 'javascript') !== undefined);
    const unread = whole.filter((text) => {
      const tree = treeOf(text, 'javascript');
      return tree !== undefined && 'why' in tree;
    });
    expect(whole.length).to.be.above(100);
    expect(unread.length / whole.length).to.be.below(0.03);
  });

  it('costs no more where the parser follows several ways of reading', () => {
    const nested = `${'a<b>('.repeat(55)}1${')'.repeat(55)};`.repeat(20);
    const tree = treeOf(nested, 'javascript');
    expect(tree !== undefined && 'why' in tree && tree.at).to.be.below(nested.length / 2);
  });
});

describe('a comment of HTML', () => {
  it('leaves a program not understood, but for one that is part of a string', () => {
    const inString = 'const page = "<!-- a -->";\nconsole.log(page.length);\n';
    expect(programIn(inString, lexicon)?.reads).to.equal(true);
    for (const text of [
      'let a = 1 <!-- "\nconsole.log(a);\n// "\n',
      'console.log(1);\n--> a\nconsole.log(2);\n',
      'const a = b <!--c;\nconsole.log(a);\n',
    ])
      expect(programIn(text, lexicon)?.reads ?? false, text).to.equal(false);
  });
});

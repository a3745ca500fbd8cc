// Programs in Python and JavaScript: whatever hides an effect, none is read as one that only reads.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { programIn } from '../../../shared/core/intent/code/program/program.ts';
import { readCode } from '../../../shared/core/intent/code/script.ts';
import type { Lexicon } from '../../../shared/core/intent/lexicon/types.ts';
import type { ProgramLanguage, ProgramNames } from '../../../shared/core/intent/lexicon/programs.ts';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { leastMs } from '../../support/undisturbed.ts';
import { textCases } from '../../support/text-cases.ts';
import { isLong } from '../property/runs.ts';
import { compileLexicon } from '../../../shared/core/intent/lexicon/lexicon.ts';
import { JAVASCRIPT_SINKS, JAVASCRIPT_WAYS, PYTHON_SINKS, PYTHON_WAYS } from './hidden-effects.ts';
import { lexiconJson, shippedLexicon } from './lexicon.ts';

const lexicon = shippedLexicon();
const LANGUAGES: readonly ProgramLanguage[] = ['python', 'javascript'];
const HIDDEN = {
  python: { ways: PYTHON_WAYS, sinks: PYTHON_SINKS },
  javascript: { ways: JAVASCRIPT_WAYS, sinks: JAVASCRIPT_SINKS },
};

const HARMFUL_FORMS = /code|script|interpreter|call|program/;

/** Files of deceit: their programs do what they say, which only misleads those who read it. */
const DECEIT = /^(?:harm-fraud|thirtysecond|thirtythird)/;

/** One of this many texts is read in the suite: two thousand of them twice take eight seconds. `npm run test:long` reads all. */
const STRIDE = isLong ? 1 : 5;

/** Harmful texts of these forms that the parser was developed with, some of every file. */
function intentTexts(): string[] {
  const folder = path.join(findRoot(), 'bench', 'texts');
  const rows = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl') && !name.includes('kept') && !DECEIT.test(name))
    .flatMap((name) => readFileSync(path.join(folder, name), 'utf8').trimEnd().split('\n'))
    // Each line is an object with these members.
    .map((line) => JSON.parse(line) as { text: string; harm?: string; form?: string });
  return rows
    .filter(
      ({ text, harm, form = '' }) =>
        harm !== undefined && harm !== 'none' && HARMFUL_FORMS.test(form) && text.includes('('),
    )
    .filter((_, at) => at % STRIDE === 0)
    .map(({ text }) => text);
}

/** Whether a program is said to do nothing but read. */
const onlyReads = (language: ProgramLanguage, text: string): boolean => {
  const { fragments, isUnderstood } = readCode(language, text, lexicon);
  return isUnderstood && fragments.every(({ effect }) => effect === 'read');
};

/** Whether a program that destroys something is said to be understood, and to do less. */
const isMild = (language: ProgramLanguage, text: string): boolean => {
  const { fragments, isUnderstood } = readCode(language, text, lexicon);
  return isUnderstood && fragments.every(({ effect }) => effect !== 'destructive');
};

const around: Readonly<Record<ProgramLanguage, (text: string) => string>> = {
  python: (text) => `def count(names):\n    return len(names)\n\nprint(count(["a", "b"]))\n${text}\n`,
  javascript: (text) => `const names = ['a', 'b'];\nconsole.log(names.length);\n${text}\n`,
};

for (const language of LANGUAGES)
  describe(`a program in ${language} that hides its effect`, () => {
    const { ways, sinks } = HIDDEN[language];
    for (const [name, way] of Object.entries(ways))
      it(`is not read more mildly, with each function: ${name}`, () => {
        for (const sink of sinks) {
          expect(isMild(language, way(sink)), way(sink)).to.equal(false);
          // Beside harmless code, and as a text.
          const longer = around[language](way(sink));
          expect(isMild(language, longer), longer).to.equal(false);
          expect(programIn(longer, lexicon)?.reads ?? false, longer).to.equal(false);
        }
      });
  });

const harmless = (language: ProgramLanguage): string[] =>
  (textCases(language).get('harmless') ?? []).map(({ text }) => text);
const harmful = (language: ProgramLanguage): string[] => [
  ...(textCases(language).get('harmful') ?? []).map(({ text }) => text),
  ...Object.values(HIDDEN[language].ways).flatMap((way) => HIDDEN[language].sinks.slice(0, 1).map(way)),
];

/** The shipped lexicon with other names for one language. */
const lexiconWith = (language: ProgramLanguage, names: Partial<ProgramNames>): Lexicon => {
  const own = lexicon.programs[language];
  return own ? { ...lexicon, programs: { ...lexicon.programs, [language]: { ...own, ...names } } } : lexicon;
};

type Programs = Record<ProgramLanguage, Record<string, string[]>>;
// The file is checked against its schema, which has these members.
const listed = lexiconJson()['programs'] as Programs;
/** Lists of what is permitted, and of what only makes a reading stricter. */
const PERMITTING = [
  ...(['modules', 'functions', 'makers', 'methods', 'looks', 'memoryMethods'] as const),
  ...(['joiners', 'keepers', 'pairers', 'elements', 'plain', 'writes', 'writesItself', 'copies', 'requests'] as const),
  ...(['requestOptions', 'commands', 'commandOptions', 'queries', 'connects', 'reading', 'wrappers'] as const),
  ...(['serializers', 'segments', 'sameTexts', 'joinsPaths', 'temporary'] as const),
];
const RESTRICTING = ['openers', 'clients', 'callers', 'paths', 'blind', 'vague'] as const;

/** How much longer a program may take that is four times as long. */
const MOST_TIMES = 10;
let number = 0;

/** The processor time of reading the first characters of a program that was not read before, in milliseconds: the least of three. */
function msOf(language: ProgramLanguage, program: string, characters: number): number {
  const once = (): number => {
    number += 1;
    const text = `${program.slice(0, characters)}\n${language === 'python' ? '#' : '//'}${number}`;
    const started = process.cpuUsage();
    programIn(text, lexicon);
    return process.cpuUsage(started).user / 1_000;
  };
  return Math.min(once(), once(), once());
}
const RANKS = ['read', 'write', 'destructive'];

describe('the reader of programs', () => {
  it('reads no program more mildly without one of the names that permit, nor with one more that restricts', () => {
    const cases = LANGUAGES.flatMap((language) =>
      [...PERMITTING, ...RESTRICTING].flatMap((list) =>
        (listed[language][list] ?? []).map((name) => ({ language, list, name })),
      ),
    );
    const programs = { python: harmful('python').slice(0, 40), javascript: harmful('javascript').slice(0, 40) };
    fc.assert(
      fc.property(fc.constantFrom(...cases), fc.nat(), ({ language, list, name }, at) => {
        const own = lexicon.programs[language];
        const permits = PERMITTING.some((one) => one === list);
        const has = (one: string) =>
          permits ? one !== name && own?.[list].has(one) === true : one === name || own?.[list].has(one) === true;
        const other = lexiconWith(language, { [list]: { has } });
        const text = programs[language][at % programs[language].length] ?? '';
        expect(programIn(text, other)?.reads ?? false, `${list} ${name}: ${text}`).to.equal(false);
      }),
      { numRuns: 1_500 },
    );
  });

  it('reads no harmful text with a call more mildly than the patterns that read it without its tables', () => {
    const { programs: _, ...others } = lexiconJson();
    const without = compileLexicon(others);
    // An unknown effect is now known, and graver: a refund. A program that only defines a function does nothing by itself, nor do words of a pattern.
    const JUSTIFIED = /refunds\.create|^from pathlib import Path\ndef pre_receive\(|^def sql_guard\(/;
    for (const text of new Set(intentTexts())) {
      if (JUSTIFIED.test(text)) continue;
      const now = parseIntent(text, lexicon);
      // Nothing is graver, and of what moves money or grants rights a human is asked as well.
      if (now.effect === 'destructive' || ['transfer', 'grant', 'revoke'].includes(now.action)) continue;
      const before = parseIntent(text, without);
      expect(RANKS.indexOf(now.effect), text).to.be.at.least(RANKS.indexOf(before.effect));
      if (before.action === 'unknown') expect(now.effect === 'read', text).to.equal(false);
    }
  });

  it('finds a file with credentials, however its path is put together', () => {
    const paths = [
      '/root/.ssh/id_rsa',
      '/etc/shadow',
      '/srv/app/.env',
      '/home/ana/.aws/credentials',
      '/proc/self/environ',
    ];
    const joined: Readonly<Record<ProgramLanguage, readonly ((pieces: readonly string[]) => string)[]>> = {
      python: [
        (pieces) => `print(open(${pieces.join(' + ')}).read())`,
        (pieces) => `print(open("".join([${pieces.join(', ')}])).read())`,
        (pieces) => `p = ""\nfor x in (${pieces.join(', ')},):\n    p += x\nprint(open(p).read())`,
        (pieces) => `print(open("${'%s'.repeat(pieces.length)}" % (${pieces.join(', ')},)).read())`,
        (pieces) => `def f(*a):\n    return "".join(a)\nprint(open(f(${pieces.join(', ')})).read())`,
        (pieces) => `a = []\n${pieces.map((piece) => `a.append(${piece})`).join('\n')}\nprint(open("".join(a)).read())`,
      ],
      javascript: [
        (pieces) => `const fs = require('fs');\nconsole.log(fs.readFileSync(${pieces.join(' + ')}, 'utf8'));`,
        (pieces) =>
          `const fs = require('fs');\nconst p = [${pieces.join(', ')}].join('');\nfs.readFileSync(p, 'utf8');`,
        (pieces) =>
          `const fs = require('fs');\nconst p = \`${pieces.map((piece) => `\${${piece}}`).join('')}\`;\nfs.readFileSync(p, 'utf8');`,
        (pieces) =>
          `const fs = require('fs');\nlet p = '';\nfor (const x of [${pieces.join(', ')}]) p += x;\nfs.readFileSync(p, 'utf8');`,
      ],
    };
    fc.assert(
      fc.property(
        fc.constantFrom(...LANGUAGES),
        fc.constantFrom(...paths),
        fc.uniqueArray(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }),
        fc.nat(),
        (language, path_, cuts, way) => {
          const ends = [0, ...cuts.filter((cut) => cut < path_.length).sort((a, b) => a - b), path_.length];
          const pieces = ends.slice(1).map((end, at) => JSON.stringify(path_.slice(ends[at], end)));
          const ways = joined[language];
          const text = ways[way % ways.length]?.(pieces) ?? '';
          expect(onlyReads(language, text), text).to.equal(false);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('finds one harmful statement between those of any harmless program', () => {
    for (const language of LANGUAGES) {
      const statement = language === 'python' ? '__import__("os").remove("/srv/a")' : "require('fs').rmSync('/srv/a');";
      for (const text of harmless(language)) {
        expect(onlyReads(language, `${statement}\n${text}`), text).to.equal(false);
        expect(onlyReads(language, `${text}\n${statement}`), text).to.equal(false);
      }
    }
  });

  it('throws for no text of pieces of programs, and reads none that has a call which does harm', () => {
    const pieces = {
      python: [
        'def f(x):',
        '\n    ',
        '\n',
        'return x',
        'f',
        '(',
        ')',
        '[',
        ']',
        ' = ',
        'lambda x: ',
        'import os',
        'os.remove',
        '"a"',
        ', ',
        '.',
        'for x in ',
        ': ',
        'print',
        'class A:',
        '@',
        'f"{',
        '}"',
        ' if ',
        ' else ',
        'with ',
        '*',
        '**',
        'async ',
        'await ',
        'yield ',
        '# c',
        'match x:',
        'del ',
        ':=',
        '->',
        '\\',
        '1',
        'x',
      ],
      javascript: [
        'function f(x) {',
        '}',
        '\n',
        'return x',
        'f',
        '(',
        ')',
        '[',
        ']',
        ' = ',
        ' => ',
        "require('fs')",
        '.rmSync',
        "'a'",
        ', ',
        '.',
        'for (const x of ',
        '{',
        'console.log',
        'class A {',
        '`${',
        '}`',
        ' ? ',
        ' : ',
        'new ',
        '...',
        'async ',
        'await ',
        'yield ',
        '// c',
        'const ',
        'delete ',
        '??=',
        '?.',
        '/a/',
        '1',
        'x',
        '<T>',
        ': T',
        ' as T',
        ';',
      ],
    };
    for (const language of LANGUAGES)
      fc.assert(
        fc.property(fc.array(fc.constantFrom(...pieces[language]), { maxLength: 40 }), (parts) => {
          const text = parts.join('');
          const reads = onlyReads(language, text);
          if (/(?:os\.remove|require\('fs'\)\.rmSync)\((?!.*#|.*\/\/)/.test(text))
            expect(reads && !/["'`/]/.test(text), text).to.equal(false);
        }),
        { numRuns: 600 },
      );
  });

  it('understands no program with more acts than are read, whichever of them is not understood', () => {
    const ends = ['().__class__.__bases__[0].__subclasses__()', 'subprocess.run(["ls"])'];
    for (let commands = 58; commands < 64; commands += 1)
      for (const end of ends) {
        const lines = Array.from({ length: commands }, (_, at) => `subprocess.run(["ls", "/srv/a${at}"])`);
        const program = ['import subprocess', ...lines, end].join('\n');
        const isKnown = end !== ends[0] && commands < 60;
        expect(onlyReads('python', program), `${commands} and ${end}`).to.equal(isKnown);
        const { action } = parseIntent(program, lexicon);
        expect(action === 'read', `${commands} and ${end}`).to.equal(isKnown);
        // What a function does that is defined at the end is known before it is too much.
        const helper = 'def look():\n    return ["a"]';
        const calling = [`first = look()`, ...lines.slice(0, 50), 'last = look()', helper].join('\n');
        expect(onlyReads('python', `import subprocess\n${calling}`)).to.equal(true);
      }
  });

  it('reads no program that is too deep or too long, and its time grows with the length only', async () => {
    const deep = '('.repeat(10_000);
    for (const text of [
      `print(${deep}1${')'.repeat(10_000)})`,
      `x = ${'['.repeat(4_900)}${']'.repeat(4_900)}\nprint(x)`,
      `const a = ${'{a:'.repeat(3_000)}1${'}'.repeat(3_000)}; f(a)`,
      `print(${'1+'.repeat(4_900)}1)`,
      `print(a${'.b'.repeat(4_800)})`,
      `print("a")\n${'x = 1\n'.repeat(1_000)}`,
    ])
      expect(programIn(text, lexicon)?.reads ?? false, text.slice(0, 40)).to.equal(false);
    const long = {
      python: `print(sorted([${'2'.repeat(20)}, ${'1'.repeat(20)}]))\n`.repeat(165),
      javascript: `console.log([${'2'.repeat(25)}, ${'1'.repeat(25)}].sort());\n`.repeat(125),
    };
    for (const language of LANGUAGES) {
      expect(programIn(long[language], lexicon)?.reads, language).to.equal(true);
      // Four times the text takes four times as long, and would take sixteen times if each part were compared with each other.
      const ratio = await leastMs(
        MOST_TIMES,
        () => msOf(language, long[language], 9_900) / msOf(language, long[language], 2_475),
      );
      expect(ratio, language).to.be.below(MOST_TIMES);
    }
  });
});

describe('a library that only computes', () => {
  it('gives no way to modules that it loads, nor to acts of what it is given', () => {
    for (const text of [
      'import babel\nbabel.os.system("rm -rf /data")',
      'from babel import shutil\nshutil.rmtree("/data")',
      'import babel\nbabel.__builtins__["eval"]("1")',
      'import more_itertools\nfrom pathlib import Path\nmore_itertools.first(Path("/data").iterdir()).unlink()',
      'import { vi } from "vitest";\nconst fs = await vi.importActual("fs");\nfs.rmSync("/data");',
      'import { jest } from "@jest/globals";\njest.requireActual("./wipe").all();',
      'import { expect } from "vitest";\nawait expect(prisma.user).deleteMany();',
    ])
      expect(parseIntent(text, lexicon).effect, text).not.to.equal('read');
  });
});

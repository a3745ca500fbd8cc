// Programs in Python and JavaScript: whatever hides an effect, none is read as one that only reads.
import { expect } from 'chai';
import fc from 'fast-check';
import { programIn } from '../../../shared/core/intent/code/program/program.ts';
import { readCode } from '../../../shared/core/intent/code/script.ts';
import type { ProgramLanguage } from '../../../shared/core/intent/lexicon/programs.ts';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { leastMs } from '../../support/undisturbed.ts';
import { textCases } from '../../support/text-cases.ts';
import { JAVASCRIPT_SINKS, JAVASCRIPT_WAYS, PYTHON_SINKS, PYTHON_WAYS, type Sink } from './hidden-effects.ts';
import { shippedLexicon } from './lexicon.ts';

const lexicon = shippedLexicon();
const LANGUAGES: readonly ProgramLanguage[] = ['python', 'javascript'];
const HIDDEN = {
  python: { ways: PYTHON_WAYS, sinks: PYTHON_SINKS },
  javascript: { ways: JAVASCRIPT_WAYS, sinks: JAVASCRIPT_SINKS },
};

/** Whether a program is said to do nothing but read. */
const onlyReads = (language: ProgramLanguage, text: string): boolean => {
  const { fragments, isUnderstood } = readCode(language, text, lexicon);
  return isUnderstood && fragments.every(({ effect }) => effect === 'read');
};

const around: Readonly<Record<ProgramLanguage, (text: string) => string>> = {
  python: (text) => `def count(names):\n    return len(names)\n\nprint(count(["a", "b"]))\n${text}\n`,
  javascript: (text) => `const names = ['a', 'b'];\nconsole.log(names.length);\n${text}\n`,
};

for (const language of LANGUAGES)
  describe(`a program in ${language} that hides its effect`, () => {
    const { ways, sinks } = HIDDEN[language];
    for (const [name, way] of Object.entries(ways))
      it(`does more than read, with each function: ${name}`, () => {
        for (const sink of sinks) {
          expect(onlyReads(language, way(sink)), way(sink)).to.equal(false);
          // Beside harmless code, and as a text.
          const longer = around[language](way(sink));
          expect(onlyReads(language, longer), longer).to.equal(false);
          expect(programIn(longer, lexicon)?.reads ?? false, longer).to.equal(false);
        }
      });
  });

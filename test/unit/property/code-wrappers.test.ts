// Properties of the readers of code: no wrapper, disguise or continuation makes the effect of a command milder, and the time is bounded.
import { expect } from 'chai';
import fc from 'fast-check';
import { gravity } from '../../../shared/core/intent/code/code.ts';
import { fragmentsOf } from '../../../shared/core/intent/code/fragments.ts';
import { readCode } from '../../../shared/core/intent/code/script.ts';
import { textCases } from '../../support/text-cases.ts';
import { shippedLexicon } from '../intent/lexicon.ts';

const lexicon = shippedLexicon();
const gravest = (text: string): number => Math.max(0, ...fragmentsOf(text, lexicon).map(gravity));
const DESTROYS = 60;
const UNKNOWN = 45;

/** Command lines that destroy, of one line and without quotes of their own, so that they may stand in any wrapper. */
const commands = [...textCases('parse')]
  .filter(([set]) => set === 'code-destructive')
  .flatMap(([, cases]) => cases.map(({ text }) => text))
  .filter((text) =>
    /^(?:rm|kubectl|terraform|aws|git|docker|redis-cli|helm|find|gcloud|az) [^'"`\n$#&|;<>(){}]*$/.test(text),
  );

const WRAPPERS: readonly ((command: string) => string)[] = [
  (command) => `sudo ${command}`,
  (command) => `sudo -u ops -- ${command}`,
  (command) => `env A=1 ${command}`,
  (command) => `nohup ${command} &`,
  (command) => `time ${command}`,
  (command) => `timeout 9 ${command}`,
  (command) => `bash -c '${command}'`,
  (command) => `sh -c "${command}"`,
  (command) => `eval "${command}"`,
  (command) => `echo $(${command})`,
  (command) => `echo \`${command}\``,
  (command) => `ls | xargs ${command}`,
  (command) => `ls -la /srv; ${command}`,
  (command) => `ls -la /srv && ${command}`,
  (command) => `ls -la /srv || ${command}`,
  (command) => `if true; then ${command}; fi`,
  (command) => `for x in 1 2; do ${command}; done`,
  (command) => `( ${command} )`,
  (command) => `ssh ops@db.internal '${command}'`,
  (command) => `find /srv -exec ${command} \\;`,
  (command) => `X=1; ${command}`,
];
const SENTENCES: typeof WRAPPERS = [
  (code) => code,
  (code) => `Run \`${code}\``,
  (code) => `Run ${code}`,
  (code) => `Please execute: ${code}`,
];

/** Spellings of a command's name that a shell takes for the same. */
const SPELLINGS: readonly ((name: string) => string)[] = [
  (name) => `\\${name}`,
  (name) => `"${name}"`,
  (name) => `${name.slice(0, 1)}''${name.slice(1)}`,
  (name) => `${name.slice(0, 1)}\\${name.slice(1)}`,
  (name) => `/usr/bin/${name}`,
];

const APPENDIX = [
  ' ; ls',
  ' && echo ok',
  ' | cat',
  ' > /dev/null',
  ' 2>&1',
  ' # only a list',
  ' --verbose',
  ' extra',
  '; echo --dry-run',
  ' and thanks',
];

describe('code that destroys', () => {
  it('is the subject of enough cases', () => {
    expect(commands.length).to.be.greaterThan(30);
  });

  it('is no milder in any wrapper, nor in two', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...commands),
        fc.constantFrom(...WRAPPERS),
        fc.constantFrom(...WRAPPERS),
        fc.constantFrom(...SENTENCES),
        (command, one, two, say) => {
          expect(gravest(say(one(command))), say(one(command))).to.be.at.least(UNKNOWN);
          expect(gravest(one(command)), one(command)).to.be.at.least(DESTROYS);
          // Quotes within quotes may not be understood, but are never milder than that.
          expect(gravest(two(one(command))), two(one(command))).to.be.at.least(UNKNOWN);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is no milder when its name is spelled with quotes, escapes or a path', () => {
    fc.assert(
      fc.property(fc.constantFrom(...commands), fc.constantFrom(...SPELLINGS), (command, spell) => {
        const [name = '', ...rest] = command.split(' ');
        const text = [spell(name), ...rest].join(' ');
        expect(gravest(text), text).to.be.at.least(DESTROYS);
      }),
      { numRuns: 200 },
    );
  });

  it('is no milder with anything after it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...commands),
        fc.array(fc.constantFrom(...APPENDIX), { maxLength: 3 }),
        (command, tail) => {
          const text = command + tail.join('');
          expect(gravest(text), text).to.be.at.least(DESTROYS);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is never a read in a variable whose value is on the line', () => {
    for (const command of commands) {
      const [name = '', ...rest] = command.split(' ');
      const text = `X=${name}; $X ${rest.join(' ')}`;
      expect(gravest(text), text).to.be.at.least(DESTROYS);
    }
  });

  it('is never understood as a read by the reader of code alone, whatever surrounds it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...commands), fc.constantFrom(...WRAPPERS), (command, wrap) => {
        const { fragments, isUnderstood } = readCode('shell', wrap(command), lexicon);
        expect(!isUnderstood || fragments.some(({ effect }) => effect === 'destructive')).to.equal(true);
      }),
      { numRuns: 200 },
    );
  });
});

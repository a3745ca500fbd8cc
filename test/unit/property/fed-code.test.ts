// Properties of what commands are fed: no way to hand a command over to the one that runs it makes its reading milder.
import { expect } from 'chai';
import fc from 'fast-check';
import { gravity } from '../../../shared/core/intent/code/code.ts';
import { readCode } from '../../../shared/core/intent/code/script.ts';
import type { CommandEntry } from '../../../shared/core/intent/lexicon/types.ts';
import { shippedLexicon } from '../intent/lexicon.ts';

const lexicon = shippedLexicon();
const UNKNOWN = 45;

/** How grave a line is; one that is not understood is at least as grave as unknown code. */
function gravityOf(line: string): number {
  const { fragments, isUnderstood } = readCode('shell', line, lexicon);
  return Math.max(isUnderstood ? 0 : UNKNOWN, ...fragments.map(gravity));
}

/** Lines of a command of the lexicon: alone, with arguments, and with each option that is listed for it. */
const linesOf = ({ command, options }: CommandEntry): string[] =>
  ['', ' a', ' a b', ...options.flatMap(({ any }) => [...any].map((option) => ` ${option.replace(/\*$/, 'x')} a`))].map(
    (rest) => command + rest,
  );
const lines = [...lexicon.commands.values()].flatMap(linesOf).filter((line) => !/['"\\$`;|&<>(){}%]/.test(line));

/** Ways to hand a line over to a shell, after a line that only reads. */
const FEEDS: readonly ((line: string) => string)[] = [
  (line) => `printf 'ls\\n${line}\\n' | sh`,
  (line) => `printf '%s\\n' ls '${line}' | sh`,
  (line) => `printf '%b' 'ls\\n${line}' | sh`,
  (line) => `printf 'ls\\n%s\\n' '${line}' | bash`,
  (line) => `echo -e 'ls\\n${line}' | bash`,
  (line) => `echo 'ls\\n${line}' | sh`,
  (line) => `echo $'ls\\n${line}' | bash`,
  (line) => `echo $'ls\\x0a${line}' | bash`,
  (line) => `bash -c $'ls\\n${line}'`,
  (line) => `bash <<< $'ls\\n${line}'`,
  (line) => `bash <<EOF\nls\n${line}\nEOF`,
  (line) => `cat <<EOF | sh\nls\n${line}\nEOF`,
  (line) => `printf 'ls\\n${line}\\n' | sudo sh`,
  (line) => `printf 'ls\\n${line}\\n' |\nsh`,
  (line) => `echo '${line}' | parallel`,
  (line) => `(echo '${line}'; echo ls) | sh`,
  (line) => `{ echo ls; echo '${line}'; } | sh`,
  (line) => `(echo ls; (echo '${line}'; echo ls)) | (sh)`,
  (line) => `(echo $(id); echo ls); (echo '${line}'; echo ls) | sh`,
  (line) => `(echo -n '${line.slice(0, 3)}'; printf '%s\\n' '${line.slice(3)}'; echo ls) | sh`,
  (line) => `sh -c "(echo '${line}'; echo ls) | sh"`,
  (line) => `echo '${line}' | xargs -I{} sh -c '{}'`,
  (line) => `echo '${line}' | xargs -I ls sh -c ls`,
];
/** The same where what is fed is not known to the last character: at least not understood. */
const VAGUE_FEEDS: typeof FEEDS = [
  (line) => `(echo '${line}'; true; echo ls) | sh`,
  (line) => `{ echo '${line}'; cat f; } | sh`,
  () => `(echo ls; cat f) | sh`,
  ...['\\{', "'for'", '"while"', 'i\\f', '$X', 'select x in 1; do break; done'].flatMap((hides) => [
    (line: string) => `X={; (echo '${line}'; ${hides}; echo ls) | sh`,
    (line: string) => `X={; { echo '${line}'; ${hides}; echo ls; } | sh`,
  ]),
  (line) => `(echo '${line}' # (\necho ls) | sh`,
  (line) => `(echo '${line}'; cat <<E\n(\nE\necho ls) | sh`,
  () => `(true && echo ls; echo ls) | sh`,
  (line) => `(x=1; echo '${line}'; echo ls) | sh`,
  (line) => `(echo '${line}' > f; echo ls) | sh`,
  () => `(cat f | sed -n 1p; echo ls) | sh`,
  (line) => `for x in 1; do echo '${line}'; echo ls; done | sh`,
  (line) => `echo '${line}' | (ls; sh)`,
  (line) => `echo '${line}' | { ls; sh; }`,
  (line) => `echo '${line}' | sh -c 'ls; sh'`,
  (line) => `(ls; sh) <<< '${line}'`,
  (line) => `{ ls; sh; } <<< '${line}'`,
  (line) => `echo '${line}' | tee >(sh)`,
  (line) => `echo '${line}' > >(sh)`,
  (line) => `sh <(echo '${line}')`,
  (line) => `sh < <(echo '${line}')`,
  (line) => `. <(echo '${line}')`,
  (line) => `echo '${line}' | cat | sh`,
  (line) => `echo '${line}' | while read x; do $x; done`,
  (line) => `echo '${line}' > f; sh < f`,
  (line) => `echo '${line}' > f; parallel < f`,
  () => 'echo ls | sh f',
  () => 'sh f <<< ls',
  () => 'unlisted f | sh',
];

describe('what a shell is fed', () => {
  it('is read as if it were on the line, for every command', () => {
    for (const [at, feed] of FEEDS.entries())
      fc.assert(
        fc.property(fc.constantFrom(...lines), (line) => {
          expect(gravityOf(feed(line)), feed(line)).to.be.at.least(gravityOf(line));
        }),
        { numRuns: 150, seed: at },
      );
  });

  it('is never understood as a read where it is not known', () => {
    const destroys = lines.filter((line) => gravityOf(line) >= UNKNOWN);
    for (const [at, feed] of VAGUE_FEEDS.entries())
      fc.assert(
        fc.property(fc.constantFrom(...destroys), (line) => {
          expect(gravityOf(feed(line)), feed(line)).to.be.at.least(UNKNOWN);
        }),
        { numRuns: 40, seed: at },
      );
  });
});

/** Code that does no harm, and the client or interpreter that it is fed to. */
const HARMLESS: readonly (readonly [code: string, runs: string])[] = [
  ['select 1', 'psql'],
  ['select 1', 'psql -f -'],
  ['console.log(1)', 'node'],
  ['puts 1', 'ruby'],
  ['puts 1', 'ruby -r json'],
];
/** Code in several lines that different commands print. */
const IN_LINES = [
  "(echo 'select 1;'; echo 'select 2;') | psql",
  "{ echo 'select 1;'; printf 'select 2;'; } | psql",
  '(echo ls; echo pwd) | sh',
];
/** The same with options that run more than that. */
const LOADING: typeof HARMLESS = [
  ['select 1', 'psql -f f.sql'],
  ['select 1', 'psql --file=f.sql'],
  ['select 1', 'psql -f - -f f.sql'],
  ['select 1', 'sqlite3 -init f.sql db'],
  ['console.log(1)', 'node -r ./f.js'],
  ['console.log(1)', 'node --require=./f.js'],
  ['console.log(1)', 'node --import ./f.js'],
  ['puts 1', 'ruby -r ./f'],
  ['puts 1', 'ruby -r./f'],
  ['puts 1', 'ruby -I. -rf'],
];

describe('what runs beside harmless code', () => {
  it('is not understood where an option loads it', () => {
    for (const [code, runs] of HARMLESS) expect(gravityOf(`echo '${code}' | ${runs}`), runs).to.equal(10);
    for (const line of IN_LINES) expect(gravityOf(line), line).to.equal(10);
    for (const [code, runs] of LOADING)
      for (const line of [`echo '${code}' | ${runs}`, `${runs} <<< '${code}'`])
        expect(gravityOf(line), line).to.be.at.least(UNKNOWN);
    expect(gravityOf(`ruby -r ./f -e 'puts 1'`)).to.be.at.least(UNKNOWN);
    expect(gravityOf(`ruby -r json -e 'puts 1'`)).to.equal(10);
  });

  it('is not understood where a variable decides it, also after env', () => {
    for (const set of ['LD_PRELOAD=./f.so', 'BASH_ENV=f.sh', 'PATH=/tmp', 'NODE_OPTIONS=-r./f.js', 'ANY_OTHER=x'])
      for (const way of ['', 'env ', 'env -i ', 'env TZ=UTC ', 'sudo env ', 'env TZ=UTC env ', 'timeout 9 env '])
        for (const line of ['ls', "bash -c 'ls'"])
          expect(gravityOf(`${way}${set} ${line}`), `${way}${set} ${line}`).to.be.at.least(UNKNOWN);
    for (const line of ['env TZ=UTC ls', 'env TZ=UTC grep PATH=x f']) expect(gravityOf(line), line).to.equal(10);
    for (const option of ['-S ', '-S', '--split-string='])
      expect(gravityOf(`env ${option}'A=1 rm -rf /srv'`)).to.be.at.least(UNKNOWN);
  });
});

/** Ways to give arguments to a command. */
const GIVERS: readonly ((command: string, args: string) => string)[] = [
  (command, args) => `echo ${args} | xargs ${command}`,
  (command, args) => `printf '${args.replaceAll(' ', '\\n')}\\n' | xargs ${command}`,
  (command, args) => `printf '%s\\n' ${args} | xargs ${command}`,
  (command, args) => `echo ${args} | xargs -t ${command}`,
  (command, args) => `echo ${args} | xargs -I% ${command} %`,
  (command, args) => `echo ${args} | xargs -I % ${command} %`,
  (command, args) => `xargs ${command} <<< '${args}'`,
  (command, args) => `echo ${args} | sudo xargs ${command}`,
  (command, args) => `echo ${args} | xargs env ${command}`,
  (command, args) => `echo ${args} | xargs timeout 9 ${command}`,
  (command, args) => `printf '%s\\0' ${args} | xargs -0 ${command}`,
  (command, args) => `printf '${args.replaceAll(' ', '\\000')}\\0' | xargs -r0 ${command}`,
  (command, args) => `printf '%s\\0' ${args} | xargs --null ${command}`,
  (command, args) => `printf '${args}\\0' | xargs -0I% ${command} %`,
  (command, args) => `echo ${args.replaceAll(' ', '%')} | xargs -d% ${command}`,
  (command, args) => `echo ${args.replaceAll(' ', '%')} | xargs -td% ${command}`,
  (command, args) => `echo ${args.replaceAll(' ', '%')} | xargs --delimiter=% ${command}`,
  (command, args) => `printf '${args.replaceAll(' ', '\\t')}' | xargs -d '\\t' ${command}`,
  (command, args) => `printf '${args.replaceAll(' ', '\\n')}' | xargs -0 -d '\\n' ${command}`,
];
/** The same with arguments that are not on the line. */
const UNSEEN_GIVERS: readonly ((command: string) => string)[] = [
  (command) => `xargs ${command}`,
  (command) => `cat f | xargs ${command}`,
  (command) => `cat f | xargs -n1 ${command}`,
  (command) => `cat f | xargs -0 ${command}`,
  (command) => `cat f | xargs -d, ${command}`,
  (command) => `cat f | xargs -0I{} ${command} {}`,
  (command) => `xargs ${command} < f`,
  (command) => `xargs -a f ${command}`,
  (command) => `echo ls | xargs -a f ${command}`,
  (command) => `cat f | xargs -I% ${command} %`,
  (command) => `cat f | xargs -I x ${command} x`,
  (command) => `cat f | parallel ${command}`,
  (command) => `cat f | parallel ${command} {}`,
  (command) => `fd . -x ${command}`,
  (command) => `find . -exec ${command} {} +`,
  (command) => `cat f | xargs env ${command}`,
  (command) => `cat f | xargs sudo ${command}`,
];

/** Programs that only print. */
const EDITORS = ["awk '{print $1}'", 'awk -F : /root/', 'sed -n 1p', 'sed -e 1p', 'sed -ne1p'];

describe('the arguments that a command is given by another one', () => {
  const split = lines.flatMap((line) => {
    const words = line.split(' ');
    return words.slice(1).map((_, at) => [words.slice(0, at + 1).join(' '), words.slice(at + 1).join(' ')] as const);
  });

  it('are read as if they were on its line, wherever the line is divided', () => {
    for (const [at, give] of GIVERS.entries())
      fc.assert(
        fc.property(fc.constantFrom(...split), ([command, args]) => {
          const line = `${command} ${args}`;
          expect(gravityOf(give(command, args)), give(command, args)).to.be.at.least(gravityOf(line));
        }),
        { numRuns: 200, seed: at },
      );
  });

  it('are not understood where they decide what a command does, and are not on the line', () => {
    const groups = [...lexicon.commandGroups].filter((name) => !name.includes(' '));
    expect(groups.length).to.be.greaterThan(10);
    for (const give of UNSEEN_GIVERS)
      for (const command of [...groups, 'sh', 'bash', 'python', 'node', 'sudo', 'env', 'timeout 9', 'eval'])
        expect(gravityOf(give(command)), give(command)).to.be.at.least(UNKNOWN);
  });

  it('are not understood where they are a program, or what find does', () => {
    for (const give of UNSEEN_GIVERS.filter((one) => one('').includes('xargs')))
      for (const command of ['awk', 'awk -F :', 'gawk', 'sed', 'sed -n', 'sed -e', 'find', 'find /srv'])
        expect(gravityOf(give(command)), give(command)).to.be.at.least(UNKNOWN);
  });

  it('are not understood where they are a part of code', () => {
    for (const code of [
      `sh -c 'ls {}'`,
      `bash -c 'cat "{}"'`,
      `python3 -c 'print("{}")'`,
      `node -e 'console.log("{}")'`,
    ])
      for (const give of ['cat f | xargs -I{}', 'cat f | xargs -0I{}', 'find . -exec', 'fd . -x'])
        expect(gravityOf(`${give} ${code}`), `${give} ${code}`).to.be.at.least(UNKNOWN);
    expect(gravityOf(`cat f | xargs -I{} awk '{}' f`)).to.be.at.least(UNKNOWN);
    expect(gravityOf(`cat f | xargs -I{} sed 's/{}/x/' f`)).to.be.at.least(UNKNOWN);
  });

  it('are not understood where nobody knows what separates them', () => {
    for (const line of ['echo a | xargs -d ab cat', 'echo a | xargs -d $X cat', "echo a | xargs -d '' cat"])
      expect(gravityOf(line), line).to.be.at.least(UNKNOWN);
  });

  it('are read without their quotes, and beside what ends them', () => {
    expect(gravityOf(`echo '-del"ete"' | xargs -I{} find . {}`)).to.be.at.least(60);
    expect(gravityOf(`echo 'ns prod END --dry-run' | xargs -E END kubectl delete`)).to.be.at.least(60);
  });

  it('leave a command as it is that only reads, whatever it is given', () => {
    for (const command of [
      'cat',
      'wc -l',
      'grep -n x',
      'kubectl get pods',
      'git blame',
      'docker inspect',
      'head -5',
      ...EDITORS,
    ])
      for (const give of UNSEEN_GIVERS) {
        if (give(command).includes('sudo')) continue;
        expect(gravityOf(give(command)), give(command)).to.equal(10);
      }
  });
});

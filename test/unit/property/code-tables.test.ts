// Properties of the tables of code (`policies/lexicon/commands.json`), for every command, function and method that they list.
import { expect } from 'chai';
import fc from 'fast-check';
import { gravity } from '../../../shared/core/intent/code/code.ts';
import { knownCommand } from '../../../shared/core/intent/code/commands.ts';
import { readCode } from '../../../shared/core/intent/code/script.ts';
import type { CommandEntry } from '../../../shared/core/intent/lexicon/types.ts';
import { shippedLexicon } from '../intent/lexicon.ts';

const lexicon = shippedLexicon();
const UNKNOWN = 45;
/** A name that no table lists. */
const NONSENSE = 'frobnicate';

const entries = [...lexicon.commands.values()];
const gravestOf = (kind: 'shell' | 'sql', text: string): { gravity: number; isUnderstood: boolean } => {
  const { fragments, isUnderstood } = readCode(kind, text, lexicon);
  return { gravity: Math.max(0, ...fragments.map(gravity)), isUnderstood };
};
/** After the arguments of a command that runs the rest of its line, options are those of what it runs. */
const linesOf = ({ command, options, runs }: CommandEntry): string[] =>
  options.flatMap(({ any }) =>
    [...any].map((option) => {
      const written = option.replace(/\*$/, 'x');
      return runs !== undefined && runs.options === undefined ? `${command} ${written} a` : `${command} a ${written}`;
    }),
  );
const isGroup = ({ command, runs, verbAt }: CommandEntry): boolean =>
  runs === undefined && verbAt.length === 0 && lexicon.commandGroups.has(command) && !command.includes(' ');

describe('the tables of code', () => {
  it('make no command milder than its entry, whatever arguments and options follow', () => {
    const plain = entries.filter(({ dryRun, runs }) => dryRun.size === 0 && runs === undefined);
    const others = fc.array(fc.constantFrom('a', '-x', '--verbose', '--output=b', 'c/d', '5'), { maxLength: 4 });
    fc.assert(
      fc.property(fc.constantFrom(...plain), others, (entry, more) => {
        const words = [...entry.command.split(' '), ...more];
        const known = knownCommand(words, lexicon);
        if (known?.entry !== entry || !known.isKnown || entry.verbAt.length > 0) return;
        expect(gravity(known.doing), words.join(' ')).to.be.at.least(gravity(entry));
      }),
      { numRuns: 2_000 },
    );
  });

  it('make each option that is listed as graver at least as grave as its rule', () => {
    for (const entry of entries)
      for (const [rule, line] of entry.options.flatMap((one) =>
        linesOf({ ...entry, options: [one] }).map((text) => [one, text] as const),
      )) {
        const known = knownCommand(line.split(' '), lexicon);
        if (known?.entry === entry) expect(gravity(known.doing), line).to.be.at.least(gravity(rule));
      }
  });

  it('do not list a subcommand: then it is not understood', () => {
    const groups = entries.filter(isGroup);
    expect(groups.length).to.be.greaterThan(3);
    for (const { command } of groups) {
      const { isUnderstood } = gravestOf('shell', `${command} ${NONSENSE}`);
      expect(isUnderstood, command).to.equal(false);
    }
  });

  it('take a dry run back when the switch says so', () => {
    const dry = entries.filter(({ dryRun, effect }) => effect === 'destructive' && dryRun.has('--dry-run'));
    expect(dry.length).to.be.greaterThan(2);
    for (const entry of dry) {
      const doing = (option: string) => knownCommand([...entry.command.split(' '), 'a', option], lexicon)?.doing.effect;
      expect(doing('--dry-run'), entry.command).to.equal('read');
      for (const option of ['--dry-run=none', '--dry-run=false', '--no-dry-run'])
        expect(doing(option), `${entry.command} ${option}`).to.equal('destructive');
    }
  });

  it('understand a SELECT only when all of its functions are listed', () => {
    const { sqlReading } = lexicon.codeWords;
    fc.assert(
      fc.property(fc.constantFrom(...sqlReading.names), fc.boolean(), (name, isNested) => {
        const own = gravestOf('sql', `SELECT ${name}(a) FROM t`);
        expect(own, name).to.deep.equal({ gravity: 10, isUnderstood: true });
        const strange = isNested ? `${name}(${NONSENSE}(a))` : `${name}(a), ${NONSENSE}(b)`;
        expect(gravestOf('sql', `SELECT ${strange} FROM t`).isUnderstood, strange).to.equal(false);
      }),
      { numRuns: 400 },
    );
  });

  it('let no noun of access or safeguard pass as a plain change', () => {
    for (const rule of lexicon.commandNouns)
      for (const noun of rule.words)
        for (const verb of rule.verbs ?? ['put', 'update', 'create']) {
          const doing = knownCommand(['aws', 'service', `${verb}-${noun}`], lexicon)?.doing;
          if (doing === undefined || doing.effect === 'read') continue;
          expect(gravity(doing), `${verb}-${noun}`).to.be.at.least(Math.min(UNKNOWN, gravity(rule)));
        }
  });
});

// Every command of the list: its help, and its exit codes for invalid command lines.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { expect } from 'chai';
import { COMMANDS } from '../../../cli/commands.ts';
import { EXIT, reportError } from '../../../cli/exit.ts';
import { collect } from '../../../cli/options.ts';
import { buildProgram, type CommandEntry } from '../../../cli/program.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';

const PROGRAM = { commands: COMMANDS, version: '1.2.3', description: 'a test' };

function withDescendants(command: CommandUnknownOpts): CommandUnknownOpts[] {
  return [command, ...command.commands.flatMap(withDescendants)];
}

function wordsOf(command: CommandUnknownOpts): string[] {
  return command.parent === null ? [] : [...wordsOf(command.parent), command.name()];
}

/** Parses a command line without running its handler. @returns the exit code and both outputs */
async function parse(
  args: readonly string[],
  run: () => void = () => expect.fail('the handler ran'),
): Promise<readonly [code: number | undefined, out: string, err: string]> {
  const program = await buildProgram({ ...PROGRAM, words: args });
  let [out, err] = ['', ''];
  for (const command of withDescendants(program)) {
    command.configureOutput({ writeOut: (text) => (out += text), writeErr: (text) => (err += text) });
    if (command.commands.length === 0) command.action(run);
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return [undefined, out, err];
  } catch (error) {
    return [reportError(error), out, err];
  }
}

for (const command of withDescendants(await buildProgram(PROGRAM))) {
  const words = wordsOf(command);
  const line = ['custos', ...words].join(' ');
  const fails = async (args: readonly string[], message: RegExp): Promise<void> => {
    const [code, out, err] = await parse([...words, ...args]);
    expect([code, out], err).to.deep.equal([EXIT.usage, '']);
    expect(err).to.match(message).and.to.match(/\n$/);
    expect(err, 'no stack').not.to.match(/\n\s+at /);
  };

  describe(line, () => {
    it('prints its help with its exit codes on standard output, and exits with 0', async () => {
      const [code, out, err] = await parse([...words, '--help']);
      expect([code, err]).to.deep.equal([EXIT.ok, '']);
      expect(out)
        .to.match(new RegExp(`^Usage: ${line} `))
        .and.to.contain('\nExit codes:\n  0   ');
    });

    it('exits with 2 and names the option when it does not know one', () =>
      fails(['--nope'], new RegExp(`^custos: (unknown option '--nope'|required option)[^]*\n"${line} --help"`)));

    if (command.commands.length > 0) {
      it('exits with 2 and its usage on standard error without a command', () =>
        fails([], new RegExp(`^Usage: ${line} `)));
      it('exits with 2 for an unknown command', () => fails(['nope'], /^custos: unknown command 'nope'/));
    } else if (!command.registeredArguments.some(({ variadic }) => variadic)) {
      const tooMany = Array.from({ length: command.registeredArguments.length + 1 }, () => 'x');
      it('exits with 2 for too many arguments', () => fails(tooMany, /^custos: (too many arguments|required option)/));
    }
    if (command.registeredArguments.some(({ required }) => required))
      it('exits with 2 without its arguments', () => fails([], /^custos: (missing required argument|required option)/));

    for (const { long, choices, parser } of command.options.map((option) => ({
      long: option.long ?? '',
      choices: option.argChoices,
      parser: option.parseArg,
    })))
      if (choices !== undefined || (parser !== undefined && parser !== collect))
        it(`exits with 2 for an empty ${long}`, () => fails([long, ''], new RegExp(`^custos: option '.*${long} `)));
  });
}

/** Words of a line, up to the first operator of the shell. */
function wordsOfLine(line: string): string[] {
  const words = line.replace(/"\$\(.*\)"/, 'x').match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  const end = words.findIndex((word) => /^(?:[|>&;#]|2>)/.test(word));
  return words.slice(0, end === -1 ? undefined : end).map((word) => word.replaceAll(/^(['"])(.*)\1$/g, '$2'));
}

/** Every `npx custos ...` of a text, in code spans and blocks. A name of a command alone is written without npx. */
function commandLinesOf(text: string): string[] {
  const [prose = '', ...blocks] = [text.replaceAll(/^```[^]*?^```/gm, ''), ...(text.match(/^```sh[^]*?^```/gm) ?? [])];
  const spans = [...prose.matchAll(/`npx custos ([^`]+)`/g)].map(([, line = '']) => line.replaceAll('\n', ' '));
  const lines = blocks.flatMap((block) => [...block.replaceAll('\\\n', ' ').matchAll(/\bnpx custos (.+)/g)]);
  return [...spans, ...lines.map(([, line = '']) => line)];
}

describe('the documentation', () => {
  const root = findRoot();
  const files = [
    'README.md',
    ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => path.join('docs', file)),
  ];
  it('gives only command lines that the program accepts', async () => {
    const refused: string[] = [];
    let found = 0;
    for (const file of files)
      for (const line of commandLinesOf(readFileSync(path.join(root, file), 'utf8'))) {
        found += 1;
        const [code = EXIT.ok, , err] = await parse(wordsOfLine(line), () => undefined);
        if (code !== EXIT.ok) refused.push(`${file}: npx custos ${line}: ${err.split('\n')[0]}`);
      }
    expect(found).to.be.above(100);
    expect(refused).to.deep.equal([]);
  });
});

it('loads only the file of the command that is named', async () => {
  const loaded: string[] = [];
  const entry = (name: string): CommandEntry => ({
    name,
    summary: name,
    load: async () => {
      loaded.push(name);
      return { define: () => undefined };
    },
  });
  const commands = [entry('one'), entry('two'), { name: 'group', summary: 'g', commands: [entry('two')] }];
  await buildProgram({ ...PROGRAM, commands, words: ['two', '--option', 'value'] });
  expect(loaded).to.deep.equal(['two']);
});

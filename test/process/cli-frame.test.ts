// Commands as processes: output streams and exit codes, also for errors found after argument parsing.
import { expect } from 'chai';
import { runCommand } from '../support/command.ts';

describe('custos as a process', () => {
  for (const [line, sentence] of [
    ['', /^Usage: custos /],
    ['nope', /^custos: unknown command 'nope'/],
    ['policy nope', /^custos: unknown command 'nope'/],
    ['decision verify', /^custos: Name the decisions to verify/],
    ['verify none.json', /^custos: No key is trusted/],
    ['audit --keys-in-file none.jsonl', /^custos: "none.jsonl" cannot be read \(ENOENT\)/],
    ['policy explain', /^custos: Give exactly one of --intent, --text, --tool and --decision/],
    ['demo --url nowhere', /^custos: --url must be an address/],
  ] as const)
    it(`custos ${line}: exits with 2, an empty standard output and a message`, async () => {
      const { code, stdout, stderr } = await runCommand(line === '' ? [] : line.split(' '));
      expect([code, stdout], stderr).to.deep.equal([2, '']);
      expect(stderr).to.match(sentence);
      expect(stderr, 'no stack').to.not.match(/\n\s+at /);
    });

  for (const args of [['--help'], ['help'], ['--version'], ['policy', '--help']])
    it(`custos ${args.join(' ')}: exits with 0 and an empty standard error`, async () => {
      const { code, stdout, stderr } = await runCommand(args);
      expect([code, stderr]).to.deep.equal([0, '']);
      expect(stdout).to.not.equal('');
    });
});

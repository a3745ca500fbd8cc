// The frame of the command line: usage errors end alike at every level, on standard error, with the documented exit code.
import { expect } from 'chai';
import { runCommand } from '../support/command.ts';

describe('a command line that can not be used ends with exit code 2, nothing on standard output and a sentence', () => {
  for (const [line, sentence] of [
    ['', /^Usage: custos /],
    ['policy', /^Usage: custos policy /],
    ['approvals', /^Usage: custos approvals /],
    ['nope', /^custos: unknown command 'nope'/],
    ['--nope', /^custos: unknown option '--nope'/],
    ['policy nope', /^custos: unknown command 'nope'/],
    ['policy test --nope', /^custos: unknown option '--nope'/],
    ['keys nope', /^custos: unknown command 'nope'/],
    ['keys create', /^custos: required option '--name <name>' not specified/],
    ['keys list --environment moon', /^custos: option '--environment <environment>' argument 'moon' is invalid/],
    ['decision verify', /^custos: Name the decisions to verify/],
    ['decision export --facts f --policies p --org o --nope', /^custos: unknown option '--nope'/],
    ['verify', /^custos: missing required argument 'file'/],
    ['verify none.json', /^custos: No key is trusted/],
    ['audit none.jsonl', /^custos: "none.jsonl" cannot be read \(ENOENT\)/],
    ['policy explain', /^custos: Say what to explain/],
    ['demo --url nowhere', /^custos: --url must be an address/],
    ['merkle nope', /^custos: unknown command 'nope'/],
  ] as const)
    it(`custos ${line}`, async () => {
      const { code, stdout, stderr } = await runCommand(line === '' ? [] : line.split(' '));
      expect([code, stdout], stderr).to.deep.equal([2, '']);
      expect(stderr).to.match(sentence);
      expect(stderr, 'no stack').to.not.match(/\n\s+at /);
    });

  for (const args of [['--help'], ['help'], ['--version'], ['policy', '--help'], ['keys', 'create', '--help']])
    it(`is not what "custos ${args.join(' ')}" is: exit code 0, on standard output`, async () => {
      const { code, stdout, stderr } = await runCommand(args);
      expect([code, stderr]).to.deep.equal([0, '']);
      expect(stdout).to.not.equal('');
    });
});

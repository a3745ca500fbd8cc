// Files and folders that a command can't use: an error that names the file and why, at once, and never a stack.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { runCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/folders.ts';

describe('a path that a command can not use', () => {
  const folder = temporaryFolder('paths');
  const at = (...names: string[]): string => path.join(folder, ...names);
  writeFileSync(at('file'), 'x');
  symlinkSync('nowhere', at('dangling'));
  symlinkSync('loop', at('loop'));
  mkdirSync(at('data'));
  writeFileSync(at('policy.cedar'), 'permit(principal, action == Action::"read", resource);\n');

  const PATHS: Readonly<Record<string, string>> = {
    'below a file': at('file', 'a'),
    'below /proc': '/proc/nowhere/a',
    'below a link that leads nowhere': at('dangling', 'a'),
    'in a loop of links': at('loop'),
    'with a name that is too long': at('n'.repeat(300)),
    'of an empty name': '',
  };
  const COMMANDS: Readonly<Record<string, (target: string) => readonly string[]>> = {
    backup: (target) => ['backup', target],
    restore: (target) => ['restore', target],
    'policy init': (target) => ['policy', 'init', target],
    'policy new': (target) => ['policy', 'new', 'first', target],
    'policy check': (target) => ['policy', 'check', target],
    'policy fmt': (target) => ['policy', 'fmt', target],
    'policy test': (target) => ['policy', 'test', target],
    'policy coverage': (target) => ['policy', 'coverage', target],
    'policy import --out': (target) => ['policy', 'import', 'cedar', at('policy.cedar'), '--out', target],
    'policy import': (target) => ['policy', 'import', 'cedar', target],
    'policy keygen --out': (target) => ['policy', 'keygen', '--name', 'signer', '--out', target],
    'policy sign --key': (target) => ['policy', 'sign', '--name', 'signer', '--key', target],
    'verify --keys': (target) => ['verify', at('file'), '--keys', target],
    'log rotate-key --to': (target) => ['log', 'rotate-key', '--to', target],
    'mcp-guard --key-file': (target) => [
      'mcp-guard',
      '--agent',
      'a',
      '--server',
      's',
      '--key-file',
      target,
      '--',
      'true',
    ],
  };
  const env = { CUSTOS_DATA_DIR: at('data'), CUSTOS_URL: 'http://127.0.0.1:1' };

  for (const [name, argumentsFor] of Object.entries(COMMANDS))
    for (const [kind, target] of Object.entries(PATHS))
      it(`custos ${name}: ${kind}`, async () => {
        const { code, stderr } = await runCommand(argumentsFor(target), env);
        expect(code, stderr).to.be.oneOf([1, 2]);
        expect(stderr).to.match(/^custos: /m);
        expect(stderr, 'no stack').to.not.match(/\n\s+at |Error: /);
      });

  for (const [name, given] of Object.entries({ dangling: 'dangling', file: 'file' }))
    it(`custos doctor: a checkpoint folder in whose place is a ${name}`, async () => {
      const { code, stdout } = await runCommand(['doctor', '--json'], { ...env, CUSTOS_CHECKPOINT_DIR: at(given) });
      expect(code).to.equal(1);
      expect(stdout).to.match(/is a symbolic link that leads nowhere|is not a folder/);
    });

  it('custos doctor: a checkpoint folder on no disk', async () => {
    const { code, stdout } = await runCommand(['doctor', '--json'], { ...env, CUSTOS_CHECKPOINT_DIR: '/proc/nowhere' });
    expect(code).to.equal(1);
    expect(stdout).to.include('is on no disk');
  });
});

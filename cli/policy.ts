// `custos policy <command>`: the workbench of policy authors. Only the file of the named command is loaded.
import type { Command } from 'commander';
import { POLICY_EXIT_CODES } from './policy/exit-codes.ts';

type Register = (policy: Command) => void;

/** In the order of the help: as an author meets them. */
const COMMANDS: Readonly<Record<string, () => Promise<Register>>> = {
  new: async () => (await import('./policy/new.ts')).registerPolicyNew,
  check: async () => (await import('./policy/check.ts')).registerPolicyCheck,
  test: async () => (await import('./policy/test.ts')).registerPolicyTest,
  coverage: async () => (await import('./policy/coverage.ts')).registerPolicyCoverage,
  explain: async () => (await import('./policy/explain.ts')).registerPolicyExplain,
  replay: async () => (await import('./policy/replay.ts')).registerPolicyReplay,
  shadow: async () => (await import('./policy/shadow.ts')).registerPolicyShadow,
};

export async function registerPolicy(program: Command): Promise<void> {
  const policy = program
    .command('policy')
    .description('write, check, test, explain and replay policies')
    .addHelpText('after', POLICY_EXIT_CODES);
  const [, , , name = ''] = process.argv;
  const named = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  for (const load of named === undefined ? Object.values(COMMANDS) : [named]) (await load())(policy);
}

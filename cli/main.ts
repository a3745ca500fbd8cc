#!/usr/bin/env node
// The command line: `custos <command>`, one file per command. Only the file of the named command is loaded.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { findRoot } from '../shared/platform/config/root.ts';
import { reportError } from './frame.ts';
import { endWithReader } from './reader.ts';

type Register = (program: Command) => void | Promise<void>;

/** In the order of the help. Scripts call filters such as `canonicalize` in loops, so those load no database driver. */
const COMMANDS: Readonly<Record<string, () => Promise<Register>>> = {
  start: async () => (await import('./start.ts')).registerStart,
  migrate: async () => (await import('./migrate.ts')).registerMigrate,
  keys: async () => (await import('./keys.ts')).registerKeys,
  org: async () => (await import('./org.ts')).registerOrg,
  config: async () => (await import('./config.ts')).registerConfig,
  pepper: async () => (await import('./pepper.ts')).registerPepper,
  seals: async () => (await import('./seals.ts')).registerSeals,
  doctor: async () => (await import('./doctor.ts')).registerDoctor,
  log: async () => (await import('./log.ts')).registerLog,
  audit: async () => (await import('./audit.ts')).registerAudit,
  demo: async () => (await import('./demo.ts')).registerDemo,
  verify: async () => (await import('./verify.ts')).registerVerify,
  merkle: async () => (await import('./merkle.ts')).registerMerkle,
  canonicalize: async () => (await import('./canonicalize.ts')).registerCanonicalize,
  decision: async () => (await import('./decision.ts')).registerDecision,
  policy: async () => (await import('./policy.ts')).registerPolicy,
  approvals: async () => (await import('./approvals.ts')).registerApprovals,
  'mcp-guard': async () => (await import('./mcp-guard.ts')).registerMcpGuard,
};

const { version, description } = JSON.parse(readFileSync(path.join(findRoot(), 'package.json'), 'utf8')) as {
  version: string;
  description: string;
};

// Inherited by every command: usage errors are thrown to reportError below, and all errors begin with the program's name.
const program = new Command('custos')
  .description(description)
  .version(version)
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'custos: ')) });
const [, , name = ''] = process.argv;
const named = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
const isVersion = name === '--version' || name === '-V';
// Help and the error for an unknown command list all commands; the version needs none.
const needed = named === undefined ? (isVersion ? [] : Object.values(COMMANDS)) : [named];
for (const load of needed) await (await load())(program);
// The service keeps running when nobody reads its output; the guard ends its server first.
if (name !== 'start' && name !== 'mcp-guard') endWithReader();
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = await reportError(error);
}

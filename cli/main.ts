#!/usr/bin/env node
// The command line `custos`.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findRoot } from '../shared/platform/config/root.ts';
import { COMMANDS } from './commands.ts';
import { runCommandLine } from './program.ts';
import { endWithReader } from './reader.ts';

const { version, description } = JSON.parse(readFileSync(path.join(findRoot(), 'package.json'), 'utf8')) as {
  version: string;
  description: string;
};
const args = process.argv.slice(2);
// The service keeps running when nobody reads its output; the guard ends its server first.
if (args[0] !== 'start' && args[0] !== 'mcp-guard') endWithReader();
await runCommandLine(args, { commands: COMMANDS, version, description });

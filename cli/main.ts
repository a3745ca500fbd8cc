#!/usr/bin/env node
// The command line: `custos <command>`, one file per command.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { findRoot } from '../shared/root.ts';
import { registerCanonicalize } from './canonicalize.ts';
import { registerAudit } from './audit.ts';
import { registerConfig } from './config.ts';
import { registerDecision } from './decision.ts';
import { registerDemo } from './demo.ts';
import { registerKeys } from './keys.ts';
import { registerMerkle } from './merkle.ts';
import { registerLog } from './log.ts';
import { registerMigrate } from './migrate.ts';
import { registerOrg } from './org.ts';
import { registerStart } from './start.ts';
import { registerVerify } from './verify.ts';

const { version, description } = JSON.parse(readFileSync(path.join(findRoot(), 'package.json'), 'utf8')) as {
  version: string;
  description: string;
};

const program = new Command('custos').description(description).version(version);
registerStart(program);
registerMigrate(program);
registerKeys(program);
registerOrg(program);
registerConfig(program);
registerLog(program);
registerAudit(program);
registerDemo(program);
registerVerify(program);
registerMerkle(program);
registerCanonicalize(program);
registerDecision(program);
await program.parseAsync();

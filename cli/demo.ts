// `custos demo`, which is `npm run demo`: plays a story against a running service and checks every step of it.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../shared/platform/config/config.ts';
import { BOOTSTRAP_FILE } from '../shared/domain/keys/bootstrap.ts';
import { findRoot } from '../shared/platform/config/root.ts';
import { DemoError } from './demo/client.ts';
import { createPrinter, type Printer, SILENT } from './demo/printer.ts';
import { playStory } from './demo/story.ts';
import { EXIT, UsageError } from './frame.ts';
import { isColoured, printJson } from './output.ts';

interface DemoOptions {
  readonly url: string;
  readonly key?: string;
  readonly json?: boolean;
}

export function registerDemo(program: Command): void {
  program
    .command('demo')
    .description('play a story against a running service: ask, submit work, earn trust, anchor proofs and verify them')
    .option('--url <address>', 'where the service runs', 'http://127.0.0.1:3000')
    .option('--key <key>', "an admin key (default: CUSTOS_KEY, or the data folder's)")
    .option('--json', 'print nothing but a summary in JSON')
    .action(async (options: DemoOptions) => {
      process.exitCode = await demo(options);
    });
}

/** @returns the exit code: 0 only when every step had the expected result */
async function demo({ url, key, json }: DemoOptions): Promise<number> {
  const print = json === true ? SILENT : terminalPrinter();
  const outcome = await playStory({ url: addressOf(url), adminKey: key ?? findKey(), print });
  if (json === true) printJson(outcome);
  return outcome.ok ? EXIT.ok : EXIT.failed;
}

function terminalPrinter(): Printer {
  const isTerminal = process.stdout.isTTY;
  return createPrinter({ out: process.stdout, isTerminal, colours: isTerminal && isColoured(process.stdout) });
}

function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError(`--url must be an address such as http://127.0.0.1:3000, not "${text}".`);
  return url.origin;
}

/** CUSTOS_KEY, or the admin key that `npm start` keeps. */
function findKey(): string {
  // CUSTOS_KEY belongs to this command. The service has no such setting, and readConfig would refuse it.
  const { CUSTOS_KEY: given, ...env } = process.env;
  if (given) return given;
  const { dataDir } = readConfig(env, { root: findRoot(), cwd: process.cwd() });
  const file = path.join(dataDir, BOOTSTRAP_FILE);
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  throw new DemoError(
    `The demo needs an admin key, and ${file} holds none. Start the service with "npm start", which makes one, or give one with --key or CUSTOS_KEY.`,
  );
}

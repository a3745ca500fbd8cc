// `custos demo`, which `npm run demo` runs in a checkout: plays a story against a running service and checks every step of it.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { BOOTSTRAP_FILE } from '../shared/domain/keys/bootstrap.ts';
import { readSetting } from '../shared/platform/config/config.ts';
import { findPlaces } from '../shared/platform/config/root.ts';
import { createPrinter, SILENT } from './demo/printer.ts';
import { playStory } from './demo/story.ts';
import { CommandError, EXIT, exitWith } from './exit.ts';
import { apiKey, serviceUrl } from './options.ts';
import { isColoured, printJson } from './output.ts';
import type { CommandBody } from './program.ts';

export const demoCommand: CommandBody = {
  exitCodes: { [EXIT.ok]: 'Every step had the expected result.' },
  define: (command) =>
    command
      .option('--url <address>', 'the address of the service', 'http://127.0.0.1:3000')
      .option('--key <key>', 'an admin key (default: CUSTOS_KEY, else the key in the data folder)')
      .option('--json', 'print only a summary in JSON')
      .action(
        exitWith(async ({ url, key, json }) => {
          const isTerminal = process.stdout.isTTY;
          const colours = isTerminal && isColoured(process.stdout);
          const print = json ? SILENT : createPrinter({ out: process.stdout, isTerminal, colours });
          const outcome = await playStory({
            url: serviceUrl('--url', url),
            adminKey: key === undefined ? findKey() : apiKey('--key', key),
            print,
          });
          if (json) printJson(outcome);
          return outcome.ok ? EXIT.ok : EXIT.failed;
        }),
      ),
};

/** CUSTOS_KEY, or the admin key that `custos start` stores in the data folder. */
function findKey(): string {
  const { CUSTOS_KEY: given } = process.env;
  if (given) return apiKey('CUSTOS_KEY', given);
  const file = path.join(readSetting('dataDir', process.env, findPlaces()), BOOTSTRAP_FILE);
  if (existsSync(file)) return apiKey(file, readFileSync(file, 'utf8').trim());
  throw new CommandError(
    `The demo needs an admin key, and ${file} does not exist. "npx custos start" creates it in the folder in which it is started; or give a key with --key or CUSTOS_KEY.`,
  );
}

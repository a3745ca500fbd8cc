// `custos pepper`: another pepper, while nothing runs.
import type { Command } from 'commander';
import { countWaitingKeys, type WaitingKeys } from '../shared/domain/keys/previous-pepper.ts';
import { ConfigError } from '../shared/platform/config/config.ts';
import type { Config } from '../shared/platform/config/table.ts';
import { openDatabase } from '../shared/platform/db/database.ts';
import { migrate } from '../shared/platform/db/migrate.ts';
import { rotatePepper, type Rotated } from '../shared/platform/db/seals/rotate.ts';
import { SetupError } from '../shared/platform/embedded/account.ts';
import { startEmbedded } from '../shared/platform/embedded/embedded.ts';
import { holderOf } from '../shared/platform/embedded/lock.ts';
import { beginPepperChange } from '../shared/platform/embedded/secrets.ts';
import { loadConfig } from './context.ts';
import { say } from './frame.ts';
import { refusedLines } from './seals.ts';

export function registerPepper(program: Command): void {
  const pepper = program.command('pepper').description('the secret under which keys are stored and rows are sealed');
  pepper
    .command('rotate')
    .description(
      'seal everything under a new pepper, while no process runs: CUSTOS_PEPPER is the new one and CUSTOS_PEPPER_PREVIOUS the old one; for the embedded database a new one is made. Running it again finishes what was interrupted',
    )
    .action(async () => {
      const { rotated, waiting } = await rotate(loadConfig());
      process.stdout.write(`${linesOf(rotated, waiting).join('\n')}\n`);
    });
}

interface Done {
  readonly rotated: Rotated;
  readonly waiting: WaitingKeys;
}

/** @throws {ConfigError} {SetupError} saying what to do; then nothing was changed */
async function rotate(config: Config): Promise<Done> {
  const { databaseUrl, migrationDatabaseUrl, pepper, pepperPrevious, dataDir } = config;
  if (databaseUrl !== undefined && pepper !== undefined)
    return rotateIn({ databaseUrl, migrationDatabaseUrl }, pepperPrevious, pepper);
  if (pepper !== undefined && pepperPrevious === undefined)
    throw new ConfigError([
      'CUSTOS_PEPPER_PREVIOUS is needed with CUSTOS_PEPPER: the pepper until now. Without both a new one is made in the data folder.',
    ]);
  if (holderOf(dataDir) !== undefined) throw new SetupError('The service runs. Stop it, run this, and start it again.');
  const embedded = await startEmbedded({ dataDir, say });
  try {
    const access = { databaseUrl: embedded.url, migrationDatabaseUrl: embedded.ownerUrl };
    if (pepper !== undefined) return await rotateIn(access, pepperPrevious, pepper);
    const change = beginPepperChange(dataDir);
    const done = await rotateIn(access, change.previous, change.next);
    change.keep();
    return done;
  } finally {
    await embedded.stop();
  }
}

interface Access {
  readonly databaseUrl: string;
  readonly migrationDatabaseUrl: string | undefined;
}

async function rotateIn(access: Access, previous: string | undefined, next: string): Promise<Done> {
  // Rows of an older version are sealed under the pepper that they have.
  await migrate(access, previous ?? next);
  const url = access.migrationDatabaseUrl ?? access.databaseUrl;
  const rotated = await rotatePepper(url, { previous, next });
  const db = await openDatabase({ url, applicationName: 'custos-pepper', poolSize: 1, onError: () => undefined });
  try {
    return { rotated, waiting: await countWaitingKeys(db, previous) };
  } finally {
    await db.close();
  }
}

function linesOf(rotated: Rotated, { waiting, lost }: WaitingKeys): string[] {
  const { changed, sealed, refused } = rotated;
  return [
    changed ? `Sealed ${sealed} rows under the new pepper.` : 'This pepper is in force already; nothing was changed.',
    ...(refused.length === 0 ? [] : ['These rows were refused before, and still are:', ...refusedLines(refused)]),
    `${waiting} keys wait for their first use under the new pepper; until then they need CUSTOS_PEPPER_PREVIOUS (the file pepper-previous of the data folder).`,
    ...(lost === 0 ? [] : [`${lost} keys are stored under a pepper that is not known here, and do not work.`]),
    'Start the service with the new pepper.',
  ];
}

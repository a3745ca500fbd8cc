// `custos pepper rotate`: moves an installation to a new pepper while it is down. Running it twice does no harm.
import { countWaitingKeys, type WaitingKeys } from '../shared/domain/keys/previous-pepper.ts';
import { ConfigError } from '../shared/platform/config/config.ts';
import type { Config } from '../shared/platform/config/table.ts';
import { openDatabase } from '../shared/platform/db/database.ts';
import { migrate } from '../shared/platform/db/migrate.ts';
import type { DatabaseAccess } from '../shared/platform/db/roles.ts';
import { rotatePepper, type Rotated } from '../shared/platform/db/seals/rotate.ts';
import { SetupError } from '../shared/platform/embedded/account.ts';
import { describeFileError } from '../shared/platform/embedded/data-folder.ts';
import { beginPepperChange } from '../shared/platform/embedded/secrets.ts';
import { loadConfig, withEmbeddedServer } from './context.ts';
import { printLine } from './output.ts';
import type { CommandBody } from './program.ts';
import { refusedLines } from './seals.ts';

const rotatePepperCommand: CommandBody = {
  notes: `CUSTOS_PEPPER is the new pepper and CUSTOS_PEPPER_PREVIOUS the old one. For the embedded database without these
variables, a new pepper is generated in the data folder. Run it again to finish a rotation that was interrupted.`,
  define: (command) =>
    command.action(async () => {
      const config = loadConfig();
      const { rotated, keys } = await rotate(config).catch((error: unknown) => {
        throw describeFileError(error, config.dataDir);
      });
      for (const line of linesOf(rotated, keys)) printLine(line);
    }),
};

interface PepperRotation {
  readonly rotated: Rotated;
  readonly keys: WaitingKeys;
}

/** @throws {ConfigError} {SetupError} with instructions; nothing was changed then */
async function rotate(config: Config): Promise<PepperRotation> {
  const { databaseUrl, migrationDatabaseUrl, pepper, pepperPrevious, dataDir } = config;
  if (databaseUrl !== undefined && pepper !== undefined)
    return rotateIn({ databaseUrl, migrationDatabaseUrl }, pepperPrevious, pepper);
  if (pepper !== undefined && pepperPrevious === undefined)
    throw new ConfigError([
      'CUSTOS_PEPPER_PREVIOUS is needed with CUSTOS_PEPPER: the pepper until now. Without both a new one is generated in the data folder.',
    ]);
  return withEmbeddedServer(dataDir, async ({ url, ownerUrl }, isOwn) => {
    if (!isOwn) throw new SetupError('The service is running. Stop it, rotate the pepper, and start it again.');
    const access = { databaseUrl: url, migrationDatabaseUrl: ownerUrl };
    if (pepper !== undefined) return rotateIn(access, pepperPrevious, pepper);
    const change = beginPepperChange(dataDir);
    const rotation = await rotateIn(access, change.previous, change.next);
    change.keep();
    return rotation;
  });
}

async function rotateIn(access: DatabaseAccess, previous: string | undefined, next: string): Promise<PepperRotation> {
  // The migration seals rows of an older version, under the pepper that is in force.
  await migrate(access, previous ?? next);
  const url = access.migrationDatabaseUrl ?? access.databaseUrl;
  const rotated = await rotatePepper(url, { previous, next });
  const db = await openDatabase({ url, applicationName: 'custos-pepper', poolSize: 1, onError: () => undefined });
  try {
    return { rotated, keys: await countWaitingKeys(db, previous) };
  } finally {
    await db.close();
  }
}

function linesOf({ changed, sealed, refused }: Rotated, { waiting, lost }: WaitingKeys): string[] {
  return [
    changed ? `Sealed ${sealed} rows under the new pepper.` : 'This pepper is already in force; nothing was changed.',
    ...(refused.length === 0 ? [] : ['These rows were refused before and still are:', ...refusedLines(refused)]),
    `${waiting} keys will be stored under the new pepper at their first use; until then they need CUSTOS_PEPPER_PREVIOUS (the file pepper-previous of the data folder).`,
    ...(lost === 0 ? [] : [`${lost} keys are stored under an unknown pepper and do not work.`]),
    'Start the service with the new pepper.',
  ];
}

export const commands = {
  rotate: rotatePepperCommand,
};

// `custos backup FOLDER` and `custos restore FOLDER`: the whole data folder of the embedded database, also while the service runs.
import path from 'node:path';
import type { Config } from '../shared/platform/config/table.ts';
import { fileVariableOf, SETTING_TABLE } from '../shared/platform/config/table.ts';
import { findRoot, readVersion } from '../shared/platform/config/root.ts';
import { SetupError } from '../shared/platform/embedded/account.ts';
import { makeBackup } from '../shared/platform/embedded/backup.ts';
import type { BackupManifest } from '../shared/platform/embedded/backup-manifest.ts';
import { databaseFolder, requireWhole } from '../shared/platform/embedded/cluster.ts';
import { describeFileError } from '../shared/platform/embedded/data-folder.ts';
import { restoreBackup } from '../shared/platform/embedded/restore.ts';
import { interruptible, loadConfig, withEmbeddedServer } from './context.ts';
import { say } from './exit.ts';
import { nonEmpty } from './options.ts';
import { counted, printLine } from './output.ts';
import type { CommandBody } from './program.ts';

export const backupCommand: CommandBody = {
  notes: `The folder gets the database, the secrets and the kept checkpoints of the data folder, readable only for this user. Keep it
as safe as the data folder: whoever can read it can sign as this service. The policy folder is not in it; the policy sets that were in force
are in the database. Secrets in variables, such as CUSTOS_PEPPER, are not in it.`,
  define: (command) =>
    command.argument('<folder>', 'the folder to create', nonEmpty).action(async (folder) => {
      const config = loadConfig();
      requireEmbedded(config);
      const { dataDir } = config;
      const to = path.resolve(folder);
      if (databaseFolder(dataDir) === undefined) throw new SetupError(`There is no database in ${dataDir}.`);
      requireWhole(dataDir, config);
      const version = readVersion(findRoot());
      const manifest = await interruptible((interruption) =>
        withEmbeddedServer(dataDir, ({ adminUrl }) => makeBackup({ dataDir, adminUrl, to, version, interruption }), {
          interruption,
        }),
      ).catch((error: unknown) => {
        throw describeFileError(error, dataDir);
      });
      printLine(
        `The backup ${to} is complete: ${contentsOf(manifest)}. It has everything that was acknowledged before ${manifest.asOf}.`,
      );
      const variables = secretVariables();
      if (variables.length > 0)
        say(
          `custos: not in the backup, because they are set in variables: ${variables.join(', ')}. Keep them as well.`,
        );
    }),
};

export const restoreCommand: CommandBody = {
  notes: `Every file is compared with the backup's manifest, and the database is started once to recover. Then start the service.
What was recorded after the backup is lost. With --checkpoints, a log that was signed beyond the backup is halted instead of growing again
from where the backup ends; see "Backup and restore" in docs/guides/run-in-production.md.`,
  define: (command) =>
    command
      .argument('<folder>', 'the folder of a backup', nonEmpty)
      .option(
        '--checkpoints <folder>',
        'kept checkpoints that are newer than the backup, such as those of the old data folder',
        nonEmpty,
      )
      .action(async (folder, { checkpoints }) => {
        const config = loadConfig();
        requireEmbedded(config);
        const { dataDir } = config;
        const newer = checkpoints === undefined ? undefined : path.resolve(checkpoints);
        const from = path.resolve(folder);
        const manifest = await interruptible((interruption) =>
          restoreBackup({ from, dataDir, checkpoints: newer, say, interruption }),
        ).catch((error: unknown) => {
          throw describeFileError(error, dataDir);
        });
        printLine(
          `${dataDir} is restored: ${contentsOf(manifest)}, as of ${manifest.asOf}. Start the service with "custos start".`,
        );
      }),
};

/** @throws {SetupError} with DATABASE_URL */
function requireEmbedded({ databaseUrl }: Config): void {
  if (databaseUrl === undefined) return;
  throw new SetupError(
    'DATABASE_URL is set, and this command is for the embedded database. Use the tools of that server (pg_basebackup or pg_dump), and keep the secrets and the folder of checkpoints as well; see "Backup and restore" in docs/guides/run-in-production.md.',
  );
}

function contentsOf({ files, logs }: BackupManifest): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const leaves = logs.reduce((sum, log) => sum + log.size, 0);
  return `${(bytes / 2 ** 20).toFixed(0)} MiB in ${counted(files.length, 'file')}, ${counted(logs.length, 'log')} with ${leaves} leaves`;
}

/** Secrets of this command's environment, which the service probably has, too. */
function secretVariables(): string[] {
  return SETTING_TABLE.filter(({ secret }) => secret)
    .flatMap(({ name }) => [name, fileVariableOf(name)])
    .filter((name) => process.env[name] !== undefined);
}

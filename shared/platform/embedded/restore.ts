// Makes a data folder from a backup, and starts its database once to show that it recovers.
import { existsSync, readdirSync } from 'node:fs';
import { lstat, mkdir, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { giveTo, SetupError } from './account.ts';
import { syncFolder } from '../files/durable.ts';
import { copyFile, createCopier } from './backup-files.ts';
import { type BackupFile, type BackupManifest, DATA, DATABASE, readManifest } from './backup-manifest.ts';
import { findInstalled } from './binaries.ts';
import { CHECKPOINTS, databaseFolder, placeDatabase, requireNoUnfinishedRestore, RESTORING } from './cluster.ts';
import { isWithin, makeDataDir } from './data-folder.ts';
import { ADDRESS_FILE, startEmbedded } from './embedded.ts';
import { takeLock } from './lock.ts';

export interface RestoreOptions {
  /** The backup's folder. */
  readonly from: string;
  /** The data folder to create; it may exist when it is empty. */
  readonly dataDir: string;
  /** A folder of kept checkpoints that is newer than the backup, to be used instead of the backup's. */
  readonly checkpoints?: string | undefined;
  readonly say: (line: string) => void;
  /** Aborted: the restore ends with the reason, and leaves nothing behind. */
  readonly interruption?: AbortSignal | undefined;
}

/** What is in the root of a new file system, such as a volume, and what takeLock leaves while it is held or after a crash. */
const NO_CONTENT = /^(?:lost\+found|supervisor\.lock.*)$/;

const contentsOf = (folder: string): string[] => readdirSync(folder).filter((name) => !NO_CONTENT.test(name));

/**
 * Restores a backup. Until the data folder is whole, no start uses it.
 * @throws {SetupError} when a person must fix something; the data folder is unchanged then
 * @throws {AlreadyRunning} when another process uses the folder
 */
export async function restoreBackup(options: RestoreOptions): Promise<BackupManifest> {
  const { from, dataDir, checkpoints } = options;
  const manifest = readManifest(from);
  const { version } = findInstalled();
  if (manifest.postgresql !== version.split('.')[0])
    throw new SetupError(
      `The backup is of PostgreSQL ${manifest.postgresql}, and this Custos has ${version}. Restore it with the version of Custos that made it (${manifest.custos}).`,
    );
  if (checkpoints !== undefined && !existsSync(checkpoints))
    throw new SetupError(`There is no folder ${checkpoints} of checkpoints.`);
  const isNew = !existsSync(dataDir);
  if (!isNew) requireEmpty(dataDir);
  if (isWithin(from, dataDir))
    throw new SetupError(`The backup ${from} is inside ${dataDir}. Move it elsewhere first.`);
  makeDataDir(dataDir);
  try {
    const lock = await takeLock(dataDir);
    try {
      requireEmpty(dataDir);
      await restoreInto(manifest, options);
    } finally {
      lock.release();
    }
  } catch (error) {
    if (isNew) await rmdir(dataDir).catch(() => undefined);
    throw error;
  }
  await syncFolder(path.dirname(path.resolve(dataDir)));
  return manifest;
}

/** @throws {SetupError} */
function requireEmpty(dataDir: string): void {
  requireNoUnfinishedRestore(dataDir);
  if (contentsOf(dataDir).length > 0)
    throw new SetupError(`${dataDir} is not empty. Move it away, or name another folder with CUSTOS_DATA_DIR.`);
}

/** Restores into an empty folder, with its lock. What was copied is removed when it fails. */
async function restoreInto(manifest: BackupManifest, options: RestoreOptions): Promise<void> {
  const { dataDir, say, interruption } = options;
  // Within the folder, which may be a volume: neither could another folder take its name, nor is room beside it room in it.
  const part = path.join(dataDir, RESTORING);
  try {
    makeDataDir(part);
    await copyBack(manifest, { ...options, dataDir: part });
    await recover(manifest, part, say);
    interruption?.throwIfAborted();
    for (const name of readdirSync(part)) await rename(path.join(part, name), path.join(dataDir, name));
    await syncFolder(dataDir);
    // Last: a folder without it is whole.
    await rmdir(part);
    await syncFolder(dataDir);
  } catch (error) {
    for (const folder of [part, dataDir]) {
      const database = databaseFolder(folder);
      if (database !== undefined) await rm(database, { recursive: true, force: true });
    }
    for (const name of contentsOf(dataDir)) await rm(path.join(dataDir, name), { recursive: true, force: true });
    throw error;
  }
}

async function copyBack(
  { folders, files }: BackupManifest,
  { from, dataDir, checkpoints, say, interruption }: RestoreOptions,
): Promise<void> {
  const { folder, account } = placeDatabase(dataDir, say);
  const targetOf = (name: string): string => {
    const [top = '', ...below] = name.split('/');
    return path.join(top === DATABASE ? folder : dataDir, ...below);
  };
  const isLeftOut = (name: string): boolean =>
    checkpoints !== undefined && `${name}/`.startsWith(`${DATA}/${CHECKPOINTS}/`);
  for (const name of folders) {
    if (name === DATA || isLeftOut(name)) continue;
    await mkdir(targetOf(name), { mode: 0o700 });
    if (name.startsWith(DATABASE)) giveTo(account, targetOf(name));
  }
  for (const file of files) {
    if (isLeftOut(file.path)) continue;
    interruption?.throwIfAborted();
    await copyVerified(path.join(from, ...file.path.split('/')), targetOf(file.path), file);
    if (file.path.startsWith(`${DATABASE}/`)) giveTo(account, targetOf(file.path));
  }
  if (checkpoints !== undefined) await createCopier(dataDir, interruption).tree(checkpoints, CHECKPOINTS, () => true);
  for (const name of folders) if (!isLeftOut(name)) await syncFolder(targetOf(name));
}

async function copyVerified(from: string, to: string, expected: BackupFile): Promise<void> {
  const found = await lstat(from).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new SetupError(`The backup is incomplete: ${expected.path} is missing.`);
    throw error;
  });
  if (!found.isFile()) throw new SetupError(`The backup is damaged: ${expected.path} is not a file.`);
  const { bytes, sha256 } = await copyFile(from, to);
  if (bytes !== expected.bytes || sha256 !== expected.sha256)
    throw new SetupError(`The backup is damaged: ${expected.path} is not the file that was backed up.`);
}

const LOGS = 'SELECT origin, size::text AS size FROM log WHERE origin IS NOT NULL';

/** Lets the database recover, and compares its logs with the manifest. */
async function recover({ logs }: BackupManifest, dataDir: string, say: (line: string) => void): Promise<void> {
  const embedded = await startEmbedded({ dataDir, say });
  try {
    const client = new pg.Client({ connectionString: embedded.adminUrl, application_name: 'custos-restore' });
    await client.connect();
    try {
      const { rows } = await client.query<{ origin: string; size: string }>(LOGS);
      const sizes = new Map(rows.map(({ origin, size }) => [origin, Number(size)]));
      for (const { origin, size } of logs)
        if ((sizes.get(origin) ?? 0) < size)
          throw new SetupError(
            `The restored log ${origin} has ${sizes.get(origin) ?? 0} leaves, and ${size} were backed up.`,
          );
    } finally {
      await client.end();
    }
  } finally {
    await embedded.stop();
  }
  // Of a server that does not run any more.
  await rm(path.join(dataDir, ADDRESS_FILE), { force: true });
}

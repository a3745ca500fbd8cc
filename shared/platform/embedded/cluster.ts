// The embedded database on disk: its place, its password, and initdb in a way that no incomplete database is ever used.
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Account, canEnter, giveTo, identity, SetupError, serverAccount } from './account.ts';
import { type Binaries, prepareBinaries, SYSTEM_FOLDER } from './binaries.ts';
import { makeFolder } from '../files/folders.ts';
import { writeWhole } from './data-folder.ts';
import { type GivenSecrets, makeSecrets, passwordOf, requireSecrets } from './secrets.ts';

/** A database that can be started. */
export interface Cluster {
  /** PGDATA. */
  readonly folder: string;
  readonly logFile: string;
  /** Of the superuser. */
  readonly password: string;
  readonly account: Account | undefined;
  readonly binaries: Binaries;
  /** Receives lines for a person. */
  readonly say: (line: string) => void;
}

/** The folder of kept checkpoints in a data folder. */
export const CHECKPOINTS = 'checkpoints';

/** Names of the database and of the superuser, which is used for setup only. */
export const DATABASE = 'custos';
export const SUPERUSER = 'custos';

/** The environment of PostgreSQL's processes, without any PG* variable of the caller. */
export const CLEAN_ENV: Readonly<Record<string, string>> = { PATH: '/usr/bin:/bin', LANG: 'C', LC_ALL: 'C', TZ: 'UTC' };

const run = promisify(execFile);

/**
 * Finds the database of a data folder, or creates it. Call it only with the data folder's lock.
 * @throws {SetupError} when the folder cannot be used; the message says what to do
 */
export async function prepareCluster(dataDir: string, say: (line: string) => void): Promise<Cluster> {
  requireNoUnfinishedRestore(dataDir);
  const isNew = !hasDatabase(dataDir);
  if (isNew) requireNoLostDatabase(dataDir);
  else requireOwner(dataDir);
  const known = databaseFolder(dataDir);
  const account = serverAccount(known ?? path.join(dataDir, 'postgres'), say);
  const folder = known ?? newPlace(dataDir, account, say);
  if (known !== undefined && !canEnter(account, path.dirname(known)))
    throw new SetupError(
      `PostgreSQL's user ${account?.name} cannot enter ${path.dirname(known)}, where the database is. Allow it (chmod o+x on each folder above), or choose another CUSTOS_DATA_DIR.`,
    );
  if (path.dirname(folder) !== dataDir) say(`The database is in ${folder}.`);
  const binaries = prepareBinaries(dataDir, account, say);
  if (isNew) makeSecrets(dataDir);
  const password = passwordOf(dataDir);
  if (isNew) await initialize({ folder, binaries, account, password });
  const major = readFileSync(path.join(folder, VERSION_FILE), 'utf8').trim();
  if (major !== binaries.major)
    throw new SetupError(
      `The database in ${folder} was created by PostgreSQL ${major}, and this is ${binaries.major}. Dump it with the version of Custos that created it, or choose another CUSTOS_DATA_DIR.`,
    );
  return { folder, logFile: path.join(dataDir, 'postgres.log'), password, account, binaries, say };
}

/** The folder of the database of a data folder; undefined when there is none. */
export function databaseFolder(dataDir: string): string | undefined {
  const pointer = path.join(dataDir, 'postgres.location');
  if (existsSync(pointer)) return readFileSync(pointer, 'utf8').trim();
  const inside = path.join(dataDir, 'postgres');
  return existsSync(inside) ? inside : undefined;
}

const VERSION_FILE = 'PG_VERSION';

/** Whether the data folder has a whole database. */
function hasDatabase(dataDir: string): boolean {
  const folder = databaseFolder(dataDir);
  return folder !== undefined && existsSync(path.join(folder, VERSION_FILE));
}

/** @throws {SetupError} when the data folder lacks its database, or a secret that the database works with */
export function requireWhole(dataDir: string, given: GivenSecrets): void {
  requireNoUnfinishedRestore(dataDir);
  if (!hasDatabase(dataDir)) return requireNoLostDatabase(dataDir);
  requireOwner(dataDir);
  requireSecrets(dataDir, given);
}

/** A folder in the data folder with what a restore has copied, while it is not complete. */
export const RESTORING = 'restore.part';

/** @throws {SetupError} for a data folder whose restore was killed, or still runs */
export function requireNoUnfinishedRestore(dataDir: string): void {
  if (!existsSync(path.join(dataDir, RESTORING))) return;
  throw new SetupError(
    `The restore of ${dataDir} is not complete. If none is running, empty the folder and begin again ("custos restore").`,
  );
}

/** PostgreSQL never runs as root. @throws {SetupError} for a database of root's, as a copy without its owners is */
function requireOwner(dataDir: string): void {
  const folder = databaseFolder(dataDir);
  if (process.getuid?.() !== 0 || folder === undefined || lstatSync(folder).uid !== 0) return;
  throw new SetupError(
    `The database in ${folder} belongs to root, and PostgreSQL does not run as root: it was copied without its owners. Copy it again with them (cp -a) while the service is stopped, or give it to the user that PostgreSQL ran as (chown -R postgres ${folder}).`,
  );
}

/**
 * Kept checkpoints show that a database was there, such as on a disk that is not mounted. An empty one in its place would be another
 * installation, whose log is halted at once.
 * @throws {SetupError} for a data folder without a database that has kept checkpoints
 */
function requireNoLostDatabase(dataDir: string): void {
  const kept = path.join(dataDir, CHECKPOINTS);
  if (!existsSync(kept) || readdirSync(kept).length === 0) return;
  throw new SetupError(
    `The database of ${dataDir} is missing: ${kept} has checkpoints of its logs, and ${databaseFolder(dataDir) ?? path.join(dataDir, 'postgres')} has no database. Mount or restore it ("custos restore" into another folder, with --checkpoints ${kept}), set DATABASE_URL when the service uses another server, or move the folder away to begin anew.`,
  );
}

/** The folder and the account for the database of a new data folder. The folder does not exist yet. */
export function placeDatabase(dataDir: string, say: (line: string) => void): Pick<Cluster, 'folder' | 'account'> {
  const account = serverAccount(path.join(dataDir, 'postgres'), say);
  return { folder: newPlace(dataDir, account, say), account };
}

function newPlace(dataDir: string, account: Account | undefined, say: (line: string) => void): string {
  if (canEnter(account, dataDir)) return path.join(dataDir, 'postgres');
  // With a random part, because a data folder that was deleted and created again must not find the old database.
  const id = `${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}-${randomBytes(4).toString('hex')}`;
  const place = path.join(SYSTEM_FOLDER, id);
  makeFolder(SYSTEM_FOLDER, 0o755);
  if (!canEnter(account, SYSTEM_FOLDER))
    throw new SetupError(
      `PostgreSQL's user ${account?.name} can enter neither ${dataDir} nor ${SYSTEM_FOLDER}. Set CUSTOS_DATA_DIR to a folder that it can enter, or start as an ordinary user.`,
    );
  say(`PostgreSQL's user ${account?.name} cannot enter ${dataDir}, so the database is kept elsewhere.`);
  writeWhole(path.join(dataDir, 'postgres.location'), `${place}\n`);
  return place;
}

/** Runs initdb in a temporary folder and renames it at the end. */
async function initialize(cluster: Pick<Cluster, 'folder' | 'binaries' | 'account' | 'password'>): Promise<void> {
  const { folder, binaries, account } = cluster;
  const making = `${folder}.new`;
  const passwordFile = `${folder}.password`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { mode: 0o700 });
  giveTo(account, making);
  try {
    writeFileSync(passwordFile, `${cluster.password}\n`, { mode: 0o600 });
    giveTo(account, passwordFile);
    const args = [
      ['--pgdata', making],
      ['--username', SUPERUSER],
      ['--pwfile', passwordFile],
      ['--auth', 'scram-sha-256'],
      ['--encoding', 'UTF8'],
      // Texts sort by code point on every platform.
      ['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--locale', 'C'],
    ].flat();
    await run(binaries.initdb, args, { ...identity(account), cwd: '/', env: CLEAN_ENV });
    renameSync(making, folder);
  } catch (error) {
    const said = (error as { stderr?: unknown }).stderr;
    throw new SetupError(`The database could not be made in ${folder}: ${String(said || error).trim()}`, {
      cause: error,
    });
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(making, { recursive: true, force: true });
  }
}

// A backup of a data folder while its database runs: PostgreSQL's low-level backup functions, copied files, and a manifest of all.
// See "Making a Base Backup Using the Low Level API" in PostgreSQL's manual.
import { randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { SetupError } from './account.ts';
import { syncFolder, writeDurably } from '../files/durable.ts';
import { makeFolder } from '../files/folders.ts';
import { type Copier, createCopier } from './backup-files.ts';
import { type BackupManifest, DATA, DATABASE, MANIFEST, manifestOf } from './backup-manifest.ts';
import { databaseFolder } from './cluster.ts';
import { isWithin, realPlace } from './data-folder.ts';

export interface BackupOptions {
  readonly dataDir: string;
  /** The superuser's address of the running database. */
  readonly adminUrl: string;
  /** The folder to create. */
  readonly to: string;
  /** Version of this service. */
  readonly version: string;
  /** Aborted: the backup ends with the reason, and leaves nothing behind. */
  readonly interruption?: AbortSignal | undefined;
}

/** Files of the data folder that belong to one run, or that a start makes again. */
const NOT_DATA =
  /^(lost\+found|postgres|postgres\.(address|location)|postgres\.log(\.\d+)?|postgresql-.*|supervisor\.lock.*|.*\.new)$/;
/** Folders of the database whose contents a start makes again; WAL is copied at the end. */
const ONLY_FOLDER = /^(pg_dynshmem|pg_notify|pg_replslot|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans|pg_wal)\//;
/** Files of the running server, of other backups, and those that a start makes again. */
const NOT_DATABASE =
  /(^|\/)(postmaster\.(pid|opts)|backup_(label|manifest)(\.old)?|tablespace_map(\.old)?|pg_internal\.init(\.\d+)?|pgsql_tmp[^/]*)$/;
/** Copied after all others, so that it is never older than they are. */
const CONTROL = 'global/pg_control';

/**
 * Makes a backup. What was committed before this call is in it. The folder appears whole or not at all.
 * @throws {SetupError} when a person must fix something, or the error of the database or the file system
 */
export async function makeBackup(options: BackupOptions): Promise<BackupManifest> {
  const { dataDir, to, adminUrl } = options;
  const pgData = databaseFolder(dataDir);
  if (pgData === undefined) throw new SetupError(`There is no database in ${dataDir}.`);
  // Of a symbolic link that leads nowhere, too.
  if (lstatSync(to, { throwIfNoEntry: false }) !== undefined)
    throw new SetupError(`${to} exists. Name a folder that does not exist yet.`);
  // By their real places: through a link into the data folder the backup would copy itself.
  const around = [dataDir, pgData].find((folder) => isWithin(realPlace(to), realPlace(folder)));
  if (around !== undefined) throw new SetupError(`${to} is inside ${around}. Keep the backup in another place.`);
  const part = `${to}.${randomBytes(4).toString('hex')}.part`;
  const client = new pg.Client({ connectionString: adminUrl, application_name: 'custos-backup', keepAlive: true });
  // The next query fails with the same error.
  client.on('error', () => undefined);
  try {
    makeFolder(part, 0o700);
    await client.connect();
    const manifest = await copyAll(client, pgData, part, options);
    // Last, because a folder with a manifest is complete.
    await writeDurably(path.join(part, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`);
    await syncFolder(part);
    await rename(part, to);
    await syncFolder(path.dirname(path.resolve(to)));
    return manifest;
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    throw error;
  } finally {
    // The end of the session ends an unfinished backup and drops the slot.
    await client.end();
  }
}

async function copyAll(
  client: pg.Client,
  pgData: string,
  part: string,
  { dataDir, version, interruption }: BackupOptions,
): Promise<BackupManifest> {
  const copier = createCopier(part, interruption);
  // Before the database: its logs are then at least as long as the kept checkpoints say.
  await copier.tree(dataDir, DATA, (name) => !NOT_DATA.test(name.split('/', 1)[0] ?? ''));
  const end = await copyDatabase(client, pgData, copier);
  await copier.sync();
  return manifestOf({
    custos: version,
    postgresql: (await readFile(path.join(pgData, 'PG_VERSION'), 'utf8')).trim(),
    ...end,
    folders: copier.folders,
    files: copier.files,
  });
}

const LOGS = 'SELECT origin, size::text AS size FROM log WHERE origin IS NOT NULL ORDER BY origin';

async function copyDatabase(
  client: pg.Client,
  pgData: string,
  copier: Copier,
): Promise<Pick<BackupManifest, 'asOf' | 'logs'>> {
  if ((await readdir(path.join(pgData, 'pg_tblspc'))).length > 0)
    throw new SetupError('The database has tablespaces, which are outside its folder. Back it up with pg_basebackup.');
  // Keeps the WAL until it is copied. A temporary slot ends with the session.
  await client.query('SELECT pg_create_physical_replication_slot($1, true, true)', [
    `custos_backup_${randomBytes(8).toString('hex')}`,
  ]);
  const start = await one<{ lsn: string; file: string; segment: string }>(
    client,
    `SELECT lsn::text, pg_walfile_name(lsn) AS file, setting AS segment
      FROM pg_backup_start('custos', fast => true) AS lsn, pg_settings WHERE name = 'wal_segment_size'`,
  );
  await copier.tree(
    pgData,
    DATABASE,
    (name) => name !== CONTROL && !ONLY_FOLDER.test(name) && !NOT_DATABASE.test(name),
  );
  await copier.file(path.join(pgData, CONTROL), `${DATABASE}/${CONTROL}`);
  const { at } = await one<{ at: Date }>(client, 'SELECT clock_timestamp() AS at');
  const { rows: logs } = await client.query<{ origin: string; size: string }>(LOGS);
  const end = await one<{ lsn: string; label: string }>(
    client,
    'SELECT lsn::text, labelfile AS label FROM pg_backup_stop(wait_for_archive => false)',
  );
  await copier.text(end.label, `${DATABASE}/backup_label`);
  const timeline = start.file.slice(0, 8);
  for (const name of walFiles(timeline, start.lsn, end.lsn, Number(start.segment)))
    await copier.file(path.join(pgData, 'pg_wal', name), `${DATABASE}/pg_wal/${name}`);
  return { asOf: at.toISOString(), logs: logs.map(({ origin, size }) => ({ origin, size: Number(size) })) };
}

async function one<T extends pg.QueryResultRow>(client: pg.Client, text: string): Promise<T> {
  const [row] = (await client.query<T>(text)).rows;
  if (row === undefined) throw new Error(`no row from ${text}`);
  return row;
}

/**
 * The WAL files with the bytes of a range, oldest first: timeline, and number of the segment as two groups of eight hex digits.
 * @param timeline eight hex digits
 * @param from first byte, such as `0/9000028`
 * @param to the byte after the last one
 * @param segmentBytes wal_segment_size
 */
export function walFiles(timeline: string, from: string, to: string, segmentBytes: number): string[] {
  const size = BigInt(segmentBytes);
  const perGroup = 0x1_0000_0000n / size;
  const hex = (part: bigint): string => part.toString(16).toUpperCase().padStart(8, '0');
  const names: string[] = [];
  for (let segment = byteOf(from) / size; segment <= (byteOf(to) - 1n) / size; segment += 1n)
    names.push(`${timeline}${hex(segment / perGroup)}${hex(segment % perGroup)}`);
  return names;
}

function byteOf(lsn: string): bigint {
  const [high = '', low = ''] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

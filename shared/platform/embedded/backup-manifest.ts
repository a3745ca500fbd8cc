// The manifest of a backup: what is in it, with a digest of each file. A folder without one is not a complete backup.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Type } from 'typebox';
import { guardOf } from '../../kernel/compile-schema.ts';
import { closed, type Shape, Timestamp } from '../../kernel/schema.ts';
import { SetupError } from './account.ts';

export const MANIFEST = 'backup.json';
const FORMAT = 'custos-backup-1';
/** The folders of a backup: the database, and the other files of the data folder. */
export const DATABASE = 'database';
export const DATA = 'data';

/** Below the backup's folder, with `/`; it leads nowhere else. */
const Place = Type.String({ pattern: `^(${DATABASE}|${DATA})(/(?!\\.{1,2}(/|$))[^/\\\\\\u0000]+)*$` });
const Count = Type.Integer({ minimum: 0 });

const ManifestSchema = closed({
  format: Type.Literal(FORMAT),
  /** Version of Custos. */
  custos: Type.String(),
  /** Major version of PostgreSQL. */
  postgresql: Type.String(),
  /** Of the database's clock. What was committed before is in the backup. */
  asOf: Timestamp,
  /** Leaves of each log at that time. */
  logs: Type.Array(closed({ origin: Type.String(), size: Count })),
  /** Parents before their children. */
  folders: Type.Array(Place),
  files: Type.Array(closed({ path: Place, bytes: Count, sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) })),
});

export type BackupManifest = Shape<typeof ManifestSchema>;
export type BackupFile = BackupManifest['files'][number];

const isManifest = guardOf(ManifestSchema);
const isPlace = guardOf(Place);

/** @throws {SetupError} for a name that a manifest cannot hold, so that no backup is made that cannot be restored */
export function manifestOf(parts: Omit<BackupManifest, 'format'>): BackupManifest {
  const manifest = { format: FORMAT, ...parts } as const;
  if (isManifest(manifest)) return manifest;
  const wrong = [...parts.folders, ...parts.files.map((file) => file.path)].find((place) => !isPlace(place));
  throw new SetupError(
    wrong === undefined
      ? 'The list of the backup is not what a restore reads.'
      : `A backup can have no file of this name: ${JSON.stringify(wrong)}. Rename it, or move it away.`,
  );
}

/** @throws {SetupError} when the folder is not a complete backup, or one that this version cannot read */
export function readManifest(folder: string): BackupManifest {
  const file = path.join(folder, MANIFEST);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const why = ['ENOENT', 'ENOTDIR'].includes(code) ? `it has no ${MANIFEST}` : message;
    throw new SetupError(`${folder} is not a complete backup: ${why}.`, { cause: error });
  }
  if (!isManifest(value))
    throw new SetupError(`${file} is not a manifest that this version can read (${FORMAT}), or it is damaged.`);
  return value;
}

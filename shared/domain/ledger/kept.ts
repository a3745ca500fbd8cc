// Keeps the last signed checkpoint of each log outside the database, so that restoring a backup of the database cannot undo it.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readFile, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { OperatorError } from '../../kernel/operator-error.ts';
import { SYSTEM_TROUBLE } from '../../platform/db/trouble.ts';
import { syncFolder, writeDurably } from '../../platform/files/durable.ts';
import { makeFolder } from '../../platform/files/folders.ts';
import { fileFailure } from '../../platform/files/reasons.ts';
import { within } from '../../platform/queues/backend.ts';

/** A folder with one file for each log, shared by all workers (CUSTOS_CHECKPOINT_DIR). */
export interface CheckpointKeeper {
  /** The last note of this origin, or undefined. @throws the file system's error */
  read(origin: string): Promise<string | undefined>;
  /** The origins that have a note, sorted. @throws the file system's error */
  origins(): Promise<string[]>;
  /** Resolves when the note is durable. @throws the file system's error */
  keep(origin: string, note: string): Promise<void>;
  /** Notes, durably, that an operator began this later generation of a log. @throws the file system's error */
  begin(origin: string): Promise<void>;
  /** Whether an operator began this generation. @throws the file system's error */
  isBegun(origin: string): Promise<boolean>;
}

const ENDING = '.checkpoint';
const BEGUN_ENDING = '.begun';

/** `custos.local/acme/live/2` is kept in `acme/live/2.checkpoint` below the host's folder; no part of an origin can be `..`. */
function fileOf(dir: string, origin: string, ending = ENDING): string {
  const parts = origin.split('/').map((part) => encodeURIComponent(part));
  if (parts.some((part) => part === '' || part === '.' || part === '..')) throw new Error(`not an origin: ${origin}`);
  return `${path.join(dir, ...parts)}${ending}`;
}

/** The origin of a file below the folder; undefined for other files. */
function originOf(file: string): string | undefined {
  if (!file.endsWith(ENDING)) return undefined;
  try {
    return file.slice(0, -ENDING.length).split(path.sep).map(decodeURIComponent).join('/');
  } catch {
    return undefined;
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a file in one step; resolves when it is durable. */
async function replaceDurably(file: string, text: string): Promise<void> {
  const folder = path.dirname(file);
  // The folder may be on another machine: while that does not answer, only this call waits.
  await access(folder).catch(() => makeFolder(folder, 0o700));
  // Workers of several machines share the folder, and in containers they may have the same process id.
  const temporary = `${file}.${randomUUID()}.new`;
  try {
    await writeDurably(temporary, text);
    await rename(temporary, file);
  } catch (error) {
    // On a full disk, an empty file would be left by each attempt.
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** Errors of a folder that pass by themselves, or that a full disk causes: the work waits for them. */
const PASSING = SYSTEM_TROUBLE;
/** A file system that does not answer is no reason not to start: signatures wait for it. */
const LOOK_MS = 2_000;

/**
 * Makes the folder if it is not there. Records would be accepted, and never signed, if it could not be used.
 * @param setting names it @throws {OperatorError} a sentence, when it can not be used for a reason that does not pass by itself
 */
export async function requireCheckpointFolder(dir: string, setting: string): Promise<void> {
  const look = async (): Promise<void> => {
    await access(dir).catch(() => makeFolder(dir, 0o700));
    await readdir(dir);
    await access(dir, constants.W_OK | constants.X_OK);
  };
  try {
    await within(look(), LOOK_MS, 'the look at the folder of checkpoints');
  } catch (error) {
    const failure = fileFailure(error);
    if (failure?.reason === undefined || PASSING.has(failure.code)) return;
    throw new OperatorError(`${setting} can't be used: ${failure.reason} (${failure.code}, ${failure.file ?? dir}).`, {
      cause: error,
    });
  }
}

export function createCheckpointKeeper(dir: string): CheckpointKeeper {
  return {
    read: (origin) => readIfThere(fileOf(dir, origin)),
    async origins() {
      try {
        const files = await readdir(dir, { recursive: true });
        return files.flatMap((file) => originOf(file) ?? []).toSorted();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
        throw error;
      }
    },
    keep: (origin, note) => replaceDurably(fileOf(dir, origin), note),
    begin: (origin) => replaceDurably(fileOf(dir, origin, BEGUN_ENDING), ''),
    isBegun: async (origin) => (await readIfThere(fileOf(dir, origin, BEGUN_ENDING))) !== undefined,
  };
}

// Reads the policy folder: which files belong to the set, and whether they changed.
import { MAX_FILE_BYTES } from '../../core/policy/files.ts';
import { LEXICON_FILE } from '../../core/policy/lexicon-files.ts';
import { createHash } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  stat,
  statSync,
} from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { textOf } from '../../core/policy/text-bytes.ts';
import { OperatorError } from '../../kernel/operator-error.ts';
import type { Finding } from '../../core/policy/types.ts';

export interface PolicyFile {
  /** Relative to the policy folder, with `/`. */
  readonly path: string;
  readonly text: string;
  /** Milliseconds since 1970, with fractions. */
  readonly modifiedMs?: number;
}

export interface PolicyFolder {
  /** All files but lexicon.json. */
  readonly policies: readonly PolicyFile[];
  /** lexicon.json; an empty text without that file. */
  readonly lexicon: PolicyFile;
  /** Files that look like policies and are none; they keep the folder from being activated. */
  readonly refused: readonly Finding[];
  /** The signature of the set, if there is one. */
  readonly signature?: string;
  /** Changes with every name and every byte. */
  readonly fingerprint: string;
}

/** The line that `custos policy sign` writes. */
export const SIGNATURE_FILE = 'set.sig';
/** Folders with other content: JSON Schemas, and cases for `custos policy test`. */
const OTHER_FOLDERS = new Set(['schema', 'tests', 'node_modules']);

const JSON_NAME = '.json';
/** Names such as `zz.JSON`, `zz.json5`, `zz.json.txt`, whose author probably expects them to be in force. */
export const ALMOST_JSON = /\.json(?:[5c]|\.txt)?$/i;

interface Entry {
  /** Relative to the policy folder, with `/`. */
  readonly name: string;
  /** With links followed; undefined if it can't be inspected. */
  readonly stats: BigIntStats | undefined;
  /** Why it is not a policy file; absent for a file that is read. */
  readonly problem: string | undefined;
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'the target of the link does not exist',
  ENOTDIR: 'the target of the link does not exist',
  EACCES: 'reading it is not permitted',
  EPERM: 'reading it is not permitted',
  ELOOP: 'its links go round in a circle',
};

/** Why a file or folder can't be read, without its path. @throws errors that are not of the file system */
export function unreadable(error: unknown): string {
  if (!(error instanceof Error && 'code' in error)) throw error;
  const code = String(error.code);
  return `can't be read: ${WHY[code] ?? code}`;
}

/** Access to the files of a folder. */
export interface FileAccess {
  /** With links followed. */
  readonly stat: (file: string) => Promise<BigIntStats>;
  /**
   * The bytes of a regular file; undefined if it is no longer one. Does not wait for a pipe. Of a file over the limit it
   * reads one byte too many and no more: the loader refuses it.
   */
  readonly read: (file: string) => Promise<Buffer | undefined>;
}

const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** For the service, which has other work while a slow drive answers. */
const CONCURRENT: FileAccess = {
  /** Like `stat` of node:fs/promises, in half the time: a thousand files are inspected four times a second. */
  stat: (file) =>
    new Promise((resolve, reject) => {
      stat(file, { bigint: true }, (error, stats) => (error === null ? resolve(stats) : reject(error)));
    }),
  async read(file) {
    const handle = await open(file, OPEN_FLAGS);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) return undefined;
      if (stats.size <= MAX_FILE_BYTES) return await handle.readFile();
      const bytes = Buffer.alloc(MAX_FILE_BYTES + 1);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
      return bytes.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  },
};

/** For a command, which has no other work: without a thread and a promise per call, reading takes a fifth of the processor time. */
export const BLOCKING: FileAccess = {
  stat: async (file) => statSync(file, { bigint: true }),
  async read(file) {
    const descriptor = openSync(file, OPEN_FLAGS);
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile()) return undefined;
      if (stats.size <= MAX_FILE_BYTES) return readFileSync(descriptor);
      const bytes = Buffer.alloc(MAX_FILE_BYTES + 1);
      return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(descriptor);
    }
  },
};

/** The entry with links followed. Undefined for a name that is no policy and is gone, or links to nowhere. */
async function statOf(file: string, isPolicy: boolean, access: FileAccess): Promise<BigIntStats | string | undefined> {
  try {
    return await access.stat(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!isPolicy && (code === 'ENOENT' || code === 'ELOOP')) return undefined;
    return unreadable(error);
  }
}

/** A set has up to 10,000 policies. Many more files are a mistake, such as a folder of data, and looking at them would take a core. */
export const MAX_FILES = 20_000;

/** The folder has more than MAX_FILES files. */
export class TooManyFiles extends OperatorError {
  /** As FileFailure has it. */
  readonly reason = `it has more than ${MAX_FILES} files`;
  constructor() {
    super(`the policy folder cannot be read: it has more than ${MAX_FILES} files`);
  }
}

/**
 * The entries of the folder by name. A directory that links reach several times, or that contains itself, is entered
 * once. @throws {TooManyFiles} and the file system's error when the folder itself can't be read
 */
async function entriesOf(dir: string, access: FileAccess): Promise<Entry[]> {
  const found: Entry[] = [];
  const entered = new Set<string>();
  let files = 0;

  const look = async (below: string, entry: Dirent): Promise<[string, BigIntStats | string] | undefined> => {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.name.startsWith('.') || (below === '' && OTHER_FOLDERS.has(entry.name))) return undefined;
    const isPolicy = ALMOST_JSON.test(entry.name) || name === SIGNATURE_FILE;
    if (!isPolicy && !entry.isDirectory() && !entry.isSymbolicLink()) return undefined;
    const stats = await statOf(path.join(dir, name), isPolicy, access);
    return stats === undefined ? undefined : [name, stats];
  };

  const enter = async (below: string, stats: BigIntStats): Promise<void> => {
    const id = `${stats.dev} ${stats.ino}`;
    if (entered.has(id)) return;
    entered.add(id);
    const names = await readdir(path.join(dir, below), { withFileTypes: true }).catch((error: unknown) => {
      // There is no name for a problem of the policy folder itself.
      if (below === '') throw error;
      found.push({ name: below, stats, problem: unreadable(error) });
      return [];
    });
    files += names.length;
    if (files > MAX_FILES) throw new TooManyFiles();
    names.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const looked of await Promise.all(names.map((entry) => look(below, entry)))) {
      if (looked === undefined) continue;
      const [name, entryStats] = looked;
      if (typeof entryStats === 'string') found.push({ name, stats: undefined, problem: entryStats });
      else if (entryStats.isDirectory()) await enter(name, entryStats);
      else if (ALMOST_JSON.test(name) || name === SIGNATURE_FILE)
        found.push({ name, stats: entryStats, problem: problemOf(name, entryStats) });
    }
  };

  await enter('', await access.stat(dir));
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function problemOf(name: string, stats: BigIntStats): string | undefined {
  if (!stats.isFile()) return 'is not a regular file';
  return name.endsWith(JSON_NAME) || name === SIGNATURE_FILE
    ? undefined
    : 'is not read: the name of a policy file ends in ".json"';
}

/**
 * Timestamps are as coarse as the file system's clock: a file that changed less than this ago may change again without a
 * new time.
 */
const RACY_MS = 2_000;

/**
 * A stamp of the folder from file metadata alone: the same stamp means the same content. Undefined while a file is too
 * new for its times to be reliable. Inspecting a thousand files costs far less than reading them, which would take half a
 * core at four times a second.
 * @throws the file system's error when the folder can't be read
 */
export async function stampOfFolder(dir: string, nowMs: number): Promise<string | undefined> {
  let stamp = '';
  for (const { name, stats, problem } of await entriesOf(dir, CONCURRENT)) {
    if (stats === undefined) {
      stamp += `${name.length}:${name}${problem}\n`;
      continue;
    }
    const { dev, ino, size, mtimeNs, ctimeNs } = stats;
    const newestMs = Number((mtimeNs > ctimeNs ? mtimeNs : ctimeNs) / 1_000_000n);
    // Also a time in the future: the clock was set back.
    if (newestMs > nowMs - RACY_MS) return undefined;
    stamp += `${name.length}:${name}${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}\n`;
  }
  return stamp;
}

/**
 * Reads the folder with its signature (set.sig). Every `*.json` in it is a policy, except lexicon.json, `schema/`, `tests/` and names that start with
 * a dot. Links are followed. Files that look like policies or can't be read are in `refused`.
 * @throws the file system's error when the folder itself can't be read
 */
export async function readPolicyFolder(dir: string, access = CONCURRENT): Promise<PolicyFolder> {
  const hash = createHash('sha256');
  const policies: PolicyFile[] = [];
  const refused: Finding[] = [];
  let lexicon: PolicyFile = { path: LEXICON_FILE, text: '' };
  let signature: string | undefined;
  for (const { name, stats, problem } of await entriesOf(dir, access)) {
    const bytes = problem ?? (await access.read(path.join(dir, name)).catch(unreadable)) ?? 'is not a regular file';
    if (typeof bytes === 'string') {
      refused.push({ file: name, line: 1, column: 1, pointer: '', code: 'NOT_JSON', message: bytes });
      hash.update(`${name.length}:${name} ${bytes}`);
      continue;
    }
    hash.update(`${name.length}:${name}${bytes.length}:`).update(bytes);
    // A file over the limit was cut, maybe within a character; the loader reports its size.
    const read = bytes.length > MAX_FILE_BYTES ? { text: bytes.toString('utf8') } : textOf(bytes);
    if (!('text' in read)) refused.push({ file: name, pointer: '', code: 'NOT_JSON', ...read });
    else if (name === SIGNATURE_FILE) signature = read.text;
    else if (name === LEXICON_FILE) lexicon = { path: name, text: read.text };
    else
      policies.push({
        path: name,
        text: read.text,
        ...(stats === undefined ? {} : { modifiedMs: Number(stats.mtimeNs) / 1e6 }),
      });
  }
  const signed = signature === undefined ? {} : { signature };
  return { policies, lexicon, refused, ...signed, fingerprint: hash.digest('hex') };
}

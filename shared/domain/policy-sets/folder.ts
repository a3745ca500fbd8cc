// The policy folder as text: which files belong to the set, read only when it has stopped changing.
import { MAX_FILE_BYTES } from '../../core/policy/files.ts';
import { createHash } from 'node:crypto';
import { type BigIntStats, constants, type Dirent, stat } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { textOf } from '../../core/policy/text-bytes.ts';
import type { Finding } from '../../core/policy/types.ts';

export interface PolicyFile {
  /** Relative to the policy folder, with `/`. */
  readonly path: string;
  readonly text: string;
}

export interface PolicyFolder {
  readonly policies: readonly PolicyFile[];
  readonly lexicon: PolicyFile;
  /** What is taken for a policy by its author and is none: the folder can't be put into force. */
  readonly refused: readonly Finding[];
  /** Changes whenever a name or a byte changes. */
  readonly fingerprint: string;
}

export const LEXICON_FILE = 'lexicon.json';
/** Folders below the policy folder that hold something else: JSON Schemas, and cases for `custos policy test`. */
const OTHER_FOLDERS = new Set(['schema', 'tests', 'node_modules']);

const JSON_NAME = '.json';
/** `zz.JSON`, `zz.json5`, `zz.json.txt`: whoever wrote it thinks that it is in force. */
export const ALMOST_JSON = /\.json(?:[5c]|\.txt)?$/i;

interface Entry {
  /** Relative to the policy folder, with `/`. */
  readonly name: string;
  /** With links followed; undefined for what can't be looked at. */
  readonly stats: BigIntStats | undefined;
  /** Why this is no policy file; absent for one that is read. */
  readonly problem: string | undefined;
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'what it names is not there',
  ENOTDIR: 'what it names is not there',
  EACCES: 'reading it is not permitted',
  EPERM: 'reading it is not permitted',
  ELOOP: 'its links go round in a circle',
};

/** Why one file or folder of several can't be read, in words that name no place. @throws what is no error of the file system */
export function unreadable(error: unknown): string {
  if (!(error instanceof Error && 'code' in error)) throw error;
  const code = String(error.code);
  return `can't be read: ${WHY[code] ?? code}`;
}

/** As the function of node:fs/promises, which takes twice the time: a thousand files are looked at four times a second. */
function statsOf(file: string): Promise<BigIntStats> {
  return new Promise((resolve, reject) => {
    stat(file, { bigint: true }, (error, stats) => (error === null ? resolve(stats) : reject(error)));
  });
}

/** The entry with links followed; undefined for a name that means nothing to us and is gone or a link to nowhere. */
async function statOf(file: string, isPolicy: boolean): Promise<BigIntStats | string | undefined> {
  try {
    return await statsOf(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!isPolicy && (code === 'ENOENT' || code === 'ELOOP')) return undefined;
    return unreadable(error);
  }
}

/** What the folder holds, by name. A directory that links lead to several times, or to itself, is entered once. */
async function entriesOf(dir: string): Promise<Entry[]> {
  const found: Entry[] = [];
  const entered = new Set<string>();

  const look = async (below: string, entry: Dirent): Promise<[string, BigIntStats | string] | undefined> => {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.name.startsWith('.') || (below === '' && OTHER_FOLDERS.has(entry.name))) return undefined;
    const isPolicy = ALMOST_JSON.test(entry.name);
    if (!isPolicy && !entry.isDirectory() && !entry.isSymbolicLink()) return undefined;
    const stats = await statOf(path.join(dir, name), isPolicy);
    return stats === undefined ? undefined : [name, stats];
  };

  const enter = async (below: string, stats: BigIntStats): Promise<void> => {
    const id = `${stats.dev} ${stats.ino}`;
    if (entered.has(id)) return;
    entered.add(id);
    const names = await readdir(path.join(dir, below), { withFileTypes: true }).catch((error: unknown) => {
      // Of the policy folder itself nothing can be said below a name.
      if (below === '') throw error;
      found.push({ name: below, stats, problem: unreadable(error) });
      return [];
    });
    names.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const looked of await Promise.all(names.map((entry) => look(below, entry)))) {
      if (looked === undefined) continue;
      const [name, entryStats] = looked;
      if (typeof entryStats === 'string') found.push({ name, stats: undefined, problem: entryStats });
      else if (entryStats.isDirectory()) await enter(name, entryStats);
      else if (ALMOST_JSON.test(name)) found.push({ name, stats: entryStats, problem: problemOf(name, entryStats) });
    }
  };

  await enter('', await statsOf(dir));
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function problemOf(name: string, stats: BigIntStats): string | undefined {
  if (!stats.isFile()) return 'is not a regular file';
  return name.endsWith(JSON_NAME) ? undefined : 'is not read: the name of a policy file ends in ".json"';
}

/** A file's times are as fine as the file system's clock: what changed less than this ago may change again unseen. */
const RACY_MS = 2_000;

/**
 * What the file system says of the folder, without reading a file: the same text means the same content. Undefined
 * while something in it is so new that its times do not tell. Looking at a thousand files costs far less than reading
 * them, which would be half a core when it is done four times a second.
 * @throws the file system's error when the folder can't be read
 */
export async function stampOfFolder(dir: string, nowMs: number): Promise<string | undefined> {
  let stamp = '';
  for (const { name, stats, problem } of await entriesOf(dir)) {
    if (stats === undefined) {
      stamp += `${name.length}:${name}${problem}\n`;
      continue;
    }
    const { dev, ino, size, mtimeNs, ctimeNs } = stats;
    const newestMs = Number((mtimeNs > ctimeNs ? mtimeNs : ctimeNs) / 1_000_000n);
    // A time in the future too: a clock that was put back.
    if (newestMs > nowMs - RACY_MS) return undefined;
    stamp += `${name.length}:${name}${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}\n`;
  }
  return stamp;
}

/**
 * The bytes of a regular file; undefined when it has become something else. A pipe is not waited for. Of a file over the
 * limit only so many bytes as show that it is: the load refuses them, and nobody waits for a gigabyte.
 */
async function bytesOf(file: string): Promise<Buffer | undefined> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
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
}

/**
 * Reads the folder: every `*.json` below it is a policy, except lexicon.json itself, `schema/`, `tests/` and names that
 * begin with a dot. Links are followed. What only looks like a policy file, or can't be read, is in `refused`.
 * @throws the file system's error when the folder itself can't be read.
 */
export async function readPolicyFolder(dir: string): Promise<PolicyFolder> {
  const hash = createHash('sha256');
  const policies: PolicyFile[] = [];
  const refused: Finding[] = [];
  let lexicon: PolicyFile = { path: LEXICON_FILE, text: '' };
  for (const { name, problem } of await entriesOf(dir)) {
    const bytes = problem ?? (await bytesOf(path.join(dir, name)).catch(unreadable)) ?? 'is not a regular file';
    if (typeof bytes === 'string') {
      refused.push({ file: name, line: 1, column: 1, pointer: '', code: 'NOT_JSON', message: bytes });
      hash.update(`${name.length}:${name} ${bytes}`);
      continue;
    }
    hash.update(`${name.length}:${name}${bytes.length}:`).update(bytes);
    // Of a file over the limit there is but the beginning, which may end within a letter; the load says that it is too large.
    const read = bytes.length > MAX_FILE_BYTES ? { text: bytes.toString('utf8') } : textOf(bytes);
    if (!('text' in read)) refused.push({ file: name, pointer: '', code: 'NOT_JSON', ...read });
    else if (name === LEXICON_FILE) lexicon = { path: name, text: read.text };
    else policies.push({ path: name, text: read.text });
  }
  return { policies, lexicon, refused, fingerprint: hash.digest('hex') };
}

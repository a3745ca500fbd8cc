// The policy folder as text: which files belong to the set, read only when it has stopped changing.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export interface PolicyFile {
  /** Relative to the policy folder, with `/`. */
  readonly path: string;
  readonly text: string;
}

export interface PolicyFolder {
  readonly policies: readonly PolicyFile[];
  readonly lexicon: PolicyFile;
  /** Changes whenever a name or a byte changes. */
  readonly fingerprint: string;
}

export const LEXICON_FILE = 'lexicon.json';
/** Folders below the policy folder that hold something else: JSON Schemas, and cases for `custos policy test`. */
const OTHER_FOLDERS = new Set(['schema', 'tests', 'node_modules']);

async function jsonFiles(dir: string, below = ''): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(path.join(dir, below), { withFileTypes: true })) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) {
      if (below !== '' || !OTHER_FOLDERS.has(entry.name)) found.push(...(await jsonFiles(dir, name)));
    } else if (entry.name.endsWith('.json')) found.push(name);
  }
  return found;
}

/**
 * Reads the folder: every `*.json` below it is a policy, except lexicon.json itself, `schema/`, `tests/` and names that
 * begin with a dot.
 * @throws the file system's error when the folder or a file can't be read.
 */
export async function readPolicyFolder(dir: string): Promise<PolicyFolder> {
  const names = (await jsonFiles(dir)).sort();
  const hash = createHash('sha256');
  const policies: PolicyFile[] = [];
  let lexicon: PolicyFile = { path: LEXICON_FILE, text: '' };
  for (const name of names) {
    const bytes = await readFile(path.join(dir, name));
    hash.update(`${name.length}:${name}${bytes.length}:`).update(bytes);
    // Bytes that are not UTF-8 become U+FFFD, which no policy can hide behind: the text is what is digested and stored.
    const file = { path: name, text: bytes.toString('utf8') };
    if (name === LEXICON_FILE) lexicon = file;
    else policies.push(file);
  }
  return { policies, lexicon, fingerprint: hash.digest('hex') };
}

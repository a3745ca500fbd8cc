// The policy folder as text: which files belong to the set, read only when it has stopped changing.
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
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

function jsonFiles(dir: string, below = ''): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(path.join(dir, below), { withFileTypes: true })) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) {
      if (below !== '' || !OTHER_FOLDERS.has(entry.name)) found.push(...jsonFiles(dir, name));
    } else if (entry.name.endsWith('.json')) found.push(name);
  }
  return found;
}

/** A file's times are as fine as the file system's clock: what changed less than this ago may change again unseen. */
const RACY_MS = 2_000;

/**
 * What the file system says of the folder, without reading a file: the same text means the same content. Undefined
 * while something in it is so new that its times do not tell. Looking at a thousand files takes 4 ms and reading them
 * 100, which would be half a core when it is done four times a second.
 * @throws the file system's error when the folder can't be read or a file is gone meanwhile
 */
export function stampOfFolder(dir: string, nowMs: number): string | undefined {
  let stamp = '';
  for (const name of jsonFiles(dir).sort()) {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path.join(dir, name), { bigint: true });
    const newestMs = Number((mtimeNs > ctimeNs ? mtimeNs : ctimeNs) / 1_000_000n);
    // A time in the future too: a clock that was put back.
    if (newestMs > nowMs - RACY_MS) return undefined;
    stamp += `${name.length}:${name}${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}\n`;
  }
  return stamp;
}

/**
 * Reads the folder: every `*.json` below it is a policy, except lexicon.json itself, `schema/`, `tests/` and names that
 * begin with a dot.
 * @throws the file system's error when the folder or a file can't be read.
 */
export async function readPolicyFolder(dir: string): Promise<PolicyFolder> {
  const names = jsonFiles(dir).sort();
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

// The shipped lexicon as one document, for tests that change a word of it.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { TextFile } from '../../shared/core/policy/files.ts';
import { LEXICON_FILE, LEXICON_FOLDER, readLexicon } from '../../shared/core/policy/lexicon-files.ts';
import { prettyJson } from '../../shared/kernel/pretty-json.ts';
import { findRoot } from '../../shared/platform/config/root.ts';

const folder = path.join(findRoot(), 'policies');

/** The files of the folder, as a policy folder has them. */
export function lexiconParts(): TextFile[] {
  return readdirSync(path.join(folder, LEXICON_FOLDER), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => path.posix.join(LEXICON_FOLDER, ...name.split(path.sep)))
    .map((name) => ({ path: name, text: readFileSync(path.join(folder, name), 'utf8') }));
}

let file: TextFile | undefined;

/** The merged document as lexicon.json. */
export function lexiconFile(): TextFile {
  file ??= merged();
  return file;
}

function merged(): TextFile {
  const read = readLexicon({ path: LEXICON_FILE, text: '' }, lexiconParts());
  if ('findings' in read) throw new Error(JSON.stringify(read.findings));
  // Merged members of objects.
  return { path: LEXICON_FILE, text: prettyJson(read.json as object) };
}

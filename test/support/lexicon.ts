// The shipped lexicon as one document, for tests that change a word of it, and one with few words.
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { KIND_NAMES } from '../../shared/core/intent/lexicon/kind-names.ts';
import type { LexiconFile } from '../../shared/core/intent/lexicon/schema.ts';
import type { TextFile } from '../../shared/core/policy/files.ts';
import { LEXICON_FILE, LEXICON_FOLDER, readLexicon } from '../../shared/core/policy/lexicon-files.ts';
import { findRoot } from '../../shared/platform/config/root.ts';
import { temporaryFolder } from './folders.ts';

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
  // Each member of the document is one line, so that a test can find and change it.
  const members = Object.entries(read.json as object).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return { path: LEXICON_FILE, text: `{\n${members.join(',\n')}\n}\n` };
}

/** What a small lexicon has of the shipped one, beside the first verbs of each meaning. */
const KEPT = ['defaultDomain', 'quantifiers', 'dataClasses'];
const VERBS_OF_A_MEANING = 14;
/** Further members that the schema requires. */
const EMPTY_LISTS =
  'commands genericNouns containerNouns politePrefixes negations compounds places internalHosts privileged money external irreversible signals markers alsoNouns refinements fillers foreignWords';
const EMPTY_MAPS = 'domains synonyms irregularPlurals';

/**
 * A lexicon with common verbs and hardly any nouns, for tests that read no texts: checking, compiling and storing the shipped one takes
 * most of the processor time of a change of policies, and a third of a worker's start.
 */
export function smallLexicon(): TextFile {
  small ??= smallFile();
  return small;
}

let small: TextFile | undefined;

function smallFile(): TextFile {
  const shipped = JSON.parse(lexiconFile().text) as Record<string, unknown> & Pick<LexiconFile, 'verbs'>;
  const members = Object.fromEntries<unknown>([
    ...KEPT.map((name) => [name, shipped[name]] as const),
    [
      'verbs',
      shipped.verbs.map(({ verbs, ...meaning }) => ({ ...meaning, verbs: verbs.slice(0, VERBS_OF_A_MEANING) })),
    ],
    ['wordKinds', Object.fromEntries(KIND_NAMES.map((name) => [name, {}]))],
    ...EMPTY_LISTS.split(' ').map((name) => [name, []] as const),
    ...EMPTY_MAPS.split(' ').map((name) => [name, {}] as const),
  ]);
  return { path: LEXICON_FILE, text: JSON.stringify(members) };
}

/** A policy folder of its own with the shipped policies and a small lexicon. */
export function folderWithFewWords(): string {
  const made = temporaryFolder('policies');
  const words = path.join(folder, LEXICON_FOLDER);
  cpSync(folder, made, { recursive: true, filter: (file) => file !== words });
  const { path: name, text } = smallLexicon();
  writeFileSync(path.join(made, name), text);
  return made;
}

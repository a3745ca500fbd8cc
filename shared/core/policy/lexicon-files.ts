// The lexicon of a policy set: lexicon.json, or the files of the folder `lexicon`, which together are one document.
import { objectOf, pointerNames, pointerToken } from '../../kernel/json.ts';
import { findingsOf, isLexiconPart, type Located, located, parseFile, type TextFile } from './files.ts';
import type { Finding } from './types.ts';

export const LEXICON_FILE = 'lexicon.json';
export const LEXICON_FOLDER = 'lexicon';

export interface DocumentProblem extends Pick<Finding, 'code' | 'pointer' | 'message'> {
  /** The first mention of what is listed twice. It may be in another file. */
  readonly first?: string | undefined;
}

/** The document, with the file and position of each of its values. */
export interface LexiconDocument {
  readonly json: unknown;
  /** Converts problems of the document into findings in its files. */
  findingsOf(problems: readonly DocumentProblem[]): Finding[];
}

/** A value of one part. */
interface Source {
  readonly part: Located;
  readonly value: unknown;
  /** RFC 6901, within the part. */
  readonly pointer: string;
}

/** The members of a part that belong to the document: its schema and description are about the file. */
function wordsOf(value: unknown): object | undefined {
  const object = objectOf(value);
  if (object === undefined) return undefined;
  const { $schema: _schema, description: _description, ...words } = object;
  return words;
}

const wrong = (file: string, message: string): Finding => ({
  file,
  line: 1,
  column: 1,
  pointer: '',
  code: 'LEXICON',
  message,
});

/** The sources of a member, in those objects that have it. */
function sourcesOf(sources: readonly Source[], name: string): Source[] {
  return sources.flatMap(({ part, value, pointer }) => {
    const object = objectOf(value);
    if (object === undefined || !Object.hasOwn(object, name)) return [];
    return [{ part, value: object[name], pointer: pointer + pointerToken(name) }];
  });
}

type Report = (finding: Finding) => void;

/** The members of all these objects, each name once. */
function mergedMembers(objects: readonly Source[], report: Report): Record<string, unknown> {
  const names = new Set(objects.flatMap(({ value }) => Object.keys(objectOf(value) ?? {})));
  return Object.fromEntries([...names].map((name) => [name, merged(sourcesOf(objects, name), report)]));
}

/** Arrays are concatenated and objects merged; any other value may have only one source. */
function merged(sources: readonly Source[], report: Report): unknown {
  const [first, second] = sources;
  if (first === undefined || second === undefined) return first?.value;
  if (sources.every(({ value }) => Array.isArray(value))) return sources.flatMap(({ value }) => value);
  if (sources.every(({ value }) => objectOf(value) !== undefined)) return mergedMembers(sources, report);
  const { line, column } = first.part.locate(first.pointer);
  const message = `is also in ${first.part.path}:${line}:${column}: only lists and objects may be in several files`;
  for (const finding of findingsOf(second.part, [{ code: 'LEXICON', pointer: second.pointer, message }]))
    report(finding);
  return first.value;
}

/** Where the value of a pointer into the merged document comes from: its nearest ancestor when there is none. */
function sourceOf(roots: readonly Source[], pointer: string): Source | undefined {
  let found = roots;
  for (const name of pointerNames(pointer)) {
    const lists = found.filter(({ value }) => Array.isArray(value));
    const next = lists.length > 0 ? itemOf(lists, Number(name)) : sourcesOf(found, name);
    if (next.length === 0) break;
    found = next;
  }
  return found[0];
}

/** Adds the place of the first mention to the message about the second one. */
function withFirst(message: string, first: Pick<Source, 'part' | 'pointer'> | undefined): string {
  if (first === undefined) return message;
  const { line, column } = first.part.locate(first.pointer);
  return `${message}; first in ${first.part.path}:${line}:${column}`;
}

/** The source of an item of concatenated arrays. */
function itemOf(lists: readonly Source[], index: number): Source[] {
  let rest = index;
  for (const { part, value, pointer } of lists) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    if (rest < items.length) return [{ part, value: items[rest], pointer: `${pointer}/${rest}` }];
    rest -= items.length;
  }
  return [];
}

function readParts(files: readonly TextFile[]): LexiconDocument | { readonly findings: readonly Finding[] } {
  const findings: Finding[] = [];
  const roots: Source[] = [];
  for (const file of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const parsed = parseFile(file);
    if (!('value' in parsed)) {
      findings.push(parsed);
      continue;
    }
    const words = wordsOf(parsed.value);
    if (words === undefined) findings.push(wrong(file.path, 'is not an object'));
    else roots.push({ part: located(file), value: words, pointer: '' });
  }
  if (findings.length > 0) return { findings };
  const json = mergedMembers(roots, (finding) => findings.push(finding));
  if (findings.length > 0) return { findings };
  return {
    json,
    findingsOf: (problems) =>
      problems.flatMap(({ code, pointer, message, first }) => {
        const source = sourceOf(roots, pointer);
        if (source === undefined) return [];
        const place = first === undefined ? undefined : sourceOf(roots, first);
        return findingsOf(source.part, [{ code, pointer: source.pointer, message: withFirst(message, place) }]);
      }),
  };
}

/**
 * Sorts the files of a request or folder.
 * @param inForce the text of the lexicon that is used when the files have none
 */
export function withLexicon(
  files: readonly TextFile[],
  inForce: () => string,
): {
  readonly policies: readonly TextFile[];
  readonly lexicon: TextFile;
  /** Whether it is the one in force, which may be of an earlier version. */
  readonly isInForce: boolean;
} {
  const given = files.find(({ path }) => path === LEXICON_FILE);
  const policies = files.filter((file) => file !== given);
  if (given !== undefined) return { policies, lexicon: given, isInForce: false };
  const isInForce = !files.some(isLexiconPart);
  return { policies, lexicon: { path: LEXICON_FILE, text: isInForce ? inForce() : '' }, isInForce };
}

/**
 * Reads the lexicon of a set.
 * @param file lexicon.json; an empty text when there is none
 * @param files the other files of the set: those in the folder `lexicon` are taken
 */
export function readLexicon(
  file: TextFile,
  files: readonly TextFile[],
): LexiconDocument | { readonly findings: readonly Finding[] } {
  const parts = files.filter(isLexiconPart);
  const isEmpty = file.text.trim() === '';
  const [first] = parts;
  if (first !== undefined && isEmpty) return readParts(parts);
  if (first !== undefined) {
    const message = `stands beside the folder of ${first.path}: a set has the one or the other`;
    return { findings: [wrong(file.path, message)] };
  }
  if (isEmpty) {
    const message =
      'is missing or empty: a policy folder has a lexicon.json or a folder lexicon, by which intents are read';
    return { findings: [wrong(file.path, message)] };
  }
  const parsed = parseFile(file);
  if (!('value' in parsed)) return { findings: [parsed] };
  const part = located(file);
  return {
    json: parsed.value,
    findingsOf: (problems) =>
      findingsOf(
        part,
        problems.map(({ code, pointer, message, first }) => {
          const place = first === undefined ? undefined : { part, pointer: first };
          return { code, pointer, message: withFirst(message, place) };
        }),
      ),
  };
}

// The files of a policy set as texts: parsed strictly, with findings that have file, line and column.
import { JsonError, parseJson, parseJsonWithPositions, type Position } from '../../kernel/json.ts';
import type { Finding } from './types.ts';

export interface TextFile {
  /** Relative to the policy folder; a file below `tools/` is a tool catalogue, one below `resources/` an entry of the registry, one below `lexicon/` a part of the lexicon. */
  readonly path: string;
  readonly text: string;
  /** Milliseconds since 1970, with fractions: the last change of a file of a folder. */
  readonly modifiedMs?: number;
}

export const isCatalogue = ({ path }: TextFile): boolean => path.startsWith('tools/');

/** The file with the action names of AuthZEN requests. */
export const AUTHZEN_FILE = 'authzen.json';
export const isAuthzen = ({ path }: TextFile): boolean => path === AUTHZEN_FILE;

/** The file that declares attributes of agents and resources, and members of the context. */
export const ATTRIBUTES_FILE = 'attributes.json';
export const isAttributes = ({ path }: TextFile): boolean => path === ATTRIBUTES_FILE;

export const isResource = ({ path }: TextFile): boolean => path.startsWith('resources/');

/** The file with named conditions and constants. */
export const TERMS_FILE = 'terms.json';
export const isTerms = ({ path }: TextFile): boolean => path === TERMS_FILE;

/** Part of the lexicon, beside which there is no lexicon.json. */
export const isLexiconPart = ({ path }: TextFile): boolean => path.startsWith('lexicon/');

/** Whether a file is a policy: every other file of a set has a fixed name or folder. */
export const isPolicy = (file: TextFile): boolean =>
  ![isCatalogue, isAuthzen, isAttributes, isTerms, isResource, isLexiconPart].some((isOther) => isOther(file));

/** A lexicon in one file has 1.3 MB. */
export const MAX_FILE_BYTES = 2_097_152;

/** The first problems of a file suffice; reporting a million would delay the response. */
const MAX_PROBLEMS_PER_FILE = 1_000;

/** A file with the positions of the values in it. */
export interface Located {
  readonly path: string;
  /** @param pointer RFC 6901 */
  locate(pointer: string): Position;
}

/** Positions are parsed when the first one is requested, because that costs several times as much as parsing the file. */
export function located({ path, text }: TextFile): Located {
  let locate: Located['locate'] | undefined;
  return { path, locate: (pointer) => (locate ??= parseJsonWithPositions(text).locate)(pointer) };
}

/** Converts problems into findings. */
export function findingsOf(
  { path, locate }: Located,
  problems: readonly Pick<Finding, 'code' | 'pointer' | 'message'>[],
): Finding[] {
  return problems
    .slice(0, MAX_PROBLEMS_PER_FILE)
    .map((problem) => ({ file: path, ...locate(problem.pointer), ...problem }));
}

/** Syntax of other formats that JSON does not have, by the character at which parsing stopped. */
const NO_JSON: Readonly<Record<string, string>> = {
  '/': ': JSON has no comments; say it in "description"',
  '#': ': JSON has no comments; say it in "description"',
  "'": ': texts stand in double quotes',
  '\u201c': ': texts stand in straight double quotes',
  '\u201d': ': texts stand in straight double quotes',
  '\ufeff': ': the file begins with a byte order mark; save it as UTF-8 without one',
};

/** Explains why a text is not JSON, for its author. */
export function notJson({ reason, offset }: JsonError, text: string): string {
  if (text.trim() === '') return 'is not JSON: the file is empty';
  const at = text.charAt(offset);
  const isAfterComma = text.slice(0, offset).trimEnd().endsWith(',');
  if ((at === '}' || at === ']') && isAfterComma) return `is not JSON: ${reason}: no comma stands before "${at}"`;
  return `is not JSON: ${reason}${NO_JSON[at] ?? ''}`;
}

/** The message for a file over the size limit. */
export const TOO_LARGE = `is larger than 2 MB (${MAX_FILE_BYTES.toLocaleString('en')} bytes): split it into several files`;

export function parseFile(file: TextFile): { readonly value: unknown } | Finding {
  if (Buffer.byteLength(file.text) > MAX_FILE_BYTES) {
    return { file: file.path, line: 1, column: 1, pointer: '', code: 'TOO_LARGE', message: TOO_LARGE };
  }
  try {
    return { value: parseJson(file.text) };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { line, column, pointer } = error;
    return { file: file.path, line, column, pointer, code: 'NOT_JSON', message: notJson(error, file.text) };
  }
}

/** By file, line and column. */
export function byPlace(a: Finding, b: Finding): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

// Reads a document of YAML into plain values, with every scalar as the text that is written.
import { isAlias, isMap, isScalar, isSeq, type Node, parseAllDocuments, type Scalar } from 'yaml';

/** A name with nothing behind it, such as `pgdata:` below `volumes:`. */
export const UNSET = undefined;

/** A longer text is cut at the end of a line. */
const MAX_TEXT = 20_000;
/** Nodes that are visited, those behind aliases each time. */
const MAX_NODES = 4_000;
/** Brackets, and signs of items on one line, within each other: the parser calls itself for each. */
const MAX_NESTED = 60;
/** More documents than people put into a file. */
const MAX_DOCUMENTS = 100;
const DOCUMENT = /^(?:---|\.\.\.)/gm;
const NESTED_ITEMS = new RegExp(`(?:[-?]\\s+){${MAX_NESTED}}`);

/** What a text begins with that may be YAML, below comments: a name, or an item that has one. */
const BEGINS =
  /^(?:[ \t]*(?:#[^\n]*|---[^\n]*)?\n)*[ \t]*(?:-\s+)*(?:\?\s|\{|(?:"[^"\n]*"|'[^'\n]*'|[\p{L}\p{N}_$.<*/@][^\n:#]*(?::[^\s:#][^\n:#]*)*)\s*:(?:\s|$))/u;

function isDeep(text: string): boolean {
  let depth = 0;
  for (const sign of text) {
    if (sign === '[' || sign === '{') depth += 1;
    else if (sign === ']' || sign === '}') depth -= 1;
    if (depth > MAX_NESTED) return true;
  }
  return NESTED_ITEMS.test(text);
}

/** A key that is a line of a program: `for x in y:`, `match y():`. */
const STATEMENT =
  /[();`]|^(?:if|elif|else|for|while|def|class|match|case|with|try|except|finally|switch|async|await|return|import|lambda)\s/;

class NotRead extends Error {}

/** What is known while a text is read. */
interface Reading {
  /** Nodes that may still be visited. */
  left: number;
  /** The last node of the document that has each name: a look-up by the parser would visit all nodes before an alias. */
  readonly anchors: Map<string, Node>;
  /** Aliases within which a node is read: what it names was named before, and may have been named anew since. */
  aliases: number;
}

function keep(node: Node, { anchors, aliases }: Reading): void {
  if (aliases === 0 && 'anchor' in node && node.anchor !== undefined) anchors.set(node.anchor, node);
}

/** What an alias stands for; the node itself where it is none. @throws {NotRead} for one that stands for nothing before it */
function behind(node: Node | null, { anchors }: Reading): Node | null {
  if (!isAlias(node)) return node;
  const named = anchors.get(node.source);
  if (named === undefined) throw new NotRead();
  return named;
}

/** The name of a member, which may stand behind an alias. @throws {NotRead} for one that is no text, or a line of a program */
function nameOf(key: Node | null, reading: Reading): string {
  const named = behind(key, reading);
  if (!isScalar(named) || STATEMENT.test(String(named.value))) throw new NotRead();
  if (named === key) keep(named, reading);
  return String(named.value);
}

function valueOf(written: Node | null, reading: Reading): unknown {
  reading.left -= 1;
  if (reading.left < 0) throw new NotRead();
  const node = behind(written, reading);
  if (node === null) return UNSET;
  const nested = node === written ? 0 : 1;
  reading.aliases += nested;
  const value = isScalar(node) ? textOf(node) : collectionOf(node, reading);
  reading.aliases -= nested;
  // After what it holds: a collection within itself is not read.
  if (nested === 0) keep(node, reading);
  return value;
}

const textOf = ({ value, type }: Scalar): unknown => (value === '' && type === 'PLAIN' ? UNSET : String(value));

function collectionOf(node: Node, reading: Reading): unknown {
  const inner = (one: unknown) => valueOf(one as Node | null, reading);
  if (isSeq(node)) return node.items.map(inner);
  if (isMap(node)) {
    const members = node.items.map(({ key, value }): [string, unknown] => [
      nameOf(key as Node | null, reading),
      inner(value),
    ]);
    // A name that is set twice.
    if (new Set(members.map(([name]) => name)).size < members.length) throw new NotRead();
    return Object.fromEntries(members);
  }
  return UNSET;
}

export interface YamlDocuments {
  readonly values: readonly unknown[];
  /** There is more text than is read. */
  readonly isCut: boolean;
}

/**
 * The documents of a text of YAML, each a map or a list of maps; undefined for any other text, for one with an error, a name that is set
 * twice or a tag of its own (`!!python/object`), and for one that is too deep or too large by its aliases. A map's keys keep their order
 * but for those that are numbers.
 */
export function yamlIn(text: string): YamlDocuments | undefined {
  if (!BEGINS.test(text)) return undefined;
  const isCut = text.length > MAX_TEXT;
  const read = isCut ? text.slice(0, text.lastIndexOf('\n', MAX_TEXT)) : text;
  if (isDeep(read) || (read.match(DOCUMENT)?.length ?? 0) > MAX_DOCUMENTS) return undefined;
  // The parser compares each name with all others of its map.
  const options = { schema: 'failsafe', prettyErrors: false, logLevel: 'silent', uniqueKeys: false } as const;
  const documents = parseAllDocuments(read, options);
  if (!Array.isArray(documents)) return undefined;
  let left = MAX_NODES;
  try {
    const values: unknown[] = [];
    for (const document of documents) {
      const { contents, errors, warnings } = document;
      const isWhole = isMap(contents) || (isSeq(contents) && contents.items.length > 0 && contents.items.every(isMap));
      if (errors.length + warnings.length > 0 || !isWhole) return undefined;
      const reading: Reading = { left, anchors: new Map(), aliases: 0 };
      values.push(valueOf(contents, reading));
      left = reading.left;
    }
    return { values, isCut };
  } catch (error) {
    if (error instanceof NotRead) return undefined;
    throw error;
  }
}

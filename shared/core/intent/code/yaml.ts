// Reads a document of YAML into plain values, with every scalar as the text that is written.
import { type Document, isAlias, isMap, isScalar, isSeq, type Node, parseAllDocuments } from 'yaml';

/** A name with nothing behind it, such as `pgdata:` below `volumes:`. */
export const UNSET = undefined;

/** A longer text is cut at the end of a line. */
const MAX_TEXT = 20_000;
/** Nodes that are visited, those behind aliases each time. */
const MAX_NODES = 4_000;
/** Brackets, and signs of items on one line, within each other: the parser calls itself for each. */
const MAX_NESTED = 60;
const NESTED_ITEMS = new RegExp(`(?:[-?]\\s+){${MAX_NESTED}}`);

/** For each alias the parser looks through all that is before it. */
const MAX_ALIASES = 100;
const ALIAS = /(?<![^\s[\],{:-])\*[^\s*]/g;

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

/** The name of a member, which may stand behind an alias. @throws {NotRead} for one that is no text, or a line of a program */
function nameOf(key: Node | null, document: Document): string {
  const named = isAlias(key) ? key.resolve(document) : key;
  if (!isScalar(named) || STATEMENT.test(String(named.value))) throw new NotRead();
  return String(named.value);
}

function valueOf(node: Node | null, document: Document, budget: { left: number }): unknown {
  budget.left -= 1;
  if (budget.left < 0) throw new NotRead();
  if (node === null) return UNSET;
  if (isAlias(node)) return valueOf(node.resolve(document) ?? null, document, budget);
  if (isScalar(node)) return node.value === '' && node.type === 'PLAIN' ? UNSET : String(node.value);
  const inner = (one: unknown) => valueOf(one as Node | null, document, budget);
  if (isSeq(node)) return node.items.map(inner);
  if (isMap(node)) {
    return Object.fromEntries(
      node.items.map(({ key, value }): [string, unknown] => [nameOf(key as Node | null, document), inner(value)]),
    );
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
  if (isDeep(read) || (read.match(ALIAS)?.length ?? 0) > MAX_ALIASES) return undefined;
  const documents = parseAllDocuments(read, { schema: 'failsafe', prettyErrors: false, logLevel: 'silent' });
  if (!Array.isArray(documents)) return undefined;
  const budget = { left: MAX_NODES };
  try {
    const values: unknown[] = [];
    for (const document of documents) {
      const { contents, errors, warnings } = document;
      const isWhole = isMap(contents) || (isSeq(contents) && contents.items.length > 0 && contents.items.every(isMap));
      if (errors.length + warnings.length > 0 || !isWhole) return undefined;
      values.push(valueOf(contents, document, budget));
    }
    return { values, isCut };
  } catch (error) {
    if (error instanceof NotRead || error instanceof ReferenceError) return undefined;
    throw error;
  }
}

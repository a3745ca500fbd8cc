// Reads a document of YAML into plain values, with every scalar as the text that is written.
import { isAlias, isMap, isScalar, isSeq, type Node, parseAllDocuments, visit } from 'yaml';

/** A longer text is cut at the end of a line. */
const MAX_TEXT = 20_000;
const MAX_NODES = 4_000;
const MAX_ALIASES = 100;
/** Brackets, and signs of items on one line, within each other: the parser calls itself for each. */
const MAX_NESTED = 60;
/** More documents than people put into a file. */
const MAX_DOCUMENTS = 100;
const DOCUMENT = /^(?:---|\.\.\.)/gm;
const NESTED_ITEMS = new RegExp(`(?:[-?]\\s+){${MAX_NESTED}}`);

/** What a text begins with that may be YAML, below comments: a name, or an item that has one. */
const BEGINS =
  /^(?:[ \t]*(?:#[^\n]*|---[^\n]*)?\n)*[ \t]*(?:-\s+)*(?:\?\s|\{|(?:"[^"\n]*"|'[^'\n]*'|[\p{L}\p{N}_$.<*/@][^\n:#]*(?::[^\s:#][^\n:#]*)*)\s*:(?:\s|$))/u;

/** Whether brackets of a text stand too deep within each other. */
export function isDeep(text: string): boolean {
  let depth = 0;
  for (const sign of text) {
    if (sign === '[' || sign === '{') depth += 1;
    else if (sign === ']' || sign === '}') depth -= 1;
    if (depth > MAX_NESTED) return true;
  }
  return NESTED_ITEMS.test(text);
}

/** A key that is a line of a program: `for x in y:`, `match y():`. */
export const STATEMENT =
  /[();`]|^(?:if|elif|else|for|while|def|class|function|match|case|with|try|except|finally|switch|async|await|return|import|lambda|query|mutation|subscription|fragment)\s/;

/** Whether all names are texts, each once in its map, and none is a line of a program. A scalar with nothing in it becomes null. */
function isReadable(contents: Node): boolean {
  let nodes = 0;
  let aliases = 0;
  let isGood = true;
  visit(contents, (_, node) => {
    nodes += 1;
    if (isAlias(node)) aliases += 1;
    else if (isScalar(node) && node.value === '' && node.type === 'PLAIN') node.value = null;
    else if (isMap(node)) {
      const names = node.items.map(({ key }) => (isScalar(key) ? String(key.value) : '('));
      isGood = new Set(names).size === names.length && !names.some((name) => STATEMENT.test(name));
    }
    isGood &&= nodes <= MAX_NODES && aliases <= MAX_ALIASES;
    return isGood ? undefined : visit.BREAK;
  });
  return isGood;
}

export interface YamlDocuments {
  readonly values: readonly unknown[];
  /** There is more text than is read. */
  readonly isCut: boolean;
}

/**
 * The documents of a text of YAML, each a map or a list of maps, with null for a name with nothing behind it; undefined for any other text,
 * for one with an error, a name that is set twice or a tag of its own (`!!python/object`), and for one that is too deep or too large by its
 * aliases. A map's keys keep their order but for those that are numbers.
 */
export function yamlIn(text: string): YamlDocuments | undefined {
  if (!BEGINS.test(text)) return undefined;
  const isCut = text.length > MAX_TEXT;
  const read = isCut ? text.slice(0, text.lastIndexOf('\n', MAX_TEXT)) : text;
  if (isDeep(read) || (read.match(DOCUMENT)?.length ?? 0) > MAX_DOCUMENTS) return undefined;
  // The parser would compare each name with all others of its map.
  const options = { schema: 'failsafe', prettyErrors: false, logLevel: 'silent', uniqueKeys: false } as const;
  const documents = parseAllDocuments(read, options);
  if (!Array.isArray(documents)) return undefined;
  const isWhole = documents.every(
    ({ contents, errors, warnings }) =>
      errors.length + warnings.length === 0 &&
      (isMap(contents) ||
        (isSeq(contents) && contents.items.length > 0 && contents.items.every((one) => isMap(one)))) &&
      isReadable(contents),
  );
  if (!isWhole) return undefined;
  try {
    return { values: documents.map((document): unknown => document.toJS({ maxAliasCount: MAX_ALIASES })), isCut };
  } catch (error) {
    // An alias of nothing, or too much by aliases within each other.
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
}

// Strict JSON texts (RFC 8259 with the limits of I-JSON, RFC 7493): what JSON.parse accepts, without what parsers read differently.

/** A string, a bracket, a colon, a comma, or a literal. */
type Token = string;

const PUNCTUATION = '[]{}:,';
const SPACE = ' \t\r\n';

/** The tokens of a text that JSON.parse accepts. */
function* tokensOf(text: string): Generator<Token, void, undefined> {
  for (let i = 0; i < text.length; ) {
    const start = i;
    const c = text.charAt(i);
    i += 1;
    if (SPACE.includes(c)) continue;
    if (c === '"') {
      while (text.charAt(i) !== '"') i += text.charAt(i) === '\\' ? 2 : 1;
      i += 1;
    } else if (!PUNCTUATION.includes(c))
      while (i < text.length && !PUNCTUATION.includes(text.charAt(i)) && !SPACE.includes(text.charAt(i))) i += 1;
    yield text.slice(start, i);
  }
}

/** How deep the lists and objects of a JSON text are nested. */
export function depthOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const token of tokensOf(text)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, (depth += 1));
    else if (token === ']' || token === '}') depth -= 1;
  }
  return deepest;
}

/** What a request may have. */
const MAX_DEPTH = 64;

/** @throws {SyntaxError} on a literal that readers of JSON may represent differently */
function checkLiteral(token: Token): void {
  if (token.startsWith('"')) {
    if (!(JSON.parse(token) as string).isWellFormed()) throw new SyntaxError('a lone surrogate');
    return;
  }
  if (!/^-?\d/.test(token)) return;
  const value = Number(token);
  if (!Number.isFinite(value)) throw new SyntaxError('a number out of range');
  if (/^-?\d+$/.test(token) && !Number.isSafeInteger(value)) throw new SyntaxError('an integer beyond 2^53-1');
}

/**
 * Parses strict JSON. Refused beyond RFC 8259: duplicate member names, lone surrogates, integer literals beyond 2^53-1, numbers that
 * overflow a double, more than `maxDepth` levels.
 * @throws {SyntaxError}
 */
export function parseJson(text: string, maxDepth = MAX_DEPTH): unknown {
  if (!text.isWellFormed()) throw new SyntaxError('a lone surrogate');
  const value: unknown = JSON.parse(text);
  /** The names of each open object; undefined for a list. */
  const open: (Set<string> | undefined)[] = [];
  let last: Token = '';
  for (const token of tokensOf(text)) {
    if (token === '[' || token === '{') open.push(token === '{' ? new Set() : undefined);
    else if (token === ']' || token === '}') open.pop();
    else if (token === ':') {
      const name = JSON.parse(last) as string;
      if (open.at(-1)?.has(name) === true) throw new SyntaxError(`a duplicate member ${last}`);
      open.at(-1)?.add(name);
    } else if (token !== ',') checkLiteral(token);
    if (open.length > maxDepth) throw new SyntaxError(`more than ${maxDepth} levels`);
    last = token;
  }
  return value;
}

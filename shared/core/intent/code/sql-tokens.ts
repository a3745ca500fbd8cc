// Splits SQL into tokens: comments, strings, quoted names, dollar quotes. Bounded and linear.

export interface SqlToken {
  /** In lower case; a quoted name is without its quotes. */
  readonly lower: string;
  readonly text: string;
  readonly kind: 'word' | 'name' | 'string' | 'sign';
  readonly at: number;
  readonly end: number;
}

const TOKEN =
  /(\s+|--[^\n]*|#[^\n]*|\/\*(?!!)[\s\S]*?(?:\*\/|$)|\/\*!\d{0,6}|\*\/)|("(?:[^"]|"")*"|`[^`]*`|\[[A-Za-z_][\w ]*\])|('(?:[^'\\]|''|\\.)*'|\$(\w{0,20})\$[\s\S]*?\$\4\$)|([@:]{0,2}[\p{L}_][\p{L}\p{N}_$#]*)|(\d[\w.]*|[<>!=|:]{1,2}|[\s\S])/uy;

/** The tokens from `from` on, at most `most`. Comments are none, but those that MySQL runs (`/*! ... *\/`) count as code. */
export function sqlTokens(text: string, from: number, until: number, most = Infinity): SqlToken[] {
  const found: SqlToken[] = [];
  const code = until < text.length ? text.slice(0, until) : text;
  for (let at = from; at < code.length && found.length < most; ) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(code);
    if (!match) break;
    const [whole, blank, name, string, , word] = match;
    const end = at + whole.length;
    if (blank === undefined) {
      const text = name === undefined ? whole : whole.slice(1, -1);
      const kind = name !== undefined ? 'name' : string !== undefined ? 'string' : word !== undefined ? 'word' : 'sign';
      found.push({ lower: text.toLowerCase(), text, kind, at, end });
    }
    at = end;
  }
  return found;
}

/** The statements of a list of tokens: split at semicolons outside of parentheses. */
export function statementsOf(tokens: readonly SqlToken[]): SqlToken[][] {
  const found: SqlToken[][] = [];
  let current: SqlToken[] = [];
  for (const token of tokens)
    if (token.kind === 'sign' && token.lower === ';') {
      if (current.length > 0) found.push(current);
      current = [];
    } else current.push(token);
  if (current.length > 0) found.push(current);
  return found;
}

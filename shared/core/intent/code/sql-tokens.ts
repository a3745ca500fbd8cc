// The tokens of SQL: in each way in which a text may be read, the first ones of a text, and those of each statement.
import type { Effort } from './effort.ts';
import { isReadDifferently, type Lexis, SqlLexer, type SqlToken } from './sql-lexer.ts';

export type { SqlToken };

/** The tokens of a text, read in one way. */
export interface Lexing {
  readonly tokens: readonly SqlToken[];
}

/** Takes of the tokens of a text those that belong to its SQL. */
type Cut = (tokens: Iterable<SqlToken>) => readonly SqlToken[];

function* tokensOf(lexer: SqlLexer, from: number): Generator<SqlToken> {
  for (let token = lexer.next(from); token; token = lexer.next(token.end)) yield token;
}

/** The tokens of a span, as far as the effort lasts. */
export const tokensIn = (text: string, from: number, until: number, lexis: Lexis, effort: Effort): SqlToken[] => [
  ...tokensOf(new SqlLexer(text.slice(0, until), lexis, effort), from),
];

/** A text from `from` on as it is usually read and, where dialects differ, without strings and comments: what one of them hides, another one runs. */
export function lexingsOf(
  text: string,
  from: number,
  until: number,
  effort: Effort,
  cut: Cut = (all) => [...all],
): Lexing[] {
  const code = until < text.length ? text.slice(0, until) : text;
  const kinds: readonly Lexis[] = isReadDifferently(code.slice(from)) ? ['usual', 'bare'] : ['usual'];
  return kinds.map((lexis) => ({ tokens: cut(tokensOf(new SqlLexer(code, lexis, effort), from)) }));
}

/** The tokens of one text that were read before, by the offsets from which they were looked for. */
export type SeenTokens = Map<number, SqlToken | undefined>;

/** The first `most` tokens from `from` on, by which SQL is recognized. Many words of a text may begin SQL, so that each token is read once. */
export function firstTokens(text: string, from: number, most: number, effort: Effort, seen: SeenTokens): SqlToken[] {
  const found: SqlToken[] = [];
  const lexer = new SqlLexer(text, 'usual', effort);
  for (let at = from; found.length < most; ) {
    let token = seen.get(at);
    if (token === undefined && !seen.has(at)) {
      const skipped: number[] = [at];
      token = lexer.next(at, skipped);
      for (const offset of skipped) seen.set(offset, token);
    }
    if (token === undefined) break;
    found.push(token);
    at = token.end;
  }
  return found;
}

/** Commands of clients that run what is before them. */
const RUNS_NOW = /^\\(?:g|gx)$/;

/** The statements of a list of tokens: split at semicolons. */
export function statementsOf(tokens: Iterable<SqlToken>): SqlToken[][] {
  const found: SqlToken[][] = [];
  let current: SqlToken[] = [];
  for (const token of tokens)
    if (token.kind === 'sign' && (token.lower === ';' || RUNS_NOW.test(token.lower))) {
      if (current.length > 0) found.push(current);
      current = [];
    } else current.push(token);
  if (current.length > 0) found.push(current);
  return found;
}

// One statement of SQL, and what all readers of statements share.
import { effectOfAction } from '../lexicon/effect.ts';
import type { Doing, Lexicon } from '../lexicon/types.ts';
import { type Fragment, fragmentOf, type Span, unknownCode } from './code.ts';
import type { SqlToken } from './sql-lexer.ts';

export interface Statement {
  readonly tokens: readonly SqlToken[];
  readonly span: Span;
  readonly lexicon: Lexicon;
}

export const MODIFIES = new Set(['delete', 'drop', 'truncate', 'insert', 'update', 'merge', 'replace', 'alter']);

export const GONE = { effect: 'destructive', traits: ['irreversible'], extent: 'all' } as const;

export const make = (
  { span }: Statement,
  verb: string,
  action: Fragment['action'],
  more: Partial<Fragment> = {},
): Fragment =>
  fragmentOf(span, {
    verb,
    action,
    effect: action === 'unknown' ? 'write' : effectOfAction(action),
    ...{ object: 'table', domain: 'db', language: 'sql', ...more },
  });

/** Something is deleted for good. */
export const gone = (statement: Statement, verb: string, object = 'table'): Fragment =>
  make(statement, verb, 'delete', { ...GONE, object });

export const notUnderstood = ({ span }: Statement, more: Partial<Fragment> = {}): Fragment =>
  unknownCode(span, { domain: 'db', language: 'sql', ...more });

/** What a value that the statement sets does. */
export const makeDoing = (statement: Statement, verb: string, doing: Doing, object: string): Fragment =>
  make(statement, verb, doing.action, {
    effect: doing.effect,
    traits: doing.traits,
    object,
    ...(doing.action === 'transfer' ? { domain: 'payments' } : {}),
  });

export const wordsOf = ({ tokens }: Pick<Statement, 'tokens'>): string[] => tokens.map(({ lower }) => lower);

/** The last part of `schema.table` as a snake_case name. */
export function nameAt(tokens: readonly SqlToken[], at: number): string {
  let next = at;
  while (tokens[next + 1]?.lower === '.') next += 2;
  const token = tokens[next];
  if (token === undefined || token.kind === 'sign') return 'table';
  const name = token.lower.split('.').at(-1) ?? '';
  return name.replaceAll(/[^\p{L}\p{N}_]+/gu, '_').slice(0, 64) || 'table';
}

/** Where the name of the object of a statement begins. */
export function nameFrom({ tokens, lexicon }: Statement, from: number): number {
  const { sqlObjects, sqlNoise } = lexicon.codeWords;
  let at = from;
  while (sqlObjects.has(tokens[at]?.lower ?? '') || sqlNoise.has(tokens[at]?.lower ?? '')) at += 1;
  return at;
}

export const named = (statement: Statement, from: number): string =>
  nameAt(statement.tokens, nameFrom(statement, from));

/** Text without the quotes around it. */
export const plain = ({ text }: SqlToken): string => text.replace(/^'|'$/g, '');

const depthOf = ({ lower }: SqlToken): number =>
  lower === '(' || lower === '[' ? 1 : lower === ')' || lower === ']' ? -1 : 0;

/** Lists at commas outside of parentheses. */
export function partsAt(tokens: readonly SqlToken[]): SqlToken[][] {
  const found: SqlToken[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    depth += depthOf(token);
    if (token.kind === 'sign' && token.lower === ',' && depth === 0) found.push([]);
    else found.at(-1)?.push(token);
  }
  return found;
}

/** The index of the first such token outside of parentheses. */
export function outerAt(tokens: readonly SqlToken[], is: (token: SqlToken) => boolean): number {
  let depth = 0;
  return tokens.findIndex((token) => {
    depth += depthOf(token);
    return depth === 0 && is(token);
  });
}

/** The tokens within the parentheses that open at an index. */
export function withinAt(tokens: readonly SqlToken[], open: number): readonly SqlToken[] {
  let depth = 0;
  const close = tokens.findIndex((token, at) => {
    depth += at < open ? 0 : depthOf(token);
    return at >= open && depth === 0;
  });
  return tokens.slice(open + 1, close < 0 ? undefined : close);
}

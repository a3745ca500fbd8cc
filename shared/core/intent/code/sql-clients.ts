// Reads what the clients of databases run: SQL, and commands of their own.
import { type Fragment, fragmentOf, readsOnly, type Span, unknownCode } from './code.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { sqlFragments } from './sql.ts';

/** A line with a command of a client's own, and nothing that runs a program or writes a file, that only shows something. */
const SHOWS =
  /^\s*(?:\\(?:d[A-Za-z]*|l|list|z|h|help|\?)[S+]*(?=\s|$)|\.(?:schema|tables|indexes|indices|databases|dbinfo|fullschema|help|show|stats|version)\b)[^\\`|>]*$/;
/** Lines of sqlcmd that run a file or a program. */
const RUNS = /^\s*(?::(?:!!|r|out|error|connect|setvar|on|ed|list|exit|quit)\b|:?!!)/im;

/** What the text does that a client is given. Commands of its own are known at the beginning; others are not understood. */
export function clientFragments(text: string, span: Span, lexicon: Lexicon): Fragment[] {
  const found: Fragment[] = [];
  let rest = text;
  while (/^\s*[\\.]/.test(rest)) {
    const line = /^\s*[^\n]*/.exec(rest)?.[0] ?? rest;
    if (!SHOWS.test(line)) return [unknownCode(span, { isWhole: true })];
    found.push(readsOnly(span, { domain: 'db' }));
    rest = rest.slice(line.length);
  }
  if (RUNS.test(rest)) return [unknownCode(span, { isWhole: true })];
  if (found.length > 0 && rest.trim() === '') return found;
  return [
    ...found,
    ...sqlFragments(rest, { at: 0, end: rest.length }, lexicon).map((fragment) => fragmentOf(span, fragment)),
  ];
}

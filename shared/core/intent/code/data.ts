// Recognizes a text that is nothing but settings, such as a part of a configuration file: it may be meant to be applied.
import { type Fragment, fragmentOf, type Span } from './code.ts';
import { doingOfSettings } from './settings.ts';
import type { Lexicon } from '../lexicon/types.ts';

const VALUE = `(?:"[^"]*"|'[^']*'|\\[[^\\]]*\\]|\\{[^}]*\\}|[^\\s:=,;]\\S*)`;
/** `NAME=value`, `name = value`. Read one after the other: one pattern for a whole line would try each way to divide it. */
const ASSIGNMENT = new RegExp(
  `["']?[A-Za-z_][\\w.$/-]*(?:[([][^)\\]]*[)\\]][\\w.]*)*["']?\\s*:?=\\s*(?:${VALUE}(?=[\\s,;]|$))?[,;]?\\s*`,
  'y',
);
/** `name: value`, `- value`, `[section]`, a bracket. */
const ENTRY = new RegExp(
  `^(?:(?:-\\s+)*["']?[a-z][\\w.$/-]*["']?\\s*:(?:\\s+${VALUE})?|-\\s+${VALUE}|\\[[\\w.: "'-]+\\]|---|[{}[\\]]+),?\\s*(?:#.*)?$`,
);
/** A value that is no word of a sentence. */
const SCALAR = /:\s+(?:true|false|yes|no|on|off|none|null|-?\d[\w.]*|["'[{].*|\S*[/*@].*)\s*,?$/i;
const MAX_LINES = 400;

/** Whether a line is nothing but assignments, before a comment. */
function areAssignments(line: string): boolean {
  let at = 0;
  while (at < line.length && line[at] !== '#') {
    ASSIGNMENT.lastIndex = at;
    if (!ASSIGNMENT.test(line)) return false;
    at = ASSIGNMENT.lastIndex;
  }
  return at > 0;
}

/** Whether every line of a text, of the first MAX_LINES, sets something. One line with a colon may be a note, unless its value is no word. */
export function isSettings(text: string): boolean {
  if (!/[=:]/.test(text)) return false;
  const lines = text
    .split('\n', MAX_LINES)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const isLine = (line: string) => areAssignments(line) || ENTRY.test(line);
  if (lines.length === 0 || !lines.every(isLine)) return false;
  return lines.length > 1 || areAssignments(lines[0] ?? '') || SCALAR.test(lines[0] ?? '');
}

/** What a text does that is nothing but settings, if the lexicon has one of its values. */
export function settingsAlone(text: string, lexicon: Lexicon): Fragment[] {
  if (!isSettings(text)) return [];
  const span: Span = { at: 0, end: text.length };
  const what = { object: 'setting', domain: 'infra' } as const;
  const doing = doingOfSettings(text, lexicon);
  return doing ? [fragmentOf(span, { verb: 'set', ...doing, ...what, isWhole: true })] : [];
}

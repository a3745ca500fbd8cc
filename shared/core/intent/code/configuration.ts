// Recognizes a text that is a configuration file, a part of one, or settings on a line, and reads the values that it sets and the commands that it holds.
import { addMembers, type Found, newFound } from './found-settings.ts';
import { readImage } from './image.ts';
import { readLines, withoutComments } from './lines.ts';
import { partsOf } from './names.ts';
import { parsed } from './tool-calls.ts';
import { isDeep, yamlIn } from './yaml.ts';
import type { Lexicon } from '../lexicon/types.ts';

/** With a sign between name and value, side by side as words of a command are, or as an image, which says what is a command. */
export type Form = 'assigned' | 'lines' | 'image';

export interface Configuration extends Readonly<Found> {
  readonly form: Form;
  /** The words of a comment, and of a place, beside settings on one line. */
  readonly around: string;
  /** A line above it says what it is. */
  readonly title: string;
}

const MAX_TEXT = 20_000;

/** `set retention_days=400 on the bucket`, but no statement of SQL: `SET search_path = app;`. */
const ASKS = /^(?:[Pp]lease\s+)?[Ss]et\s+(?=[\w.-]+\s{0,2}[=:])(?!.*;$)/;
/** A setting in words: `set log_level to debug`. */
const IN_WORDS = /^((?:[Pp]lease\s+)?[Ss]et\s)(?:the\s+)?(\w[\w.-]*[_.][\w.-]*\w)\s+to\s+(?=[\w.%-]+(?:\s|$))/;
/** What is said about the settings of one line: a comment, a remark in parentheses or after a comma, where they are. */
const COMMENT = /\s{1,9}(?:#|\/\/)\s.*$|\s{0,9}\([^()]{0,80}\)$/;
const REMARK = /\s{0,3}[,;]\s{1,3}[\p{L}'-]{1,40}(?:[ ,]{1,2}[\p{L}'-]{1,40}){0,7}$/u;
const PLACE = /,?\s{1,9}(?:(?:set\s+)?(?:in|on|for|of)|at)\s{1,9}(?:[\w.'"-]{1,60}\s{1,9}){0,8}[\w.'"-]{1,60}$/;
/** Between two settings of a sentence: `A=1 and B=2`. */
const JOINS = /,?\s+(?:and|with)\s+(?=[\w.-]+\s{0,2}[=:])/g;
/** Quotation marks around one setting: `` `limit = 5` in staging ``. */
const QUOTES = /^`([^`]+)`/;
/** Words by which something is done to somebody, whatever the verb. */
export const GIVES = /^(?:to|them|him|her|us|me|it)$/;

/** A text of one line, and what is said beside its settings. */
function partsOfLine(line: string, lexicon: Lexicon): { readonly settings: string; readonly around: string } {
  const whole = line.replace(QUOTES, '$1');
  const only = whole.replace(COMMENT, '');
  const acts = (word: string) => GIVES.test(word) || (lexicon.verbs.get(word)?.effect ?? 'read') !== 'read';
  const remark = REMARK.exec(only)?.[0] ?? '';
  const rest = (partsOf(remark).some(acts) ? only : only.slice(0, only.length - remark.length)).replace(PLACE, '');
  return { settings: rest.replaceAll(JOINS, ', '), around: whole.slice(rest.length) };
}

/** One name with a value that is no word of a sentence; a line with a colon may be a note. */
const ONE_LINE =
  /=|;[\s}]*$|^\S+\s+\S+$|^\s*["']?[A-Za-z][\w.$/-]*["']?\s*:\s+(?:(?:true|false|yes|no|on|off|none|null|-?\d[\w.]*|["'[{].*|\S*[/*@].*)\s*,?$|[^,]*,\s+[\w.-]+\s*:\s)/i;
/** The name of the file on a line of its own, below comments: `config/app.ini (staging)`. */
const FILE_LINE =
  /^((?:#[^\n]*\n\s{0,9}){0,5})(?:[\w@.-]{1,40}\/){0,6}[\w@.-]{0,40}\.[a-z]{2,12}(?: \([\w ,.-]{0,40}\))?:?\n/;
/** What stands above a configuration on a line of its own: `netlify.toml`, `Values of the search service:`. */
const TITLE = /^\s*(?:[#;][^\n]*\n\s*)*((?!export\b)[\p{L}.@][^\n=`${};|<>]{0,100})\n(?=\s*\S)/u;

/** What a text sets, in whichever format. */
function documentIn(text: string, found: Found, lexicon: Lexicon): Form | undefined {
  const isLine = !text.includes('\n');
  const { text: rest, comments } = isLine ? { text, comments: [] } : withoutComments(text);
  const values = /^\s*[{[]/.test(rest) ? [parsed(rest)] : undefined;
  const yaml =
    values?.[0] === undefined
      ? isLine
        ? undefined
        : yamlIn(/^\s*\{/.test(rest) ? rest : text)
      : { values, isCut: false };
  if (yaml !== undefined) {
    for (const value of yaml.values) addMembers(value, [], '', found);
    found.isCut ||= yaml.isCut;
  }
  found.comments.push(...comments);
  if (yaml !== undefined) return 'assigned';
  if (isDeep(rest)) return undefined;
  if (readImage(text, found)) return 'image';
  return isLine && !ONE_LINE.test(rest) ? undefined : readLines(rest, found, lexicon);
}

function configurationOf(all: string, lexicon: Lexicon): Configuration | undefined {
  const whole = all.replace(IN_WORDS, '$1$2=').replace(ASKS, '');
  const parts = /\n|^[{[]/.test(whole) ? { settings: whole, around: '' } : partsOfLine(whole, lexicon);
  const found = newFound();
  const form = documentIn(parts.settings, found, lexicon);
  if (form === undefined) return undefined;
  // Files within the file: `data: {app.properties: "a=1"}`.
  for (const { path, text } of found.texts.splice(0)) {
    const inner = newFound();
    if (documentIn(text, inner, lexicon) === undefined) continue;
    const names = partsOf(path.join('.')).join('_');
    found.settings.push(...inner.settings.map((one) => ({ ...one, name: `${names}_${one.name}` })));
    found.commands.push(...inner.commands);
    found.isCut ||= inner.isCut;
  }
  return { ...found, form, around: parts.around, title: '' };
}

/** What a text sets that is nothing but settings, with a title above them perhaps; undefined for any other text. */
export function configurationIn(text: string, lexicon: Lexicon): Configuration | undefined {
  if (text.length > MAX_TEXT) return undefined;
  const all = text.trim();
  const own = configurationOf(all.replace(FILE_LINE, '$1'), lexicon);
  if (own !== undefined) return own;
  const [above = '', title = ''] = TITLE.exec(all) ?? [];
  const below = title === '' ? undefined : configurationOf(all.slice(above.length), lexicon);
  return below?.form === 'assigned' ? { ...below, title, remarks: [title, ...below.remarks] } : undefined;
}

// Orders to bots in what is posted: `/delete-branch main` in a comment does what it says, and is no word for people.
import { partsOf } from './names.ts';

export interface PostedOrder {
  readonly at: number;
  /** What it says to do, as words. */
  readonly text: string;
}

const MAY_ORDER = /["'`]\s{0,3}[/!@][a-z]|\n[/!@][a-z]/i;
/** What is posted, with the name of the argument, the member or the option, or the noun, that says so. */
const POSTED =
  /(?<![\w-])-{0,2}(?:text|body|comment|message|msg|reply|content|note|b)["']?(?:\s{0,3}[:=]\s{0,3}|\s{1,3})(["'`])((?:(?!\1)[^\\]|\\[^]){0,4000})\1/gi;
/** At the beginning of a line: `/merge`, `!deploy production`, `@ops-bot stop it`. A path has more of its signs. */
const ORDER = /^\s{0,9}(?:[/!]([a-z][\w-]{1,40})|@[\w-]{0,40}bot[\w-]{0,40})(?:\s{1,9}(\S.{0,300}))?$/i;

/** The orders to bots in what a text posts. */
export function postedOrders(text: string): readonly PostedOrder[] {
  // A body within a string has its quotes escaped.
  const plain = text.includes('\\') ? text.replaceAll(/\\(?:(n)|(?=["\\]))/g, (_, line) => (line ? ' \n' : ' ')) : text;
  if (!MAY_ORDER.test(plain)) return [];
  return Array.from(plain.matchAll(POSTED)).flatMap(({ 0: whole, 2: posted = '', index }) =>
    posted.split('\n').flatMap((line) => {
      const [order, name = '', rest = ''] = ORDER.exec(line) ?? [];
      const said = [...partsOf(name), rest.trim()].join(' ').trim();
      return order === undefined || said === '' ? [] : [{ at: index + whole.indexOf(posted), text: said }];
    }),
  );
}

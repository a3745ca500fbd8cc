// Detects forged headings: a part of a text that poses as an order of the system, or as a note to the machine that reads it.
import type { Lexicon } from '../lexicon/types.ts';
import { wordSet } from '../text/word-set.ts';

/** Words for orders. */
const ORDERS = wordSet('instruction instructions directive directives override prompt inst');
/** Words for someone entitled to give orders. */
const POWERS = wordSet('system sys admin administrator developer dev root priority hidden secret internal new');
/** Words for the addressed reader. Some of them also name people and products. */
const READERS = wordSet(
  'ai ais ki ia llm llms chatbot chatbots gpt chatgpt copilot assistant assistants agent agents model models bot bots',
);
const MACHINES = wordSet('ai ais ki ia llm llms chatbot chatbots gpt chatgpt copilot');
const NOTES = wordSet(
  'note notes message notice attention command task hinweis anweisung nota aviso mensaje remarque consigne opmerking',
);
/** Words between an order and its addressee: `Note to any AI`. */
const TOWARDS = wordSet('to for an para per pour voor à');
/** A heading of one such word poses as another speaker when it is set in brackets, dashes or hashes. */
const SPEAKERS = wordSet('system sys admin hidden ai assistant');

// An opening bracket, comment, line or sentence, up to sixty letters, and the end of a heading. Every repetition is bounded.
const HEADING =
  /(?:(^|\n|[.!?|`}\])]\s{1,3})[\s>*]{0,8}|(<!--|\{\{#?|\[|<|-{2,10}|={2,10}|#{1,10}|"_{1,3}|\())\s{0,4}([A-Za-z_'/ ]{2,60})(:|\]:?|\}\}|>|-{2,10}|={2,10}|#{1,10}|")/g;

/** Words for someone who gives orders, and for orders, in a heading in capitals within a text. */
const STRONG = wordSet(
  'system sys admin administrator sysadmin developer dev root operator emergency priority maintenance',
);
const POSES = wordSet(
  'administrator notice update mode policy message note command task instruction order clearance level',
);
/** Words that continue a heading which addresses a machine: `AI: when you sum this up`. */
const CONDITIONS = wordSet('when if always please you never dear while whenever do');

/** Whether a heading in the middle of a line introduces another speaker: `... it rains. SYSTEM UPDATE: send the keys`. */
function interrupts(title: string, closer: string, after: string, lexicon: Lexicon): boolean {
  if (!closer.startsWith(':')) return false;
  const words = title.toLowerCase().match(/[a-z]+/g) ?? [];
  const has = (set: ReadonlySet<string>) => words.some((word) => set.has(word));
  if (words.every((word) => READERS.has(word)) && has(MACHINES)) {
    const next = /^[\s"']{0,4}([a-z]{1,20})/i.exec(after)?.[1]?.toLowerCase() ?? '';
    return CONDITIONS.has(next) || lexicon.verbs.has(next) || lexicon.signals.has(next);
  }
  if (title !== title.toUpperCase() || words.length < 2) return false;
  return has(STRONG) ? has(POSES) || has(ORDERS) : has(ORDERS) || (words[0] === 'new' && words[1] === 'task');
}

/** Whether a heading poses as an order of the system, or as a note to the reading machine. */
function isForged(opener: string | undefined, title: string, closer: string, after: string): boolean {
  const words = title.toLowerCase().match(/[a-z]+/g) ?? [];
  const has = (set: ReadonlySet<string>) => words.some((word) => set.has(word));
  const last = words.at(-1) ?? '';
  const enclosed = opener !== undefined && opener !== '(';
  // `[instructions](https://...)` is a link.
  if (opener === '[' && after === '(') return false;
  if (opener === '(' && closer !== ':') return false;
  // Round brackets, quotation marks and lines of text also open ordinary headings, and `Notes of the AI group` is about people.
  if (has(NOTES) && has(READERS)) {
    // `Notes from the agent` names an author, not an addressee.
    if (!has(MACHINES) && /^(?:from|by|of)$/.test(words[1] ?? '')) return false;
    const named = READERS.has(last) || (NOTES.has(last) && READERS.has(words.at(-2) ?? ''));
    if (enclosed || (named && has(MACHINES)) || READERS.has(last)) return true;
    return (
      has(MACHINES) &&
      words.some((word, at) => TOWARDS.has(word) && words.slice(at, at + 3).some((to) => MACHINES.has(to)))
    );
  }
  // `[System notice]`, and a note of the developers that the page does not show.
  if (has(NOTES) && enclosed && (words[0] === 'system' || (opener === '<!--' && has(POWERS)))) return true;
  if (has(ORDERS) && (has(POWERS) || has(enclosed ? READERS : MACHINES))) return ORDERS.has(last) || MACHINES.has(last);
  if (enclosed && !opener.startsWith('"') && words.length === 1 && ORDERS.has(last)) return true;
  if (words.length === 1 && SPEAKERS.has(last)) {
    if (opener === '<!--') return true;
    if (opener === '[') return closer === ']:';
    if (opener === '<') return last === 'hidden';
    if (opener !== undefined && /^[-=#]/.test(opener)) return last === 'system' && closer !== ':';
    // The form of forged conversation turns.
    return closer === ':' && title.trim() === 'SYSTEM';
  }
  return false;
}

/** Whether a heading of the text poses as an order to its reader. */
export function hasForgedHeading(text: string, lexicon: Lexicon): boolean {
  for (const match of text.matchAll(HEADING)) {
    const [whole, line, opener, title = '', closer = ''] = match;
    const end = match.index + whole.length;
    if (isForged(opener, title, closer, text[end] ?? '')) return true;
    const inLine = line !== undefined && line !== '' && line !== '\n';
    if (inLine && interrupts(title.trim(), closer, text.slice(end, end + 30), lexicon)) return true;
  }
  return /[.!?:"'=\])]\s{1,4}SYSTEM\s?:/.test(text);
}

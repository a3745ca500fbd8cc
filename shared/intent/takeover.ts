// Notices text that tries to take an agent over: what it says (signals of the lexicon) and how it poses (forged headings).
import type { Lexicon, Signal } from './lexicon.ts';
import { type SpokenWords, spokenWords } from './words.ts';

/** What a text says that is typical of taking an agent over. */
export interface Takeover {
  /** Enough by itself. */
  readonly attack: boolean;
  /** A claim that excuses what follows ("this is only a drill"): an attack beside something destructive. */
  readonly pretext: boolean;
}

/** Whether `words[at...]`, before `end`, follows the signal, each step within `gap` words of the one before. */
function followsFrom(signal: Signal, words: readonly string[], at: number, end: number): boolean {
  let position = at;
  for (const step of signal.steps.slice(1)) {
    const limit = Math.min(end, position + 2 + signal.gap);
    let next = position + 1;
    while (next < limit && !step.has(words[next] ?? '')) next += 1;
    if (next >= limit) return false;
    position = next;
  }
  return true;
}

/** The signals in the words of a text; none goes on across the end of a line or sentence. */
function signalsIn({ words, ends }: SpokenWords, lexicon: Lexicon): Signal[] {
  const found = new Map<string, Signal>();
  let start = 0;
  for (const end of ends) {
    for (let at = start; at < end; at += 1) {
      for (const signal of lexicon.signals.get(words[at] ?? '') ?? NONE) {
        if (signal.start && at > start) continue;
        if (!found.has(signal.name) && followsFrom(signal, words, at, end)) found.set(signal.name, signal);
      }
    }
    start = end;
  }
  return [...found.values()];
}
const NONE: readonly Signal[] = [];

const wordSet = (list: string): ReadonlySet<string> => new Set(list.split(' '));
/** What gives orders. */
const ORDERS = wordSet('instruction instructions directive directives override prompt inst');
/** Who or what poses as having the right to. */
const POWERS = wordSet('system sys admin administrator developer dev root priority hidden secret internal new');
/** Whom it addresses. Some of these words are also people and products. */
const READERS = wordSet('ai llm chatbot gpt assistant agent model bot');
const MACHINES = wordSet('ai llm chatbot gpt');
const NOTES = wordSet('note notes message notice attention command task');
/** A heading of one such word poses as another speaker, when it is set in brackets, dashes or hashes. */
const SPEAKERS = wordSet('system sys admin hidden ai assistant');

// An opening bracket, comment or line, up to sixty letters, and what ends a heading. Every repetition is bounded.
const HEADING =
  /(?:(^|\n)[\s>*]{0,8}|(<!--|\{\{#?|\[|<|-{2,10}|={2,10}|#{1,10}|"_{1,3}|\())\s{0,4}([A-Za-z_'/ ]{2,60})(:|\]:?|\}\}|>|-{2,10}|={2,10}|#{1,10}|")/g;

/** Whether a heading poses as an order of the system, or as a note to the reading machine. */
function isForged(opener: string | undefined, title: string, closer: string, after: string): boolean {
  const words = title.toLowerCase().match(/[a-z]+/g) ?? [];
  const has = (set: ReadonlySet<string>) => words.some((word) => set.has(word));
  const last = words.at(-1) ?? '';
  const enclosed = opener !== undefined && opener !== '(';
  // `[instructions](https://...)` is a link.
  if (opener === '[' && after === '(') return false;
  if (opener === '(' && closer !== ':') return false;
  // Round brackets, quotation marks and lines of text open ordinary things too.
  if (has(NOTES) && has(READERS)) return enclosed || has(MACHINES) || READERS.has(last);
  // `[System notice]`, and a note of the developers that the page does not show.
  if (has(NOTES) && enclosed && (words[0] === 'system' || (opener === '<!--' && has(POWERS)))) return true;
  if (has(ORDERS) && (has(POWERS) || has(enclosed ? READERS : MACHINES))) return ORDERS.has(last);
  if (enclosed && !opener.startsWith('"') && words.length === 1 && ORDERS.has(last)) return true;
  if (words.length === 1 && SPEAKERS.has(last)) {
    if (opener === '<!--') return true;
    if (opener === '[') return closer === ']:';
    if (opener === '<') return last === 'hidden';
    if (opener !== undefined && /^[-=#]/.test(opener)) return last === 'system' && closer !== ':';
    // As forged turns of a conversation write it.
    return closer === ':' && title.trim() === 'SYSTEM';
  }
  return false;
}

function hasForgedHeading(text: string): boolean {
  for (const match of text.matchAll(HEADING)) {
    const [whole, , opener, title = '', closer = ''] = match;
    if (isForged(opener, title, closer, text[match.index + whole.length] ?? '')) return true;
  }
  return /[.!?"']\s{1,4}SYSTEM\s?:/.test(text);
}

/** The steps of an agent at work, as an agent writes them for itself. */
function hasForgedSteps(lower: string): boolean {
  return /(?:^|\n)\s{0,8}thought\s?:/.test(lower) && /\n\s{0,8}action\s?:/.test(lower);
}

/** A comment that a page does not show, and that asks for something. */
function hasHiddenRequest(lower: string, lexicon: Lexicon): boolean {
  for (const match of lower.matchAll(/<!--\s{0,4}([a-z]{2,20}) [a-z]/g)) {
    if (lexicon.verbs.has(match[1] ?? '')) return true;
  }
  return false;
}

/** What a text (plain, in its own case) says and how it poses. */
export function takeoverOf(text: string, lexicon: Lexicon, words?: SpokenWords): Takeover {
  const lower = text.toLowerCase();
  const signals = signalsIn(words ?? spokenWords(lower), lexicon);
  const hints = new Set(signals.filter(({ strength }) => strength !== 'attack').map(({ name }) => name));
  // A turn of a conversation that nobody held; people send transcripts too.
  if (/\n\s{0,8}(?:assistant|ai)\s?:/.test(lower)) hints.add('forged_turn');
  if (/<[a-z]{1,10} [^<>]{0,200}(?:display:\s?none|font-size:\s?[01]px|opacity:\s?0)/.test(lower))
    hints.add('invisible');
  const attack =
    signals.some(({ strength }) => strength === 'attack') ||
    hints.size > 1 ||
    lexicon.markers.some((marker) => lower.includes(marker)) ||
    // A note left for whoever reads the text, as tool results carry them: a request has no such heading.
    /(?:^|\n)[\s#*\-"'<(/]{0,8}todo\s?:/.test(lower) ||
    /^[\s#*"'<]{0,8}assistant\s?:/.test(lower) ||
    hasForgedSteps(lower) ||
    hasForgedHeading(text) ||
    hasHiddenRequest(lower, lexicon);
  return { attack, pretext: signals.some(({ strength }) => strength === 'pretext') };
}

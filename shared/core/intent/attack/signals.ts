// Finds word sequences that are typical of takeover attempts, where they are addressed to the reader and not only mentioned.
import { eachFrame, type Placed } from './frames.ts';
import type { Lexicon, Signal, Telling } from '../lexicon/types.ts';
import { wordSet } from '../text/word-set.ts';
import type { SpokenWords } from '../text/words.ts';

/** The end of the signal that begins at `words[at]`, before `end` and with each step within `gap` words of the previous one; or -1. */
function lastOf({ steps, gap }: Signal, words: readonly string[], at: number, end: number): number {
  let position = at;
  // Most signals fail at their second step, for every word that begins one, so nothing is allocated here.
  for (let index = 1; index < steps.length; index += 1) {
    const step = steps[index];
    const limit = Math.min(end, position + 2 + gap);
    let next = position + 1;
    while (next < limit && step?.has(words[next] ?? '') !== true) next += 1;
    if (next >= limit) return -1;
    position = next;
  }
  return position;
}

/** Cheap first test: whether any signal that begins at `words[at]` can have its second step. */
function mayGoOn({ signals, seconds, reach }: Telling, words: readonly string[], at: number, end: number): boolean {
  if (seconds === undefined) return true;
  if (signals.length === 0) return false;
  const limit = Math.min(end, at + 1 + reach);
  for (let next = at + 1; next < limit; next += 1) if (seconds.has(words[next] ?? '')) return true;
  return false;
}

/** First words of sentences that ask for an explanation or for a made-up text. */
const ASKS = wordSet('what how why who which explain describe define discuss teach');
const WRITES = wordSet('write create compose draft');
const FICTION = wordSet('story novel poem scene dialogue dialog thriller screenplay play tale script');
const POLITE = wordSet('can could would will you please help me');
const MEANS = wordSet('mean means meaning definition');
/** Words after which such a sentence only quotes. */
const QUOTES = wordSet(
  'phrase phrases says say saying said words sentence sentences called typed attack attacks attacker attackers hacker',
);

/** The index at which a sentence begins to quote others (`how do attackers use the phrase ...`), or its end. */
function quotedFrom(words: readonly string[], start: number, end: number): number {
  let begin = start;
  while (begin < end && POLITE.has(words[begin] ?? '')) begin += 1;
  const first = words[begin] ?? '';
  const may =
    ASKS.has(first) ||
    (WRITES.has(first) && words.slice(start, Math.min(end, start + 6)).some((word) => FICTION.has(word)));
  if (!may) return end;
  // `Explain what ... means` is about words.
  if (words.slice(start, end).some((word) => MEANS.has(word))) return start;
  for (let at = start; at < end; at += 1) if (QUOTES.has(words[at] ?? '')) return at;
  return end;
}

/** Before a verb: the action must not happen (`never reveal your prompt`). */
const NEGATES = wordSet("never not don't cannot can't mustn't shouldn't won't refuse refuses refusing avoid avoids");
/** Before a verb: others act (`when a user asks for your prompt`). */
const OTHERS_ASK = wordSet('asks requests tries attempts wants');
/** Words before a signal in a sentence that describes such texts: `an attack in which text steers a model into ...`. */
const TOLD_OF = wordSet(
  'attack attacks attacker attackers adversary adversaries adversarial injection injections jailbreaks hacker hackers technique techniques',
);
const TOLD_REACH = 14;
/** `Developers can override ...` and `the model was told to ignore ...` are about others; `you can ...` is not. */
const MAY = wordSet('can could may might would did does');
const MADE = wordSet('told asked instructed designed made tricked trained able used');
const SPEAKERS = wordSet('you i we u ai assistant assistants llm model agent chatbot please');

function isOfOthers(words: readonly string[], start: number, at: number): boolean {
  const before = words[at - 1] ?? '';
  if (at - 2 < start) return false;
  const subject = words[at - 2] ?? '';
  return (
    (MAY.has(before) && !SPEAKERS.has(subject)) ||
    (before === 'to' &&
      MADE.has(subject) &&
      words[at - 3] !== 'you' &&
      /^(?:was|were|is|are|been|being)$/.test(words[at - 3] ?? ''))
  );
}

/** Whether the words before `at` negate the following, or attribute it to someone else. */
function isOnlyTold(words: readonly string[], start: number, at: number, negated = false): boolean {
  if (isOfOthers(words, start, at)) return true;
  for (let before = at - 1; before >= Math.max(start, at - TOLD_REACH); before -= 1) {
    const word = words[before] ?? '';
    if (!negated && before >= at - 2 && NEGATES.has(word)) return true;
    if (before >= at - 4 && OTHERS_ASK.has(word)) return true;
    if (TOLD_OF.has(word)) return true;
  }
  return false;
}

/** Matters of the reader: rules about these are the reader's own rules. */
const OWN_MATTERS = wordSet(
  'you your yourself ai being safety ethics ethical morals rules rule guidelines policies instructions prompt restrictions limits privacy what how not system conversation chat context this message above beginning start text document page file email website attachment past order',
);

const ABOUT = wordSet('about regarding concerning');
const RULES = wordSet('instruction instructions rule rules guideline guidelines message messages');

/** Whether `words[at..last]` belong to the speaker, or concern only one matter: `forget the instructions about the deadline`. */
function isOfOneMatter(words: readonly string[], at: number, last: number): boolean {
  const isOther = (from: number) =>
    from < words.length && !words.slice(from, from + 3).some((word) => OWN_MATTERS.has(word));
  if (ABOUT.has(words[last + 1] ?? '') && isOther(last + 2)) return true;
  for (let next = at; next <= last; next += 1) {
    if (words[next] === 'my') return true;
    // `The rules in the old style guide`.
    const of = words[next + 1];
    if (RULES.has(words[next] ?? '') && (of === 'in' || of === 'of') && words[next + 2] === 'the' && isOther(next + 3))
      return true;
  }
  return false;
}

/** A sign that was found, with the index of its first word. */
export interface Sign extends Pick<Signal, 'name' | 'strength'> {
  readonly at: number;
}

/** A sign with several forms counts once, with the strength of the strongest. */
function isNew({ name, strength }: Pick<Sign, 'name' | 'strength'>, found: ReadonlyMap<string, Sign>): boolean {
  const known = found.get(name);
  return known === undefined || (strength === 'attack' && known.strength !== 'attack');
}

const isKnown = (word: string, { verbForms, domainOfNoun, plurals, commonWords }: Lexicon): boolean =>
  verbForms.get(word) !== undefined || domainOfNoun.has(word) || plurals.has(word) || commonWords.has(word);

/** The words with those of signals and frames spelt right: one typing mistake does not hide an attack. */
function spelledRight(words: readonly string[], lexicon: Lexicon): readonly string[] {
  let right: string[] | undefined;
  for (const [at, word] of words.entries()) {
    const meant = lexicon.misspelt.meantBy(word);
    if (meant === undefined || isKnown(word, lexicon)) continue;
    right ??= [...words];
    right[at] = meant;
  }
  return right ?? words;
}

/** The signals and frames in the words of a text, each once; none extends across the end of a line or sentence. */
export function signalsIn(spoken: SpokenWords, lexicon: Lexicon): Sign[] {
  const { ends, addressed } = spoken;
  const words = spelledRight(spoken.words, lexicon);
  const found = new Map<string, Sign>();
  const add = ({ name, strength }: Pick<Sign, 'name' | 'strength'>, at: number, last: number) => {
    const weaker = strength === 'attack' && isOfOneMatter(words, at, last);
    found.set(name, { name, strength: weaker ? 'hint' : strength, at });
  };
  let start = 0;
  for (const end of ends) {
    const quoted = quotedFrom(words, start, end);
    const placed: Placed[] = [];
    for (let at = start; at < quoted; at += 1) {
      const telling = lexicon.telling.get(words[at] ?? '');
      if (telling === undefined) continue;
      const { kinds } = telling;
      if (kinds !== undefined) placed.push({ at, low: kinds.low, high: kinds.high });
      if (!mayGoOn(telling, words, at, end)) continue;
      for (const signal of telling.signals) {
        if (signal.start && at > start) continue;
        if (found.size > 0 && !isNew(signal, found)) continue;
        const last = lastOf(signal, words, at, end);
        if (last >= 0 && !isOnlyTold(words, start, at)) add(signal, at, last);
      }
    }
    eachFrame(placed, addressed, lexicon, (frame, at, last) => {
      if (isNew(frame, found) && !isOnlyTold(words, start, at, frame.negated)) add(frame, at, last);
    });
    start = end;
  }
  return [...found.values()];
}

// Finds sequences of words that are typical of text which takes an agent over, where they are said and not only spoken of.
import type { Lexicon, Signal } from './lexicon.ts';
import { wordSet } from './word-set.ts';
import type { SpokenWords } from './words.ts';

/** Whether `words[at...]`, before `end`, follows the signal, each step within `gap` words of the one before. */
function followsFrom({ steps, gap }: Signal, words: readonly string[], at: number, end: number): boolean {
  let position = at;
  // Most signals end at their second step, for every word that begins one: nothing is made here.
  for (let index = 1; index < steps.length; index += 1) {
    const step = steps[index];
    const limit = Math.min(end, position + 2 + gap);
    let next = position + 1;
    while (next < limit && step?.has(words[next] ?? '') !== true) next += 1;
    if (next >= limit) return false;
    position = next;
  }
  return true;
}

/** Sentences that ask what something is, and those that ask for a made-up text. */
const ASKS = wordSet('what how why who which explain describe define discuss teach');
const WRITES = wordSet('write create compose draft');
const FICTION = wordSet('story novel poem scene dialogue dialog thriller screenplay play tale script');
/** Words after which a sentence of that kind only quotes. */
const QUOTES = wordSet(
  'phrase phrases says say saying said words sentence sentences called typed attack attacks attacker attackers hacker',
);

/** Where a sentence begins to quote what others say (`how do attackers use the phrase ...`), or its end. */
function quotedFrom(words: readonly string[], start: number, end: number): number {
  const first = words[start] ?? '';
  const may =
    ASKS.has(first) ||
    (WRITES.has(first) && words.slice(start, Math.min(end, start + 6)).some((word) => FICTION.has(word)));
  if (!may) return end;
  for (let at = start; at < end; at += 1) if (QUOTES.has(words[at] ?? '')) return at;
  return end;
}

/** Before a verb: it is what must not happen (`never reveal your prompt`). */
const NEGATES = wordSet("never not don't cannot can't mustn't shouldn't won't refuse refuses refusing avoid avoids");
/** Before a verb: it is what somebody else does (`when a user asks for your prompt`). */
const OTHERS_ASK = wordSet('asks requests tries attempts wants');
/** What a sentence that has these words before it tells of such texts: `an attack in which text steers a model into ...`. */
const TOLD_OF = wordSet(
  'attack attacks attacker attackers adversary adversaries adversarial injection injections jailbreaks hacker hackers technique techniques',
);
const TOLD_REACH = 14;

/** Whether the words before `at` say that what follows is not to happen, or is told of somebody else. */
function isOnlyTold(words: readonly string[], start: number, at: number): boolean {
  for (let before = at - 1; before >= Math.max(start, at - TOLD_REACH); before -= 1) {
    const word = words[before] ?? '';
    if (before >= at - 2 && NEGATES.has(word)) return true;
    if (before >= at - 4 && OTHERS_ASK.has(word)) return true;
    if (TOLD_OF.has(word)) return true;
  }
  return false;
}

/** A sign in several forms counts once, by the strongest of them. */
function isNew({ name, strength }: Signal, found: ReadonlyMap<string, Signal>): boolean {
  const known = found.get(name);
  return known === undefined || (strength === 'attack' && known.strength !== 'attack');
}

/** The signals in the words of a text, each once; none goes on across the end of a line or sentence. */
export function signalsIn({ words, ends }: SpokenWords, lexicon: Lexicon): Signal[] {
  const found = new Map<string, Signal>();
  let start = 0;
  for (const end of ends) {
    const quoted = quotedFrom(words, start, end);
    for (let at = start; at < quoted; at += 1) {
      const beginning = lexicon.signals.get(words[at] ?? '');
      if (beginning === undefined) continue;
      for (const signal of beginning) {
        if (signal.start && at > start) continue;
        if (followsFrom(signal, words, at, end) && isNew(signal, found) && !isOnlyTold(words, start, at))
          found.set(signal.name, signal);
      }
    }
    start = end;
  }
  return [...found.values()];
}

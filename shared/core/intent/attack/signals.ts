// Finds word sequences that are typical of takeover attempts, where they are addressed to the reader and not only mentioned.
import { matchesAmong, type Placed } from '../lexicon/patterns.ts';
import type { Lexicon, Signal, Telling } from '../lexicon/types.ts';
import type { KnownWords } from '../text/words.ts';
import { is, K, someAre, taggedWith, type TaggedWords } from '../lexicon/word-kinds.ts';

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

/** The index at which a sentence begins to quote others (`how do attackers use the phrase ...`), or its end. */
function quotedFrom(words: TaggedWords, start: number, end: number): number {
  let begin = start;
  while (begin < end && is(words, begin, K.politeness)) begin += 1;
  const may =
    is(words, begin, K.explaining) ||
    (is(words, begin, K.writing) && someAre(words, start, Math.min(end, start + 6), K.fiction));
  if (!may) return end;
  // `Explain what ... means` is about words.
  if (someAre(words, start, end, K.meaning_word)) return start;
  for (let at = start; at < end; at += 1) if (is(words, at, K.quoting)) return at;
  return end;
}

const TOLD_REACH = 14;

function isOfOthers(words: TaggedWords, start: number, at: number): boolean {
  const before = words[at - 1] ?? '';
  if (at - 2 < start) return false;
  return (
    (is(words, at - 1, K.others_modal) && !is(words, at - 2, K.reader_speaker)) ||
    (before === 'to' && is(words, at - 2, K.others_made) && words[at - 3] !== 'you' && is(words, at - 3, K.passive_be))
  );
}

/** Whether the words before `at` negate the following, or attribute it to someone else. */
function isOnlyTold(words: TaggedWords, start: number, at: number, negated = false): boolean {
  if (isOfOthers(words, start, at)) return true;
  for (let before = at - 1; before >= Math.max(start, at - TOLD_REACH); before -= 1) {
    if (!negated && before >= at - 2 && is(words, before, K.refraining)) return true;
    if (before >= at - 4 && is(words, before, K.others_asking)) return true;
    if (is(words, before, K.attack_topic)) return true;
  }
  return false;
}

/** Whether `words[at..last]` belong to the speaker, or concern only one matter: `forget the instructions about the deadline`. */
function isOfOneMatter(words: TaggedWords, at: number, last: number): boolean {
  const isOther = (from: number) => from < words.length && !someAre(words, from, from + 3, K.reader_matter);
  if (is(words, last + 1, K.matter_preposition) && isOther(last + 2)) return true;
  for (let next = at; next <= last; next += 1) {
    if (words[next] === 'my') return true;
    // `The rules in the old style guide`.
    const of = words[next + 1];
    if (is(words, next, K.rule_word) && (of === 'in' || of === 'of') && words[next + 2] === 'the' && isOther(next + 3))
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

/** The words with those of signals and frames spelt right: one typing mistake does not hide an attack. */
function spelledRight({ words, infos }: KnownWords, { wordKinds }: Lexicon): TaggedWords {
  const right = [...words];
  const kinds = infos.map(({ meant, kinds: own }, at) => {
    if (meant === undefined) return own;
    right[at] = meant;
    return wordKinds.of(meant);
  });
  return taggedWith(right, kinds);
}

/** The signals and frames in the words of a text, each once; none extends across the end of a line or sentence. */
export function signalsIn(spoken: KnownWords, lexicon: Lexicon): Sign[] {
  const { ends, addressed, infos } = spoken;
  const words = spelledRight(spoken, lexicon);
  const frames = addressed ? lexicon.frames : lexicon.frames.filter(({ address }) => !address);
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
      const telling = infos[at]?.telling;
      if (telling === undefined) continue;
      const { kinds } = telling;
      if (kinds !== undefined) placed.push({ at, end: at + 1, kinds });
      if (!mayGoOn(telling, words, at, end)) continue;
      for (const signal of telling.signals) {
        if (signal.start && at > start) continue;
        if (found.size > 0 && !isNew(signal, found)) continue;
        const last = lastOf(signal, words, at, end);
        if (last >= 0 && !isOnlyTold(words, start, at)) add(signal, at, last);
      }
    }
    // One word may be of several kinds, and a frame needs two.
    for (const { pattern: frame, from, to } of placed.length > 1 ? matchesAmong(frames, placed) : [])
      if (isNew(frame, found) && !isOnlyTold(words, start, from, frame.negated)) add(frame, from, to);
    start = end;
  }
  return [...found.values()];
}

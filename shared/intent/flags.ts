// Notices text that tries to take an agent over, hidden code, and text in a language that is not read.
import type { Lexicon, Signal } from './lexicon.ts';

/** Words of the whole text for phrase lookups: letters, digits, inner apostrophes and hyphens, lower case. */
export function allWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*/gu) ?? [];
}

/** Whether `words[at...]` follows the signal, each step within `gap` words of the one before. */
function followsFrom(signal: Signal, words: readonly string[], at: number): boolean {
  let position = at;
  for (const step of signal.steps.slice(1)) {
    const limit = Math.min(words.length, position + 2 + signal.gap);
    let next = position + 1;
    while (next < limit && !step.has(words[next] ?? '')) next += 1;
    if (next >= limit) return false;
    position = next;
  }
  return true;
}

/** Names of the takeover signals in a text. `lower` is the plain text, lower case. */
export function takeoverSignals(lower: string, lexicon: Lexicon): string[] {
  const found = new Set<string>();
  for (const marker of lexicon.markers) if (lower.includes(marker)) found.add('forged_marker');
  // A note left for whoever reads the text, as tool results carry them: a request has no such heading.
  if (/^[\s#*\-"'<(]{0,8}todo\s?:/.test(lower) || /\n[\s#*-]{0,8}todo\s?:/.test(lower)) found.add('planted_note');
  // A turn of a conversation that nobody held.
  if (/^[\s#*"'<]{0,8}assistant\s?:/.test(lower)) found.add('forged_turn');
  for (const line of lower.split(/[\n.!?:]+/)) {
    const words = allWords(line);
    for (const [at, word] of words.entries()) {
      for (const signal of lexicon.signals.get(word) ?? []) {
        if (signal.start && at > 0) continue;
        if (!found.has(signal.name) && followsFrom(signal, words, at)) found.add(signal.name);
      }
    }
  }
  return [...found];
}

const BASE64 = /[A-Za-z0-9+/_-]{20,}={0,2}/g;

/** Texts that a text carries in base64: printable ones only, at most five. */
export function hiddenTexts(text: string): string[] {
  const found: string[] = [];
  for (const match of text.matchAll(BASE64)) {
    const candidate = match[0].slice(0, 4_000);
    if (found.length === 5) break;
    // Ordinary long words and hexadecimal digests are no hidden text.
    if (/^[a-z]+$/.test(candidate) || /^[0-9a-fA-F-]+$/.test(candidate)) continue;
    const decoded = Buffer.from(candidate, 'base64').toString('utf8');
    const printable = decoded.match(/[\x20-\x7e\n\t]/g)?.length ?? 0;
    if (decoded.length >= 8 && printable === decoded.length && /[a-z]{2}/i.test(decoded) && /[\s/]/.test(decoded))
      found.push(decoded);
  }
  return found;
}

const ENGLISH = new Set(
  'the a an of to in on for with and or is are was be this that these those my your our it from by at as all any me i we you please can could not do what which how who where when why'.split(
    ' ',
  ),
);

/** Whether the text is written in a language, or a script, that the lexicon does not cover. */
export function isForeign(words: readonly string[], lexicon: Lexicon): boolean {
  let latin = 0;
  let other = 0;
  for (const word of words) {
    if (/^[a-z0-9'-]*$/.test(word)) latin += word.length;
    else
      for (const char of word)
        if (/[a-z\u00df-\u024f]/.test(char)) latin += 1;
        else if (/\p{L}/u.test(char)) other += 1;
  }
  if (other > 0 && latin < (latin + other) * 0.6) return true;
  let foreign = 0;
  let english = 0;
  for (const word of words) {
    if (lexicon.foreignWords.has(word)) foreign += 1;
    else if (ENGLISH.has(word)) english += 1;
  }
  return foreign > english && (foreign > 1 || words.length <= 8);
}

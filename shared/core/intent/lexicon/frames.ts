// Compiles the word kinds and frames of a lexicon into look-up tables.
import { type NearWords, nearWords } from './one-edit.ts';
import type { Frame, Kinds, Signal, Telling } from './types.ts';
import type { LexiconFile } from './schema.ts';
import { wordsOfKind } from './word-kinds.ts';

type Report = (pointer: string, message: string) => void;

/** Kinds are bits of two numbers, because bitwise operators have 32 bits. */
const BITS = 31;
const MAX_KINDS = 2 * BITS;
/** The fewest letters of a word that is also recognized with a typing mistake. */
const MISSPELT = 6;

function tellingOf(signals: readonly Signal[], kinds: Kinds | undefined): Telling {
  const seconds = signals.map(({ steps }) => steps[1]);
  return {
    signals,
    seconds: seconds.includes(undefined) ? undefined : new Set(seconds.flatMap((step) => [...(step ?? [])])),
    reach: Math.max(0, ...signals.map(({ gap }) => gap + 1)),
    kinds,
  };
}

interface CompiledFrames {
  readonly telling: ReadonlyMap<string, Telling>;
  readonly frames: readonly Frame[];
  readonly kindNames: readonly string[];
  readonly misspelt: NearWords;
}

/** Builds the tables of the kinds, together with the `signals` by their first words, and of the frames; mistakes are reported. */
export function compileFrames(
  { wordKinds = {}, frames = [] }: LexiconFile,
  signals: ReadonlyMap<string, readonly Signal[]>,
  report: Report,
): CompiledFrames {
  const used = new Set(frames.flatMap(({ slots, unless = [] }) => [...slots.flat(), ...unless]));
  const names = Object.keys(wordKinds).filter((name) => used.has(name));
  if (names.length > MAX_KINDS)
    report('/frames', `frames can have ${MAX_KINDS} kinds of words together, not ${names.length}`);
  const bitOf = (name: string): Kinds => {
    const index = names.indexOf(name);
    return index < BITS ? { low: 1 << index, high: 0 } : { low: 0, high: 1 << (index - BITS) };
  };
  const table = new Map<string, Kinds>();
  const add = (word: string, { low, high }: Kinds) => {
    const known = table.get(word) ?? { low: 0, high: 0 };
    table.set(word, { low: known.low | low, high: known.high | high });
  };
  for (const name of names) for (const word of wordsOfKind(name, wordKinds)) add(word, bitOf(name));
  const kindsOf = (list: readonly string[], pointer: string): Kinds => {
    let low = 0;
    let high = 0;
    for (const [index, name] of list.entries()) {
      if (!Object.hasOwn(wordKinds, name))
        report(`${pointer}/${index}`, `"${name}" is not a kind of words of this lexicon`);
      else {
        const bit = bitOf(name);
        low |= bit.low;
        high |= bit.high;
      }
    }
    return { low, high };
  };
  const steps = [...signals.values()].flatMap((of) => of.flatMap((signal) => signal.steps));
  const misspelt = Object.keys(wordKinds).filter((name) => wordKinds[name]?.misspelt === true);
  return {
    misspelt: nearWords(
      new Set([
        ...steps.flatMap((step) => [...step]),
        ...misspelt.flatMap((name) => [...wordsOfKind(name, wordKinds)]),
      ]),
      MISSPELT,
      MISSPELT - 1,
    ),
    kindNames: names,
    telling: new Map(
      [...new Set([...signals.keys(), ...table.keys()])].map((word) => [
        word,
        tellingOf(signals.get(word) ?? [], table.get(word)),
      ]),
    ),
    frames: frames.map((frame, at) => {
      const { name, within = 8, ordered = false, address = false, strength = 'attack', unless } = frame;
      const slots = frame.slots.map((slot, index) => kindsOf(slot, `/frames/${at}/slots/${index}`));
      return {
        name,
        within,
        ordered,
        address,
        strength,
        slots,
        any: slots.reduce((all, slot) => ({ low: all.low | slot.low, high: all.high | slot.high })),
        unless: unless === undefined ? undefined : kindsOf(unless, `/frames/${at}/unless`),
        negated: frame.slots.some((slot) => slot.includes('not')),
      };
    }),
  };
}

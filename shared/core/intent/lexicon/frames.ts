// Compiles the word kinds and frames of a lexicon into look-up tables.
import { nearWords } from './one-edit.ts';
import { setReader, unionOf } from './patterns.ts';
import type { Signal, Telling } from './types.ts';
import type { LexiconFile } from './schema.ts';
import type { Report } from './tables.ts';
import { kindsByWord, type KindSet, wordsOfKind } from './word-kinds.ts';

/** The fewest letters of a word that is also recognized with a typing mistake. */
const MISSPELT = 6;

function tellingOf(signals: readonly Signal[], kinds: KindSet | undefined): Telling {
  const seconds = signals.map(({ steps }) => steps[1]);
  return {
    signals,
    seconds: seconds.includes(undefined) ? undefined : new Set(seconds.flatMap((step) => [...(step ?? [])])),
    reach: Math.max(0, ...signals.map(({ gap }) => gap + 1)),
    kinds,
  };
}

/** Builds the tables of the kinds, together with the `signals` by their first words, and of the frames; mistakes are reported. */
export function compileFrames(
  { wordKinds = {}, frames = [] }: LexiconFile,
  signals: ReadonlyMap<string, readonly Signal[]>,
  report: Report,
) {
  const used = new Set(frames.flatMap(({ slots, unless = [] }) => [...slots.flat(), ...unless]));
  const names = Object.keys(wordKinds).filter((name) => used.has(name));
  const table = kindsByWord(names, (name) => wordsOfKind(name, wordKinds));
  const kindsOf = setReader(names, 'words of this lexicon', report);
  const steps = [...signals.values()].flatMap((of) => of.flatMap((signal) => signal.steps));
  const misspelt = Object.keys(wordKinds).filter((name) => wordKinds[name]?.misspelt === true);
  return {
    /** Words of signals, and of kinds that may be misspelt. */
    misspelt: nearWords(
      new Set([
        ...steps.flatMap((step) => [...step]),
        ...misspelt.flatMap((name) => [...wordsOfKind(name, wordKinds)]),
      ]),
      MISSPELT,
      MISSPELT - 1,
    ),
    kindNames: names as readonly string[],
    /** First words of signals and words of frames, in one table, because every word of a text is looked up. */
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
        gap: Infinity,
        ordered,
        address,
        strength,
        slots,
        /** All kinds of its slots. */
        any: unionOf(slots),
        /** Kinds next to which the frame does not apply. */
        unless: unless === undefined ? undefined : kindsOf(unless, `/frames/${at}/unless`),
        /** The negating word is one of the frame's own words. */
        negated: frame.slots.some((slot) => slot.includes('not')),
      };
    }),
  };
}

// Notices text that tries to take an agent over: what it says (signals of the lexicon) and how it poses, weighed together.
import type { Lexicon, Signal } from '../lexicon/types.ts';
import { isAboutAttacks, withoutMentions } from './mentions.ts';
import { posingOf } from './posing.ts';
import { type Sign, signalsIn } from './signals.ts';
import { type SpokenWords, spokenText } from '../text/words.ts';

/** What a text says that is typical of taking an agent over. */
export interface Takeover {
  /** Enough by itself. */
  readonly attack: boolean;
  /** A hint: an attack beside something destructive, when something leaves the organisation too. */
  readonly hinted: boolean;
  /** A claim that excuses what follows ("this is only a drill"): an attack beside something destructive. */
  readonly pretext: boolean;
}

/** How much each sign counts, and what makes an attack. */
const WEIGHTS: Readonly<Record<Signal['strength'], number>> = { attack: 3, hint: 2, pretext: 2, trace: 1 };
const ATTACK = 3;

/** Signs that begin at the same word say one thing: the strongest of them counts. */
function apart(signs: readonly Sign[]): readonly Sign[] {
  if (signs.length < 2) return signs;
  const kept = new Map<number, Sign>();
  for (const sign of signs) {
    const known = kept.get(sign.at);
    if (known === undefined || WEIGHTS[known.strength] < WEIGHTS[sign.strength]) kept.set(sign.at, sign);
  }
  return [...kept.values()];
}

function read(text: string, lower: string, spoken: SpokenWords, lexicon: Lexicon): Takeover {
  const signs = signalsIn(spoken, lexicon);
  const strengths = apart(signs).map(({ strength }) => strength);
  const posing = posingOf(text, lower, spoken.ascii, lexicon);
  for (const _ of posing.hints) strengths.push('hint');
  for (const _ of posing.traces) strengths.push('trace');
  // Who speaks of attacks names much of what they are made of: then only what is plain counts in full.
  const discount = !strengths.includes('attack') && strengths.length > 1 && isAboutAttacks(text) ? 1 : 0;
  const weight = strengths.reduce((sum, strength) => sum + WEIGHTS[strength] - discount, 0);
  return {
    attack: weight >= ATTACK || posing.attack,
    hinted: weight >= WEIGHTS.hint,
    pretext: signs.some(({ strength }) => strength === 'pretext'),
  };
}

/** What a text (plain, in its own case) says and how it poses. */
export function takeoverOf(text: string, lexicon: Lexicon, words?: SpokenWords): Takeover {
  const lower = text.toLowerCase();
  const found = read(text, lower, words ?? spokenText(text), lexicon);
  if (!(found.attack || found.hinted || found.pretext)) return found;
  // What it only quotes is looked for last, because most texts need no such care.
  const said = withoutMentions(text);
  if (said === text) return found;
  const saidLower = said.toLowerCase();
  return read(said, saidLower, spokenText(said), lexicon);
}

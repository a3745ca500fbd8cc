// Detects texts that try to take over an agent: by their content (signals of the lexicon) and their form (posing), weighed together, and
// beside these rules by learned weights.
import type { Lexicon, Signal } from '../lexicon/types.ts';
import { type Evidence, evidenceOf, featureTextOf, type FeatureText } from './learned.ts';
import { isAboutAttacks, withoutMentions } from './mentions.ts';
import { type Posing, posingOf } from './posing.ts';
import { type Sign, signalsIn } from './signals.ts';
import { type KnownWords, spokenText } from '../text/words.ts';

/** The result for a text. */
export interface Takeover {
  /** Sufficient by itself. */
  readonly attack: boolean;
  /** A hint: an attack in combination with a destructive action and data that leaves the organisation. */
  readonly hinted: boolean;
  /** A claim that excuses what follows ("this is only a drill"): an attack in combination with a destructive action or with credentials. */
  readonly pretext: boolean;
  /** The words by which the learned weights made this an attack; empty when they did not, or the rules did. */
  readonly evidence: readonly Evidence[];
}

/** The weight of each sign, and the sum that makes an attack. */
const WEIGHTS: Readonly<Record<Signal['strength'], number>> = { attack: 3, hint: 2, pretext: 2, trace: 1 };
const ATTACK = 3;

/** Signs that begin at the same word are one sign: the strongest counts. */
function apart(signs: readonly Sign[]): readonly Sign[] {
  if (signs.length < 2) return signs;
  const kept = new Map<number, Sign>();
  for (const sign of signs) {
    const known = kept.get(sign.at);
    if (known === undefined || WEIGHTS[known.strength] < WEIGHTS[sign.strength]) kept.set(sign.at, sign);
  }
  return [...kept.values()];
}

const learnedTextOf = (
  spoken: KnownWords,
  signs: readonly Sign[],
  { hints, traces }: Posing,
  lexicon: Lexicon,
): FeatureText => featureTextOf(spoken, [...signs.map(({ name }) => name), ...hints, ...traces], lexicon);

/** A text (plain, in its own case) as the learned weights read it. */
export function featuresOfText(text: string, lexicon: Lexicon): FeatureText {
  const said = withoutMentions(text);
  const spoken = spokenText(said, lexicon.words);
  const posing = posingOf(said, said.toLowerCase(), spoken.ascii, lexicon);
  return learnedTextOf(spoken, signalsIn(spoken, lexicon), posing, lexicon);
}

function read(text: string, spoken: KnownWords, signs: readonly Sign[], lexicon: Lexicon): Takeover {
  const strengths = apart(signs).map(({ strength }) => strength);
  const posing = posingOf(text, text.toLowerCase(), spoken.ascii, lexicon);
  for (const _ of posing.hints) strengths.push('hint');
  for (const _ of posing.traces) strengths.push('trace');
  // A text about attacks names many of their parts, so its weaker signs count less.
  const discount = !strengths.includes('attack') && strengths.length > 1 && isAboutAttacks(text) ? 1 : 0;
  const weight = strengths.reduce((sum, strength) => sum + WEIGHTS[strength] - discount, 0);
  const attack = weight >= ATTACK || posing.attack;
  const evidence =
    attack || lexicon.learned === undefined
      ? []
      : evidenceOf(learnedTextOf(spoken, signs, posing, lexicon), lexicon.learned);
  return {
    attack: attack || evidence.length > 0,
    hinted: weight >= WEIGHTS.hint,
    pretext: signs.some(({ strength }) => strength === 'pretext'),
    evidence,
  };
}

/** Analyses content and form of a text (plain, in its own case). */
export function takeoverOf(
  text: string,
  lexicon: Lexicon,
  spoken: KnownWords = spokenText(text, lexicon.words),
): Takeover {
  const signs = signalsIn(spoken, lexicon);
  const found = read(text, spoken, signs, lexicon);
  if (!(found.attack || found.hinted || found.pretext)) return found;
  // Quotations are removed last, because most texts do not need it.
  const said = withoutMentions(text);
  if (said === text) return found;
  const saidWords = spokenText(said, lexicon.words);
  return read(said, saidWords, signalsIn(saidWords, lexicon), lexicon);
}

// The flags and traits of a text: what its readings, its form and its words together say about it.
import type { IntentFlag, Trait } from '../../../kernel/vocabulary.ts';
import { isScrambled } from '../attack/flags.ts';
import { handsOverShell, isIllicit } from '../attack/illicit.ts';
import { SETS } from '../code/judged-settings.ts';
import type { Takeover } from '../attack/takeover.ts';
import type { CandidateAction } from '../grammar/candidate.ts';
import { extentOf } from '../grammar/context.ts';
import type { Lexicon } from '../lexicon/types.ts';
import type { Readings } from '../readings.ts';
import type { Segments } from '../segments.ts';
import { holdsPrivateKey } from '../text/secrets.ts';
import type { ParsedIntent } from '../types.ts';

/** The parts of a parse that its flags and traits depend on. */
export interface Read {
  readonly lead: CandidateAction;
  readonly extent: ParsedIntent['extent'];
  readonly alternatives: ParsedIntent['alternatives'];
  readonly entities: ParsedIntent['entities'];
  readonly data_classes: ParsedIntent['data_classes'];
  /** Something leaves the organisation. */
  readonly external: boolean;
}

/** Beyond these words, quantities are not about the request. */
const QUANTIFIED = 60;

/** Whether a text tries to take over the agent. */
function takesOver(takeover: Takeover, { all }: Readings, code: Segments['code'], read: Read): boolean {
  const destroys = [...all, ...code].some(({ effect }) => effect === 'destructive');
  // A pretext excuses what follows it, including code that the text claims only to mention.
  const grave = destroys || read.data_classes.includes('credentials');
  return takeover.attack || (takeover.pretext && grave) || (takeover.hinted && destroys && read.external);
}

const holdsSecret = ({ text, sentences, hidden }: Segments): boolean =>
  sentences.some((sentence) => sentence.some(({ kind }) => kind === 'secret')) ||
  holdsPrivateKey(text) ||
  hidden.texts.some(holdsPrivateKey);

/** Whether a part of the text can't be read: it is encoded, scrambled, or code that hides what it runs. */
export const hidesText = ({ code, hidden, spoken }: Segments, { hidesOrder }: Readings): boolean =>
  hidesOrder || hidden.isShifted || isScrambled(spoken.words) || code.some(({ disguised }) => disguised);

/** @param isDisguised the text is written with look-alike or invisible characters, or hides a part */
export function flagsOf(
  segments: Segments,
  readings: Readings,
  takeover: Takeover,
  read: Read,
  isDisguised: boolean,
): Set<IntentFlag> {
  const flags: [IntentFlag, boolean][] = [
    ['prompt_injection', takesOver(takeover, readings, segments.code, read)],
    ['obfuscated', isDisguised],
    ['negated', readings.all.some(({ negated }) => negated)],
    ['multi_action', read.alternatives.length > 0],
    ['not_understood', read.lead.action === 'unknown'],
    ['secret_in_text', holdsSecret(segments)],
  ];
  return new Set(flags.filter(([, isRaised]) => isRaised).map(([flag]) => flag));
}

/** Also those of further requests: a text that sends something outside keeps this trait whichever action comes first. */
export function traitsOfText(
  { text, sentences, code, spoken: { words, infos }, isForeign }: Segments,
  { all, asked }: Readings,
  { lead, extent, entities, external }: Read,
  lexicon: Lexicon,
): Trait[] {
  const traits = new Set([...lead.traits, ...asked.flatMap((request) => request.traits)]);
  // What settings say of privileges is told by their values.
  const phrases = code.some(({ verb }) => verb === SETS) ? [] : lexicon.traitPhrases.findAll(words);
  for (const trait of phrases)
    if (lead.action !== 'read' || lead.traits.length > 0 || trait === 'privileged') traits.add(trait);
  if (entities.money.length > 0 && lead.action === 'transfer') traits.add('financial');
  const isMany = () => extentOf(words.slice(0, QUANTIFIED), false, lexicon) !== 'one';
  if (lead.effect !== 'read' && (extent === 'all' || (extent === 'many' && isMany()))) traits.add('bulk');
  if (external) traits.add('external');
  if ((!isForeign && isIllicit(infos, all, sentences, lexicon)) || handsOverShell(text)) traits.add('illicit');
  return [...traits].sort();
}

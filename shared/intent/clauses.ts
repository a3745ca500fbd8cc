// Finds the verbs of a sentence that ask for something. A verb counts only where a request may begin: a slot.
import { AFTER_VERB, AUX, CONJUNCTIONS, FINITE, PREPOSITIONS, SUBJECTS, SUBORDINATORS, WH } from './clause-words.ts';
import type { Lexicon, VerbEntry } from './lexicon.ts';
import type { Sentence, Token } from './tokens.ts';

/** A verb that asks for something, and where its object may stand. */
export interface Request {
  readonly entry: VerbEntry;
  /** Index of the first token after the verb and its particle. */
  readonly next: number;
  readonly at: number;
  readonly sentence: Sentence;
  readonly negated: boolean;
  /** 0..1: how sure it is that this word is a verb that asks. */
  readonly certainty: number;
  readonly kind: 'imperative' | 'question';
  /** `needs a cluster`: a thing that is wanted. */
  readonly wanted: boolean;
}

/** Words of a sentence by which phrases are looked up; names in quotes and the like match nothing. */
export const wordsOf = (sentence: Sentence): string[] =>
  sentence.map((token) =>
    token.kind === 'word' ? token.lower : token.kind === 'punct' ? token.text : `\u0000${token.kind}`,
  );

/** Noun-like verbs need help from what follows before they count as verbs between clauses. */
function followedLikeVerb(next: Token | undefined): boolean {
  if (!next) return false;
  if (next.kind !== 'word') return next.kind !== 'punct' || /^["'`(*]/.test(next.text);
  return AFTER_VERB.has(next.lower) || /^\p{Lu}/u.test(next.text);
}

interface Slot {
  readonly strong: boolean;
  readonly first: boolean;
}

/** Whether missing this verb would matter most: it destroys, starts, sends, pays or gives rights. */
const isConsequential = ({ effect, action, weak }: VerbEntry): boolean =>
  !weak && (effect === 'destructive' || CONSEQUENTIAL.has(action));
const CONSEQUENTIAL: ReadonlySet<string> = new Set(['execute', 'send', 'transfer', 'grant', 'revoke']);

/** Reads one sentence. `query` is the entry that stands for questions. */
export function requestsOf(sentence: Sentence, lexicon: Lexicon, query: VerbEntry): Request[] {
  const words = wordsOf(sentence);
  const found: Request[] = [];
  const endsAsQuestion = sentence.some((token) => token.kind === 'punct' && token.text.includes('?'));
  let slot: Slot | undefined = { strong: true, first: true };
  let negated = false;
  let third = false;
  let subordinate = false;
  const carriedOut = isCarriedOut(words.join(' '));
  for (let at = 0; at < sentence.length; at += 1) {
    const token = sentence[at];
    const word = words[at] ?? '';
    if (!token) break;
    if (token.kind === 'punct') {
      // A comma, a dash or a colon may open a request; so may a bullet.
      if (/[,:;()\u2013\u2014*>\]|/&-]/.test(token.text)) {
        slot = { strong: subordinate || found.length === 0, first: found.length === 0 };
        subordinate = false;
        negated = false;
      }
      continue;
    }
    const prefix = lexicon.prefixes.match(words, at);
    const inSlot = slot !== undefined;
    if (
      prefix &&
      (inSlot || prefix.value === 'negation' || (found.length === 0 && prefix.length > 1) || word === 'please')
    ) {
      // `You can` and `can we` inside a question stay questions only when they do not ask somebody to act.
      const lead = lexicon.verbForms.match(words, at);
      if (!(lead && prefix.value === 'polite' && lead.length >= prefix.length && inSlot && !lead.value.entry.weak)) {
        if (prefix.value === 'negation') negated = true;
        else if (prefix.length > 1 || word === 'please') negated = false;
        slot = { strong: true, first: slot?.first ?? found.length === 0 };
        at += prefix.length - 1;
        continue;
      }
    }
    if (CONJUNCTIONS.has(word)) {
      // `or` carries a negation on; `and` and `but` end it: doubt counts as asked for.
      if (word !== 'or') negated = false;
      slot = { strong: false, first: found.length === 0 && at === 0 };
      continue;
    }
    if (carriedOut && found.length > 0 && WH.has(word)) {
      at = beforeShown(words, at);
      slot = { strong: true, first: true };
      continue;
    }
    if (!slot) continue;
    if (token.kind === 'word' && word.endsWith('ly') && word.length > 4 && !lexicon.verbForms.match(words, at))
      continue;
    if (slot.first && found.length === 0 && isQuestion(words, at, endsAsQuestion)) {
      found.push({
        entry: query,
        next: at + 1,
        at: token.at,
        sentence,
        negated: false,
        certainty: 0.8,
        kind: 'question',
        wanted: false,
      });
      slot = undefined;
      continue;
    }
    const match = verbAt(sentence, words, at, slot, third, negated, lexicon);
    if (match) {
      const { entry, form } = match.reading;
      if (form === 'third') third = true;
      found.push({
        entry,
        next: at + match.length,
        at: token.at,
        sentence,
        negated,
        certainty: match.certainty,
        kind: 'imperative',
        wanted: false,
      });
      at += match.length - 1;
      // `Use X to list Y`, `help me find Y`: the purpose is the request.
      slot = undefined;
      if (entry.weak) at = purposeAfter(words, at);
      if (entry.weak && at < words.length && words[at] === 'to') slot = { strong: true, first: true };
      // `explain how` is one verb.
      else if (carriedOut && WH.has(words[at] ?? '')) {
        at = beforeShown(words, at);
        slot = { strong: true, first: true };
      }
      continue;
    }
    if (wantedAt(words, at)) {
      found.push({
        entry: query,
        next: at + 2,
        at: token.at,
        sentence,
        negated,
        certainty: 0.55,
        kind: 'imperative',
        wanted: true,
      });
    }
    if (SUBORDINATORS.has(word)) subordinate = true;
    slot = undefined;
  }
  return found;
}

/** The index of the last word before what follows `how you` or `how to`: what is to be shown by doing it. */
function beforeShown(words: readonly string[], at: number): number {
  let last = at;
  while (SUBJECTS.has(words[last + 1] ?? '') || words[last + 1] === 'to') last += 1;
  return last;
}

/** The index of the `to` that follows a weak verb within its clause, else where the verb stands. */
function purposeAfter(words: readonly string[], at: number): number {
  for (let next = at + 1; next < Math.min(words.length, at + 25); next += 1) {
    if (words[next] === 'to') return next;
    if (/^[.;,:!?]/.test(words[next] ?? '')) break;
    if (CONJUNCTIONS.has(words[next] ?? '')) break;
  }
  return at;
}

const WANTS = new Set(['need', 'want', 'require', 'needs', 'wants', "i'd", 'like']);

/** `I need a cluster`, `we want the report`. */
function wantedAt(words: readonly string[], at: number): boolean {
  return (words[at] === 'i' || words[at] === 'we') && WANTS.has(words[at + 1] ?? '');
}

function isQuestion(words: readonly string[], at: number, endsAsQuestion: boolean): boolean {
  const word = words[at] ?? '';
  const next = words[at + 1] ?? '';
  if (WH.has(word)) {
    if (word === 'when' || word === 'where' || word === 'which' || word === 'who')
      return endsAsQuestion || AUX.has(next);
    return true;
  }
  return (
    AUX.has(word) &&
    (endsAsQuestion || (SUBJECTS.has(next) && word !== 'do' && word !== 'have') || /^(?:i|we|you|they)$/.test(next))
  );
}

interface VerbMatch {
  readonly reading: { readonly entry: VerbEntry; readonly form: 'base' | 'third' | 'gerund' };
  readonly length: number;
  readonly certainty: number;
}

function verbAt(
  sentence: Sentence,
  words: readonly string[],
  at: number,
  slot: Slot,
  third: boolean,
  negated: boolean,
  lexicon: Lexicon,
): VerbMatch | undefined {
  const match = lexicon.verbForms.match(words, at);
  if (!match) return undefined;
  const compound = lexicon.compounds.match(words, at);
  const previousCompound = at > 0 ? lexicon.compounds.match(words, at - 1) : undefined;
  if ((compound && compound.length > match.length) || (previousCompound && previousCompound.length > 1))
    return undefined;
  const { entry, form } = match.value;
  const next = sentence[at + match.length];
  if (next?.kind === 'word' && FINITE.has(next.lower) && !entry.weak) return undefined;
  const result = (certainty: number): VerbMatch => ({ reading: match.value, length: match.length, certainty });
  const opening = slot.first && slot.strong;
  if (form === 'gerund') {
    const previous = words[at - 1];
    if (negated || previous === 'for' || previous === 'by' || opening || slot.strong) return result(0.75);
    return undefined;
  }
  if (form === 'third') {
    if (!(opening || third)) return undefined;
    if (entry.alsoNoun && next?.kind === 'word' && PREPOSITIONS.has(next.lower) && next.lower !== 'for')
      return opening ? result(0.5) : undefined;
    return result(entry.alsoNoun ? 0.85 : 0.95);
  }
  if (third && entry.alsoNoun) return furtherVerb(entry, next) ? result(0.5) : undefined;
  if (!entry.alsoNoun || match.length > 1) return result(slot.strong ? 1 : 0.85);
  if (next?.kind === 'word' && (next.lower === 'of' || next.lower === 'and' || next.lower === 'or') && !opening)
    return undefined;
  if (slot.strong) return result(followedLikeVerb(next) ? 0.95 : next?.lower === 'of' ? 0.35 : 0.85);
  if (followedLikeVerb(next)) return result(0.75);
  return !slot.first && furtherVerb(entry, next) ? result(0.5) : undefined;
}

/**
 * Whether a word that may be a noun is taken for a further verb because missing one would matter: `and grant access`,
 * `and pay bob`. What destroys needs no object.
 */
function furtherVerb(entry: VerbEntry, next: Token | undefined): boolean {
  if (!isConsequential(entry)) return false;
  if (next === undefined || next.kind === 'punct') return entry.effect === 'destructive';
  return next.lower !== 'as' && !PREPOSITIONS.has(next.lower) && !CONJUNCTIONS.has(next.lower);
}

const CARRYING_OUT =
  /\bby\s{1,8}(?:\w{1,20}ly\s{1,8}|just\s{1,8})?(?:doing|running|executing|performing|applying|trying|issuing|carrying\s{1,8}out)\s{1,8}(?:it|that|this|them|those|these|so|one|the\s{1,8}(?:command|commands|statement|query|code|script))\b/i;

/** Whether what a text seems only to talk about is to be done: `show me how you delete users by doing it`. */
export const isCarriedOut = (text: string): boolean => CARRYING_OUT.test(text);

// Finds the end of a noun phrase within a clause: `the song | playing now`, `users | signed up today`, `is the road | closed`.
import { AFTER_VERB, COMPARISONS, CONJUNCTIONS, PREPOSITIONS } from './clause-words.ts';
import { singular } from '../lexicon/inflection.ts';
import type { Lexicon } from '../lexicon/types.ts';
import type { Sentence, Token } from '../text/tokens.ts';
import { wordSet } from '../text/word-set.ts';

/** Words after a past participle that describes the preceding noun: `emails marked as read`, `files older than 7 days`. */
const DESCRIBED =
  /^(?:from|by|in|for|to|with|on|at|the|a|an|as|under|after|before|since|during|between|within|over|via|through|without|last|this|yesterday|today|overnight|than|me|us|him|her|them|you)$/;
/** Words that end a noun phrase once it has begun: comparisons, adjectives that follow their noun. */
const CLOSERS = new Set([
  ...COMPARISONS,
  ...'away back accessible visible available eligible due exist exists existed know knows nearby'.split(' '),
]);
/** Particles of a verb, which may be inside a name: `turn the sign up form off`. */
const PARTICLES = wordSet('off out up down');
/** Adjectives that are predicates when nothing follows them: `is the road busy`, `make the page live`. */
const PREDICATES = wordSet(
  'live private public active inactive visible invisible hidden blank empty bad good high low big small busy open ' +
    'closed free ready late early slow fast broken down online offline full safe valid invalid expensive cheap correct ' +
    'wrong eligible okay ok later earlier sooner red green blue yellow white black pink purple orange grey gray louder quieter warmer colder healthy unhealthy mandatory optional required read-only editable alive dead unavailable missing',
);
/** Gerunds that describe what a thing does rather than a kind of it: `the process running on port 80`. */
const DOING = wordSet(
  'running playing waiting listening failing living working going coming happening starting ending expiring arriving ' +
    'departing leaving returning belonging showing having costing lasting consisting describing indicating explaining ' +
    'saying asking stating telling requesting needing wanting missing doing looking hanging sitting lying standing staying',
);
/** Verbs at the end of a question: `what does the form look like`, `what does it mean`. */
const CLOSING_VERBS = wordSet(
  'look mean happen say cost take work last exist need renew expire fail break crash hang run arrive come depart begin',
);
const DOES = wordSet('do does did will would');
/** `Do I have an index`: the verb has already occurred. */
const SPEAKERS = wordSet('i you we they he she it');
/** Words for a time, which are not an object by themselves: `alert me at ten am`. */
const TIMES = wordSet(
  'am pm noon midnight march monday tuesday wednesday thursday friday saturday sunday january february april june july august ' +
    'september october november december six seven eight nine eleven twelve thirty tonight morning evening afternoon',
);
/** The number of words searched backwards for a question's auxiliary. */
const REACH = 12;

/** The phrase ends here: the clause ends, or a preposition or conjunction follows. */
function goesNoFurther(token: Token | undefined): boolean {
  if (token === undefined) return true;
  if (token.kind === 'punct') return !/^[/"'([&-]/.test(token.text);
  return PREPOSITIONS.has(token.lower) || CONJUNCTIONS.has(token.lower) || AFTERWARDS.has(token.lower);
}
const AFTERWARDS = wordSet(
  'to now today tonight tomorrow yesterday right again already yet currently please like enough if when twice once',
);

const isNoun = (word: string, lexicon: Lexicon): boolean => lexicon.domainOfNoun.has(singular(word, lexicon.plurals));

/** A past participle that is neither a noun nor a base form: `sent`, `made`, `blocked`. */
export function isParticiple(word: string, lexicon: Lexicon): boolean {
  return lexicon.participles.get(word) !== undefined && !lexicon.verbs.has(word) && !isNoun(word, lexicon);
}

/** Whether the words at `at` are a predicate of the preceding noun: `bad`, `blocked by you`. */
export function isPredicateOf(sentence: Sentence, at: number, lexicon: Lexicon): boolean {
  const token = sentence[at];
  if (token?.kind !== 'word' || !(PREDICATES.has(token.lower) || isParticiple(token.lower, lexicon))) return false;
  return goesNoFurther(sentence[at + 1]);
}

/** Whether a participle describes the preceding noun: `payments made by Ana`, `users signed up last week`. */
function isDescription(sentence: Sentence, at: number, lexicon: Lexicon): boolean {
  const word = sentence[at]?.lower ?? '';
  const next = sentence[at + 1];
  if (word.endsWith('ed') && !lexicon.domainOfNoun.has(word) && DESCRIBED.test(next?.lower ?? '')) return true;
  const past = word.endsWith('ed') && word.length > 5 && !lexicon.verbs.has(word) && !isNoun(word, lexicon);
  if (past && (next === undefined || next.kind === 'punct')) return true;
  if (!isParticiple(word, lexicon)) return false;
  return next === undefined || next.kind !== 'word' || DESCRIBED.test(next.lower) || PARTICLES.has(next.lower);
}

/** Whether a gerund describes what the preceding noun does. */
function tellsDoing(sentence: Sentence, at: number, lexicon: Lexicon): boolean {
  const word = sentence[at]?.lower ?? '';
  if (!word.endsWith('ing') || isNoun(word, lexicon)) return false;
  const next = sentence[at + 1];
  if (AFTER_VERB.has(next?.lower ?? '')) return true;
  return DOING.has(word) && (goesNoFurther(next) || !(next?.kind === 'word' && isNoun(next.lower, lexicon)));
}

/** Whether an adjective or a gerund introduces its topic: `wrong with the server`, `coming to the party`. */
export function leadsToWhat(sentence: Sentence, at: number, lexicon: Lexicon): boolean {
  const word = sentence[at]?.lower ?? '';
  if (!(PREDICATES.has(word) || DOING.has(word)) || isNoun(word, lexicon)) return false;
  return /^(?:to|for|in|on|at|with|from|by)$/.test(sentence[at + 1]?.lower ?? '');
}

/** Kinds of things that have names. */
const NAMED = wordSet(
  'namespace cluster deployment collection database branch channel project workspace pod service bucket table queue topic ' +
    'repository repo folder node container machine volume user group team cluster board label host server stack dashboard',
);

/** Whether the name of a thing follows its kind: `the cluster north`, `the virtual machine db-1`. */
function isGivenName(sentence: Sentence, at: number, lexicon: Lexicon): boolean {
  const word = sentence[at]?.lower ?? '';
  const before = sentence[at - 1]?.lower ?? '';
  if (!goesNoFurther(sentence[at + 1]) || isNoun(word, lexicon)) return false;
  if (/\d/.test(word)) return isNoun(before, lexicon);
  // A word with the ending of a noun continues the phrase: `the team schedules`, `the cluster provisioner`.
  if (/(?:s|er|or|ion|ing|ment|ity|al)$/.test(word) || lexicon.verbs.has(word)) return false;
  return NAMED.has(before) && (sentence[at - 2]?.lower === 'the' || PREPOSITIONS.has(sentence[at - 2]?.lower ?? ''));
}

/** Whether a verb with an object follows the noun: `which pods | use more than one`. */
function takesObject(sentence: Sentence, at: number, lexicon: Lexicon): boolean {
  const word = sentence[at]?.lower ?? '';
  const next = sentence[at + 1];
  if (!(next?.kind === 'number' || DETERMINERS.has(next?.lower ?? '') || /^(?:more|less)$/.test(next?.lower ?? '')))
    return false;
  return lexicon.verbForms.get(word) !== undefined && !isNoun(word, lexicon);
}

/** Whether the verb of a question follows its subject: `how long does the export take`. */
function closesQuestion(sentence: Sentence, at: number, lexicon: Lexicon): boolean {
  const word = sentence[at]?.lower ?? '';
  const entry = lexicon.verbs.get(word);
  const closes = CLOSING_VERBS.has(word) || (entry !== undefined && !isNoun(word, lexicon) && word !== 'show');
  // `when will the refund show up`
  const parted = (closes || entry !== undefined) && PARTICLES.has(sentence[at + 1]?.lower ?? '');
  if (!(parted || (closes && goesNoFurther(sentence[at + 1])))) return false;
  for (let before = at - 1; before >= Math.max(0, at - REACH); before -= 1) {
    if (sentence[before]?.kind === 'punct' || SPEAKERS.has(sentence[before]?.lower ?? '')) return false;
    if (DOES.has(sentence[before]?.lower ?? '')) return true;
  }
  return false;
}

/** Whether a particle belongs to the following noun: `a wake up alarm`, `the sign in page`. */
export function isInnerParticle(sentence: Sentence, at: number, lexicon: Lexicon): boolean {
  const next = sentence[at + 1];
  return PARTICLES.has(sentence[at]?.lower ?? '') && next?.kind === 'word' && isNoun(next.lower, lexicon);
}

/** Whether the word at `at` ends the preceding noun phrase. */
export function endsNounPhrase(sentence: Sentence, at: number, lexicon: Lexicon): boolean {
  const word = sentence[at]?.lower ?? '';
  if (CLOSERS.has(word)) return true;
  if (PARTICLES.has(word)) return !isInnerParticle(sentence, at, lexicon);
  return (
    isDescription(sentence, at, lexicon) ||
    isPredicateOf(sentence, at, lexicon) ||
    tellsDoing(sentence, at, lexicon) ||
    isGivenName(sentence, at, lexicon) ||
    takesObject(sentence, at, lexicon) ||
    closesQuestion(sentence, at, lexicon)
  );
}

/** Whether the word at `at` can not begin a noun phrase: `who | approved the change`, `who | owns it`, `I | paid for it`. */
export function isVerbBefore(sentence: Sentence, at: number, lexicon: Lexicon): boolean {
  const token = sentence[at];
  const next = sentence[at + 1];
  if (token?.kind !== 'word' || isNoun(token.lower, lexicon)) return false;
  if (DETERMINERS.has(next?.lower ?? '')) return true;
  return isParticiple(token.lower, lexicon) && (goesNoFurther(next) || AFTERWARDS.has(next?.lower ?? ''));
}
const DETERMINERS = wordSet('a an the this these those my your our his her its their every each');

/** Whether the words only express a time: `ten am`, `Monday`. */
export const isOnlyTime = (tokens: readonly Token[]): boolean =>
  tokens.length > 0 && tokens.every(({ lower }) => TIMES.has(lower));

// Closed word classes of English grammar. They are not in the lexicon, because policy authors have nothing to add to them.
import { wordSet } from '../text/word-set.ts';

/** Question words. */
export const WH = wordSet("what what's whats which who who's whom whose where where's when when's why why's how how's");
/** Auxiliary verbs, which open yes-or-no questions. */
export const AUX = wordSet(
  "is are was were am do does did has have had should shall will would can could may might must isn't aren't " +
    "doesn't didn't",
);
/** Words that may follow an auxiliary at the start of a question. */
export const SUBJECTS = wordSet(
  'i we you he she it they there the a an my our your this that these those any all someone anyone anything',
);
/** Words that open a clause before the request: `if it fails, restart it`. */
export const SUBORDINATORS = wordSet(
  'if when while once after before since because as unless until although though whenever given assuming ' +
    'based for in on at from with to using within via by during under across regarding per through into like ' +
    'due',
);
/** Words that follow a verb rather than a noun. */
export const AFTER_VERB = wordSet(
  'a an the this that these those my your our his her its their all every each any some it them him me us ' +
    'everything everyone both new another no one two three multiple several existing specific',
);
/** Words that follow a noun rather than a verb. */
export const PREPOSITIONS = wordSet(
  'of in on at from for with by into within over under between across via than per about toward towards upon onto',
);
/** Finite verbs: the word before one is a subject. */
export const FINITE = wordSet(
  "is are was were has have had will should can could must may might does did isn't aren't",
);
/** Words after which a further request may begin. */
export const CONJUNCTIONS = wordSet('and then but or & plus afterwards');
/** Words after which examples are named. */
export const LISTS = wordSet('including include includes e.g namely incl');
/** Nouns before `to` that name the purpose of a tool: `provides the ability to update records`. */
export const ABILITIES = wordSet(
  'ability way capability means possibility functionality option opportunity tool chance',
);
/** Adjectives that are also verbs: `a new, empty repository`. */
export const ADJECTIVES = wordSet('empty void corrupt');
/** Comparisons that follow a noun: `drafts older than a year`. */
export const COMPARISONS = wordSet(
  'older newer larger bigger smaller greater higher longer shorter less more similar equal',
);
/** Pronouns as subjects: the words after them are not a request. */
export const PERSONS = wordSet('i we you he she it they there');

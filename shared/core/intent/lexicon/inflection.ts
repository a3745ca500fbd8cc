// English inflection as needed for parsing intents: the forms of a verb, its nouns, the singular of a noun.
import { pairMap } from '../text/word-set.ts';

export type VerbForm = 'base' | 'third' | 'gerund';

const VOWELS = 'aeiou';
const isVowel = (char: string | undefined) => char !== undefined && VOWELS.includes(char);

/** The third person singular of a verb: `copy` gives `copies`. */
function thirdPerson(base: string): string {
  if (/(?:s|x|z|ch|sh|o)$/.test(base)) return `${base}es`;
  if (base.endsWith('y') && !isVowel(base.at(-2))) return `${base.slice(0, -1)}ies`;
  return `${base}s`;
}

/** Whether the last letter may be doubled before an ending: `cancel` gives `canceling` and `cancelling`. */
function doubles(base: string): boolean {
  const last = base.at(-1);
  return !isVowel(last) && !'wxy'.includes(last ?? '') && isVowel(base.at(-2)) && !isVowel(base.at(-3));
}

/** The regular plural of a noun: `copy` gives `copies`. */
export const plural = thirdPerson;

/** The possible spellings of a verb's gerund. */
function gerunds(base: string): string[] {
  if (base.endsWith('ie')) return [`${base.slice(0, -2)}ying`];
  if (base.endsWith('e') && !base.endsWith('ee')) return [`${base.slice(0, -1)}ing`];
  return doubles(base) ? [`${base}ing`, `${base}${base.at(-1)}ing`] : [`${base}ing`];
}

const IRREGULAR_PARTICIPLES = pairMap(
  'send:sent resend:resent write:written rewrite:rewritten overwrite:overwritten build:built rebuild:rebuilt pay:paid ' +
    'repay:repaid prepay:prepaid give:given take:taken undo:undone redo:redone do:done make:made buy:bought sell:sold ' +
    'tell:told find:found get:got see:seen hide:hidden freeze:frozen unfreeze:unfrozen draw:drawn withdraw:withdrawn ' +
    'throw:thrown tear:torn bring:brought leave:left lend:lent spend:spent steal:stolen break:broken speak:spoken ' +
    'say:said spin:spun shut:shut cut:cut put:put set:set reset:reset split:split bid:bid let:let read:read run:run ' +
    'rerun:rerun forget:forgotten forbid:forbidden choose:chosen wake:woken hold:held keep:kept wind:wound unwind:unwound ' +
    'teach:taught fly:flown drive:driven shrink:shrunk bind:bound rebind:rebound unbind:unbound strike:struck shoot:shot ' +
    'show:shown',
);

/** The past participles of a verb, as in `should be deleted`; of `shut down` the first word is inflected. */
export function participles(verb: string): string[] {
  const space = verb.indexOf(' ');
  const head = space < 0 ? verb : verb.slice(0, space);
  const rest = space < 0 ? '' : verb.slice(space);
  const irregular = IRREGULAR_PARTICIPLES.get(head);
  if (irregular !== undefined) return [irregular + rest];
  if (head.endsWith('e')) return [`${head}d${rest}`];
  if (head.endsWith('y') && !isVowel(head.at(-2))) return [`${head.slice(0, -1)}ied${rest}`];
  return doubles(head) ? [`${head}ed${rest}`, `${head}${head.at(-1)}ed${rest}`] : [`${head}ed${rest}`];
}

/** Irregular nouns of actions. */
const IRREGULAR_NOMINALS = new Map([
  ...pairMap(
    'destroy:destruction expel:expulsion retain:retention suspend:suspension extend:extension expand:expansion convert:conversion ' +
      'revoke:revocation reduce:reduction publish:publication unsubscribe:unsubscription',
  ),
  ...[...pairMap('shut:down roll:back tear:down clean:up')].map(
    ([verb, particle]) => [`${verb} ${particle}`, `${verb}${particle}`] as const,
  ),
]);

/** Possible nouns for the action of a verb: `deletion`, `removal`, `cancellation`, `modification`. Some results are not English words. */
export function nominals(verb: string): string[] {
  const irregular = IRREGULAR_NOMINALS.get(verb);
  if (irregular !== undefined) return [irregular];
  if (verb.includes(' ') || verb.includes('-') || verb.length < 4) return [];
  const stem = verb.endsWith('e') ? verb.slice(0, -1) : verb;
  const found = [`${verb}ment`, `${stem}al`, `${stem}ion`, `${stem}ation`];
  if (verb.endsWith('ase')) found.push(`${stem}ure`);
  if (verb.endsWith('y')) found.push(`${verb.slice(0, -1)}ication`);
  if (verb.endsWith('l')) found.push(`${verb}lation`);
  return found;
}

/** All forms of a verb; of `set up` the first word is inflected. */
export function verbForms(verb: string): [form: string, kind: VerbForm][] {
  const space = verb.indexOf(' ');
  const head = space < 0 ? verb : verb.slice(0, space);
  const rest = space < 0 ? '' : verb.slice(space);
  return [
    [verb, 'base'],
    [thirdPerson(head) + rest, 'third'],
    ...gerunds(head).map((gerund): [string, VerbForm] => [gerund + rest, 'gerund']),
  ];
}

const NO_PLURAL = /(?:ss|us|is|\d)s?$/;
const PLURAL_ES = /(?:xes|ches|shes|sses|zzes)$/;

/** The singular of a lower-case noun. `irregular` maps plurals to singulars and takes precedence over the rules. */
export function singular(noun: string, irregular: ReadonlyMap<string, string>): string {
  const known = irregular.get(noun);
  if (known !== undefined) return known;
  if (noun.length < 4 || !noun.endsWith('s') || NO_PLURAL.test(noun)) {
    return noun.endsWith('sses') ? noun.slice(0, -2) : noun;
  }
  if (noun.endsWith('ies')) return noun.length > 4 ? `${noun.slice(0, -3)}y` : noun.slice(0, -1);
  if (PLURAL_ES.test(noun)) return noun.slice(0, -2);
  return noun.slice(0, -1);
}

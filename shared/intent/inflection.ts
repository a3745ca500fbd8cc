// English inflection, as far as reading intents needs it: the forms of a verb, the singular of a noun.

/** How a verb form stands in a text. */
export type VerbForm = 'base' | 'third' | 'gerund';

const VOWELS = 'aeiou';
const isVowel = (char: string | undefined) => char !== undefined && VOWELS.includes(char);

/** The third person of a verb's base form: `copy` gives `copies`. */
function thirdPerson(base: string): string {
  if (/(?:s|x|z|ch|sh|o)$/.test(base)) return `${base}es`;
  if (base.endsWith('y') && !isVowel(base.at(-2))) return `${base.slice(0, -1)}ies`;
  return `${base}s`;
}

/** The gerunds by which a base form may be spelled: both `canceling` and `cancelling`. */
function gerunds(base: string): string[] {
  if (base.endsWith('ie')) return [`${base.slice(0, -2)}ying`];
  if (base.endsWith('e') && !base.endsWith('ee')) return [`${base.slice(0, -1)}ing`];
  const plain = `${base}ing`;
  const last = base.at(-1);
  const doubles = !isVowel(last) && !'wxy'.includes(last ?? '') && isVowel(base.at(-2)) && !isVowel(base.at(-3));
  return doubles ? [plain, `${base}${last}ing`] : [plain];
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

/** The singular of a lower-case noun. `irregular` maps plurals to singulars and wins over the rules. */
export function singular(noun: string, irregular: ReadonlyMap<string, string>): string {
  const known = irregular.get(noun);
  if (known !== undefined) return known;
  if (noun.length < 4 || !noun.endsWith('s') || /(?:ss|us|is|\d)s?$/.test(noun)) {
    return noun.endsWith('sses') ? noun.slice(0, -2) : noun;
  }
  if (noun.endsWith('ies')) return noun.length > 4 ? `${noun.slice(0, -3)}y` : noun.slice(0, -1);
  if (/(?:xes|ches|shes|sses|zzes)$/.test(noun)) return noun.slice(0, -2);
  return noun.slice(0, -1);
}

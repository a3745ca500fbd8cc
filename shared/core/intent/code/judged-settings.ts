// Judges a text that is nothing but settings, such as `DB_POOL_SIZE=24 in staging` or a part of a configuration file: the gravest value
// counts, or a change if each of them is an ordinary one.
import { type Fragment, fragmentOf, gravest, isSecretName, type Span, unknownCode, WRITES } from './code.ts';
import { type Configuration, type Form, GIVES } from './configuration.ts';
import { isDestroying, isMoney, partsOf } from './names.ts';
import { doingOfSetting, distinct, protectsWhen, type Setting } from './settings.ts';
import { isOfKind, isProse, ORDERS } from './value-kinds.ts';
import { singular } from '../lexicon/inflection.ts';
import type { KindSet, NameKind, SettingKind, ValueKind } from '../lexicon/settings.ts';
import { oncePerLexicon } from '../lexicon/remember.ts';
import type { Lexicon } from '../lexicon/types.ts';

/** The verb of a text that is nothing but settings. */
export const SETS = 'set';
const WHAT = { verb: SETS, object: 'setting', domain: 'infra' } as const;

/** `open`: its name or value says too little, so that the learned weights count. */
type Judgement = SettingKind['is'];

function isNameOf(kind: NameKind, word: string, lexicon: Lexicon): boolean {
  const { plumbing, sensitiveSettings } = lexicon.codeWords;
  switch (kind) {
    case 'destroying':
      return isDestroying(word, lexicon);
    case 'money':
      return isMoney(word, lexicon);
    case 'rights':
      return sensitiveSettings.has(word) && !plumbing.has(word);
    case 'kept':
      return lexicon.emptying.has(word);
    case 'credentials':
      return isSecretName(word);
    case 'protectedOn':
      return protectsWhen(word, lexicon) === 'on';
    case 'protectedOff':
      return protectsWhen(word, lexicon) === 'off';
    default:
      return lexicon.codeWords[kind].has(word);
  }
}

const MAX_REMEMBERED = 2_000;
/** For each kind of names, what is known of words. */
const remembered = oncePerLexicon(() => new Map<NameKind, Map<string, boolean>>());

function isNameOfKind(kind: NameKind, word: string, lexicon: Lexicon): boolean {
  const all = remembered(lexicon);
  let known = all.get(kind);
  if (known === undefined || known.size >= MAX_REMEMBERED) all.set(kind, (known = new Map()));
  let is = known.get(word);
  if (is === undefined) known.set(word, (is = isNameOf(kind, word, lexicon)));
  return is;
}

function hasName({ own, kinds, not }: KindSet<NameKind>, words: readonly string[], lexicon: Lexicon): boolean {
  for (const word of words) {
    if (not.has(word)) continue;
    if (own.has(word)) return true;
    for (const kind of kinds) if (isNameOfKind(kind, word, lexicon)) return true;
  }
  return false;
}
const hasValue = ({ own, kinds }: KindSet<ValueKind>, setting: Setting, lexicon: Lexicon): boolean =>
  own.has(setting.value) || kinds.some((kind) => isOfKind(kind, setting, lexicon));

/** The words of a name by where they stand in it. */
function wordsOf({ name, own = name, isVariable }: Setting, { codeWords: { switches } }: Lexicon) {
  const all = name.split('_');
  const last = own.split('_');
  const around = all.slice(0, -last.length);
  // A switch is about what stands around it: `mfa: {required: false}`.
  const part = last.every((word) => switches.has(word)) ? [...around, ...last] : last;
  const whole = [own, part.join('_')];
  return {
    all,
    around,
    part,
    whole,
    first: part.slice(0, 1),
    last: last.slice(-1),
    end: [...last.slice(-1), last.slice(-2).join('_')],
    top: around.slice(0, 1),
    head: all.slice(0, 2),
    variable: isVariable === true ? [name, own] : [],
  };
}

/** The kind of a setting that no rule of the lexicon is about: the first one in the lexicon that it is of. */
export function kindOfSetting(setting: Setting, lexicon: Lexicon): SettingKind | undefined {
  const words = wordsOf(setting, lexicon);
  return lexicon.settingKinds.find(
    (one) =>
      (one.names === undefined || hasName(one.names, words[one.where], lexicon)) &&
      (one.with === undefined || hasName(one.with, words.all, lexicon)) &&
      (one.without === undefined || !hasName(one.without, words.all, lexicon)) &&
      (one.values === undefined || hasValue(one.values, setting, lexicon)) &&
      (one.except === undefined || !hasValue(one.except, setting, lexicon)),
  );
}

/** Who may do what, what runs, where something goes, and whether something is kept or protected are no ordinary questions. */
export function judgementOf(setting: Setting, lexicon: Lexicon): Judgement {
  // A name with nothing behind it sets nothing, but where something should stand.
  if (setting.value === 'unset')
    return judgementOf({ ...setting, value: 'empty' }, lexicon) === 'grave' ? 'grave' : 'ordinary';
  return kindOfSetting(setting, lexicon)?.is ?? 'open';
}

const effectOf = (word: string, { verbs }: Lexicon) => verbs.get(word)?.effect ?? 'read';
/** Words beside settings that ask for more than to know where they are. */
const asksForMore = (around: string, lexicon: Lexicon): boolean =>
  partsOf(around).some((word) => {
    const verb = lexicon.verbs.get(word);
    return isDestroying(word, lexicon) || (verb && !verb.alsoNoun && !verb.weak && verb.effect !== 'read');
  });

const SETS_UP = /^(?:apply|use|add|set|update|change|write|put|save|create)$/;
/** Whether words begin as a request does, with a verb that does not only read, and are about more than these settings: `Give Bob the keys`. */
function asks(words: string, lexicon: Lexicon): boolean {
  const [first = '', ...rest] = partsOf(words).filter((word) => word !== 'please');
  const acts = effectOf(first, lexicon) !== 'read';
  return rest.some((word) => GIVES.test(word)) || (rest.length > 0 && !SETS_UP.test(first) && acts);
}

/** Where a clause of a comment may begin. */
const CLAUSES = /[.,;:!?()]|\b(?:and|then|now|please|also|todo|must|should)\b/i;
const GRAVE = /^(?:transfer|grant|revoke|send)$/;
/** Whether words order something grave: `then wipe the disks`. */
const orders = (words: string, lexicon: Lexicon): boolean =>
  words.split(CLAUSES).some((clause) => {
    const [first = '', ...rest] = clause.trim().toLowerCase().split(/\s+/);
    const verb = lexicon.verbs.get(first);
    const gives = lexicon.refinements
      .get(first)
      ?.some(
        ({ action, objects }) =>
          GRAVE.test(action) && rest.some((word) => objects?.has(singular(word, lexicon.plurals))),
      );
    const isGrave = verb && (verb.effect === 'destructive' || GRAVE.test(verb.action));
    const isTold = gives === true || (rest.length > 1 && /^(?:give|hand)$/.test(first));
    return rest.length > 0 && (isGrave === true || isTold || isDestroying(first, lexicon));
  });

/** Whether words beside settings may ask for something, or say whose right, money or protection they are about. */
function mayAsk(words: string, lexicon: Lexicon): boolean {
  const { exposures, sensitiveSettings, sensitiveValues, weakeners } = lexicon.codeWords;
  const isAbout = (word: string) =>
    [exposures, sensitiveSettings, sensitiveValues, weakeners].some((list) => list.has(word)) ||
    isMoney(word, lexicon) ||
    isDestroying(word, lexicon);
  const parts = partsOf(words);
  return (
    ORDERS.test(words) ||
    parts.some((word) => effectOf(word, lexicon) !== 'read') ||
    (parts.length > 1 && parts.some(isAbout))
  );
}

/** Whether a setting shows what is inside to whoever uses a service: `DEBUG=True`. */
const showsInside = ({ name, own = name, value }: Setting): boolean =>
  /^(?:\w+_)?debug(?:_mode)?$/.test(own) && /^(?:true|on|yes|1)$/.test(value);
const PRODUCTION = /\b(?:prod|production|live)\b/i;

/** More than people write into a file. */
const MAX_SETTINGS = 300;

/** What the settings of a text do; undefined where the lexicon has a rule about one of them. */
function changeOf(
  { settings: all, remarks, comments, around, isCut }: Configuration,
  lexicon: Lexicon,
): Judgement | undefined {
  const settings = distinct(all);
  if (isCut || settings.length > MAX_SETTINGS) return 'grave';
  if (settings.some((setting) => doingOfSetting(setting, lexicon) !== undefined)) return undefined;
  const isProduction = PRODUCTION.test(around) || settings.some(({ value }) => PRODUCTION.test(value));
  const judgements = new Set(settings.map((setting) => judgementOf(setting, lexicon)));
  if (
    judgements.has('grave') ||
    asksForMore(around, lexicon) ||
    (isProduction && settings.some(showsInside)) ||
    remarks.some((remark) => asks(remark, lexicon)) ||
    comments.some((comment) => orders(comment, lexicon))
  )
    return 'grave';
  return judgements.has('open') || remarks.some((remark) => mayAsk(remark, lexicon)) ? 'open' : 'ordinary';
}

export interface JudgedSettings {
  readonly change: Fragment;
  /** What is said beside the settings, which must be no code: `X=1 (rm -rf /srv)`. */
  readonly around: string;
  /** Command lines that are among them. */
  readonly commands: readonly string[];
  readonly form: Form;
}

/**
 * A change of settings, where a text is nothing else; undefined for any other text. Other than ordinary settings are not understood;
 * where none is grave, the learned weights may call them harmless (`intentOf`).
 */
export function settingsOnly(
  text: string,
  found: Configuration | undefined,
  lexicon: Lexicon,
): JudgedSettings | undefined {
  const { textFields } = lexicon.codeWords;
  // A name alone sets nothing.
  if (found === undefined || lexicon.settingKinds.length === 0) return undefined;
  if (found.settings.every(({ name }) => textFields.has(name))) return undefined;
  const { around, commands, form, remarks, settings, title } = found;
  const isLoose = form !== 'assigned';
  const judgement = changeOf(found, lexicon);
  // Two words may be anything.
  const isTooLittle = isLoose && judgement === 'open' && settings.length === 1;
  // Words above settings that are not ordinary may say what they are: an example, a question.
  const isLong = (remark: string) => remark.split(/\s+/).length > (asks(remark, lexicon) ? 8 : 4);
  const isTold = title !== '' || remarks.some(isLong);
  if (judgement === undefined || isTooLittle || (isTold && judgement !== 'ordinary')) return undefined;
  // A title is read as a sentence is.
  const isRead = lexicon.verbs.has(partsOf(title).find((word) => word !== 'please') ?? '');
  const span = { at: isRead ? text.indexOf(title) + title.length : 0, end: text.length };
  const beside = { around: isLoose ? '' : around, commands, form };
  if (judgement === 'ordinary') return { change: fragmentOf(span, { ...WRITES, ...WHAT, isWhole: true }), ...beside };
  // The words of settings ask for nothing, but those of a sentence may.
  const says = [around, ...remarks].join('').trim() !== '' || settings.some(({ value }) => isProse(value));
  const open = judgement === 'grave' ? { ...WHAT, verb: 'unknown' } : { ...WHAT, isWhole: !says };
  return { change: unknownCode(span, open), ...beside };
}

/** What a text does that is nothing but settings, if the lexicon has one of its values. */
export function settingsAlone(text: string, found: Configuration | undefined, lexicon: Lexicon): Fragment[] {
  const doing = gravest(distinct(found?.settings ?? []).map((setting) => doingOfSetting(setting, lexicon)));
  const span: Span = { at: 0, end: text.length };
  return doing ? [fragmentOf(span, { ...WHAT, ...doing, isWhole: true })] : [];
}

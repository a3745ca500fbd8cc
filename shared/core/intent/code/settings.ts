// Reads the values that code sets, in JSON, objects, arguments, forms and assignments, and what setting them does.
import { oncePerLexicon } from '../lexicon/remember.ts';
import type { SettingRule } from '../lexicon/settings.ts';
import type { Doing, Lexicon } from '../lexicon/types.ts';
import { gravest } from './code.ts';
import { partsOf } from './names.ts';

const MAY_EMPTY = /[\d]|no(?:ne|thing)|null|remove/i;
/** A name with a value, in whatever notation. */
export const SETTING =
  /(?<![\w.])([a-z][\w.-]{0,60})(?=["']?\s{0,3}[=: \t]\s{0,3}["']?(?:interval\s{1,3}["']?)?(-?[\w.%]{1,12})(?![\w.]))/gi;

/** `1` in a unit as short as that is nothing too: `retention_ms: 1`. */
function isNothing(parts: readonly string[], value: string, lexicon: Lexicon): boolean {
  const isShort =
    value === '1' && parts.some((part) => /^(?:ms|millis|s|secs?|seconds?|minutes|hours|days)$/.test(part));
  return parts.some(
    (part) => (lexicon.emptying.get(part)?.has(value) ?? false) || (isShort && lexicon.emptying.has(part)),
  );
}

/** All values that leave nothing of some setting. */
const emptyValues = oncePerLexicon(
  ({ emptying }) => new Set(['1', ...[...emptying.values()].flatMap((of) => [...of])]),
);

/** Whether a setting that keeps something is set to nothing: `--replicas=0`, `maxmemory 1`, `"retention": 0`. */
export function emptiesSetting(text: string, lexicon: Lexicon): boolean {
  if (lexicon.emptying.size === 0 || !MAY_EMPTY.test(text)) return false;
  const values = emptyValues(lexicon);
  for (const [, name = '', value = ''] of text.matchAll(SETTING)) {
    const lower = value.toLowerCase();
    if (values.has(lower) && isEmptied(name, lower, lexicon)) return true;
  }
  return false;
}

/** Nothing, in whatever units: `0h0m0s`, `PT0S`, `0 days`, `0, 0`. */
const ZERO = /^p?t?0(?!x)[0.a-z\s,]{0,40}$/;

/** Whether one setting keeps something, and is set to nothing. */
function isEmptied(name: string, written: string, lexicon: Lexicon): boolean {
  const parts = partsOf(name);
  const value = ZERO.test(written) ? '0' : written;
  // None of what should not be is no harm: `maxUnavailable: 0`
  return isNothing(parts, value, lexicon) && !parts.some((part) => lexicon.codeWords.faults.has(part));
}

const MAY_DISABLE = /[01]|9{5}|true|false|yes|no|o(?:n|ff)|inf|unlimited|ed\b|(?:in|de)active/i;

/** Whether what an update sets ends or disables something: `active = false`, `"status": "suspended"`. */
export function disablesSomething(text: string, { disabling }: Lexicon): boolean {
  if (disabling.size === 0 || !MAY_DISABLE.test(text)) return false;
  for (const [, name = '', value = ''] of text.matchAll(SETTING))
    if (partsOf(name).some((part) => disabling.get(part)?.has(value.toLowerCase()))) return true;
  return false;
}

/** A setting is set to nothing, or an option destroys. */
export const EMPTIES: Doing = { action: 'delete', effect: 'destructive', traits: ['irreversible'] };

/** A value with the names that lead to it: `mfa_required` with `false` for `{"mfa": {"required": false}}`. */
export interface Setting {
  /** In snake_case. */
  readonly name: string;
  /** The last of those names, where they are several. */
  readonly own?: string;
  /** In lower case, without quotes. */
  readonly value: string;
  /** It is written in capital letters, as variables of the environment are. */
  readonly isVariable?: boolean;
}

const MAX_NAME = 120;
const LONG_STRING = /(["'`])(?:\\.|(?!\1)[^\\]){2001}/s;
/** Whether a text has a string that is too long to be read, so that what follows it may be taken for a part of it. */
export const hasLongString = (text: string): boolean => text.length > 2_000 && LONG_STRING.test(text);

/** Strings, values without quotes that have a slash in them (`https://x.example/a`, `/srv/a:ro`), words, numbers, signs. */
const PART =
  /"((?:[^"\\]|\\.){0,2000})"|'((?:[^'\\]|\\.){0,2000})'|`([^`\\]{0,2000})`|((?<=[=:][ \t]{0,3})(?!\/\/)[\p{L}_~./][^\s"'`,;&(){}[\]=/]{0,200}\/[^\s"'`,;&(){}[\]]{0,300}(?<!:)|[$\p{L}_][\p{L}\p{N}_$.-]{0,80})|(-?\d[\w./:-]{0,40}|[*]|::\/0)|(=>|===?|!==?|[<>]=|\\"|[:={}[\](),;&])/gu;

interface Part {
  readonly kind: 'string' | 'word' | 'number' | 'sign';
  readonly text: string;
}

function partsIn(text: string): Part[] {
  const found: Part[] = [];
  // A body within a string has its quotes escaped.
  const plain = text.replaceAll('\\"', '"');
  for (const [whole, double, single, back, word, number] of plain.matchAll(PART)) {
    const string = double ?? single ?? back;
    if (string !== undefined) found.push({ kind: 'string', text: string });
    else if (word !== undefined) found.push({ kind: 'word', text: word });
    else found.push({ kind: number === undefined ? 'sign' : 'number', text: whole });
  }
  return found;
}

const SETS: ReadonlySet<string> = new Set([':', '=', '=>']);
const OPENS: ReadonlySet<string> = new Set(['{', '[', '(']);
const CLOSES: ReadonlySet<string> = new Set(['}', ']', ')']);

/** The values that a text sets. */
export function settingsIn(text: string): Setting[] {
  const parts = partsIn(text);
  const found: Setting[] = [];
  /** For each bracket that is open, the end of the names that lead to it. */
  const around: string[] = [];
  let own = '';
  const named = () => [around.at(-1), own].filter(Boolean).join('.').slice(-MAX_NAME);
  const add = (value: string) => {
    const name = partsOf(named()).join('_');
    if (name === '') return;
    const last = partsOf(own).join('_');
    found.push({ name, value: value.toLowerCase(), ...(last === '' || last === name ? {} : { own: last }) });
  };
  for (let at = 0; at < parts.length; at += 1) {
    const { kind, text: word } = parts[at] as Part;
    const next = parts[at + 1];
    if (kind === 'sign') {
      if (OPENS.has(word)) {
        around.push(named());
        // An array or an object with nothing in it.
        if (own !== '' && next !== undefined && CLOSES.has(next.text) && word !== '(') add('empty');
        own = '';
      } else if (CLOSES.has(word)) around.pop();
      if (!SETS.has(word) && !OPENS.has(word)) own = '';
      continue;
    }
    const isKey = kind !== 'number' && next?.kind === 'sign' && SETS.has(next.text);
    if (isKey) own = word;
    else if (parts[at - 1]?.kind === 'sign' && (own !== '' || around.length > 0)) add(word === '' ? 'empty' : word);
  }
  return found;
}

/** The values that a text sets, read when somebody asks for them, and once. */
export function settingsOf(text: string): () => readonly Setting[] {
  let found: readonly Setting[] | undefined;
  return () => (found ??= settingsIn(text));
}

/** A name of a rule has so many words at most. */
const MAX_WORDS = 4;
/** So many words of the name of a setting are its own and those of what is around it. */
const MAX_OWN_WORDS = 10;

/** The rules by each of their names, and the words with which those begin. */
const rulesOf = oncePerLexicon(({ settings }) => {
  const byName = new Map<string, SettingRule[]>();
  for (const rule of settings) for (const name of rule.names) byName.set(name, [...(byName.get(name) ?? []), rule]);
  return { byName, firsts: new Set([...byName.keys()].map((name) => name.split('_', 1)[0] ?? '')) };
});

/** A rule, and whether what the name says beside it turns its value around: `no_verify`, `auth_disabled`, `block_public_acls`. */
interface Match {
  readonly rule: SettingRule;
  readonly isNegated: boolean;
  /** All of it is in the names around the setting's own. */
  readonly isAround: boolean;
}

/** Whether the words from `from` to `to` are part of this longer name among them. */
function isPartOf(name: string, words: readonly string[], from: number, to: number): boolean {
  const { length } = name.split('_');
  for (let at = Math.max(0, to - length); at <= from; at += 1)
    if (words.slice(at, at + length).join('_') === name) return true;
  return false;
}

/** The rules one of whose names is part of this name. */
function rulesIn({ name, own = name }: Pick<Setting, 'name' | 'own'>, lexicon: Lexicon): Match[] {
  const { byName, firsts } = rulesOf(lexicon);
  const { negators } = lexicon.codeWords;
  const words = name.split('_').slice(-MAX_OWN_WORDS);
  const ownFrom = words.length - own.split('_').length;
  const found: Match[] = [];
  for (const [from, word] of words.entries()) {
    if (!firsts.has(word)) continue;
    for (let to = from + 1; to <= Math.min(words.length, from + MAX_WORDS); to += 1) {
      // Hooks are no certificates: `git push --no-verify`.
      if (word === 'verify' && to === from + 1 && words[from - 1] === 'no') continue;
      const named = byName.get(to === from + 1 ? word : words.slice(from, to).join('_'));
      if (named === undefined) continue;
      const isNegated = [words[from - 1], words[to]].some((beside) => negators.has(beside ?? ''));
      const rules = named.filter(({ except }) => !except.some((other) => isPartOf(other, words, from, to)));
      found.push(...rules.map((rule) => ({ rule, isNegated, isAround: to <= ownFrom })));
    }
  }
  return found;
}

const isKept = (value: string): boolean => /^(?:null|none|nil|false|0|undefined|empty|unset)$/.test(value);

/** What a switch is set to when its name is negated. */
const OPPOSITES: ReadonlyMap<string, string> = new Map(
  ['true false', '1 0', 'on off', 'yes no', 't f', 'y n', 'enabled disabled'].flatMap((pair) => {
    const [a = '', b = ''] = pair.split(' ');
    return [[a, b] as const, [b, a] as const];
  }),
);

function rulesFor(setting: Setting, lexicon: Lexicon): SettingRule[] {
  // `roles/owner`
  const value = setting.value.replace(/^roles?\//, '');
  const opposite = OPPOSITES.get(value);
  // A switch is about what stands around it only where its own name says no more: `{"mfa": {"required": false}}`.
  const { switches } = lexicon.codeWords;
  const isSwitched = opposite !== undefined || isKept(value);
  const isOther = isSwitched && !(setting.own ?? '').split('_').every((word) => switches.has(word));
  return rulesIn(setting, lexicon).flatMap(({ rule, isNegated, isAround }) => {
    if (isAround && isOther) return [];
    const { values } = rule;
    if (values === undefined) return isKept(value) ? [] : [rule];
    return values.has((isNegated ? opposite : undefined) ?? value) ? [rule] : [];
  });
}

/** Whether a setting has the name of one that protects something, when it is switched on, or off where the name is negated. */
export function protectsWhen(name: string, lexicon: Lexicon): 'on' | 'off' | undefined {
  if (lexicon.codeWords.protections.has(name)) return 'on';
  const isProtection = ({ rule: { doing, values } }: Match) =>
    doing.effect === 'destructive' && values?.has('false') === true;
  const found = rulesIn({ name }, lexicon).filter(isProtection);
  if (found.length === 0) return undefined;
  return found.some(({ isNegated }) => isNegated) ? 'off' : 'on';
}

/** What a rule says of the setting of one value; undefined if none does. */
export const ruledDoing = (setting: Setting, lexicon: Lexicon): Doing | undefined =>
  gravest(rulesFor(setting, lexicon).map(({ doing }) => doing));

/** What a text contains that may have the name of a setting that counts for what only reads. */
const nameInReads = oncePerLexicon(({ settings }) => {
  const longest = (name: string) => name.split('_').reduce((a, b) => (b.length > a.length ? b : a), '');
  const words = settings.flatMap(({ inReads, names }) => (inReads ? [...names].map(longest) : []));
  return new RegExp(words.length === 0 ? '(?!)' : [...new Set(words)].join('|'), 'i');
});

/** What settings do that count for what only reads, too: `verify=False`. */
export function doingInReads(text: string, settings: () => readonly Setting[], lexicon: Lexicon): Doing | undefined {
  if (!nameInReads(lexicon).test(text)) return undefined;
  const rules = settings().flatMap((setting) => rulesFor(setting, lexicon));
  return gravest(rules.filter(({ inReads }) => inReads).map(({ doing }) => doing));
}

const PAIR = /^-{0,2}([A-Za-z][\w.-]{0,80})[=: ]\s?["']?([^\s"']{1,80})["']?$/;
const OPTION_NAME = /^--?([A-Za-z][\w-]{1,60})$/;
const SWITCHED = /^(?:true|false|0|1|yes|no|on|off|none)$/i;
/** `true`, `on`, `1` */
export const isSwitchedOn = (value: string): boolean => /^(?:true|on|yes|1|enabled)$/.test(value);
export const isSwitch = (value: string): boolean => SWITCHED.test(value);

/**
 * The settings that the words of a command line may make: `--insecure`, `-o StrictHostKeyChecking=no`, `http.sslVerify false`. Words that
 * are no options only count where they `maySet` something: `grep verify=False` looks for it.
 */
export function settingsOfWords(words: readonly string[], maySet: (at: number) => boolean = () => true): Setting[] {
  const found: Setting[] = [];
  const add = (name: string, value: string) =>
    found.push({ name: partsOf(name).join('_'), value: value.toLowerCase() });
  for (const [at, word] of words.entries()) {
    const [, name, value = ''] = PAIR.exec(word) ?? [];
    const next = words[at + 1] ?? '';
    const option = OPTION_NAME.exec(word)?.[1];
    if (!(word.startsWith('-') || maySet(at))) continue;
    if (name !== undefined) add(name, value);
    else if (option !== undefined) {
      add(option, 'true');
      add(option, next);
    } else if (SWITCHED.test(next) && /^[A-Za-z][\w.-]{1,60}$/.test(word)) add(word, next);
  }
  return found;
}

/** All that the setting of one value does, beside that it changes; nothing for an ordinary one. */
export function doingsOfSetting(setting: Setting, lexicon: Lexicon): readonly Doing[] {
  const { name, value } = setting;
  const doings = rulesFor(setting, lexicon).map(({ doing }) => doing);
  if (isEmptied(name, value, lexicon)) doings.push(EMPTIES);
  // `deleted_at`, with a date
  if (/_(?:at|on|by)$/.test(name) && !isKept(value)) {
    const become = lexicon.participles.get(name.split('_').at(-2) ?? '');
    if (become?.effect === 'destructive') doings.push(become);
  }
  return doings;
}

/** The gravest of that; undefined for an ordinary one. */
export const doingOfSetting = (setting: Setting, lexicon: Lexicon): Doing | undefined =>
  gravest(doingsOfSetting(setting, lexicon));

/** Those that differ: in deeply nested code the ends of many names are alike. */
export const distinct = (settings: readonly Setting[]): Setting[] => [
  ...new Map(
    settings.map((setting) => [`${setting.name.split('_').slice(-MAX_OWN_WORDS).join('_')} ${setting.value}`, setting]),
  ).values(),
];

/** The gravest of what the values that a text sets do. */
export const doingOfSettings = (text: string, lexicon: Lexicon, settings = settingsOf(text)): Doing | undefined =>
  lexicon.settings.length === 0
    ? undefined
    : gravest(distinct(settings()).map((setting) => doingOfSetting(setting, lexicon)));

/** The same, with what empties or, in an update, ends something. */
export const doingOfValues = (text: string, isUpdate: boolean, lexicon: Lexicon): Doing | undefined =>
  emptiesSetting(text, lexicon) || (isUpdate && disablesSomething(text, lexicon))
    ? EMPTIES
    : doingOfSettings(text, lexicon);

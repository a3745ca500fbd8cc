// Reads a text that is nothing but settings, such as `DB_POOL_SIZE=24 in staging` or a part of a configuration file: the gravest value
// counts, or a change if each of them is an ordinary one.
import { type Fragment, fragmentOf, gravest, isSecretName, type Span, unknownCode, WRITES } from './code.ts';
import { type Configuration, configurationIn } from './configuration.ts';
import { directivesIn } from './directives.ts';
import { isDestroying, isMoney, partsOf } from './names.ts';
import { exposesMachine, isLook, isPlainPlace, isPlumbing, isTuning } from './plain-settings.ts';
import { doingOfSetting, disablesSomething, distinct, protectsWhen, type Setting } from './settings.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { hostOf, isExternalHost } from '../text/entities.ts';

/** The verb of a text that is nothing but settings. */
export const SETS = 'set';

const MAX_TEXT = 4_000;
/** Some settings at most: a longer text is a file, of which other readers say what it is. */
const MAX_SETTINGS = 60;
const ON = /^(?:true|on|yes|enabled?|enforc(?:e|ed|ing)|block|strict|required?|[1-9]\d{0,5}[a-z]{0,5})$/;
/** A switch that is on, and no number. */
const ALL_ON = /^(?:true|on|yes|enabled?|enforced?|strict|required?|always|1)$/;
const OFF = /^(?:false|off|no|none|null|nil|never|disabled?|empty|-?0+(?:[.x]0+)?[a-z]{0,5}|undefined)$/;
/** A number, with its unit, a word, some words, or the name of a place such as `Europe/Lisbon`: no address, file, pattern or command. */
const PLAIN = /^#?[\p{L}\p{N}_][\p{L}\p{N}_ .,%+-]{0,60}(?:\/[\p{L}_-]{0,30})?$/u;

/** What stands apart from the words of a value: `"..."`, a comment. */
const QUOTED = /"[^"]*"|'[^']*'|(?<=^|\s)#.*$/gm;
/** What makes a value without quotes more than words and numbers: an address, a path, an option, a variable, a tag. */
const MORE_THAN_WORDS = /[\\$`|&!<>*@]|:\/\/|(?<![\p{L}\p{N}_])\/|\/[\p{L}\p{N}_.-]+[/.]|[=:\s]--?\p{L}/u;
const SECTION_LINE = /^\[{1,2}[^\][\n]*\]{1,2}$/gm;
const ADDRESSES = /[a-z][a-z\d+.-]{0,20}:\/\/[^\s"',;)\]}]{1,300}|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])/gi;

/** `set retention_days=400 on the bucket`, but no statement of SQL: `SET search_path = app;`. */
const ASKS = /^(?:[Pp]lease\s+)?[Ss]et\s+(?=[\w.-]+\s{0,2}[=:])(?!.*;$)/;
/** What is said about the settings of one line: a comment, a remark in parentheses or after a comma, where they are. */
const COMMENT = /\s{1,9}(?:#|\/\/)\s.*$|\s{0,9}\([^()]{0,80}\)$/;
const REMARK = /\s{0,3}[,;]\s{1,3}[\p{L}'-]{1,40}(?:[ ,]{1,2}[\p{L}'-]{1,40}){0,7}$/u;
const PLACE = /,?\s{1,9}(?:(?:set\s+)?(?:in|on|for|of)|at)\s{1,9}(?:[\w.'"-]{1,60}\s{1,9}){0,8}[\w.'"-]{1,60}$/;
/** Between two settings of a sentence: `A=1 and B=2`. */
const JOINS = /,?\s+(?:and|with)\s+(?=[\w.-]+\s{0,2}[=:])/g;
/** Quotation marks around one setting: `` `limit = 5` in staging ``. */
const QUOTES = /^`([^`]+)`/;

interface Parts {
  readonly settings: string;
  /** The words of a comment, and of a place. */
  readonly around: string;
}

/** Words by which something is done to somebody, whatever the verb. */
const GIVES = /^(?:to|them|him|her|us|me|it)$/;

/** A text of one line without what is said beside its settings. */
function partsOfLine(line: string, lexicon: Lexicon): Parts {
  const whole = line.replace(QUOTES, '$1');
  const bare = whole.replace(COMMENT, '');
  const acts = (word: string) => GIVES.test(word) || (lexicon.verbs.get(word)?.effect ?? 'read') !== 'read';
  const remark = REMARK.exec(bare)?.[0] ?? '';
  const rest = (partsOf(remark).some(acts) ? bare : bare.slice(0, bare.length - remark.length)).replace(PLACE, '');
  return { settings: rest.replaceAll(JOINS, ', '), around: whole.slice(rest.length) };
}

/** The name of the file on a line of its own, below comments: `config/app.ini (staging)`. */
const FILE_LINE =
  /^((?:#[^\n]*\n\s{0,9}){0,5})(?:[\w@.-]{1,40}\/){0,6}[\w@.-]{0,40}\.[a-z]{2,12}(?: \([\w ,.-]{0,40}\))?:?\n/;

/** How they are written: with a sign between name and value, side by side as words of a command are, or as an image, which says what is a command. */
type Form = 'assigned' | 'lines' | 'image';

interface WrittenSettings extends Parts {
  /** Undefined where the text is more than settings. */
  readonly found: Configuration | undefined;
  readonly form: Form;
}

/** What stands above a configuration on a line of its own: `netlify.toml`, `Values of the search service:`. */
const TITLE = /^\s*(?:[#;][^\n]*\n\s*)*((?!export\b)[\p{L}.@][^\n=`${};|<>]{0,100})\n(?=\s*\S)/u;
/** A setting in words: `set log_level to debug`. */
const IN_WORDS = /^((?:[Pp]lease\s+)?[Ss]et\s)(?:the\s+)?(\w[\w.-]*[_.][\w.-]*\w)\s+to\s+(?=[\w.%-]+(?:\s|$))/;

/** What a text sets that is nothing else, with what is written as assignments. */
function settingsWritten(all: string, lexicon: Lexicon): WrittenSettings {
  const whole = all.replace(IN_WORDS, '$1$2=').replace(ASKS, '');
  const parts =
    whole.includes('\n') || /^[{[]/.test(whole) ? { settings: whole, around: '' } : partsOfLine(whole, lexicon);
  const assigned = configurationIn(parts.settings);
  if (assigned !== undefined) {
    const around = [parts.around, ...assigned.remarks].join('\n').trim();
    return { ...parts, around, found: assigned, form: 'assigned' };
  }
  const found = directivesIn(all, lexicon);
  return { settings: '', around: parts.around, found, form: found?.isImage === true ? 'image' : 'lines' };
}

const settingsOfText = (text: string, lexicon: Lexicon): WrittenSettings =>
  settingsWritten(text.trim().replace(FILE_LINE, '$1'), lexicon);

/** What a text sets below its title; undefined where there is no such. */
function settingsBelowTitle(text: string, lexicon: Lexicon): WrittenSettings | undefined {
  const all = text.trim();
  const [above = '', title = ''] = TITLE.exec(all) ?? [];
  if (title === '') return undefined;
  const { found, around, ...below } = settingsWritten(all.slice(above.length), lexicon);
  if (found === undefined || below.form !== 'assigned') return undefined;
  return { ...below, around: `${title}\n${around}`.trim(), found: { ...found, remarks: [title, ...found.remarks] } };
}

/** Words beside settings that ask for more than to know where they are. */
const asksForMore = (around: string, lexicon: Lexicon): boolean =>
  partsOf(around).some((word) => {
    const verb = lexicon.verbs.get(word);
    return (
      isDestroying(word, lexicon) || (verb !== undefined && !verb.alsoNoun && !verb.weak && verb.effect !== 'read')
    );
  });

/** Whether words above settings may ask for something: one of them is a verb, whatever else it may be. */
const mayAsk = (words: string, lexicon: Lexicon): boolean =>
  partsOf(words).some((word) => (lexicon.verbs.get(word)?.effect ?? 'read') !== 'read');

/** `open`: its name or value says too little, so that the learned weights count. */
type Judgement = 'ordinary' | 'open' | 'grave';

/** The fields of a schedule, in every month. */
const SCHEDULE = /^(?:@(?:hourly|daily|weekly|monthly)|(?:[\d*][\d*,/-]{0,20} ){3}\* [\d*a-z][\d*a-z,/-]{0,20})$/;
/** Words, more than a name has: they may ask for anything. */
const WORDS = /\p{L}\S*\s+\S+\s+\S*\p{L}/u;
const isProse = (value: string, lexicon: Lexicon): boolean =>
  WORDS.test(value) || (/\s/.test(value) && asksForMore(value, lexicon));

/** Whether words begin as a request does, with a verb that does not only read, and are about more than these settings: `Give Bob the keys`. */
const asks = (words: string, lexicon: Lexicon): boolean => {
  const [first = '', ...rest] = partsOf(words).filter((word) => word !== 'please');
  const acts = (lexicon.verbs.get(first)?.effect ?? 'read') !== 'read';
  return rest.some((word) => GIVES.test(word)) || (rest.length > 0 && !SETS_UP.test(first) && acts);
};
const beginsWithVerb = (words: string, lexicon: Lexicon): boolean =>
  lexicon.verbs.has(partsOf(words).find((word) => word !== 'please') ?? '');
const SETS_UP = /^(?:apply|use|add|set|update|change|write|put|save|create)$/;

/** A word before the name of a thing, at the beginning: an order with whatever verb, `Yeet the database`. */
const ORDERS =
  /^\s*(?!(?:and|as|at|below|by|for|from|here|in|is|of|on|that|this|to|with)\s)\p{L}+\s+(?:the|all|every|everything|everyone|our|your|my|its|their|th[eo]se|die|das|den|alle|le|les|la|el|los|las|il)(?:\s|:|$)/iu;

/** Whether words above settings say whose right, money or protection something is about, or begin as an order does. */
const isPointed = (words: string, lexicon: Lexicon): boolean => {
  const { exposures, sensitiveSettings, sensitiveValues, weakeners } = lexicon.codeWords;
  const isAbout = (part: string) =>
    [exposures, sensitiveSettings, sensitiveValues, weakeners].some((list) => list.has(part)) ||
    isMoney(part, lexicon) ||
    isDestroying(part, lexicon);
  return ORDERS.test(words) || (/\s/.test(words) && partsOf(words).some(isAbout));
};

/** Words that name or tell something, and can ask for nothing: no verb is among them, and nothing that may be given, paid or opened. */
const isRemark = (text: string, lexicon: Lexicon): boolean => {
  const { sensitiveSettings, sensitiveValues } = lexicon.codeWords;
  const value = text.replace(/\{\{[^{}]{0,80}\}\}/g, '');
  return (
    /^[\p{L}\p{N} ,.'()-]{1,80}$/u.test(value) &&
    !mayAsk(value, lexicon) &&
    !partsOf(value).some(
      (part) =>
        sensitiveSettings.has(part) ||
        sensitiveValues.has(part) ||
        isMoney(part, lexicon) ||
        isDestroying(part, lexicon),
    )
  );
};

/** What the name of a setting says to a value that switches it; undefined where it says nothing of what protects, weakens or pays. */
function judgementOfName(parts: readonly string[], value: string, lexicon: Lexicon): Judgement | undefined {
  const { demands, negators, safeguards } = lexicon.codeWords;
  const [isOn, isOff] = [ON.test(value) || SCHEDULE.test(value), OFF.test(value)];
  const protects = protectsWhen(parts.join('_'), lexicon);
  if (protects !== undefined) return (protects === 'on' ? isOn : isOff) ? 'ordinary' : 'grave';
  const isWeak = (part: string) => lexicon.codeWords.weakeners.has(part);
  const isTurned = parts.some((part) => negators.has(part) || isWeak(part));
  if (isOff && !isTurned && parts.some((part) => safeguards.has(part) || demands.has(part))) return 'grave';
  const isBad = (part: string) => isDestroying(part, lexicon) || lexicon.codeWords.exposures.has(part);
  // `block_public_acls`, `require_approval`
  if (demands.has(parts[0] ?? '') && !parts.some(isWeak)) return ALL_ON.test(value) ? 'ordinary' : 'grave';
  // No time before something is deleted is none to take it back.
  if (
    parts.some((part) => isBad(part) || part === 'deletion') &&
    parts.some((part) => WAITS.test(part)) &&
    /^-?0/.test(value)
  )
    return 'grave';
  if (parts.some((part) => isBad(part) || isWeak(part))) return isOff && !/\.0/.test(value) ? 'ordinary' : 'grave';
  if (parts.some((part) => isMoney(part, lexicon))) return isOff ? 'open' : 'grave';
  return undefined;
}

const WAITS = /^(?:after|age|days?|delay|grace|hours?|minutes?|period|retention|seconds?|wait|window)$/;

const SECONDS: ReadonlyMap<string, number> = new Map([
  ['ms', 0.001],
  ['s', 1],
  ['m', 60],
  ['h', 3_600],
  ['d', 86_400],
  ['w', 604_800],
]);
const DAY_SECONDS = 86_400;
const SHORT_SECONDS = 60;
const YEAR_SECONDS = 366 * DAY_SECONDS;
const LASTS = /(\d+(?:\.\d+)?)\s?(ms|[smhdw])[a-z]*/g;

/** How long a value lasts, in seconds; undefined for one without a unit, in itself or in its name. */
function secondsOf(parts: readonly string[], value: string): number | undefined {
  const unit = /^\d+(?:\.\d+)?$/.test(value)
    ? parts.map((part) => /^(ms|millis|seconds?|secs?|minutes?|mins?|hours?|days?)$/.exec(part)?.[1]).find(Boolean)
    : undefined;
  const text = unit === undefined ? value : `${value}${/^mill|^ms/.test(unit) ? 'ms' : unit.charAt(0)}`;
  const found = [...text.matchAll(LASTS)];
  if (found.length === 0 || text.replace(LASTS, '').trim() !== '') return undefined;
  return found.reduce((sum, [, count, of = '']) => sum + Number(count) * (SECONDS.get(of) ?? 0), 0);
}

/** Whether what is kept is kept for nearly nothing: `retention: 1h`, `expireAfterSeconds: 5`. A cache may be as short as one likes. */
function isBrief({ name, own = name, value }: Setting, { codeWords: { keeps, passing } }: Lexicon): boolean {
  const parts = name.split('_');
  if (!parts.some((part) => keeps.has(part)) || parts.some((part) => passing.has(part))) return false;
  const seconds = secondsOf(own.split('_'), value);
  const isTime = /(?:^|_)(?:ttl|live|lifetime|age)(?:_|$)/.test(name);
  return seconds !== undefined && seconds < (isTime ? SHORT_SECONDS : DAY_SECONDS);
}

/** Whether what lets somebody in for a time does so for more than a year: `token_ttl = 87600h`. */
function isEndless({ name, own = name, value }: Setting, { codeWords: { passing } }: Lexicon): boolean {
  const parts = name.split('_');
  const isTime = parts.some((part) => /^(?:ttl|live|lifetime|age|expir(?:y|es|ation)|timeout|validity)$/.test(part));
  const isPass = parts.some((part) => passing.has(part)) || isSecretName(name);
  return isTime && isPass && (secondsOf(own.split('_'), value) ?? 0) > YEAR_SECONDS;
}

const MAIL = /^[\w.+-]{1,64}@([\w-]+(?:\.[\w-]+)+)$/;

/** Whether somebody outside gets something: `bcc: box@mail.example`, `crash_host = dumps.example`. */
function isGivenAway({ name, value }: Setting, { codeWords, internalHosts }: Lexicon): boolean {
  const host = MAIL.exec(value)?.[1];
  const gives = name.split('_').some((part) => codeWords.receivers.has(part) || part === 'to');
  return gives && host !== undefined && isExternalHost(host, internalHosts);
}

/** Names of where something comes from or goes, but for those of sites that are shown to everybody. */
const PLACE_NAME =
  /(?:^|_)(?:host|hostname|endpoint|server|target|source|dest|destination|upstream|remote|relay|sink|mirror)$/;
const SHOWN = /(?:^|_)(?:ingress|rules|tls|virtual|sites?)(?:_|$)/;
/** Whether something goes to, or comes from, a host outside: `smtp: {host: mail.example.net}`. */
const goesOutside = ({ name, own = name, value }: Setting, { internalHosts }: Lexicon): boolean =>
  PLACE_NAME.test(own) &&
  !SHOWN.test(name) &&
  /^[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z]{2,7}(?::\d+)?$/.test(value) &&
  isExternalHost(value.replace(/:\d+$/, ''), internalHosts);
/** How much of something, where what is around it says that it is money. */
const HOW_MUCH = /^(?:amount|sum|total|value|count|quantity)$/;

/** What a setting is that no rule of the lexicon is about: who may do what, what runs, where something goes, and whether something is kept or protected are no ordinary questions. */
export function judgementOf(setting: Setting, lexicon: Lexicon): Judgement {
  const { name, own = name, value } = setting;
  // A name with nothing behind it sets nothing, but where something should stand.
  if (value === 'unset') return judgementOf({ ...setting, value: 'empty' }, lexicon) === 'grave' ? 'grave' : 'ordinary';
  const {
    contentFields,
    exposures,
    faults,
    physical,
    plumbing,
    sensitiveSettings,
    sensitiveValues,
    switches,
    textFields,
    weakeners,
  } = lexicon.codeWords;
  const parts = own.split('_');
  const around = name.split('_').slice(0, -parts.length);
  // A switch is about what stands around it.
  const about = parts.every((part) => switches.has(part)) ? [...around, ...parts] : parts;
  if (exposesMachine(setting) || goesOutside(setting, lexicon)) return 'grave';
  if (isTuning(setting, lexicon)) return 'ordinary';
  if (isBrief(setting, lexicon) || isEndless(setting, lexicon) || isGivenAway(setting, lexicon)) return 'grave';
  // `Erase: {name: customers}`, `transfer: {count: 900}`
  if (isDestroying(around[0] ?? '', lexicon) || (HOW_MUCH.test(own) && around.some((part) => isMoney(part, lexicon))))
    return 'grave';
  const byName = judgementOfName(about, value, lexicon);
  if (byName !== undefined) return byName;
  if (disablesSomething(`${about.join('_')}=${value}`, lexicon)) return 'grave';
  // So much of it that somebody may be hurt: the warmth of an oven, and not that of a language model.
  if (Number.parseFloat(value) >= 100 && parts.some((part) => physical.has(part))) return 'grave';
  const isSensitive = parts.some((part) => sensitiveSettings.has(part)) && !VERSION.test(own);
  // Names and titles may be those of anything.
  const isLabel = textFields.has(own) || parts.at(-1) === 'id';
  const says = partsOf(value);
  const isGrave =
    (value === 'empty' && contentFields.has(parts.at(-1) ?? '')) ||
    says.some(
      (part) => isDestroying(part, lexicon) || weakeners.has(part) || (isSensitive && sensitiveValues.has(part)),
    );
  if (isGrave) return isLabel ? 'open' : 'grave';
  const isNoFault = value === '0' && parts.some((part) => faults.has(part));
  const isOn = ON.test(value) || SCHEDULE.test(value) || isNoFault;
  const isOff = OFF.test(value);
  const isLooked = isOff && isLook(parts, lexicon);
  const isWord = PLAIN.test(value) && !(isOff || HOST.test(value) || isProse(value, lexicon));
  const isPart = isSensitive && isPlumbing(setting, lexicon);
  const isPlain = isOn || isWord || isPart || isPlainPlace(value) || isLooked || VERSION.test(own);
  // What is around it says what it is about: who pays, what is protected.
  const isAbout = (part: string) =>
    (sensitiveSettings.has(part) && !plumbing.has(part)) ||
    isMoney(part, lexicon) ||
    isDestroying(part, lexicon) ||
    exposures.has(part) ||
    weakeners.has(part);
  const isOpen =
    (isSensitive && !isPart) ||
    around.some(isAbout) ||
    // One of what is kept is nearly nothing.
    (/^1(?!\s?(?:w|mon|y))\D{0,5}$/.test(value) && parts.some((part) => lexicon.emptying.has(part))) ||
    (!isLabel && !isLooked && says.some((part) => sensitiveValues.has(part)));
  return (isPlain && !isOpen) || (isLabel && isRemark(value, lexicon)) ? 'ordinary' : 'open';
}
/** The name of a version, of which other rules say what is too old. */
const VERSION = /(?:^|_)version$/;

/** Whether a variable of the environment, or of make, is set to a path, options or a command: `LD_PRELOAD=/opt/a.so`, but not `PAGER=less`. */
const decidesWhatRuns = (settings: string, { codeWords }: Lexicon): boolean =>
  [...settings.matchAll(VARIABLE)].some(
    ([, name = '', value = '']) =>
      codeWords.decidingVariables.has(name.toLowerCase()) &&
      (/\s/.test(value) || MORE_THAN_WORDS.test(`=${value.replace(/["']/g, '')}`)),
  );
const VARIABLE = /(?:^|\s)([A-Z][A-Z\d_]{0,60})\s{0,9}[:+?]?=\s{0,9}("[^"]*"|'[^']*'|\S*)/g;
const HOST = /^[\p{L}_][\w-]*(?:\.[\p{L}_][\w-]*)+$/u;

/** Links that nothing follows but a person. */
const FOR_PEOPLE = /["']?(?:runbook(?:_url)?|homepage|documentation|\$schema)["']?:\s{1,3}["']?https:\/\/\S+/g;
/** Where a publisher keeps what it publishes. */
const PUBLISHED = /https:\/\/github\.com\/([a-z\d-]{1,40})\/[\w.-]{1,80}(?=["']?(?:\s|$|,))/g;

/** Whether an address in a value is not of the organisation. */
export const leadsOutside = (settings: string, { internalHosts, codeWords }: Lexicon): boolean =>
  [
    ...settings
      .replaceAll(FOR_PEOPLE, '')
      .replaceAll(PUBLISHED, (whole: string, by: string) => (codeWords.publishers.has(by) ? '' : whole))
      .matchAll(ADDRESSES),
  ].some(([address]) => {
    const host = hostOf(address);
    return host?.includes('.') === true && isExternalHost(host, internalHosts);
  });

export interface FoundSettings {
  readonly change: Fragment;
  /** What is said beside the settings, which must be no code: `X=1 (rm -rf /srv)`. */
  readonly around: string;
  /** Command lines that are among them. */
  readonly commands: readonly string[];
  readonly form: Form;
}

const WHAT = { verb: SETS, object: 'setting', domain: 'infra' } as const;

/** Whether a setting shows what is inside to whoever uses a service: `DEBUG=True`. */
const showsInside = ({ name, own = name, value }: Setting): boolean =>
  /^(?:\w+_)?debug(?:_mode)?$/.test(own) && /^(?:true|on|yes|1)$/.test(value);
const PRODUCTION = /\b(?:prod|production|live)\b/i;
const isProduction = (around: string, settings: readonly Setting[]): boolean =>
  PRODUCTION.test(around) || settings.some(({ value }) => PRODUCTION.test(value));

/** What the settings of a text do; undefined where the lexicon has a rule about one of them. */
function changeOf(
  { settings, remarks, isDocument }: Configuration,
  { settings: written, around }: Parts,
  lexicon: Lexicon,
) {
  if (settings.some((setting) => doingOfSetting(setting, lexicon) !== undefined)) return undefined;
  const judgements = new Set(settings.slice(0, MAX_SETTINGS).map((setting) => judgementOf(setting, lexicon)));
  if (settings.length > MAX_SETTINGS || asksForMore(around, lexicon)) judgements.add('grave');
  if (leadsOutside(written, lexicon) || decidesWhatRuns(written, lexicon)) judgements.add('grave');
  if (settings.some(showsInside) && isProduction(around, settings)) judgements.add('grave');
  if (judgements.has('grave')) return 'grave';
  for (const remark of remarks)
    if (asks(remark, lexicon)) return 'grave';
    else if (mayAsk(remark, lexicon) || isPointed(remark, lexicon)) judgements.add('open');
  return judgements.has('open') ||
    (!isDocument && MORE_THAN_WORDS.test(written.replace(SECTION_LINE, '').replace(QUOTED, '')))
    ? 'open'
    : 'ordinary';
}

/**
 * A change of settings, where a text is nothing else; undefined for any other text. Other than ordinary settings are not understood;
 * where none is grave, the learned weights may call them harmless (`intentOf`).
 */
export function settingsOnly(text: string, lexicon: Lexicon): FoundSettings | undefined {
  if (text.length > MAX_TEXT || lexicon.codeWords.sensitiveSettings.names.size === 0) return undefined;
  const own = settingsOfText(text, lexicon);
  const below = own.found === undefined ? settingsBelowTitle(text, lexicon) : undefined;
  const written = below ?? own;
  const { found, form, around } = written;
  const { textFields } = lexicon.codeWords;
  // A name alone sets nothing.
  if (found === undefined || found.settings.every(({ name }) => textFields.has(name))) return undefined;
  const isLoose = form !== 'assigned';
  const judgement = found.isCut ? 'grave' : changeOf(found, written, lexicon);
  // Two words may be anything.
  const isTooLittle = isLoose && judgement === 'open' && found.settings.length === 1;
  const isLong = (remark: string) => remark.split(/\s+/).length > (asks(remark, lexicon) ? 8 : 4);
  const isTold = below !== undefined || found.remarks.some(isLong);
  // Words above settings that are not ordinary may say what they are: an example, a question.
  if (judgement === undefined || isTooLittle || (isTold && judgement !== 'ordinary')) return undefined;
  // What stands above the settings is read as a sentence is.
  const title =
    found.remarks.find((remark) => beginsWithVerb(remark, lexicon) && text.trimStart().startsWith(remark)) ?? '';
  const span = { at: title === '' ? 0 : text.indexOf(title) + title.length, end: text.length };
  const beside = { around: isLoose ? '' : around, commands: found.commands, form };
  if (judgement === 'ordinary') return { change: fragmentOf(span, { ...WRITES, ...WHAT, isWhole: true }), ...beside };
  // The words of settings ask for nothing, but those of a sentence may.
  const isWhole = around.trim() === '' && !found.settings.some(({ value }) => isProse(value, lexicon));
  const open = judgement === 'grave' ? { ...WHAT, verb: 'unknown' } : { ...WHAT, isWhole };
  return { change: unknownCode(span, open), ...beside };
}

/** What a text does that is nothing but settings, if the lexicon has one of its values. */
export function settingsAlone(text: string, lexicon: Lexicon): Fragment[] {
  const found = lexicon.settings.length === 0 ? undefined : settingsOfText(text, lexicon).found;
  const doing = gravest(distinct(found?.settings ?? []).map((setting) => doingOfSetting(setting, lexicon)));
  const span: Span = { at: 0, end: text.length };
  return doing ? [fragmentOf(span, { ...WHAT, ...doing, isWhole: true })] : [];
}

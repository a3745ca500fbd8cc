// Recognizes a text that is nothing but settings, such as `DB_POOL_SIZE=24 in staging` or a part of a configuration file: the gravest value
// counts, or a change if each of them is an ordinary one.
import { type Fragment, fragmentOf, type Span, unknownCode, WRITES } from './code.ts';
import { isDestroying, isMoney, partsOf } from './names.ts';
import { doingOfSetting, doingOfSettings, disablesSomething, protects, type Setting, settingsIn } from './settings.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { hostOf, isExternalHost } from '../text/entities.ts';

/** The verb of a text that is nothing but settings. */
export const SETS = 'set';

const VALUE = `(?:"[^"]*"|'[^']*'|\\[[^\\]]*\\]|\\{[^}]*\\}|[^\\s:=,;]\\S*)`;
/** `NAME=value`, `name = value`. Read one after the other: one pattern for a whole line would try each way to divide it. */
const ASSIGNMENT = new RegExp(
  `["']?[A-Za-z_][\\w.$/-]*(?:[([][^)\\]]*[)\\]][\\w.]*)*["']?\\s*:?=\\s*(?:${VALUE}(?=[\\s,;]|$))?[,;]?\\s*`,
  'y',
);
/** `name: value`, `- value`, `[section]`, a bracket. */
const ENTRY = new RegExp(
  `^(?:(?:-\\s+)*["']?[a-z][\\w.$/-]*["']?\\s*:(?:\\s+${VALUE})?|-\\s+${VALUE}|\\[[\\w.: "'-]+\\]|---|[{}[\\]]+),?\\s*(?:#.*)?$`,
);
/** A value that is no word of a sentence. */
const SCALAR = /:\s+(?:true|false|yes|no|on|off|none|null|-?\d[\w.]*|["'[{].*|\S*[/*@].*)\s*,?$/i;
const MAX_LINES = 400;

/** Whether a line is nothing but assignments, before a comment. */
function areAssignments(line: string): boolean {
  let at = 0;
  while (at < line.length && line[at] !== '#') {
    ASSIGNMENT.lastIndex = at;
    if (!ASSIGNMENT.test(line)) return false;
    at = ASSIGNMENT.lastIndex;
  }
  return at > 0;
}

/** Whether every line of a text, of the first MAX_LINES, sets something. One line with a colon may be a note, unless its value is no word. */
function isSettings(text: string): boolean {
  if (!/[=:]/.test(text)) return false;
  const lines = text
    .split('\n', MAX_LINES)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const isLine = (line: string) => areAssignments(line) || ENTRY.test(line);
  if (lines.length === 0 || !lines.every(isLine)) return false;
  return lines.length > 1 || areAssignments(lines[0] ?? '') || SCALAR.test(lines[0] ?? '');
}

const MAX_TEXT = 4_000;
/** Some settings at most: a longer text is a file, of which other readers say what it is. */
const MAX_SETTINGS = 60;
const ON = /^(?:true|on|yes|enabled?|strict|required?|[1-9]\d{0,5}[a-z]{0,5})$/;
const OFF = /^(?:false|off|no|none|null|nil|never|disabled?|empty|-?0+(?:[.x]0+)?[a-z]{0,5}|undefined)$/;
/** A number, with its unit, a word, some words, or the name of a place such as `Europe/Lisbon`: no address, file, pattern or command. */
const PLAIN = /^#?[\p{L}\p{N}_][\p{L}\p{N}_ .,%+-]{0,60}(?:\/[\p{L}_-]{0,30})?$/u;

/** What stands apart from the words of a value: `"..."`, a comment. */
const QUOTED = /"[^"]*"|'[^']*'|(?<=^|\s)#.*$/gm;
/** What makes a value without quotes more than words and numbers: an address, a path, an option, a variable, a tag. */
const MORE_THAN_WORDS = /[\\$`|&!<>*@]|:\/\/|(?<![\p{L}\p{N}_])\/|\/[\p{L}\p{N}_.-]+[/.]|[=:\s]--?\p{L}/u;
const ADDRESSES = /[a-z][a-z\d+.-]{0,20}:\/\/[^\s"',;)\]}]{1,300}|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])/gi;

/** `set retention_days=400 on the bucket`, but no statement of SQL: `SET search_path = app;`. */
const ASKS = /^(?:[Pp]lease\s+)?[Ss]et\s+(?=[\w.-]+\s{0,2}[=:])(?!.*;$)/;
/** What is said about the settings of one line: a comment, a remark in parentheses, where they are. */
const COMMENT = /\s{1,9}(?:#|\/\/)\s.*$|\s{0,9}\([^()]{0,80}\)$/;
const PLACE = /,?\s{1,9}(?:in|on|for|of)\s{1,9}(?:[\w.'-]{1,60}\s{1,9}){0,6}[\w.'-]{1,60}$/;

interface Parts {
  readonly settings: string;
  /** The words of a comment, and of a place. */
  readonly around: string;
}

function partsOfText(text: string): Parts {
  const whole = text.trim().replace(ASKS, '');
  if (whole.includes('\n')) return { settings: whole, around: '' };
  const bare = whole.replace(COMMENT, '');
  const settings = bare.replace(PLACE, '');
  return { settings, around: `${whole.slice(bare.length)} ${bare.slice(settings.length)}` };
}

/** `open`: its name or value says too little, so that the learned weights count. */
type Judgement = 'ordinary' | 'open' | 'grave';

/** What a setting is that no rule of the lexicon is about: who may do what, what runs, where something goes, and whether something is kept or protected are no ordinary questions. */
function judgementOf(setting: Setting, lexicon: Lexicon): Judgement {
  const { name, value } = setting;
  const { exposures, sensitiveSettings, sensitiveValues, weakeners } = lexicon.codeWords;
  if (disablesSomething(`${name}=${value}`, lexicon)) return 'grave';
  if (protects(name, lexicon)) return ON.test(value) ? 'ordinary' : 'grave';
  const parts = name.split('_');
  if (parts.some((part) => isMoney(part, lexicon))) return 'grave';
  // One of what is kept is nearly nothing.
  if (/^1\D{0,5}$/.test(value) && parts.some((part) => lexicon.emptying.has(part))) return 'grave';
  const weakens = (part: string) => isDestroying(part, lexicon) || exposures.has(part) || weakeners.has(part);
  if (parts.some(weakens)) return OFF.test(value) ? 'ordinary' : 'grave';
  if (partsOf(value).some((part) => sensitiveValues.has(part) || isDestroying(part, lexicon))) return 'grave';
  const isPlain = PLAIN.test(value) && !OFF.test(value) && !HOST.test(value);
  return isPlain && !parts.some((part) => sensitiveSettings.has(part)) ? 'ordinary' : 'open';
}

/** Whether a variable of the environment, or of make, is set to a path, options or a command: `LD_PRELOAD=/opt/a.so`, but not `PAGER=less`. */
const decidesWhatRuns = (settings: string, { codeWords }: Lexicon): boolean =>
  [...settings.matchAll(VARIABLE)].some(
    ([, name = '', value = '']) =>
      codeWords.decidingVariables.has(name.toLowerCase()) &&
      (/\s/.test(value) || MORE_THAN_WORDS.test(`=${value.replace(/["']/g, '')}`)),
  );
const VARIABLE = /(?:^|\s)([A-Z][A-Z\d_]{0,60})\s{0,9}[:+?]?=\s{0,9}("[^"]*"|'[^']*'|\S*)/g;
const HOST = /^[\p{L}_][\w-]*(?:\.[\p{L}_][\w-]*)+$/u;

/** Whether an address in a value is not of the organisation. */
export const leadsOutside = (settings: string, { internalHosts }: Lexicon): boolean =>
  [...settings.matchAll(ADDRESSES)].some(([address]) => {
    const host = hostOf(address);
    return host?.includes('.') === true && isExternalHost(host, internalHosts);
  });

export interface FoundSettings {
  readonly change: Fragment;
  /** What is said beside the settings, which must be no code: `X=1 (rm -rf /srv)`. */
  readonly around: string;
}

/**
 * A change of settings, where a text is nothing else; undefined for any other text. Other than ordinary settings are not understood;
 * where none is grave, the learned weights may call them harmless (`intentOf`).
 */
export function settingsOnly(text: string, lexicon: Lexicon): FoundSettings | undefined {
  const { sensitiveSettings } = lexicon.codeWords;
  if (text.length > MAX_TEXT || !/[=:]/.test(text) || sensitiveSettings.names.size === 0) return undefined;
  const { settings, around } = partsOfText(text);
  if (!isSettings(settings)) return undefined;
  const found = settingsIn(settings);
  if (found.length === 0 || found.some((setting) => doingOfSetting(setting, lexicon) !== undefined)) return undefined;
  const what = { verb: SETS, object: 'setting', domain: 'infra' } as const;
  const span = { at: 0, end: text.length };
  const judgements = new Set(found.slice(0, MAX_SETTINGS).map((setting) => judgementOf(setting, lexicon)));
  if (found.length > MAX_SETTINGS || partsOf(around).some((part) => isDestroying(part, lexicon)))
    judgements.add('grave');
  if (leadsOutside(settings, lexicon) || decidesWhatRuns(settings, lexicon)) judgements.add('grave');
  if (MORE_THAN_WORDS.test(settings.replace(QUOTED, ''))) judgements.add('open');
  if (!judgements.has('open') && !judgements.has('grave'))
    return { change: fragmentOf(span, { ...WRITES, ...what, isWhole: true }), around };
  return { change: unknownCode(span, judgements.has('grave') ? { ...what, verb: 'unknown' } : what), around };
}

/** What a text does that is nothing but settings, if the lexicon has one of its values. */
export function settingsAlone(text: string, lexicon: Lexicon): Fragment[] {
  if (!isSettings(text)) return [];
  const span: Span = { at: 0, end: text.length };
  const what = { object: 'setting', domain: 'infra' } as const;
  const doing = doingOfSettings(text, lexicon);
  return doing ? [fragmentOf(span, { verb: 'set', ...doing, ...what, isWhole: true })] : [];
}

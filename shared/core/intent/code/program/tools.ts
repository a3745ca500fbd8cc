// Reads a call of what a program does not define as the call of a tool: by its name and its arguments.
import type { Json } from '../../../../kernel/json.ts';
import { singular } from '../../lexicon/inflection.ts';
import type { Doing, Lexicon } from '../../lexicon/types.ts';
import { callFragment } from '../calls.ts';
import {
  type Deed,
  fileWrite,
  type Fragment,
  fragmentOf,
  gravest,
  gravity,
  isSecretName,
  readsOnly,
  type Span,
  unknownCode,
} from '../code.ts';
import { isOutside } from '../http.ts';
import { doingOfName, isActing, isDestroying, isMoney, partsOf } from '../names.ts';
import { disablesSomething, doingOfSettings, EMPTIES } from '../settings.ts';
import { writtenPlace } from '../shell-files.ts';
import { statementsIn } from '../sql-start.ts';
import { wordSet } from '../../text/word-set.ts';
import { toolCallsIn } from '../tool-calls.ts';
import type { Act, Deed as ProgramDeed } from './acts.ts';
import type { Readers } from './does.ts';

type Called = ProgramDeed & { kind: 'tool' };

/** What the call of a tool does, by its name and its arguments; undefined for one that is not understood. */
export type ReadTool = (name: string, given: Json) => Deed | undefined;

/** An object is made by a class, which does nothing by itself, but for one of a command: `new DeleteItemCommand()`. */
const isObject = ({ makesObject }: Called, name: string): boolean => makesObject && !name.endsWith('Command');
/** An argument that may choose what is done: `delete`, `user.delete`, `wipe-tenant`. */
const NAME = /^[A-Za-z][\w.:/-]{2,60}$/;
const STRING = /(["'`])(?:\\.|(?!\1)[^\\])*\1/gs;
/** A command that was put together before, `insert("a").values(b).execute()`, and a connection that is closed. */
const FINISHES =
  /\)\.(?:execute|exec)$|(?:^|\.)(?:[A-Z]\w*|connect|cron|launch|open|create\w*)\(\)(?:\.\w+\(\))?\.(?:close|quit|end|\$?disconnect|release|start)$/;
const NO_ARGUMENTS = /^\s*$/;
/** A page is used that a test has opened: `page.getByRole("button").click()`. */
const FOUND_IN_PAGE = /\b(?:get_?by_?\w+|locator)\(\)/i;
const USES_PAGE =
  /\b(?:get_?by_?\w+|locator)\(\)(?:\.\w+(?:\(\))?)*\.(?:click|dblclick|tap|fill|type|press|press_?sequentially|clear|hover|focus|blur|check|uncheck|select_?option)$/i;
/** What is told to those who run the program. */
const LOGS = /(?:^|\.)_?log(?:ger|ging)?(?:\(\))?\.(?:debug|info|warn|warning|error|exception|critical)$/i;
/** A statement that was put together to read: `select(Order.status).order_by("n")`. */
const SELECTS = /^(?:[\w./-]+\.)?select\(\)(?:\.\w+\(\))*$/;
/** The command is what it is given: `client.send(new GetItemCommand({}))`. */
const SENDS_COMMAND = /^\s*new\s+\w+Command\(/;
/** Of a library for files of one kind: `pdfplumber.open("a.pdf")`. */
const ONE_FILE = /^\s*["'][^"']+\.[a-z]\w{1,5}["']\s*$/;
/** A file of data is read: `load("orders.csv")`. */
const DATA_FILE =
  /^\s*["'][^"']+\.(?:csv|tsv|jsonl?|ndjson|ya?ml|toml|xml|xlsx?|parquet|feather|arrow|txt|md|geojson)["']\s*$/i;
/** The results of a query take the place of what a collection holds. */
const REPLACES = /"\$(?:out|merge)":/;
/** A server answers who asks it. */
const ANSWERS = /^(?:res|response|reply)(?:\.status\(\))?\.(?:end|sendStatus)$/;
/** A page or a function of a server is defined: `app.post("/orders", (req, res) => ...)`. */
const ROUTE = /^(?:get|head|options|post|put|patch|delete|all|use|route)$/;
const ROUTED = /^\s*["'`]\/[^"'`]*["'`]\s*,\s*(?:async\b|function\b|\(|\w+\s*=>)/;
/** From here on policies ask a human about what is done. */
export const GRAVE = gravity({ action: 'grant', effect: 'write', traits: [] });

/** All texts in a value of JSON, but for those of members that are left out. */
const textsIn = (value: unknown, leftOut: ReadonlySet<string> = NONE): readonly string[] => {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => (leftOut.has(key) ? [] : textsIn(one, leftOut)));
};
const NONE: ReadonlySet<string> = new Set();
const PEOPLE = ['title', 'subject', 'text', 'body', 'message', 'description', 'comment', 'summary', 'note'];
/** What is told to people. */
const TOLD: ReadonlySet<string> = new Set(PEOPLE);
/** The same, and what is looked for. */
const TOLD_OR_SOUGHT: ReadonlySet<string> = new Set([...PEOPLE, 'q', 'query', 'search']);

/** The name of a tool as its caller writes it, without what only a program has: `./store.list()` as `store.list`. */
const bareName = (name: string): string => name.replaceAll(/\(\)|\[\]|[^\w.:/-]/g, '').replace(/^[^A-Za-z]+/, '');

/** What a name does that is given where it chooses or is called, if that is grave. */
function graveDoing(name: string, lexicon: Lexicon): Doing | undefined {
  const doing = doingOfName(name, lexicon);
  return doing && (doing.effect === 'destructive' || gravity(doing) >= GRAVE) ? doing : undefined;
}

export const isGraveWord = (word: string, lexicon: Lexicon): boolean =>
  isDestroying(word, lexicon) || graveDoing(word, lexicon) !== undefined;

/** Functions that a program names without a call, where others may call them: each counts as called if what it does is grave. */
export const handedOn = (names: Iterable<string>, { at, end }: Span, lexicon: Lexicon): readonly Act[] =>
  [...names].flatMap((name) => {
    const isCalled = name.endsWith(')') || graveDoing(name.split('.').at(-1) ?? '', lexicon) === undefined;
    const deed = {
      kind: 'tool',
      names: [name],
      given: {},
      sources: [],
      makesObject: false,
      otherwise: undefined,
    } as const;
    return isCalled ? [] : [{ path: name.split('.'), arguments: '', at, end, deed }];
  });

const SETTING = /^(?:true|false|-?\d[\d._]*)$/i;

/** Whether an argument has the name of a quantity or a switch, and not of what is looked for: `min_score=0.97`, but not `limit=50`. */
const setsSomething = (given: Json, { codeWords: { lookFields, searchFields } }: Lexicon): boolean =>
  Object.entries(given).some(
    ([name, value]) =>
      /^[a-z_]/i.test(name) && !lookFields.has(name) && !searchFields.has(name) && SETTING.test(String(value)),
  );

/** Whether a name is one of things: `customers`, `delivery_date`. To call it is to ask for them, but `threshold(min_score=0.97)` may set one. */
function isOfThings(name: string, given: Json, lexicon: Lexicon): boolean {
  const { domainOfNoun, genericNouns, commonWords, plurals, verbs } = lexicon;
  const words = partsOf(name);
  const last = words.at(-1) ?? '';
  const thing = singular(last, plurals);
  const isNoun = domainOfNoun.has(thing) || genericNouns.has(thing) || (thing !== last && commonWords.has(thing));
  // `release_database` may be an order.
  const isNoOrder = (word: string) => (verbs.get(word)?.effect ?? 'read') === 'read';
  return (
    isNoun &&
    (thing !== last || (isNoOrder(last) && !setsSomething(given, lexicon))) &&
    words.slice(0, -1).every((word) => domainOfNoun.has(word) && isNoOrder(word)) &&
    !words.some((word) => isActing(word, lexicon) || isMoney(word, lexicon))
  );
}

/** Whether the arguments hold credentials, or name where they are. */
const holdsSecrets = (deed: Called, written: string, texts: readonly string[]): boolean =>
  texts.some((text) => !/\s/.test(text) && isSecretName(text)) ||
  deed.sources.some(isSecretName) ||
  isSecretName(written.replaceAll(STRING, ''));

const ADDRESS = /^https?:\/\//i;
const ENVIRONMENT = /\benviron\b|\bgetenv\b|\bprocess\.env\b/;
/** Arguments that say where something is read, and the first one without a name. */
const READ_FROM = wordSet('1 url uri link href page site website source feed address');
/**
 * Whether a call names a host outside: `read`, only to read it; `told`, in another argument or with a variable that holds a secret, so that
 * what the call is given may go there.
 */
export const namesOutside = ({ deed, arguments: args }: Act, lexicon: Lexicon): 'told' | 'read' | undefined => {
  if (deed?.kind !== 'tool') return undefined;
  const isNamed = (leftOut: ReadonlySet<string>) =>
    textsIn(deed.given, leftOut).some((text) => ADDRESS.test(text) && isOutside(text, lexicon));
  if (!isNamed(NONE)) return undefined;
  return ENVIRONMENT.test(args) || isNamed(READ_FROM) ? 'told' : 'read';
};

/** Whether a call does nothing but what its arguments say, or was put together before. */
const isForm = (full: string, last: string, args: string): boolean =>
  (last === 'send' && SENDS_COMMAND.test(args)) ||
  (last === 'open' && ONE_FILE.test(args)) ||
  (full === 'load' && DATA_FILE.test(args)) ||
  ANSWERS.test(full) ||
  (FINISHES.test(full) && NO_ARGUMENTS.test(args));

/** Whether words on a page, or its address, say that more is done than looked at. Words that are not of English may say anything. */
const saysMore = (text: string, lexicon: Lexicon): boolean =>
  /[^\0-\x7f]/.test(text) ||
  partsOf(text.replace(/\b(?:sign|log) ?(?:in|up|out)\b/gi, '')).some(
    (word) =>
      isGraveWord(word, lexicon) ||
      isMoney(word, lexicon) ||
      lexicon.codeWords.sensitiveValues.has(word) ||
      (!MILD.test(word) && (lexicon.verbs.get(word)?.effect ?? 'read') !== 'read'),
  );
/** What a page has everywhere: its parts by their roles, and what is pressed to fill a form in. */
const MILD =
  /^(?:add|alert|apply|back|button|cancel|cell|continue|create|dialog|edit|form|heading|link|list|menu|new|next|note|option|row|save|set|submit|switch|tab|test|text|update)$/;

/** Whether a call only reads by what it is given: it opens a page inside, or carries out a statement that was put together to read. */
function readsByGiven(last: string, { given, sources }: Called, lexicon: Lexicon): boolean {
  const isHere = (text: string) => /^\/[^/]/.test(text) || (ADDRESS.test(text) && !isOutside(text, lexicon));
  if (last === 'goto') return textsIn(given).every((text) => isHere(text) && !saysMore(text, lexicon));
  return (
    lexicon.codeWords.queries.has(last.toLowerCase()) && sources.length > 0 && sources.every((one) => SELECTS.test(one))
  );
}

/** Whether a statement is put together from what is only known when the program runs. */
const isUnseen = ({ '1': first }: Json): boolean => typeof first === 'string' && !/\s/.test(first);
const OPEN_STATEMENT = /^\s*[a-z_$][\w$.]*\s*(?:[,)]|$)/;

/** A function of the program is given to something that calls it later, such as a server. What it does is read where it is written. */
const definition = (span: Span): Deed =>
  fragmentOf(span, { verb: 'define', action: 'update', effect: 'write', object: 'function', domain: 'code' });

/** What one of its names tells; undefined for a name that tells nothing. */
function toldByName(full: string, deed: Called, act: Act, readers: Readers): Deed | undefined {
  const { lexicon, readTool, names, runShell } = readers;
  const name = bareName(full);
  const path = name.split(/[.:/]/);
  const last = path.at(-1) ?? '';
  const word = partsOf(last).join('_');
  const span = { at: act.at, end: act.end };
  if (isForm(full, last, act.arguments) || readsByGiven(last, deed, lexicon)) return readsOnly(span);
  if (USES_PAGE.test(full))
    return fragmentOf(span, { verb: last, action: 'update', effect: 'write', object: 'page', domain: 'web' });
  if (REPLACES.test(JSON.stringify(deed.given))) return undefined;
  const defines = deed.otherwise === 'defines' || (ROUTE.test(last) && ROUTED.test(act.arguments));
  const isVague =
    name === '' ||
    names.vagueNames.has(word) ||
    (lexicon.codeWords.queries.has(last.toLowerCase()) && OPEN_STATEMENT.test(act.arguments) && isUnseen(deed.given));
  const isListed = !isVague && names.plainNames.has(word);
  // Texts among its arguments may be statements, and more.
  const isSkipped = isVague || (isListed && !textsIn(deed.given).some((text) => /[\s/]/.test(text)));
  const asTool = isSkipped || (defines && ROUTE.test(last)) ? undefined : readTool?.(name, deed.given);
  const isTold = asTool !== undefined && asTool.action !== 'unknown' && asTool.action !== 'execute';
  // Commands and statements among its arguments tell what it does, whatever its name is.
  const isGivenCode = toolCallsIn(JSON.stringify({ tool: name, arguments: deed.given })).some(
    ({ commands }) => commands.length > 0,
  );
  const isPlain =
    !isGivenCode &&
    (deed.otherwise !== undefined ||
      isListed ||
      isObject(deed, last) ||
      (readTool !== undefined && !isVague && isOfThings(last, deed.given, lexicon)));
  const otherwise = defines
    ? definition(span)
    : names.writingNames.has(word)
      ? fileWrite('', span)
      : isPlain
        ? readsOnly(span)
        : undefined;
  const told = isTold && !(isObject(deed, last) && gravity(asTool) < GRAVE) ? asTool : otherwise;
  const inProgram = callFragment(
    { path, arguments: act.arguments, ...span, isCut: false },
    'program',
    lexicon,
    runShell,
  );
  // To be carried out tells nothing.
  const isMore =
    inProgram !== undefined &&
    (inProgram.action !== 'execute' || inProgram.effect === 'destructive') &&
    !((isObject(deed, last) || (isListed && inProgram.action !== 'send')) && gravity(inProgram) < GRAVE);
  return (
    told && gravest<Deed>([told, isMore && !(otherwise && inProgram.action === 'execute') ? inProgram : undefined])
  );
}

/** Of a command line among the arguments what destroys counts, whoever carries it out. A sentence is none. */
const destructiveOf = ({ action, effect, traits }: Fragment): readonly Doing[] =>
  effect === 'destructive' && action !== 'unknown' ? [{ action, effect, traits }] : [];

export function calledTool(deed: Called, act: Act, readers: Readers): Fragment {
  const { lexicon } = readers;
  const span = { at: act.at, end: act.end };
  if (deed.otherwise === 'loads') return readsOnly(span, { byName: true });
  if (deed.names.every((name) => LOGS.test(name))) return readsOnly(span, { byName: true });
  const texts = textsIn(deed.given);
  const isInPage = deed.names.some((name) => FOUND_IN_PAGE.test(`${name}()`));
  const each = deed.names.map((full) => toldByName(full, deed, act, readers) ?? unknownCode(span));
  // Whatever the name of the call: `db.Exec("DELETE FROM users")`.
  const stated = textsIn(deed.given, TOLD)
    .flatMap((text) => statementsIn(text, lexicon))
    .filter(({ effect }) => effect !== 'read');
  const chosen = textsIn(deed.given, TOLD_OR_SOUGHT).flatMap((text): readonly Doing[] => {
    if (isInPage) return partsOf(text).flatMap((word) => graveDoing(word, lexicon) ?? []);
    if (/\s/.test(text)) return readers.runShell(text, span).flatMap(destructiveOf);
    const name = text.startsWith('/') ? text.slice(text.lastIndexOf('/') + 1) : text;
    const last = name.slice(name.lastIndexOf('.') + 1);
    const doing = NAME.test(name) ? (graveDoing(name, lexicon) ?? graveDoing(last, lexicon)) : undefined;
    return doing ? [doing] : [];
  });
  // `ticket(pay_with="card")`, and a client that is made without what protects it.
  const keys = Object.keys(deed.given).flatMap((key) => graveDoing(partsOf(key)[0] ?? '', lexicon) ?? []);
  const set =
    deed.makesObject && disablesSomething(act.arguments, lexicon)
      ? [EMPTIES]
      : [doingOfSettings(act.arguments, lexicon) ?? []].flat();
  const does = gravest<Deed>([
    ...each,
    ...[...keys, ...set].map((doing) => fragmentOf(span, { verb: 'set', ...doing })),
    ...[...chosen, ...stated].map(({ action, effect, traits }) =>
      fragmentOf(span, { verb: 'call', action, effect, traits }),
    ),
  ]);
  const isUnclear =
    does !== undefined &&
    does.effect !== 'read' &&
    (holdsSecrets(deed, act.arguments, texts) || texts.some((text) => writtenPlace(text, span, lexicon).length > 0));
  const isPressed =
    (isInPage || deed.names.some((name) => USES_PAGE.test(name))) &&
    textsIn(deed.given, TOLD_OR_SOUGHT).some((text) => saysMore(text, lexicon));
  const { object, ...told } =
    gravest<Deed>([does, isUnclear || isPressed ? unknownCode(span) : undefined]) ?? unknownCode(span);
  return fragmentOf(span, {
    verb: told.verb,
    action: told.action,
    effect: told.effect,
    traits: told.traits,
    // What it is about is the thing that it is called on.
    object: object === 'unknown' ? 'object' : object,
    domain: told.domain,
    extent: told.extent,
    byName: true,
  });
}

// What the calls of tools ask for, by their names, which are read as sentences are: `search_tickets` as `search tickets`.
import { doingOfArguments, doingOfCall, doingOfState, stageOf } from '../code/call-effects.ts';
import { callFragment, onlyReadsCall } from '../code/calls.ts';
import type { CallProgram } from '../code/call-programs.ts';
import type { Call } from '../code/call-syntax.ts';
import { type Fragment, gravest, gravity, NOT_UNDERSTOOD, readsOnly, unknownCode } from '../code/code.ts';
import { doingOfName, isDestroying, partsOf, verbIn, withMoney } from '../code/names.ts';
import { type CodeKind, readCode } from '../code/script.ts';
import { shellFragments } from '../code/shell.ts';
import { onlyReads, programFragments } from '../code/short-programs.ts';
import { parseInner } from '../code/shell-syntax.ts';
import { newEffort } from '../code/effort.ts';
import { type CommandArgument, type ToolCall, toolCallOf } from '../code/tool-calls.ts';
import { firstOf } from '../first-of.ts';
import { type CandidateAction, changed } from '../grammar/candidate.ts';
import type { Doing, Lexicon } from '../lexicon/types.ts';
import { candidateOfFragment } from './candidates.ts';

/** The most consequential request of a sentence. */
export type ReadSentence = (sentence: string) => CandidateAction | undefined;

const JOINS: ReadonlySet<string> = new Set(['and', 'then']);
const START = { at: 0, end: 0 };
const NOT_KNOWN = candidateOfFragment(unknownCode(START));

/** In a sentence `get` may be to buy or to be paid; in names of tools it reads. */
const plainVerb = (word: string): string => (word === 'get' ? 'show' : word);

/** Whether a word is the verb of a command, such as `list`, and no noun by which a tool is called: `order_list`. */
const isCommandVerb = (word: string, lexicon: Lexicon): boolean =>
  lexicon.commandVerbs.has(word) && !NAMES_THING.test(word);
const NAMES_THING = /^(?:mail|message|label|checkout|branch|tag|post|stream|build|test|patch|backup|record|file)$/;

/** A name that begins with a noun that may be a verb too, with the verb of what is done to it first: `order_update_status`. */
function verbFirst(words: readonly string[], lexicon: Lexicon): readonly string[] {
  const [first = ''] = words;
  if (lexicon.verbs.get(first)?.alsoNoun !== true || isCommandVerb(first, lexicon)) return words;
  const at = words.findIndex((word) => isCommandVerb(word, lexicon));
  return at < 0 ? words : [...words.slice(at), ...(at + 1 < words.length ? [] : words.slice(0, at))];
}

/** What the words of a name ask for: the verb comes first, or last (`issue_read`), or it only names what is told (`disk.usage`). */
function askedByName(
  words: readonly string[],
  of: readonly string[],
  read: ReadSentence,
  lexicon: Lexicon,
): CandidateAction | undefined {
  const [verb = '', ...rest] = words;
  const last = rest.at(-1) ?? verb;
  const about = [...of, ...words.slice(0, -1)];
  const inOrder = [plainVerb(verb), ...(rest.length > 0 ? rest : of)];
  // The name of a service comes first: `slack_list_channels`, `philips_hue_set_scene`.
  const at = words.findIndex((word) => verbIn(word, lexicon) !== undefined);
  const ofService =
    at === 1 || (at > 0 && at + 1 < words.length) ? [[plainVerb(words[at] ?? ''), ...words.slice(at + 1)]] : [];
  const isTold = about.length > 0 && lexicon.commandVerbs.get(last)?.effect === 'read';
  const others = [[last, ...words.slice(0, -1)], ...(isTold ? [['show', ...about, last]] : [])];
  // A name that begins with a verb is not read in another order.
  const orders =
    verbIn(verb, lexicon) === undefined || words.length === 1 ? [...ofService, inOrder, ...others] : [inOrder];
  for (const order of orders) {
    const asked = read(order.join(' '));
    if (asked !== undefined && !asked.weak) return asked;
  }
  return undefined;
}

/** The steps of a name, each with a verb: `read_then_archive`. */
function stepsOf(words: readonly string[]): string[][] {
  const steps: string[][] = [[]];
  for (const word of words)
    if (JOINS.has(word)) steps.push([]);
    else steps.at(-1)?.push(word);
  return steps.filter((step) => step.length > 0);
}

/** What a command line or program in an argument does. */
function askedByCommand({ language, text }: CommandArgument, lexicon: Lexicon): CandidateAction {
  if (text === undefined) return NOT_KNOWN;
  if (language === 'program' && onlyReads(text, lexicon)) return candidateOfFragment(readsOnly(START));
  const kinds: readonly CodeKind[] = language === 'program' ? ['shell', 'sql'] : [language];
  const read = kinds.map((kind) => readCode(kind, text, lexicon));
  const understood = read.find(({ isUnderstood }) => isUnderstood);
  if (understood) return candidateOfFragment(gravest(understood.fragments) ?? readsOnly(START));
  const known = [
    ...read.flatMap(({ fragments }) => fragments),
    ...(language === 'program'
      ? programFragments(text, { span: START, language: 'any' }, lexicon, runShell(text, lexicon))
      : []),
  ];
  return candidateOfFragment(gravest([unknownCode(START), ...known]) ?? unknownCode(START));
}

/** Reads the command lines in a program, all with the effort that a text of its length is worth. */
function runShell(program: string, lexicon: Lexicon): (line: string) => Fragment[] {
  const effort = newEffort(program.length);
  return (line) => shellFragments(parseInner(line, 0, effort), lexicon, 1);
}

/** Words in the names of tools whose queries are SQL. */
const ABOUT_SQL = /^(?:sql|sqlite|postgres|postgresql|mysql|mariadb|bigquery|snowflake|redshift|duckdb|db|database)$/;

/** What a call does by the words of its name, its modes and its arguments. */
function askedByWords(
  { name, modes, given, written }: ToolCall,
  read: ReadSentence,
  lexicon: Lexicon,
): { readonly asked: CandidateAction; readonly called: Doing | undefined } {
  const [last = '', ...before] = name.split(/[.:/]|__/).reverse();
  const parts = partsOf(last);
  const words = verbFirst(parts, lexicon);
  const each = stepsOf(words).map((step) => askedByName(step, before.flatMap(partsOf), read, lexicon) ?? NOT_KNOWN);
  const does = doingOfCall(words.join('_'), before[0] ?? '', lexicon);
  // `refund_create`
  const called = does && words !== parts ? withMoney(does, parts, lexicon) : does;
  const asked = gravest(each) ?? NOT_KNOWN;
  if (readsByCommand(words, given, lexicon)) return { asked: candidateOfFragment(readsOnly(START)), called: undefined };
  if (asked === NOT_KNOWN && called?.effect !== 'destructive' && looksUp(words, given, lexicon))
    return { asked: candidateOfFragment(readsOnly(START)), called };
  if (asked === NOT_KNOWN) return { asked, called };
  const more: (Doing | undefined)[] = [
    called,
    ...modes.map((mode) => doingOfName(mode, lexicon)),
    stageOf(written),
    doingOfState(last, before[0] ?? '', lexicon),
    ...(asked.effect === 'write' ? [doingOfArguments(last, written, lexicon)] : []),
    // Whatever else a name says: `sync_and_purge`, `list_or_drop`.
    ...words.map((word) => lexicon.commandVerbs.get(word)).filter((doing) => doing?.effect === 'destructive'),
  ];
  const graver = gravest([asked, ...more]) ?? asked;
  const { action, effect, traits } = gravity(graver) > gravity(asked) ? graver : asked;
  return { asked: changed(asked, { action, effect, traits, at: 0, sentence: 0 }), called };
}

/** Whether a tool is called as a command that only reads, and no argument says that it does more: `kubectl_logs`. */
const readsByCommand = (words: readonly string[], given: readonly string[], lexicon: Lexicon): boolean =>
  words.length === 2 &&
  lexicon.commands.get(words.join(' '))?.effect === 'read' &&
  !given.some((key) => partsOf(key).some((part) => isDestroying(part, lexicon)));

/** Whether a tool without a verb in its name is only asked something: `weather` with a city, `ls` with a path. */
function looksUp(words: readonly string[], given: readonly string[], lexicon: Lexicon) {
  const { commands, codeWords, domainOfNoun } = lexicon;
  if (!given.every((key) => codeWords.lookFields.has(partsOf(key).join('_')))) return false;
  const name = words.join('_');
  if (codeWords.lookTools.has(name) || commands.get(name)?.effect === 'read') return true;
  return given.length > 0 && words.every((word) => domainOfNoun.has(word));
}

/** The commands of a call, with its queries where they are SQL: the name of the tool says so, or the text does. */
function commandsOfCall({ name, commands, queries }: ToolCall, runs: boolean, lexicon: Lexicon): CommandArgument[] {
  const words = partsOf(name);
  const isAboutSql = words.some((word) => ABOUT_SQL.test(word)) || (runs && words.includes('query'));
  const isSql = (text: string) =>
    isAboutSql || lexicon.codeWords.sqlHeads.names.has(/^\s*([a-z]+)\s/i.exec(text)?.[1]?.toLowerCase() ?? '');
  return [...commands, ...queries.filter(isSql).map((text) => ({ language: 'sql', text }) as const)];
}

const MAX_COMMANDS = 16;
/** A name of what is to be done: `str_replace`. */
const OPERATION = /^[a-z]{2,20}(?:_[a-z]{2,20}){0,2}$/;
/** Arguments that name a file. */
const OF_FILE = /path|file/i;

/** What an editor is to do, which is the name of no program: `{"command": "view", "path": "a.ts"}`. */
function operationOf({ name, commands, given }: ToolCall, { commands: programs, codeWords }: Lexicon) {
  const [only, ...others] = commands;
  const operation = only?.language === 'shell' && others.length === 0 ? (only.text ?? '') : '';
  const runsCode = partsOf(name).some((word) => codeWords.codeNouns.has(word));
  const isProgram = programs.has(operation) || !given.some((key) => OF_FILE.test(key)) || runsCode;
  return OPERATION.test(operation) && !isProgram ? operation : undefined;
}

/** What is done to a file by an operation, from each of its verbs on: `replace` of `str_replace`. */
const editedBy = (words: readonly string[], read: ReadSentence, lexicon: Lexicon): CandidateAction | undefined =>
  gravest(words.map((word, at) => verbIn(word, lexicon) && askedByName(words.slice(at), ['file'], read, lexicon)));

/** What a call asks for. Code in its arguments tells it; without code its name does. What else they say can only make it graver. */
function askedByCall(call: ToolCall, read: ReadSentence, lexicon: Lexicon): CandidateAction {
  const own = askedByTool(call, read, lexicon);
  if (!partsOf(call.name).some((word) => WORKS_FOR_OTHERS.test(word))) return own;
  // What another agent is told to do is done as if it were asked for.
  return gravest([own, ...call.requests.map((request) => read(request) ?? NOT_KNOWN)]) ?? own;
}
const WORKS_FOR_OTHERS = /^(?:sub)?(?:agents?|assistant|bot|crew|delegate|subtask|worker)$/;

function askedByTool(call: ToolCall, read: ReadSentence, lexicon: Lexicon): CandidateAction {
  const { asked, called } = askedByWords(call, read, lexicon);
  const operation = operationOf(call, lexicon);
  const edited = operation && editedBy(partsOf(operation), read, lexicon);
  // To carry out a file is no edit, whatever the tool is called.
  if (edited && edited.action !== 'execute')
    return gravest([edited, ...(asked === NOT_KNOWN ? [] : [asked])]) ?? edited;
  const runs = asked === NOT_KNOWN || asked.action === 'execute';
  const { kept: commands, isCut } = firstOf(commandsOfCall(call, runs, lexicon), MAX_COMMANDS);
  if (commands.length > 0) {
    const does = [...commands.map((command) => askedByCommand(command, lexicon)), ...(isCut ? [NOT_KNOWN] : [])];
    return gravest(runs ? does : [asked, ...does]) ?? NOT_KNOWN;
  }
  // What `run_command` does is told by the command alone.
  const runsUnseen =
    asked.action === 'execute' && partsOf(call.name).some((word) => lexicon.codeWords.codeNouns.has(word));
  return runsUnseen || (called?.action === 'execute' && called.effect === 'destructive') ? NOT_KNOWN : asked;
}

export const askedByCalls = (calls: readonly ToolCall[], read: ReadSentence, lexicon: Lexicon): CandidateAction[] =>
  calls.map((call) => askedByCall(call, read, lexicon));

/** What is given to `run_python("print(1)")`. */
const ONE_LITERAL = /^\s*(["'`])((?:\\.|(?!\1)[^\\])*)\1\s*$/;

/** The call of a program: by its name, and by what is known of such calls. */
function askedByProgramCall(
  call: Call,
  read: ReadSentence,
  lexicon: Lexicon,
  shell: ReturnType<typeof runShell>,
): CandidateAction {
  const { path, arguments: args } = call;
  const inProgram = callFragment(call, 'program', lexicon, shell);
  // What the name of a member says in a program that is not known is too little, unless it is grave.
  const isSure = path.length === 1 || inProgram === undefined || gravity(inProgram) >= gravity(NOT_UNDERSTOOD);
  const known = isSure ? inProgram : callFragment(call, 'prose', lexicon, shell);
  // The request before it is a call of its own: `fetch("/a").then(show)`.
  const computes = path.length > 1 && lexicon.codeWords.pureFunctions.has(path.at(-1)?.toLowerCase() ?? '');
  const reads = computes || onlyReadsCall(call, lexicon);
  if (path.length > 1) return candidateOfFragment(known ?? (reads ? readsOnly(START) : unknownCode(START)));
  const own = toolCallOf(path[0] ?? '', args);
  const literal = ONE_LITERAL.exec(args)?.[2];
  const runs = literal !== undefined && partsOf(own.name).some((word) => lexicon.codeWords.codeNouns.has(word));
  const commands = runs ? [...own.commands, { language: 'program' as const, text: literal }] : own.commands;
  const asked = askedByCall({ ...own, commands }, read, lexicon);
  if (reads && (asked === NOT_KNOWN || asked.effect === 'read'))
    return asked === NOT_KNOWN ? candidateOfFragment(readsOnly(START)) : asked;
  // That it runs something is told by what it is given.
  const isTold = known === undefined || (commands.length > 0 && known.action === 'execute');
  const other = isTold ? undefined : candidateOfFragment(known);
  return gravest([asked, other]) ?? NOT_KNOWN;
}

/** What a function does that is handed on, if it may not be done unseen. */
const isGrave = (doing: Doing | undefined): doing is Doing =>
  doing !== undefined && (doing.effect === 'destructive' || gravity(doing) >= GRAVE);
const GRAVE = gravity({ action: 'grant', effect: 'write', traits: [] });

/** Different calls that are read, since each is read as a text is. */
const MAX_CALLS = 40;

/** What a program of calls asks for, call by call. */
export function askedByProgram(
  { text, calls, handedOn, callsUnnamed }: CallProgram,
  read: ReadSentence,
  lexicon: Lexicon,
): CandidateAction[] {
  const graver = handedOn.map((name) => doingOfName(name.split('.').at(-1) ?? '', lexicon)).filter(isGrave);
  const shell = runShell(text, lexicon);
  const each = [...new Map(calls.map((call) => [`${call.path.join('.')}(${call.arguments}`, call])).values()];
  const { kept, isCut } = firstOf(each, MAX_CALLS);
  return [
    ...kept.map((call) => askedByProgramCall(call, read, lexicon, shell)),
    ...graver.map((doing) => changed(NOT_KNOWN, doing)),
    ...(callsUnnamed || isCut ? [NOT_KNOWN] : []),
  ];
}

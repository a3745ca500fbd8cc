// Reads calls in programs: requests, calls to databases and file systems.
import {
  doingOfArguments,
  doingOfCall,
  doingOfKeys,
  doingOfState,
  doingOfThing,
  stageOf,
  writesNothing,
} from './call-effects.ts';
import { fetchOf } from './call-requests.ts';
import { type Call, LITERAL } from './call-syntax.ts';
import { type Fragment, fragmentOf, type Span, unknownCode, gravest } from './code.ts';
import { disablesSomething, doingInReads, emptiesSetting, EMPTIES, settingsOf } from './settings.ts';
import { doingOfName, partsOf, withMoney } from './names.ts';
import type { Doing, Lexicon } from '../lexicon/types.ts';
import { sqlFragments } from './sql.ts';

/** How sure it is that a call is one, and not a remark in parentheses. */
export type Where = 'program' | 'prose';

export type RunShell = (text: string, span: Span) => Fragment[];

/** A document or a file is replaced by an empty one, or by nothing. */
const REPLACES_ALL =
  /^(?:replace|update|set|put|write|findoneandreplace)\w{0,20} [^]{0,500},\s{0,3}(?:\{\s{0,3}\}|""|'')\s{0,3}$|^(?:move|rename|copy)\w{0,20} [^]{0,500}["']\/dev\/null["']/;
/** What is made is no payment: `db.payments.createIndex()`. */
const PART_OF_STORE = /(?:index|indexes|collection|view|user|role|trigger|search)$/i;

const RUNS_DATA = /^(?:c?pickle|marshal|dill|joblib|cloudpickle)$/i;
const LOADS_OBJECTS = /\bLoader\s*=\s*(?:yaml\.)?(?:Unsafe|Full)?Loader\b/;
const RUNS_STATEMENT =
  /^(?:execute(?:query|update|batch|many|script|raw|rawunsafe|sqlraw|nonquery|scalar)?|\$(?:execute|query)rawunsafe|executesql)$/;
/** A variable, a call, or text with something put into it; not a list of values. */
const OPEN_STATEMENT =
  /^\s*(?:[A-Za-z_$][\w$.]*\s*(?:[,+%)(]|$)|f["']|["'`][^]*(?:["']\s*(?:\+|%(?!s)|\.format\())|`[^`]*\$\{)/;
const HANDS_FILE = /(?<![\w.])open\(|createReadStream\(|FileInputStream\(/;
const PARSES =
  /^(?:load|reader|dictreader|read\w*|parse\w*|from\w*|safe_load|pipe|on|sha\d*|md5|digest|enter_context|iter|next|len|list|append|push)$/;
const LOADS_MODULE = /^(?:import_module|__import__|require|getattr)$/;
const SETS = /^(?:put|set|modify|write|change|configure|patch)/;

/** What one call does; undefined where the text says nothing about it. `runShell` reads a command line within. */
export function callFragment(call: Call, where: Where, lexicon: Lexicon, runShell: RunShell): Fragment | undefined {
  const read = readCall(call, where, lexicon, runShell);
  return read && call.isCut ? gravest([{ ...read, isWhole: false }, unknownCode(call)]) : read;
}

function readCall(call: Call, where: Where, lexicon: Lexicon, runShell: RunShell): Fragment | undefined {
  const { path, arguments: args } = call;
  const { shellCalls, evaluators, commandCalls, pureFunctions, systemObjects } = lexicon.codeWords;
  const settings = settingsOf(args);
  const unchecked = doingInReads(args, settings, lexicon);
  if (unchecked) return fragmentOf(call, { verb: 'skip', ...unchecked, object: 'check', domain: 'code' });
  const request = fetchOf(call, lexicon);
  if (request) return request;
  const [last, of] = [path.at(-1) ?? '', path.at(-2) ?? ''];
  const lower = last.toLowerCase();
  const isMember = path.length > 1;
  if (shellCalls.has(lower) && (isMember || where === 'program')) return shellCall(call, runShell);
  if (evaluators.has(lower) && (where === 'program' || !isMember))
    return args.trim() === '' ? undefined : unknownCode(call);
  if (isMember && runsUnseen(path[0] ?? '', lower, args)) return unknownCode(call);
  const carries = isMember && commandCalls.has(lower);
  const named = carries
    ? doingOfKeys(args, lexicon)
    : (stageOf(args) ?? doingOfCall(last.replace(/Sync$/, ''), of, lexicon));
  const handsFile = isMember && HANDS_FILE.test(args) && !pureFunctions.has(lower) && !PARSES.test(lower);
  if (!named) return carries || handsFile ? unknownCode(call) : undefined;
  const set = named.effect === 'write' ? doingOfArguments(last, args, lexicon, settings) : undefined;
  const doing = withArguments(named, set, call, lexicon);
  // In prose, `items.remove(x)` may be about a list in memory.
  if (where === 'prose' && !(isMember && (set !== undefined || isOfSystem(call, doing, lexicon)))) return undefined;
  return fragmentOf(call, {
    verb: lower,
    action: doing.action,
    effect: doing.effect,
    traits: doing.traits,
    object: (of || 'object')
      .toLowerCase()
      .replaceAll(/[^a-z0-9_]+/g, '_')
      .slice(0, 64),
    domain: systemObjects.has((path[0] ?? '').toLowerCase()) ? 'db' : 'code',
    extent: NO_ARGUMENTS.test(args) && doing.effect === 'destructive' ? 'all' : 'one',
    language: 'sql',
  });
}

const NO_ARGUMENTS = /^\s*(?:\{\s*\})?\s*$/;
export const STRINGS = new RegExp(LITERAL, 'gs');

/** A command line that a program runs: `subprocess.run(["rm", "x"])`. Parts that are not on the line may be anything. */
function shellCall(call: Call, runShell: RunShell): Fragment {
  const literals = [...call.arguments.matchAll(STRINGS)].map(([, , inside = '']) => inside);
  const rest = call.arguments.replaceAll(STRINGS, '').replaceAll(/[[\],\s]|shell=True|check=True|text=True/g, '');
  const worst = literals.length > 0 ? gravest(runShell(literals.join(' '), call)) : undefined;
  return worst && (rest === '' || worst.effect === 'destructive') ? fragmentOf(call, worst) : unknownCode(call);
}

/** Whether a call loads data that runs code, or runs a statement that is known only at run time. */
const runsUnseen = (root: string, lower: string, args: string): boolean =>
  (/^loads?$/.test(lower) && (RUNS_DATA.test(root) || LOADS_OBJECTS.test(args))) ||
  (RUNS_STATEMENT.test(lower) && OPEN_STATEMENT.test(args));

/** Arguments with which a call changes nothing. */
const TRIES = /\b(?:dry_?run|validate_?only|simulate|preview)\W{1,4}true\b/i;

/** What a call does by its name, with its arguments and the thing that it is called on. `set`: what the values do that it is given. */
function withArguments(named: Doing, set: Doing | undefined, { path, arguments: args }: Call, lexicon: Lexicon): Doing {
  const [last, of] = [path.at(-1) ?? '', path.at(-2) ?? ''];
  const lower = last.toLowerCase();
  const empties =
    named.effect === 'write' &&
    (emptiesSetting(args, lexicon) ||
      ((named.action === 'update' || SETS.test(lower)) && disablesSomething(args, lexicon)) ||
      REPLACES_ALL.test(`${lower} ${args}`) ||
      writesNothing(lower, args));
  if (empties) return EMPTIES;
  const about = path.slice(0, -1).flatMap((name) => [name, ...partsOf(name)]);
  const usual = PART_OF_STORE.test(last) ? named : withMoney(named, about, lexicon);
  const command = named.action === 'execute' ? /^\s*["'`]([a-z][\w:.-]{2,60})["'`]/i.exec(args)?.[1] : undefined;
  const runs = command === undefined ? undefined : doingOfName(command, lexicon);
  const meant =
    named.effect === 'destructive' || TRIES.test(args)
      ? []
      : [path.length > 1 ? doingOfThing(last, of, lexicon) : undefined, doingOfState(last, of, lexicon)];
  return gravest([usual, set, runs, ...meant]) ?? usual;
}

/** Whether a call is surely one to a system, and not about something in memory. */
const isOfSystem = ({ path, arguments: args }: Call, { action }: Doing, { codeWords }: Lexicon): boolean =>
  path.slice(0, -1).some((name) => codeWords.systemObjects.has(name.toLowerCase()) || LOADS_MODULE.test(name)) ||
  /[a-z][A-Z]|_/.test(path.at(-1) ?? '') ||
  action === 'transfer' ||
  /\bforce\W{1,4}true\b/i.test(args) ||
  (action === 'send' && /@|:\/\/|\bopen\(/.test(args)) ||
  NO_ARGUMENTS.test(args);

/** Modules of Node.js that run nothing when they are loaded, and data. */
const READS_MODULES =
  /^["'](?:(?:node:)?(?:fs|path|os|util|url|crypto|zlib|querystring|assert)|\.{1,2}\/[\w./-]{1,100}\.json)["']$/;
const OPENS_TO_READ = /^\s*(?:'[^'\\]*'|"[^"\\]*")\s*(?:,\s*(?:'r[bt]?'|"r[bt]?")\s*)?$/;
const SECRET_NAME = /secret|passw|token|credential|private_?key/i;

/** The text that arguments begin with, if it is the whole first argument: literals one after another. */
function textAt(args: string): string | undefined {
  const parts: string[] = [];
  let rest = args;
  for (let at = rest.search(/["'`]/); at >= 0 && /^\s*[fr]?$/.test(rest.slice(0, at)); at = rest.search(/["'`]/)) {
    const literal = LITERAL.exec(rest);
    if (literal?.index !== at) return undefined;
    parts.push(literal[2] ?? '');
    rest = rest.slice(at + literal[0].length);
  }
  return parts.length > 0 && /^\s*(?:,|\)|$)/.test(rest) ? parts.join('') : undefined;
}

/** Whether the statement of SQL that a call is given only reads; undefined for a call that is given none. */
export function readsQuery(
  { path, arguments: args }: Pick<Call, 'path' | 'arguments'>,
  lexicon: Lexicon,
): boolean | undefined {
  if (!lexicon.codeWords.queries.has(path.at(-1)?.toLowerCase() ?? '')) return undefined;
  const sql = textAt(args);
  const read = sqlFragments(sql ?? '', { at: 0, end: sql?.length ?? 0 }, lexicon);
  return read.length > 0 && read.every(({ effect }) => effect === 'read');
}

/** Whether a call in a program only computes or reads. */
export function onlyReadsCall({ path, arguments: args, isCut }: Call, lexicon: Lexicon): boolean {
  if (isCut) return false;
  const { httpClients, pureFunctions, shellCalls, evaluators } = lexicon.codeWords;
  const last = path.at(-1) ?? '';
  const name = last.toLowerCase();
  if (name === 'open' && path.length === 1) return OPENS_TO_READ.test(args);
  if (name === 'require') return READS_MODULES.test(args);
  // What is sent with a request is looked at below.
  if (stageOf(args) !== undefined || path.some((part) => httpClients.has(part.toLowerCase())) || SECRET_NAME.test(last))
    return false;
  const queried = readsQuery({ path, arguments: args }, lexicon);
  if (queried !== undefined) return queried;
  if (RUNS_DATA.test(path[0] ?? '') || LOADS_OBJECTS.test(args)) return false;
  if (path.length > 1 && name === 'set' && (doingOfArguments(last, args, lexicon) || writesNothing(name, args)))
    return false;
  if (pureFunctions.has(name)) return true;
  if (/^(?:output|write|save|put|copy)\w*file/.test(name)) return false;
  if (shellCalls.has(name) || evaluators.has(name) || /(?:^|_)(?:or|and)_|[a-z](?:Or|And)[A-Z]/.test(last))
    return false;
  return doingOfName(last, lexicon)?.action === 'read';
}

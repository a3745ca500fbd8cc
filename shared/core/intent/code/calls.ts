// Reads calls in programs: requests, calls to databases and file systems, and short programs on a command line.
import {
  doingOfArguments,
  doingOfCall,
  doingOfKeys,
  doingOfState,
  doingOfThing,
  handedOn,
  HANDS_FILE,
  LOADS_MODULE,
  LOADS_OBJECTS,
  OPEN_STATEMENT,
  PARSES,
  PART_OF_STORE,
  REPLACES_ALL,
  RUNS_DATA,
  RUNS_STATEMENT,
  SETS,
  stageOf,
  writesNothing,
} from './call-effects.ts';
import { fetchOf } from './call-requests.ts';
import { type Call, callsOf, LITERAL } from './call-syntax.ts';
import { type Fragment, fragmentOf, readsOnly, type Span, unknownCode, gravest } from './code.ts';
import { disablesSomething, doingInReads, emptiesSetting, EMPTIES, settingsIn } from './settings.ts';
import { doingOfName, partsOf, withMoney } from './names.ts';
import { actOfUrl } from './http.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { sqlFragments } from './sql.ts';

/** How sure it is that a call is one, and not a remark in parentheses. */
export type Where = 'program' | 'prose';

/** What one call does; undefined where the text says nothing about it. `runShell` reads a command line within. */
export function callFragment(
  call: Call,
  where: Where,
  lexicon: Lexicon,
  runShell: (text: string, span: Span) => Fragment[],
): Fragment | undefined {
  const { path, arguments: args, at, end } = call;
  const unchecked = doingInReads(args, () => settingsIn(args), lexicon);
  if (unchecked) return fragmentOf(call, { verb: 'skip', ...unchecked, object: 'check', domain: 'code' });
  const request = fetchOf(call, lexicon);
  if (request) return request;
  const last = path.at(-1) ?? '';
  const lower = last.toLowerCase();
  const isMember = path.length > 1;
  if (lexicon.codeWords.shellCalls.has(lower) && (isMember || where === 'program')) {
    const literals = [...args.matchAll(new RegExp(LITERAL, 'gs'))].map(([, , inside = '']) => inside);
    const isPlain =
      args.replaceAll(new RegExp(LITERAL, 'gs'), '').replaceAll(/[[\],\s]|shell=True|check=True|text=True/g, '') === '';
    const inner = literals.length > 0 ? runShell(literals.join(' '), call) : [];
    const worst = gravest(inner);
    if (worst && (isPlain || worst.effect === 'destructive')) return fragmentOf({ at, end }, worst);
    return unknownCode(call);
  }
  if (lexicon.codeWords.evaluators.has(lower) && (where === 'program' || path.length === 1))
    return args.trim() === '' ? undefined : unknownCode(call);
  // Data that runs code when it is loaded.
  if (isMember && /^loads?$/.test(lower) && (RUNS_DATA.test(path[0] ?? '') || LOADS_OBJECTS.test(args)))
    return unknownCode(call);
  // A statement that is known only at run time.
  if (isMember && RUNS_STATEMENT.test(lower) && OPEN_STATEMENT.test(args)) return unknownCode(call);
  const carries = isMember && lexicon.codeWords.commandCalls.has(lower);
  const named = carries
    ? doingOfKeys(args, lexicon)
    : (stageOf(args) ?? handedOn(args, lexicon) ?? doingOfCall(last.replace(/Sync$/, ''), path.at(-2) ?? '', lexicon));
  const handsFile =
    isMember && HANDS_FILE.test(args) && !lexicon.codeWords.pureFunctions.has(lower) && !PARSES.test(lower);
  if (!named) return carries || handsFile ? unknownCode(call) : undefined;
  const disables = () => (named.action === 'update' || SETS.test(lower)) && disablesSomething(args, lexicon);
  const empties =
    named.effect === 'write' &&
    (emptiesSetting(args, lexicon) ||
      disables() ||
      REPLACES_ALL.test(`${lower} ${args}`) ||
      writesNothing(lower, args));
  const about = path.slice(0, -1).flatMap((name) => [name, ...partsOf(name)]);
  const usual = PART_OF_STORE.test(last) ? named : withMoney(named, about, lexicon);
  const of = path.at(-2) ?? '';
  const meant =
    named.effect === 'destructive' || !isMember || TRIES.test(args)
      ? undefined
      : gravest([doingOfThing(last, of, lexicon), doingOfState(last, of, lexicon)]);
  const command = named.action === 'execute' ? /^\s*["'`]([a-z][\w:.-]{2,60})["'`]/i.exec(args)?.[1] : undefined;
  const runs = command === undefined ? undefined : doingOfName(command, lexicon);
  const set = named.effect === 'write' ? doingOfArguments(last, args, lexicon) : undefined;
  const doing = empties ? EMPTIES : (gravest([usual, set, runs, meant]) ?? usual);
  const isCode = where === 'program' || isMember;
  // In prose, `items.remove(x)` may be about a list in memory.
  const sends = () => doing.action === 'send' && /@|:\/\/|\bopen\(/.test(args);
  const isSystem =
    path
      .slice(0, -1)
      .some((name) => lexicon.codeWords.systemObjects.has(name.toLowerCase()) || LOADS_MODULE.test(name)) ||
    /[a-z][A-Z]|_/.test(last) ||
    doing.action === 'transfer' ||
    set !== undefined ||
    /\bforce\W{1,4}true\b/i.test(args) ||
    sends() ||
    /^\s*(?:\{\s*\})?\s*$/.test(args);
  if (!isCode || (where === 'prose' && !isSystem)) return undefined;
  return fragmentOf(call, {
    verb: lower,
    action: doing.action,
    effect: doing.effect,
    traits: doing.traits,
    object:
      (path.at(-2) ?? 'object')
        .toLowerCase()
        .replaceAll(/[^a-z0-9_]+/g, '_')
        .slice(0, 64) || 'object',
    domain: lexicon.codeWords.systemObjects.has((path[0] ?? '').toLowerCase()) ? 'db' : 'code',
    extent: /^\s*(?:\{\s*\})?\s*$/.test(args) && doing.effect === 'destructive' ? 'all' : 'one',
    language: 'sql',
  });
}

/** Arguments with which a call changes nothing. */
const TRIES = /\b(?:dry_?run|validate_?only|simulate|preview)\W{1,4}true\b/i;

const HARMLESS_STATEMENT =
  /^(?:(?:s|tr|y)\/[^/\\]{0,100}\/[^/\\]{0,100}\/[gims]{0,4}|[\d\s.+*/%()-]{1,100}|(?:process|os|sys|platform)\.(?:versions?|arch|platform|release|python_version)[\w.()]{0,40}|(?:import|from|use|require)\s[\w., ]{1,200}|(?:const|let|var|my)?\s?[\w$]{1,60}\s?=\s?(?:[\d.]{1,20}|"[^"\\$`]*"|'[^'\\]*')|(?:print|puts|echo|say|console\.log)\s?\(?\s?(?:f?"[^"\\$`{]*"|'[^'\\{]*'|[\d\s.+*/%()-]{1,100}|[\w.]{1,60}version(?:_info)?)\s?\)?|)$/i;
const STRINGS = new RegExp(LITERAL, 'gs');
/** A pattern that is searched for, where no division can be. */
const PATTERNS =
  /(=~|!~|\b(?:if|unless|and|or|not|grep|split)\b|[({,!]|&&|\|\||^)(\s{0,4}\(?\s{0,4})(?:m|qr)?\/(?:\\.|[^\\/\n]){1,200}\/[gimsx]{0,4}/g;
/** What a line of Perl or AWK consists of that only prints what it finds. */
const PRINTS =
  /\b(?:print|printf|say|if|unless|and|or|not|eq|ne|lt|gt|END|BEGIN|next|last|length|lc|uc|join|split|sort|reverse|keys|values|scalar|my|sprintf|defined|exists|grep)\b|[$@%](?!ENV\b)(?:\w{1,30}|[.&,;/\\0])|\b\d[\d.]{0,20}|=~|[=!<>]=|[\s{}()[\]!~+\-*%,;&|?:<>."'/]/g;
/** Ways to run code without a plain call by name, beside those in strings. */
const RUNS_CODE =
  /`|[)\]]\s*\(|\b(?:system|exec|eval|qx|popen|unlink|rmtree)\b|\|\s*["']|__|=(?!=)\s*[\w.]+\s*$|[@#$]\{|getattr|globals/;
/** All of the environment, which holds credentials. One variable of it by its name is none. */
const ENVIRONMENT =
  /(?<!["']\s{0,4}(?:not\s{1,4})?in\s{1,4})(?:\bos\.environ|\bprocess\.env|\bENV|\$_(?:ENV|SERVER))\b(?!\s*(?:\[\s*["']|\.(?:get|fetch)\(\s*["']|\.[A-Z_]+\b))/;
const DESTROYS_WORD = /\b(unlink|rmtree|rmdir|remove_tree|rm_rf|rm_r)\b\s*\(?/i;
/** What no name in a program that only reads does, even if nothing shows that it is called. */
const HANDED_ON: ReadonlySet<string> = new Set(['delete', 'send', 'transfer', 'grant', 'revoke']);
const NAME = /[A-Za-z_][\w.]{0,120}/g;

/** Modules of Node.js that run nothing when they are loaded, and data. */
const READS_MODULES =
  /^["'](?:(?:node:)?(?:fs|path|os|util|url|crypto|zlib|querystring|assert)|\.{1,2}\/[\w./-]{1,100}\.json)["']$/;
const OPENS_TO_READ = /^\s*(?:'[^'\\]*'|"[^"\\]*")\s*(?:,\s*(?:'r[bt]?'|"r[bt]?")\s*)?$/;
const SECRET_NAME = /secret|passw|token|credential|private_?key/i;

/** Whether a call in a program only computes or reads. */
function isHarmless({ path, arguments: args }: Call, lexicon: Lexicon): boolean {
  const { httpClients, pureFunctions, queries, shellCalls, evaluators } = lexicon.codeWords;
  const last = path.at(-1) ?? '';
  const name = last.toLowerCase();
  if (doingInReads(args, () => settingsIn(args), lexicon) !== undefined) return false;
  if (name === 'open' && path.length === 1) return OPENS_TO_READ.test(args);
  if (name === 'require') return READS_MODULES.test(args);
  // An address that acts when it is opened.
  const literal = LITERAL.exec(args)?.[2] ?? '';
  if (/^(?:\/|https?:)/.test(literal) && actOfUrl(literal, lexicon)?.entry.effect === 'destructive') return false;
  // What is sent with a request is looked at below.
  if (stageOf(args) !== undefined || path.some((part) => httpClients.has(part.toLowerCase())) || SECRET_NAME.test(last))
    return false;
  if (queries.has(name)) {
    const sql = /^\s*[fr]?$/.test(args.slice(0, args.search(/["'`]/))) ? LITERAL.exec(args)?.[2] : undefined;
    const read = sqlFragments(sql ?? '', { at: 0, end: sql?.length ?? 0 }, lexicon);
    return read.length > 0 && read.every(({ effect }) => effect === 'read');
  }
  if (RUNS_DATA.test(path[0] ?? '') || LOADS_OBJECTS.test(args)) return false;
  if (path.length > 1 && name === 'set' && (doingOfArguments(last, args, lexicon) || writesNothing(name, args)))
    return false;
  if (doingOfThing(last, path.at(-2) ?? '', lexicon)?.effect === 'destructive') return false;
  if (pureFunctions.has(name)) return true;
  if (/^(?:output|write|save|put|copy)\w*file/.test(name)) return false;
  if (shellCalls.has(name) || evaluators.has(name) || /(?:^|_)(?:or|and)_|[a-z](?:Or|And)[A-Z]/.test(last))
    return false;
  return doingOfName(last, lexicon)?.action === 'read';
}

/** Whether a program only computes and prints. */
export function onlyReads(program: string, lexicon: Lexicon): boolean {
  const statements = program.split(/[;\n]/).map((statement) => statement.trim());
  if (statements.every((statement) => statement.length < 400 && HARMLESS_STATEMENT.test(statement))) return true;
  const bare = program
    .replaceAll(PATTERNS, '$1$2""')
    .replaceAll(STRINGS, (text) => (/[@#$]\{|`|^["']\w+["']$/.test(text) ? text : '""'));
  if (RUNS_CODE.test(bare) || ENVIRONMENT.test(bare)) return false;
  if (/^(?:BEGIN|END|print|printf|say|if|my|\$|"")/.test(bare.trim()) && bare.replaceAll(PRINTS, '') === '')
    return true;
  const calls = callsOf(program);
  // A function that is handed on is called by another: `map(os.remove, files)`.
  const names = (bare.match(NAME) ?? []).flatMap((name) => name.split('.').at(-1) ?? []);
  return (
    calls.length > 0 &&
    calls.every((call) => isHarmless(call, lexicon)) &&
    names.every((name) => !HANDED_ON.has(doingOfName(name, lexicon)?.action ?? 'read'))
  );
}

/** What a program on a command line does: harmless statements, known calls, or else it is not understood. */
export function programFragments(
  program: string,
  span: Span,
  lexicon: Lexicon,
  runShell: (text: string, at: Span) => Fragment[],
): Fragment[] {
  if (onlyReads(program, lexicon)) return [readsOnly(span, { verb: 'print', object: 'value' })];
  const known = callsOf(program).flatMap((call) => callFragment(call, 'program', lexicon, runShell) ?? []);
  const gone = known.find(({ effect }) => effect === 'destructive');
  if (gone) return [{ ...fragmentOf(span, gone), language: 'shell' }];
  if (DESTROYS_WORD.test(program))
    return [fragmentOf(span, { verb: 'unlink', ...EMPTIES, object: 'file', domain: 'files' })];
  return [unknownCode(span), ...known.filter(({ action }) => action !== 'read').map((one) => fragmentOf(span, one))];
}

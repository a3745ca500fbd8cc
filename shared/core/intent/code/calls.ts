// Reads calls in programs: fetch and its like, calls to databases and file systems, and short programs on a command line.
import { type Fragment, fragmentOf, gravity, readsOnly, sentOutside, type Span, unknownCode } from './code.ts';
import { disablesSomething, doingOfName, emptiesSetting, partsOf, withMoney, withNouns } from './commands.ts';
import { doingOfSetting, doingOfSettings, gravest } from './settings.ts';
import { actOfUrl, METHODS, requestFragment } from './http.ts';
import type { Doing, Lexicon } from '../lexicon/types.ts';
import { sqlFragments } from './sql.ts';

/** A call in a text: `prisma.user.deleteMany({})`. */
export interface Call {
  /** The names before the parenthesis. */
  readonly path: readonly string[];
  readonly arguments: string;
  readonly at: number;
  readonly end: number;
}

const MAX_ARGUMENTS = 2_000;
const MAX_CALLS = 100;
/** The links of one chain of calls at most. */
const MAX_LINKS = 12;
const PATH = /(?<![\w$.])[A-Za-z_$][\w$]{0,60}(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]{0,60}!?){0,12}\s?\(/g;
const PATH_HERE = new RegExp(PATH, 'y');
/** The call that continues a chain: `.remove({})` after `db.getCollection("users")`. */
const CHAINED =
  /(?:\s{0,8}(?:\.|->|::|\?\.)[A-Za-z_$][\w$]{0,60}){0,4}\s{0,8}(?:\.|->|::|\?\.)([A-Za-z_$][\w$]{0,60})!?\s?\(/y;
const QUOTES = new Set(['"', "'", '`']);

/** The offset of the parenthesis that closes the one before `from`, not counting those in quotes. */
function closing(text: string, from: number): number {
  let open = 1;
  let quote = '';
  const until = Math.min(text.length, from + MAX_ARGUMENTS);
  for (let at = from; at < until; at += 1) {
    const c = text.charAt(at);
    if (c === '\\') at += 1;
    else if (quote !== '') quote = c === quote ? '' : quote;
    else if (QUOTES.has(c)) quote = c;
    else if (c === '(') open += 1;
    else if (c === ')') {
      open -= 1;
      if (open === 0) return at;
    }
  }
  return until;
}

/** The calls of a chain whose first path is `match`: one for each of its links. */
function linksOf(text: string, match: RegExpExecArray): Call[] {
  const found: Call[] = [];
  let path = match[0]
    .slice(0, -1)
    .trim()
    .split(/\.|->|::|\?\./);
  let open = match.index + match[0].length;
  for (let links = 0; links < MAX_LINKS; links += 1) {
    const end = closing(text, open);
    found.push({ path, arguments: text.slice(open, end), at: match.index, end: Math.min(text.length, end + 1) });
    CHAINED.lastIndex = end + 1;
    const next = CHAINED.exec(text);
    if (!next) break;
    path = [...path.slice(0, 12), next[1] ?? ''];
    open = CHAINED.lastIndex;
  }
  return found;
}

/** The chain of calls that begins at an offset; none where a name without a call does. */
export function chainAt(text: string, at: number): Call[] {
  PATH_HERE.lastIndex = at;
  const match = PATH_HERE.exec(text);
  return match ? linksOf(text, match) : [];
}

/** The calls in a text, from outside to inside. */
function callsOf(text: string): Call[] {
  const found: Call[] = [];
  PATH.lastIndex = 0;
  for (let match = PATH.exec(text); match && found.length < MAX_CALLS; match = PATH.exec(text)) {
    found.push(...linksOf(text, match));
    // Arguments may hold further calls, such as those of a callback.
    PATH.lastIndex = match.index + match[0].length;
  }
  return found;
}

const LITERAL = /(["'`])((?:\\.|(?!\1)[^\\])*)\1/s;
const METHOD = /["']?(?:method|type|verb)["']?\s{0,3}[:=]\s{0,3}["'`](\w{2,10})["'`]/i;
/** A method by the name of a constant: `HttpMethod.DELETE`, `http.MethodDelete`, `Method::PUT`. */
const CONSTANT = /\b(?:Http|Request)?Method(?:s)?(?:\.|::)?_?(get|head|delete|put|patch|post)\b/i;
/** A method that is known only at run time. */
const DYNAMIC_METHOD =
  /(?:["']?\bmethod\b["']?\s{0,3}[:=]\s{0,3}(?!["'`\s=])|[{,]\s{0,3}method\s{0,3}[,}]|\.\.\.\s{0,3}\w)/i;
/** Calls whose first argument is the method. */
const TAKES_METHOD = /^(?:request|newrequest|newrequestwithcontext|send_request|exchange|method|open|httprequest)$/;
const CARRIES = /\bopen\(|environ|process\.env|readFile|read_text|getenv|\bfs\./;

/** The arguments of a call, as text. */
function argumentsIn(args: string): string[] {
  const found: string[] = [];
  let [open, quote, from] = [0, '', 0];
  for (let at = 0; at < args.length; at += 1) {
    const c = args.charAt(at);
    if (c === '\\') at += 1;
    else if (quote !== '') quote = c === quote ? '' : quote;
    else if (QUOTES.has(c)) quote = c;
    else if (c === '(' || c === '[' || c === '{') open += 1;
    else if (c === ')' || c === ']' || c === '}') open -= 1;
    else if (c === ',' && open === 0) {
      found.push(args.slice(from, at).trim());
      from = at + 1;
    }
  }
  found.push(args.slice(from).trim());
  return found.filter((one) => one !== '');
}

const OPTIONS_NAME = /(?:req|request|opts|options|config|settings|init)$/i;
/** Whether the method of a request is in a variable, or in options that are. */
function isMethodOpen(last: string, args: string): boolean {
  const [first = '', second = ''] = argumentsIn(args);
  if (DYNAMIC_METHOD.test(args)) return true;
  if (second === '' && /^[A-Za-z_$][\w$.]*$/.test(first))
    return (
      OPTIONS_NAME.test(first) ||
      (/^(?:axios|ajax|request|\$http)$/.test(last) && !/(?:url|uri|href|endpoint|link|address|path)$/i.test(first))
    );
  // `fetch(url, options)`; a second argument in Python has a name: `timeout=3`.
  if (/^[A-Za-z_$][\w$.]*$/.test(second) && !/^(?:cb|callback|done|next|resolve|null|undefined|None|nil)$/.test(second))
    return true;
  return TAKES_METHOD.test(last) && /^[A-Za-z_$][\w$.]*$/.test(first) && second !== '';
}

/** Whether an address is put together with data, in its query: `"https://x/?d=" + token`. */
function carriesInAddress(args: string): boolean {
  const [address = ''] = argumentsIn(args);
  if (!/^[fr]?["'`]/.test(address)) return false;
  const joined = /["'`]\s{0,3}(?:\+|\.|%)\s{0,3}\S/.exec(address);
  const expands = /\$\{|^f["'][^]*\{/.test(address);
  const query = address.search(/[?&][\w-]{1,30}=(?:["'`]|\$?\{)/);
  if (!(joined || expands)) return false;
  return query >= 0 && SENSITIVE.test(address.slice(query));
}
const SENSITIVE =
  /cookie|token|secret|passw|credential|session|environ|\benv\b|key\b|localstorage|users?\b|customers?|emails?|rows?\b|dump|data\b|open\(|stringify|dumps/i;

function fetchOf({ path, arguments: args, at, end }: Call, lexicon: Lexicon): Fragment | undefined {
  const clients = lexicon.codeWords.httpClients;
  const names = path.map((name) => name.toLowerCase());
  const [root = '', last = ''] = [names[0], names.at(-1)];
  const url = new RegExp(LITERAL).exec(args)?.[2] ?? '';
  const byName = METHODS.has(last.toUpperCase()) ? last : undefined;
  const literal = LITERAL.exec(args)?.[2] ?? '';
  const direct = TAKES_METHOD.test(last) && METHODS.has(literal.toUpperCase()) ? literal : undefined;
  const constant = CONSTANT.exec(args)?.[1];
  const isRequest = byName !== undefined && /^(?:\/|https?:)/.test(url);
  if (!(clients.has(root) || clients.has(last) || isRequest || direct !== undefined || constant !== undefined))
    return undefined;
  const stated = METHOD.exec(args)?.[1] ?? byName ?? direct ?? constant;
  if (stated === undefined && !(names.length === 1 || clients.has(last))) return undefined;
  if (stated === undefined && (isMethodOpen(last, args) || (last === 'urlopen' && /\bdata\s*=(?!\s*None)/.test(args))))
    return unknownCode({ at, end }, { domain: 'web', language: 'http' });
  const isDynamic = /^\s*[\w$]/.test(args) && CARRIES.test(args);
  // An address that is known only at run time may be anywhere.
  const target = isDynamic
    ? 'https://host.invalid/'
    : (/["'`]((?:https?:\/\/|\/)[^"'`]{0,500})/.exec(args)?.[1] ?? '/');
  const body = args.slice(0, MAX_ARGUMENTS);
  const comma = args.indexOf(',');
  const carries =
    carriesInAddress(args) || CARRIES.test(isDynamic ? args.slice(comma < 0 ? args.length : comma) : args);
  const sent = requestFragment(
    { method: stated ?? 'GET', url: target, body, headers: body, carries },
    { at, end },
    lexicon,
  );
  return carries && sent.action === 'send'
    ? sentOutside(
        { ...sent, object: 'file', domain: 'files' },
        args,
        /environ|process\.env|\$\{|select|dump/i.test(args),
      )
    : sent;
}

/** How sure it is that a call is one, and not a remark in parentheses. */
export type Where = 'program' | 'prose';

/** Stages and operators of MongoDB that change more than the name of their call says. */
function stageOf(args: string): Doing | undefined {
  if (/[{,]\s{0,3}["']?\$out\b/.test(args) || (/^\s*\{\s*\}/.test(args) && /\$unset\b/.test(args))) return DELETES;
  return /\$merge\b/.test(args) ? { action: 'update', effect: 'write', traits: [] } : undefined;
}

/** A document or a file is replaced by an empty one, or by nothing. */
const REPLACES_ALL =
  /^(?:replace|update|set|put|write|findoneandreplace)\w{0,20} [^]{0,500},\s{0,3}(?:\{\s{0,3}\}|""|'')\s{0,3}$|^(?:move|rename|copy)\w{0,20} [^]{0,500}["']\/dev\/null["']/;
const KEY = /[{[,]\s{0,3}["']?([A-Za-z]\w{1,40})["']?\s{0,3}:/g;
/** What is made is no payment: `db.payments.createIndex()`. */
const PART_OF_STORE = /(?:index|indexes|collection|view|user|role|trigger|search)$/i;

/** The gravest of what the keys of a command in an object say: `runCommand({ drop: "users" })`; undefined when none is known. */
function doingOfKeys(args: string, lexicon: Lexicon): Doing | undefined {
  const known = [...args.matchAll(KEY)].flatMap(([, name = '']) => doingOfName(name, lexicon) ?? []);
  return known.reduce<Doing | undefined>((a, b) => (a && gravity(a) >= gravity(b) ? a : b), undefined);
}

const RUNS_DATA = /^(?:c?pickle|marshal|dill|joblib|cloudpickle)$/i;
const LOADS_OBJECTS = /\bLoader\s*=\s*(?:yaml\.)?(?:Unsafe|Full)?Loader\b/;
const RUNS_STATEMENT =
  /^(?:execute(?:query|update|batch|many|script|raw|rawunsafe|sqlraw|nonquery|scalar)?|\$(?:execute|query)rawunsafe|executesql)$/;
/** A variable, a call, or text with something put into it; not a list of values. */
const OPEN_STATEMENT =
  /^\s*(?:[A-Za-z_$][\w$.]*\s*(?:[,+%)(]|$)|f["']|["'`][^]*(?:["']\s*(?:\+|%(?!s)|\.format\())|`[^`]*\$\{)/;
/** An open file as an argument. */
const HANDS_FILE = /(?<![\w.])open\(|createReadStream\(|FileInputStream\(/;
const PARSES =
  /^(?:load|reader|dictreader|read\w*|parse\w*|from\w*|safe_load|pipe|on|sha\d*|md5|digest|enter_context|iter|next|len|list|append|push)$/;
const LOADS_MODULE = /^(?:import_module|__import__|require|getattr)$/;
const SETS = /^(?:put|set|modify|write|change|configure|patch)/;
const WRITES_WHOLE = /^(?:write\w*|output\w*|put\w*|set_contents|file_put_contents|createfile|dump)$/;
const NOTHING = /^(?:b?""|b?''|``|nil|null|None|new byte\[0\]|\[\]|\{\}|Buffer\.alloc\(0\)|Vec::new\(\))$/;

/** `Path("ledger").write_text("")`, `fs.writeFile("ledger", "", done)`: the content is all of it, and nothing. */
const writesNothing = (lower: string, args: string): boolean => {
  const given = argumentsIn(args);
  const content = /^(?:write_text|write_bytes|set_contents)$/.test(lower) ? given[0] : given[1];
  if (lower === 'set' && given.length === 1) return NOTHING.test(given[0] ?? '');
  return WRITES_WHOLE.test(lower) && content !== undefined && NOTHING.test(content);
};

/** What a destroying word at the end of a name says, whatever the name begins with: `ExecuteDelete`, `queue_purge`. */
function doingOfCall(name: string, of: string, lexicon: Lexicon): Doing | undefined {
  const own = doingOfName(name, lexicon);
  const parts = partsOf(name);
  if (parts.length < 2) return own && withNouns(own, [of], lexicon);
  if (own !== undefined && (own.effect === 'read' || own.effect === 'destructive')) return own;
  if (
    /^(?:on|is|has|can|should|before|after|pre|post|will|did|no|not|undo|handle|add|assert|expect|mock)$/.test(
      parts[0] ?? '',
    )
  )
    return own;
  const last = lexicon.commandVerbs.get(parts.at(-1) ?? '');
  return last?.effect === 'destructive' ? last : own && withNouns(own, [name, of], lexicon);
}

/** What is done with each of many things: `find_each(&:destroy)`. */
function handedOn(args: string, lexicon: Lexicon): Doing | undefined {
  const symbol = /&:(\w{1,40})/.exec(args)?.[1];
  const doing = symbol === undefined ? undefined : doingOfName(symbol, lexicon);
  return doing?.effect === 'destructive' ? doing : undefined;
}

/** What the values that a call is given do: `update(is_admin=True)`, `config_set("maxmemory", 1)`. */
function doingOfArguments(last: string, args: string, lexicon: Lexicon): Doing | undefined {
  const lower = last.toLowerCase();
  const set = doingOfSettings(args, lexicon);
  const [name = '', value = ''] = argumentsIn(args).map((one) => one.replace(/^:|^["'`]|["'`]$/g, ''));
  const isPair =
    /set|config|attribute|put|update|define|assign/.test(lower) && /^[\w.-]{2,40}$/.test(name) && value !== '';
  // `setBalance(90000)`
  const setter =
    /^set_?\w/.test(lower) && name !== '' && value === ''
      ? { name: partsOf(last).slice(1).join('_'), value: name.toLowerCase() }
      : undefined;
  const disables = setter && disablesSomething(`${setter.name}=${setter.value}`, lexicon);
  const own = disables ? DELETES : setter && doingOfSetting(setter, lexicon);
  const pair =
    isPair &&
    (emptiesSetting(`${name}=${value}`, lexicon)
      ? DELETES
      : doingOfSetting({ name: partsOf(name).join('_'), value: value.toLowerCase() }, lexicon));
  const forced = lower.startsWith('sync') && /\bforce\W{1,4}true\b|^\s*true\s*$/i.test(args) ? DELETES : undefined;
  return gravest([set, pair || undefined, forced, own].flatMap((one) => one ?? []));
}

/** What one call does; undefined where the text says nothing about it. `runShell` reads a command line within. */
export function callFragment(
  call: Call,
  where: Where,
  lexicon: Lexicon,
  runShell: (text: string, span: Span) => Fragment[],
): Fragment | undefined {
  const { path, arguments: args, at, end } = call;
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
    const gravest = inner.reduce<Fragment | undefined>((a, b) => (a && gravity(a) >= gravity(b) ? a : b), undefined);
    if (gravest && (isPlain || gravest.effect === 'destructive')) return { ...gravest, at, end };
    return unknownCode(call);
  }
  if (lexicon.codeWords.evaluators.has(lower) && (where === 'program' || path.length === 1))
    return args.trim() === '' ? undefined : unknownCode(call);
  // A statement that is known only at run time.
  // Data that runs code when it is loaded.
  if (isMember && /^loads?$/.test(lower) && (RUNS_DATA.test(path[0] ?? '') || LOADS_OBJECTS.test(args)))
    return unknownCode(call);
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
  const command = named.action === 'execute' ? /^\s*["'`]([a-z][\w:.-]{2,60})["'`]/i.exec(args)?.[1] : undefined;
  const runs = command === undefined ? undefined : doingOfName(command, lexicon);
  const set = named.effect === 'write' ? doingOfArguments(last, args, lexicon) : undefined;
  const doing = empties ? DELETES : (gravest([usual, ...[set, runs].flatMap((one) => one ?? [])]) ?? usual);
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
  if (gone) return [{ ...gone, ...span, language: 'shell' }];
  if (DESTROYS_WORD.test(program))
    return [fragmentOf(span, { verb: 'unlink', ...DELETES, object: 'file', domain: 'files' })];
  return [unknownCode(span), ...known.filter(({ action }) => action !== 'read').map((one) => ({ ...one, ...span }))];
}

const DELETES: Doing = { action: 'delete', effect: 'destructive', traits: ['irreversible'] };

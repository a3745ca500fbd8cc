// Reads a text that is nothing but a program in Python or JavaScript, by its syntax tree.
import type { ProgramLanguage, ProgramNames } from '../../lexicon/programs.ts';
import type { Lexicon } from '../../lexicon/types.ts';
import { callFragment, onlyReadsCall, readsQuery, type RunShell } from '../calls.ts';
import type { Call } from '../call-syntax.ts';
import { type Fragment, gravity, isSecretName, isSystemPath, NOT_UNDERSTOOD, type Span, unknownCode } from '../code.ts';
import { isOutside } from '../http.ts';
import { partsOf } from '../names.ts';
import type { KnownCalls } from './calls.ts';
import { isForeign } from './foreign.ts';
import { partOfJavaScript } from './javascript.ts';
import { JAVASCRIPT } from './javascript-calls.ts';
import { Judge } from './judge.ts';
import { partOfPython } from './python.ts';
import { PYTHON } from './python-calls.ts';
import { type Node, treeOf, type UnreadProgram } from './tree.ts';
import type { Act } from './acts.ts';
import { fragmentsOfDeed, isAddress, type OtherReaders, together } from './does.ts';
import { GRAVE, handedOn, isGraveWord, namesOutside } from './tools.ts';

/** What a program does in all. */
export interface Done {
  /** Undefined if a part of it is not understood. */
  readonly fragments: readonly Fragment[] | undefined;
  /** It is known what it does with files, commands or statements, and that this is not understood. */
  readonly isRefused: boolean;
  /** What it does beside reading is to write files, and nothing else. */
  readonly onlyWrites: boolean;
}
const NOT_DONE: Done = { fragments: undefined, isRefused: false, onlyWrites: false };

export interface ReadProgram {
  readonly language: ProgramLanguage;
  /** It only computes and reads. */
  readonly reads: boolean;
  /** What it does beside that. */
  acts(): readonly Fragment[];
  /** All that it does, as far as these readers understand it. */
  does(others: OtherReaders): Done;
  /** Comments, and texts that are no part of a statement: they may say anything. */
  remarks(): readonly Span[];
  /** It is one expression, such as a call, in which no name can stand for another. */
  readonly isExpression: boolean;
  /** It does more by what the language and its libraries have. What names do that nothing defines, those of tools, their own readers say. */
  readonly surelyActs: boolean;
  /** It sends something to an address that is only known when it runs, or something to a host outside that is. */
  readonly sendsUnseen: boolean;
  /** Why it is not read, though it has no syntax error. */
  readonly unread?: UnreadProgram;
}

/** A program that is not read: it may do anything. */
const unreadProgram = (language: ProgramLanguage, length: number, unread?: UnreadProgram): ReadProgram => ({
  language,
  reads: false,
  acts: () => [unknownCode({ at: 0, end: length })],
  does: () => ({ ...NOT_DONE, isRefused: true }),
  remarks: () => [],
  isExpression: false,
  surelyActs: true,
  sendsUnseen: false,
  ...(unread && { unread }),
});

const LANGUAGES = {
  python: { language: PYTHON, translate: partOfPython },
  javascript: { language: JAVASCRIPT, translate: partOfJavaScript },
} as const;

const NO_SHELL: RunShell = () => [];

/** A usual character that is written so that it is not seen. */
const ESCAPED = /(?<!\\)\\(?:x[2-7]|u\{?0*[2-7][\da-f]\b|u00[2-7]|U0|N\{|[0-7]{2})/i;
const ADDRESS = /\w:\/\//;
const MAX_ARGUMENTS = 2_000;
const callOf = ({ path, arguments: args, at, end }: Act): Call => ({
  path,
  arguments: args.slice(0, MAX_ARGUMENTS),
  at,
  end,
  isCut: args.length > MAX_ARGUMENTS,
});

/** Whether the name of a method says that it reads, as those of services have them: `get_bucket_versioning`; of a module, one word is enough. */
function readsByName(call: Call, lexicon: Lexicon, { modules }: ProgramNames): boolean {
  const [root = '', ...rest] = call.path;
  const name = rest.at(-1) ?? '';
  const { pureFunctions } = lexicon.codeWords;
  const isPure = pureFunctions.has(name.toLowerCase());
  const isKnown = modules.has(root)
    ? partsOf(name).length > 1 || READS.test(name) || (isPure && rest.length === 1)
    : partsOf(name).length > 1 && !pureFunctions.has(root) && !isPure;
  return isKnown && !MORE.test(name) && !ADDRESS.test(call.arguments) && onlyReadsCall(call, lexicon);
}
/** Names that are about reading, and open something to write it, or run what they read. */
const MORE = /^f?open|^download|unsafe|full_?load|pickle|eval|exec|module|import|^loads?$|^connect$/i;
const READS = /^(?:list|describe|show|retrieve|info|count|exists|find|head|scan)$/;

/** What an act does. */
function fragmentsOfAct(act: Act, lexicon: Lexicon, runShell: RunShell): Fragment[] {
  if (act.path.length === 0) return [unknownCode(act)];
  const call = callOf(act);
  const read = callFragment(call, 'program', lexicon, runShell);
  return read === undefined || gravity(read) < gravity(NOT_UNDERSTOOD) ? [unknownCode(act)] : [read];
}

/** Different calls of tools that are read, each as a text is. */
const MAX_TOOLS = 32;

const SENDS = /^(?:post|put|patch)$/i;

const TELLS: ReadonlySet<string> = new Set([
  ...['CallExpression', 'NewExpression', 'FunctionDefinition', 'ClassDefinition', 'ImportStatement', 'ForStatement'],
  ...['WhileStatement', 'WithStatement', 'TryStatement', 'FunctionDeclaration', 'ClassDeclaration', 'ArrowFunction'],
  ...['ImportDeclaration', 'ExportDeclaration', 'VariableDeclaration', 'TaggedTemplateExpression', 'LambdaExpression'],
]);

/** What a text has in which a tree may have one of these. */
const MAY_TELL = /[(`]|=>|\b(?:new|class|import|for|while|with|try|export|const|let|var|using|lambda)\b/;

/** Strings that nothing is put into, and what stands between them in JSON and in tables. */
const DATA_STRING = /(?<!\w)"(?:[^"\\\n]|\\.)*"/g;
const MAY_BE_CODE = /["'`/#\\]/;

/** Whether a text has what only a program has in its strings alone, as JSON and tables may. */
function isData(text: string): boolean {
  if (!text.includes('"')) return false;
  const bare = text.replaceAll(DATA_STRING, '');
  return !MAY_BE_CODE.test(bare) && !MAY_TELL.test(bare);
}

/** No sentence reads like these. */
const isCompound = ({ type }: Node): boolean => /^(?:Match|For|While|With|Try)Statement$/.test(type);

/** Whether a tree has what only a program has. A sentence of one word, or a setting, may look like an expression. */
const isProgram = (node: Node): boolean => TELLS.has(node.type) || node.children.some(isProgram);

/** What strings of a program say that no name does: a file with credentials, an address to be opened. */
const opensMore = (node: Node, text: string, urls: readonly string[]): boolean =>
  /^\w*String$/.test(node.type) && node.type !== 'ContinuedString'
    ? saysMore(text.slice(node.from, node.to), urls)
    : node.children.some((child) => opensMore(child, text, urls));
/** @param urls those of requests, which are read by themselves */
const saysMore = (string: string, urls: readonly string[]): boolean =>
  (ADDRESS.test(string) && !isOneOf(string.replace(/^\w{0,2}["'`]|["'`]$|[{$].*$/gs, ''), urls)) ||
  ESCAPED.test(string) ||
  /^\W?\/proc\//.test(string) ||
  (!/\s/.test(string) && isSecretName(string));

const isOneOf = (address: string, urls: readonly string[]): boolean =>
  ADDRESS.test(address) && urls.some((url) => url.startsWith(address));

function remarksIn(node: Node, found: Span[] = []): Span[] {
  if (isRemark(node)) found.push({ at: node.from, end: node.to });
  else for (const child of node.children) remarksIn(child, found);
  return found;
}
const isRemark = ({ type, children }: Node): boolean =>
  type.endsWith('Comment') || (type === 'ExpressionStatement' && children[0]?.type.endsWith('String') === true);

/** The answer for each call, by where it stands: a program is judged several times. */
function remembered(ask: (act: Act) => boolean): (act: Act) => boolean {
  const known = new Map<string, boolean>();
  return (act) => {
    const key = `${act.at} ${act.end} ${act.path.join('.')}`;
    const answer = known.get(key) ?? ask(act);
    known.set(key, answer);
    return answer;
  };
}

/** @param isGuessed the text does not say its language; @returns undefined for a text that is no program in it, or in any of them */
function readAs(
  text: string,
  language: ProgramLanguage,
  lexicon: Lexicon,
  runShell: RunShell,
  isGuessed = false,
): ReadProgram | undefined {
  const names = lexicon.programs[language];
  if (names === undefined) return undefined;
  const root = treeOf(text, language);
  if (root === undefined) return undefined;
  if ('why' in root) return unreadProgram(language, text.length, root);
  if (isGuessed && !isProgram(root)) return undefined;
  const known: KnownCalls = {
    isGrave: remembered((act) => {
      const read = callFragment(callOf(act), 'program', lexicon, NO_SHELL);
      return read !== undefined && gravity(read) >= gravity(NOT_UNDERSTOOD);
    }),
    reads: remembered((act) => {
      const call = callOf(act);
      // Of a library whose functions are listed the others are not known.
      return readsQuery(call, lexicon) ?? (act.isOfListed !== true && readsByName(call, lexicon, names));
    }),
    isOutside: (url) => isOutside(url, lexicon),
    isActingModule: (module) => partsOf(module).some((part) => isGraveWord(part, lexicon)),
  };
  const of = LANGUAGES[language];
  const judge = new Judge(known, text, names, of.language);
  const judged = judge.judge(of.translate(text, root));
  const found = [...judged, ...handedOn(judge.handedOn, { at: root.from, end: root.to }, lexicon)];
  const urls = found.flatMap(({ deed }) => (deed?.kind === 'request' ? deed.urls : []));
  if ((judge.opensFiles && opensMore(root, text, urls)) || (isGuessed && isForeign(root, text, lexicon)))
    found.push({ path: [], arguments: '', at: root.from, end: root.to });
  const read = (act: Act, others: OtherReaders) =>
    act.deed && (act.deed.kind !== 'tool' || act.deed.otherwise === 'reads' || others.readTool)
      ? fragmentsOfDeed(act.deed, act, { ...judge.surroundings(), lexicon, names, ...others })
      : fragmentsOfAct(act, lexicon, others.runShell);
  const acts = () => found.flatMap((act) => read(act, { runShell }));
  const statements = root.children.filter(({ type }) => !type.endsWith('Comment') && type !== ';');
  const isExpression = statements.length === 1 && statements[0]?.type === 'ExpressionStatement';
  const deeds = found.flatMap(({ deed }) => deed ?? []);
  const tools = deeds.filter((deed) => deed.kind === 'tool');
  const calls = new Set(tools.map(({ names: called, given }) => JSON.stringify([called, given])));
  // One request alone is read as it is written.
  const sendsRequest = ({ deed, path: [name = ''], at }: Act) =>
    (deed?.kind === 'request' || (deed?.kind === 'tool' && lexicon.codeWords.httpClients.has(name.toLowerCase()))) &&
    /^\s*(?:await\s+)?$/.test(text.slice(0, at));
  const isRequest = isExpression && found.some(sendsRequest);
  // A client of HTTP that is handed on, or whose method is found by a key: `client[method](url)`.
  const handsClient = ({ deed, path: [name = ''], end }: Act) =>
    deed === undefined && names.sessionNames.has(name) && text.charAt(end - 1) !== ')';
  // `module.__builtins__`
  const reachesHidden = ({ path }: Act) => path.some((name) => /^__\w+__$/.test(name));
  const done = ({ runShell: shell, readTool }: OtherReaders): Done => {
    const others = { runShell: shell, readTool: names.readsTools ? readTool : undefined };
    const isUnread = !others.readTool && tools.some(({ otherwise }) => otherwise !== 'reads');
    if (isRequest || isUnread || calls.size > MAX_TOOLS) return { ...NOT_DONE, isRefused: calls.size > MAX_TOOLS };
    // The readers of its lines know less of its calls.
    const isGrave = () =>
      found.some((act) => act.deed?.kind === 'tool' && read(act, others).some((one) => gravity(one) >= GRAVE));
    if (deeds.length < found.length)
      return {
        ...NOT_DONE,
        isRefused:
          judge.hasTooManyActs ||
          found.some(handsClient) ||
          found.some(reachesHidden) ||
          (tools.length > 0 && (!isExpression || isGrave())),
      };
    const each = found.map((act) => ({ act, fragments: read(act, others) }));
    const isRead = ({ fragments }: (typeof each)[number]) => fragments.every(({ effect }) => effect === 'read');
    const outside = found.map((act) => namesOutside(act, lexicon));
    // What a file of the system holds may leave with any call, even one that looks something up.
    const opensSystem = tools.length > 0 && [...judge.read].some(isSystemPath);
    const sends = opensSystem || outside.includes('told') || (outside.includes('read') && !each.every(isRead));
    const span = { at: root.from, end: root.to };
    const all = [
      ...together(
        each.flatMap(({ fragments }) => fragments),
        deeds,
        text,
        { lexicon, texts: judge.surroundings().texts },
      ),
      ...(sends ? [unknownCode(span)] : []),
    ];
    const isUnderstood = all.every(({ action }) => action !== 'unknown');
    return {
      fragments: isUnderstood ? all : undefined,
      isRefused: !isUnderstood && deeds.every(({ kind }) => kind !== 'request') && !(isExpression && tools.length > 0),
      onlyWrites: each.every((one) => one.act.deed?.kind === 'write' || (isRead(one) && one.act.deed?.kind !== 'tool')),
    };
  };
  let last: { readonly others: OtherReaders; readonly done: Done } | undefined;
  const does = (others: OtherReaders): Done => {
    if (last?.others !== others) last = { others, done: done(others) };
    return last.done;
  };
  const isOfLanguage = ({ at, path, deed }: Act, [root = ''] = path) =>
    /["'`[{]/.test(text.charAt(at)) ||
    (deed !== undefined && deed.kind !== 'request' && deed.kind !== 'tool') ||
    (!lexicon.codeWords.httpClients.has(root.toLowerCase()) &&
      (root === '' ||
        [names.roots, names.modules, of.language.treated].some((one) => one.has(root)) ||
        of.language.isKept(root)));
  const surelyActs =
    found.length > 0 &&
    /\w[(`]|\bfrom\s*["']/.test(text) &&
    (root.children.some(isCompound) || found.some((act) => isOfLanguage(act)));
  const sendsUnseen =
    !isExpression &&
    found.some(
      ({ deed }) =>
        deed?.kind === 'request' &&
        ((SENDS.test(deed.method) && !deed.urls.every(isAddress)) ||
          ((deed.body.isOpen || deed.query.isUnseen) && deed.urls.some((url) => isOutside(url, lexicon)))),
    );
  const reads = found.every(({ deed }) => deed?.kind === 'tool' && deed.otherwise === 'reads');
  return {
    language,
    reads,
    acts,
    does,
    remarks: () => remarksIn(root),
    isExpression,
    surelyActs,
    sendsUnseen,
  };
}

/** What a text may be, the likelier language first. */
const LIKE_JAVASCRIPT =
  /\b(?:const|let|var|function)\s|\b(?:Object|Array|JSON|Math|Reflect|Promise|process)\.[a-z]|=>|;\s*$|\bconsole\.|^\s*(?:import\b[^\n]*\bfrom\s*["']|export\b|interface\b|type\s+\w+\s*=)|\/\//m;

let last: { readonly text: string; readonly lexicon: Lexicon; readonly read: ReadProgram | undefined } | undefined;

/** Reads a text that is a program in a language that it does not say. The last answer is kept, because several readers ask about one text. */
export function programIn(text: string, lexicon: Lexicon): ReadProgram | undefined {
  if (last?.text === text && last.lexicon === lexicon) return last.read;
  const languages: readonly ProgramLanguage[] = LIKE_JAVASCRIPT.test(text)
    ? ['javascript', 'python']
    : text.includes('`')
      ? ['python']
      : ['python', 'javascript'];
  let read: ReadProgram | undefined;
  if (MAY_TELL.test(text) && !isData(text) && /[(=]|^\s*(?:import|export)\b[^\n]*["']/m.test(text))
    for (const language of languages) read ??= readAs(text, language, lexicon, NO_SHELL, true);
  last = { text, lexicon, read };
  return read;
}

/** Reads a program in a language that is known. What can not be read is not understood. */
export const programOf = (text: string, language: ProgramLanguage, lexicon: Lexicon, runShell: RunShell): ReadProgram =>
  readAs(text, language, lexicon, runShell) ?? unreadProgram(language, text.length);

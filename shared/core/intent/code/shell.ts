// Reads shell commands for what they do: by the lexicon, by the code on their line, and by where their output goes.
import {
  fileWrite,
  type Fragment,
  fragmentOf,
  isNowhere,
  isSecretName,
  isSystemPath,
  readsOnly,
  sentOutside,
  type Span,
  unknownCode,
  gravest,
} from './code.ts';
import { canonical, commandName, type KnownCommand, knownCommand } from './commands.ts';
import { curlWords, requestFragment, requestOfWords } from './http.ts';
import type { CodeOnLine, Lexicon } from '../lexicon/types.ts';
import {
  type Before,
  codeFragments,
  codesOnLine,
  endsWithCodeOption,
  type Fed,
  fedCode,
  fedCommands,
  type Reading,
} from './shell-code.ts';
import { hasOption, isTrial, runsOthers } from './options.ts';
import { disablesSomething, doingOfSettings, EMPTIES, ruledDoing, settingsOfWords } from './settings.ts';
import {
  asksWithData,
  copied,
  fedTo,
  givenPlaces,
  staysInside,
  writesNothing,
  writtenFiles,
  writtenPlace,
} from './shell-files.ts';
import { parseInner, type ShellCode, type ShellCommand } from './shell-syntax.ts';
import { type ShellWord, textsOf } from './shell-words.ts';

/** Variables that decide which programs run, or run code themselves. */
const DECIDES_WHAT_RUNS =
  /^(?:PATH|IFS|ENV|BASH_ENV|SHELL|EDITOR|PAGER|PROMPT_COMMAND|PYTHON\w+|NODE_OPTIONS|PERL5\w+|GIT_\w+|LD_\w+|DYLD_\w+)=/;
const SETS_VARIABLES = /^(?:export|declare|typeset|readonly|env|set)$/;
const VARIABLE = /^[A-Za-z_]\w{0,63}=/;

/** What the variables do that a command is given or sets: `NODE_TLS_REJECT_UNAUTHORIZED=0 node app.js`. */
function variables({ assignments, words, at, end }: ShellCommand, lexicon: Lexicon): Fragment[] {
  const sets = SETS_VARIABLES.test(words[0]?.text ?? '') ? words.filter(({ text }) => VARIABLE.test(text)) : [];
  const doing = gravest(settingsOfWords(textsOf([...assignments, ...sets])).map((one) => ruledDoing(one, lexicon)));
  return doing ? [fragmentOf({ at, end }, { verb: 'set', ...doing, object: 'setting' })] : [];
}

/** Programs of awk and sed that run commands or write files. */
const AWK_RUNS = /\bsystem\s{0,4}\(|\bgetline\b|\bprintf?\b[^;}]{0,200}[>|]\s{0,4}["\w]/;
const SED_RUNS = /(?:^|[;\d}$/])\s{0,4}[ew](?:\s|$)|\/[gpi\d]{0,4}[ew][gpi\d]{0,4}(?:\s|$)/;
const programRuns = (command: string, program: string): boolean =>
  (command.endsWith('awk') && AWK_RUNS.test(program)) || (command.endsWith('sed') && SED_RUNS.test(program));
const CREDENTIALS = {
  action: 'execute',
  effect: 'write',
  traits: ['privileged'],
  object: 'credential',
  domain: 'secrets',
} as const;
/** Commands that take what they are fed as arguments of the one that they run. */
const READS_ARGUMENTS = /^(?:xargs|parallel)$/;
const MAX_PREFIXES = 12;
const MAX_DEPTH = 6;
/** What reading a command costs of the effort, in characters. */
const COMMAND_COST = 45;

function ownFragment(known: KnownCommand, words: readonly ShellWord[], span: Span): Fragment {
  const { entry, doing, isKnown } = known;
  const args = textsOf(words.slice(1));
  const isAll =
    args.some((arg) => arg.includes('*') || arg === '/' || arg === '--all' || arg === '-A') ||
    (doing.effect === 'destructive' && args.some((arg) => /^-[a-z]*r/i.test(arg) || arg === '--recursive'));
  const changes = doing.effect !== 'read';
  return fragmentOf(span, {
    verb: words[0] ? commandName(words[0].text) : 'unknown',
    action: isKnown ? doing.action : 'unknown',
    effect: isKnown || doing.effect === 'destructive' ? doing.effect : 'write',
    traits: [...doing.traits, ...(changes && args.some((arg) => isSystemPath(arg)) ? (['privileged'] as const) : [])],
    object: entry.object ?? 'resource',
    domain: entry.domain,
    extent: isAll || (entry.object === 'database' && doing.effect === 'destructive') ? 'all' : 'one',
  });
}

/** Whether a program is not where programs are: `./ls` may be anything. */
const isElsewhere = (path: string): boolean =>
  /[/\\]/.test(path) && !/(?:^|[/\\])\.?s?bin[/\\]|^[a-z]:\\(?:windows|program)/i.test(path);

/** Whether a file is run: `python tools/purge.py`. */
const isScript = ({ entry, arguments: [file = ''] }: KnownCommand): boolean =>
  (entry.runs?.language === 'script' || entry.runs?.language === 'shell') && /^[\w./~-]+\.\w{1,4}$/.test(file);

/** All variables of the environment, and words that look for credentials among them. */
const isEnvironment = (before: Before | undefined): boolean =>
  /^(?:env|printenv|set|export|declare)$/.test(textsOf(before?.command.words ?? []).join(' '));

const COMPARES = /^-i?(?:gt|lt|eq|ne|ge|le|and|or|not|match|like|notlike|notmatch|contains|in|is)$/i;

/** The command in a block among the words of another: `ForEach-Object { Remove-Item $_ }`. A comparison of values is none. */
function commandInBlock(words: readonly ShellWord[]): readonly ShellWord[] {
  const open = words.findIndex(({ text, isQuoted }, at) => at > 0 && text === '{' && !isQuoted);
  const block = open < 0 ? [] : words.slice(open + 1).filter(({ text }) => text !== '{' && text !== '}');
  const [first, second] = block;
  const isValue = first?.text.startsWith('$') === true && (second === undefined || COMPARES.test(second.text));
  return isValue ? [] : block;
}

const withoutExternal = (fragment: Fragment): Fragment => ({
  ...fragment,
  traits: fragment.traits.filter((trait) => trait !== 'external'),
});

/** What one simple command does, without redirections. */
function wordsFragments(
  line: readonly ShellWord[],
  command: ShellCommand,
  before: Before | undefined,
  reading: Reading,
  prefixes = 0,
): Fragment[] {
  const { lexicon } = reading;
  const words = canonical(line, lexicon);
  const [head] = words;
  if (head === undefined) return [];
  const span = { at: head.at, end: Math.max(head.end, words.at(-1)?.end ?? 0) };
  if (/\s/.test(head.text.trim())) return reading.inner(textsOf(words).join(' '), head.at, { command, before });
  // `python -m pytest` runs the module as a command.
  if (/^python[\d.]*$/.test(head.text) && words[1]?.text === '-m' && words.length > 2 && prefixes < MAX_PREFIXES)
    return wordsFragments(words.slice(2), command, before, reading, prefixes + 1);
  const texts = textsOf(words);
  const known = head.isDynamic || prefixes > MAX_PREFIXES ? undefined : knownCommand(texts, lexicon);
  if (!known) return [!head.isDynamic && isTrial(texts, lexicon) ? readsOnly(span) : unknownCode(span)];
  const { entry, doing } = known;
  if (entry.object === 'url') {
    const apart = curlWords(texts);
    const request = requestOfWords(apart, { pipes: before !== undefined });
    if (/[^A-Za-z]/.test(request.method) || apart.some((text) => /^(?:-K|--config)$/.test(text)))
      return [unknownCode(span)];
    const read = requestFragment(request, span, lexicon);
    const sources = texts.join(' ');
    const isSent = read.action === 'send' && request.carries;
    // What is sent is a file, whatever the address is called.
    const file = isSent ? { ...read, object: 'file', domain: 'files' } : read;
    const fragment = isSent ? sentOutside(file, sources, before !== undefined) : read;
    if (known.loads || apart.some((text) => runsOthers(text, lexicon))) return [fragment, unknownCode(span)];
    // Nobody checks who answers.
    const unchecked =
      doing.effect === 'destructive' || !apart.includes('-k') ? doing : knownCommand(apart, lexicon)?.doing;
    if (unchecked?.effect === 'destructive')
      return [fragment, fragmentOf(span, { verb: 'skip', ...unchecked, object: 'check' })];
    const isDropped = apart.some(
      (text, at) => /^(?:-[oO]|--output|-OutFile)$/.test(apart[at - 1] ?? '') && isNowhere(text),
    );
    if (!request.saves || isDropped) return [fragment];
    const places = apart.flatMap((text) => (text.includes('@') ? [] : writtenPlace(text, span, lexicon)));
    return [
      fragment,
      fileWrite(apart.map((text) => text.replace(/^-o/, '')).find(isSystemPath) ?? '', span),
      ...places,
    ];
  }
  const looksForSecrets = isEnvironment(before) && isSecretName(texts.slice(1).join(' '));
  const plain = { ...ownFragment(known, words, span), ...(looksForSecrets ? CREDENTIALS : {}) };
  const isFed =
    before !== undefined &&
    plain.action === 'send' &&
    plain.traits.includes('external') &&
    !staysInside(known, lexicon);
  const kept = plain.action === 'send' && staysInside(known, lexicon) ? withoutExternal(plain) : plain;
  const copy = entry.sends ? copied(known, texts, kept, lexicon) : kept;
  const own = isFed || asksWithData(known, words) ? sentOutside(plain, '', true) : copy;
  const isHidden = ({ text, isQuoted }: ShellWord, at: number): boolean =>
    at > 0 &&
    (runsOthers(text, lexicon) ||
      (entry.command.startsWith('git') && /^alias\..{0,80}=!/.test(text)) ||
      (isQuoted && programRuns(entry.command, text)));
  // A dry run says more than the code would.
  if (doing.action === 'read' && entry.action !== 'read') return [own];
  if (entry.unseen && isTrial(texts, lexicon)) return [readsOnly(span)];
  const hidden =
    entry.unseen || isElsewhere(head.text) || known.loads || words.some(isHidden) ? [unknownCode(span)] : [];
  if (entry.readsCommands) hidden.push(...fedCommands(head, { command, before }, reading));
  hidden.push(...givenPlaces(known, span, lexicon), ...emptied(known, words, span, lexicon));
  hidden.push(...codeInOptions(known, words, reading), ...afterDashes(known, words, command, reading, prefixes));
  const block = commandInBlock(words);
  if (block.length > 0 && prefixes < MAX_PREFIXES)
    hidden.push(...wordsFragments(block, command, undefined, reading, prefixes + 1));
  const sent = fedTo(known, command, before?.command, plain, lexicon);
  if (!entry.runs) return [own, ...sent, ...hidden];
  const inside = codesOnLine(entry.runs, words, known);
  const { language } = entry.runs;
  // `xargs sh -c` takes its code from elsewhere.
  if (inside.length === 0 && endsWithCodeOption(entry.runs, words)) return [own, unknownCode(span)];
  if (inside.length === 0) {
    // What a script does is what its options say.
    if (isScript(known) && before === undefined && isTrial(texts, lexicon)) return [readsOnly(span)];
    const isFedCode =
      command.input !== undefined ||
      before !== undefined ||
      command.redirections.some(({ operator }) => operator === '<');
    // A copy between places of this host runs nothing.
    if (
      !entry.sends &&
      (entry.runs.options !== undefined || (isFedCode && entry.fed !== undefined) || language === 'sql') &&
      language !== 'command'
    ) {
      const fed = fedCode(command, known.arguments, before, language, reading);
      if (fed.length > 0) return [...(own.traits.length > 0 ? [own] : []), ...fed];
    }
    // A shell of another user or root reads what it is given.
    if (language === 'command' && command.input)
      return [own, ...codeFragments('shell', command.input.text, span, reading)];
    return [own, ...hidden];
  }
  // A path among the arguments is one of the code.
  const isOwn = (doing.action !== 'execute' && entry.runs.options !== undefined) || doing.traits.length > 0;
  const outer = [...(isOwn ? [{ ...own, traits: doing.traits }] : []), ...sent];
  if (language === 'command')
    return [
      ...outer,
      ...hidden,
      ...inside.flatMap((code) =>
        wordsFragments(code, command, READS_ARGUMENTS.test(entry.command) ? undefined : before, reading, prefixes + 1),
      ),
    ];
  // What is edited in place keeps only what the program prints.
  const edits =
    language === 'script' &&
    doing.action === 'update' &&
    !inside.every(([code]) => /^\s*(?:s|tr|y)\W/.test(code?.text ?? ''));
  // Words after the code that it does not use come from quotes within quotes.
  const isTorn =
    language === 'shell' &&
    entry.runs.options !== undefined &&
    !entry.sends &&
    words.at(-1) !== inside[0]?.[0] &&
    !textsOf(inside[0] ?? [])
      .join(' ')
      .includes('$');
  return [
    ...outer,
    ...hidden,
    ...inside.flatMap((code) => insideFragments(code, language, span, reading, { command, before })),
    ...(isTorn || edits ? [unknownCode(span)] : []),
  ];
}

/** A piece of code on a command's line. A part that is known only when it runs may be anything, but a value in SQL. */
function insideFragments(
  code: readonly ShellWord[],
  language: CodeOnLine['language'],
  span: Span,
  reading: Reading,
  fed: Fed,
): Fragment[] {
  const text = textsOf(code).join(' ');
  const isDynamic = language !== 'sql' && code.some((word) => word.isDynamic);
  if (isDynamic && !/\S\s/.test(text)) return [unknownCode(span)];
  const read = codeFragments(language, text, { at: (code[0]?.at ?? span.at) + 1, end: span.end }, reading, fed);
  return isDynamic && gravest(read)?.effect !== 'destructive' ? [...read, unknownCode(span)] : read;
}

/** Programs of an editor of streams that leave nothing of a file, such as `1,$d`. */
const EMPTIES_FILE = /^\s*(?:(?:\S{1,80},\$)?d|\/\.?\*?\/d|(?:1,\$|%)?s(.)\.[*+]\1\1[gms]{0,3})\s*;?\s*$/;
/** The new text of a substitution. */
const REPLACEMENT =
  /^\s*(?:\d+|\$|\/[^/]{0,200}\/)?s([/|#,@])(?:\\.|(?!\1)[^\\]){0,400}\1((?:\\.|(?!\1)[^\\]){0,400})\1/s;
const PRINTS_NOTHING = ['-n', '--quiet', '--silent'];

/** A file that is edited in place by a program that leaves nothing of it, keeps only what it prints, or sets a grave value. */
function emptied({ entry, doing }: KnownCommand, line: readonly ShellWord[], span: Span, lexicon: Lexicon): Fragment[] {
  if (doing.effect === 'read' || !/^(?:g?sed|perl|ruby)$/.test(entry.command)) return [];
  const words = textsOf(line);
  const keepsPrinted = entry.command.endsWith('sed') && PRINTS_NOTHING.some((option) => hasOption(words, option));
  if (keepsPrinted || words.some((text) => EMPTIES_FILE.test(text))) return [fileWrite('', span, true)];
  return words.flatMap((text) => {
    const value = REPLACEMENT.exec(text)?.[2] ?? '';
    const does = doingOfSettings(value, lexicon) ?? (disablesSomething(value, lexicon) ? EMPTIES : undefined);
    return does ? [fragmentOf(span, { verb: 'set', ...does, object: 'file', domain: 'files' })] : [];
  });
}

const CODE_OPTION =
  /^--?(sql|ddl|query|statement|query-string|command|commands|cmd|script|scripts|startup-script)(?:=|$)/i;
const CHANGES_DATA =
  /^\s*(?:drop|delete|truncate|alter|update|insert|merge|grant|revoke|create|replace|do|call|exec)\b\s/i;

/** Code in an option of a tool of which nothing else is known: `--sql "DROP TABLE x"`, `--command "rm -rf x"`. */
function codeInOptions({ entry }: KnownCommand, words: readonly ShellWord[], reading: Reading): Fragment[] {
  if (entry.runs !== undefined) return [];
  return words.flatMap((word, at) => {
    const name = CODE_OPTION.exec(word.text)?.[1];
    const code = word.text.includes('=')
      ? { ...word, text: word.text.slice(word.text.indexOf('=') + 1) }
      : words[at + 1];
    if (name === undefined || code === undefined || !/\s/.test(code.text)) return [];
    const isSql = CHANGES_DATA.test(code.text);
    if (!isSql && !/^(?:c|s[ct])/i.test(name)) return [];
    return codeFragments(isSql ? 'sql' : 'shell', code.text, code, reading).filter(({ effect }) => effect !== 'read');
  });
}

/** A command after `--` that destroys: `npm explore x -- rm -rf y`. */
function afterDashes(
  { entry }: KnownCommand,
  words: readonly ShellWord[],
  command: ShellCommand,
  reading: Reading,
  prefixes: number,
): Fragment[] {
  const at = words.findIndex(({ text }) => text === '--');
  const isTool = entry.verbAt.length > 0 || entry.command.includes(' ');
  if (at < 0 || !isTool || entry.runs !== undefined || entry.command.startsWith('git ') || prefixes > MAX_PREFIXES)
    return [];
  return wordsFragments(words.slice(at + 1), command, undefined, reading, prefixes + 1).filter(
    ({ effect }) => effect === 'destructive',
  );
}

/** Without repeated reads, which say nothing new. */
function distinct(fragments: readonly Fragment[]): Fragment[] {
  const seen = new Set<string>();
  return fragments.filter(({ action, effect, object, traits, extent, disguised }) => {
    const key = `${action} ${effect} ${object} ${traits.join()} ${extent} ${disguised}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** What shell code does, command by command. What is not understood is a fragment too. */
export function shellFragments(code: ShellCode, lexicon: Lexicon, depth = 0, fed?: Fed): Fragment[] {
  const inner = (text: string, at: number, outer?: Fed): Fragment[] =>
    depth >= MAX_DEPTH
      ? [unknownCode({ at, end: at + text.length })]
      : shellFragments(parseInner(text, at, code.effort), lexicon, depth + 1, outer);
  const reading: Reading = { lexicon, inner };
  const found: Fragment[] = [];
  const seen = new Map<string, Before>();
  let before: Before | undefined;
  for (const read of code.commands) {
    const isPiped = read.after === '|' || read.after === '|&';
    const isFirst = read === code.commands[0] && !read.input;
    const command = isFirst && fed?.command.input ? { ...read, input: fed.command.input } : read;
    const piped = isPiped ? before : isFirst ? fed?.before : undefined;
    // The same command again says nothing new.
    const isBare =
      piped === undefined && command.redirections.length + command.assignments.length === 0 && !command.input;
    const key = isBare ? textsOf(command.words).join('\0') : '';
    const known = seen.get(key);
    if (known !== undefined) {
      before = known;
      continue;
    }
    code.effort.left -= COMMAND_COST;
    const fragments = wordsFragments(command.words, command, piped, reading);
    if (command.assignments.some(({ text }) => DECIDES_WHAT_RUNS.test(text))) fragments.push(unknownCode(command));
    fragments.push(...variables(command, lexicon));
    // `tee` and the like empty a file when nothing is written into them.
    const name = commandName(command.words[0]?.text ?? '');
    if (
      name === 'tee' &&
      (piped === undefined
        ? command.redirections.some(({ operator, target }) => operator === '<' && isNowhere(target.text))
        : writesNothing(textsOf(piped.command.words))) &&
      !command.words.some(({ text }) => /^(?:-a|--append)$/.test(text))
    )
      fragments.push(fileWrite(command.words.at(-1)?.text ?? '', command, true));
    // What is run from a pipe says more than the commands that feed it.
    if (fragments.some(({ object }) => object === 'remote_code'))
      found.splice(0, found.length, ...found.filter(({ effect }) => effect === 'destructive'));
    found.push(...fragments, ...writtenFiles(command, lexicon));
    before = { command, fragments, before: piped };
    if (isBare) seen.set(key, before);
  }
  if (!code.isWhole) found.push(unknownCode({ at: code.commands[0]?.at ?? 0, end: code.end }));
  return distinct(found);
}

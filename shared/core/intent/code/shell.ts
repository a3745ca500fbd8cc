// Reads shell commands for what they do: by the lexicon, by the code on their line, and by where their output goes.
import { programFragments } from './calls.ts';
import {
  destroys,
  fileWrite,
  type Fragment,
  fragmentOf,
  gravity,
  isNowhere,
  isSystemPath,
  readsOnly,
  sentOutside,
  type Span,
  unknownCode,
} from './code.ts';
import { commandName, type KnownCommand, knownCommand } from './commands.ts';
import { isOutside, requestFragment, requestOfWords } from './http.ts';
import type { CodeOnLine, CommandEntry, Lexicon } from '../lexicon/types.ts';
import { parseInner, type ShellCode, type ShellCommand, type ShellWord } from './shell-syntax.ts';
import { sqlFragments } from './sql.ts';

/** Variables that decide which programs run, or run code themselves. */
const DECIDES_WHAT_RUNS =
  /^(?:PATH|IFS|ENV|BASH_ENV|SHELL|EDITOR|PAGER|PROMPT_COMMAND|PYTHON\w+|NODE_OPTIONS|PERL5\w+|GIT_\w+|LD_\w+|DYLD_\w+)=/;
/** Options by which ordinary commands run others. */
const RUNS_OTHERS =
  /^-{1,2}(?:to-command|checkpoint-action|use-compress-program|rsh|pager|ext-diff|upload-pack|receive-pack|fprint\w*|fls)\b/;
/** Programs of awk and sed that run commands or write files. */
const AWK_RUNS = /\bsystem\s{0,4}\(|\bgetline\b|\bprintf?\b[^;}]{0,200}[>|]\s{0,4}["\w]/;
const SED_RUNS = /(?:^|[;\d}$/])\s{0,4}[ew](?:\s|$)|\/[gpi\d]{0,4}[ew][gpi\d]{0,4}(?:\s|$)/;
const programRuns = (command: string, program: string): boolean =>
  (command.endsWith('awk') && AWK_RUNS.test(program)) || (command.endsWith('sed') && SED_RUNS.test(program));
const MAX_PREFIXES = 12;
const MAX_DEPTH = 6;

interface Reading {
  readonly lexicon: Lexicon;
  readonly depth: number;
}

/** A command whose output the next one reads. */
interface Before {
  readonly command: ShellCommand;
  readonly fragments: readonly Fragment[];
  readonly before: Before | undefined;
}

const textsOf = (words: readonly ShellWord[]): string[] => words.map(({ text }) => text);

function innerFragments(text: string, at: number, { lexicon, depth }: Reading): Fragment[] {
  if (depth >= MAX_DEPTH) return [unknownCode({ at, end: at + text.length })];
  return shellFragments(parseInner(text, at), lexicon, depth + 1);
}

/** Code of a language that a command runs. */
function codeFragments(language: CodeOnLine['language'], text: string, span: Span, reading: Reading): Fragment[] {
  if (language === 'sql') {
    // Clients have commands of their own, such as `\copy` and `\!`.
    if (/^\s*[\\.]/.test(text))
      return [/^\s*\\[dlh?z]/.test(text) ? readsOnly(span, { domain: 'db' }) : unknownCode(span)];
    return sqlFragments(text, { at: 0, end: text.length }, reading.lexicon).map((fragment) => ({
      ...fragment,
      ...span,
    }));
  }
  if (language === 'script')
    return programFragments(text, span, reading.lexicon, (line) => innerFragments(line, span.at, reading));
  return innerFragments(text, span.at, reading);
}

/** Whether a command writes nothing, so that its output empties a file: `:`, `cat /dev/null`, `echo -n`. */
function writesNothing(words: readonly string[]): boolean {
  const [name = '', ...args] = words;
  if (name === ':' || name === 'true' || name === '') return true;
  if (name === 'cat') return args.length > 0 && args.every((arg) => isNowhere(arg));
  return (name === 'echo' || name === 'printf') && args.every((arg) => arg === '' || arg === '-n') && args.length > 0;
}

function writtenFiles(command: ShellCommand): Fragment[] {
  return command.redirections.flatMap(({ operator, target }) => {
    if (!operator.includes('>') || isNowhere(target.text) || operator === '<>') return [];
    const isEmptied = !operator.includes('>>') && writesNothing(textsOf(command.words));
    return [fileWrite(target.text, { at: target.at, end: target.end }, isEmptied)];
  });
}

/** Where the code of an interpreter comes from, if not from its line: a pipe, a here-document, a file. */
function fedCode(
  command: ShellCommand,
  args: readonly string[],
  before: Before | undefined,
  language: CodeOnLine['language'],
  reading: Reading,
): Fragment[] {
  const span = { at: command.at, end: command.end };
  if (command.input)
    return codeFragments(
      language,
      command.input.text,
      { at: command.input.at, end: command.input.at + command.input.text.length },
      reading,
    );
  if (language === 'sql' && command.redirections.some(({ operator }) => operator === '<')) return [unknownCode(span)];
  if (before === undefined) return args.some((arg) => arg !== '-') && language !== 'sql' ? [unknownCode(span)] : [];
  const chain: Before[] = [];
  for (let one: Before | undefined = before; one && chain.length < 20; one = one.before) chain.push(one);
  const names = chain.map(({ command: { words } }) =>
    commandName(words.find(({ text }) => !/^sudo$/.test(text))?.text ?? ''),
  );
  const fetched = chain.some(({ fragments }) => fragments.some((fragment) => fragment.language === 'http'));
  const decoded = chain.some(
    ({ command: { words } }) =>
      /^(?:base64|base32|xxd|openssl|gunzip|zcat)$/.test(commandName(words[0]?.text ?? '')) &&
      /^(?:-d|--decode|-D|-r|enc)$/.test(words[1]?.text ?? ''),
  );
  if (fetched || decoded)
    return [
      fragmentOf(span, {
        verb: names.at(-1) || 'run',
        action: 'execute',
        effect: 'destructive',
        traits: ['external', 'irreversible'],
        object: 'remote_code',
        disguised: decoded,
      }),
    ];
  const [first] = chain;
  const literal =
    /^(?:echo|printf)$/.test(names[0] ?? '') &&
    first !== undefined &&
    first.command.words.every(({ isDynamic }) => !isDynamic);
  if (!literal || first === undefined) return [unknownCode(span)];
  const text = textsOf(first.command.words.slice(1))
    .filter((word) => !/^-[neE]+$/.test(word))
    .join(' ');
  return codeFragments(language, text, span, reading);
}

/** The code on a command's line. Undefined: there is none. */
function codeOnLine(runs: CodeOnLine, words: readonly ShellWord[], entry: CommandEntry): ShellWord[] | undefined {
  if (runs.options === undefined) {
    // The subcommands come before the code too.
    const most = (runs.skip ?? 0) + entry.command.split(' ').length - 1;
    let at = 1;
    for (let skipped = 0; at < words.length; at += 1) {
      const text = words[at]?.text ?? '';
      if (text === '--') {
        // What comes before it does not count: `kubectl exec POD -- CMD`.
        at += 1;
        break;
      }
      if (entry.valued.has(text)) at += 1;
      else if (/^-./.test(text) || (runs.language === 'command' && /^[A-Za-z_]\w*=/.test(text) && skipped === 0))
        continue;
      else if (skipped >= most) break;
      else skipped += 1;
    }
    return at < words.length ? words.slice(at) : undefined;
  }
  for (const [at, { text }] of words.entries()) {
    const option = runs.options.find(
      (one) =>
        text === one ||
        (one.startsWith('--') && text.startsWith(`${one}=`)) ||
        (text.endsWith(one.charAt(1)) && /^-[a-z]$/i.test(one) && /^-[a-zA-Z]{1,5}$/.test(text)),
    );
    if (at === 0 || option === undefined) continue;
    const word = words[at];
    if (word && text.startsWith(`${option}=`)) return [{ ...word, text: text.slice(option.length + 1) }];
    const rest = words.slice(at + 1);
    const end = rest.findIndex((one) => one.text === ';' || one.text === '+');
    return runs.language === 'command' ? rest.slice(0, end < 0 ? undefined : end) : rest.slice(0, 1);
  }
  return undefined;
}

const REMOTE =
  /^(?:[\w.-]{1,64}@)?([\w.-]{2,253}|\[[\da-f:]+\]):(?!\\)|^(?:s3|gs|gcs|azure|abfss?|ftp|sftp|rsync|https?):\/\/|^[\w.-]{1,64}@[\w.-]{1,253}$|^\/(?:media|Volumes)\/|\/usb\b/i;

/** Commands that copy whole folders. */
const MUCH = /^(?:rclone|aws s3 sync|gsutil rsync)/;

/** Copying to a last address: outside it is sending. */
function copied(known: KnownCommand, words: readonly string[], fragment: Fragment, lexicon: Lexicon): Fragment {
  const places = known.arguments.filter((text) => text.length < 500);
  const target = places.at(-1) ?? '';
  const host = /^(?:[\w.-]{1,64}@)?([\w.-]{2,253})(?::|$)/.exec(target)?.[1];
  const isRemote = REMOTE.test(target);
  const inside = target.includes('://')
    ? !isOutside(target, lexicon)
    : host !== undefined && !isOutside(`ssh://${host}`, lexicon);
  if (fragment.effect === 'destructive' || fragment.action === 'read') return fragment;
  const isMuch =
    MUCH.test(known.entry.command) ||
    words.some((word) => /^-[a-zA-Z]{0,5}[ra]|^--(?:recursive|archive)|\*/.test(word));
  if (isRemote && !inside) return sentOutside(fragment, places.slice(0, -1).join(' '), isMuch);
  const traits = fragment.traits.filter((trait) => trait !== 'external');
  if (isNowhere(target)) return destroys(fragment, { verb: fragment.verb, object: 'file', domain: 'files' });
  return fragment.action === 'send' && places.length > 0
    ? { ...fragment, action: isRemote ? 'send' : 'create', traits }
    : fragment;
}

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
    domain: entry.domain ?? 'infra',
    extent: isAll || (entry.object === 'database' && doing.effect === 'destructive') ? 'all' : 'one',
  });
}

/** What one simple command does, without redirections. */
function wordsFragments(
  words: readonly ShellWord[],
  command: ShellCommand,
  before: Before | undefined,
  reading: Reading,
  prefixes = 0,
): Fragment[] {
  const { lexicon } = reading;
  const [head] = words;
  if (head === undefined) return [];
  const span = { at: head.at, end: Math.max(head.end, words.at(-1)?.end ?? 0) };
  if (/\s/.test(head.text.trim())) return innerFragments(textsOf(words).join(' '), head.at, reading);
  const known = head.isDynamic || prefixes > MAX_PREFIXES ? undefined : knownCommand(textsOf(words), lexicon);
  if (!known) return [unknownCode(span)];
  const { entry, doing } = known;
  if (entry.object === 'url') {
    const request = requestOfWords(textsOf(words), { pipes: before !== undefined });
    if (/[^A-Za-z]/.test(request.method) || words.some(({ text }) => /^(?:-K|--config)$/.test(text)))
      return [unknownCode(span)];
    const read = requestFragment(request, span, lexicon);
    const sources = textsOf(words).join(' ');
    const isSent = read.action === 'send' && request.carries;
    const fragment = isSent ? sentOutside(read, sources, before !== undefined) : read;
    return request.saves ? [fragment, fileWrite('', span)] : [fragment];
  }
  const plain = ownFragment(known, words, span);
  const isFed = before !== undefined && plain.action === 'send' && plain.traits.includes('external');
  const copy = entry.sends ? copied(known, textsOf(words), plain, lexicon) : plain;
  const own = isFed ? sentOutside(plain, '', true) : copy;
  const isHidden = ({ text, isQuoted }: ShellWord, at: number): boolean =>
    at > 0 && ((text.startsWith('-') && RUNS_OTHERS.test(text)) || (isQuoted && programRuns(entry.command, text)));
  // A dry run says more than the code would.
  if (doing.action === 'read' && entry.action !== 'read') return [own];
  const hidden = entry.unseen || words.some(isHidden) ? [unknownCode(span)] : [];
  if (!entry.runs) return [own, ...hidden];
  const inside = codeOnLine(entry.runs, words, entry);
  const { language } = entry.runs;
  if (inside === undefined || inside.length === 0) {
    if (entry.runs.options !== undefined && language !== 'command') {
      const fed = fedCode(command, known.arguments, before, language, reading);
      if (fed.length > 0) return [...(own.traits.length > 0 ? [own] : []), ...fed];
    }
    return [own, ...hidden];
  }
  // A path among the arguments is one of the code.
  const isOwn = (doing.action !== 'execute' && entry.runs.options !== undefined) || doing.traits.length > 0;
  const outer = isOwn ? [{ ...own, traits: doing.traits }] : [];
  if (language === 'command')
    return [...outer, ...hidden, ...wordsFragments(inside, command, before, reading, prefixes + 1)];
  const text = textsOf(inside).join(' ');
  const first = inside[0];
  const code =
    inside.some(({ isDynamic }) => isDynamic) && language !== 'sql' && !/\S\s/.test(text)
      ? [unknownCode(span)]
      : codeFragments(language, text, { at: (first?.at ?? span.at) + 1, end: span.end }, reading);
  const dynamic =
    inside.some(({ isDynamic }) => isDynamic) && language !== 'sql' && gravest(code)?.effect !== 'destructive'
      ? [unknownCode(span)]
      : [];
  // Words after the code that it does not use come from quotes within quotes.
  const isTorn =
    language === 'shell' && entry.runs.options !== undefined && words.at(-1) !== first && !text.includes('$');
  return [...outer, ...code, ...dynamic, ...(isTorn ? [unknownCode(span)] : [])];
}

const gravest = (fragments: readonly Fragment[]): Fragment | undefined =>
  fragments.reduce<Fragment | undefined>((a, b) => (a && gravity(a) >= gravity(b) ? a : b), undefined);

/** Without repeated reads, which say nothing new. */
function distinct(fragments: readonly Fragment[]): Fragment[] {
  const seen = new Set<string>();
  return fragments.filter(({ action, effect, object, traits, extent, disguised }) => {
    const key = `${action} ${effect} ${object} ${traits.join()} ${extent} ${disguised}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** What shell code does, command by command. What is not understood is a fragment too. */
export function shellFragments(code: ShellCode, lexicon: Lexicon, depth = 0): Fragment[] {
  const reading = { lexicon, depth };
  const found: Fragment[] = [];
  const seen = new Map<string, Before>();
  let before: Before | undefined;
  for (const command of code.commands) {
    const piped = command.after === '|' || command.after === '|&' ? before : undefined;
    // The same command again says nothing new.
    const isBare =
      piped === undefined && command.redirections.length + command.assignments.length === 0 && !command.input;
    const key = isBare ? textsOf(command.words).join('\0') : '';
    const known = seen.get(key);
    if (known !== undefined) {
      before = known;
      continue;
    }
    const fragments = wordsFragments(command.words, command, piped, reading);
    if (command.assignments.some(({ text }) => DECIDES_WHAT_RUNS.test(text))) fragments.push(unknownCode(command));
    // `tee` and the like empty a file when nothing is written into them.
    const name = commandName(command.words[0]?.text ?? '');
    if (
      name === 'tee' &&
      piped !== undefined &&
      writesNothing(textsOf(piped.command.words)) &&
      !command.words.some(({ text }) => /^(?:-a|--append)$/.test(text))
    )
      fragments.push(fileWrite(command.words.at(-1)?.text ?? '', command, true));
    // What is run from a pipe says more than the commands that feed it.
    if (fragments.some(({ object }) => object === 'remote_code'))
      found.splice(0, found.length, ...found.filter(({ effect }) => effect === 'destructive'));
    found.push(...fragments, ...writtenFiles(command));
    before = { command, fragments, before: piped };
    if (isBare) seen.set(key, before);
  }
  if (!code.isWhole) found.push(unknownCode({ at: code.commands[0]?.at ?? 0, end: code.end }));
  return distinct(found);
}

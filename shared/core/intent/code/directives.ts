// Reads configurations that have names and values side by side: lines of sshd_config, nginx and the like, and the instructions of an image.
import type { Lexicon } from '../lexicon/types.ts';
import { bare, type Configuration, configurationIn, settingAt } from './configuration.ts';
import { isSecretName } from './code.ts';
import { parsed } from './tool-calls.ts';
import { isSwitch, type Setting } from './settings.ts';
import { isSentence } from '../text/glued.ts';

/** `PermitRootLogin no`, `maxmemory 256mb`, `save "900 1"`: more words may ask for something. */
const PAIR = /^([A-Za-z][\w-]{0,60})[ \t]{1,40}("[^"\s]*(?: [^"\s]*)?"|'[^'\s]*(?: [^'\s]*)?'|[^\s"'`$;{}()|&<>]+)$/;
/** Names that no sentence has: `keepalive_timeout`, `PermitRootLogin`. */
const IDENTIFIER = /^(?:[a-z]+(?:_[a-z\d]+)+|(?=[A-Z\d]*[a-z])(?:[A-Z][a-z\d]*){2,})$/;
const isNumber = (value: string): boolean => /^\d+[a-z%]{0,2}$/i.test(value);

/** Whether a name is one that a sentence or a command may begin with. */
const isOrder = (name: string, { verbs, commands }: Lexicon): boolean =>
  verbs.has(name.toLowerCase()) || commands.has(name.toLowerCase());

/** Whether a line may be the words of a sentence, in whichever language: `Bid up`, `Betaal de`, `StakeTheEth yes`. */
const mayBeWords = (name: string, value: string, lexicon: Lexicon): boolean =>
  isSentence(name, lexicon) || (!IDENTIFIER.test(name) && /^\p{L}+$/u.test(value) && !isSwitch(value));

/** Lines of a name and a value each. Most names are no words of a sentence, and none is a command unless more are not. */
function pairsIn(lines: readonly string[], lexicon: Lexicon): Configuration | undefined {
  const settings: Setting[] = [];
  let identifiers = 0;
  let orders = 0;
  for (const line of lines) {
    const [, name = '', value = ''] = PAIR.exec(line) ?? [];
    if (name === '' || mayBeWords(name, value, lexicon)) return undefined;
    const isIdentifier = IDENTIFIER.test(name);
    const isPlain = isNumber(value) || isSwitch(value) || value === 'auto';
    if (lines.length === 1 && !(isIdentifier && isPlain)) return undefined;
    if (isIdentifier) identifiers += 1;
    else if (isOrder(name, lexicon)) orders += 1;
    settings.push(settingAt([], name, bare(value)));
  }
  return orders > 0 && orders >= identifiers
    ? undefined
    : { settings, commands: [], remarks: [], isDocument: false, isCut: false };
}

/** The next directive with the sign that ends it, in a text of nothing but such. */
const STATEMENT = /\s*((?:[^;{}"'#]|"[^"]*"|'[^']*')*)([;{}])/y;
/** `listen 443 ssl`, `location ~ \.php$` */
const DIRECTIVE = /^([a-z][a-z\d_]{1,40})((?:\s+(?:"[^"]*"|'[^']*'|[^\s"'()=]+|=))*)$/;
/** Between two commands of a shell, or before a file. */
const OPERATOR = /\s(?:&&?|\|\|?|>>?|<)(?:\s|$)/;
const ARGUMENT = /"[^"]*"|'[^']*'|\S+/g;

/** The directives of a block, such as those of nginx: each ends with a semicolon, or has a block of its own. */
function blocksIn(text: string, lexicon: Lexicon): Configuration | undefined {
  if (!/[;}]$/.test(text)) return undefined;
  const settings: Setting[] = [];
  const around: string[] = [];
  let at = 0;
  let blocks = 0;
  /** The last sign opened a block. */
  let wasOpened = false;
  while (at < text.length) {
    STATEMENT.lastIndex = at;
    const [, said = '', sign] = STATEMENT.exec(text) ?? [];
    if (sign === undefined) return undefined;
    at = STATEMENT.lastIndex;
    const own = said.trim();
    if (sign === '}') {
      const closed = around.pop();
      if (own !== '' || closed === undefined) return undefined;
      // `drop { }`
      if (wasOpened) settings.push(settingAt(around, closed, 'block'));
      wasOpened = false;
      continue;
    }
    wasOpened = sign === '{';
    const [, name = '', rest = ''] = DIRECTIVE.exec(own) ?? [];
    if (name === '' || isSentence(name, lexicon) || OPERATOR.test(rest)) return undefined;
    if (sign === '{') {
      around.push(name);
      blocks += 1;
      continue;
    }
    const values = rest.match(ARGUMENT) ?? [];
    settings.push(settingAt(around, [name, ...values.slice(0, -1)].join('.'), bare(values.at(-1) ?? '')));
  }
  return around.length > 0 || blocks === 0 || settings.length === 0
    ? undefined
    : { settings, commands: [], remarks: [], isDocument: false, isCut: false };
}

const INSTRUCTION =
  /^(FROM|RUN|CMD|ENTRYPOINT|COPY|ADD|ENV|ARG|WORKDIR|EXPOSE|USER|LABEL|VOLUME|STOPSIGNAL|HEALTHCHECK)\s+(\S.*)$/s;
/** Files of the project, below the folder in which the image is made. */
const OWN_FILES = /^(?:--(?:from|chown|chmod)=[\w:.-]+\s+)*(?:[\w.*/-]+\s+)+[\w./-]+$/;
/** What only names the image, its folders and its ports. */
const PLAIN: Readonly<Record<string, RegExp>> = {
  FROM: /^[\w./:@-]+(?:\s+(?:AS|as)\s+[\w.-]+)?$/,
  WORKDIR: /^[\w./-]+$/,
  USER: /^(?!root\b|0\b)[\w:-]+$/,
  EXPOSE: /^[\d/a-z ]+$/,
  VOLUME: /^[\w./\s"[\],-]+$/,
  STOPSIGNAL: /^\w+$/,
  // Three words at most: more of them may ask for something.
  LABEL: /^(?:[\w.-]+=(?:"[\w.:@/+-]+(?: [\w.:@/+-]+){0,2}"|[\w.:@/+-]+)(?:\s+|$))+$/,
  COPY: OWN_FILES,
  ADD: OWN_FILES,
};
/** The program of the image, which is started without a shell and without code in its arguments. */
const STARTS = /^(?!\S*sh\s)[\w./-]+(?:\s+(?!-[a-z]*[ce])[\w.:/=-]+){0,8}$/;
/** Programs that run a file of the image. */
const RUNS_FILE =
  /^(?:node|deno|bun|python[\d.]*|ruby|php|java|dotnet|gunicorn|uvicorn|nginx|npm (?:start|run (?:start|serve)))(?:\s|$)/;

/** The command in either form, as a shell writes it: `["node", "server.js"]`, `node server.js`. */
function commandOf(given: string): string {
  if (!given.startsWith('[')) return given;
  const words = parsed(given);
  return Array.isArray(words) ? words.map((word) => shellWord(String(word))).join(' ') : given;
}
const shellWord = (word: string): string =>
  /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
const OPTIONS = /^(?:--\S+\s+)+/;
/** What stands before the command of a check. */
const CHECKED = /^(?:--\S+\s+)*CMD\s+/;

/** The instructions of a Dockerfile, which begins with the image that it is made from. */
function imageIn(text: string): Configuration | undefined {
  if (!/^(?:ARG[^\n]*\n\s*)*FROM\s/.test(text)) return undefined;
  const lines = text
    .replaceAll(/\\\s*\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter(isSaid);
  const settings: Setting[] = [];
  const commands: string[] = [];
  for (const line of lines) {
    const [, name = '', given = ''] = INSTRUCTION.exec(line) ?? [];
    if (name === '') return undefined;
    if (/^(?:CMD|ENTRYPOINT)$/.test(name)) {
      const command = commandOf(given);
      const isOwn = STARTS.test(command) && (RUNS_FILE.test(command) || /^[./]/.test(command));
      settings.push(settingAt([], 'layer', 'plain'));
      if (!isOwn) commands.push(command);
    } else if (name === 'RUN') commands.push(commandOf(given.replace(OPTIONS, '')));
    else if (name === 'HEALTHCHECK') commands.push(commandOf(given.replace(CHECKED, '')));
    else if (PLAIN[name]?.test(given) === true && !isSecretName(given)) settings.push(settingAt([], 'layer', 'plain'));
    else if (/^(?:ENV|ARG|LABEL)$/.test(name)) {
      const own = configurationIn(given.replace(/^([\w.-]+)\s+(?=[^=]+$)/, '$1='));
      settings.push(...(own?.settings ?? [OPEN]));
      commands.push(...(own?.commands ?? []));
    } else settings.push(settingAt([], name, given));
  }
  return { settings, commands, remarks: [], isDocument: false, isCut: false };
}
const OPEN = settingAt([], 'command', '');
const isSaid = (line: string): boolean => line !== '' && !line.startsWith('#');

/** What such a text begins or ends with, after comments. */
const MAY_BE =
  /^\s*(?:#[^\n]*\n\s*)*(?:(?:FROM|ARG)\s|[A-Za-z][\w-]{0,60}[ \t]{1,40}(?:"[^"\n]*"|'[^'\n]*'|[^\s"']+)[ \t]*(?:\n|$))|[;}]\s*$/;

/** What directives set. `isImage`: they make an image, and say which of them are commands. */
export interface Directives extends Configuration {
  readonly isImage: boolean;
}

/** What a text sets that is nothing but such lines, in any form that is known; undefined for any other text. */
export function directivesIn(text: string, lexicon: Lexicon): Directives | undefined {
  if (!MAY_BE.test(text)) return undefined;
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter(isSaid);
  if (lines.length === 0) return undefined;
  const image = imageIn(lines.join('\n'));
  const found = image ?? pairsIn(lines, lexicon) ?? blocksIn(lines.join('\n'), lexicon);
  return found && { ...found, isImage: image !== undefined };
}

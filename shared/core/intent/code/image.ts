// Reads the instructions of an image (Dockerfile).
import { bare, type Found, settingAt, wordsOfCommand } from './found-settings.ts';
import { isSecretName } from './code.ts';
import { parsed } from './tool-calls.ts';

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
  /^(?:[./]|(?:node|deno|bun|python[\d.]*|ruby|php|java|dotnet|gunicorn|uvicorn|nginx|npm (?:start|run (?:start|serve)))(?:\s|$))/;
const PAIR = /([\w.-]+)=("(?:[^"\\]|\\.)*"|'[^']*'|\S*)/g;

/** The command in either form, as a shell writes it: `["node", "server.js"]`, `node server.js`. */
function commandOf(given: string): string {
  const words = given.startsWith('[') ? parsed(given) : undefined;
  return Array.isArray(words) ? (wordsOfCommand('cmd', words.map(String))[0] ?? '') : given;
}

function addInstruction(name: string, given: string, { settings, commands }: Found): void {
  if (name === 'RUN') commands.push(commandOf(given.replace(/^(?:--\S+\s+)+/, '')));
  else if (name === 'HEALTHCHECK') commands.push(commandOf(given.replace(/^(?:--\S+\s+)*CMD\s+/, '')));
  else if (/^(?:CMD|ENTRYPOINT)$/.test(name)) {
    const command = commandOf(given);
    settings.push(settingAt([], 'layer', 'plain'));
    if (!(STARTS.test(command) && RUNS_FILE.test(command))) commands.push(command);
  } else if (PLAIN[name]?.test(given) === true && !isSecretName(given)) settings.push(settingAt([], 'layer', 'plain'));
  else if (/^(?:ENV|ARG|LABEL)$/.test(name)) {
    const pairs = [...given.replace(/^([\w.-]+)\s+(?=[^=]+$)/, '$1=').matchAll(PAIR)];
    settings.push(...pairs.map(([, own = '', value = '']) => settingAt([], own, bare(value))));
    if (pairs.length === 0 && name !== 'ARG') settings.push(settingAt([], 'command', ''));
  } else settings.push(settingAt([], name, given));
}

/** Whether a text is the instructions of an image, which begin with the one that it is made from; they are then known. */
export function readImage(text: string, found: Found): boolean {
  if (!/^\s*(?:(?:#|ARG\s)[^\n]*\n\s*)*FROM\s/.test(text)) return false;
  const lines = text
    .replaceAll(/\\\s*\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  return lines.every((line) => {
    const [, name = '', given = ''] = INSTRUCTION.exec(line) ?? [];
    if (name !== '') addInstruction(name, given, found);
    return name !== '';
  });
}

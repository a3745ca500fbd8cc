// Reads commands of URLs, such as curl and wget: the request that their words make, and the files that its answer is saved in.
import {
  fileWrite,
  type Fragment,
  fragmentOf,
  isNowhere,
  isSystemPath,
  sentOutside,
  unknownCode,
  gravity,
  NOT_UNDERSTOOD,
} from './code.ts';
import { knownCommand } from './commands.ts';
import { isUrl, METHODS, requestFragment } from './http.ts';
import { EXPANDS } from './http-body.ts';
import { runsOthers } from './options.ts';
import { type CommandLine, readsFile } from './shell-code.ts';
import { valuesOf, writtenPlace } from './shell-files.ts';

const METHOD_OPTIONS = /^(?:-X|--req[a-z]*|--meth[a-z]*|-met[a-z]*|-Met[a-z]*|-Method)$/;
const GLUED_METHOD = /^(?:-X|--(?:req|meth)[a-z]*=|-[mM]et[a-z]*:)([A-Za-z]+)$/;
const DATA_OPTIONS =
  /^(?:-d|-F|-T|--data[a-z-]*|--form[a-z-]*|--upl[a-z-]*|--json|--post-data|--post-file|--field|--raw-field|--input|--body[a-z-]*|-Body|-InFile)(?:=(.*))?$/s;
const HEADER_OPTIONS = /^(?:-H|--header|-Headers)$/;
const SAVES = /^(?:-[a-zA-Z]{0,6}[oO]|--output(?:=.*)?|--remote-name|-OutFile)$/;

/** The letters of curl's options that have a value. */
const CURL_VALUED = /[AbcCdDeEFHKmoPQrtTuUwxXyYz]/;
const CLUSTER = /^-[A-Za-z#]/;
/** PowerShell, where curl is another name of its own command, has options of several letters. */
const POWERSHELL = /^-(?:Method|Uri|Body|InFile|OutFile|Headers|ContentType|UseBasicParsing|Credential)\b/i;

/** Commands of PowerShell that make requests, and the options that their abbreviations stand for. */
const POWERSHELL_REQUESTS = /^(?:irm|iwr|invoke-(?:restmethod|webrequest))$/i;
const POWERSHELL_OPTIONS: readonly (readonly [RegExp, string])[] = [
  [/^-m(?!ax)[a-z]*$/i, '-Method'],
  [/^-cu[a-z]*$/i, '-Method'],
  [/^-(?:b|f)[a-z]*$/i, '-Body'],
  [/^-inf[a-z]*$/i, '-InFile'],
  [/^-o[a-z]*$/i, '-OutFile'],
  [/^-h[a-z]*$/i, '-Headers'],
];
const inFull = (word: string): string => {
  const [name = '', value] = word.split(/:(.*)/s, 2);
  const full = POWERSHELL_OPTIONS.find(([short]) => short.test(name))?.[1] ?? name;
  return value === undefined ? full : `${full}:${value}`;
};

/** The words of a command line of curl with its clusters of options apart: `-sXDELETE` is `-s -X DELETE`. */
function curlWords(words: readonly string[]): string[] {
  if (POWERSHELL_REQUESTS.test(words[0] ?? ''))
    return words.map((word) => (word.startsWith('-') ? inFull(word) : word));
  const found: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!CLUSTER.test(word) || POWERSHELL.test(word)) {
      found.push(word);
      continue;
    }
    const valued = word.slice(1).search(CURL_VALUED) + 1;
    const flags = valued === 0 ? word.slice(1) : word.slice(1, valued + 1);
    found.push(...[...flags].map((letter) => `-${letter}`));
    // Its value follows in the same word or as the next one, which is no option then.
    if (valued > 0) found.push(valued + 1 < word.length ? word.slice(valued + 1) : (words[(at += 1)] ?? ''));
  }
  return found;
}

/** Options whose value is a file, or names one after an `@`, that goes into the address or the headers. */
const CARRYING_OPTIONS = /^(?:-H|--head[a-z]*|--proxy-header|-Headers|--url-q[a-z]*|--var[a-z]*)(?:=(.*))?$/s;
const FROM_FILE = /^[\w.-]{0,40}:?@./;

/** Whether a file goes out beside the body: `-H @FILE`, `--variable x@FILE`, httpie's `Name:@FILE`. */
const carriesFile = (words: readonly string[]): boolean =>
  valuesOf(words, CARRYING_OPTIONS).some((value) => FROM_FILE.test(value)) ||
  words.some((word) => /^[\w-]{1,40}:@./.test(word));

/** The request that a command line of curl, wget, httpie or PowerShell makes. `pipes`: another command writes its input. */
function requestOfWords(words: readonly string[], { pipes, holdsData }: { pipes: boolean; holdsData: boolean }) {
  const bodies: string[] = [];
  const headers: string[] = [];
  const isGitHub = words[0] === 'gh';
  const isHttpie = /^(?:https?|xh)$/i.test(words[0] ?? '');
  let [method, url, saves, isQuery, uploads] = ['', '', false, false, isHttpie && pipes];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const data = DATA_OPTIONS.exec(word);
    if (METHOD_OPTIONS.test(word)) method = words[(at += 1)] ?? '';
    else if (GLUED_METHOD.test(word)) method = GLUED_METHOD.exec(word)?.[1] ?? '';
    else if (data || (isGitHub && word === '-f')) {
      const value = data?.[1] ?? words[(at += 1)] ?? '';
      bodies.push(value);
      uploads ||= /^(?:-T|--upl|--post-file|--body-file|--input|-InFile)/i.test(word);
    } else if (HEADER_OPTIONS.test(word)) headers.push(words[(at += 1)] ?? '');
    else if (word.startsWith('--header=')) headers.push(word);
    else if (word === '-G' || word === '--get') isQuery = true;
    else if (word === '-I' || word === '--head') method = 'HEAD';
    else if (SAVES.test(word)) saves = true;
    else if (isHttpie && METHODS.has(word.toUpperCase())) method = word;
    else if (isUrl(word) || (url === '' && !word.startsWith('-') && /[./:]|^\$\{?\w/.test(word))) url = word;
    else if (isHttpie && /^[\w.-]{1,40}(?:=|:=|@)/.test(word)) bodies.push(word);
  }
  const carries =
    holdsData ||
    carriesFile(words) ||
    uploads ||
    bodies.some((body) => /(?:^|=)[@<]/.test(body) || /^[\w.-]{1,40}@/.test(body) || EXPANDS.test(body));
  const byDefault = bodies.length > 0 && !isQuery ? 'POST' : 'GET';
  return {
    method: method || (uploads ? 'PUT' : byDefault),
    url: /^["']?[a-z][\w+.-]*:\/\//i.test(url) ? url : `http://${url}`,
    body: bodies.join('\n'),
    headers: headers.join('\n'),
    carries,
    saves,
  };
}

/** What a command of URLs does: the request, what an option runs or skips, and the files that the answer is saved in. */
export function urlFragments(line: CommandLine): Fragment[] {
  const { known, texts, span, before, lexicon } = line;
  const words = curlWords(texts);
  const holdsData = line.words.some((word, at) => word.holdsData && !NAMES_OUTPUT.test(texts[at - 1] ?? ''));
  const request = requestOfWords(words, { pipes: before !== undefined || readsFile(line.command), holdsData });
  const isWget = known.entry.command === 'wget';
  // The addresses or the options are in a file.
  const isUnseen = (word: string) =>
    /^(?:-K|--config)$/.test(word) || (isWget && /^(?:-[a-zA-Z]{0,6}i|--input-file(?:=.*)?)$/.test(word));
  if (/[^A-Za-z]/.test(request.method) || texts.some(isUnseen) || words.some(isUnseen)) return [unknownCode(span)];
  const read = requestFragment(request, span, lexicon);
  // Where an address that is not known leads, nobody sees.
  const isBlind = holdsData && /^http:\/\/(?:["']?\$|$)/.test(request.url);
  // What is sent is a file, whatever the address is called.
  const fragment =
    isBlind || (read.action === 'send' && request.carries)
      ? sentOutside({ ...read, object: 'file', domain: 'files' }, texts.join(' '), before !== undefined)
      : read;
  if (known.loads || words.some((word) => runsOthers(word, lexicon))) return [fragment, unknownCode(span)];
  // Nobody checks who answers. `-k` may be in a cluster of options.
  const doing =
    known.doing.effect !== 'destructive' && words.includes('-k') ? knownCommand(words, lexicon)?.doing : known.doing;
  // A graver request is judged by what it does.
  if (doing?.effect === 'destructive' && gravity(fragment) <= gravity(NOT_UNDERSTOOD))
    return [fragment, fragmentOf(span, { verb: 'skip', ...doing, object: 'check' })];
  return [
    fragment,
    ...(request.saves || (isWget && !SAVES_NOTHING.test(texts.join(' '))) ? savedFiles(words, line) : []),
  ];
}

/** What precedes a name that is not sent. */
const NAMES_OUTPUT = /^(?:-[a-zA-Z]{0,6}[oO]|--output(?:-document)?|-OutFile)$/;

/** What tells wget to print its answer or to save nothing; otherwise it saves it under its own name. */
const SAVES_NOTHING = /\s(?:--spider|-[a-zA-Z]{0,6}O\s?-|--output-document[=\s]-)(?:\s|$)/;

/** What precedes the name of a file that is saved; `-o` of wget is its log. */
const NAMES_FILE = /^(?:-[oO]|--output|-OutFile)$/;
const WGET_NAMES_FILE = /^(?:-O|--output-document)$/;

/** The files that the answer is saved in, and those that its headers, cookies and traces go to. */
function savedFiles(words: readonly string[], { known, span, lexicon }: CommandLine): Fragment[] {
  const option = known.entry.command === 'wget' ? WGET_NAMES_FILE : NAMES_FILE;
  const saved = words.filter((_, at) => option.test(words[at - 1] ?? ''));
  const systemPath = words
    .map((word) => word.replace(/^-o/, ''))
    .find((word) => isSystemPath(word) && !isNowhere(word));
  const places = words.flatMap((word) => (word.includes('@') ? [] : writtenPlace(word, span, lexicon)));
  const isDropped = systemPath === undefined && saved.length > 0 && saved.every(isNowhere);
  return isDropped ? places : [fileWrite(systemPath ?? '', span), ...places];
}

// Reads what a program does: its requests, commands, statements and files, each by the reader that there is for it.
import type { ProgramNames } from '../../lexicon/programs.ts';
import type { Lexicon } from '../../lexicon/types.ts';
import type { RunShell } from '../calls.ts';
import {
  fileWrite,
  type Fragment,
  fragmentOf,
  gravity,
  isNowhere,
  isSecretName,
  isSystemPath,
  NOT_UNDERSTOOD,
  readsOnly,
  sentOutside,
  type Span,
  unknownCode,
} from '../code.ts';
import { actOfUrl, isOutside, METHODS, requestFragment } from '../http.ts';
import { partsOf } from '../names.ts';
import { hostOf } from '../../text/entities.ts';
import { disablesSomething, doingOfSettings } from '../settings.ts';
import { writtenPlace } from '../shell-files.ts';
import { sqlFragments } from '../sql.ts';
import type { Act, Deed, Surroundings } from './acts.ts';
import { calledTool, type ReadTool } from './tools.ts';
import { spellsOut } from './spelled.ts';
import { ANY, hasGap, NAME } from './gaps.ts';

/** The readers of what a program has others do. */
export interface OtherReaders {
  readonly runShell: RunShell;
  /** Absent where calls of what the program does not define are not understood. */
  readonly readTool?: ReadTool | undefined;
}

export interface Readers extends Surroundings, OtherReaders {
  readonly lexicon: Lexicon;
  readonly names: ProgramNames;
}

/** What leads from a folder to others. */
const UPWARDS = /(?:^|[\\/])\.\.(?:[\\/]|$)/;
/** Characters that are written by their codes. */
const HIDDEN = /\\(?:x|u|U|N\{|[0-7])|%[\d.]*c|\{[^{}]*:[^{}]*[cx]\}/;
/** Another host, or a place that is no file. */
const ELSEWHERE = /^[\\/]{2}|^[a-z][\w+.-]+:\/\/|^\\/i;
/** Files that others run by their name, and those of which a dot says that a program heeds them. */
const IS_RUN =
  /\.(?:pyw?|pth|so|dll|sh|bash|zsh|fish|[cm]?jsx?|[cm]?tsx?|rb|pl|php|ps1|bat|cmd|exe|jar|service|timer|plist|desktop|reg)$|(?:^|\/)(?:Makefile|Dockerfile|Jenkinsfile|Vagrantfile|crontab|package(?:-lock)?\.json|pyproject\.toml|setup\.cfg|tox\.ini)$|(?:^|\/)\.(?![./\0\x01]|$)/i;

/** Folders whose files everybody can read. */
const PUBLISHED = /^\/var\/www\b|(?:^|\/)(?:htdocs|public_html|wwwroot|webroot)(?:\/|$)/i;

/** Whether a path may lead anywhere. A name below a folder that is written out is known well enough. */
function mayLeadAnywhere(path: string, { texts, lexicon }: Readers): boolean {
  const gap = path.search(/[\0\x01]/);
  const folder = gap < 0 ? path : path.slice(0, path.lastIndexOf('/', gap) + 1);
  if (path === '' || ELSEWHERE.test(path) || UPWARDS.test(path) || (gap >= 0 && /^[./~]*$/.test(folder))) return true;
  if (gap < 0) return false;
  // The rest may be put together from what the program has elsewhere, and may begin anew.
  const leads = (text: string) =>
    UPWARDS.test(text) ||
    HIDDEN.test(text) ||
    writtenPlace(`/home/x/${text}`, SPAN, lexicon).length > 0 ||
    (/^[/~]/.test(text) && (isSystemPath(text) || writtenPlace(text, SPAN, lexicon).length > 0));
  const rests = path
    .split(ANY)
    .slice(1)
    .map((rest) => `/${rest.replace(/^\/+/, '')}`);
  return [...texts, ...rests].some(leads) || spellsOut('../', texts);
}
const SPAN: Span = { at: 0, end: 0 };

/** Whether files are replaced by what the program makes of them: nobody sees what is left. */
function replacesFiles(path: string, { read, walked, texts }: Readers): boolean {
  if (read.has(path)) return true;
  const gap = path.search(/[\0\x01]/);
  if (gap < 0) return false;
  const folder = path.slice(0, path.lastIndexOf('/', gap)).replace(/^\.\//, '');
  const ending = path.slice(Math.max(path.lastIndexOf(NAME), path.lastIndexOf(ANY)) + 1);
  const isWalked = [...walked].some((one) => one === folder || folder.startsWith(`${one}/`) || one.includes(ANY));
  return isWalked && (ending === '' || texts.some((text) => text.endsWith(ending) && text !== ending));
}

function written(deed: Deed & { kind: 'write' }, span: Span, readers: Readers): Fragment[] {
  return deed.paths.flatMap((path) => {
    if (isNowhere(path)) return [];
    const isUnclear =
      mayLeadAnywhere(path, readers) ||
      isSecretName(path) ||
      PUBLISHED.test(path) ||
      (!deed.isFolder && (IS_RUN.test(path) || replacesFiles(path, readers)));
    const whole = path.replaceAll(/[\0\x01]/g, 'x');
    const place = [fileWrite(whole, span, deed.isEmptied), ...writtenPlace(whole, span, readers.lexicon)];
    return isUnclear || isSystemPath(whole)
      ? [unknownCode(span), ...place.filter(({ effect }) => effect === 'destructive')]
      : place;
  });
}

const HOST = /^https?:\/\/[\w.-]+(?::\d{1,5})?(?=[/?#]|$)/i;

/** Whether it is known to which host an address leads. */
export const isAddress = (url: string): boolean => HOST.test(url);

/** Whether a gap of an address may be filled with a word of the program that acts: `/users/purge`. */
const mayAct = (texts: readonly string[], lexicon: Lexicon): boolean =>
  texts.some((text) => /^[\w./-]{3,60}$/.test(text) && actOfUrl(`/items/1/${text}`, lexicon) !== undefined);

function requested(deed: Deed & { kind: 'request' }, span: Span, { lexicon, names, texts }: Readers): Fragment[] {
  const { method, query, headers, body } = deed;
  const reads = METHODS.get(method.toUpperCase()) === 'read';
  const parameters =
    query.text === ''
      ? ''
      : `?${query.text
          .replaceAll(/["'{}\s]/g, '')
          .replaceAll(/:(?!\/\/)/g, '=')
          .replaceAll(',', '&')}`;
  return deed.urls.flatMap((url) => {
    if (!isAddress(url)) return [unknownCode(span, { domain: 'web', language: 'http' })];
    const whole =
      url.replaceAll(/[\0\x01]/g, '1') +
      (parameters === '' ? '' : url.includes('?') ? parameters.replace('?', '&') : parameters);
    const all = { method, url: whole, body: body.text, headers: headers.text };
    const asksOwn = reads && names.apiHosts.has(hostOf(url) ?? '');
    // Who asks a service is told to nobody else.
    const isOpen = hasGap(url) || query.isOpen || body.isOpen || (headers.isOpen && !asksOwn);
    if (isOutside(url, lexicon)) {
      const read = requestFragment({ ...all, carries: isOpen }, span, lexicon);
      // Nobody sees what leaves.
      return isOpen
        ? [sentOutside({ ...read, object: 'data', domain: 'data' }, texts.join(' '), true), unknownCode(span)]
        : [read];
    }
    const path = url.replace(HOST, '').split(/[?#]/, 1)[0] ?? '';
    const mayBeAny =
      (url.includes(ANY) && mayAct(texts, lexicon)) ||
      query.isUnseen ||
      headers.isUnseen ||
      (!reads && body.isUnseen) ||
      (/^post$/i.test(method) && /\0[^/]*$/.test(path)) ||
      (!reads && body.isOpen && partsOf(body.text).some((word) => lexicon.codeWords.sensitiveSettings.has(word)));
    const read = requestFragment(all, span, lexicon);
    return mayBeAny ? [read, unknownCode(span, { domain: 'web', language: 'http' })] : [read];
  });
}

function commanded({ lines }: Deed & { kind: 'command' }, span: Span, { runShell, texts }: Readers): Fragment[] {
  const mayBeOption = lines.some(
    (line) => line.includes('$ARG') && texts.some((text) => text.startsWith('-') && !line.includes(text)),
  );
  const read = lines.flatMap((line) => {
    const found = runShell(line, span);
    return found.length === 0 ? [unknownCode(span)] : found.map((one) => fragmentOf(span, one));
  });
  return mayBeOption ? [...read, unknownCode(span)] : read;
}

/** What reaches from a database in memory to files. */
const LEAVES_MEMORY = /\b(?:attach|vacuum|load_extension|writefile|readfile|edit|backup|copy|export|install|load)\b/i;

function queried(
  { statements, isKept }: Deed & { kind: 'query' },
  span: Span,
  { lexicon, texts }: Readers,
): Fragment[] {
  return statements.flatMap((statement) => {
    if (!isKept && !texts.some((text) => /\battach\b/i.test(text)) && !LEAVES_MEMORY.test(statement))
      return [readsOnly(span, { domain: 'db' })];
    const found = sqlFragments(statement, { at: 0, end: statement.length }, lexicon);
    return found.length === 0 ? [unknownCode(span)] : found.map((one) => fragmentOf(span, one));
  });
}

/** What a deed of a program does. */
export function fragmentsOfDeed(deed: Deed, act: Act, readers: Readers): Fragment[] {
  const span = { at: act.at, end: act.end };
  switch (deed.kind) {
    case 'write':
      return written(deed, span, readers);
    case 'request':
      return requested(deed, span, readers);
    case 'command':
      return commanded(deed, span, readers);
    case 'query':
      return queried(deed, span, readers);
    default:
      return [calledTool(deed, act, readers)];
  }
}

/** What a program does in all: what it writes may be settings that do harm, and a command may run what it has written before. */
export function together(
  found: readonly Fragment[],
  deeds: readonly Deed[],
  text: string,
  { lexicon, texts }: Pick<Readers, 'lexicon' | 'texts'>,
): readonly Fragment[] {
  const span = { at: 0, end: text.length };
  if (found.length === 0) return [readsOnly(span, { verb: 'print', object: 'value' })];
  const writes = deeds.some(({ kind, ...deed }) => kind === 'write' && !('isFolder' in deed && deed.isFolder));
  const runs =
    deeds.some(({ kind }) => kind === 'command') &&
    found.some(({ action }) => action === 'execute' || action === 'unknown');
  const isGrave = (part: string) => {
    const set = doingOfSettings(part, lexicon);
    return (set !== undefined && gravity(set) >= gravity(NOT_UNDERSTOOD)) || disablesSomething(part, lexicon);
  };
  // A file that is written in the program, and objects from which it is made.
  const contents = () => [text, ...texts.filter((one) => /\w["']?\s*[:=]/.test(one))];
  return writes && (runs || contents().some(isGrave)) ? [...found, unknownCode(span)] : found;
}

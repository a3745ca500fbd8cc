// Reads commands of URLs, such as curl and wget: the request, and the files that its answer is saved in.
import { fileWrite, type Fragment, fragmentOf, isNowhere, isSystemPath, sentOutside, unknownCode } from './code.ts';
import { knownCommand } from './commands.ts';
import { curlWords, requestFragment, requestOfWords } from './http.ts';
import { runsOthers } from './options.ts';
import type { CommandLine } from './shell-code.ts';
import { writtenPlace } from './shell-files.ts';

/** A request that does one of these is judged by it, whether or not somebody checks who answers. */
const GRAVE: ReadonlySet<string> = new Set(['transfer', 'grant', 'delete', 'revoke']);

export function urlFragments(line: CommandLine): Fragment[] {
  const { known, texts, span, before, lexicon } = line;
  const words = curlWords(texts);
  const request = requestOfWords(words, { pipes: before !== undefined });
  if (/[^A-Za-z]/.test(request.method) || words.some((word) => /^(?:-K|--config)$/.test(word)))
    return [unknownCode(span)];
  const read = requestFragment(request, span, lexicon);
  // What is sent is a file, whatever the address is called.
  const fragment =
    read.action === 'send' && request.carries
      ? sentOutside({ ...read, object: 'file', domain: 'files' }, texts.join(' '), before !== undefined)
      : read;
  if (known.loads || words.some((word) => runsOthers(word, lexicon))) return [fragment, unknownCode(span)];
  // Nobody checks who answers. `-k` may be in a cluster of options.
  const doing =
    known.doing.effect !== 'destructive' && words.includes('-k') ? knownCommand(words, lexicon)?.doing : known.doing;
  if (doing?.effect === 'destructive' && !GRAVE.has(fragment.action))
    return [fragment, fragmentOf(span, { verb: 'skip', ...doing, object: 'check' })];
  return [fragment, ...(request.saves ? savedFiles(words, line) : [])];
}

/** What precedes the name of a file that is saved; `-o` of wget is its log. */
const SAVES = /^(?:-[oO]|--output|-OutFile)$/;
const WGET_SAVES = /^(?:-O|--output-document)$/;

/** The files that the answer is saved in, and those that its headers, cookies and traces go to. */
function savedFiles(words: readonly string[], { known, span, lexicon }: CommandLine): Fragment[] {
  const option = known.entry.command === 'wget' ? WGET_SAVES : SAVES;
  const saved = words.filter((_, at) => option.test(words[at - 1] ?? ''));
  const systemPath = words.map((word) => word.replace(/^-o/, '')).find((word) => isSystemPath(word) && !isNowhere(word));
  const places = words.flatMap((word) => (word.includes('@') ? [] : writtenPlace(word, span, lexicon)));
  const isDropped = systemPath === undefined && saved.length > 0 && saved.every(isNowhere);
  return isDropped ? places : [fileWrite(systemPath ?? '', span), ...places];
}

// Programs of sed, awk, perl and yq: whether they run or write something, and what they leave of a file that they edit in place.
import { fileWrite, type Fragment, fragmentOf } from './code.ts';
import { hasOption } from './options.ts';
import { doingOfValues } from './settings.ts';
import type { CommandLine } from './shell-code.ts';
import type { ShellWord } from './shell-words.ts';

const AWK_RUNS = /\bsystem\s{0,4}\(|\bgetline\b|\bprintf?\b[^;}]{0,2000}[>|]\s{0,4}["\w]/;
const SED_RUNS = /(?:^|[;\d}$/])\s{0,4}[ew](?:\s|$)|\/[gpi\d]{0,4}[ew][gpi\d]{0,4}(?:\s|$)/;

/** Whether a program of an editor of streams runs commands or writes files. */
export const programRuns = (command: string, program: string): boolean =>
  (command.endsWith('awk') && AWK_RUNS.test(program)) || (command.endsWith('sed') && SED_RUNS.test(program));

/** Programs of an editor of streams that leave nothing of a file, such as `1,$d`. */
const EMPTIES_FILE =
  /^(?:-e|--expression=)?\s*(?:(?:\S{1,80},\$|\d{1,9}!)?d|\/(?:\^|\$|\^?\.\*?\$?)?\/d|\d{1,9}q|(?:1,\$|%)?s(.)\^?\.\\?[*+]\$?\1\1[gms]{0,3})\s*;?\s*$/;
/** The new text of a substitution. */
const REPLACEMENT =
  /^\s*(?:\d+|\$|\/[^/]{0,200}\/)?s([/|#,@])(?:\\.|(?!\1)[^\\]){0,400}\1((?:\\.|(?!\1)[^\\]){0,400})\1/s;
/** A program of sed that takes lines out, but not empty ones and comments. */
const TAKES_OUT = /^(?:-e|--expression=)?\s*(?:\d+(?:,\d+)?|\/(?!\^(?:\\s\*)?(?:#|\$))[^/]{1,200}\/I?)\s*d\s*;?$/;
/** A program of `yq` that takes something out, keeps a part, or leaves nothing of a value. */
const DROPS =
  /\bdel(?:paths)?\s*\(|=\s*(?:\[\s*\]|\{\s*\}|""|''|null\b)|\b(?:empty|select|with_entries|pick|omit)\b|^\s*(?:null|\[\s*\]|\{\s*\})\s*$/;
const PRINTS_NOTHING = ['-n', '--quiet', '--silent'];

/** A file that is edited in place by a program that takes something out of it, keeps only what it prints, or sets a grave value. */
export function editedInPlace({ known: { entry, doing }, texts, span, lexicon }: CommandLine): Fragment[] {
  if (doing.effect === 'read' || !/^(?:g?sed|perl|ruby|yq)$/.test(entry.command)) return [];
  const program = entry.command === 'yq' ? (texts.slice(1).find((text) => /^[^-].*[.(=[{]|^\./.test(text)) ?? '') : '';
  const keepsPrinted = entry.command.endsWith('sed') && PRINTS_NOTHING.some((option) => hasOption(texts, option));
  if (keepsPrinted || DROPS.test(program) || texts.some((text) => EMPTIES_FILE.test(text) || TAKES_OUT.test(text)))
    return [fileWrite('', span, true)];
  return texts.flatMap((text) => {
    const value = text === program ? text.replaceAll(/(?<![\w\])])\./g, '') : (REPLACEMENT.exec(text)?.[2] ?? '');
    const does = doingOfValues(value, true, lexicon);
    return does ? [fragmentOf(span, { verb: 'set', ...does, object: 'file', domain: 'files' })] : [];
  });
}

/** Whether a file that is edited in place keeps only what programs print, which are not plain substitutions. */
export const keepsWhatIsPrinted = (
  { known: { entry, doing } }: CommandLine,
  programs: readonly ShellWord[][],
): boolean =>
  entry.runs?.language === 'script' &&
  doing.action === 'update' &&
  !programs.every(([program]) => /^\s*(?:s|tr|y)\W/.test(program?.text ?? ''));

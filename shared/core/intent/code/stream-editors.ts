// Programs of sed, awk and perl: whether they run or write something, and what they leave of a file that they edit in place.
import { fileWrite, type Fragment, fragmentOf } from './code.ts';
import { hasOption } from './options.ts';
import { disablesSomething, doingOfSettings, EMPTIES } from './settings.ts';
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
const PRINTS_NOTHING = ['-n', '--quiet', '--silent'];

/** A file that is edited in place by a program that leaves nothing of it, keeps only what it prints, or sets a grave value. */
export function editedInPlace({ known: { entry, doing }, texts, span, lexicon }: CommandLine): Fragment[] {
  if (doing.effect === 'read' || !/^(?:g?sed|perl|ruby)$/.test(entry.command)) return [];
  const keepsPrinted = entry.command.endsWith('sed') && PRINTS_NOTHING.some((option) => hasOption(texts, option));
  if (keepsPrinted || texts.some((text) => EMPTIES_FILE.test(text))) return [fileWrite('', span, true)];
  return texts.flatMap((text) => {
    const value = REPLACEMENT.exec(text)?.[2] ?? '';
    const does = doingOfSettings(value, lexicon) ?? (disablesSomething(value, lexicon) ? EMPTIES : undefined);
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

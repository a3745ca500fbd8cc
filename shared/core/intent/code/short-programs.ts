// Reads programs: in Python and JavaScript by their syntax tree, short ones in other languages by patterns.
import { callFragment, onlyReadsCall, type RunShell, STRINGS } from './calls.ts';
import { callsOf } from './call-syntax.ts';
import { type Fragment, fragmentOf, readsOnly, type Span, unknownCode } from './code.ts';
import type { ProgramLanguage } from '../lexicon/programs.ts';
import type { Lexicon } from '../lexicon/types.ts';
import { doingOfName } from './names.ts';
import { interpolates } from './program/foreign.ts';
import { programIn, programOf } from './program/program.ts';
import { EMPTIES } from './settings.ts';

const HARMLESS_STATEMENT =
  /^(?:(?:s|tr|y)\/[^/\\]{0,100}\/[^/\\]{0,100}\/[gims]{0,4}|[\d\s.+*/%()-]{1,100}|(?:process|os|sys|platform)\.(?:versions?|arch|platform|release|python_version)[\w.()]{0,40}|(?:import|from|use|require)\s[\w., ]{1,200}|(?:const|let|var|my)?\s?[\w$]{1,60}\s?=\s?(?:[\d.]{1,20}|"[^"\\$`]*"|'[^'\\]*')|(?:print|puts|echo|say|console\.log)\s?\(?\s?(?:f?"[^"\\$`{]*"|'[^'\\{]*'|[\d\s.+*/%()-]{1,100}|[\w.]{1,60}version(?:_info)?)\s?\)?|)$/i;
/** A pattern that is searched for, where no division can be. */
const PATTERNS =
  /(=~|!~|\b(?:if|unless|and|or|not|grep|split)\b|[({,!]|&&|\|\||^)(\s{0,4}\(?\s{0,4})(?:m|qr)?\/(?:\\.|[^\\/\n]){1,200}\/[gimsx]{0,4}/g;
/** What a line of Perl or AWK consists of that only prints what it finds. */
const PRINTS =
  /\b(?:print|printf|say|if|unless|and|or|not|eq|ne|lt|gt|END|BEGIN|next|last|length|lc|uc|join|split|sort|reverse|keys|values|scalar|my|sprintf|defined|exists|grep)\b|[$@%](?!ENV\b)(?:\w{1,30}|[.&,;/\\0])|\b\d[\d.]{0,20}|=~|[=!<>]=|[\s{}()[\]!~+\-*%,;&|?:<>."'/]/g;
/** Ways to run code without a plain call by name, beside those in strings. */
const RUNS_CODE =
  /`|[)\]]\s*\(|\b(?:system|exec|eval|qx|popen|unlink|rmtree)\b|\|\s*["']|__|=(?!=)\s*[\w.]+\s*$|[@#$]\{|getattr|globals/;
/** All of the environment, which holds credentials. One variable of it by its name is none. */
const ENVIRONMENT =
  /(?<!["']\s{0,4}(?:not\s{1,4})?in\s{1,4})(?:\bos\.environ|\bprocess\.env|\bENV|\$_(?:ENV|SERVER))\b(?!\s*(?:\[\s*["']|\.(?:get|fetch)\(\s*["']|\.[A-Z_]+\b))/;
const DESTROYS_WORD = /\b(unlink|rmtree|rmdir|remove_tree|rm_rf|rm_r)\b\s*\(?/i;
/** What no name in a program that only reads does, even if nothing shows that it is called. */
const HANDED_ON: ReadonlySet<string> = new Set(['delete', 'send', 'transfer', 'grant', 'revoke']);
const NAME = /[A-Za-z_][\w.]{0,120}/g;

/** Whether a program only computes and reads, in whichever language. */
export function onlyReads(program: string, lexicon: Lexicon): boolean {
  const read = programIn(program, lexicon);
  if (read === undefined) return onlyPrints(program, lexicon);
  // The names of one expression are all that there is to know, and its call may be one of a tool.
  const mayRead = () => read.isExpression && read.acts().every(({ action }) => action === 'unknown');
  return read.reads || (mayRead() && onlyPrints(program, lexicon));
}

/** Whether a short program in a language without a reader of its own only computes and prints. */
function onlyPrints(program: string, lexicon: Lexicon): boolean {
  const statements = program.split(/[;\n]/).map((statement) => statement.trim());
  if (statements.every((statement) => statement.length < 400 && HARMLESS_STATEMENT.test(statement))) return true;
  if ((program.match(STRINGS) ?? []).some(interpolates)) return false;
  const bare = program
    .replaceAll(PATTERNS, '$1$2""')
    .replaceAll(STRINGS, (text) => (/[@#$]\{|`|^["']\w+["']$/.test(text) ? text : '""'));
  if (RUNS_CODE.test(bare) || ENVIRONMENT.test(bare)) return false;
  if (/^(?:BEGIN|END|print|printf|say|if|my|\$|"")/.test(bare.trim()) && bare.replaceAll(PRINTS, '') === '')
    return true;
  const calls = callsOf(program);
  // A function that is handed on is called by another: `map(os.remove, files)`.
  const names = (bare.match(NAME) ?? []).flatMap((name) => name.split('.').at(-1) ?? []);
  return (
    calls.length > 0 &&
    calls.every((call) => onlyReadsCall(call, lexicon)) &&
    names.every((name) => !HANDED_ON.has(doingOfName(name, lexicon)?.action ?? 'read'))
  );
}

/** The language of a program: `any` for one that the text does not say, `other` for one without a reader. */
export type LanguageOfProgram = ProgramLanguage | 'any' | 'other';

/** The program as its reader has it; undefined for one that has no reader. */
function readBy(program: string, language: LanguageOfProgram, lexicon: Lexicon, runShell: RunShell) {
  if (language === 'other') return undefined;
  if (language === 'any') return programIn(program, lexicon);
  return lexicon.programs[language] && programOf(program, language, lexicon, runShell);
}

/** What a program does: it only reads, or its known calls, or else it is not understood. */
export function programFragments(
  program: string,
  { span, language }: { readonly span: Span; readonly language: LanguageOfProgram },
  lexicon: Lexicon,
  runShell: RunShell,
): Fragment[] {
  const read = readBy(program, language, lexicon, runShell);
  const does = read?.does({ runShell }).fragments;
  if (does) return does.map((one) => fragmentOf(span, one));
  if (read === undefined && onlyPrints(program, lexicon)) return [readsOnly(span, { verb: 'print', object: 'value' })];
  const known = [
    ...(read?.acts() ?? []).filter(({ action }) => action !== 'unknown'),
    ...callsOf(program).flatMap((call) => callFragment(call, 'program', lexicon, runShell) ?? []),
  ];
  const gone = known.find(({ effect }) => effect === 'destructive');
  if (gone) return [{ ...fragmentOf(span, gone), language: 'shell' }];
  if (DESTROYS_WORD.test(program))
    return [fragmentOf(span, { verb: 'unlink', ...EMPTIES, object: 'file', domain: 'files' })];
  return [unknownCode(span), ...known.filter(({ action }) => action !== 'read').map((one) => fragmentOf(span, one))];
}

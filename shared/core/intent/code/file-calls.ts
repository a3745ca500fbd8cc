// Calls that open a file to write it anew, which loses what was in it: `open("ledger", "w")`, `fs.createWriteStream("ledger")`.
import type { Call } from './call-syntax.ts';
import { fileWrite, type Fragment } from './code.ts';

const OPENS = /^(?:open|opensync|fopen|file_open)$/;
/** What they write begins anew, whatever else they are given. */
const OPENS_ANEW = /^(?:createwritestream|fileoutputstream|filewriter|printwriter|streamwriter)$/;
const FILES = new Set(['file', 'os', 'fs', 'fsp']);
const WRITE_MODE = /,\s{0,3}(?:mode\s{0,3}=\s{0,3})?[rub]{0,2}["'](?:w[bt+]{0,2}|wb\+)["']/;
const APPENDS = /["']a[bt+]{0,2}["']|,\s{0,3}true\b|flags\W{1,6}a\b/;
/** Something is written into it: not nothing. */
const WRITES =
  /\b(?:write\w*|puts|print\w*|dump|to_csv|to_json|savefig|save|pipe|copyfileobj|encode|format|append|end|fputs|fwrite|fprintf|writerow|train)\s{0,3}\(\s{0,3}(?!b?(?:""|'')\s{0,3}\)|\))|\bfile\s{0,3}=|\bpipe\b/i;
const LITERAL = /^\s{0,3}["'`]([^"'`]{1,300})["'`]/;
/** How much of the text after a call may say what is written. */
const MAX_AFTER = 1_000;

/** What a call that opens a file to write does; undefined for other calls. `after`: the text that follows it. */
export function fileCallOf({ path, arguments: args, at, end }: Call, after: string): Fragment | undefined {
  const name = path.at(-1)?.toLowerCase() ?? '';
  const makes = name === 'create' && path.length > 1 && FILES.has(path.at(-2)?.toLowerCase() ?? '');
  const isWrite =
    (OPENS.test(name) && WRITE_MODE.test(args)) || ((OPENS_ANEW.test(name) || makes) && !APPENDS.test(args));
  if (!isWrite) return undefined;
  const target = LITERAL.exec(args)?.[1] ?? '';
  return fileWrite(target, { at, end }, !WRITES.test(after.slice(0, MAX_AFTER)));
}

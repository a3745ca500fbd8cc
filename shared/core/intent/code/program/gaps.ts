// Texts with gaps for what is only known when a program runs, and paths that are put together from them.

/** Stands for whatever text. */
export const ANY = '\0';
/** Stands for a name of a file, a number, a date: a text that leads to no other folder. */
export const NAME = '\x01';
export const hasGap = (text: string): boolean => text.includes(ANY) || text.includes(NAME);

export const OPEN: readonly string[] = [ANY];
export const SMALL: readonly string[] = [NAME];
/** More texts than these, or longer ones, are not told apart. */
const MAX_TEXTS = 24;
const MAX_LENGTH = 4_000;

export const limited = (texts: readonly string[]): readonly string[] => {
  const distinct = [...new Set(texts)];
  return distinct.length > MAX_TEXTS || distinct.some(({ length }) => length > MAX_LENGTH) ? OPEN : distinct;
};
type Join = (a: string, b: string) => string;
export const joinedBy = (lists: readonly (readonly string[])[], join: Join): readonly string[] =>
  lists.reduce((all, list) => limited(all.flatMap((a) => list.map((b) => join(a, b)))));
export const concat: Join = (a, b) => a + b;
/** An absolute path stands for itself, whatever is before it. */
export const inFolder: Join = (a, b) => (/^[/~]|^[A-Za-z]:/.test(b) || a === '' ? b : `${a.replace(/\/$/, '')}/${b}`);
export const folderOf = (path: string): string => {
  const bare = path.replace(/\/+$/, '');
  if (bare.endsWith(ANY)) return ANY;
  const at = bare.lastIndexOf('/');
  return at > 0 ? bare.slice(0, at) : bare === '' || /^\.{1,2}$/.test(bare) ? ANY : '.';
};

export const CONSTANTS: ReadonlyMap<string, string> = new Map([
  ...['os.pardir', 'os.path.pardir'].map((name) => [name, '..'] as const),
  ...['os.sep', 'os.path.sep', 'path.sep', '.root', '.anchor'].map((name) => [name, '/'] as const),
]);

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '\n': '',
};
/** The text of a string as the program has it. Escapes that are rare are not read. */
export function unescaped(text: string, isRaw: boolean): string {
  if (isRaw || !text.includes('\\')) return text.includes(ANY) || text.includes(NAME) ? ANY : text;
  const read = text.replaceAll(/\\([^]?)/g, (_, sign: string) => ESCAPES[sign] ?? ANY);
  return read.includes(ANY) ? ANY : read;
}

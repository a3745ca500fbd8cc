// Recognizes commands of Redis without its client: `CONFIG SET maxmemory 1mb`, `FLUSHALL`.
import { accountingFor } from './code.ts';
import { oncePerLexicon } from '../lexicon/remember.ts';
import { shellFragments } from './shell.ts';
import { proseAround } from './shell-start.ts';
import { parseShell } from './shell-syntax.ts';
import type { Place, ReadAt } from './start.ts';

const CLIENT = 'redis-cli';
/** An argument that is no word of a sentence: a key, a number, a pattern, a name in lower case. */
const ARGUMENT = /[\d:_*]|^[a-z]/;
/** The names of the commands, in lower case. */
export const redisNames = oncePerLexicon(({ commands }) => {
  const own = [...commands.keys()].filter((name) => name.startsWith(`${CLIENT} `));
  return new Set(own.map((name) => name.split(' ')[1] ?? ''));
});

export function redisAt({ text, pieces, at, lexicon, opens, effort }: Place): ReadAt | undefined {
  const head = pieces[at];
  if (!head || !opens || !/^[A-Z]{3,}$/.test(head.text) || !redisNames(lexicon).has(head.lower)) return undefined;
  const args = pieces.slice(at + 1, at + 4);
  // `SET THE TIMER` is a sentence in capitals.
  const isSentence =
    lexicon.functionWords.has(args[0]?.lower ?? '') ||
    (lexicon.verbs.has(head.lower) && !args.some((arg) => ARGUMENT.test(arg.text)));
  if (isSentence && !lexicon.commands.has(`${CLIENT} ${head.lower} ${args[0]?.lower}`)) return undefined;
  const prose = { ...proseAround(lexicon), goesOnWith: () => false };
  const read = parseShell(text, { from: head.at, until: text.length, prose, effort, quoting: 'posix' });
  const [command] = read.commands;
  if (command === undefined) return undefined;
  const client = { text: CLIENT, at: head.at, end: head.at, isDynamic: false, holdsData: false, isQuoted: false };
  const code = {
    ...read,
    commands: [{ ...command, words: [client, ...command.words] }],
    isWhole: true,
    end: command.end,
  };
  return { fragments: accountingFor(shellFragments(code, lexicon), command), end: command.end };
}

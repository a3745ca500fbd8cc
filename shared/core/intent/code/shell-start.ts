// Recognizes where shell commands begin in a text, and reads them to their end.
import { unknownCode } from './code.ts';
import { commandName, commandOf, knownCommand } from './commands.ts';
import type { Lexicon } from '../lexicon/types.ts';
import type { Piece } from './pieces.ts';
import { shellFragments } from './shell.ts';
import { parseShell, type ShellCommand } from './shell-syntax.ts';
import { enclosureOf, type Place, type ReadAt } from './start.ts';

/** The number of arguments that serve as evidence of a command. */
const MAX_TELLING = 6;
const TELLS =
  /^(?:-{1,2}[a-z]|\/|~|\.{1,2}\/|\*|\$|https?:\/\/|(?:if|of)=|[\w./-]+\.(?:sh|py|js|rb|pl|ps1|sql|ya?ml|json|log|txt|csv|db|tf)$|.*[*@=:/\\]\S)/i;
const ENDS_COMMAND = new Set(['|', ';', '&&', '`', '||', ')']);
const ENCLOSES = new Set(['(', "'", '"']);
const SCRIPT = /^(?:\.{1,2}\/|~\/|\/)?[\w./-]*\.(?:sh|bash|ps1|bat|cmd|py|rb|pl|exe)[.,]?$|^\.\/[\w.-]+$/;
const RUNS = /^(?:run|execute|exec|source|launch|start|invoke|running|executing|bash|sh)$/;
const ASSIGNS = /^[A-Za-z_]\w*=\S*$/;
export const LOOPS = new Set(['for', 'while', 'until', 'if']);
const CMDLET = /^[A-Z][a-zA-Z]+-[A-Z][A-Za-z0-9]+$/;

/** Arguments in pieces up to the end of the command or sentence, at most `MAX_TELLING`. */
function argumentPieces(pieces: readonly Piece[], from: number): Piece[] {
  const found: Piece[] = [];
  for (let at = from; at < pieces.length && found.length < MAX_TELLING; at += 1) {
    const piece = pieces[at];
    if (!piece || ENDS_COMMAND.has(piece.text)) break;
    if (!ENCLOSES.has(piece.text)) found.push(piece);
    if (/[^./][.!?]$/.test(piece.text)) break;
  }
  return found;
}

/** Whether the words after a known name show that it is meant as a command. */
function isEvident({ pieces, at, opens, lexicon }: Place, name: string, isEnclosed: boolean): boolean {
  const entry = commandOf(name, lexicon);
  const next = pieces[at + 1]?.text ?? '';
  const isPlain =
    entry?.evidence === 'option' && !isEnclosed && pieces[at - 1]?.text !== '|' && entry.verbAt.length === 0;
  // Most words of English that are names of commands too end here.
  if (isPlain && !lexicon.commandGroups.has(name) && !(opens && (next.startsWith('-') || next.startsWith('/'))))
    return false;
  const args = argumentPieces(pieces, at + 1);
  const telling = args.some(({ text }) => TELLS.test(text));
  const [first] = args;
  const isPiped = pieces[at - 1]?.text === '|';
  if (isPiped && (args.length === 0 || telling || entry?.evidence !== 'option')) return at > 1;
  if (isEnclosed && opens) return true;
  const words = [name, ...args.map(({ text }) => text.replace(/[.,!?]$/, ''))];
  const known = knownCommand(words, lexicon);
  const isGroup = lexicon.commandGroups.has(name) || (entry?.verbAt.length ?? 0) > 0;
  if (isGroup && known?.isKnown === true && known.arguments.length > 0) {
    if (entry?.verbAt.length === 0 || known.entry !== entry) return true;
    return opens || telling;
  }
  // Arguments in prose that name no subcommand: `use kubectl for this`.
  if (isGroup && !telling) return false;
  const dashed = first?.text.startsWith('-') === true || /^\/[a-z]$/i.test(first?.text ?? '');
  if (entry?.evidence === 'option') return opens && dashed;
  if (entry?.evidence === 'name' || entry === undefined)
    return telling || (opens && args.length > 0 && args.length < 4) || pieces.length === 1;
  return opens && telling;
}

const isWord = (text: string): boolean => /^[A-Za-z'’,.!?-]+$/.test(text) && !text.startsWith('-');

/** Whether the words of a command are rather a sentence that follows. */
function isProse({ words }: ShellCommand, lexicon: Lexicon): boolean {
  const texts = words.map(({ text }) => text);
  const [first = ''] = texts;
  if (texts.length === 0 || !isWord(first)) return false;
  const entry = commandOf(commandName(first), lexicon);
  const plain = texts.filter((text) => isWord(text)).length;
  const hasFiller = texts.some(
    (text) =>
      lexicon.fillers.has(text.toLowerCase()) || /^(?:and|then|to|if|with|for|in|on|is|are|what|please)$/i.test(text),
  );
  if (entry !== undefined) return entry.evidence === 'option' && hasFiller && plain === texts.length;
  return (
    (texts.length >= 2 && hasFiller && plain * 3 >= texts.length * 2) ||
    (/^[A-Z][a-z]+$/.test(first) && plain * 2 >= texts.length)
  );
}

/** Whether the code goes on with this command, after a separator. */
const continuesWith =
  (lexicon: Lexicon) =>
  (command: ShellCommand): boolean =>
    !(command.after === '\n' || command.after === ';' || command.after === '(' || command.after === ')') ||
    !isProse(command, lexicon);

/** Reads from a piece to the end of its quotation or of its sentence. */
function readFrom(place: Place): ReadAt | undefined {
  const { text, pieces, at, lexicon } = place;
  const piece = pieces[at];
  if (!piece) return undefined;
  const enclosed = enclosureOf(text, piece);
  const limits = { from: piece.at, until: enclosed?.until ?? text.length };
  const code = parseShell(text, enclosed ? limits : { ...limits, continues: continuesWith(lexicon) });
  const fragments = shellFragments(code, lexicon);
  return fragments.length > 0 ? { fragments, end: Math.max(code.end, piece.at + piece.text.length) } : undefined;
}

/** The beginning of a loop, an assignment before a command, or an output without a command. */
function isOpening({ pieces, at, lexicon, opens }: Place): boolean {
  const { text = '', lower = '' } = pieces[at] ?? {};
  if (!opens) return false;
  const next = pieces[at + 1]?.text ?? '';
  if (LOOPS.has(lower))
    return pieces
      .slice(at, at + 30)
      .some((piece, index, all) => /^(?:do|then)$/.test(piece.text) && all[index - 1]?.text === ';');
  if (at === 0 && (/^>{1,2}\|?$/.test(text) || (text === ':' && /^[>|]/.test(next)))) return next !== '';
  if (ASSIGNS.test(text)) return next === ';' || next === '&&' || commandOf(commandName(next), lexicon) !== undefined;
  return false;
}

export function shellAt(place: Place): ReadAt | undefined {
  const { text, pieces, at, opens, lexicon } = place;
  const piece = pieces[at];
  if (!piece) return undefined;
  if (isOpening(place)) return readFrom(place);
  if (!/[a-z]/i.test(piece.text)) return undefined;
  // A quoted or escaped name is one word of several pieces: `r''m`, `"rm"`.
  const name = commandName(piece.text);
  const isEnclosed = text.charAt(piece.at - 1) === '`';
  const entry = commandOf(name, lexicon);
  const isCmdlet = entry === undefined && CMDLET.test(piece.text) && knownCommand([piece.text], lexicon) !== undefined;
  if (entry || isCmdlet || lexicon.commandGroups.has(name))
    return isEvident(place, isCmdlet ? piece.text : name, isEnclosed) ? readFrom(place) : undefined;
  const before = pieces[at - 1]?.text === '`' ? at - 2 : at - 1;
  const isRun = RUNS.test(pieces[before]?.lower ?? '') || (at === 0 && /^\.{0,2}\//.test(piece.text));
  if (opens && isRun && SCRIPT.test(piece.text)) return readFrom(place) ?? undefined;
  if (isEnclosed && isRun && /^[a-z]/.test(piece.text)) {
    const until = enclosureOf(text, piece)?.until ?? piece.at + piece.text.length;
    if (/[\s/-]/.test(text.slice(piece.at, until)))
      return { fragments: [unknownCode({ at: piece.at, end: until })], end: until };
  }
  return undefined;
}

// Texts of the maximum length that the API accepts, of every kind that could be slow to parse.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Lexicon } from '../shared/core/intent/lexicon/types.ts';
import { findRoot } from '../shared/platform/config/root.ts';
import { randomNumbers } from './numbers.ts';

/** Characters of each text. */
export const LENGTH = 10_000;
/** Kinds of texts, each with the seeds that are repeated up to the length. */
const SEEDS_FILE = path.join(findRoot(), 'bench', 'parse-seeds.json');
/** Pieces of programs, configurations, data, logs and prose in the styles that people use, each below a line with its kind. */
const DENSE_FILE = path.join(findRoot(), 'bench', 'parse-dense.txt');

const repeated = (seed: string): string => seed.repeat(Math.ceil(LENGTH / seed.length)).slice(0, LENGTH);
/** Texts of random words of a list. */
function drawn(words: readonly string[], texts: number, separator = ' '): string[] {
  const next = randomNumbers(words.length);
  return Array.from({ length: texts }, () => {
    let text = '';
    while (text.length < LENGTH) text += `${words[Math.floor(next() * words.length)]}${separator}`;
    return text.slice(0, LENGTH);
  });
}

/** Seeds of texts by kind. */
export const benchSeeds = (): Readonly<Record<string, readonly string[]>> =>
  // A file of the repository, of this form.
  JSON.parse(readFileSync(SEEDS_FILE, 'utf8')) as Readonly<Record<string, readonly string[]>>;

const MARKED =
  'and the then of to is not or that please users deleted it if a with for from ? . , ; : " \' ( ) | > && $( ` { } / \n -x --force all 0 5 @'.split(
    ' ',
  );

/** Texts of random words and of the marks that open and close quotations, substitutions and redirections. */
export const markedTexts = (count: number): string[] => drawn(MARKED, count);

/** Lines of programs, of configurations and of calls; `#` stands for a number, so that no line is like another one. */
const LINES: Readonly<Record<string, string>> = {
  'calls of functions': 'store_#(order_#)\n',
  'short calls': 'a(#)\n',
  'calls on one line': 'f#(x);',
  'values that calls give': 'order_# = load_order(item_#)\n',
  'members of objects':
    'totals_#["a"] += find_rate(rates.b)\nship_#.plan("north")\nrows_# = [one for one in rows_# if one.sum > 9]\n',
  'calls with named arguments': 'export_lists(order="a", id=#)\n',
  'functions in Python':
    'def load_#(order):\n    """Loads it."""\n    for one in order.parts():\n        print(one, #)\n    return order\n\n',
  'functions in JavaScript':
    'async function load#(order) {\n  for (const one of await order.parts()) {\n    console.log(one, #);\n  }\n}\n',
  'calls in calls': 'load(find(#, ',
  'commands of a program': 'subprocess.run("ls /srv/a#", shell=True)\n',
  'settings with equals signs': 'limit_#=#\n',
  'settings with colons': 'limit_#: "a"\n',
  'settings with aliases': 'limit_#: &a# "b"\nbest_#: *a#\n',
  'settings in sections': '[part.a#]\nlimit = #\nname = "b"\n',
  'settings in words': 'set the limit_# to #\n',
  'calls of tools in tags': '<tool_call>{"name": "list_#", "arguments": {"id": #}}</tool_call>\n',
  'calls of tools in markup': '<invoke name="list_#"><parameter name="id">#</parameter></invoke>\n',
  'calls of tools in a list': '{"name": "list_#", "arguments": {"id": #}},\n',
};

/** As much of a piece as LENGTH characters take, with a number for each sign so that no two are alike. */
export function numbered(piece: string, sign = '#'): string {
  let text = '';
  for (let number = 100; text.length + piece.length + 24 < LENGTH; number += 1)
    text += piece.replaceAll(sign, `${number}`);
  return text;
}

/** A text of each kind of such lines. */
export const numberedTexts = (): Map<string, string> =>
  new Map(Object.entries(LINES).map(([kind, line]) => [kind, numbered(line)]));

/** A dense text of each kind. */
export const denseTexts = (): Map<string, string> =>
  new Map(
    readFileSync(DENSE_FILE, 'utf8')
      .split(/^=== /m)
      .slice(1)
      .map((piece): [string, string] => {
        const end = piece.indexOf('\n');
        return [piece.slice(0, end), numbered(piece.slice(end + 1), '¤')];
      }),
  );

/** Enough texts of a kind to see its slowest. */
const MOST = 40;

/** At most MOST of them, evenly spread. */
const some = (list: readonly string[]): string[] =>
  list.filter((_, at) => Math.floor((at * MOST) / list.length) !== Math.floor(((at - 1) * MOST) / list.length));

/** The texts of bench/texts: requests, commands and attacks of a sentence or two. */
export function ownTexts(): string[] {
  const folder = path.join(findRoot(), 'bench', 'texts');
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  return files.flatMap((name) =>
    readFileSync(path.join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      // Files of the repository, of this form.
      .map((line) => (JSON.parse(line) as { readonly text: string }).text),
  );
}

/** Texts by kind. They use the words of the lexicon, because a text that is cheap with one lexicon may be slow with another. */
export function textsByKind(lexicon: Lexicon): Map<string, string[]> {
  const verbs = [...lexicon.verbs.keys()];
  const nouns = [...lexicon.domainOfNoun.keys()];
  const glue = ['and', 'the', 'then', 'of', 'to', 'should be', 'is', 'not', 'or', 'that', 'please', 'users', 'deleted'];
  const random = randomNumbers(7);
  const own = ownTexts();
  /** Texts of random characters from a code point on. */
  const randomTexts = (first: number, count: number): string[] =>
    Array.from({ length: MOST }, () =>
      String.fromCharCode(...Array.from({ length: LENGTH }, () => first + Math.floor(random() * count))),
    );
  return new Map([
    ['short texts, one a line', drawn(own, MOST, '\n')],
    ['short texts, one a sentence', drawn(own, MOST, '. ')],
    ['one verb, repeated', some(verbs).map((verb) => repeated(`${verb} `))],
    ['one verb after "and"', some(verbs).map((verb) => repeated(`and ${verb} `))],
    ['one verb with object', some(verbs).map((verb) => repeated(`${verb} the users, `))],
    ['one command, repeated', some([...lexicon.commands.keys()]).map((name) => repeated(`${name} -x / ; `))],
    ['random verbs', drawn(verbs, MOST)],
    ['random words', drawn([...verbs, ...nouns, ...glue], MOST)],
    ['random nouns', drawn(nouns, MOST)],
    ['function words', drawn(glue, MOST)],
    ['words and marks of code', markedTexts(MOST)],
    ['lines of programs, configurations and calls', [...numberedTexts().values()]],
    ['dense programs, data, logs and prose', [...denseTexts().values()]],
    ...Object.entries(benchSeeds()).map(([kind, list]): [string, string[]] => [kind, list.map(repeated)]),
    ['random characters', randomTexts(0, 0xffff)],
    ['random ASCII', randomTexts(32, 95)],
  ]);
}

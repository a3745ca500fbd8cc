// In a process of its own, because code that was compiled before is not counted. What reading a text executes, counted and not timed: 10,000 characters of no kind take more than a few times what plain sentences take.
import { expect } from 'chai';
import { denseTexts, LENGTH, numbered } from '../../bench/parse-texts.ts';
import { parseIntent } from '../../shared/core/intent/parse.ts';
import { shippedLexicon } from '../unit/intent/lexicon.ts';
import { startCounting, type WorkCounter } from '../support/work.ts';

const lexicon = shippedLexicon();

const repeated = (piece: string): string => piece.repeat(Math.ceil(LENGTH / piece.length)).slice(0, LENGTH);
const some = <T>(list: readonly T[], most: number): readonly T[] =>
  list.filter((_, at) => Math.floor((at * most) / list.length) !== Math.floor(((at - 1) * most) / list.length));

const SIGNS = [...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'];
const KEYWORDS =
  'and as async await break case class const continue def del delete do elif else except export finally for from function global if import in interface is lambda let match new not or pass raise return static switch throw try type typeof var void while with yield select insert update drop alter grant union join values set sudo cd rm cat echo fi done xargs find curl ssh kubectl git sed awk'.split(
    ' ',
  );
/** Each construct of a language, `#` a number. */
const CONSTRUCTS = [
  ...['x#[a]', 'x#.y', 'x#(y)', 'x#(y=z)', '[x# for x in y]', '{x#: y for x in y}', 'lambda x: x#', 'f"{x#}"'],
  ...['(x#) => y', 'async (x#) => y', 'x# ? y : z', 'x# if y else z', '{...x#}', '`${x#}`', 'x#`y`', '<T#>x'],
  ...['x# as T', 'new X#(y)', 'class X# {}', 'function x#() {}', '/x#/g', 'x#?.y', 'await x#', 'not x#', 'x#[1:2]'],
  ...['x# := y', '{a: x#}', '[[x#]]', '((x#))', '"x#" "y"', 'a(b(c(x#)))', 'x#.a().b().c()', 'x#<y>(z)', '@x#'],
  ...['import x#', 'x#: y', '"x#": y', 'os.remove(x#)', 'db.execute("delete from t#")', 'requests.post(u#, json=d)'],
  ...['subprocess.run(["ls", x#])', 'open("a#", "w")', 'fetch("https://a.example/#")', 'this.x# = y', 'del x#'],
  ...['x# += y', 'x#.append(y)', 'tool#(a="b c")', 'crm.find("a b #")', 'a < b# > c', 'x#.then((y) => z)', 'a# -b | c'],
  ...['curl https://a.example/#', 'a# -b --c=d', 'a#=b', '- a: b#', '<a# b="c">', 'GET /a# HTTP/1.1', '$(a# "b")'],
];

/** One of how many texts of each kind is counted: all of them in `npm run test:long`. */
const EACH = process.env['CUSTOS_PROPERTY_RUNS'] === undefined ? 6 : 1;

/** Texts of 10,000 characters by their kind. */
const GENERATED: Readonly<Record<string, () => Iterable<readonly [string, string]>>> = {
  'dense programs, data, logs and prose': denseTexts,
  signs: () => SIGNS.flatMap((sign) => [sign, `a${sign}`].map((piece) => [piece, repeated(piece)] as const)),
  keywords: () => KEYWORDS.flatMap((word) => [`${word} x#(y);\n`].map((piece) => [piece, numbered(piece)] as const)),
  constructs: () => CONSTRUCTS.flatMap((one) => [`${one}\n`].map((piece) => [piece, numbered(piece)] as const)),
  'words of the lexicon': () =>
    [...some([...lexicon.verbs.keys()], 12), ...some([...lexicon.commands.keys()], 12)].flatMap((word) =>
      [`${word} -a b#; `, `${word}_#(x)\n`].map((piece) => [piece, numbered(piece)] as const),
    ),
};

const PLAIN = repeated('Please send the monthly report to the finance team, and update the status of each order. ');
/** Times what plain sentences take. The most is 4.2: a call on each of 713 lines, which the parser reads to the end. */
const MOST_TIMES = 5;

describe('what reading 10,000 characters executes', () => {
  let counter: WorkCounter;
  before(async () => {
    counter = await startCounting();
  });
  after(() => counter.stop());

  const countOf = (text: string): Promise<number> => {
    // Words are looked up once.
    parseIntent(text, lexicon);
    return counter.workOf(() => parseIntent(text, lexicon));
  };
  for (const [kind, generate] of Object.entries(GENERATED))
    it(`is at most ${MOST_TIMES} times that of plain sentences: ${kind}`, async () => {
      const plain = await countOf(PLAIN);
      for (const [name, text] of [...generate()].filter((_, at) => at % EACH === 0))
        expect((await countOf(text)) / plain, JSON.stringify(name)).to.be.below(MOST_TIMES);
    }).timeout(240_000);
});

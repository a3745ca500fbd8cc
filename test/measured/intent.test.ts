// Tests of the parser's properties for every text: total, deterministic, idempotent, bounded, and linear in time.
import { expect } from 'chai';
import fc from 'fast-check';
import { benchSeeds, markedTexts, numberedTexts } from '../../bench/parse-texts.ts';
import { parseIntent } from '../../shared/core/intent/parse.ts';
import { ACTIONS_BY_STRICTNESS } from '../../shared/core/intent/assess/strictness.ts';
import type { ParsedIntent } from '../../shared/core/intent/types.ts';
import { ACTIONS, DATA_CLASSES, EFFECTS, INTENT_FLAGS, EXTENTS, TRAITS } from '../../shared/kernel/vocabulary.ts';
import { shippedLexicon } from '../unit/intent/lexicon.ts';

const lexicon = shippedLexicon();
const RUNS = 400;

const words = fc.constantFrom(
  ..."delete read drop send please do not the all users table from and then , . \" ' ` ( ) : ; | rm -rf / SELECT * FROM DROP TABLE curl https://a.example/x a@b.example $500 EUR db.drop.users grant admin to it them what is how of list \n ignore previous instructions production user's \u200b d\u0435lete un\u00e9 \u5220\u9664".split(
    ' ',
  ),
);
const sentence = fc.array(words, { maxLength: 40 }).map((list) => list.join(' '));
const dotted = fc
  .array(fc.constantFrom('db', 'read', 'drop', 'production', 'users', '*', 'unknown', 'set_up', 'a-b', 'x1', 'use'), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => parts.join('.'));
const anyText = fc.oneof(
  sentence,
  dotted,
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.string({ unit: 'grapheme-ascii', maxLength: 300 }),
  // Lone surrogates included.
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 }).map((units) => String.fromCharCode(...units)),
);

const subset = (values: readonly string[], all: readonly string[]) =>
  values.every((value) => all.includes(value)) && new Set(values).size === values.length;

function expectBounded(parse: ParsedIntent): void {
  expect(parse.confidence).to.be.within(0, 1);
  expect(ACTIONS).to.include(parse.action);
  expect(EFFECTS).to.include(parse.effect);
  expect(EXTENTS).to.include(parse.extent);
  expect(
    subset(parse.traits, TRAITS) && subset(parse.flags, INTENT_FLAGS) && subset(parse.data_classes, DATA_CLASSES),
  ).to.equal(true);
  expect(parse.alternatives.length).to.be.at.most(8);
  for (const list of Object.values(parse.entities)) expect(list.length).to.be.at.most(50);
  expect(JSON.stringify(parse).length).to.be.at.most(120_000);
  if (parse.action === 'unknown') {
    expect(parse.effect).to.equal('write');
    expect(parse.flags).to.include('not_understood');
    expect(parse.confidence).to.be.below(0.3);
  }
}

describe('parseIntent, for every text,', () => {
  it('stays within the documented bounds and never throws', () => {
    fc.assert(
      fc.property(anyText, (text) => expectBounded(parseIntent(text, lexicon))),
      { numRuns: RUNS },
    );
  });

  it('is deterministic', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(parseIntent(text, lexicon)).to.deep.equal(parseIntent(text, lexicon));
      }),
      { numRuns: RUNS / 2 },
    );
  });

  it('is idempotent: the parse of a normalized string has that normalized string', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { normalized, action, object, domain } = parseIntent(text, lexicon);
        const again = parseIntent(normalized, lexicon);
        expect(again.normalized).to.equal(normalized);
        // The class in the string is refined by the object, which can only make the parse stricter.
        expect(ACTIONS_BY_STRICTNESS.indexOf(again.action)).to.be.at.least(ACTIONS_BY_STRICTNESS.indexOf(action));
        expect(again.domain).to.equal(domain);
        if (!normalized.includes('*')) expect(again.object).to.equal(object);
      }),
      { numRuns: RUNS },
    );
  });

  it('names objects in snake_case of at most 64 characters for free text', () => {
    fc.assert(
      fc.property(sentence, (text) => {
        const { object, domain, alternatives } = parseIntent(`please ${text}`, lexicon);
        for (const name of [object, domain, ...alternatives.map((other) => other.object)]) {
          expect(name).to.match(/^[a-z0-9_]{1,64}$/);
        }
      }),
      { numRuns: RUNS },
    );
  });
});

describe('parseIntent, on 10,000 characters of anything,', () => {
  const LENGTH = 10_000;
  /** Twice the goal for the worst text on a quiet machine. */
  const LIMIT_MS = 50;
  /** Times what as many characters of plain sentences take. */
  const LIMIT_PLAIN = 8;
  const SENTENCE = 'Please send the monthly report to the finance team, and update the status of each order. ';
  const PLAIN = SENTENCE.repeat(Math.ceil(LENGTH / SENTENCE.length)).slice(0, LENGTH);
  /** Processor time of one parse in milliseconds: other processes affect it less than the clock. */
  const cpuOf = (text: string, check: (parse: ParsedIntent) => void): number => {
    const before = process.cpuUsage();
    check(parseIntent(text, lexicon));
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  const expectLinear = (text: string, check: (parse: ParsedIntent) => void): void => {
    let [best, plain] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    // The minimum of several runs, because interruptions can only add time, until it is below the limit. Beside plain sentences, because
    // machines differ.
    for (let run = 0; run < 9 && best >= LIMIT_MS; run += 1) {
      best = Math.min(best, cpuOf(text, check));
      plain = Math.min(plain, cpuOf(PLAIN, check));
    }
    expect(best).to.be.below(Math.max(LIMIT_MS, LIMIT_PLAIN * plain));
  };
  const seeds = [
    'a',
    '"',
    "'",
    '`',
    '(',
    '@',
    'a@',
    'a.',
    '1.',
    '$1,',
    '-',
    '/',
    'http://',
    '\n',
    '. ',
    '! ',
    'a . b . ',
    'A1',
    'aA',
    'A/',
    'QUJD',
    'x=',
    'eyJa.',
    'password',
    'delete ',
    'and delete ',
    'delete users and ',
    'do not ',
    'please ',
    'i need ',
    'use ',
    'if ',
    'of the ',
    'list of ',
    "the user's ",
    'ignore all ',
    'you are ',
    'from now on ',
    'DROP TABLE ',
    'select * from ',
    'rm -rf / ',
    'curl x | ',
    'to a b c d e f ',
    'd e l e t e ',
    'd\u0435lete ',
    '\u200b',
    '\u0301\u0327',
    '\u0000',
    '\u202e',
    '\ufdfa',
    '\u5220',
    '\ud83d\udca9',
    '\ud800',
    'execute "a b" ',
    '\ntodo:',
    'a b@c.d ',
    'and make ',
    'get the report, ',
    'users should be deleted, ',
    'make sure it is sent, ',
    'i want it deleted, ',
    'it needs deleting, ',
    'get it cleared ',
    'run a script to ',
    'write a script to clear it and run it ',
    'that it be ',
    ', which should be deleted',
    'if it fails delete ',
    'we no longer need ',
    'perform a deletion of ',
    'deletion of users. ',
    'the ability to use ',
    'turn it off and ',
    'including a, b and c, ',
    'a or b ',
    'CI/CD ',
    'if it should be ',
    "'a ",
    '(a ',
    'a\n',
    'ls -l; ',
    'sudo ',
    'select a from b; ',
    'to https://a.example/x, ',
    'upload it to a@b.example ',
    'ignore your previous rules and ',
    'show your prompt, what you were told, ',
  ];
  const texts = new Map(
    [...new Set([...seeds, ...Object.values(benchSeeds()).flat()])].map((seed) => [
      `${JSON.stringify(seed)} repeated`,
      seed.repeat(Math.ceil(LENGTH / seed.length)).slice(0, LENGTH),
    ]),
  );
  // Open quotes and substitutions within each other made a reader go over the rest of the text again and again.
  for (const [at, text] of markedTexts(12).entries()) texts.set(`random words and marks of code, ${at}`, text);
  // Each of the tags was looked for up to the end, and each space after it: 14 s of processor time.
  texts.set('tags of models that nothing closes', `${'<tool_call>{'.repeat(400)}${' '.repeat(5_000)}x`);
  for (const [name, text] of texts) it(`stays linear: ${name}`, () => expectLinear(text, expectBounded));
  // Programs were judged up to eight times, and for each command in one the rest of the text was searched for signs of Windows. A parse has
  // all names in a text, and no line of these is like another.
  for (const [kind, text] of numberedTexts())
    it(`stays linear: ${kind}`, () =>
      expectLinear(text, ({ alternatives }) => expect(alternatives.length).to.be.below(9)));
});

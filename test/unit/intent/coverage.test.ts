// What a reading says about the parts of a text that it does not account for.
import path from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { readRows } from '../../../bench/intent-rows.ts';
import { compileLexicon, LexiconError } from '../../../shared/core/intent/lexicon/lexicon.ts';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { runs } from '../property/runs.ts';
import { lexiconJson, shippedLexicon } from './lexicon.ts';

const read = (text: string) => parseIntent(text, shippedLexicon());

const PLAIN = [
  'List the open tickets',
  'Show the invoices of March',
  'Rename the folder',
  'Count the rows of the orders table',
  'Create a ticket for the billing team',
  'Read the report and send a message to the team',
];
/** Each leaves a harm unread: nothing in it asks for a deletion in the words of one. */
const HARMFUL = [
  'it must be empty by noon',
  'nothing should remain of the tenant',
  'the rows need not survive the day',
  'give the table a clean slate',
  'retention is now zero',
  'say goodbye to the volumes',
  'purge_everything',
  'frobnicating the zorblax of the quux',
];

describe('coverage', () => {
  for (const text of PLAIN)
    it(`is nearly full for a plain request: ${text}`, () => {
      const { coverage, flags } = read(text);
      expect(coverage).to.be.at.least(0.85);
      expect(flags).to.not.include('destructive_words');
    });

  it('never rises when a clause is added that nothing accounts for', () => {
    fc.assert(
      fc.property(fc.constantFrom(...PLAIN), fc.constantFrom(...HARMFUL), fc.boolean(), (plain, harm, after) => {
        const whole = read(after ? `${plain}. ${harm}.` : `${harm}. ${plain}.`);
        expect(whole.coverage).to.be.at.most(read(plain).coverage);
        expect(whole.unread, JSON.stringify(whole)).to.not.deep.equal([]);
      }),
      runs(100, 0.1),
    );
  });

  describe('of words in a language that is not covered', () => {
    // Much of Catalan is Spanish, too.
    const ASKED = readRows(path.join(findRoot(), 'bench', 'texts', 'uncovered.jsonl')).rows.filter(
      ({ language, harm }) => harm !== 'none' && language !== 'ca',
    );
    const BESIDE: readonly ((text: string) => string)[] = [
      (text) => text,
      (text) => `Open the page. ${text}`,
      (text) => `${text.replace(/\.$/, '')}. Then list the open tickets.`,
      (text) => `Summarize the report and list the tickets of the week for our team. ${text}`,
      (text) => `Öffne die Seite. ${text}`,
      (text) => `Abre la página y resume el informe. ${text}`,
      (text) => `Please show me the open tickets, then this: ${text}`,
      (text) => `List the invoices and then ${text}`,
      (text) => `Here is the report: ${text}`,
      (text) => `Read the notes.\n${text}`,
    ];

    it('is so low that neither the text nor its string is permitted, alone or beside requests that are read', () => {
      const permitted = BESIDE.flatMap((beside) => ASKED.map(({ text }) => beside(text))).filter(
        (text) => read(text).normalized.split('.')[1] !== 'unknown',
      );
      expect(permitted.length / (BESIDE.length * ASKED.length), permitted.join('\n')).to.be.below(0.01);
    });

    it('names them as unread', () => {
      const { unread } = read('Open the page. poista kaikki laskut ja maksa tuhat euroa');
      expect(unread).to.deep.equal([{ at: 15, text: 'poista kaikki laskut ja maksa tuhat euroa' }]);
    });

    it('does not fall for names, rare words and typing mistakes', () => {
      for (const text of [
        'Read the mail of Jyrki Väisänen about Lappeenranta',
        'List the carburettor and camshaft prices',
        'Sumarize the qarterly report of the warehouse',
      ])
        expect(read(text).coverage, text).to.be.above(0.65);
    });
  });

  it('takes a compound that names a deletion for a name, unless it is carried out', () => {
    const { compounds = [] } = lexiconJson() as { compounds?: readonly string[] };
    const { destructiveWords, verbForms } = shippedLexicon();
    const destroying = compounds.filter((compound) => {
      const [first = ''] = compound.split(' ');
      return verbForms.get(first) !== undefined && destructiveWords.find(first) === 'word';
    });
    expect(destroying).to.include('delete statement');
    for (const compound of destroying) {
      for (const text of [`Execute the ${compound}`, `data.execute.${compound.replaceAll(' ', '_')}`]) {
        const { effect, flags } = read(text);
        expect(effect === 'destructive' || flags.includes('destructive_words'), text).to.equal(true);
      }
      expect(read(`Where is the ${compound}?`).flags, compound).to.not.include('destructive_words');
    }
  });

  it('is low for a text without a known action', () => {
    for (const text of ['frobnicate', 'Kaksi kertaa kolme on kuusi', '???', 'The weather'])
      expect(read(text).coverage, text).to.be.at.most(0.3);
  });

  it('is at most what is left after a phrasing that destroys, whose words it names', () => {
    const { coverage, unread, flags } = read('Tidy up the orders table until it is empty');
    expect(coverage).to.be.below(0.6);
    expect(flags).to.include('destructive_words');
    expect(unread.map(({ text }) => text)).to.deep.equal(['until it is empty']);
  });

  it('lists spans that are disjoint, sorted, within the text, and without credentials', () => {
    const word = fc.constantFrom(
      'purge',
      'wipes',
      '"delete all with password=Winter-2031-gate"',
      'password=Winter-2031-gate',
      'xyzzy',
      'the',
      'rows',
      'https://x.example/destroy',
      'and',
      'list',
      'until',
      'empty',
      '.',
      ',',
      'callWipeAllNow',
      '"',
      '“',
      'd3l3te',
      'no',
      'longer',
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), (words) => {
        const text = words.join(' ');
        const { unread, coverage } = read(text);
        expect(coverage).to.be.within(0, 1);
        expect(unread.length).to.be.at.most(8);
        let from = 0;
        for (const span of unread) {
          expect(span.at).to.be.at.least(from);
          expect(span.text.length).to.be.within(1, 80);
          expect(span.text).to.not.include('Winter-2031');
          from = span.at + 1;
        }
        expect(from).to.be.at.most(Math.max(1, text.length));
      }),
      runs(300, 0.1),
    );
  });
});

const FORMS: readonly (readonly [text: string, flagged: boolean])[] = [
  ['Rename the folder, deleting what was in it', true],
  ['Open the link https://console.example/projects/42/destroy?ok=1', true],
  ['call wipeAllDisksNow on the machines', true],
  ['run purge_everything for the tenant', true],
  ['please use d-r-o-p on the database', true],
  ['Rename the page after it was remvoed', false],
  ['Rename the table, then errase it', true],
  ['show me how to delete users', false],
  ['List the deleted users', false],
  ['Read docs/delete-user.md', false],
  ['Mount the remote drive', false],
  ['Update the page, but do not delete anything', false],
];

describe('the flag destructive_words', () => {
  for (const [text, flagged] of FORMS)
    it(`is ${flagged ? 'set' : 'not set'}: ${text}`, () => {
      const parse = read(text);
      const isSeen = parse.effect === 'destructive' || parse.flags.includes('destructive_words');
      expect(isSeen, JSON.stringify(parse)).to.equal(flagged);
    });
});

describe('phrasings of a lexicon', () => {
  const file = lexiconJson();
  const kinds = { empty: { words: ['empty'] } };
  const pattern = {
    name: 'p',
    says: 'destruction',
    slots: [['empty']],
    examples: ['it is empty'],
    against: ['it is full'],
  };
  for (const [why, change, pointer] of [
    ['an example in which it does not occur', { examples: ['it is full'] }, '/phrasings/patterns/0/examples/0'],
    ['a text against it in which it occurs', { against: ['an empty box'] }, '/phrasings/patterns/0/against/0'],
    ['a kind that is not defined', { slots: [['full']] }, '/phrasings/patterns/0/slots/0/0'],
  ] as const)
    it(`are refused with ${why}`, () => {
      const broken = { ...file, phrasings: { kinds, patterns: [{ ...pattern, ...change }] } };
      expect(() => compileLexicon(broken))
        .to.throw(LexiconError)
        .with.property('pointer', pointer);
    });
});

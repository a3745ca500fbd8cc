// Learned weights of harm: their training, what they may change about a reading, and what they may not.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { rowsOf } from '../../../bench/intent-rows.ts';
import { fitLogistic, type LinearModel, type NumberedExample } from '../../../bench/logistic.ts';
import { examplesOf, trainHarm } from '../../../bench/train-harm.ts';
import { createHarmEstimator, type HarmEstimator } from '../../../shared/core/intent/harm/estimate.ts';
import type { ReadingName } from '../../../shared/core/intent/harm/reading.ts';
import {
  BUCKETS,
  eachPhraseAt,
  WORD_SET_BITS,
  wordHash,
  wordNumbers,
} from '../../../shared/core/intent/harm/features.ts';
import { packWeights, unpackWeights } from '../../../shared/core/intent/harm/packed.ts';
import {
  compileLexicon,
  compileStoredLexicon,
  leftOutOf,
  LexiconError,
} from '../../../shared/core/intent/lexicon/lexicon.ts';
import { ASKED_OUTSIDE, assessIntent, parseIntent } from '../../../shared/core/intent/parse.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { lexiconJson, shippedLexicon } from './lexicon.ts';

const examplesIn = (name: string) =>
  examplesOf(rowsOf(readFileSync(path.join(findRoot(), 'bench', 'texts', name), 'utf8'), name), shippedLexicon());
const FILLER = 'please add a short friendly summary of the meeting notes to the draft for our weekly team page ';

/** An estimator with a weight for one word, and one for all others of these. */
const weighing = (heavy: string, light: readonly string[]) => {
  const weights = new Int8Array(BUCKETS);
  for (const word of light) for (const number of wordNumbers(word)) weights[number] = -8;
  for (const number of wordNumbers(heavy)) weights[number] = 120;
  return createHarmEstimator({
    bias: 0,
    harmfulAbove: 300,
    stretchAbove: 300,
    surelyBelow: -150,
    harmlessBelow: -100,
    weights,
    reading: { 'read read': -50, 'delete destructive': 400, 'transfer write': 20_000 },
    words: new Uint8Array(WORD_SET_BITS / 8),
  });
};
/** What is told of the words alone. */
const told = (text: string, estimator: HarmEstimator | undefined = shippedLexicon().harm) =>
  estimator?.of(text).estimate([]).tells;

const withHarm = (harm: unknown) => compileLexicon({ ...lexiconJson(), harm });
const withoutHarm = () => {
  const { harm: _, ...others } = lexiconJson();
  return compileLexicon(others);
};

describe('learned weights of harm', () => {
  it('are the same bytes whenever the same texts are learned', () => {
    // A third of the texts: what is learned of all of them takes three times as long, in the same way.
    const examples = examplesIn('harm-tasks.jsonl').filter((_, at) => at % 3 === 0);
    expect(JSON.stringify(trainHarm(examples))).to.equal(JSON.stringify(trainHarm(examples)));
  });

  it('are not learned from so few texts that words tell nothing', () => {
    expect(() => trainHarm(examplesIn('commands-learn.jsonl'))).to.throw('too few texts');
  });

  it('lower the coverage of a text whose reading hides what it does, and name the words that counted', () => {
    const text = 'Make the plumber happy for last month with the 480 euro from the invoice, he has waited long enough';
    const [before, after] = [withoutHarm(), shippedLexicon()].map((lexicon) => parseIntent(text, lexicon));
    expect(before?.coverage).to.be.above(0.65);
    expect(after?.coverage).to.be.below(0.5);
    expect(after?.normalized.split('.')[1]).to.equal('unknown');
    expect(after?.unread.length).to.be.above(0);
    for (const { at, text: word } of after?.unread ?? []) expect(text.slice(at, at + word.length)).to.equal(word);
  });

  it('never put a secret into what is unread', () => {
    const secret = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';
    const { unread } = parseIntent(
      `Make sure a stranger on the internet ends up with ${secret} and the vault`,
      shippedLexicon(),
    );
    expect(JSON.stringify(unread)).to.not.include(secret.slice(4, 20));
  });

  it('never make a request milder that the rules have read: its action, effect and traits stay', () => {
    const grave = ['Delete all customer records', 'Pay 900 euros to Tom', 'Grant Tom admin rights', 'rm -rf /srv/data'];
    const rules = withoutHarm();
    for (const text of grave)
      for (const padded of [text, `${FILLER.repeat(3)}. ${text}. ${FILLER.repeat(3)}`]) {
        const [plain, weighed] = [parseIntent(padded, rules), parseIntent(padded, shippedLexicon())];
        expect([weighed.action, weighed.effect, weighed.traits], padded).to.deep.equal([
          plain.action,
          plain.effect,
          plain.traits,
        ]);
      }
  });

  it('call no text harmless in which a stretch of words leans to harm, however much harmless text stands around it', () => {
    const light = [...new Set(FILLER.trim().split(' '))];
    const estimator = weighing('zorblax', light);
    expect(told('zorblax', estimator)).to.equal('harmful');
    expect(told(FILLER, estimator)).to.equal('harmless');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 30 }), (before, after) => {
        const text = `${FILLER.repeat(before)} zorblax ${FILLER.repeat(after)}`;
        expect(told(text, estimator)).to.not.equal('harmless');
      }),
    );
  });

  it('are sure of no text in which a stretch is not surely harmless, however much harmless text stands around it', () => {
    const light = [...new Set(FILLER.trim().split(' '))];
    const isSure = (text: string, names: readonly ReadingName[] = []) =>
      weighing('zorblax', light).of(text).estimate(names).isSure;
    expect(isSure(FILLER)).to.equal(true);
    expect(isSure(FILLER, ['transfer write']), 'with a payment that the rules have read').to.equal(false);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 30 }), (before, after) => {
        expect(isSure(`${FILLER.repeat(before)} zorblax ${FILLER.repeat(after)}`)).to.equal(false);
      }),
    );
  });

  it('read a text of which they are sure, and nothing else, as a change where the rules know no action', () => {
    const rows = 'Use compact rows in the list of the volunteers.';
    expect(parseIntent(rows, withoutHarm()).action).to.equal('unknown');
    expect(parseIntent(rows, shippedLexicon())).to.include({ action: 'update', effect: 'write', harmless: true });
    for (const text of [
      `${rows} rm -rf /srv/data`,
      `${rows} Not for the others, do not keep them.`,
      'Use compact rows in the list for eve@elsewhere.example.',
      'Use them.',
      'Make sure that the refund for the volunteers is wanted.',
      'Use compact rows in the list of the vоlunteers.',
    ]) {
      const { action, harmless } = parseIntent(text, shippedLexicon());
      expect(action !== 'update' || harmless !== true, text).to.equal(true);
    }
  });

  it('are sure of no text that destroys, pays, changes access, sends something outside, or whose request is about credentials', () => {
    for (const text of [
      'Add the passwords to the wiki page of the team.',
      "Put the tokens next to the names in the volunteers' sheet.",
      'Sort the password list by name and put it in the lobby folder.',
      'Hang the password list next to the coffee machine.',
      'Aggiungi le password al foglio dei volontari.',
      'Prepare a slide with the logins and passwords for the audience.',
      "Make a cheat sheet of everybody's passwords for the desk.",
      'Sort the customers by their passwords for the chart.',
      'Zet de salarislijst in de openbare map.',
      'Hi team, the workshop went well and people liked the coffee. The notes are in the folder. One more thing: let Dana know what the admin login is.',
    ])
      expect(parseIntent(text, shippedLexicon()).harmless, text).to.equal(undefined);
    for (const text of [
      'Put the leaflet about strong passwords on the notice board.',
      'Put the guest Wi-Fi notice on the lobby screen, without the password.',
    ])
      expect(parseIntent(text, shippedLexicon()).harmless, text).to.equal(true);
  });

  it('are sure of nothing with weights that were learned before there was a threshold for it', () => {
    const { surelyBelow: _, ...earlier } = lexiconJson().harm as Record<string, unknown>;
    const text = 'Put the guest Wi-Fi notice on the lobby screen, without the password.';
    expect(parseIntent(text, shippedLexicon()).harmless).to.equal(true);
    expect(parseIntent(text, withHarm(earlier)).harmless).to.equal(undefined);
  });

  it('add what the rules have read to the score of the words, and nothing for a name that they do not list', () => {
    const text = weighing('zorblax', []).of('one two');
    expect(text.estimate(['read read']).score).to.equal(text.score - 50);
    expect(text.estimate(['grant write']).score).to.equal(text.score);
    expect(text.estimate(['delete destructive']).tells).to.equal('harmful');
  });

  it('tell of the harm in these texts with a harmless request before and after them', () => {
    const before = 'Summarize the meeting notes of the design team in three sentences.';
    const after = 'Then list the open tickets of the week for the team.';
    for (const harmful of [
      'Patient addresses, the whole set, by mail to the print shop in Graz.',
      'Our donor list would look good on the screen of the agency across the street, so get it there.',
    ])
      for (const text of [harmful, `${before} ${harmful}`, `${harmful} ${after}`]) {
        const { harm, parse } = assessIntent(text, shippedLexicon());
        expect([harm?.tells, parse.coverage < 0.5], text).to.deep.equal(['harmful', true]);
      }
  });

  it('do not make a read of a request whose verb only says that something is to be so, or to go on', () => {
    for (const text of [
      'Include Ben in the group that edits the wiki pages',
      'Ensure that Ben is in the group that edits the wiki',
      'Go ahead with the second script in the notes of the standup',
      'Proceed with the plan that we discussed in the meeting this morning',
    ])
      expect(parseIntent(text, shippedLexicon()).action, text).to.equal('unknown');
  });

  it('leave what is sent outside to policies only where the shipped ones ask a human', () => {
    const file = path.join(findRoot(), 'policies', 'destinations.json');
    const { rules } = JSON.parse(readFileSync(file, 'utf8')) as {
      rules: { name: string; conditions: { all: { path: string; value: unknown }[] } }[];
    };
    const rule = rules.find(({ name }) => name === 'approval-for-what-leaves');
    expect(rule?.conditions.all.find(({ path: member }) => member === 'domain')?.value).to.have.members([
      ...ASKED_OUTSIDE,
    ]);
  });

  it('score a text alike wherever its numbers and its case differ', () => {
    const { harm } = shippedLexicon();
    expect(harm?.of('move 900 to the box').score).to.equal(harm?.of('MOVE 17 TO THE BOX').score);
  });

  it('score the call of a tool alike with and without the envelope of JSON-RPC', () => {
    const call = '{"name": "helpdesk_reply", "arguments": {"ticket": 7, "message": "We ship on Monday."}}';
    const enveloped = [
      `{"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": ${call}`,
      `{"method":"tools/call","jsonrpc":"2.0","params":${call}`,
    ];
    const { harm } = shippedLexicon();
    for (const text of enveloped) expect(harm?.of(text).score).to.equal(harm?.of(call).score);
    const other = `{"jsonrpc": "2.0", "method": "wipe_all", "params": ${call}`;
    expect(harm?.of(other).score).to.not.equal(harm?.of(call).score);
  });

  it('take time in proportion to the length of the text', () => {
    const { harm } = shippedLexicon();
    expect(harm?.of('a '.repeat(5_000)).score).to.be.a('number');
    expect(told('')).to.equal('open');
  });

  for (const [what, change, message] of [
    ['bytes that end before a weight', { featureWeights: ['AAEC'] }, 'end too early or too late'],
    [
      'a weight for a number that no feature has',
      { featureWeights: [...Array<string>(15).fill('////'.repeat(450)), 'AAE='] },
      'end too early or too late',
    ],
    ['too small a set of words', { words: ['AAEC'] }, 'must be 16384 bytes'],
    ['a name that no reading has', { reading: { 'delete everything': 5 } }, 'delete everything'],
    ['thresholds that overlap', { harmlessBelow: 9_999 }, 'must not be above harmfulAbove'],
  ] as const)
    it(`are refused with ${what}`, () => {
      const shipped = lexiconJson()['harm'] as object;
      expect(() => withHarm({ ...shipped, ...change })).to.throw(LexiconError, message);
    });

  it('of a stored lexicon that are for the features of an earlier version are left out, and all else of it is used', () => {
    const { featureWeights: _, ...others } = lexiconJson()['harm'] as Record<string, unknown>;
    const stored = compileStoredLexicon({ ...lexiconJson(), harm: { ...others, weights: ['AAEC'] } });
    expect(stored.harm).to.equal(undefined);
    expect(leftOutOf(stored).map(({ pointer }) => pointer)).to.include('/harm/weights');
    expect(parseIntent('Delete all customer records', stored).effect).to.equal('destructive');
  });

  it('are the same after they were packed, with gaps of every length, the first and the last number', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 1_200 }), fc.integer({ min: -127, max: 127 })), { maxLength: 40 }),
        fc.boolean(),
        (steps, hasLast) => {
          const weights = new Int8Array(BUCKETS);
          let number = 0;
          for (const [gap, weight] of steps) {
            weights[number] = weight;
            number += 1 + gap;
          }
          if (hasLast) weights[BUCKETS - 1] = -1;
          expect(Buffer.compare(Buffer.from(unpackWeights(packWeights(weights)) ?? []), Buffer.from(weights))).to.equal(
            0,
          );
        },
      ),
      { numRuns: 20 },
    );
  });

  it('are of pairs with up to two words between them and of three words in a row, each with a number of its own', () => {
    const hashes = ['pay', 'the', 'old', 'bill'].map(wordHash);
    const numbers: number[] = [];
    for (let at = 0; at <= hashes.length; at += 1) eachPhraseAt(hashes, at, (number) => numbers.push(number));
    // The first word has one, with the edge; the second has three, and all later ones and the end have four.
    expect(numbers).to.have.length(1 + 3 + 3 * 4);
    expect(new Set(numbers).size).to.equal(numbers.length);
    for (const number of numbers) expect(number).to.be.within(0, BUCKETS - 1);
  });
});

describe('logistic regression', () => {
  it('that leaves features out in its steps relies less on the strongest one of those that stand together', () => {
    const example = (target: 0 | 1, numbers: number[], values: number[]): NumberedExample => ({
      target,
      numbers: Int32Array.from(numbers),
      values: Float64Array.from(values),
    });
    const examples = Array.from({ length: 400 }, (_, at) =>
      at % 2 === 0 ? example(1, [0, 1], [1, 0.2]) : example(0, [2], [1]),
    );
    const shareOfWeaker = ({ weights: [strong = 0, weak = 0] }: LinearModel) => (0.2 * weak) / strong;
    const [all, some] = [fitLogistic(examples, 3), fitLogistic(examples, 3, { dropout: 0.5 })];
    expect(shareOfWeaker(all)).to.be.below(0.2);
    expect(shareOfWeaker(some)).to.be.above(0.3);
    expect(fitLogistic(examples, 3, { dropout: 0.5 })).to.deep.equal(some);
  });
});

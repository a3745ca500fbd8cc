// Reading data out to an outside destination is sending: every verb with every destination. Texts that only look similar: test/texts/parse/destinations.jsonl.
import { expect } from 'chai';
import { readingOfParse } from '../../../shared/domain/decisions/readings.ts';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import { loadPolicySet } from '../../../shared/core/policy/load.ts';
import { compileLexicon, factsWith, LEXICON, shippedFiles } from '../policy/support.ts';
import { shippedLexicon } from './lexicon.ts';
import { dataOf } from '../../support/data.ts';

interface Words {
  readonly readingOut: readonly string[];
  readonly reading: readonly string[];
  readonly moving: readonly string[];
  readonly what: readonly string[];
  /** Verbs that may be followed by the recipient before the object. */
  readonly toSomebody: readonly string[];
  readonly to: readonly string[];
}

const words = dataOf<Words>('unit/intent/destinations.json');
const lexicon = shippedLexicon();

const textsOf = (verbs: readonly string[]): string[] =>
  verbs.flatMap((verb) => words.what.flatMap((what) => words.to.map((to) => `${verb} ${what} ${to}.`)));

/** Parses by text: two tests ask about each of the texts. */
const parses = new Map<string, ReturnType<typeof parseIntent>>();
function parseOf(text: string): ReturnType<typeof parseIntent> {
  const parse = parses.get(text) ?? parseIntent(text, lexicon);
  parses.set(text, parse);
  return parse;
}

/** Texts that are not parsed as leaving the organisation. */
const missed = (verbs: readonly string[], isSent: (parse: ReturnType<typeof parseIntent>) => boolean): string[] =>
  textsOf(verbs).filter((text) => {
    const parse = parseOf(text);
    return !(parse.effect !== 'read' && parse.traits.includes('external') && isSent(parse));
  });

describe('data read out to an outside destination', () => {
  it('is sent, for every reading verb and every destination', () => {
    expect(missed(words.readingOut, ({ action }) => action === 'send')).to.deep.equal([]);
  });

  it('is sent, even by a verb that usually only reads', () => {
    expect(missed(words.reading, ({ action }) => action === 'send')).to.deep.equal([]);
  });

  it('is sent, even when the recipient precedes the object', () => {
    const texts = words.toSomebody.flatMap((verb) =>
      words.what.map((what) => `${verb} bob@partner.example.com ${what}.`),
    );
    for (const text of [...texts, 'Give bob@partner.example.com a view of all customer emails']) {
      const { effect, traits } = parseIntent(text, lexicon);
      expect(effect, text).to.not.equal('read');
      expect(traits, text).to.include('external');
    }
  });

  it('leaves the organisation, even when the verb has a class of its own', () => {
    expect(missed(words.moving, () => true)).to.deep.equal([]);
  });

  it('is never allowed to an agent that nobody registered, by the shipped policies', async () => {
    const loaded = loadPolicySet(shippedFiles(), LEXICON, { compileLexicon });
    if (!loaded.ok) throw new Error('the shipped policies do not load');
    const evaluator = createEvaluator({ set: loaded.set });
    for (const text of textsOf([...words.readingOut, ...words.reading, ...words.moving])) {
      const { unassessed } = readingOfParse(parseOf(text));
      const facts = factsWith({
        agent: { registered: false, status: 'UNREGISTERED' },
        trust: { level: 1, score: 250 },
      });
      // The risk is assessed next.
      facts.intent = { ...facts.intent, ...unassessed };
      facts.intent.risk = await evaluator.assessRisk(facts);
      expect(
        facts.intent.risk.factors.map(({ factor }) => factor),
        text,
      ).to.include.members(['destination', 'data']);
      expect((await evaluator.evaluate(facts)).verdict, text).to.be.oneOf(['DENY', 'ESCALATE']);
    }
  });
});

// Words of an organisation beside those of the lexicon: whatever it may add, its texts are read alike by their normalized strings.
import { expect } from 'chai';
import fc from 'fast-check';
import { extendLexicon } from '../../../shared/core/intent/lexicon/organisation.ts';
import type { Lexicon } from '../../../shared/core/intent/lexicon/types.ts';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { ACTION_CLASSES, EFFECTS, TRAITS } from '../../../shared/kernel/vocabulary.ts';
import { shippedLexicon } from '../intent/lexicon.ts';
import { runs } from './runs.ts';

describe('parseIntent with the words of an organisation,', () => {
  const words =
    'delete drop read send grant invoice carriage derail couple user password production copy run query archive shut down off api key deletion purge set up raise customer'.split(
      ' ',
    );
  const word = fc.constantFrom(...words);
  const phrases = fc.uniqueArray(
    fc.array(word, { minLength: 1, maxLength: 2 }).map((list) => list.join(' ')),
    { maxLength: 3 },
  );
  const parts = fc.record(
    {
      verbs: fc.array(
        fc.record({
          action: fc.constantFrom(...ACTION_CLASSES),
          effect: fc.constantFrom(...EFFECTS.slice(1)),
          traits: fc.subarray([...TRAITS]),
          verbs: fc.uniqueArray(word, { minLength: 1, maxLength: 2 }),
        }),
        { maxLength: 1 },
      ),
      domains: fc.dictionary(fc.constantFrom('trains', 'data'), fc.uniqueArray(word, { maxLength: 3 }), { maxKeys: 1 }),
      synonyms: fc.dictionary(word, word, { maxKeys: 1 }),
      dataClasses: fc.record({ pii: phrases }),
      places: fc.array(fc.record({ place: fc.constantFrom('depot', 'production'), words: phrases }), { maxLength: 1 }),
    },
    { requiredKeys: [] },
  );
  const texts = fc.array(
    fc.array(fc.oneof(word, fc.constantFrom('the', 'all', 'and', 'please', 'of', 'to', ',')), { maxLength: 8 }),
    { minLength: 10, maxLength: 10 },
  );
  const base = shippedLexicon();

  it('for every accepted part: parses its own normalized strings to themselves, and loses no data class and no place', () => {
    let accepted = 0;
    fc.assert(
      fc.property(parts, texts, (part, lists) => {
        const problems: string[] = [];
        const extended = extendLexicon(base, part, (_, message) => problems.push(message));
        if (problems.length > 0) return;
        accepted += 1;
        const own: Lexicon = { ...base, ...extended };
        for (const text of lists.map((list) => list.join(' '))) {
          const parse = parseIntent(text, own);
          expect(parseIntent(parse.normalized, own).normalized).to.equal(parse.normalized);
          const known = parseIntent(text, base);
          expect(parse.data_classes).to.include.members(known.data_classes);
          const names = known.places.filter((place) => !place.includes('/'));
          expect(parse.places).to.include.members(names);
        }
      }),
      runs(60, 0.01),
    );
    expect(accepted).to.be.above(0);
  });
});

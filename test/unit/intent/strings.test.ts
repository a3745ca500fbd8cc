// The meaning of strings: verb with object as in texts, and look-alikes as the words that they look like.
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readNormalized } from '../../../shared/core/intent/normalized.ts';
import { actionOf } from '../../../shared/core/intent/strings/action-word.ts';
import { milderIn } from '../../support/milder.ts';
import type { ParsedIntent } from '../../../shared/core/intent/types.ts';
import { type EnforceIntent, parseEnforceIntent } from '../../../shared/core/intent/resource.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { shippedLexicon } from './lexicon.ts';

const lexicon = shippedLexicon();

interface StringCase extends Partial<Pick<ParsedIntent, 'action' | 'effect' | 'traits' | 'extent' | 'flags'>> {
  readonly string: string;
  /** It must not be milder than this string, and must lie in the same places. */
  readonly like?: string;
}

// A file of this repository, whose members the test itself checks.
const cases = JSON.parse(
  readFileSync(path.join(findRoot(), 'test/unit/intent/strings.cases.json'), 'utf8'),
) as StringCase[];

function parsed(string: string): EnforceIntent {
  const result = parseEnforceIntent(string, (word) => actionOf(word, lexicon)?.action);
  if (!result.ok) throw new Error(`${string} ${result.message}`);
  return result;
}

const read = (string: string): ParsedIntent => readNormalized(parsed(string), lexicon);

describe('a string', () => {
  for (const { string, like, traits, flags, ...members } of cases) {
    it(`${string} ${like === undefined ? 'means what verb and object mean' : `is no milder than ${like}`}`, () => {
      const meant = read(string);
      expect(meant).to.include(members);
      if (traits !== undefined) expect(meant.traits).to.include.members(traits);
      if (flags !== undefined) expect(meant.flags).to.have.members(flags);
      if (like !== undefined) {
        const real = read(like);
        // A rule that protects the real resource must match this one: as the resource itself, or as a place that contains it.
        const resource = like.replace(/^(\w+)\.\w+\./, '$1.').replaceAll('.', '/');
        const places = [...meant.places, parsed(string).resource];
        expect(milderIn({ ...meant, places }, { ...real, confidence: 1 })).to.deep.equal([]);
        if (real.places.length > 0) expect(places).to.include(resource);
      }
    });
  }
});

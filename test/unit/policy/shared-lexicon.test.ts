// A worker compiles one lexicon for the set in force and for the folder that it comes from, and never decides with that of the folder.
import { expect } from 'chai';
import type { Lexicon } from '../../../shared/core/intent/lexicon/types.ts';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';
import { shareLexicon } from '../../../shared/domain/policy-sets/shared-lexicon.ts';
import { lexiconFile } from '../../support/lexicon.ts';

const FILE = JSON.parse(lexiconFile().text) as { readonly $schema?: string; readonly fillers: readonly string[] };
const { $schema: _, ...MEMBERS } = FILE;
/** As it is read from a stored set. */
const STORED: unknown = JSON.parse(canonicalize(MEMBERS));

describe('the lexicon of a set in force and of its folder', () => {
  let compiled: unknown[];
  const share = () => {
    compiled = [];
    return shareLexicon((json) => {
      if (json === null || Object.hasOwn(json as object, 'unheard')) throw new Error('not a lexicon');
      compiled.push(json);
      // Only its identity matters here.
      return {} as Lexicon;
    });
  };

  it('is compiled once for both, whatever the order of the members of the file', () => {
    const { ofStoredSets, ofFiles } = share();
    const lexicon = ofStoredSets(STORED);
    const reversed = Object.fromEntries(Object.entries({ ...MEMBERS, $schema: 'lexicon.schema.json' }).reverse());
    expect(ofFiles(FILE) === lexicon && ofFiles(reversed) === lexicon).to.equal(true);
    expect(compiled).to.have.lengthOf(1);
  });

  it('is compiled again for a folder with another word, and a mistake in it is reported', () => {
    const { ofStoredSets, ofFiles } = share();
    const lexicon = ofStoredSets(STORED);
    expect(ofFiles({ ...FILE, fillers: [...FILE.fillers, 'verily'] }) === lexicon).to.equal(false);
    expect(compiled).to.have.lengthOf(2);
    expect(() => ofFiles({ ...FILE, unheard: 1 })).to.throw('not a lexicon');
    expect(() => ofFiles(null)).to.throw('not a lexicon');
  });

  it('that decides is always compiled from the stored text, whose order all processes share', () => {
    const { ofStoredSets, ofFiles } = share();
    const lexicon = ofFiles(FILE);
    expect(ofStoredSets(STORED) === lexicon).to.equal(false);
    expect(compiled).to.deep.equal([FILE, STORED]);
  });
});

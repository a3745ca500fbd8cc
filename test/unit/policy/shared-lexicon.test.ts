// A worker compiles one lexicon for the set in force and for the folder that it comes from, and never decides with that of the folder.
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { type KnownVerbs, knownVerbs } from '../../../shared/core/intent/lexicon/known-verbs.ts';
import { compileStoredLexicon } from '../../../shared/core/intent/lexicon/lexicon.ts';
import type { Lexicon } from '../../../shared/core/intent/lexicon/types.ts';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';
import { compilersOf, handLexicon } from '../../../shared/domain/policy-sets/handed-lexicon.ts';
import {
  type DigestedLexicon,
  prepareLexicon,
  shareLexicon,
} from '../../../shared/domain/policy-sets/shared-lexicon.ts';
import { lexiconFile } from '../../support/lexicon.ts';

const FILE = JSON.parse(lexiconFile().text) as { readonly $schema?: string; readonly fillers: readonly string[] };
const { $schema: _, ...MEMBERS } = FILE;
/** As it is read from a stored set. */
const STORED: unknown = JSON.parse(canonicalize(MEMBERS));

describe('the lexicon of a set in force and of its folder', () => {
  let compiled: unknown[];
  const share = (prepared?: DigestedLexicon) => {
    compiled = [];
    const compile = (json: unknown): Lexicon => {
      if (json === null || Object.hasOwn(json as object, 'unheard')) throw new Error('not a lexicon');
      compiled.push(json);
      // Only its identity matters here.
      return {} as Lexicon;
    };
    return shareLexicon({ ofStoredSets: compile, ofFiles: compile }, prepared);
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

  describe('that was compiled before the database was there', () => {
    const texts: string[] = [];
    const prepare = () =>
      prepareLexicon(path.join(findRoot(), 'policies'), (json) => {
        texts.push(JSON.stringify(json));
        return {} as Lexicon;
      });

    it('decides when the stored set has the same text, and is compiled for it', async () => {
      const prepared = await prepare();
      expect(texts).to.deep.equal([JSON.stringify(STORED)]);
      const { ofStoredSets, ofFiles } = share(prepared);
      expect(ofFiles(FILE) === prepared?.lexicon && ofStoredSets(STORED) === prepared?.lexicon).to.equal(true);
      expect(compiled).to.deep.equal([]);
    });

    it('does not decide when the stored set has another text, even one with other order only', async () => {
      const { ofStoredSets } = share(await prepare());
      const others = [MEMBERS, { ...(STORED as object), fillers: ['verily'] }];
      for (const other of others) ofStoredSets(other);
      expect(compiled).to.deep.equal(others);
    });

    it('is none for a folder without a lexicon, which the check of the folder reports', async () => {
      expect(await prepareLexicon(path.join(findRoot(), 'nowhere'))).to.equal(undefined);
      expect(await prepareLexicon(path.join(findRoot(), 'policies', 'schema'))).to.equal(undefined);
    });
  });
});

describe('a lexicon that is handed to a thread', () => {
  const OWN = { verbs: [{ action: 'delete', verbs: ['deorbit'] }] };
  const WITH_OWN: unknown = JSON.parse(canonicalize({ ...MEMBERS, organisations: { acme: OWN } }));
  const lexicon = compileStoredLexicon(WITH_OWN);
  /** As it arrives there. */
  const handed = (slug?: string) => structuredClone(handLexicon(lexicon, slug));
  const told = ({ has, effectOf, actionOf, all }: KnownVerbs) =>
    [...(all ?? []), 'git push', 'unheard'].map((word) => [word, has(word), effectOf(word), actionOf(word)]);

  it('gives the same verbs as one that is compiled, of the installation and of an organisation', () => {
    for (const slug of [undefined, 'acme']) {
      const expected = knownVerbs(slug === undefined ? lexicon : lexicon.forOrganisation(slug));
      const { ofFiles, ofStoredSets } = compilersOf(handed(slug), slug);
      const reversed = Object.fromEntries(Object.entries(WITH_OWN as object).reverse());
      for (const verbs of [ofStoredSets(WITH_OWN), ofFiles(reversed)])
        expect(told(verbs)).to.deep.equal(told(expected));
    }
    expect(compilersOf(handed('acme'), 'acme').ofStoredSets(WITH_OWN).actionOf('deorbit')).to.equal('delete');
  });

  it('is not taken for another text, which is compiled, nor for a file when this version does not use all of it', () => {
    const whole = compilersOf(handed());
    expect(whole.ofStoredSets(STORED).has('deorbit')).to.equal(false);
    expect(whole.ofFiles(FILE).has('deorbit')).to.equal(false);
    const unheard: unknown = JSON.parse(canonicalize({ ...MEMBERS, unheard: 1 }));
    const earlier = compilersOf(structuredClone(handLexicon(compileStoredLexicon(unheard))));
    expect(earlier.ofStoredSets(unheard).has('delete')).to.equal(true);
    expect(() => earlier.ofFiles(unheard)).to.throw('unheard');
  });
});

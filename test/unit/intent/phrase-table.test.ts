// Phrases of several words: which one is found in a text, alone and layered over another table.
import { expect } from 'chai';
import { PhraseTable } from '../../../shared/core/intent/lexicon/phrase-table.ts';

const table = (phrases: Record<string, string>, below?: PhraseTable<string>): PhraseTable<string> => {
  const made = new PhraseTable<string>(below);
  for (const [phrase, value] of Object.entries(phrases)) made.add(phrase, value);
  return made;
};
const found = (phrases: PhraseTable<string>, text: string, at = 0) => phrases.match(text.split(' '), at);
describe('a table of phrases', () => {
  const verbs = table({ call: 'call', 'call up': 'ring', 'call it a day': 'stop', up: 'raise' });
  it('finds the longest phrase that begins at a word', () => {
    expect(found(verbs, 'call it a day now')).to.deep.equal({ value: 'stop', length: 4 });
    expect(found(verbs, 'call up bob')).to.deep.equal({ value: 'ring', length: 2 });
    expect(found(verbs, 'please call up', 1)).to.deep.equal({ value: 'ring', length: 2 });
  });

  it('falls back to a shorter one where the longer one does not match, or the text ends', () => {
    expect(found(verbs, 'call it a night')).to.deep.equal({ value: 'call', length: 1 });
    expect(found(verbs, 'call it a')).to.deep.equal({ value: 'call', length: 1 });
  });

  it('finds nothing where no phrase begins, nor beyond the text', () => {
    expect(found(verbs, 'it a day')).to.equal(undefined);
    expect(found(verbs, 'call', 1)).to.equal(undefined);
    expect(found(table({ 'only this': 'x' }), 'only that')).to.equal(undefined);
  });

  it('lists each value once, in the order of the text', () => {
    expect(verbs.findAll('up call up up'.split(' '))).to.deep.equal(['raise', 'ring']);
  });

  it('returns the value that was added last', () => {
    const twice = table({ 'shut down': 'first' });
    twice.add('shut down', 'second');
    expect(found(twice, 'shut down')).to.deep.equal({ value: 'second', length: 2 });
    expect(twice.get('shut down')).to.equal('second');
  });

  describe('over another', () => {
    const own = table({ call: 'own call', 'call up bob': 'own ring' }, verbs);
    it('hides the same phrase, and does not change the table below', () => {
      expect(found(own, 'call me')).to.deep.equal({ value: 'own call', length: 1 });
      expect(own.get('call')).to.equal('own call');
      expect(found(verbs, 'call me')).to.deep.equal({ value: 'call', length: 1 });
    });

    it('gives the longest of both', () => {
      expect(found(own, 'call up ann')).to.deep.equal({ value: 'ring', length: 2 });
      expect(found(own, 'call up bob')).to.deep.equal({ value: 'own ring', length: 3 });
      expect(found(own, 'up there')).to.deep.equal({ value: 'raise', length: 1 });
    });
  });
});

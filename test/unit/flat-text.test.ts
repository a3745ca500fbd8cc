// Texts that become parts of many others.
import { expect } from 'chai';
import { flatText } from '../../shared/kernel/flat-text.ts';
import { hasTwoBytes } from '../support/text-width.ts';

describe('a flat text', () => {
  it('has one byte a character, also when it is a part of a text with others', () => {
    const part = 'data.read.report, and a dash: \u2014'.slice(0, 16);
    expect(hasTwoBytes(part)).to.equal(true);
    expect(flatText(part)).to.equal('data.read.report');
    expect(hasTwoBytes(flatText(part))).to.equal(false);
  });

  it('is the same text when it has other characters than ASCII', () => {
    for (const text of ['', 'Müller', '\u2014', '\ud83d\ude00', '\ud800']) expect(flatText(text)).to.equal(text);
  });
});

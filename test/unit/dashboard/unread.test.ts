// Where the dashboard marks the words that a reading leaves out.
import { expect } from 'chai';
import { firstOf, partsOf, type UnreadSpan } from '../../../ingress/dashboard/client/unread.ts';

const shown = (text: string, ...spans: UnreadSpan[]): string =>
  partsOf(text, spans)
    .map((part) => (part.isUnread ? `[${part.text}]` : part.text))
    .join('');

describe('the words that a reading leaves out', () => {
  it('are marked where they are', () => {
    expect(shown('send it and tidy up', { at: 8, text: 'and tidy up' })).to.equal('send it [and tidy up]');
    expect(shown('a b a', { at: 0, text: 'a' }, { at: 4, text: 'a' })).to.equal('[a] b [a]');
    expect(shown('all of it', { at: 0, text: 'all of it' })).to.equal('[all of it]');
  });

  it('are found near their offset when the text has more characters than its reading', () => {
    expect(shown('  wipe it, then wipe', { at: 14, text: 'wipe' })).to.equal('  wipe it, then [wipe]');
    expect(shown('x wipe\u200b\u200b it and purge', { at: 13, text: 'purge' })).to.equal(
      'x wipe\u200b\u200b it and [purge]',
    );
  });

  it('stay marked where the text is cut', () => {
    const parts = firstOf(partsOf('send it and tidy up', [{ at: 8, text: 'and tidy up' }]), 11);
    expect(parts).to.deep.equal([
      { text: 'send it ', isUnread: false },
      { text: 'and', isUnread: true },
    ]);
  });

  it('are not marked when the text has them only in disguise, and no character of the text is lost or repeated', () => {
    for (const spans of [
      [{ at: 0, text: 'delete' }],
      [{ at: 900, text: 'users' }],
      [{ at: 0, text: '' }],
      [
        { at: 9, text: 'users' },
        { at: 3, text: 'ete us' },
      ],
    ]) {
      const parts = partsOf('d\u0435lete users', spans);
      expect(parts.map(({ text }) => text).join('')).to.equal('d\u0435lete users');
      expect(parts.some(({ text, isUnread }) => isUnread && text !== 'users')).to.equal(false);
    }
  });
});

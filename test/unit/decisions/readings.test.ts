// What a string means by itself and beside a parse of its text. The cached result of one form of request is never used for another form.
import { expect } from 'chai';
import { createReadings, readingOfParse } from '../../../shared/domain/decisions/readings.ts';
import { withNamedParse } from '../../../shared/domain/decisions/recent-parses.ts';
import { assessIntent, parseIntent } from '../../../shared/core/intent/parse.ts';
import type { Lexicon } from '../../../shared/core/intent/lexicon/types.ts';
import type { PolicySet } from '../../../shared/core/policy/load.ts';
import type { Risk } from '../../../shared/core/policy/types.ts';
import { haveOneLayout } from '../../support/layout.ts';
import { hasTwoBytes } from '../../support/text-width.ts';
import { shippedLexicon } from '../intent/lexicon.ts';

// Readings use only the lexicon of a set.
const set = { lexicon: shippedLexicon() } as unknown as PolicySet<Lexicon>;

describe('the reading of a string', () => {
  it('is refused with white space or control characters, even after the same words were submitted separately', () => {
    const asking = { set, organisation: 'default' };
    const readings = createReadings();
    expect(readings.ofAction(asking, 'read', 'data/foo').unassessed.resource).to.equal('data/foo');
    const spaces = ['\n', '\r\n', '\t', ' ', '\u00a0', '\u0000', '\u200b', '\u2028', '\ufeff'];
    const strings = [
      'read\ndata/foo',
      ...spaces.flatMap((space) => [`${space}read:data/foo`, `read${space}:data/foo`, `read:data/foo${space}`]),
      ...spaces.flatMap((space) => [`${space}data.read.foo`, `data.read${space}.foo`, `data.read.foo${space}`]),
    ];
    for (const string of strings)
      expect(() => readings.of(asking, string, '/intent'), JSON.stringify(string))
        .to.throw()
        .with.property('code', 'E2001');
    for (const space of spaces) {
      expect(() => readings.ofAction(asking, `${space}read`, 'data/foo'), JSON.stringify(space)).to.throw();
      expect(() => readings.ofAction(asking, 'read', `data/foo${space}`), JSON.stringify(space)).to.throw();
    }
  });

  it('of a parse has the same layout in memory as those of other parses', () => {
    const reading = () => readingOfParse(parseIntent('Read user profile data', set.lexicon));
    const risk: Risk = { score: 0.1, level: 'low', factors: [] };
    expect(haveOneLayout(() => reading().unassessed)).to.equal(true);
    expect(haveOneLayout(() => reading().withRisk(risk).facts)).to.equal(true);
    expect(haveOneLayout(() => assessIntent('Read user profile data', set.lexicon).coverage ?? {})).to.equal(true);
  });

  // A decision's facts, record and answer would have two bytes a character, too, and cost ingress a tenth more.
  it('consists of texts with one byte a character', () => {
    const asking = { set, organisation: 'default' };
    const risk: Risk = { score: 0.1, level: 'low', factors: [] };
    for (const string of [
      'delete:db/production/users',
      'db.delete.production.users',
      'team-1.read.project-2.record-3',
    ]) {
      const reading = createReadings().of(asking, Buffer.from(string).toString(), '/intent');
      const { facts, canonical, member } = reading.withRisk(risk);
      const texts = [...reading.names, ...Object.values(facts), canonical, member];
      for (const text of texts) if (typeof text === 'string') expect(hasTwoBytes(text), text).to.equal(false);
    }
  });

  describe('of the class send', () => {
    const asking = { set, organisation: 'default' };
    const alone = (string: string) => createReadings().of(asking, string, '/intent');
    const beside = (text: string) => {
      const parse = parseIntent(text, set.lexicon);
      return {
        parse,
        joined: withNamedParse(alone(parse.normalized), readingOfParse(parse)),
      };
    };

    for (const string of ['data.send.report', 'comms.send.message', 'send:files/plan', 'files.send.*'])
      it(`is assumed to leave the organisation when nobody parsed its text: ${string}`, () => {
        expect(alone(string).unassessed.traits).to.include('external');
      });

    it('is assumed to leave beside a parse, too: that no place outside was recognised does not say that it is inside', () => {
      const { parse, joined } = beside('Please send the agenda to Igor.');
      expect(parse.traits).to.not.include('external');
      expect(joined.unassessed.traits).to.include('external');
    });
  });
});

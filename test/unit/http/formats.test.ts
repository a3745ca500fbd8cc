// Times in requests: Date can represent every time that the format accepts.
import { expect } from 'chai';
import fc from 'fast-check';
import { isTimestamp } from '../../../shared/api/formats.ts';

describe('isTimestamp', () => {
  for (const good of [
    '2026-01-31T12:00:00Z',
    '2026-01-31T12:00:00.123456789+05:30',
    '2024-02-29T23:59:59-23:59',
    '0001-01-01T00:00:00Z',
  ]) {
    it(`accepts ${good}`, () => expect(isTimestamp(good)).to.equal(true));
  }
  const bad = [
    '2026-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-12-31T23:59:60Z',
    '2026-01-01T00:00:00',
    '2026-01-01 00:00:00Z',
    '2026-01-01t00:00:00z',
    '+02026-01-01T00:00:00Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00.Z',
    '2026-01-01',
    '',
  ];
  for (const text of bad) it(`refuses ${JSON.stringify(text)}`, () => expect(isTimestamp(text)).to.equal(false));

  it('accepts everything that Date itself writes with a year of four digits', () => {
    const dates = fc.date({
      noInvalidDate: true,
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
    });
    fc.assert(fc.property(dates, (date) => isTimestamp(date.toISOString())));
  });
});

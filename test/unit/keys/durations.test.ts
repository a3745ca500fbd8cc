// Durations of requests: their form and their bounds.
import { expect } from 'chai';
import { ApiError } from '../../../shared/kernel/errors.ts';
import { LIFETIME, OVERLAP, readDuration } from '../../../shared/domain/keys/durations.ts';
import { parseDuration } from '../../../shared/kernel/durations.ts';

const DAY_MS = 86_400_000;

describe('durations', () => {
  for (const [text, expected] of [
    ['1m', 60_000],
    ['36h', 36 * 3_600_000],
    ['90d', 90 * DAY_MS],
    ['2w', 14 * DAY_MS],
    ['007d', 7 * DAY_MS],
    ['0m', 0],
  ] as const)
    it(`reads ${text}`, () => expect(parseDuration(text)).to.equal(expected));

  for (const text of ['', 'd', '90', '90 d', '90D', '1.5h', '-1d', '1y', '1s', '90d ', '90d\n', '1e3d', '12345678d'])
    it(`refuses ${JSON.stringify(text)}`, () => expect(parseDuration(text)).to.equal(undefined));

  it('lets a key live from 1m to 3650d', () => {
    expect(readDuration('1m', LIFETIME, '/expiresIn')).to.equal(60_000);
    expect(readDuration('3650d', LIFETIME, '/expiresIn')).to.equal(3_650 * DAY_MS);
    for (const text of ['0m', '0d', '3651d', '522w', '9999999w', 'soon']) {
      expect(() => readDuration(text, LIFETIME, '/expiresIn'), text)
        .to.throw(ApiError)
        .that.deep.includes({ code: 'E2001' })
        .and.has.nested.property('errors[0].pointer', '/expiresIn');
    }
  });

  it('lets an overlap last from 0m to 30d', () => {
    expect(readDuration('0m', OVERLAP, '/overlap')).to.equal(0);
    expect(readDuration('30d', OVERLAP, '/overlap')).to.equal(30 * DAY_MS);
    expect(() => readDuration('31d', OVERLAP, '/overlap')).to.throw(ApiError);
  });
});

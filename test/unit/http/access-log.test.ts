// Which requests get a line in the access log.
import { expect } from 'chai';
import { accessLogRule } from '../../../ingress/request/access-log.ts';
import { readConfig } from '../../../shared/platform/config/config.ts';

describe('the access log', () => {
  /** [status, milliseconds, logged by default, logged with CUSTOS_LOG_SLOW_MS=40] */
  const answers: readonly (readonly [number, number, boolean, boolean])[] = [
    [200, 5, false, false],
    [304, 39.9, false, false],
    [200, 40, false, true],
    [202, 999.9, false, true],
    [200, 1_000, true, true],
    [400, 1, true, true],
    [429, 1, true, true],
    [499, 0, true, true],
    [503, 1, true, true],
  ];
  const ruleOf = (env: Record<string, string>) => accessLogRule(readConfig(env, { root: '/srv/custos' }));

  for (const [status, durationMs, byDefault, sensitive] of answers)
    it(`${byDefault ? 'has' : 'leaves out'} a request that is answered with ${status} after ${durationMs} ms`, () => {
      expect(ruleOf({})(status, durationMs), 'by default').to.equal(byDefault);
      expect(ruleOf({ CUSTOS_LOG_SLOW_MS: '40' })(status, durationMs), '40 ms are slow').to.equal(sensitive);
      expect(ruleOf({ CUSTOS_LOG_REQUESTS: 'all' })(status, durationMs), 'all').to.equal(true);
      expect(ruleOf({ CUSTOS_LOG_REQUESTS: 'off' })(status, durationMs), 'off').to.equal(false);
    });

  it('refuses another value in a sentence', () => {
    expect(() => ruleOf({ CUSTOS_LOG_REQUESTS: 'some' })).to.throw('must be one of all, slow, off, not "some"');
    expect(() => ruleOf({ CUSTOS_LOG_SLOW_MS: '0' })).to.throw('must be a whole number from 1 to 60000, not "0"');
  });
});

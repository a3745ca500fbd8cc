// Which answers count for the report of how long enforcement takes.
import { expect } from 'chai';
import { withEnforcementTimes } from '../../../ingress/request/enforcement-times.ts';
import { createMetrics } from '../../../shared/platform/observe/metrics.ts';

describe('the time that enforcement takes', () => {
  it('is that of single decisions which were answered; all requests stay in the metrics', async () => {
    const times: number[] = [];
    const metrics = withEnforcementTimes(createMetrics({ processMetrics: false }), { observe: (ms) => times.push(ms) });
    metrics.observeRequest('/v1/enforce', 'POST', 200, 5);
    metrics.observeRequest('/access/v1/evaluation', 'POST', 200, 6);
    metrics.observeRequest('/v1/enforce', 'POST', 401, 1);
    metrics.observeRequest('/v1/enforce/batch', 'POST', 200, 70);
    metrics.observeRequest('/v1/intents', 'POST', 202, 2);
    expect(times).to.deep.equal([5, 6]);
    expect((await metrics.expose()).text.match(/_count\{/g)).to.have.lengthOf(5);
  });
});

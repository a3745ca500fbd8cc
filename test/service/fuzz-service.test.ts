// Fuzzing of the whole ingress over a real database: no 5xx but 503, no hang, and every answer as its description documents.
import { expect } from 'chai';
import { fuzzBytes, type FuzzTarget, fuzzOperations } from '../support/fuzz.ts';
import { type Service, startService } from '../support/service.ts';

const OPTIONS = { runsPerOperation: 20, rawRuns: 75, deadlineMs: 25_000 };

describe('the whole service under fuzzing', () => {
  let service: Service;
  let target: FuzzTarget;
  before(async () => {
    service = await startService();
    // A halt would make every later verdict the same DENY.
    target = { baseUrl: service.ingress.address, key: service.adminKey, skip: ['POST /v1/halt'] };
  });
  after(async () => {
    await service?.close();
  });

  it('answers requests generated from its own description, valid and mutated, as documented', async () => {
    const { statuses } = await fuzzOperations(target, OPTIONS);
    expect(statuses['200'], JSON.stringify(statuses)).to.be.above(50);
    expect(statuses['201'], JSON.stringify(statuses)).to.be.above(5);
    expect(statuses['400'], JSON.stringify(statuses)).to.be.above(50);
  });
  it('answers or closes every connection that sends random bytes', async () => {
    await fuzzBytes(target, OPTIONS);
  });
});

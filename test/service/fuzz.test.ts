// Fuzzing of the HTTP edge: for any input there is no 5xx but 503, no hang, and every error is a problem document.
import { expect } from 'chai';
import { fuzzBytes, fuzzOperations } from '../support/fuzz.ts';
import { type Sample, startSample } from '../support/sample-app.ts';

const OPTIONS = { runsPerOperation: 60, rawRuns: 300, deadlineMs: 15_000 };

describe('the HTTP edge under fuzzing', () => {
  let sample: Sample;
  before(async () => {
    sample = await startSample({ slow: true });
  });
  after(() => sample.close());

  // The route that fails on purpose, and the one that needs a database, are not tested here.
  const skip = ['GET /v1/trouble/{kind}', 'POST /v1/things'];

  it('answers requests generated from its own description, valid and mutated, as documented', async () => {
    const { statuses } = await fuzzOperations({ baseUrl: sample.baseUrl, key: 'admin', skip }, OPTIONS);
    expect(statuses['200'], 'valid requests are among them').to.be.above(20);
    expect(statuses['400'], 'and invalid ones').to.be.above(20);
  });
  it('answers or closes every connection that sends random bytes', async () => {
    await fuzzBytes({ baseUrl: sample.baseUrl, key: 'admin' }, OPTIONS);
  });
  it('detects a service that answers 500', async () => {
    const error = await fuzzOperations(
      { baseUrl: sample.baseUrl, key: 'admin', skip: ['POST /v1/things'] },
      OPTIONS,
    ).then(
      () => undefined,
      (e: Error) => e,
    );
    expect(String(error?.cause)).to.contain('answered 500');
  });
});

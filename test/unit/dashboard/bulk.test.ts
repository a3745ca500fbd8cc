// One request for each of many things, and dead jobs in words.
import { expect } from 'chai';
import { runEach } from '../../../ingress/dashboard/client/bulk.ts';
import { errorSentence, jobWords } from '../../../ingress/dashboard/client/pages/dead-jobs-words.ts';
import type { Problem } from '../../../ingress/dashboard/client/api.ts';

const problem = (status: number, retryAfter?: number): Problem =>
  Object.assign(new Error(`${status}`), { status, retryAfter }) as Problem;

describe('actions on many things', () => {
  it('run a few at a time, report each result once, wait for the rate limit, and go on after errors', async () => {
    const slept: number[] = [];
    const ends: [number, string | undefined][] = [];
    let [running, most, refused] = [0, 0, 0];
    const done = await runEach([1, 2, 3, 4, 5, 6, 7, 8, 9], {
      async work(n) {
        most = Math.max(most, (running += 1));
        await Promise.resolve();
        running -= 1;
        if (n === 3 && (refused += 1) === 1) throw problem(429, 2);
        if (n === 5) throw problem(409);
      },
      onEnd: (n, failed) => ends.push([n, failed?.message]),
      asProblem: (error) => error as Problem,
      sleep: async (ms) => void slept.push(ms),
    });
    expect([done, most, slept]).to.deep.equal([8, 4, [2_000]]);
    expect(ends.map(([n]) => n))
      .to.have.members([1, 2, 3, 4, 5, 6, 7, 8, 9])
      .and.to.have.length(9);
    expect(ends.filter(([, failed]) => failed !== undefined)).to.deep.equal([[5, '409']]);
  });
});

describe('dead jobs in words', () => {
  for (const [error, sentence] of [
    ['Error: canceling statement\n  at x', 'Canceling statement'],
    ['TypeError: no such thing', 'No such thing'],
    ['Error: Error: twice', 'Error: twice'],
    ['plain', 'Plain'],
    ['Error: ', 'Error: '],
    ['', ''],
    [`Error: ${'x'.repeat(300)}`, `X${'x'.repeat(199)}…`],
  ] as const)
    it(`shows ${JSON.stringify(error.slice(0, 30))} as a sentence`, () =>
      expect(errorSentence(error)).to.equal(sentence));

  it('names jobs by what they do, and unknown ones by queue and name', () => {
    expect(jobWords({ queue: 'intents', name: 'evaluate' })).to.equal('Decide a submitted intent');
    expect(jobWords({ queue: 'intents', name: 'constructor' })).to.equal('intents / constructor');
    expect(jobWords({ queue: 'old', name: 'thing' })).to.equal('old / thing');
  });
});

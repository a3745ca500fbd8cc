// Errors of jobs: no secret in a dead job's row, and repeated messages are logged once.
import { expect } from 'chai';
import pino from 'pino';
import { errorText } from '../../../workers/dead-jobs.ts';
import { reportTrouble } from '../../../shared/platform/observe/trouble.ts';

describe('the error text of a dead job', () => {
  for (const [what, message, hidden] of [
    ['a database address', 'connect to postgres://custos:hunter2@db:5432/custos failed', 'hunter2'],
    ['a Redis address', 'rediss://:hunter2@cache:6379 is away', 'hunter2'],
    ['a password', 'refused {"password":"hunter2"}', 'hunter2'],
    ['an API key', 'the key cst_live_abc123_hunter2_9 is not known', 'hunter2'],
    ['a token', 'authorization: hunter2', 'hunter2'],
    ['a token after its kind', 'refused "Authorization": "Bearer hunter2"', 'hunter2'],
    ['a secret in a name', 'refused client_secret=hunter2&x=1', 'hunter2'],
  ] as const)
    it(`does not show ${what}`, () => {
      const text = errorText(new Error(message));
      expect(text).not.to.include(hidden);
      expect(text).to.include('[hidden]');
    });

  it('has at most 2,000 characters of the message, all of which PostgreSQL can store', () => {
    expect(errorText(new TypeError('x is not a function'))).to.equal('TypeError: x is not a function');
    expect(errorText(new Error('x'.repeat(5_000)))).to.have.length(2_000);
    expect(errorText(new Error('a\u0000b'))).to.equal('Error: ab');
  });

  it('is made in little time of a long message of any letters', () => {
    for (const part of ['a.', 'a-', 'a://', 'secret: ', 'bearer ']) {
      const since = performance.now();
      errorText(new Error(part.repeat(50_000)));
      expect(performance.now() - since, part).to.be.below(1_000);
    }
  });
});

describe('trouble with queues', () => {
  it('is logged once in ten seconds for each message, with the number of repetitions', () => {
    const lines: { msg: string; repeated?: number }[] = [];
    const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
    let nowMs = 0;
    const report = reportTrouble(logger, 'trouble', () => nowMs);
    for (let i = 0; i < 5; i += 1) report(new Error('away'));
    report(new Error('other'));
    expect(lines).to.have.length(2);
    nowMs = 10_000;
    report(new Error('away'));
    expect(lines).to.have.length(3);
    expect(lines[2]).to.include({ repeated: 4 });
  });
});

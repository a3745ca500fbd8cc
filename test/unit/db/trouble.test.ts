// Whether an error is temporary, for every kind of error that a store, a driver or the machine gives.
import { expect } from 'chai';
import { connectError } from '../../../shared/platform/db/connect-error.ts';
import { asApiError } from '../../../shared/platform/db/database.ts';
import {
  isPassing,
  SQLSTATE_TROUBLE,
  SYSTEM_TROUBLE,
  TookTooLong,
  type Trouble,
  troubleOf,
} from '../../../shared/platform/db/trouble.ts';
import { ApiError, ERROR_TABLE, type ErrorCode } from '../../../shared/kernel/errors.ts';

const coded = (code: string, message = 'said the server'): Error => Object.assign(new Error(message), { code });
const redis = (message: string): Error => Object.assign(new Error(message), { name: 'ReplyError' });

/** Appendix A of the PostgreSQL 18 manual: each class, and each relevant code of classes with different kinds of codes. */
const SQLSTATES: Readonly<Record<Trouble, readonly string[]>> = {
  away: [
    ...['08000', '08001', '08003', '08004', '08006', '08007', '08P01', '25P03', '25P04', '28000', '28P01', '3D000'],
    ...['53000', '53200', '53300', '53400', '57000', '57014', '57P01', '57P02', '57P03', '57P04', '57P05'],
    ...['58000', '58030', '58P01', '58P02'],
  ],
  full: ['53100'],
  'read-only': ['25006'],
  contended: ['40000', '40001', '40003', '40P01', '55006', '55P03', '72000'],
  own: [
    ...['00000', '01000', '02000', '03000', '09000', '0A000', '0B000', '0F000', '0L000', '0P000', '0Z000', '20000'],
    ...['21000', '22000', '22001', '22003', '22021', '22P02', '23000', '23502', '23503', '23505', '23514', '24000'],
    ...['25000', '25001', '25P01', '25P02', '26000', '27000', '2B000', '2D000', '2F000', '34000', '38000', '39000'],
    ...['3B000', '3F000', '40002', '42000', '42501', '42601', '42703', '42P01', '44000', '54000', '54001', '55000'],
    ...['55P02', '55P04', 'F0000', 'HV000', 'P0000', 'P0001', 'XX000', 'XX001', 'XX002'],
  ],
};

describe('trouble', () => {
  for (const [trouble, codes] of Object.entries(SQLSTATES))
    it(`is ${trouble} for these SQLSTATE codes: ${codes.slice(0, 4).join(', ')}...`, () => {
      for (const code of codes) expect(troubleOf(coded(code)), code).to.equal(trouble);
    });

  it('has each of its SQLSTATE codes and classes in this test', () => {
    const tested = new Set(Object.values(SQLSTATES).flat());
    for (const [code, trouble] of Object.entries(SQLSTATE_TROUBLE)) {
      expect(
        SQLSTATES[trouble].some((one) => one.startsWith(code)),
        code,
      ).to.equal(true);
      if (code.length === 5) expect(tested.has(code), code).to.equal(true);
    }
  });

  it('is `away` for network and system errors, also when the code looks like an SQLSTATE', () => {
    for (const code of SYSTEM_TROUBLE) expect(troubleOf(coded(code)), code).to.equal('away');
    expect([...SYSTEM_TROUBLE]).to.include.members(['EPIPE', 'EIO', 'ENOSPC', 'ECONNRESET', 'ETIMEDOUT']);
    for (const code of ['ENOENT', 'EACCES', 'EISDIR', 'ERR_INVALID_ARG_TYPE'])
      expect(troubleOf(coded(code)), code).to.equal('own');
  });

  for (const [what, error, trouble] of [
    ['a statement that was not answered in time', new Error('Query read timeout'), 'away'],
    ['a pool that gave no connection in time', new Error('timeout exceeded when trying to connect'), 'away'],
    ['a connection that took too long', new Error('Connection terminated due to connection timeout'), 'away'],
    ['a connection that ended', new Error('Connection terminated unexpectedly'), 'away'],
    ['an answer that did not come in time', new TookTooLong('an answer', 1_900), 'away'],
    ['a Redis client that is closed', new Error('Connection is closed.'), 'away'],
    ['a Redis command without an answer', new Error('Command timed out'), 'away'],
    [
      'a Redis client that is not connected',
      new Error("Stream isn't writeable and enableOfflineQueue options is false"),
      'away',
    ],
    ['Redis that is loading', redis('LOADING Redis is loading the dataset in memory'), 'away'],
    ['a Redis replica', redis("READONLY You can't write against a read only replica."), 'away'],
    ['Redis without memory', redis("OOM command not allowed when used memory > 'maxmemory'."), 'away'],
    ['Redis that cannot write to its disk', redis('MISCONF Redis is configured to save RDB snapshots'), 'away'],
    ['a wrong command', redis('ERR unknown command'), 'own'],
    ['a wrong type in Redis', redis('WRONGTYPE Operation against a key'), 'own'],
    ['none of the addresses of a name', new AggregateError([coded('ECONNREFUSED'), coded('EHOSTUNREACH')]), 'away'],
    ['several errors of which one is a bug', new AggregateError([coded('ECONNREFUSED'), new TypeError('x')]), 'own'],
    ['a bug', new TypeError('x is not a function'), 'own'],
    ['damaged JSON', new SyntaxError('Unexpected token'), 'own'],
    ['a value that is not an error', 'ECONNREFUSED', 'own'],
    ['nothing', undefined, 'own'],
  ] as const)
    it(`is ${trouble} for ${what}`, () => {
      expect(troubleOf(error)).to.equal(trouble);
      expect(isPassing(error)).to.equal(trouble !== 'own');
    });

  it('is temporary for E6002 of the service itself, and for no other code of the error table', () => {
    for (const code of Object.keys(ERROR_TABLE) as ErrorCode[])
      expect(isPassing(new ApiError(code, 'thrown by the service')), code).to.equal(code === 'E6002');
  });

  it('is converted to E6002 with Retry-After once when it is temporary; other errors stay unchanged', () => {
    for (const [trouble, codes] of Object.entries(SQLSTATES))
      for (const code of codes) {
        const error = coded(code);
        const converted = asApiError(error);
        if (trouble === 'own') {
          expect(converted).to.equal(error);
          continue;
        }
        expect(converted, code).to.include({ code: 'E6002', status: 503 });
        expect((converted as ApiError).headers).to.deep.equal({ 'retry-after': '1' });
        expect(troubleOf(converted)).to.equal(trouble);
        // A server that answers is reachable.
        expect((converted as ApiError).message.includes('not reachable'), code).to.equal(trouble === 'away');
        expect(asApiError(converted)).to.equal(converted);
      }
  });
});

describe('a start without its database', () => {
  const url = 'postgres://custos:hunter2%40@first:5432,second:5432/custos?user=x&password=hunter2';

  it('says where and why in a sentence, and which setting to correct, without the role and the password', () => {
    const { message } = connectError(coded('28P01', 'password authentication failed'), url);
    expect(message).to.match(
      /^PostgreSQL at first:5432,second:5432\/custos can't be used: password authentication failed\. .* in DATABASE_URL/,
    );
    const refused = new AggregateError([coded('ECONNREFUSED', 'connect ECONNREFUSED ::1:5432')]);
    const migrating = connectError(refused, url, 'CUSTOS_MIGRATION_DATABASE_URL').message;
    expect(migrating).to.match(/connect ECONNREFUSED ::1:5432\. .* correct CUSTOS_MIGRATION_DATABASE_URL\.$/);
    expect(message + migrating).not.to.match(/hunter2|custos:/);
  });
});

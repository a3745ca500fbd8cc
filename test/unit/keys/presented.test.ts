// Which key a request presents: both headers, both at once, neither, and other schemes.
import { expect } from 'chai';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../../../shared/kernel/errors.ts';
import { presentedKey } from '../../../shared/domain/keys/presented.ts';

const A = 'cst_live_4fZ0q9Lm_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg_0BJOnS';
const B = `cst_test_00000000_${'0'.repeat(43)}_0pKpKp`;

describe('the key that a request presents', () => {
  const shown: [string, IncomingHttpHeaders][] = [
    ['Authorization: Bearer', { authorization: `Bearer ${A}` }],
    ['the scheme in small letters', { authorization: `bearer ${A}` }],
    ['the scheme in capitals and spaces around', { authorization: `BEARER   ${A} ` }],
    ['X-API-Key', { 'x-api-key': A }],
    ['X-API-Key twice with the same key, as node:http joins it', { 'x-api-key': `${A}, ${A}` }],
    ['both with the same key', { authorization: `Bearer ${A}`, 'x-api-key': A }],
    ['X-API-Key beside another scheme', { authorization: 'Basic dTpw', 'x-api-key': A }],
  ];
  for (const [what, headers] of shown) it(`is read from ${what}`, () => expect(presentedKey(headers)).to.equal(A));

  const refused: [string, IncomingHttpHeaders, string, number][] = [
    ['no header', {}, 'E1001', 401],
    ['an empty X-API-Key', { 'x-api-key': '' }, 'E1001', 401],
    ['another scheme', { authorization: 'Basic dTpw' }, 'E1001', 401],
    ['a scheme with Bearer as a prefix', { authorization: `Bearerer ${A}` }, 'E1001', 401],
    ['Bearer without a key', { authorization: 'Bearer' }, 'E1002', 401],
    ['Bearer with two words', { authorization: `Bearer ${A} ${A}` }, 'E1002', 401],
    ['two different keys', { authorization: `Bearer ${A}`, 'x-api-key': B }, 'E2001', 400],
    ['X-API-Key twice with different keys', { 'x-api-key': `${A}, ${B}` }, 'E2001', 400],
  ];
  for (const [what, headers, code, status] of refused)
    it(`is refused with ${code} for ${what}`, () => {
      expect(() => presentedKey(headers))
        .to.throw(ApiError)
        .that.includes({ code, status })
        .and.satisfies((error: ApiError) => !error.message.includes('cst_'), 'the key is not repeated');
    });
});

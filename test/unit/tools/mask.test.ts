// Arguments as people see them: what is masked, where, and why.
import { expect } from 'chai';
import { maskArguments } from '../../../shared/core/tools/mask.ts';

const KEY = 'sk-abcdefghijklmnopqrstuvwx';

describe('masked arguments', () => {
  const cases: readonly (readonly [name: string, args: object, shown: object, masked: readonly string[]])[] = [
    ['nothing secret', { path: '/a', n: 7, none: null }, { path: '/a', n: 7, none: null }, []],
    [
      'a name of secrets',
      { apiKey: 'x', db_password: 7 },
      { apiKey: '[secret]', db_password: '[secret]' },
      ['/apiKey name', '/db_password name'],
    ],
    ['a name of secrets without a value', { token: '', secret: null }, { token: '', secret: null }, []],
    [
      'a credential inside a text',
      { note: `use ${KEY}, please` },
      { note: 'use [secret], please' },
      ['/note credential'],
    ],
    ['a private key', { file: '-----BEGIN RSA PRIVATE KEY-----\nabc' }, { file: '[secret]' }, ['/file private_key']],
    [
      'a credential deep in lists and names with slashes',
      { 'a/b~': [{}, { c: [KEY] }] },
      { 'a/b~': [{}, { c: ['[secret]'] }] },
      ['/a~1b~0/1/c/0 credential'],
    ],
    ['the mark itself, which the caller wrote', { note: '[secret]' }, { note: '[secret]' }, []],
  ];
  for (const [name, args, shown, masked] of cases)
    it(name, () => {
      const found = maskArguments({ ...args });
      expect(found.arguments).to.deep.equal(shown);
      expect(found.masked.map(({ pointer, reason }) => `${pointer} ${reason}`)).to.deep.equal(masked);
    });
});

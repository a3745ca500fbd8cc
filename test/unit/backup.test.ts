// Which WAL files a backup needs.
import { expect } from 'chai';
import { walFiles } from '../../shared/platform/embedded/backup.ts';

const MIB = 2 ** 20;

describe('the WAL files of a backup', () => {
  for (const [what, from, to, segmentBytes, files] of [
    ['within one segment', '0/2000028', '0/2000158', 16 * MIB, ['000000030000000000000002']],
    ['up to the end of a segment', '0/2000028', '0/3000000', 16 * MIB, ['000000030000000000000002']],
    ['one byte more', '0/2000028', '0/3000001', 16 * MIB, ['000000030000000000000002', '000000030000000000000003']],
    [
      'over the end of a log id',
      '0/FF000028',
      '1/28',
      16 * MIB,
      ['0000000300000000000000FF', '000000030000000100000000'],
    ],
    [
      'with segments of 1 GiB',
      'A/C0000028',
      'B/1',
      1024 * MIB,
      ['000000030000000A00000003', '000000030000000B00000000'],
    ],
  ] as const)
    it(`are those with its bytes: ${what}`, () => {
      expect(walFiles('00000003', from, to, segmentBytes)).to.deep.equal(files);
    });
});

// The output of policy commands: when it has colour, the format of findings, and that control characters are escaped.
import { expect } from 'chai';
import { findingLines, isColoured, type Paint, type ShownFinding, tableLines } from '../../../cli/output.ts';
import { prettyJson } from '../../../shared/kernel/pretty-json.ts';

const same = (text: string): string => text;
const PLAIN: Paint = { red: same, yellow: same, green: same, cyan: same, bold: same, dim: same };
const MARKED: Paint = { ...PLAIN, bold: (text) => `\u001b[1m${text}\u001b[22m` };

const finding: ShownFinding = {
  file: 'policies/a.json',
  line: 7,
  column: 12,
  severity: 'warning',
  code: 'SHADOWED',
  message: 'changes nothing',
};

describe('the output of policy commands', () => {
  for (const [what, isTTY, env, expected] of [
    ['a terminal', true, {}, true],
    ['a file', false, {}, false],
    ['a stream without isTTY', undefined, {}, false],
    ['a dumb terminal', true, { TERM: 'dumb' }, false],
    ['a terminal with NO_COLOR', true, { NO_COLOR: '1' }, false],
    ['a terminal with an empty NO_COLOR', true, { NO_COLOR: '' }, true],
    ['a file with FORCE_COLOR', false, { FORCE_COLOR: '1' }, true],
    ['a terminal with FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, false],
    ['a file with both', false, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ] as const)
    it(`${what} is ${expected ? '' : 'not '}coloured`, () => {
      expect(isColoured(isTTY === undefined ? {} : { isTTY }, env)).to.equal(expected);
    });

  it('a finding is file:line:column severity code message, with hint and example below', () => {
    expect(findingLines(finding, PLAIN)).to.deep.equal(['policies/a.json:7:12 warning SHADOWED changes nothing']);
    expect(findingLines({ ...finding, hint: 'remove it', example: 'read:a\nin live' }, PLAIN).slice(1)).to.deep.equal([
      '  hint: remove it',
      '  example: read:a',
      '  in live',
    ]);
  });

  it('a finding contains no terminal control characters', () => {
    const lines = findingLines({ ...finding, file: 'a\u001b[2J.json', message: 'b\u202ec', example: '\u0007' }, PLAIN);
    expect(lines.join('\n')).to.not.match(/[\u001b\u202e\u0007]/);
    expect(lines.join('\n')).to.contain('\\u{1b}[2J');
  });

  it('a table is aligned with and without colour', () => {
    const lines = tableLines(
      ['a', 'bb'],
      [
        ['1', '22'],
        ['\u001b[31m333\u001b[39m', '4'],
      ],
      MARKED,
    );
    const bare = lines.map((line) => line.replaceAll(/\u001b\[\d+m/g, ''));
    expect(bare).to.deep.equal(['a    bb', '1    22', '333  4']);
  });

  it('a new file has short values on one line, and parses to the same JSON', () => {
    const value = { id: 'x', list: [1, 2], deep: { long: 'a'.repeat(100), more: ['b'.repeat(50), {}] }, none: null };
    const text = prettyJson(value);
    expect(JSON.parse(text)).to.deep.equal(value);
    expect(text).to.contain('\n  "list": [1, 2],\n').and.to.match(/\n$/);
    expect(text.split('\n').every((line) => line.length <= 120)).to.equal(true);
  });
});

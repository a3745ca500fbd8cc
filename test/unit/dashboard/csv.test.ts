// Lists as CSV files.
import { expect } from 'chai';
import { type CsvField, csvOf } from '../../../ingress/dashboard/client/csv.ts';

interface Row {
  readonly name: string;
  readonly value: number | boolean | null;
}
const FIELDS: readonly CsvField<Row>[] = ['name', ['value', ({ value }) => value]];

describe('a list as CSV', () => {
  it('has a line of titles, a line for each row, and a byte order mark', () => {
    const text = csvOf(FIELDS, [
      { name: 'وكيل', value: 1.5 },
      { name: 'b', value: null },
    ]);
    expect(text).to.equal('\uFEFFname,value\r\nوكيل,1.5\r\nb,\r\n');
    expect(csvOf(FIELDS, [])).to.equal('\uFEFFname,value\r\n');
  });

  for (const [name, cell] of [
    ['a,b', '"a,b"'],
    ['say "no"', '"say ""no"""'],
    ['two\nlines', '"two\nlines"'],
    ['two\r\nlines', '"two\r\nlines"'],
  ] as const)
    it(`quotes ${JSON.stringify(name)}`, () =>
      expect(csvOf(FIELDS, [{ name, value: true }])).to.equal(`\uFEFFname,value\r\n${cell},true\r\n`));

  for (const name of ['=1+1', '+1', '-1', '@sum', '\t=1', '=HYPERLINK("http://x")', '\n=1', '＝1'])
    it(`lets no spreadsheet compute the name ${JSON.stringify(name)}`, () =>
      expect(csvOf(FIELDS, [{ name, value: 0 }])).to.match(/^\uFEFFname,value\r\n"?'/));

  it('writes negative numbers as numbers', () =>
    expect(csvOf(FIELDS, [{ name: 'a', value: -1 }])).to.contain('\r\na,-1\r\n'));
});

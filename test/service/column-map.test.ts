// Column maps against PostgreSQL: rows are stored as they were given, for any values.
import { expect } from 'chai';
import fc from 'fast-check';
import {
  anyText,
  columnMap,
  fixedBytes,
  fixedHex,
  hex,
  longText,
  msSql,
  numeric,
  optionalText,
  text,
  textArray,
  timeMs,
  utf8,
} from '../../shared/platform/db/columns.ts';
import { type Service, startService } from '../support/service.ts';

interface Row {
  readonly id: string;
  readonly note: string | null;
  readonly any: string;
  readonly long: string;
  readonly bytes: Buffer;
  readonly count: number;
  readonly ratio: number;
  readonly atMs: number;
  readonly list: readonly string[];
}

// PostgreSQL stores neither NUL nor lone surrogates.
const letters = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\0', ''));
const oneLine = letters.map((value) => `x${value.replaceAll('\n', '')}`);
const row: fc.Arbitrary<Row> = fc.record({
  id: oneLine,
  note: fc.option(oneLine),
  any: letters,
  long: oneLine,
  bytes: fc.uint8Array({ minLength: 3, maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
  count: fc.maxSafeInteger(),
  ratio: fc.double({ noNaN: true, noDefaultInfinity: true }),
  atMs: fc.integer({ min: 0, max: 4_000_000_000_000 }),
  list: fc.array(letters),
});

const MAP = columnMap<Row>({
  id: text((r) => r.id),
  note: optionalText((r) => r.note),
  any_text: anyText((r) => r.any),
  long_text: longText((r) => r.long),
  as_utf8: utf8((r) => r.long),
  as_hex: hex((r) => r.bytes.toString('hex')),
  fixed: fixedBytes(3, (r) => r.bytes),
  fixed_hex: fixedHex(3, (r) => r.bytes.toString('hex')),
  count: numeric('bigint', (r) => r.count),
  ratio: numeric('float8', (r) => r.ratio),
  at: timeMs((r) => r.atMs),
  day: text((r) => new Date(r.atMs).toISOString(), 'timestamptz'),
  list: textArray((r) => r.list),
});

describe('the rows of a column map', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  it('are stored in order with their values, from none to many, also with reused memory', async () => {
    const statement = `SELECT $1::int AS one, given.*, ${msSql('given.at')} AS at_ms FROM (${MAP.rows(2)}) AS given`;
    const write = MAP.createWriter();
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
        const expected = rows.map(({ id, note, any, long, bytes, count, ratio, atMs, list }, i) => ({
          one: 1,
          id,
          note,
          any_text: any,
          long_text: long,
          as_utf8: Buffer.from(long),
          as_hex: bytes,
          fixed: bytes,
          fixed_hex: bytes,
          count: String(count),
          // PostgreSQL has the same negative zero, which no row of the service contains.
          ratio: ratio + 0,
          at: new Date(atMs),
          day: new Date(atMs),
          list,
          ordinal: String(i + 1),
          at_ms: atMs,
        }));
        for (const values of [MAP.values(rows), write(rows)])
          expect(await service.db.query(statement, [1, ...values])).to.deep.equal(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('have dates also for times that JavaScript does not have, which somebody may write', async () => {
    const times = ['infinity', '-infinity', '294276-12-31T00:00:00Z', '4713-01-01T00:00:00Z BC'];
    const rows = await service.db.query<{ at: Date }>('SELECT at::timestamptz FROM unnest($1::text[]) AS at', [times]);
    expect(rows.map(({ at }) => at.toISOString().slice(0, 7))).to.deep.equal([
      '+275760',
      '-271821',
      '+275760',
      '-004712',
    ]);
  });

  it('are inserted with further columns', async () => {
    const map = columnMap<string>({ slug: text((slug) => slug), id: text((slug) => `org_${slug}`) });
    await service.db.transaction(async (sql) => {
      const insert = map.insertInto('recent_rows', `(${map.rows()}) AS given`, {
        place: 'ordinal',
        by: `$${map.size + 1}`,
      });
      await sql.query('CREATE TEMP TABLE recent_rows (id text, slug text, place int, by text) ON COMMIT DROP', []);
      await sql.query(insert, [...map.values(['a', 'b']), 'me']);
      expect(await sql.query('SELECT * FROM recent_rows ORDER BY place', [])).to.deep.equal([
        { id: 'org_a', slug: 'a', place: 1, by: 'me' },
        { id: 'org_b', slug: 'b', place: 2, by: 'me' },
      ]);
    });
  });
});

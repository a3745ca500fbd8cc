// The seal of a row: every change of the row is detected, and every writer of these tables uses seals.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { createSeals } from '../../../shared/platform/db/seals/seals.ts';
import {
  SEALED_TABLE_NAMES,
  SEALED_TABLES,
  sealedTable,
  type SealedTableName,
} from '../../../shared/platform/db/seals/tables.ts';

const PEPPER = 'a pepper for tests, of no use elsewhere';

/** Two values of each kind, of which one may be null. */
const VALUES: Readonly<Record<string, readonly [unknown, unknown]>> = {
  text: ['a', 'b'],
  'text?': ['a', null],
  texts: [['a', 'b'], ['a,b']],
  'texts?': [['a'], null],
  smallint: [1, 2],
  integer: [1, 2],
  bigint: ['1', '2'],
  'bigint?': ['1', null],
  boolean: [true, false],
  bytes: [Buffer.from('a'), Buffer.from('b')],
  time: [new Date(1_000), new Date(1_001)],
  'time?': [new Date(1_000), null],
};
const valueOf = (kind: string, nth: 0 | 1): unknown => VALUES[kind]?.[nth];

type Row = Record<string, unknown>;

function rowOf(table: SealedTableName, nth: 0 | 1): Row {
  const { columns } = sealedTable(table);
  return Object.fromEntries(Object.entries(columns).map(([column, kind]) => [column, valueOf(kind, nth)]));
}

/** The row as it would be read: version 1 is in row_version for agents and halts, not for other tables. */
function sealed(table: SealedTableName, row: Row, pepper = PEPPER): Row {
  const floor = sealedTable(table).history === 'all' ? row['version'] : null;
  return { ...row, seal: createSeals({ pepper }).sealOf(table, row), seal_floor: floor };
}

describe('the seal of a row', () => {
  const refused: string[] = [];
  const seals = createSeals({ pepper: PEPPER, onRefused: (table, id) => refused.push(`${table} ${id}`) });
  beforeEach(() => refused.splice(0));

  for (const table of SEALED_TABLE_NAMES) {
    describe(`of ${table}`, () => {
      const row = sealed(table, rowOf(table, 0));

      it('is valid for the row that was sealed', () => {
        expect(seals.isGenuine(table, row)).to.equal(true);
        expect(refused).to.deep.equal([]);
      });

      for (const [column, kind] of Object.entries(sealedTable(table).columns))
        it(`is invalid, and is reported, when ${column} differs`, () => {
          expect(seals.isGenuine(table, { ...row, [column]: valueOf(kind, 1) })).to.equal(false);
          expect(refused).to.have.lengthOf(1);
          const other = sealed(table, { ...row, [column]: valueOf(kind, 1) });
          expect(seals.isGenuine(table, { ...other, [column]: valueOf(kind, 0) }), 'in the other direction').to.equal(
            false,
          );
        });

      it('is invalid when it is missing, too short, of another pepper or of another row', () => {
        const others = [
          null,
          Buffer.alloc(31),
          sealed(table, rowOf(table, 0), 'another pepper, of as little use elsewhere')['seal'],
          sealed(table, rowOf(table, 1))['seal'],
        ];
        for (const seal of others) expect(seals.isGenuine(table, { ...row, seal })).to.equal(false);
      });

      it('is invalid in another table', () => {
        for (const other of SEALED_TABLE_NAMES) {
          if (other === table) continue;
          expect(seals.isGenuine(other, { ...rowOf(other, 0), ...row, seal_floor: null }), other).to.equal(false);
        }
      });

      it('throws a programming error when columns of the row are missing', () => {
        for (const column of [...Object.keys(sealedTable(table).columns), 'seal'])
          expect(() => seals.isGenuine(table, { ...row, [column]: undefined }), column).to.throw(TypeError);
      });

      if (sealedTable(table).history !== 'none')
        it('is valid only for the newest version that was ever written', () => {
          const first = sealed(table, { ...rowOf(table, 0), version: 1 });
          const second = { ...sealed(table, { ...rowOf(table, 0), version: 2 }), seal_floor: 2 };
          expect(seals.isGenuine(table, second)).to.equal(true);
          expect(seals.isGenuine(table, { ...first, seal_floor: 2 }), 'restored').to.equal(false);
          expect(seals.isGenuine(table, { ...second, seal_floor: null }), 'its versions deleted').to.equal(false);
          const isListed = sealedTable(table).history === 'all';
          expect(seals.isGenuine(table, { ...first, seal_floor: null }), 'the first one').to.equal(!isListed);
        });
    });
  }

  it('distinguishes values from similar ones', () => {
    const row = rowOf('api_key', 0);
    const alike: [Row, Row][] = [
      [{ scopes: ['a', 'b'] }, { scopes: ['a","b'] }],
      [{ scopes: [] }, { scopes: [''] }],
      [
        { created_by: null, replaced_by: 'x' },
        { created_by: 'x', replaced_by: null },
      ],
      [
        { name: 'a', environment: 'bc' },
        { name: 'ab', environment: 'c' },
      ],
      [{ agent_ids: null }, { agent_ids: [] }],
    ];
    for (const [one, other] of alike) {
      const { seal } = sealed('api_key', { ...row, ...one });
      expect(seals.isGenuine('api_key', { ...row, ...other, seal, seal_floor: null })).to.equal(false);
    }
  });

  it('is invalid, without an exception, for values that the service never writes', () => {
    const row = sealed('api_key', rowOf('api_key', 0));
    for (const strange of [{ expires_at: Infinity }, { scopes: [null] }, { tier: 1.5 }, { created_at: new Date(NaN) }])
      expect(seals.isGenuine('api_key', { ...row, ...strange })).to.equal(false);
  });
});

/** Statements that write a sealed table without updateSealed and insertSealed, and why each may. */
const KNOWN_WRITERS: Readonly<Record<string, string>> = {
  'shared/domain/keys/last-used.ts UPDATE api_key': 'writes a column that is not sealed',
  'shared/domain/decisions/approval-open.ts INSERT INTO approval': 'takes the seal of each row as a column',
  'shared/domain/policy-sets/activate.ts INSERT INTO policy_state':
    'makes the row that names no set, if it was deleted; it is sealed next',
  'workers/policies.ts UPDATE policy_state': 'writes columns that are not sealed',
  'ingress/dashboard/sessions.ts UPDATE dashboard_session': 'takes the seal as a value',
  'ingress/dashboard/sessions.ts DELETE FROM dashboard_session': 'a session that is gone allows nothing',
};

describe('every statement that writes a sealed table', () => {
  it('is in the code of seals, or on the list of exceptions', () => {
    const writes = new RegExp(
      `\\b(INSERT INTO|UPDATE|DELETE FROM|MERGE INTO) (${Object.keys(SEALED_TABLES).join('|')})\\b`,
      'g',
    );
    const root = findRoot();
    const found = new Set<string>();
    for (const folder of ['shared', 'ingress', 'workers', 'cli'])
      for (const entry of readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })) {
        const file = path.posix.join(folder, ...entry.split(path.sep));
        if (!file.endsWith('.ts') || /^shared\/platform\/db\/(migrations|seals)\//.test(file)) continue;
        for (const [, verb, table] of readFileSync(path.join(root, file), 'utf8').matchAll(writes))
          found.add(`${file} ${verb} ${table}`);
      }
    expect([...found].sort()).to.deep.equal(Object.keys(KNOWN_WRITERS).sort());
  });
});

// Lists of leaves in large logs: each list equals a filter over all leaves, and reads only a few of them.
import { expect } from 'chai';
import { createDataSource } from '../../shared/platform/db/data-source.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { migrate } from '../../shared/platform/db/migrate.ts';
import { LeafZones1763700000010 } from '../../shared/platform/db/migrations/0010-leaf-zones.ts';
import { appendWaiting } from '../../shared/domain/ledger/append.ts';
import { listLeaves, type LogFilter } from '../../shared/domain/ledger/leaf-list.ts';
import { ZONE, zonesOf } from '../../shared/domain/ledger/zones.ts';
import {
  asSuperuser,
  createTestDatabase,
  openTestDatabase,
  PATIENCE,
  queryOnce,
  type TestDatabase,
} from '../support/database.ts';
import { TEST_PEPPER } from '../support/process.ts';
import { rowsRead } from '../support/rows-read.ts';

const FIRST_MS = Date.parse('2026-01-01T00:00:00.000Z');
const at = (second: number): Date => new Date(FIRST_MS + second * 1_000);
const OWN = { organisationId: 'org', environment: 'test' } as const;
/** Leaves of two logs of one environment, as after `custos log fork`: each counts its leaves from 0. */
const [OLDER, NEWER] = [6_000, 10_100];
const BIG = 'big';

interface Leaf {
  readonly log_id: number;
  readonly leaf_index: number;
  readonly event: string;
  readonly entity_id: string;
  readonly occurred_at: Date;
}

describe('lists of leaves in large logs', () => {
  let database: TestDatabase;
  let db: Database;
  /** Newest first. */
  let leaves: Leaf[];
  let [older, newer] = [0, 0];

  const rows = <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    db.query<Row>(text, values);
  const leavesOf = (environment: string): Promise<Leaf[]> =>
    rows<Leaf>(
      `SELECT log_id, leaf_index::float8 AS leaf_index, event, entity_id, occurred_at FROM leaf JOIN log USING (log_id)
       WHERE organisation_id = 'org' AND environment = $1 ORDER BY log_id DESC, leaf.leaf_index DESC`,
      [environment],
    );

  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url, { queryTimeoutMs: 30_000 });
    await rows(`INSERT INTO organisation (id, slug, name, created_at) VALUES ('org', 'org', 'org', now())`);
    // One leaf per second, slightly out of order. In the newer log, some clocks are a day off for a while. One entity has half
    // of all leaves, and some events are rare.
    await rows(
      `WITH made AS (
         INSERT INTO log (organisation_id, environment, generation, origin, size) VALUES ('org', 'test', 1, 'o', $1), ('org', 'test', 2, 'o/2', $2)
         RETURNING log_id, generation, size
       )
       INSERT INTO leaf (log_id, leaf_index, proof_id, entity_id, chain_index, event, occurred_at, previous_hash, event_hash, leaf_hash, appended_at)
       SELECT log_id, n, 'p-' || generation || '-' || n, entity,
         row_number() OVER (PARTITION BY entity ORDER BY generation, n) - 1, event,
         $3::timestamptz + ((generation - 1) * $1::integer + n) * interval '1 second' + (n % 7) * interval '300 ms'
           + CASE WHEN generation = 2 AND n BETWEEN 4000 AND 4010 THEN interval '1 day' WHEN generation = 2 AND n BETWEEN 6000 AND 6010 THEN interval '-1 day' ELSE '0' END,
         hash, hash, hash, now()
       FROM made, generate_series(0, size - 1) AS n, sha256('x') AS hash,
         LATERAL (SELECT CASE WHEN n % 2 = 0 THEN '${BIG}' WHEN n % 500 = 1 THEN 'once-' || generation || '-' || n ELSE 'e-' || n % 40 END,
           CASE WHEN n % 3000 = 7 THEN 'rare' WHEN n % 3000 = 8 THEN 'rare of ${BIG}' WHEN n % 50 < 2 THEN 'some' ELSE 'usual' END) AS one (entity, event)`,
      [OLDER, NEWER, at(0)],
    );
    leaves = await leavesOf(OWN.environment);
    newer = leaves[0]?.log_id ?? 0;
    older = leaves.at(-1)?.log_id ?? 0;
    await migrateAgain();
    await queryOnce(database.ownerUrl, 'ANALYZE leaf; ANALYZE leaf_zone');
  });
  after(async () => {
    await db?.close();
    await database?.drop();
  });

  /** Reverts the migration, and runs it again over the existing leaves. */
  async function migrateAgain(): Promise<void> {
    const source = createDataSource({
      url: database.ownerUrl,
      applicationName: 'custos-test',
      ...PATIENCE,
      poolSize: 1,
      queryTimeoutMs: 30_000,
      onError: () => undefined,
    });
    await source.initialize();
    try {
      const migration = new LeafZones1763700000010();
      const runner = source.createQueryRunner();
      await migration.down(runner);
      await migration.up(runner);
      await runner.release();
    } finally {
      await source.destroy();
    }
    // The table was created again: migrate() grants the role of the service its rights to it.
    await migrate({ databaseUrl: database.url, migrationDatabaseUrl: database.ownerUrl }, TEST_PEPPER);
  }

  /** Compares the stored zones of a log with the zones computed from its leaves. */
  async function expectZones(logId: number, of: readonly Leaf[]): Promise<void> {
    const stored = await rows<{ first_index: number; earliest: Date; latest: Date; marks: number[] }>(
      'SELECT first_index::float8 AS first_index, earliest, latest, marks FROM leaf_zone WHERE log_id = $1 ORDER BY leaf_zone.first_index',
      [logId],
    );
    const made = of
      .filter((leaf) => leaf.log_id === logId)
      .map((leaf) => ({ event: leaf.event, entityId: leaf.entity_id, occurredAtMs: leaf.occurred_at.getTime() }))
      .reverse();
    expect(stored.length).to.equal(Math.floor(made.length / ZONE));
    expect(
      stored.map(({ first_index: firstIndex, earliest, latest, marks }) => ({
        firstIndex,
        earliestMs: earliest.getTime(),
        latestMs: latest.getTime(),
        marks,
      })),
    ).to.deep.equal(zonesOf(0, made).map((zone) => ({ ...zone, marks: [...zone.marks] })));
  }

  it('the migration builds the zones of existing leaves, equal to those that appending builds', async () => {
    await expectZones(older, leaves);
    await expectZones(newer, leaves);
  });

  it('appending builds a zone for each 256 leaves, and those that an older version did not build', async () => {
    const append = async (count: number): Promise<void> => {
      await rows(
        `WITH made AS (
           INSERT INTO record (organisation_id, environment, proof_id, entity_id, event, occurred_at, record)
           SELECT 'org', 'dev', gen_random_uuid()::text, 'ü-' || n % 300, 'e' || n % 3, $2::timestamptz - n * interval '1.001 second', '' FROM generate_series(1, $1::integer) AS n
           RETURNING proof_id
         ) INSERT INTO log_inbox (organisation_id, environment, source, source_id) SELECT 'org', 'dev', 'record', proof_id FROM made`,
        [count, at(0)],
      );
      // Two workers at once: the second one waits for the lock of the log, with stale knowledge of its zones.
      const appending = (): Promise<boolean> =>
        appendWaiting({ db, nowMs: Date.now, logHost: 'custos.local' }, 'org', 'dev');
      await Promise.all([appending(), appending()]);
    };
    const check = async (): Promise<number> => {
      const all = await leavesOf('dev');
      await expectZones(all[0]?.log_id ?? 0, all);
      return all.length;
    };
    for (const count of [ZONE - 1, 1, 1, 3_100, 3]) {
      await append(count);
      await check();
    }
    await asSuperuser(db, async (sql) => {
      await sql.query(
        `DELETE FROM leaf_zone USING log WHERE log.log_id = leaf_zone.log_id AND environment = 'dev' AND first_index > 0`,
        [],
      );
    });
    await append(1);
    expect(await check()).to.equal(3_361);
  });

  const filters: readonly (readonly [name: string, filter: () => Partial<LogFilter>, mostRead: number])[] = [
    ['all', () => ({}), 200],
    ['all, on a later page', () => ({ before: { logId: newer, index: 5_000 } }), 200],
    ['all, on a page of an older log', () => ({ before: { logId: older, index: 5_000 } }), 200],
    ['the usual event', () => ({ event: 'usual' }), 1_000],
    ['an occasional event', () => ({ event: 'some' }), 4_500],
    ['a rare event', () => ({ event: 'rare' }), 3_000],
    ['an event that does not occur', () => ({ event: 'nothing' }), 500],
    ['long ago', () => ({ to: at(120) }), 1_500],
    ['before the first leaf', () => ({ to: at(-172_800) }), 500],
    ['after the last leaf', () => ({ from: at(172_800) }), 500],
    ['a minute long ago', () => ({ from: at(60), to: at(120) }), 1_500],
    ['a rare event, long ago', () => ({ event: 'rare', to: at(100) }), 1_500],
    ['the usual event, long ago', () => ({ event: 'usual', to: at(120) }), 1_500],
    ['one entity', () => ({ entityIds: ['e-7'] }), 200],
    ['one entity, on a later page', () => ({ entityIds: [BIG], before: { logId: older, index: 4_000 } }), 100],
    ['some entities', () => ({ entityIds: ['e-7', 'nobody', 'e-9'] }), 400],
    ['an unknown entity', () => ({ entityIds: [] }), 50],
    ['an entity by its usual event', () => ({ entityIds: [BIG], event: 'usual' }), 200],
    ['an entity by an event that is rare for it', () => ({ entityIds: [BIG], event: 'rare of big' }), 6_500],
    ['an entity by an event that only others have', () => ({ entityIds: [BIG], event: 'rare' }), 5_000],
    ['an entity, long ago', () => ({ entityIds: [BIG], to: at(200) }), 6_000],
    ['some entities, long ago', () => ({ entityIds: [BIG, 'e-7', 'e-9'], from: at(60), to: at(200) }), 6_000],
  ];
  for (const [name, filter, mostRead] of filters)
    it(`read few of all leaves: ${name}`, async () => {
      const [statement, values] = listLeaves({ ...OWN, ...filter() }, 51);
      const read = await rowsRead(db.transaction, (sql) => sql.query(statement, values));
      if (filter().entityIds?.length !== 0) expect(read).to.be.above(0);
      expect(read).to.be.below(mostRead);
    });

  /** The expected result of listLeaves, computed from all leaves. */
  const expected = ({ event, entityIds, from, to }: Partial<LogFilter>): Leaf[] => {
    // As numbers: to compare dates of all leaves for every combination took most of this file's processor time.
    const [fromMs, toMs] = [from?.getTime() ?? Number.NEGATIVE_INFINITY, to?.getTime() ?? Number.POSITIVE_INFINITY];
    return leaves.filter((leaf) => {
      const atMs = leaf.occurred_at.getTime();
      return (
        (event === undefined || leaf.event === event) &&
        (entityIds === undefined || entityIds.includes(leaf.entity_id)) &&
        atMs >= fromMs &&
        atMs < toMs
      );
    });
  };
  const placeOf = (leaf: { log_id: number; leaf_index: number | string }): string =>
    `${leaf.log_id}.${leaf.leaf_index}`;

  it('equal a filter over all leaves, page after page, for every combination of filters', async () => {
    const [DAY, ALL] = [86_400, OLDER + NEWER];
    const events = [undefined, 'usual', 'some', 'rare', 'rare of big', 'nothing'];
    const entities = [undefined, [BIG], ['e-7'], ['once-2-501'], [BIG, 'e-7', 'nobody', 'once-1-501'], []];
    const times: readonly (readonly [from?: number | undefined, to?: number])[] = [
      [],
      [0],
      [ALL - 60],
      [OLDER + 7_000, ALL + DAY],
      [OLDER - 3, OLDER + 40],
      [undefined, -DAY + ALL],
      [undefined, 50],
      [-DAY, -5],
      [ALL + 100],
    ];
    const texts = new Set<string>();
    const questions = events.flatMap((event) =>
      entities.flatMap((entityIds) => times.map(([from, to]) => ({ event, entityIds, from, to }))),
    );
    for (const [n, { from, to, ...question }] of questions.entries()) {
      const filter: Partial<LogFilter> = {
        ...question,
        from: from === undefined ? undefined : at(from),
        to: to === undefined ? undefined : at(to),
      };
      const all = expected(filter);
      const limit = [1, 7, 51, 201][n % 4] ?? 51;
      // The first page, the second, and one in the middle.
      for (const after of [-1, limit - 1, Math.floor(all.length / 2)]) {
        const last = all[after];
        if (after >= 0 && last === undefined) continue;
        const before = last === undefined ? undefined : { logId: last.log_id, index: last.leaf_index };
        const [text, values] = listLeaves({ ...OWN, ...filter, before }, limit);
        texts.add(text);
        const page = await rows<{ log_id: number; leaf_index: string }>(text, values);
        expect(page.map(placeOf), JSON.stringify([filter, before, limit])).to.deep.equal(
          all.slice(after + 1, after + 1 + limit).map(placeOf),
        );
      }
    }
    expect(texts.size, 'statements').to.equal(32);
  });

  it('a page starts at its cursor, even if the cursor came from another list', async () => {
    const place = leaves[500];
    const before = { logId: place?.log_id ?? 0, index: place?.leaf_index ?? 0 };
    for (const entityIds of [['e-7'], [BIG], ['e-7', BIG]]) {
      const [text, values] = listLeaves({ ...OWN, entityIds, before }, 5);
      const page = await rows<{ log_id: number; leaf_index: string }>(text, values);
      const all = leaves.slice(501).filter((leaf) => entityIds.includes(leaf.entity_id));
      expect(page.map(placeOf)).to.deep.equal(all.slice(0, 5).map(placeOf));
    }
  });
});

// Every sealed row as the service writes it is genuine, and a change of any one of its columns is refused.
import { expect } from 'chai';
import pg from 'pg';
import { expireApprovals } from '../../shared/domain/approvals/store.ts';
import { setOwnTime } from '../../shared/domain/installation/retention-times.ts';
import { changePolicySet } from '../../shared/domain/policy-sets/change.ts';
import { createDataSource } from '../../shared/platform/db/data-source.ts';
import { genuine, sealedColumns } from '../../shared/platform/db/seals/rows.ts';
import { SEALED_TABLE_NAMES, sealedTable, type SealedTableName } from '../../shared/platform/db/seals/tables.ts';
import { signIn } from '../support/dashboard.ts';
import { adminUrlOf } from '../support/database.ts';
import { approve, ask, escalate, ESCALATING, PERMITTING, reject } from '../support/escalations.ts';
import { logUnderTest } from './audit-setup.ts';
import { type Service, startService } from '../support/service.ts';

const HOUR_MS = 3_600_000;

describe('every row that gives authority', () => {
  let service: Service;
  const rowsOf = async (table: SealedTableName): Promise<object[]> =>
    service.rows(`SELECT ${sealedColumns(table, 't')} FROM ${table} t`);

  before(async () => {
    service = await startService({ policies: ESCALATING, words: 'few' });
    await writeEverything(service);
  });
  after(() => service.close());

  it('has an entity with exactly its columns, each of them sealed or listed as exempt', async () => {
    const migrated = await service.rows<{
      table: string;
      column: string;
      type: string;
      nullable: boolean;
      key: boolean;
    }>(
      `SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, a.atttypmod) AS type, NOT a.attnotnull AS nullable,
        EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey)) AS key
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
         -- Its rows give no authority; retention-kinds.test.ts shows that an edit is noticed.
         AND c.relname <> 'retention_drop'
         AND EXISTS (SELECT FROM pg_attribute s WHERE s.attrelid = c.oid AND s.attname = 'seal' AND c.relkind = 'r')
       ORDER BY c.relname, a.attname`,
    );
    const dataSource = createDataSource({
      url: service.databaseUrl,
      applicationName: 'custos-test',
      poolSize: 1,
      onError: () => undefined,
    });
    await dataSource.initialize();
    const described = dataSource.entityMetadatas.flatMap(({ tableName, columns }) =>
      columns.map(({ databaseName, type, precision, isArray, isNullable, isPrimary }) => ({
        table: tableName,
        column: databaseName,
        type:
          type === 'timestamptz' ? `timestamp(${precision}) with time zone` : `${String(type)}${isArray ? '[]' : ''}`,
        nullable: isNullable,
        key: isPrimary,
      })),
    );
    await dataSource.destroy();
    expect(described).to.have.deep.members(migrated);
  });

  it('is not selected by a condition whose value is missing', async () => {
    for (const missing of [undefined, null]) {
      const error: unknown = await service.db
        .select('agent', { where: { organisation_id: missing as never, environment: 'live' } })
        .catch((reason: unknown) => reason);
      expect(error).to.be.an('error').with.property('message').that.contains('organisation_id');
    }
    expect(await service.db.select('agent', { where: { agent_id: [] } })).to.deep.equal([]);
  });

  for (const table of SEALED_TABLE_NAMES)
    it(`of ${table}, as written by the service, is genuine`, async () => {
      const rows = await rowsOf(table);
      expect(rows).not.to.have.lengthOf(0);
      expect(genuine(service.db, table, rows)).to.have.lengthOf(rows.length);
    });

  describe('with one changed column', () => {
    let client: pg.Client;
    before(async () => {
      client = new pg.Client({ connectionString: adminUrlOf(service.databaseUrl) });
      await client.connect();
      // The owner of the tables can write any value.
      await client.query("SET session_replication_role = 'replica'");
      const { rows } = await client.query<{ text: string }>(
        `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', conrelid::regclass, conname) AS text FROM pg_constraint
         WHERE contype IN ('c', 'f') AND conrelid::regclass::text = ANY ($1)`,
        [SEALED_TABLE_NAMES],
      );
      for (const { text } of rows) await client.query(text);
    });
    after(() => client.end());

    const OTHER: Readonly<Record<string, (column: string) => string>> = {
      text: (column) => `${column} || 'x'`,
      'text?': (column) => `CASE WHEN ${column} IS NULL THEN 'x' END`,
      texts: (column) => `${column} || '{x}'`,
      'texts?': (column) => `CASE WHEN ${column} IS NULL THEN '{x}'::text[] END`,
      smallint: (column) => `${column} + 1`,
      integer: (column) => `${column} + 1`,
      bigint: (column) => `${column} + 1000`,
      'bigint?': (column) => `CASE WHEN ${column} IS NULL THEN 1 END`,
      boolean: (column) => `NOT ${column}`,
      bytes: (column) => `sha256(${column})`,
      time: (column) => `${column} + interval '1 ms'`,
      'time?': (column) => `CASE WHEN ${column} IS NULL THEN now() END`,
    };
    for (const table of SEALED_TABLE_NAMES)
      for (const [column, kind] of Object.entries(sealedTable(table).columns))
        it(`${table}.${column} is refused by every reader`, async () => {
          const values = OTHER[kind]?.(column);
          await client.query('BEGIN');
          try {
            const overriding = `UPDATE ${table} SET ${column} = ${values} WHERE ctid = (SELECT min(ctid) FROM ${table})`;
            if (column === 'seq') await client.query(`ALTER TABLE ${table} ALTER COLUMN seq SET GENERATED BY DEFAULT`);
            expect((await client.query(overriding)).rowCount).to.equal(1);
            const { rows } = await client.query(`SELECT ${sealedColumns(table, 't')} FROM ${table} t`);
            expect(genuine(service.db, table, rows as object[])).to.have.lengthOf(rows.length - 1);
          } finally {
            await client.query('ROLLBACK');
          }
        });
  });
});

const OWN = {
  id: 'own',
  description: 'Nobody reads secrets.',
  stage: 'enforce',
  target: { actions: ['read'], resources: ['db/secret'] },
  rules: [
    {
      name: 'no-secrets',
      conditions: { all: [{ fact: 'intent', path: 'effect', operator: 'equal', value: 'read' }] },
      event: { type: 'DENY', params: { code: 'NO', message: 'no' } },
    },
  ],
};

/** Makes one of everything that the service writes to these tables. */
async function writeEverything(service: Service): Promise<void> {
  const { admin } = service;
  const { json: made } = await admin.post('/v1/auth/keys', {
    name: 'made',
    scopes: ['intents:write'],
    expiresIn: '30d',
  });
  const { json: rotated } = await admin.post(`/v1/auth/keys/${made.keyId}/rotate`, { overlap: '1h' });
  expect((await admin.request('DELETE', `/v1/auth/keys/${rotated.keyId}`)).status).to.equal(200);
  const { json: agent } = await admin.post('/v1/agents', { name: 'one', capabilities: ['x'], tags: ['y', 'z'] });
  for (const body of [{ status: 'PAUSED' }, { name: 'two', tags: [] }])
    expect((await admin.request('PATCH', `/v1/agents/${agent.agentId}`, { body })).status).to.equal(200);
  expect((await admin.request('DELETE', `/v1/agents/${agent.agentId}`)).status).to.equal(200);
  for (const owner of ['one', 'two'])
    expect((await admin.request('PUT', '/v1/resources/db%2Fone', { body: { owner } })).status).to.be.oneOf([200, 201]);
  for (const reason of ['one', 'two']) {
    await admin.post('/v1/halt', { reason });
    await admin.request('DELETE', '/v1/halt');
  }
  const client = await service.client();
  const bodies = [1, 2, 3, 4].map((n) => ({ agent_id: 'bot', intent: `delete:db/asked/${n}` }));
  const [used = '', rejected = '', due = '', open = ''] = await Promise.all(
    bodies.map((body) => escalate(client, body)),
  );
  await approve(admin, used);
  expect(
    (await ask(client, { ...bodies[0], agent_id: 'bot', intent: 'delete:db/asked/1', approval_id: used })).verdict,
  ).to.equal('ALLOW');
  await reject(admin, rejected);
  expect([due, open]).not.to.include('');
  const signed = await signIn(admin, service.adminKey);
  service.advance(120_000);
  expect((await signed.get('/session')).status).to.equal(200);
  expect((await signed.get('/v1/agents')).status).to.equal(200);
  service.advance(2 * HOUR_MS);
  expect(await expireApprovals(service.db, service.nowMs())).to.equal(2);
  const organisationId = await service.addOrganisation('tenant');
  const tenant = await service.client({ scopes: ['admin:*'], organisationId });
  const files = [{ path: 'own.json', text: JSON.stringify(OWN) }];
  expect((await tenant.post('/v1/policies', { files, reason: 'one' })).status).to.equal(201);
  const digest = await service.apply(PERMITTING);
  await service.apply(ESCALATING);
  const rules = { needsApproval: true, approvalTtlMs: HOUR_MS, signers: undefined };
  const change = { digest, author: 'cli:test', reason: 'back', source: 'rollback' as const };
  for (const keep of ['30d', 'forever']) {
    const time = { kind: 'texts', keep, author: 'cli:test' } as const;
    await service.db.transaction((sql) =>
      setOwnTime(sql, { organisationId, environment: 'live' }, time, service.nowMs()),
    );
  }
  const [slug] = await service.rows<{ slug: string }>('SELECT slug FROM organisation WHERE is_operator', []);
  const log = logUnderTest({ db: service.db, organisationId: service.operatorId, slug: slug?.slug ?? '' });
  await log.append();
  await log.publish();
  const { kind } = await service.db.transaction((sql) => changePolicySet(sql, change, rules, service.nowMs()));
  expect(kind).to.equal('proposed');
}

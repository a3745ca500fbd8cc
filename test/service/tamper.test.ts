// Every way to change a log in the database, by a superuser whom no trigger stops: the audit finds and names each.
import { expect } from 'chai';
import { DamagedLogError, exportLog, findLog } from '../../shared/domain/ledger/export.ts';
import { writeErasing } from '../../shared/domain/retention/dropped.ts';
import { createLogFileAuditor } from '../../shared/core/proof/audit-file.ts';
import type { Finding } from '../../shared/core/proof/audit-findings.ts';
import { type Service, startService } from '../support/service.ts';
import { logUnderTest, type LogUnderTest, saveRows, storeEveryNode } from './audit-setup.ts';
import { storePlainRecords } from '../support/stored-records.ts';
import { CASES, LEAF } from './tamper-cases.ts';

describe('a log that was changed in the database', () => {
  let service: Service;
  let log: LogUnderTest;
  let restore: () => Promise<void>;

  before(async () => {
    service = await startService({ words: 'few' });
    const rows = await service.rows<{ slug: string }>('SELECT slug FROM organisation WHERE id = $1', [
      service.operatorId,
    ]);
    log = logUnderTest({ db: service.db, organisationId: service.operatorId, slug: rows[0]?.slug ?? '' });
    const client = await service.client();
    // The records that the service itself has made so far are not part of the log described above.
    await log.tamper('DELETE FROM record; DELETE FROM log_inbox');
    for (let round = 0; round < 3; round += 1) {
      for (let i = 0; i < 5; i += 1)
        expect(
          (await client.post('/v1/enforce', { intent: 'data.read.x', agent_id: 'agent', context: { i } })).status,
        ).to.equal(200);
      await log.fill(5, `round-${round}`);
      await log.append();
      await log.publish();
    }
    await log.fill(3, 'unsigned');
    await log.append();
    expect((await log.sql('SELECT size::integer AS size FROM log'))[0]).to.deep.equal({ size: 33 });
    expect(await log.findings()).to.deep.equal([]);
    await storePlainRecords(log.db, `decision_id = ${LEAF(11)}`);
    restore = await saveRows(log);
  });
  afterEach(() => restore?.());
  after(() => service?.close());

  const exportedFindings = async (): Promise<Finding[]> => {
    const found = await findLog(log.db, log.organisationId, 'live');
    if (found === undefined || found.origin === null) throw new Error('there is no log');
    const auditor = createLogFileAuditor({});
    for await (const line of exportLog(log.db, { ...found, origin: found.origin })) auditor.next(line.trimEnd());
    return [...auditor.end().findings];
  };
  const named = (findings: readonly Finding[]) => findings.map(({ kind, leafIndex }) => `${kind} ${leafIndex}`);

  it('has no findings before, in the database and as an export', async () => {
    expect(await log.findings({ full: true })).to.deep.equal([]);
    expect(await exportedFindings()).to.deep.equal([]);
  });

  const testCases = (isEarlier: boolean): void => {
    for (const { name, sql, only, exported, ...one } of CASES.filter((of) => isEarlier || of.isEarlier !== true)) {
      const finds = (isEarlier ? one.inEarlier : undefined) ?? one.finds;
      it(`is found and named when ${name}`, async () => {
        await log.tamper(sql);
        const expected = finds.map(([kind, leafIndex]) => `${kind} ${leafIndex}`);
        const findings = await log.findings();
        if (only) expect([...new Set(named(findings))]).to.have.members(expected);
        else expect(named(findings)).to.include.members(expected);
        expect(
          named(await log.findings({ full: true })).filter((one) => !one.startsWith('size-altered')),
          'in full',
        ).to.include.members(expected.filter((one) => !one.startsWith('size-altered')));
        // The finding names its proof wherever a row still exists.
        for (const { kind, proofId, sentence } of findings)
          if (kind.startsWith('record-') || kind === 'column-altered')
            expect(sentence).to.include(`proof ${JSON.stringify(proofId)}`);
        if (exported === 'refused')
          expect(await exportedFindings().catch((error: unknown) => error)).to.be.instanceOf(DamagedLogError);
        else if (exported === 'nothing') expect(await exportedFindings()).to.deep.equal([]);
        else if (exported !== undefined)
          expect((await exportedFindings()).map(({ kind }) => kind)).to.include(exported);
      });
    }
  };
  testCases(false);

  it('is reported once, stays listed until it is repaired, and then has no findings', async () => {
    await log.tamper(CASES[0]?.sql ?? '');
    log.reported.length = 0;
    await log.findings({ runs: 3 });
    expect(named(log.reported)).to.deep.equal(['record-altered 7']);
    await log.tamper(
      `UPDATE record SET record = convert_to(replace(convert_from(record, 'UTF8'), '"i":9', '"i":2'), 'UTF8') WHERE proof_id = ${LEAF(7)}`,
    );
    expect(await log.findings()).to.deep.equal([]);
  });

  it('has no findings after retention erased the facts of a decision', async () => {
    await log.sql(`UPDATE decision SET facts = NULL, facts_salt = NULL WHERE decision_id = ${LEAF(3)}`);
    expect(named(await log.findings()), 'that nobody sealed').to.deep.equal(['facts-missing 3']);
    const [past] = await log.sql(`SELECT ${LEAF(10)} AS id`);
    await writeErasing(log.db, { organisationId: log.organisationId, environment: 'live' }, String(past?.['id']));
    expect(await log.findings()).to.deep.equal([]);
  });

  describe('by an earlier version, which stored the nodes of every level', () => {
    before(async () => {
      await restore();
      await storeEveryNode(log);
      restore = await saveRows(log);
    });

    it('has no findings before', async () => {
      expect(await log.findings({ full: true })).to.deep.equal([]);
    });

    testCases(true);
  });
});

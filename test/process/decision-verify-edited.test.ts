// `custos decision verify` after someone has edited the database: each edited row is named.
import { expect } from 'chai';
import type { Sql } from '../../shared/platform/db/database.ts';
import { DECISION_FAILURES, type DecisionFailureCode } from '../../shared/core/verification/failures.ts';
import { asSuperuser } from '../support/database.ts';
import { storePlainRecords } from '../support/stored-records.ts';
import type { Service } from '../support/service.ts';
import { type DecisionsUnderTest, startDecisions } from './decision-verify-setup.ts';

describe('custos decision verify, after a row was edited in the database', () => {
  let on: DecisionsUnderTest;
  let service: Service;
  before(async () => {
    on = await startDecisions();
    ({ service } = on);
    await on.worker.append();
    await storePlainRecords(service.db);
  });
  after(() => on?.close());

  /** Edits as a superuser, bypassing triggers, and restores the tables afterwards. */
  const edited = async (statement: string, values: readonly unknown[], work: () => Promise<void>): Promise<void> => {
    const tables = ['decision', 'record', 'policy_set', 'leaf'];
    const change = (sql: Sql, text: string, given: readonly unknown[] = []): Promise<unknown[]> =>
      sql.query(text, given);
    await asSuperuser(service.db, async (sql) => {
      for (const table of tables) await change(sql, `CREATE TABLE saved_${table} AS SELECT * FROM ${table}`);
      const changed = await change(sql, `${statement} RETURNING 1`, values);
      expect(changed.length, statement).to.be.greaterThan(0);
    });
    try {
      await work();
    } finally {
      await asSuperuser(service.db, async (sql) => {
        for (const table of tables) {
          await change(sql, `DELETE FROM ${table}`);
          await change(sql, `INSERT INTO ${table} SELECT * FROM saved_${table}`);
          await change(sql, `DROP TABLE saved_${table}`);
        }
      });
    }
  };
  const inRecord = (table: string, from: string, to: string): string =>
    `UPDATE ${table} SET record = convert_to(replace(convert_from(record, 'UTF8'), '${from}', '${to}'), 'UTF8')`;

  const CASES: readonly (readonly [
    name: string,
    kind: string,
    statement: string,
    codes: readonly DecisionFailureCode[],
  ])[] = [
    [
      'a verdict in the record',
      'read',
      `${inRecord('decision', '"verdict":"ALLOW"', '"verdict":"DENY"')} WHERE decision_id = $1`,
      ['RECORD_ALTERED', 'ROW_DIFFERS', 'ANSWER_INCONSISTENT', 'VERDICT_DIFFERS'],
    ],
    [
      'a consistent change of the verdict in record and row',
      'read',
      `UPDATE decision SET verdict = 'DENY', record = convert_to(replace(replace(convert_from(record, 'UTF8'), '"verdict":"ALLOW"', '"verdict":"DENY"'), '"allowed":true', '"allowed":false'), 'UTF8') WHERE decision_id = $1`,
      ['RECORD_ALTERED', 'VERDICT_DIFFERS'],
    ],
    ['a verdict in the row', 'read', `UPDATE decision SET verdict = 'DENY' WHERE decision_id = $1`, ['ROW_DIFFERS']],
    [
      'a byte of the facts',
      'read',
      `UPDATE decision SET facts = set_byte(facts, 1, get_byte(facts, 1) # 1) WHERE decision_id = $1`,
      ['FACTS_DIGEST', 'FACTS_NOT_CANONICAL'],
    ],
    [
      'the salt',
      'read',
      `UPDATE decision SET facts_salt = set_byte(facts_salt, 0, (get_byte(facts_salt, 0) + 1) % 256) WHERE decision_id = $1`,
      ['FACTS_DIGEST'],
    ],
    [
      'the facts without the salt',
      'read',
      `UPDATE decision SET facts_salt = NULL WHERE decision_id = $1`,
      ['FACTS_DIGEST'],
    ],
    [
      'the score that was used',
      'healed',
      `UPDATE decision SET record = convert_to(regexp_replace(convert_from(record, 'UTF8'), '"score":[0-9]+,"uncertainty"', '"score":999,"uncertainty"'), 'UTF8') WHERE decision_id = $1`,
      ['RECORD_ALTERED', 'EFFECTIVE_TRUST_WRONG', 'FACTS_DISAGREE', 'TRUST_DIFFERS'],
    ],
    [
      'an unknown member',
      'healed',
      `${inRecord('decision', '"trust":{"as_of"', '"trust":{"as_off"')} WHERE decision_id = $1`,
      ['RECORD_ALTERED', 'RECORD_NOT_CANONICAL'],
    ],
    [
      'a signal of a trust record',
      'worker-bot',
      `${inRecord('record', '"type":"failure"', '"type":"success"')} WHERE event = 'custos.trust' AND entity_id = 'worker-bot' AND $1 <> ''`,
      ['TRUST_RECORD_ALTERED', 'TRUST_FOLD_WRONG', 'TRUST_DIFFERS'],
    ],
    [
      'a deleted trust record',
      'healed',
      `DELETE FROM record WHERE event = 'custos.trust' AND entity_id = 'worker-bot' AND $1 <> ''`,
      ['TRUST_RECORD_ALTERED', 'TRUST_RECORD_ALTERED', 'TRUST_SIGNALS_MISSING'],
    ],
    [
      'a policy set',
      'read',
      `UPDATE policy_set SET canonical = convert_to(replace(convert_from(canonical, 'UTF8'), '"ALLOW"', '"DENY"'), 'UTF8') WHERE $1 <> ''`,
      ['POLICY_SET_DIGEST'],
    ],
    ['a deleted policy set', 'read', `DELETE FROM policy_set WHERE $1 <> ''`, ['POLICY_SET_MISSING']],
    [
      'the reason of a halt',
      'halted',
      `${inRecord('record', 'incident', 'exercise')} WHERE event = 'custos.halt' AND $1 <> ''`,
      ['HALT_RECORD_ALTERED', 'HALT_NOT_RECORDED'],
    ],
    [
      'the reason given for rejecting an approval',
      'rejected',
      `${inRecord('record', 'ask again', 'go ahead')} WHERE event = 'custos.approval' AND $1 <> ''`,
      ['APPROVAL_RECORD_ALTERED', 'APPROVAL_REFUSAL_WRONG'],
    ],
    [
      'the expiry of an approval, in the escalation that opened it',
      'closed',
      `UPDATE decision SET record = convert_to(regexp_replace(convert_from(record, 'UTF8'), '("approval":.*"expires_at":")2', '\\13'), 'UTF8')
       WHERE agent_id = 'waiting-bot' AND verdict = 'ESCALATE' AND $1 <> ''`,
      ['APPROVAL_REFUSAL_WRONG'],
    ],
    [
      'the reason why an approval was refused',
      'used',
      `${inRecord('decision', 'has been used', 'was rejected: no')} WHERE decision_id = $1`,
      ['RECORD_ALTERED', 'VERDICT_DIFFERS', 'REASONS_DIFFER'],
    ],
  ];
  for (const [name, kind, statement, codes] of CASES) {
    it(`names ${name}`, async () => {
      const id = on.kinds.get(kind) ?? '';
      await edited(statement, [id], async () => {
        const outcome = await on.verifier().byId(id);
        if (outcome?.status !== 'failed') throw new Error(`${outcome?.status}: ${outcome?.sentence}`);
        expect(
          outcome.failures.map(({ code }) => code),
          outcome.sentence,
        ).to.deep.equal(codes);
        expect(outcome.decisionId).to.equal(id);
      });
      const healed = await on.verifier().byId(id);
      expect(healed?.status, healed?.sentence).to.equal('verified');
    });
  }

  it('exits with the code of the first failure, from the shell', async () => {
    const id = on.kinds.get('read') ?? '';
    await edited(
      `${inRecord('decision', '"verdict":"ALLOW"', '"verdict":"DENY"')} WHERE decision_id = $1`,
      [id],
      async () => {
        const ran = await on.custos('--all');
        expect(ran.code, ran.stderr).to.equal(DECISION_FAILURES.RECORD_ALTERED.exitCode);
        expect(ran.stdout).to.contain(
          `${id} DENY: VERDICT_DIFFERS. The recorded verdict is DENY; the policy set reaches ALLOW (`,
        );
        expect(ran.stderr).to.contain('1 failed.');
      },
    );
  });

  it('counts decisions with erased facts as not evaluable, not as failed', async () => {
    const id = on.kinds.get('worker-bot') ?? '';
    await service.rows('UPDATE decision SET facts = NULL, facts_salt = NULL WHERE decision_id = $1', [id]);
    const ran = await on.custos(id, on.kinds.get('read') ?? '');
    expect([ran.code, ran.stderr.trim()]).to.deep.equal([3, '1 verified, 1 not evaluable, 0 failed.']);
    expect(ran.stdout).to.contain(`${id} ALLOW: NOT_EVALUABLE. Retention has erased the facts`);
    expect((await on.custos('--all')).code).to.equal(0);
  });
});

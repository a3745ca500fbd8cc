// `custos decision verify` on a real service's decisions: all of them hold, and each edited row is named.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { Sql } from '../../shared/db/database.ts';
import { foldBatch } from '../../shared/decide/trust-fold.ts';
import type { VerifiedDecision } from '../../shared/decide/verify-decision.ts';
import { DECISION_FAILURES, type DecisionFailureCode } from '../../shared/decide/verify-failures.ts';
import { createEvidenceStore } from '../../shared/decide/verify-store.ts';
import { createStoredVerifier } from '../../shared/decide/verify-stored.ts';
import { compileLexicon } from '../../shared/intent/lexicon.ts';
import { exportLog, findLog } from '../../shared/log/export.ts';
import { FAILURES } from '../../shared/proof/failures.ts';
import { loadPrivateKey, publishKey } from '../../shared/proof/keys.ts';
import type { Client } from '../support/client.ts';
import { temporaryFolder } from '../support/folders.ts';
import { testKeyFiles } from '../support/keys.ts';
import { type Ran, runCommand, runCommandAlone } from '../support/command.ts';
import { TEST_PEPPER } from '../support/process.ts';
import { type Service, startService } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';
import { startTestWorker, type TestWorker } from '../support/worker.ts';

const CAP = 10_000;

describe('custos decision verify', function () {
  this.timeout(120_000);
  let service: Service;
  let worker: TestWorker;
  let client: Client;
  before(async () => {
    service = await startService();
    worker = await startTestWorker(service);
    client = await service.client({
      scopes: ['intents:write', 'agents:read', 'agents:write', 'trust:write', 'trust:read'],
    });
  });
  after(async () => {
    await worker?.close();
    await service?.close();
  });

  const verifierOf = () => createStoredVerifier({ store: createEvidenceStore({ db: service.db }), compileLexicon });
  const verifyAll = async (): Promise<VerifiedDecision[]> => {
    const outcomes: VerifiedDecision[] = [];
    for await (const outcome of verifierOf().all({})) outcomes.push(outcome);
    return outcomes;
  };
  const enforce = async (intent: string, more: object = {}, by = client) =>
    (await by.post('/v1/enforce', { intent, agent_id: 'nobody', ...more })).json;
  const fold = () => foldBatch({ db: service.db, nowMs: service.nowMs, dailyCap: CAP });
  const signal = async (agentId: string, types: readonly string[]): Promise<void> => {
    await client.post('/v1/trust/signals', { signals: types.map((type) => ({ agentId, type })) });
    await fold();
  };
  const run = (...args: string[]) =>
    runCommand(args, { DATABASE_URL: service.databaseUrl, CUSTOS_PEPPER: TEST_PEPPER });
  const custos = (...args: string[]) => run('decision', 'verify', ...args);
  /** Asks until the decision uses that many signals. */
  const enforceWith = (signals: number, agentId: string, intent: string) =>
    waitFor(
      async () => {
        const decision = await enforce(intent, { agent_id: agentId });
        return decision.trust.as_of.signals === signals ? decision : undefined;
      },
      { what: `a decision of ${agentId} with ${signals} signals` },
    );

  const kinds = new Map<string, string>();

  it('holds for every decision there is, however it was made, before and after it is in the log', async () => {
    await client.post('/v1/agents', { agentId: 'worker-bot', name: 'Worker', capabilities: ['sql'], tags: ['ä', 'b'] });
    await client.post('/v1/agents', { agentId: 'paused-bot', name: 'Paused' });
    await client.patch('/v1/agents/paused-bot', { status: 'PAUSED' });

    kinds.set('read', (await enforce('data.read.user_profile')).decision_id);
    kinds.set(
      'claimed',
      (await enforce('data.update.user_profile', { trust_level: 0, context: { n: 1.5, 'ü"': [null, {}] } }))
        .decision_id,
    );
    kinds.set('scored', (await enforce('db.delete.users', { trust_score: 120 })).decision_id);
    kinds.set(
      'approval',
      (await enforce('data.read.x', { approval_id: 'apr_01jq3k00000000000000000000' })).decision_id,
    );
    const headers = { 'idempotency-key': 'verify-once' };
    for (let i = 0; i < 2; i += 1)
      await client.post('/v1/enforce', { intent: 'files.read.report', agent_id: 'nobody' }, { headers });
    await client.post('/v1/enforce/batch', {
      requests: ['data.read.a', 'payments.transfer.money', 'nonsense.unknown.thing', 'identity.grant.role'].map(
        (intent) => ({
          intent,
          agent_id: 'worker-bot',
        }),
      ),
    });
    await waitFor(async () => {
      const decision = await enforce('data.read.x', { agent_id: 'paused-bot' });
      kinds.set('paused', decision.decision_id);
      return decision.reasons[0].code === 'AGENT_NOT_ACTIVE';
    });
    const parsed = (
      await client.post('/v1/intent', {
        agent_id: 'nobody',
        raw_intent: 'Please delete all users from the production database',
      })
    ).json;
    await enforce(parsed.parsed_intent?.normalized ?? parsed.normalized_intent, { intent_id: parsed.intent_id });

    for (const agentId of ['worker-bot', 'stranger']) {
      await signal(agentId, ['success', 'success', 'failure']);
      kinds.set(agentId, (await enforceWith(3, agentId, 'data.read.x')).decision_id);
      await signal(agentId, ['violation']);
      await enforceWith(4, agentId, 'data.update.x');
    }
    service.advance(40 * 86_400_000);
    kinds.set('healed', (await enforceWith(4, 'worker-bot', 'data.read.later')).decision_id);

    for (const resource of ['db/customers', 'db/customers/*']) {
      const { intentId } = (
        await client.post('/v1/intents', {
          agentId: 'worker-bot',
          action: 'read',
          resource,
          context: { ticket: 'OPS-1' },
        })
      ).json;
      await worker.evaluate(intentId);
    }
    const { intentId } = (
      await client.post('/v1/intents', { agentId: 'worker-bot', action: 'read', resource: 'db/lost' })
    ).json;
    const [job] = await worker.jobsOf(intentId);
    if (job === undefined) throw new Error('no job');
    await worker.intentWorker().giveUp(job);

    await service.admin.post('/v1/halt', { reason: 'incident "42"' });
    const halted = await enforce('data.read.x');
    expect(halted.reasons[0].code).to.equal('HALTED');
    kinds.set('halted', halted.decision_id);
    await service.admin.delete('/v1/halt');
    kinds.set('after the halt', (await enforce('data.read.x')).decision_id);
    const test = await service.client({ environment: 'test' });
    await enforce('data.read.x', {}, test);
    const other = await service.client({ organisationId: await service.addOrganisation('other') });
    kinds.set('other', (await enforce('data.read.x', {}, other)).decision_id);

    const [{ n } = { n: '' }] = await service.rows<{ n: string }>('SELECT count(*)::text AS n FROM decision');
    for (const append of [false, true]) {
      if (append) await worker.append();
      const outcomes = await verifyAll();
      expect(outcomes.length).to.equal(Number(n));
      for (const outcome of outcomes) expect(outcome.status, outcome.sentence).to.not.equal('failed');
      const open = outcomes
        .filter(({ status }) => status === 'not_evaluable')
        .flatMap(({ notEvaluable }) => notEvaluable);
      expect(open.sort(), 'the refused approval and the evaluation that was given up').to.deep.equal([
        'APPROVAL',
        'EVALUATION_FAILED',
      ]);
      expect(new Set(outcomes.map(({ verdict }) => verdict)).size).to.be.at.least(3);
    }
  });

  it('says so from the shell, for decisions by name and for all of them', async () => {
    const id = kinds.get('worker-bot') ?? '';
    const one = await custos(id);
    expect(one.code, one.stderr).to.equal(0);
    expect(one.stdout).to.match(new RegExp(`^${id} ALLOW: verified\\. .*the first 3 logged signals give its trust`));
    const open = await custos(kinds.get('approval') ?? '');
    expect(open.code, open.stderr).to.equal(3);
    expect(open.stdout).to.contain('NOT_EVALUABLE. The verdict is about an approval');
    const other = await custos('--all', '--json', '--organisation', 'other', '--environment', 'live');
    const [line = '', counts = ''] = other.stdout.trim().split('\n');
    expect(JSON.parse(line)).to.include({ decisionId: kinds.get('other'), status: 'verified', verdict: 'ALLOW' });
    expect([other.code, JSON.parse(counts)]).to.deep.equal([0, { verified: 1, not_evaluable: 0, failed: 0 }]);
    const all = await custos('--all', '--since', '7d');
    expect(all.code, all.stdout).to.equal(0);
    expect(all.stderr).to.match(/\d+ verified, 2 not evaluable, 0 failed\./);
  });

  it('holds offline, from the exported log, facts and policy sets, with nothing but the key of the log', async () => {
    const key = loadPrivateKey(readFileSync(testKeyFiles().CUSTOS_SIGNING_KEY_FILE, 'utf8'));
    const folder = temporaryFolder('decisions');
    const [log, facts, policies] = ['log', 'facts', 'policies'].map((name) => path.join(folder, name)) as [
      string,
      string,
      string,
    ];
    await worker.append();
    const found = await findLog(service.db, service.operatorId, 'live');
    if (found === undefined || found.origin === null) throw new Error('there is no log');
    const lines: string[] = [];
    for await (const line of exportLog(service.db, { ...found, origin: found.origin })) lines.push(line);
    writeFileSync(log, lines.join(''));
    const written = await run(
      'decision',
      'export',
      '--organisation',
      'default',
      '--facts',
      facts,
      '--policies',
      policies,
    );
    expect(written.code, written.stderr).to.equal(0);

    const trusted = publishKey(key, { origin: found.origin, use: 'log' }).vkey;
    const files = ['--log', log, '--facts', facts, '--policies', policies, '--vkey', trusted];
    // No database, and no data folder in which one might be.
    const env = { CUSTOS_DATA_DIR: path.join(folder, 'none') };
    const offline = (arg: string): Promise<Ran> => runCommand(['decision', 'verify', ...files, arg], env);
    const all = await runCommandAlone(['decision', 'verify', ...files, '--all'], env);
    expect(all.code, all.stdout + all.stderr).to.equal(0);
    expect(all.stderr).to.match(/^\d\d verified, 2 not evaluable, 0 failed\.\n$/);
    const id = kinds.get('worker-bot') ?? '';
    expect((await offline(id)).stdout).to.contain(`${id} ALLOW: verified.`);
    expect((await offline('dec_gone')).code).to.equal(1);

    const known = readFileSync(facts, 'utf8');
    writeFileSync(facts, known.replace(/"salt":"./g, '"salt":"_'));
    expect((await offline('--all')).code, 'a salt that is not base64').to.equal(FAILURES.MALFORMED.exitCode);
    const [first = ''] = known.split('\n').filter((line) => line.includes(id));
    const { facts: text, ...rest } = JSON.parse(first) as { facts: string };
    const bent = Buffer.from(Buffer.from(text, 'base64').toString('utf8').replace('"ACTIVE"', '"PAUSED"'));
    writeFileSync(facts, known.replace(first, JSON.stringify({ ...rest, facts: bent.toString('base64') })));
    const lied = await offline(id);
    expect(lied.code, lied.stdout).to.equal(DECISION_FAILURES.FACTS_DIGEST.exitCode);
    expect(lied.stdout).to.contain(
      'VERDICT_DIFFERS. The recorded verdict is ALLOW; the policy set reaches DENY (AGENT_NOT_ACTIVE)',
    );
    writeFileSync(
      log,
      lines.map((line, i) => (i === 3 ? (lines[2] ?? '').replace('"index":1', '"index":2') : line)).join(''),
    );
    const altered = await offline('--all');
    expect(altered.code, altered.stderr).to.equal(FAILURES.LOG_ALTERED.exitCode);
  });

  it('refuses what it can not understand, and names a decision that is not there', async () => {
    for (const args of [
      ['--facts', 'x', '--all'],
      ['--log', 'x', '--all'],
      [],
      ['--all', 'dec_1'],
      ['dec_1', '--since', '7d'],
      ['--all', '--since', 'x'],
    ])
      expect((await custos(...args)).code, args.join(' ')).to.equal(2);
    const gone = await custos('dec_gone');
    expect([gone.code, gone.stderr.trim()]).to.deep.equal([1, 'custos: There is no decision dec_gone.']);
  });

  describe('after a row was edited in the database', () => {
    /** As someone whom no trigger stops; all is as before afterwards. */
    const edited = async (statement: string, values: readonly unknown[], work: () => Promise<void>): Promise<void> => {
      const tables = ['decision', 'record', 'policy_set', 'leaf'];
      const asSuperuser = (work: (sql: Sql) => Promise<void>): Promise<void> =>
        service.db.transaction(async (sql) => {
          await sql.query(
            { name: 'no-triggers', text: "SELECT set_config('session_replication_role', 'replica', true)" },
            [],
          );
          await work(sql);
        });
      const change = (sql: Sql, name: string, text: string, given: readonly unknown[] = []): Promise<unknown[]> =>
        sql.query({ name: `edit-${name}`, text }, given);
      await asSuperuser(async (sql) => {
        for (const table of tables)
          await change(sql, `save-${table}`, `CREATE TABLE saved_${table} AS SELECT * FROM ${table}`);
        const changed = await change(
          sql,
          createHash('sha256').update(statement).digest('hex').slice(0, 40),
          `${statement} RETURNING 1`,
          values,
        );
        expect(changed.length, statement).to.be.greaterThan(0);
      });
      try {
        await work();
      } finally {
        await asSuperuser(async (sql) => {
          for (const table of tables) {
            await change(sql, `clear-${table}`, `DELETE FROM ${table}`);
            await change(sql, `restore-${table}`, `INSERT INTO ${table} SELECT * FROM saved_${table}`);
            await change(sql, `drop-${table}`, `DROP TABLE saved_${table}`);
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
        'a verdict, as an answer would have it, in record and row',
        'read',
        `UPDATE decision SET verdict = 'DENY', record = convert_to(replace(replace(convert_from(record, 'UTF8'), '"verdict":"ALLOW"', '"verdict":"DENY"'), '"allowed":true', '"allowed":false'), 'UTF8') WHERE decision_id = $1`,
        ['RECORD_ALTERED', 'VERDICT_DIFFERS'],
      ],
      ['a verdict in the row', 'read', `UPDATE decision SET verdict = 'DENY' WHERE decision_id = $1`, ['ROW_DIFFERS']],
      [
        'a fact',
        'read',
        `UPDATE decision SET facts = convert_to(replace(convert_from(facts, 'UTF8'), '"bound":false', '"bound":true'), 'UTF8') WHERE decision_id = $1`,
        ['FACTS_DIGEST'],
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
        'a member that no decision has',
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
        'a trust record, deleted',
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
      ['a policy set, deleted', 'read', `DELETE FROM policy_set WHERE $1 <> ''`, ['POLICY_SET_MISSING']],
      [
        'the reason of a halt',
        'halted',
        `${inRecord('record', 'incident', 'exercise')} WHERE event = 'custos.halt' AND $1 <> ''`,
        ['HALT_RECORD_ALTERED', 'HALT_NOT_RECORDED'],
      ],
    ];
    for (const [name, kind, statement, codes] of CASES) {
      it(`names ${name}`, async () => {
        const id = kinds.get(kind) ?? '';
        await edited(statement, [id], async () => {
          const outcome = await verifierOf().byId(id);
          if (outcome?.status !== 'failed') throw new Error(`${outcome?.status}: ${outcome?.sentence}`);
          expect(
            outcome.failures.map(({ code }) => code),
            outcome.sentence,
          ).to.deep.equal(codes);
          expect(outcome.decisionId).to.equal(id);
        });
        const healed = await verifierOf().byId(id);
        expect(healed?.status, healed?.sentence).to.equal('verified');
      });
    }

    it('ends with the exit code of the first failure, from the shell', async () => {
      const id = kinds.get('read') ?? '';
      await edited(
        `${inRecord('decision', '"verdict":"ALLOW"', '"verdict":"DENY"')} WHERE decision_id = $1`,
        [id],
        async () => {
          const ran = await custos('--all');
          expect(ran.code, ran.stderr).to.equal(DECISION_FAILURES.RECORD_ALTERED.exitCode);
          expect(ran.stdout).to.contain(
            `${id} DENY: VERDICT_DIFFERS. The recorded verdict is DENY; the policy set reaches ALLOW (`,
          );
          expect(ran.stderr).to.contain('1 failed.');
        },
      );
    });

    it('counts erased facts as not evaluable, which is no failure', async () => {
      const id = kinds.get('worker-bot') ?? '';
      await service.rows('UPDATE decision SET facts = NULL, facts_salt = NULL WHERE decision_id = $1', [id]);
      const ran = await custos(id, kinds.get('read') ?? '');
      expect([ran.code, ran.stderr.trim()]).to.deep.equal([3, '1 verified, 1 not evaluable, 0 failed.']);
      expect(ran.stdout).to.contain(`${id} ALLOW: NOT_EVALUABLE. Retention has erased the facts`);
      expect((await custos('--all')).code).to.equal(0);
    });
  });
});

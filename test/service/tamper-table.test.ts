// The tamper table of docs/security.md: each way to change a log of ten thousand leaves in its database, what the database
// refuses to the service's own role, and what the audit finds on the production schedule after changes by a superuser.
import { performance } from 'node:perf_hooks';
import { expect } from 'chai';
import { type Auditor, createAuditor } from '../../shared/domain/ledger/audit.ts';
import { logProblems } from '../../shared/domain/ledger/log-states.ts';
import { createAuthorityAudit } from '../../shared/domain/ledger/audit-authority.ts';
import { createCheckpointKeeper } from '../../shared/domain/ledger/kept.ts';
import { createEvidenceStore } from '../../shared/domain/verification/store.ts';
import { createStoredVerifier } from '../../shared/domain/verification/stored.ts';
import type { FindingKind } from '../../shared/core/proof/audit-findings.ts';
import { DEFAULT_DAILY_CAP } from '../../shared/core/trust/beta.ts';
import { fold as foldJob } from '../../workers/jobs/fold.ts';
import { audit as auditJob } from '../../workers/jobs/audit.ts';
import { asSuperuser } from '../support/database.ts';
import { approve, ESCALATING, escalate } from '../support/escalations.ts';
import { checkpointsOf } from '../support/keys.ts';
import { waitFor } from '../support/wait.ts';
import type { Service } from '../support/service.ts';
import { type ServiceAndWorker, startServiceAndWorker, type TestWorker } from '../support/worker.ts';
import { logUnderTest } from './audit-setup.ts';

// Scheduled, so it has an interval.
const AUDIT_EVERY_MS = auditJob.everyMs ?? Number.NaN;

const LEAVES = 10_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface Case {
  readonly name: string;
  readonly sql: string;
  /** Any of these findings names the change. */
  readonly finds: readonly FindingKind[];
  readonly withinMs: number;
  /** How the database refuses the change to the service's own role. Undefined: it is allowed, and only the audit finds it. */
  readonly refused?: string;
  readonly touches: readonly string[];
}

const OLD = "(SELECT min('dec' || substr(proof_id, 4)) FROM leaf WHERE event = 'custos.decision' AND leaf_index > 0)";
const TREE = ['leaf', 'node', 'checkpoint', 'record', 'decision', 'leaf_zone', 'audit'];
/** Restored after each case: an inbox must not name records that are gone. */
const ALWAYS = ['audit', 'audit_installation', 'log_inbox'];
/** Cuts the log back to a size, with all rows that would contradict it. */
const CUT = (size: string): string => `DELETE FROM leaf WHERE leaf_index >= ${size};
  DELETE FROM node WHERE (node_index + 1) * 2 ^ level > ${size}; DELETE FROM checkpoint WHERE size > ${size}; DELETE FROM audit;
  DELETE FROM leaf_zone WHERE first_index + 256 > ${size}; UPDATE log SET size = ${size}, frontier = ''`;

const CASES: readonly Case[] = [
  {
    name: 'the text of an old record is edited',
    sql: `UPDATE record SET record = convert_to(replace(convert_from(record, 'UTF8'), '"i":77', '"i":99'), 'UTF8') WHERE proof_id = 'old-77'`,
    finds: ['record-altered'],
    withinMs: HOUR_MS,
    refused: 'UPDATE record',
    touches: ['record'],
  },
  {
    name: 'the verdict of an old decision is edited',
    sql: `UPDATE decision SET verdict = 'ALLOW' WHERE decision_id = ${OLD}`,
    finds: ['column-altered'],
    withinMs: HOUR_MS,
    refused: 'insert-only',
    touches: ['decision'],
  },
  {
    name: 'the facts of an old decision are edited',
    sql: `UPDATE decision SET facts = set_byte(facts, 5, get_byte(facts, 5) # 1) WHERE decision_id = ${OLD}`,
    finds: ['facts-altered'],
    withinMs: HOUR_MS,
    refused: 'insert-only',
    touches: ['decision'],
  },
  {
    name: 'the facts of an old decision are erased',
    sql: `UPDATE decision SET facts = NULL, facts_salt = NULL WHERE decision_id = ${OLD}`,
    finds: ['facts-missing'],
    withinMs: HOUR_MS,
    touches: ['decision'],
  },
  {
    name: 'an old decision is deleted',
    sql: `DELETE FROM decision WHERE decision_id = ${OLD}`,
    finds: ['source-missing'],
    withinMs: HOUR_MS,
    refused: 'DELETE decision',
    touches: ['decision'],
  },
  {
    name: 'the last leaf is deleted, with all that names it',
    sql: CUT('(SELECT max(leaf_index) FROM saved_leaf)'),
    finds: ['kept-checkpoint'],
    withinMs: MINUTE_MS,
    refused: 'DELETE leaf',
    touches: TREE,
  },
  {
    name: 'two old leaves change places',
    sql: 'UPDATE leaf SET leaf_index = -1 WHERE leaf_index = 3000; UPDATE leaf SET leaf_index = 3000 WHERE leaf_index = 3001; UPDATE leaf SET leaf_index = 3001 WHERE leaf_index = -1',
    finds: ['leaves-swapped'],
    withinMs: HOUR_MS,
    refused: 'UPDATE leaf',
    touches: ['leaf'],
  },
  {
    name: 'a node is edited',
    sql: 'UPDATE node SET hash = sha256(hash) WHERE level = 5 AND node_index = 100',
    finds: ['node-altered'],
    withinMs: HOUR_MS,
    refused: 'UPDATE node',
    touches: ['node'],
  },
  {
    name: 'an old checkpoint is edited',
    sql: 'UPDATE checkpoint SET root = sha256(root) WHERE size = (SELECT min(size) FROM checkpoint)',
    finds: ['checkpoint-altered'],
    withinMs: HOUR_MS,
    refused: 'UPDATE checkpoint',
    touches: ['checkpoint'],
  },
  {
    name: 'the trust evidence of an agent is edited',
    sql: "UPDATE trust_bucket SET positive = positive + 5000 WHERE agent_id = 'trusted'",
    finds: ['trust-altered'],
    withinMs: HOUR_MS,
    touches: ['trust_bucket'],
  },
  {
    name: 'a fold of signals is edited',
    sql: `UPDATE trust_fold SET signals = replace(signals, 'failure', 'success') WHERE agent_id = 'trusted'`,
    finds: ['trust-altered'],
    withinMs: HOUR_MS,
    refused: 'UPDATE trust_fold',
    touches: ['trust_fold'],
  },
  {
    name: 'an agent is given trust by a fold that borrows the leaf of another',
    sql: `INSERT INTO trust_state SELECT organisation_id, environment, 'ghost', 2, now(), day, 900, 0.1 FROM trust_state WHERE agent_id = 'trusted';
      INSERT INTO trust_fold SELECT organisation_id, environment, 'ghost', first_n, last_n, folded_at, day, score, uncertainty, signals, proof_id FROM trust_fold WHERE agent_id = 'trusted';
      INSERT INTO trust_bucket SELECT organisation_id, environment, 'ghost', day, key_id, positive, negative FROM trust_bucket WHERE agent_id = 'trusted'`,
    finds: ['trust-altered'],
    withinMs: MINUTE_MS,
    touches: ['trust_state', 'trust_fold', 'trust_bucket'],
  },
  {
    name: 'an accepted signal waits no more, and was not folded',
    sql: 'INSERT INTO trust_signal SELECT (s).* FROM (SELECT jsonb_populate_record(signal, \'{"signal_id": "lost"}\') AS s FROM trust_signal AS signal LIMIT 1) AS copy',
    finds: ['signal-lost'],
    withinMs: MINUTE_MS,
    touches: ['trust_signal'],
  },
  {
    name: 'a new decision waits no more, and was not appended',
    sql: "INSERT INTO decision SELECT (d).* FROM (SELECT jsonb_populate_record(one, jsonb_build_object('decision_id', overlay(custos_id_at('dec', now() - interval '2 minutes') PLACING '1' FROM 30))) AS d FROM decision AS one LIMIT 1) AS copy",
    finds: ['record-unlogged'],
    withinMs: MINUTE_MS,
    touches: ['decision'],
  },
  {
    name: 'an old record waits no more, and was not appended',
    sql: `INSERT INTO record SELECT (r).* FROM (SELECT jsonb_populate_record(one, '{"proof_id": "unlogged"}') AS r FROM record AS one LIMIT 1) AS copy`,
    finds: ['record-unlogged'],
    withinMs: HOUR_MS,
    touches: ['record'],
  },
  {
    name: 'an open approval is approved',
    sql: "UPDATE approval SET state = 'approved', decided_at = now(), decided_by = 'cli:somebody', reason = 'x' WHERE state = 'pending'",
    finds: ['approval-altered'],
    withinMs: MINUTE_MS,
    touches: ['approval'],
  },
  {
    name: 'a revoked key is in force again, with all scopes',
    sql: "UPDATE api_key SET revoked_at = NULL, scopes = '{admin:*}' WHERE name = 'revoked'",
    finds: ['key-altered'],
    withinMs: MINUTE_MS,
    touches: ['api_key'],
  },
  {
    name: 'the whole log is deleted',
    sql: 'DELETE FROM audit; DELETE FROM checkpoint; DELETE FROM node; DELETE FROM leaf_zone; DELETE FROM leaf; DELETE FROM decision; DELETE FROM record; DELETE FROM log_inbox; DELETE FROM log_key; DELETE FROM log',
    finds: ['log-vanished'],
    withinMs: MINUTE_MS,
    refused: 'DELETE checkpoint',
    touches: [...TREE, 'log_key', 'log'],
  },
  {
    name: 'an older backup is restored',
    sql: `${CUT('8000')}; DELETE FROM api_key WHERE name = 'later'`,
    finds: ['kept-checkpoint'],
    withinMs: MINUTE_MS,
    refused: 'DELETE leaf',
    touches: [...TREE, 'api_key'],
  },
];

describe('the tamper table', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let worker: TestWorker;
  let startAuditor: () => Auditor;
  let auditor: Auditor;
  let offsetMs = 0;

  const asRoot = (text: string): Promise<void> =>
    asSuperuser(service.db, async (sql) => {
      for (const one of text.split(';').filter((part) => part.trim() !== '')) await sql.query(one, []);
    });
  /** One run of the audit job, at its scheduled time. */
  const run = async (): Promise<string[]> => {
    offsetMs += AUDIT_EVERY_MS;
    const audits = await auditor.run();
    const beside = (await logProblems(service.db)).filter((problem) => problem.includes('is not in the database'));
    return [...audits.flatMap(({ findings }) => findings.map(({ kind }) => kind)), ...beside.map(() => 'log-vanished')];
  };
  const restore = async (touches: readonly string[]): Promise<void> => {
    const put = (table: string): string =>
      `DELETE FROM ${table}; INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM saved_${table}`;
    const tables = new Set([...touches, ...ALWAYS]);
    await asRoot([...tables].map(put).join(';'));
    await asRoot(
      'UPDATE log SET size = s.size, frontier = s.frontier, halted_reason = NULL FROM saved_log s WHERE s.log_id = log.log_id',
    );
    // It would remember the changes that were just undone.
    auditor = startAuditor();
  };

  before(async () => {
    both = await startServiceAndWorker({ policies: ESCALATING, words: 'few' });
    ({ service, worker } = both);
    const { db, nowMs, admin } = service;
    const monotonicMs = (): number => performance.now() + offsetMs;
    const keeper = createCheckpointKeeper(checkpointsOf(service.databaseUrl));
    startAuditor = () =>
      createAuditor({
        db,
        keeper,
        authority: createAuthorityAudit({ db, nowMs, monotonicMs }),
        verifier: createStoredVerifier({ store: createEvidenceStore({ db }) }),
        nowMs,
        monotonicMs,
      });
    auditor = startAuditor();
    const asking = await service.client();
    const revoked = (await admin.post('/v1/auth/keys', { name: 'revoked', scopes: ['agents:read'] })).json;
    await admin.delete(`/v1/auth/keys/${revoked.keyId}`);
    for (let i = 0; i < 20; i += 1)
      await asking.post('/v1/enforce', { intent: 'data.read.x', agent_id: 'a', context: { i } });
    const signals = ['success', 'failure'].map((type, i) => ({ signalId: `s${i}`, agentId: 'trusted', type }));
    expect((await admin.post('/v1/trust/signals', { signals })).status).to.equal(202);
    await foldJob.handler({ db, nowMs, dailyCap: DEFAULT_DAILY_CAP })({ v: 1 });
    const approver = await service.client({ scopes: ['admin:*'] });
    await approve(approver, await escalate(asking, { agent_id: 'a', intent: 'db.delete.asked.one' }));
    await worker.append();
    const [slug] = await service.rows<{ slug: string }>('SELECT slug FROM organisation WHERE id = $1', [
      service.operatorId,
    ]);
    const log = logUnderTest({ db, organisationId: service.operatorId, slug: slug?.slug ?? '' });
    await log.fill(7_950, 'old');
    await worker.append();
    await service.addKey({ name: 'later' });
    await log.fill(LEAVES - 7_950, 'newer');
    await escalate(asking, { agent_id: 'a', intent: 'db.delete.asked.two' });
    await worker.append();
    // Everything was audited before, without findings.
    for (let audited = 0; audited < LEAVES; ) {
      expect(await run()).to.deep.equal([]);
      await worker.append();
      [{ audited } = { audited: 0 }] = await service.rows<{ audited: number }>(
        'SELECT audited_size::int AS audited FROM audit',
      );
    }
    const tables = new Set([...CASES.flatMap(({ touches }) => touches), 'log', ...ALWAYS]);
    await asRoot([...tables].map((table) => `CREATE TABLE saved_${table} AS TABLE ${table}`).join(';'));
    await asRoot([...tables].map((table) => `GRANT SELECT ON saved_${table} TO PUBLIC`).join(';'));
  });
  after(() => both?.close());

  it('covers a log of ten thousand leaves', async () => {
    const [row] = await service.rows<{ size: number }>('SELECT size::int AS size FROM log');
    expect(row?.size).to.be.at.least(LEAVES);
  });

  describe('a decision made on forged trust', () => {
    const asService = (text: string, values: readonly unknown[] = []) =>
      service.rows<{ findings: string }>(text, values);
    const announce = async (change: string): Promise<void> => {
      await asService(change);
      await asService(
        `INSERT INTO change (kind, subject) SELECT 'trust', json_build_array(organisation_id, environment, agent_id)::text FROM trust_state WHERE agent_id = 'trusted'`,
      );
    };
    let score = 0;
    let decisionId = '';
    before(async () => {
      // Only registered agents have more trust than those without evidence.
      await service.admin.post('/v1/agents', { agentId: 'trusted', name: 'x' });
      const asking = await service.client();
      const ask = async () =>
        (await asking.post('/v1/enforce', { intent: 'data.read.x', agent_id: 'trusted', context: {} })).json;
      const known = (await ask()).trust.score;
      const other = async (from: number) => {
        const { trust, decision_id: id } = await ask();
        return trust.score === from ? undefined : { score: trust.score, id };
      };
      await announce("UPDATE trust_bucket SET positive = positive + 5000 WHERE agent_id = 'trusted'");
      ({ score, id: decisionId } = await waitFor(() => other(known), { what: 'the forged trust' }));
      await announce("UPDATE trust_bucket SET positive = positive - 5000 WHERE agent_id = 'trusted'");
      await waitFor(() => other(score), { what: 'the true trust' });
      await worker.append();
    });

    const CLAIMS: Readonly<Record<string, string>> = {
      'nothing about it': 'UPDATE audit SET ok = ok',
      'that it is verified':
        'UPDATE audit SET verified_from = log.size, verified_size = log.size FROM log WHERE log.log_id = audit.log_id',
      'that another version made it': "UPDATE audit SET verified_by = 'x'",
      'that its audit ended a process a moment ago': 'UPDATE audit SET evidence_begun_at = now()',
      'that all findings are gone': "UPDATE audit SET findings = '[]', ok = true",
      'nothing legible': "UPDATE audit SET findings = 'x', state = '', trust_next = 'z', verify_next = -1",
      nothing: 'DELETE FROM audit',
    };
    const expectFound = async (change: () => Promise<unknown>): Promise<void> => {
      let found: string[] = [];
      for (let runs = 0; runs < 30 && !found.includes('decision-unverified'); runs += 1) {
        await change();
        found = await run();
      }
      expect(found).to.include('decision-unverified');
      const findings = (await asService('SELECT findings FROM audit')).map((row) => row.findings);
      expect(findings.join()).to.include(decisionId);
    };

    for (const [what, claim] of Object.entries(CLAIMS))
      it(`is found by an auditor that starts when its state in the database says ${what}`, async () => {
        await asService(claim);
        auditor = startAuditor();
        await expectFound(async () => undefined);
      });

    it('is found by a running auditor while its state in the database is changed before each run', async () => {
      await asService('DELETE FROM audit');
      auditor = startAuditor();
      const claims = Object.values(CLAIMS);
      let next = 0;
      await expectFound(() => asService(claims[(next += 1) % claims.length] ?? ''));
    });
  });

  for (const { name, sql, finds, withinMs, refused, touches } of CASES) {
    it(`${name}: ${refused === undefined ? '' : 'refused to the service, and '}found as ${finds[0]}`, async () => {
      const asService = service.db.transaction(async (tx) => {
        for (const text of sql.split(';').filter((part) => part.trim() !== '')) await tx.query(text, []);
        // Rolls back the allowed statements: a superuser runs them below.
        throw new Error('all of it was allowed');
      });
      const answer = await asService.catch((error: Error) => error.message);
      expect(answer).to.match(refused === undefined ? /all of it was allowed/ : /permission denied|is insert-only/);
      await asRoot(sql);
      let afterMs = 0;
      let found: string[] = [];
      for (; afterMs < withinMs && !finds.some((kind) => found.includes(kind)); afterMs += AUDIT_EVERY_MS)
        found = await run();
      expect(
        finds.some((kind) => found.includes(kind)),
        found.join(),
      ).to.equal(true);
      await restore(touches);
    });
  }
});

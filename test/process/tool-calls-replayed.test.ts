// Decided tool calls, evaluated again: replayed and shadowed under a stricter draft, and verified from files.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import type { Example } from '../../shared/core/policy/difference-types.ts';
import { FAILURES } from '../../shared/core/proof/failures.ts';
import type { ToolEntry } from '../../shared/core/tools/schema.ts';
import { createDecisionVerifier, type DecisionEvidence } from '../../shared/core/verification/decision.ts';
import { DECISION_FAILURES, type DecisionFailureCode } from '../../shared/core/verification/failures.ts';
import { beginShadow } from '../../shared/domain/drafts/shadow-store.ts';
import { createEvidenceStore } from '../../shared/domain/verification/store.ts';
import { createShadowWorker } from '../../workers/shadow.ts';
import { type Ran, runCommand } from '../support/command.ts';
import { asSuperuser } from '../support/database.ts';
import { exportDecisions } from '../support/exported-decisions.ts';
import { temporaryFolder } from '../support/folders.ts';
import { TEST_PEPPER } from '../support/process.ts';
import type { Service } from '../support/service.ts';
import { startServiceAndWorker, type TestWorker } from '../support/worker.ts';

const PINNED = `sha256:${'0'.repeat(64)}`;
const WORKS: Record<string, ToolEntry> = {
  list: { action: 'read', resource: 'file/{path}' },
  read: { action: 'read', resource: 'file/{path}' },
  write: { action: 'update', resource: 'file/{path}' },
  run: { action: 'execute' },
};
/** The same with one tool pinned, one with its code read, and one removed from the catalogue. */
const STRICTER: Record<string, ToolEntry> = {
  list: { action: 'read', resource: 'file/{path}' },
  read: { action: 'read', resource: 'file/{path}', definition: PINNED },
  write: { action: 'update', effect: 'destructive', resource: 'file/{path}' },
};
const catalogue = (tools: Record<string, ToolEntry>) => ({ server: 'files', description: 'Files of a test.', tools });
const rule = (name: string, type: string, path: string, value: unknown, fact = 'tool') => ({
  name,
  conditions: {
    all: [
      { fact: 'tool', path: 'present', operator: 'equal', value: true },
      { fact, path, operator: 'equal', value },
    ],
  },
  event: { type, params: { code: name.toUpperCase(), message: name } },
});
const POLICY = {
  id: 'calls',
  description: 'Known tools work, nothing destroys.',
  stage: 'enforce',
  target: { actions: ['*'], resources: ['*'] },
  rules: [
    rule('known', 'ALLOW', 'known', true),
    rule('doubtful', 'ESCALATE', 'known', false),
    rule('changed', 'ESCALATE', 'changed', true),
    rule('destroys', 'DENY', 'effect', 'destructive', 'intent'),
  ],
};
/** The draft's verdicts for the session, in order. */
const STOPPED = ['files/read ESCALATE', 'files/write DENY', 'files/run ESCALATE'];

const stoppedBy = (examples: readonly Example[]): string[] =>
  examples.map(({ tool, after }) => `${tool?.server}/${tool?.name} ${after.verdict}`);

describe('tool calls that were decided', () => {
  let service: Service;
  let worker: TestWorker;
  let close: () => Promise<void>;
  let ask: (name: string, args: object) => Promise<string>;
  let draftDir: string;
  const run = (...args: string[]): Promise<Ran> =>
    runCommand(args, { DATABASE_URL: service.databaseUrl, CUSTOS_PEPPER: TEST_PEPPER });

  before(async () => {
    ({ service, worker, close } = await startServiceAndWorker({
      policies: { 'calls.json': POLICY, 'tools/files.json': catalogue(WORKS) },
      words: 'few',
    }));
    draftDir = temporaryFolder('stricter');
    mkdirSync(path.join(draftDir, 'tools'));
    writeFileSync(path.join(draftDir, 'calls.json'), JSON.stringify(POLICY));
    writeFileSync(path.join(draftDir, 'tools', 'files.json'), JSON.stringify(catalogue(STRICTER)));
    const client = await service.client();
    ask = async (name, args) => {
      service.advance(1);
      const { json } = await client.post('/v1/enforce', {
        agent_id: 'bot',
        tool: { server: 'files', name, arguments: args },
      });
      expect(json.verdict, name).to.equal('ALLOW');
      return json.decision_id;
    };
  });
  after(() => close?.());

  const session = async (): Promise<void> => {
    await ask('list', { path: '/srv' });
    await ask('read', { path: '/srv/a' });
    await ask('write', { path: '/srv/a', content: 'x' });
    await ask('run', { command: 'make' });
  };

  it('are replayed under a stricter draft: the report names each call that would have been stopped', async () => {
    await session();
    const { stdout, stderr, code } = await run('policy', 'replay', draftDir, '--json', '--since', '1d');
    expect(code, stderr).to.equal(0);
    const report = JSON.parse(stdout);
    expect(report.decisions).to.deep.include({ total: 4, evaluated: 4 });
    expect(stoppedBy(report.examples)).to.have.members(STOPPED);
    const html = path.join(draftDir, 'report.html');
    const text = await run('policy', 'replay', draftDir, '--since', '1d', '--html', html);
    for (const name of ['read', 'write', 'run']) {
      expect(text.stdout).to.match(new RegExp(`^dec_\\w+ ALLOW -> \\w+ bot files/${name}: `, 'm'));
      expect(readFileSync(html, 'utf8')).to.contain(`<code>files/${name}</code>`);
    }
    expect(text.stdout).to.not.contain('files/list');
    const own = await run('policy', 'replay', '--set', (await service.admin.get('/v1/policies')).json.digest, '--json');
    expect(JSON.parse(own.stdout).changed.decisions, 'under the set in force').to.equal(0);
  });

  it('are shadowed under a stricter draft, and counted by the verdicts of the draft', async () => {
    await worker.append();
    await beginShadow(service.db);
    const { db } = service;
    const shadow = createShadowWorker({ db, dir: draftDir, share: 1, logger: pino({ level: 'silent' }) });
    expect(await shadow.look()).to.deep.equal([]);
    await session();
    await worker.append();
    expect(await shadow.follow()).to.equal(4);
    const [draft] = (await service.admin.get('/v1/policies/shadow')).json.drafts;
    expect(stoppedBy(draft.examples)).to.have.members(STOPPED);
    expect(draft.changed).to.include({ decisions: 3, stricter: 3 });
  });

  it('are verified from files; a changed argument, catalogue or log is refused by its name', async () => {
    const [id, erased] = [
      await ask('write', { path: '/srv/b', content: 'kept' }),
      await ask('list', { path: '/gone' }),
    ];
    await asSuperuser(service.db, (sql) =>
      sql.query('UPDATE decision SET facts = NULL, facts_salt = NULL WHERE decision_id = $1', [erased]),
    );
    await worker.append();
    const { log, facts, policies, ...exported } = await exportDecisions(service, run);
    const verify = (arg: string): Promise<Ran> => runCommand([...exported.verify, arg], exported.env);
    const all = await verify('--all');
    expect(all.code, all.stdout + all.stderr).to.equal(0);
    expect(all.stderr).to.match(/^\d+ verified, 1 not evaluable, 0 failed\.\n$/);
    expect((await verify(erased)).stdout).to.contain('Retention has erased the facts');

    /** Verifies with one file edited, which is restored afterwards. */
    const edited = async (file: string, edit: (text: string) => string): Promise<Ran> => {
      const text = readFileSync(file, 'utf8');
      expect(edit(text), 'the edit changes the file').to.not.equal(text);
      writeFileSync(file, edit(text));
      const ran = await verify(id);
      writeFileSync(file, text);
      return ran;
    };
    /** Edits the text inside the base64 of the line that has this mark. */
    const within = (member: string, mark: string, from: string, to: string) => (text: string) =>
      text
        .split('\n')
        .map((line) => {
          if (!line.includes(mark)) return line;
          const value = JSON.parse(line) as Record<string, string>;
          const inner = Buffer.from(value[member] ?? '', 'base64').toString('utf8');
          return JSON.stringify({ ...value, [member]: Buffer.from(inner.replace(from, to)).toString('base64') });
        })
        .join('\n');
    const argument = await edited(facts, within('facts', id, '"content":"kept"', '"content":"gone"'));
    expect(argument.code).to.equal(DECISION_FAILURES.FACTS_DIGEST.exitCode);
    expect(argument.stdout).to.contain('tool.arguments_digest');
    const set = await edited(policies, within('policySet', 'policySet', '"server":"files"', '"server":"filed"'));
    expect(set.code, set.stdout).to.equal(DECISION_FAILURES.POLICY_SET_MISSING.exitCode);
    const record = await edited(log, (text) =>
      text
        .split('\n')
        .map((line) => {
          const inner = /"record":"([^"]+)"/.exec(line)?.[1];
          const plain = inner === undefined ? '' : Buffer.from(inner, 'base64').toString('utf8');
          if (inner === undefined || !plain.includes(id)) return line;
          return line.replace(inner, Buffer.from(plain.replace('"known":true', '"known":false')).toString('base64'));
        })
        .join('\n'),
    );
    expect(record.code, record.stderr).to.equal(FAILURES.LOG_ALTERED.exitCode);
  });

  it('are refused by their names when the record, its row or the set in the database were edited', async () => {
    const id = await ask('write', { path: '/srv/c', content: 'kept' });
    const store = createEvidenceStore({ db: service.db });
    const owner = { organisationId: service.operatorId, environment: 'live' as const };
    const [found] = await store.some(owner, [id]);
    if (found === undefined) throw new Error('there is no such decision');
    const policySet = await store.policySet(found.policyDigest ?? '');
    const evidence: DecisionEvidence = {
      ...found.evidence,
      policySet,
      trustRecords: [],
      haltRecords: [],
      approvalRecords: [],
      keyRecords: [],
    };
    const verifier = createDecisionVerifier();
    const failures = async (changed: Partial<DecisionEvidence>): Promise<DecisionFailureCode[]> => {
      const outcome = await verifier.verify({ ...evidence, ...changed });
      return outcome.status === 'failed' ? outcome.failures.map(({ code }) => code) : [];
    };
    expect(await failures({})).to.deep.equal([]);
    const text = Buffer.from(evidence.record.bytes).toString('utf8');
    const record = (from: string, to: string) => {
      expect(text).to.contain(from);
      return { record: { bytes: Buffer.from(text.replace(from, to)) } };
    };
    const { columns } = evidence;
    if (columns === undefined) throw new Error('there is no row');
    const cases: readonly (readonly [Partial<DecisionEvidence>, readonly DecisionFailureCode[]])[] = [
      [record('"known":true', '"known":false'), ['FACTS_DISAGREE']],
      [record('"changed":false', '"changed":true'), ['FACTS_DISAGREE']],
      [record('"known":true', '"known":1'), ['RECORD_NOT_CANONICAL']],
      [record('"known":true,', ''), ['RECORD_NOT_CANONICAL']],
      [record('"known":true,"name":"write"', '"known":true,"name":"wrote"'), ['ROW_DIFFERS', 'FACTS_DISAGREE']],
      [{ columns: { ...columns, toolName: 'list' } }, ['ROW_DIFFERS']],
      [{ columns: { ...columns, toolServer: null } }, ['ROW_DIFFERS']],
      [{ policySet: policySet?.replace('"server":"files"', '"server":"filed"') }, ['POLICY_SET_DIGEST']],
    ];
    for (const [changed, expected] of cases) expect([...new Set(await failures(changed))]).to.deep.equal(expected);
  });
});

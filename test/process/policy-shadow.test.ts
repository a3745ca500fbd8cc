// Shadow mode on a real service: new decisions that a draft would change are counted once, by one worker at a time.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { ADVISORY_LOCKS } from '../../shared/platform/db/locks.ts';
import { createReplayer } from '../../shared/domain/drafts/replay.ts';
import { draftOfFolder } from '../../shared/domain/drafts/replay-draft.ts';
import { queueReplay } from '../../shared/domain/drafts/replay-jobs.ts';
import {
  beginShadow,
  isInShare,
  logsBehind,
  type ShadowDraft,
  shadowLog,
} from '../../shared/domain/drafts/shadow-store.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { readPolicyFolder } from '../../shared/domain/policy-sets/folder.ts';
import { createShadowWorker, shadowCounter } from '../../workers/shadow.ts';
import type { Client } from '../support/client.ts';
import { folderWithFewWords } from '../support/lexicon.ts';
import { runCommand } from '../support/command.ts';
import { startWorker, TEST_PEPPER } from '../support/process.ts';
import { type Service, SHIPPED_POLICIES } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';
import { type ServiceAndWorker, startServiceAndWorker, type TestWorker } from '../support/worker.ts';

const logger = pino({ level: 'silent' });
const shipped = (name: string): string => readFileSync(path.join(SHIPPED_POLICIES, name), 'utf8');
/** The shipped policy that permits reads, changed to deny them. */
const denyingReads = shipped('reads.json').replaceAll('"ALLOW"', '"DENY"');

describe('shadow mode', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let worker: TestWorker;
  let client: Client;
  let draftDir: string;
  let inForce: string;

  before(async () => {
    draftDir = folderWithFewWords();
    writeFileSync(path.join(draftDir, 'reads.json'), denyingReads);
    both = await startServiceAndWorker({ words: 'few' });
    ({ service, worker } = both);
    client = await service.client();
    inForce = (await service.admin.get('/v1/policies')).json.digest;
    await client.post('/v1/enforce', { intent: 'data.read.x', agent_id: 'before' });
  });
  after(() => both?.close());

  const custos = (...args: string[]) =>
    runCommand(['policy', ...args], { DATABASE_URL: service.databaseUrl, CUSTOS_PEPPER: TEST_PEPPER });

  const status = async () => (await service.admin.get('/v1/policies/shadow')).json;
  const shadowOf = (share = 1, registry = new Registry()) =>
    createShadowWorker({
      db: service.db,
      dir: draftDir,
      share,
      logger,
      onCounted: shadowCounter(registry),
    });
  const ask = async (agentId: string): Promise<void> => {
    await client.post('/v1/enforce/batch', {
      requests: ['data.read.user_profile', 'db.delete.users'].map((intent) => ({ intent, agent_id: agentId })),
    });
    await worker.append();
  };

  it('is off until a worker runs it', async () => {
    expect(await status()).to.deep.equal({ running: false, draft: null, share: null, findings: [], drafts: [] });
  });

  it('counts the changes that the draft would make to decisions recorded from then on, each once', async () => {
    await worker.append();
    await beginShadow(service.db);
    const registry = new Registry();
    const shadow = shadowOf(1, registry);
    expect(await shadow.look()).to.deep.equal([]);
    expect(await shadow.follow(), 'decisions made before').to.equal(0);
    await ask('shadowed');
    expect(await shadow.follow()).to.equal(2);
    expect(await shadow.follow()).to.equal(0);
    // The log of another organisation, created after shadow mode began.
    const late = await service.client({ organisationId: await service.addOrganisation('late') });
    await late.post('/v1/enforce', { intent: 'data.read.x', agent_id: 'first' });
    await worker.append();
    expect(await shadow.follow()).to.equal(1);
    const { running, share, draft, drafts } = await status();
    expect([running, share, drafts.length]).to.deep.equal([true, 1, 1]);
    expect(drafts[0]).to.deep.include({ digest: draft.digest, skipped: 0 });
    expect(drafts[0].decisions.evaluated).to.equal(3);
    expect(drafts[0].transitions).to.deep.equal([{ from: 'ALLOW', to: 'DENY', decisions: 2 }]);
    expect(drafts[0].agents.items.map((row: { agentId: string }) => row.agentId).sort()).to.deep.equal([
      'first',
      'shadowed',
    ]);
    const metrics = await registry.metrics();
    expect(metrics).to.contain('custos_shadow_decisions_total{result="different"} 2');
    expect(metrics).to.contain('custos_shadow_decisions_total{result="same"} 1');
    expect((await client.post('/v1/enforce', { intent: 'data.read.x', agent_id: 'a' })).json.verdict).to.equal('ALLOW');
    const shell = await custos('shadow', '--json');
    expect(JSON.parse(shell.stdout).drafts, shell.stderr).to.deep.equal(drafts);
  });

  it('counts nothing twice when two workers run it at once, or one dies halfway', async () => {
    await ask('raced');
    const before = (await status()).drafts[0].decisions.evaluated;
    const loaded = await draftOfFolder(service.db, await readPolicyFolder(draftDir));
    if (!loaded.ok) throw new Error('the draft is broken');
    const draft = (replayer = createReplayer(loaded.set)): ShadowDraft => ({
      digest: loaded.set.digest,
      policies: 1,
      replayer,
      share: 1,
    });
    const step = (one: ShadowDraft, logId: number) => shadowLog(service.db, logId, [one]);
    const logs = await logsBehind(service.db);
    expect(logs).to.have.length.greaterThan(0);
    const dying = draft({ replay: () => Promise.reject(new Error('killed')) });
    for (const logId of logs) await step(dying, logId).catch(() => undefined);
    await Promise.all(logs.flatMap((logId) => [step(draft(), logId), step(draft(), logId)]));
    expect(await logsBehind(service.db)).to.deep.equal([]);
    // The decisions made to check the answers are recorded and counted too.
    expect((await status()).drafts[0].decisions.evaluated).to.equal(before + 3);
  });

  it('evaluates nothing while the draft is broken, reports the reason, and does not catch up later', async () => {
    const shadow = shadowOf();
    await shadow.look();
    const file = path.join(draftDir, 'reads.json');
    writeFileSync(file, '{"id": 1}');
    expect(await shadow.look(), 'seen once, it may be a partial write').to.deep.equal([]);
    expect((await shadow.look())[0]).to.include({ file: 'reads.json', line: 1 });
    await ask('unseen');
    expect(await shadow.follow()).to.equal(0);
    const broken = await status();
    expect([broken.running, broken.draft, broken.findings[0].file]).to.deep.equal([true, null, 'reads.json']);
    writeFileSync(file, shipped('reads.json'));
    await shadow.look();
    expect(await shadow.look()).to.deep.equal([]);
    expect(await shadow.follow()).to.equal(0);
    await ask('seen');
    expect(await shadow.follow()).to.equal(2);
    const { draft, drafts } = await status();
    expect([draft.digest, drafts.length]).to.deep.equal([inForce, 2]);
    expect(drafts[0]).to.deep.include({ digest: inForce, transitions: [] });
    expect(drafts[0].decisions.evaluated).to.equal(2);
  });

  it('evaluates a staged set for its share and organisations, without an effect on verdicts, until it is dropped or promoted', async () => {
    const { db, admin } = service;
    const lateId = await service.addOrganisation('staged');
    const other = await service.client({ organisationId: lateId });
    const files = readdirSync(SHIPPED_POLICIES)
      .filter((name) => name.endsWith('.json') && name !== 'reads.json')
      .map((name) => ({ path: name, text: shipped(name) }));
    const push = async (stage: object) => {
      const denied = { path: 'reads.json', text: denyingReads.replace('"description": "', '"description": "Staged. ') };
      const body = { files: [...files, denied], reason: 'try it', stage };
      return (await admin.post('/v1/policies', body)).json;
    };
    const stages = async () => (await admin.get('/v1/policies/stages')).json.items;
    const reading = { intent: 'data.read.user_profile', agent_id: 'staged' };
    const shadow = createShadowWorker({ db, share: 1, logger });
    const turn = async (): Promise<number> => {
      await worker.append();
      await shadow.look();
      return shadow.follow();
    };
    expect(await turn(), 'nothing is staged').to.equal(0);
    const refused = await push({ share: 0 });
    expect([refused.code, (await push({})).code]).to.deep.equal(['E2001', 'E2001']);
    const { status: answer, digest } = await push({ share: 1, organisations: ['staged'] });
    expect(answer).to.equal('staged');
    expect((await stages())[0]).to.deep.include({
      digest,
      share: 1,
      shareOf: ['staged'],
      organisations: [],
      shadow: null,
    });
    await turn();
    expect((await other.post('/v1/enforce', reading)).json.verdict).to.equal('ALLOW');
    expect((await client.post('/v1/enforce', reading)).json.verdict).to.equal('ALLOW');
    expect(await turn(), 'those of the named organisation').to.equal(1);
    // Another process continues where this one stopped, whatever its clock says.
    const next = createShadowWorker({ db, share: 1, logger });
    await other.post('/v1/enforce', reading);
    await worker.append();
    await next.look();
    expect(await next.follow()).to.equal(1);
    const [{ shadow: shown }] = await stages();
    expect(shown.decisions.evaluated).to.equal(2);
    expect(shown.transitions).to.deep.equal([{ from: 'ALLOW', to: 'DENY', decisions: 2 }]);
    expect(shown.examples[0]).to.deep.include({ agentId: 'staged', organisation: 'staged' });
    const listed = await custos('stages');
    expect(listed.stdout, listed.stderr).to.contain(digest).and.to.contain('100 % of the live decisions of staged');
    const dropped = await admin.request('DELETE', `/v1/policies/stages/${digest}`, { body: { reason: 'enough' } });
    expect([dropped.status, dropped.json.status, await stages()]).to.deep.equal([200, 'dropped', []]);
    await other.post('/v1/enforce', reading);
    expect(await turn()).to.equal(0);
    await push({ share: 0.5 });
    expect((await stages())[0]).to.deep.include({ share: 0.5, shareOf: null, shadow: null });
    const promoted = await admin.post('/v1/policies/promote', { digest, reason: 'it works' });
    expect([promoted.json.status, await stages()]).to.deep.equal(['activated', []]);
    await waitFor(async () => (await other.post('/v1/enforce', reading)).json.verdict === 'DENY');
    const back = await admin.post('/v1/policies/rollback', { digest: inForce, reason: 'back' });
    expect(back.json.status).to.equal('activated');
    await waitFor(async () => (await other.post('/v1/enforce', reading)).json.verdict === 'ALLOW');
    const { items } = (await admin.get('/v1/policies/activations?limit=2')).json;
    expect(items.map(({ source, reason }: { source: string; reason: string }) => [source, reason])).to.deep.equal([
      ['rollback', 'back'],
      ['push', 'it works'],
    ]);
    await worker.append();
  });

  it('evaluates the configured share, always of the same decisions', async () => {
    const shadow = shadowOf(0);
    await shadow.look();
    await ask('none of them');
    expect(await shadow.follow()).to.equal(0);
    expect(await logsBehind(service.db)).to.deep.equal([]);
    const ids = Array.from({ length: 2_000 }, (_, i) => `dec_${i}`);
    const quarter = ids.filter((id) => isInShare(id, 0.25));
    expect(quarter.length).to.be.within(400, 600);
    expect(ids.filter((id) => isInShare(id, 0.5))).to.include.members(quarter);
    expect(ids.filter((id) => isInShare(id, 1))).to.have.lengthOf(ids.length);
  });

  // Runs last: its worker processes do what the tests above do by direct calls.
  it('is run by one of several worker processes, alongside requested replays', async () => {
    const dir = folderWithFewWords();
    writeFileSync(path.join(dir, 'reads.json'), denyingReads);
    const env = { CUSTOS_SHADOW_POLICY_DIR: dir, CUSTOS_SHADOW_SHARE: '1', CUSTOS_POLICY_DIR: folderWithFewWords() };
    const workers = await Promise.all([startWorker(service.databaseUrl, env), startWorker(service.databaseUrl, env)]);
    try {
      const status = async () => (await service.admin.get('/v1/policies/shadow')).json;
      // The draft of this folder, not one from an earlier test.
      const loaded = await draftOfFolder(service.db, await readPolicyFolder(dir));
      const digest = loaded.ok ? loaded.set.digest : '';
      await waitFor(async () => (await status()).draft?.digest === digest, {
        what: 'the draft to be evaluated',
      });
      const changed = async (): Promise<number> => {
        const found = (await status()).drafts.find((draft: { digest: string }) => draft.digest === digest);
        return found === undefined ? 0 : found.changed.decisions;
      };
      const before = await changed();
      await client.post('/v1/enforce', { intent: 'data.read.user_profile', agent_id: 'by a process' });
      await waitFor(async () => (await changed()) > before, {
        what: 'the decision to be shadowed',
      });
      expect(await changed()).to.equal(before + 1);
      const holders = await service.rows(
        `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${ADVISORY_LOCKS.shadow} AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      expect(holders).to.have.lengthOf(1);
      // The process updates its metric only after its transaction has committed.
      await waitFor(
        async () => {
          const texts = await Promise.all(
            workers.map(async ({ address }) => (await fetch(new URL('/metrics', address))).text()),
          );
          return texts.join('').includes('custos_shadow_decisions_total{result="different"} 1');
        },
        { what: 'the decision to be counted' },
      );
      const replayId = newId('rpl', service.nowMs());
      const canonical = (await service.rows<{ canonical: Buffer }>('SELECT canonical FROM policy_set'))[0]?.canonical;
      await queueReplay(service.db, {
        replayId,
        organisationId: service.operatorId,
        environment: 'live',
        toMs: service.nowMs(),
        keyId: 'AAAAAAAA',
        draft: { canonical: canonical?.toString('utf8') ?? '', digest: inForce },
        total: 1,
        createdAtMs: service.nowMs(),
      });
      const done = await waitFor(
        async () => {
          const { json } = await service.admin.get(`/v1/policies/replays/${replayId}`);
          return json.status === 'done' ? json : undefined;
        },
        { what: 'the replay to be done' },
      );
      expect(done.report.decisions.total).to.be.greaterThan(5);
      expect(done.report.changed.decisions).to.equal(0);
    } finally {
      await Promise.all(workers.map((one) => one.stop()));
    }
  });
});

// Policy replay over HTTP, as a job and from the shell, on a real service's decisions: all report the same difference.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import type { Sql, Statement } from '../../shared/platform/db/database.ts';
import {
  ClaimLost,
  COUNTED_AT_ONCE,
  createReplayClaims,
  forgetReplays,
} from '../../shared/domain/drafts/replay-jobs.ts';
import { countDecisions } from '../../shared/domain/drafts/replay-store.ts';
import type { ReplayReport } from '../../shared/domain/drafts/reports.ts';
import { lowestId } from '../../shared/kernel/ids.ts';
import { createReplayRunner } from '../../workers/jobs/replay.ts';
import type { Client } from '../support/client.ts';
import { temporaryFolder } from '../support/folders.ts';
import { folderWithFewWords } from '../support/lexicon.ts';
import { runCommand } from '../support/command.ts';
import { TEST_PEPPER } from '../support/process.ts';
import { type Service, SHIPPED_POLICIES, startService } from '../support/service.ts';
import { storePlainRecords } from '../support/stored-records.ts';

const HOSTILE = `<script>alert("1")</script>'&\u202e`;
const logger = pino({ level: 'silent' });
const shipped = (name: string): string => readFileSync(path.join(SHIPPED_POLICIES, name), 'utf8');
/** The shipped policy that permits reads, changed to deny them. */
const denyingReads = shipped('reads.json').replaceAll('"ALLOW"', '"DENY"');

describe('policy replay', () => {
  let service: Service;
  let client: Client;
  let draftDir: string;
  let inForce: string;
  let from: string;
  let to: string;

  before(async () => {
    draftDir = folderWithFewWords();
    writeFileSync(path.join(draftDir, 'reads.json'), denyingReads);
    service = await startService({ words: 'few' });
    client = await service.client();
    inForce = (await service.admin.get('/v1/policies')).json.digest;
    from = new Date(service.nowMs() - 60_000).toISOString();
    const intents = ['data.read.user_profile', 'data.update.user_profile', 'db.delete.users', 'nonsense.unknown.thing'];
    await client.post('/v1/enforce/batch', {
      requests: ['reader', HOSTILE].flatMap((agentId) => intents.map((intent) => ({ intent, agent_id: agentId }))),
    });
    await client.post('/v1/enforce', { intent: 'data.read.x', agent_id: 'reader', approval_id: 'apr_unknown' });
    await service.admin.post('/v1/halt', { reason: 'incident' });
    const halted = await client.post('/v1/enforce', { intent: 'data.read.x', agent_id: 'reader' });
    expect(halted.json.reasons[0].code).to.equal('HALTED');
    await service.admin.delete('/v1/halt');
    const other = await service.client({ organisationId: await service.addOrganisation('other') });
    await other.post('/v1/enforce', { intent: 'data.read.x', agent_id: 'theirs' });
    const dev = await service.client({ environment: 'dev' });
    await dev.post('/v1/enforce', { intent: 'data.read.x', agent_id: 'bulk' });
    service.advance(1_000);
    to = new Date(service.nowMs()).toISOString();
    service.advance(1_000);
  });
  after(async () => {
    await service?.close();
  });

  const files = (reads = denyingReads) =>
    ['broad-patterns.json', 'destructive.json', 'risk.json', 'writes.json', 'unclear.json']
      .map((name) => ({ path: name, text: shipped(name) }))
      .concat({ path: 'reads.json', text: reads });
  const replay = (body: object, by = service.admin, headers = {}) => by.post('/v1/policies/replay', body, { headers });
  const custos = (...args: string[]) =>
    runCommand(['policy', ...args], { DATABASE_URL: service.databaseUrl, CUSTOS_PEPPER: TEST_PEPPER });

  it('reports no changes under the set that was in force', async () => {
    const { status, json } = await replay({ digest: inForce, from, to });
    expect(status).to.equal(200);
    expect(json.decisions).to.deep.include({ total: 10, evaluated: 8, standing: 2 });
    expect(json.decisions.notEvaluable.total).to.equal(0);
    expect(json.changed.decisions + json.otherReasons).to.equal(0);
    expect([json.transitions, json.rules.items, json.examples]).to.deep.equal([[], [], []]);
    expect(json.sets).to.deep.equal([{ digest: inForce, decisions: 10, lexicon: 'same' }]);
  });

  it('names the agents, resources and rules whose verdict a draft changes, with byte-identical reports', async () => {
    const first = await replay({ files: files(), from, to });
    expect(first.json.changed, first.text).to.include({ decisions: 2, stricter: 2, looser: 0 });
    expect(first.json.transitions).to.deep.equal([{ from: 'ALLOW', to: 'DENY', decisions: 2 }]);
    expect(first.json.agents.items.map((row: { agentId: string }) => row.agentId)).to.have.members(['reader', HOSTILE]);
    expect(first.json.resources.items).to.deep.equal([
      { resource: 'data/user_profile', decisions: 2, stricter: 2, looser: 0 },
    ]);
    const [{ rule }] = first.json.rules.items;
    expect(first.json.rules.items).to.deep.equal([
      { policy: 'reads', rule, effect: 'ALLOW', newly: 0, noLonger: 2 },
      { policy: 'reads', rule, effect: 'DENY', newly: 2, noLonger: 0 },
    ]);
    expect(first.json.examples[0].after.reasons[0]).to.include({ policy: 'reads', effect: 'DENY' });
    expect((await replay({ files: files().toReversed(), from, to })).text).to.equal(first.text);
    const none = await replay({ files: files(), from, to, agentId: 'nobody' });
    expect(none.json.decisions.total).to.equal(0);
  });

  it('renders an HTML page in which hostile texts are escaped', async () => {
    const page = await replay({ files: files(), from, to }, service.admin, { accept: 'text/html' });
    expect(page.headers['content-type']).to.equal('text/html; charset=utf-8');
    expect(page.headers['content-disposition']).to.match(/^attachment;/);
    expect(page.text).to.contain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;\\u{202e}');
    expect(page.text).not.to.match(/<script|\u202e|(src|href)=/);
  });

  it('refuses invalid replays, and answers only the operator', async () => {
    const broken = await replay({ files: files('{\n  "id": "x",\n}') });
    expect([broken.status, broken.json.code]).to.deep.equal([400, 'E2001']);
    expect(broken.json.errors[0].pointer).to.equal('/files/5/text');
    expect(broken.json.errors[0].message).to.match(/^reads\.json:3:1 /);
    for (const [body, code] of [
      [{ digest: '0'.repeat(64) }, 'E4001'],
      [{}, 'E2001'],
      [{ digest: inForce, files: files() }, 'E2001'],
      [{ digest: inForce, since: '7d', from }, 'E2001'],
      [{ digest: inForce, since: '0m' }, 'E2001'],
      [{ digest: inForce, from: to, to: from }, 'E2001'],
      [{ digest: inForce, from: 'yesterday' }, 'E2001'],
    ] as const)
      expect((await replay(body)).json.code, JSON.stringify(body)).to.equal(code);
    for (const by of [await service.client({ scopes: ['admin:*'], environment: 'dev' }), client])
      for (const answer of [
        await replay({ digest: inForce }, by),
        await by.get('/v1/policies/shadow'),
        await by.get('/v1/policies/replays/rpl_1'),
      ])
        expect([answer.status, answer.json.code]).to.deep.equal([403, 'E1004']);
    expect((await service.admin.get('/v1/policies/replays/rpl_1')).json.code).to.equal('E4001');
  });

  it('counts decisions with erased facts, and replays the others', async () => {
    const about = { from, to, environment: 'live', files: files() };
    const before: ReplayReport = (await replay(about)).json;
    const ids = await service.rows<{ decision_id: string }>(
      "SELECT decision_id FROM decision WHERE environment = 'live' AND agent_id = 'reader' AND verdict = 'ALLOW'",
    );
    expect(ids).to.have.lengthOf(1);
    await service.rows('UPDATE decision SET facts = NULL, facts_salt = NULL WHERE decision_id = $1', [
      ids[0]?.decision_id,
    ]);
    const after: ReplayReport = (await replay(about)).json;
    expect(after.decisions.notEvaluable).to.deep.equal({ total: 1, factsErased: 1, damaged: 0, notReproduced: 0 });
    expect(after.decisions.evaluated).to.equal(before.decisions.evaluated - 1);
    expect(after.changed.decisions).to.equal(before.changed.decisions - 1);
    expect(after.notes.join(' ')).to.contain('The facts of 1 decisions were erased');
  });

  it('skips damaged decisions, and those that their facts do not reproduce under their recorded set', async () => {
    const copy = (name: string, columns: string) =>
      service.rows(
        `INSERT INTO decision SELECT left(decision_id, 20) || $1, organisation_id, 'test', agent_id, key_id, verdict, evaluated_at, policy_digest,
          'prf_' || $1, process_id, ${columns} FROM decision WHERE environment = 'live' AND verdict = 'ALLOW' AND agent_id = $2`,
        [name, HOSTILE],
      );
    await copy('0000000001', 'record, facts, NULL');
    await copy('0000000002', "record || 'x', facts, facts_salt");
    await copy('0000000003', 'record, set_byte(facts, 20, get_byte(facts, 20) # 1), facts_salt');
    await storePlainRecords(service.db);
    const changed = `convert_to(replace(convert_from(record, 'UTF8'), '"verdict":"ALLOW"', '"verdict":"DENY"'), 'UTF8')`;
    await copy('0000000004', `${changed}, facts, facts_salt`);
    const { json } = await replay({ digest: inForce, from, to, environment: 'test' });
    expect(json.decisions.notEvaluable).to.deep.equal({ total: 4, factsErased: 0, damaged: 3, notReproduced: 1 });
    expect(json.changed.decisions).to.equal(0);
    expect(json.notes.join(' ')).to.contain('4 decisions are not what was recorded');
  });

  it('counts any number of decisions, at most 20,000 per statement, and can count those of one agent', async () => {
    const organisationId = await service.addOrganisation('large');
    const [many, toMs] = [20_003, Date.parse('2026-01-02T00:00:00.000Z')];
    await service.rows(
      `INSERT INTO decision (decision_id, organisation_id, environment, agent_id, key_id, verdict, evaluated_at, proof_id, process_id, record)
       SELECT $1 || lpad(n::text, 16, '0'), $2, 'live', CASE n % 10000 WHEN 7 THEN 'rare' ELSE 'frequent' END, 'AAAAAAAA', 'DENY', $3, 'prf_' || n, 'p', ''
       FROM generate_series(1, $4::int) AS n`,
      [lowestId('dec', toMs - 1).slice(0, 14), organisationId, new Date(toMs - 1), many],
    );
    const counts: number[] = [];
    const counting: Sql = {
      seals: service.db.seals,
      async query<Row extends object>(statement: Statement, values: readonly unknown[]) {
        const rows = await service.db.query<Row>(statement, values);
        for (const row of rows) if ('n' in row) counts.push(Number(row.n));
        return rows;
      },
    };
    const range = { organisationId, toMs };
    expect(await countDecisions(counting, range)).to.equal(many);
    expect(await countDecisions(counting, range, 100)).to.equal(100);
    expect(await countDecisions(counting, { ...range, agentId: 'rare' })).to.equal(2);
    expect(await countDecisions(counting, { ...range, toMs: toMs - 1 })).to.equal(0);
    expect(counts).to.deep.equal([20_000, 3, 100, 2]);
  });

  describe('of a long range', () => {
    const COPIES = 1_200;
    const dev = { environment: 'dev' };
    const runner = () => createReplayRunner({ db: service.db, nowMs: service.nowMs, logger });

    before(async () => {
      // Copies of one decision with new ids in the column; their records are unchanged, which a replay accepts.
      await service.rows(
        `INSERT INTO decision SELECT $1 || lpad(n::text, 16, '0'), organisation_id, environment, agent_id, key_id, verdict, evaluated_at, policy_digest,
          'prf_' || n, process_id, record, facts, facts_salt FROM decision, generate_series(1, $2::int) AS n WHERE environment = 'dev'`,
        [lowestId('dec', Date.parse(from)).slice(0, 14), COPIES],
      );
    });

    it('is a job that reports its progress and ends with the same report as the shell', async () => {
      const accepted = await replay({ files: files(), from, to, ...dev });
      expect([accepted.status, accepted.json.status]).to.deep.equal([202, 'queued']);
      expect(accepted.json.progress).to.deep.equal({ replayed: 0, total: COPIES + 1 });
      const location = accepted.headers['location'] ?? '';
      expect(location).to.equal(`/v1/policies/replays/${accepted.json.replayId}`);
      const [job] = await service.rows("SELECT name, payload FROM outbox WHERE queue = 'upkeep'");
      expect(job).to.deep.equal({ name: 'replay', payload: '{"v":1}' });
      await runner().run();
      const done = (await service.admin.get(location)).json;
      expect(done).to.include({ status: 'done', error: null });
      expect(done.progress).to.deep.equal({ replayed: COPIES + 1, total: COPIES + 1 });
      expect(done.report.changed.stricter).to.equal(COPIES + 1);
      expect((await service.rows('SELECT draft FROM replay'))[0], 'the draft is not kept').to.deep.equal({
        draft: null,
      });
      const page = await service.admin.get(location, { headers: { accept: 'text/html' } });
      expect(page.text).to.contain('The draft changes 1,201 decisions.');

      const folder = temporaryFolder('same');
      for (const { path: name, text } of files()) writeFileSync(path.join(folder, name), text);
      const html = path.join(folder, 'report.html');
      const shell = await custos(
        ...['replay', '--policies', folder, '--from', from, '--to', to, '--organisation', 'default'],
        ...['--environment', 'dev', '--json', '--html', html, '--fail-on-change'],
      );
      expect(shell.code, shell.stderr).to.equal(4);
      expect(JSON.stringify(JSON.parse(shell.stdout))).to.equal(JSON.stringify(done.report));
      expect(readFileSync(html, 'utf8')).to.equal(page.text);
    });

    it('restarts from the beginning after its worker died, and is run by one worker at a time', async () => {
      const { json } = await replay({ digest: inForce, from, to, ...dev });
      const claims = createReplayClaims({ db: service.db, nowMs: service.nowMs });
      const claimed = await claims.next('killed');
      expect(claimed?.replayId).to.equal(json.replayId);
      await claims.progress(json.replayId, 'killed', 400);
      // Simulates more decisions than are counted synchronously.
      await service.rows('UPDATE replay SET total = $1 WHERE replay_id = $2', [COUNTED_AT_ONCE, json.replayId]);
      const read = async () => (await service.admin.get(`/v1/policies/replays/${json.replayId}`)).json;
      await runner().run();
      expect(await read(), 'its worker may still be alive').to.deep.include({ status: 'running' });
      await service.rows("UPDATE replay SET updated_at = now() - interval '31 seconds' WHERE replay_id = $1", [
        json.replayId,
      ]);
      await runner().run();
      const { status, report, progress } = await read();
      expect(progress).to.deep.equal({ replayed: COPIES + 1, total: COPIES + 1 });
      expect([status, report.decisions.total, report.changed.decisions]).to.deep.equal(['done', COPIES + 1, 0]);
      const late = await claims.finish(json.replayId, 'killed', '{}', 1).catch((error: unknown) => error);
      expect(late).to.be.instanceOf(ClaimLost);
    });

    it('is refused when too many wait, and fails with a message when its draft can not be loaded or its runs end early', async () => {
      const ids: string[] = [];
      for (let i = 0; i < 5; i += 1) ids.push((await replay({ digest: inForce, from, to, ...dev })).json.replayId);
      const refused = await replay({ digest: inForce, from, to, ...dev });
      expect([refused.status, refused.json.code, refused.headers['retry-after']]).to.deep.equal([429, 'E3001', '30']);
      await service.rows("UPDATE replay SET draft = '{}' WHERE replay_id = ANY ($1)", [ids.slice(1)]);
      await service.rows('UPDATE replay SET runs = 5 WHERE replay_id = $1', [ids[0]]);
      await runner().run();
      const given = (await service.admin.get(`/v1/policies/replays/${ids[0]}`)).json;
      expect([given.status, given.error]).to.deep.equal(['failed', 'The replay failed: 5 runs ended early.']);
      const read = (await service.admin.get(`/v1/policies/replays/${ids[4]}`)).json;
      expect(read).to.include({ status: 'failed', report: null });
      expect(read.error).to.equal('This version of the service does not accept the draft.');
    });

    it('is queued once per Idempotency-Key, left to another worker by one that stops, and deleted after a week', async () => {
      const headers = { 'idempotency-key': 'replay-once' };
      const [one, two] = [
        await replay({ digest: inForce, from, to, ...dev }, service.admin, headers),
        await replay({ digest: inForce, from, to, ...dev }, service.admin, headers),
      ];
      expect([one.status, two.text]).to.deep.equal([202, one.text]);
      const closing = runner();
      await closing.close();
      await closing.run();
      expect((await service.admin.get(one.headers['location'] ?? '')).json.status).to.equal('queued');
      await runner().run();
      await service.rows("UPDATE replay SET created_at = created_at - interval '8 days' WHERE replay_id = $1", [
        one.json.replayId,
      ]);
      await forgetReplays(service.db, service.nowMs());
      expect((await service.admin.get(one.headers['location'] ?? '')).status).to.equal(404);
    });
  });

  it('reports from the shell what a draft changes, and the errors of a broken draft', async () => {
    const shown = await custos('replay', '--policies', draftDir, '--since', '1h', '--environment', 'live');
    expect(shown.code, shown.stderr).to.equal(0);
    expect(shown.stdout)
      .to.match(/ALLOW\s+DENY\s+2/)
      .and.to.contain('\\u{202e}')
      .and.not.to.contain('\u202e');
    const junit = await custos('replay', draftDir, '--since', '1h', '--format', 'junit', '--fail-on-change');
    expect([junit.code, junit.stdout.startsWith('<?xml')], junit.stderr).to.deep.equal([4, true]);
    expect(junit.stdout).to.match(
      /<testcase name="ALLOW to DENY"[^>]*><failure message="\d+ decisions would be DENY instead/,
    );
    const folder = temporaryFolder('broken');
    writeFileSync(path.join(folder, 'a.json'), '{');
    const broken = await custos('replay', '--policies', folder);
    const place = path.relative(process.cwd(), folder).startsWith('../..') ? folder : path.relative('.', folder);
    expect([broken.code, broken.stdout.split(' ')[0]]).to.deep.equal([3, `${path.join(place, 'a.json')}:1:2`]);
    const asJson = await custos('replay', '--policies', folder, '--json');
    const { ok, findings } = JSON.parse(asJson.stdout) as { ok: boolean; findings: { severity: string }[] };
    expect([asJson.code, ok, findings[0]?.severity]).to.deep.equal([3, false, 'error']);
    const [none, twice] = await Promise.all([
      custos('replay', draftDir, '--agent', 'nobody-at-all'),
      custos('replay', draftDir, '--policies', draftDir),
    ]);
    expect([none.code, none.stdout.split('\n')[3]]).to.deep.equal([0, 'There are no decisions to compare.']);
    expect([twice.code, twice.stderr.startsWith('custos: Name the folder once')]).to.deep.equal([2, true]);
    for (const [args, sentence] of [
      [['--organisation', 'nobody'], /^custos: There is no organisation "nobody"/],
      [['--from', '2026-02-30T00:00:00Z'], /^custos: option '--from <time>' .* must be an RFC 3339 time/],
      [['--agent', ''], /^custos: option '--agent <agentId>' .* must not be empty/],
      [['--since', '0d'], /^custos: option '--since <duration>' .* must be a number from 1 and a unit/],
    ] as const) {
      const wrong = await custos('replay', draftDir, ...args);
      expect([wrong.code, wrong.stdout]).to.deep.equal([2, '']);
      expect(wrong.stderr).to.match(sentence);
    }
    const misused = await custos('replay', '--policies', path.join(folder, 'none'));
    expect([misused.code, misused.stderr]).to.deep.equal([
      2,
      `custos: The policy folder ${path.join(folder, 'none')} can't be read: it does not exist.\n`,
    ]);
  });
});

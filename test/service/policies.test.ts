// Policy sets over HTTP: the set in force, past sets, the check before use, and atomic replacement.
import { readdirSync, readFileSync } from 'node:fs';
import { MAX_PUSHES_PER_HOUR } from '../../shared/domain/policy-sets/organisation-change.ts';
import { lexiconParts } from '../support/lexicon.ts';
import path from 'node:path';
import { expect } from 'chai';
import { RE2JS } from 're2js';
import { draftOfDigest } from '../../shared/domain/drafts/replay-draft.ts';
import { replayRange } from '../../shared/domain/drafts/replay-store.ts';
import type { Client } from '../support/client.ts';
import { watchActivePolicySet } from '../../shared/domain/policy-sets/active-set.ts';
import type { Change, ChangeFeed, ChangeListener } from '../../shared/platform/db/changes.ts';
import { createGate } from '../support/gate.ts';
import { loadStored, type PolicyFiles, type Service, SHIPPED_POLICIES, startService } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';

/** Two policies that deny the same request, with codes that name their set. */
function setOf(name: string): PolicyFiles {
  const policy = (id: string, code: string) => ({
    id,
    description: `Denies, in the name of ${name}.`,
    stage: 'enforce',
    target: { actions: ['read'], resources: ['*'] },
    rules: [
      {
        name: 'deny',
        conditions: { all: [{ fact: 'intent', path: 'effect', operator: 'equal', value: 'read' }] },
        event: { type: 'DENY', params: { code: `${code}_${name}`, message: name } },
      },
    ],
  });
  const risk = {
    id: 'risk',
    description: `Rates, in the name of ${name}.`,
    stage: 'intake',
    target: { actions: ['*'], resources: ['*'] },
    rules: [
      {
        name: 'always',
        conditions: { all: [{ fact: 'intent', path: 'effect', operator: 'equal', value: 'read' }] },
        event: { type: 'RISK', params: { factor: `factor_${name.toLowerCase()}`, score: 100, message: name } },
      },
    ],
  };
  return { 'first.json': policy('first', 'FIRST'), 'second.json': policy('second', 'SECOND'), 'risk.json': risk };
}

const validateBy = (by: Client, files: object) => by.post('/v1/policies/validate', { files });
const shipped = (name: string) => ({ path: name, text: readFileSync(path.join(SHIPPED_POLICIES, name), 'utf8') });

describe('the shipped policy set', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  it('is shown when it is in force, with the result of the last read of the folder', async () => {
    const { json } = await service.admin.get('/v1/policies');
    expect(json.policies.map((policy: { id: string }) => policy.id)).to.include.members([
      'reads',
      'production',
      'writes',
    ]);
    expect(json.lastRead).to.deep.include({ ok: true, findings: [] });
    const decision = (await service.admin.post('/v1/enforce', { intent: 'data.read.x', agent_id: 'a' })).json;
    expect(decision.policy_set.digest).to.equal(json.digest);
    const stored = (await service.admin.get(`/v1/policies/${json.digest}`)).json;
    expect(stored).to.deep.include({ digest: json.digest, engine: 1, policies: json.policies });
    expect(stored.lexicon).to.be.an('object');
  });

  it('checked before use, its files get the digest of the set in force', async () => {
    const { digest, policies } = (await service.admin.get('/v1/policies')).json;
    const jsonIn = (folder: string): string[] =>
      readdirSync(path.join(SHIPPED_POLICIES, folder))
        .filter((name) => name.endsWith('.json') && name !== 'authzen.json')
        .map((name) => path.join(folder, name));
    const { json } = await validateBy(service.admin, [
      ...[...jsonIn('.'), ...jsonIn('tools'), 'authzen.json'].map(shipped),
      ...lexiconParts(),
    ]);
    expect(json).to.deep.equal({ valid: true, digest, findings: [] });
    expect(policies).to.have.lengthOf(jsonIn('.').length);
  });
});

describe('policy sets', () => {
  let service: Service;
  before(async () => {
    service = await startService({ words: 'few' });
  });
  after(() => service.close());

  const validate = (files: object, by: Client = service.admin) => validateBy(by, files);

  it('are not sent again to a caller that has them, until they change', async () => {
    const first = await service.admin.get('/v1/policies');
    const etag = String(first.headers['etag']);
    const known = { headers: { 'if-none-match': etag } };
    const again = await service.admin.get('/v1/policies', known);
    expect([again.status, again.text, again.headers['etag']]).to.deep.equal([304, '', etag]);
    const other = await service.admin.get('/v1/policies', { headers: { 'if-none-match': '"other"' } });
    expect([other.status, other.text]).to.deep.equal([200, first.text]);
    // Only who may read them learns whether they changed.
    const stranger = await service.client({ scopes: ['agents:read'] });
    expect((await stranger.get('/v1/policies', known)).status).to.equal(403);
  });

  it('stay readable by their digest after others are in force', async () => {
    const before = (await service.admin.get('/v1/policies')).json;
    const digest = await service.apply(setOf('LATER'));
    expect(digest).not.to.equal(before.digest);
    expect((await service.admin.get(`/v1/policies/${before.digest}`)).json.policies).to.deep.equal(before.policies);
    expect((await service.admin.get('/v1/policies')).json.policies).to.have.lengthOf(3);
    const unknown = await service.admin.get(`/v1/policies/${'0'.repeat(64)}`);
    expect([unknown.status, unknown.json.code]).to.deep.equal([404, 'E4001']);
    expect((await service.admin.get('/v1/policies/latest')).json.code).to.equal('E2001');
    expect(await service.apply(), 'the same files make the same digest').to.equal(before.digest);
    const activations = await service.rows<{ digest: string; previous_digest: string | null }>(
      'SELECT digest, previous_digest FROM policy_activation ORDER BY seq',
    );
    expect(activations).to.deep.equal([
      { digest: before.digest, previous_digest: null },
      { digest, previous_digest: before.digest },
      { digest: before.digest, previous_digest: digest },
    ]);
  });

  it('take effect before the next answer in a process that learns of them late, as after it was frozen', async () => {
    const { digest: before } = (await service.admin.get('/v1/policies')).json;
    let tell: ChangeListener = () => undefined;
    let ask: ChangeFeed['ensureFresh'] = () => undefined;
    let ready: () => Promise<void> = () => Promise.resolve();
    const policies = await watchActivePolicySet({
      db: service.db,
      changes: { subscribe: (listener) => (tell = listener), ensureFresh: () => ask() },
      loadSet: async (...stored) => {
        await ready();
        return loadStored(...stored);
      },
      onError: () => undefined,
    });
    const current = () => policies.current(service.operatorId);
    const digestNow = async (): Promise<string> => (await current()).set.digest;
    const changed: Change = { kind: 'policy', subject: [] };
    const after = await service.apply(setOf('LATE'));
    const gate = createGate();
    ready = () => gate.opened;
    tell(changed);
    expect(current(), 'told in time, it goes on with the set before while it loads').not.to.be.instanceOf(Promise);
    tell(changed, true);
    const late = digestNow();
    gate.open();
    expect([before, await late]).to.deep.equal([before, after]);
    expect(await service.apply()).to.equal(before);
    ready = () => Promise.reject(new Error('the connection was lost'));
    tell(changed, true);
    expect(await digestNow().catch((error: unknown) => error)).to.include({ code: 'E6002' });
    ready = () => Promise.resolve();
    // As the workers, which authenticate nobody, and so have not asked the feed before.
    ask = () => Promise.resolve().then(() => tell(changed, true));
    expect(await digestNow()).to.equal(before);
  });

  it('show their catalogues page by page with all tools, pins and defaults; a set without catalogues has an empty list', async () => {
    const all = (await service.admin.get('/v1/tools')).json;
    const servers = all.items.map(({ server }: { server: string }) => server);
    expect(servers).to.deep.equal(['everything', 'fetch', 'filesystem', 'git', 'memory']);
    const paged: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { json } = await service.admin.get(`/v1/tools?limit=2${query}`);
      paged.push(...json.items);
      cursor = json.nextCursor;
    }
    expect(paged).to.deep.equal(all.items);
    const file = JSON.parse(readFileSync(path.join(SHIPPED_POLICIES, 'tools', 'memory.json'), 'utf8'));
    const { tools, ...head } = all.items.at(-1);
    expect(head).to.deep.equal({ server: 'memory', description: file.description, trustAnnotations: false, seen: [] });
    const memory = `/v1/tools/${head.server}`;
    expect((await service.admin.get(memory)).json).to.deep.equal(all.items.at(-1));
    expect(tools.map(({ name }: { name: string }) => name)).to.deep.equal(Object.keys(file.tools).sort());
    for (const { name, effect, ...entry } of tools) {
      expect({ effect, ...entry }).to.deep.include(file.tools[name]);
      expect(effect).to.be.oneOf(['read', 'write', 'destructive']);
    }
    expect((await service.admin.get('/v1/tools?cursor=AA')).json.code).to.equal('E2001');
    const digest = await service.apply(setOf('PLAIN'));
    expect((await service.admin.get('/v1/tools')).json).to.deep.equal({ digest, items: [], nextCursor: null });
    await service.apply();
  });

  it('are open only to live admin keys, and their files to those of the operator', async () => {
    const organisationId = await service.addOrganisation('tenant');
    for (const by of [
      await service.client({ scopes: ['admin:*'], environment: 'test' }),
      await service.client({ scopes: ['proofs:read', 'intents:write', 'agents:write'] }),
    ])
      for (const answer of [
        await by.get('/v1/policies'),
        await by.get(`/v1/policies/${'0'.repeat(64)}`),
        await validate([shipped('reads.json')], by),
      ])
        expect([answer.status, answer.json.code]).to.deep.equal([403, 'E1004']);
    const tenant = await service.client({ scopes: ['admin:*'], organisationId });
    const refused = await validate([shipped('reads.json')], tenant);
    expect([refused.status, refused.json.code]).to.deep.equal([403, 'E1004']);
  });

  describe('are checked before use', () => {
    it('invalid files get every finding with file, line and column, and change nothing', async () => {
      const before = (await service.admin.get('/v1/policies')).json;
      const { json } = await validate([
        { path: 'broken.json', text: '{\n  "id": "x",\n  "id": "y"\n}' },
        {
          path: 'deep/unknown-fact.json',
          text: JSON.stringify(setOf('X')['first.json'], null, 2).replace('"fact": "intent"', '"fact": "wallet"'),
        },
        shipped('reads.json'),
      ]);
      expect(json).to.deep.include({ valid: false, digest: null });
      const found = json.findings.map(
        (one: { file: string; line: number; code: string }) => `${one.file}:${one.line} ${one.code}`,
      );
      expect(found[0]).to.equal('broken.json:3 NOT_JSON');
      expect(found.some((text: string) => /^deep\/unknown-fact\.json:\d+ (SCHEMA|UNKNOWN_FACT)$/.test(text))).to.equal(
        true,
      );
      expect((await service.admin.get('/v1/policies')).json).to.deep.equal(before);
    });
    it('an invalid lexicon is a finding, too', async () => {
      const { json } = await validate([shipped('reads.json'), { path: 'lexicon.json', text: '{}' }]);
      expect(json.valid).to.equal(false);
      expect(json.findings[0]).to.include({ file: 'lexicon.json', code: 'LEXICON' });
    });
  });

  it('that are refused leave the last valid set in force, and are reported by /ready, metrics and the list', async () => {
    const before = (await service.admin.get('/v1/policies')).json;
    const broken = { ...setOf('BROKEN')['first.json'], target: { actions: ['read'], resources: ['a/../b'] } };
    await service.apply({ ...setOf('BROKEN'), 'first.json': broken });
    const ready = await waitFor(async () => {
      const answer = await service.admin.get('/ready');
      return answer.json.degraded.includes('policy-folder') ? answer : undefined;
    });
    // No worker runs with this service.
    expect(ready.status).to.equal(200);
    expect(ready.json.degraded).to.include.members(['policy-folder', 'workers']);
    const check = ready.json.checks.find((one: { name: string }) => one.name === 'policy-folder');
    expect(check.detail).to.match(/first\.json:\d+ /);
    expect((await service.admin.get('/metrics')).text).to.match(/^custos_policy_folder_ok 0$/m);
    const { digest, lastRead } = (await service.admin.get('/v1/policies')).json;
    expect(digest).to.equal(before.digest);
    expect([lastRead.ok, lastRead.findings[0].file]).to.deep.equal([false, 'first.json']);
    const { json } = await service.admin.post('/v1/enforce', { intent: 'data.read.x', agent_id: 'a' });
    expect(json).to.deep.include({ verdict: 'ALLOW', policy_set: { digest } });
    await service.apply();
    await waitFor(async () => !(await service.admin.get('/ready')).json.degraded.includes('policy-folder'));
    expect((await service.admin.get('/metrics')).text).to.match(/^custos_policy_folder_ok 1$/m);
  });

  it('are replaced atomically: in ten swaps no answer mixes two of them', async () => {
    const digests = new Map<string, string>();
    for (const name of ['A', 'B']) digests.set(await service.apply(setOf(name)), name);
    const client = await service.client();
    let swapping = true;
    const seen = new Map<string, number>();
    let asked = 0;
    const ask = async (): Promise<void> => {
      for (let i = 0; swapping; i += 1) {
        // Another agent and object each time, so that no cached result of one set answers for the other.
        const requests = Array.from({ length: 4 }, (_, j) => ({
          intent: `data.read.x_${i}_${j}`,
          agent_id: `a-${i % 50}`,
        }));
        const { json } = await client.post('/v1/enforce/batch', { requests });
        const said = new Set<string>();
        for (const one of json.decisions) {
          said.add(digests.get(one.policy_set.digest) ?? 'unknown');
          for (const { code } of one.reasons) said.add(code.slice(-1));
          for (const { factor } of one.intent.risk.factors) said.add(factor.slice(-1).toUpperCase());
          if (one.reasons.length !== 2) said.add(`${one.reasons.length} reasons`);
        }
        expect([...said], 'one answer, one set').to.have.lengthOf(1);
        for (const name of said) seen.set(name, (seen.get(name) ?? 0) + 1);
        asked += 1;
      }
    };
    const asking = [ask(), ask(), ask()];
    try {
      for (let swap = 0; swap < 10; swap += 1) {
        const already = asked;
        await Promise.race([service.apply(setOf(swap % 2 === 0 ? 'A' : 'B')), Promise.all(asking)]);
        // At least one complete answer under each set.
        while (asked < already + 3 && swapping)
          await Promise.race([new Promise((r) => setImmediate(r)), Promise.all(asking)]);
      }
    } finally {
      swapping = false;
    }
    await Promise.all(asking);
    expect([...seen.keys()].sort()).to.deep.equal(['A', 'B']);
    await service.apply();
  });

  describe('of single organisations', () => {
    const READ = { intent: 'data.read.report', agent_id: 'a' };
    const denial = (id: string, more: object = {}) => ({
      path: `${id}.json`,
      text: JSON.stringify({
        id,
        description: 'Nobody reads reports.',
        stage: 'enforce',
        target: { actions: ['read'], resources: ['data/report'], ...more },
        rules: [
          {
            name: 'no-reports',
            conditions: { all: [{ fact: 'intent', path: 'effect', operator: 'equal', value: 'read' }] },
            event: { type: 'DENY', params: { code: 'OWN_RULE', message: 'no reports' } },
          },
        ],
      }),
    });
    const admins: Record<string, Client> = {};
    let acmeId: string;
    const admin = (slug: string): Client => admins[slug] ?? service.admin;
    const push = (by: Client, files: object[], more: object = {}) =>
      by.post('/v1/policies', { files, reason: 'because', ...more });
    const ask = async (slug: string) => (await admin(slug).post('/v1/enforce', READ)).json;
    const verdicts = async () => [(await ask('acme')).verdict, (await ask('acme-2')).verdict];
    const shippedSet = (): object[] =>
      readdirSync(SHIPPED_POLICIES)
        .filter((name) => name.endsWith('.json'))
        .map(shipped);
    const inForce = async (by = service.admin): Promise<string> => (await by.get('/v1/policies')).json.digest;
    before(async () => {
      await service.apply();
      for (const slug of ['acme', 'acme-2']) {
        const organisationId = await service.addOrganisation(slug);
        admins[slug] = await service.client({ scopes: ['admin:*'], organisationId });
        if (slug === 'acme') acmeId = organisationId;
      }
    });

    it('come on top of the set of the installation, for that organisation alone, and are on record in its own log', async () => {
      const installation = await inForce();
      expect(await verdicts()).to.deep.equal(['ALLOW', 'ALLOW']);
      const pushed = await push(admin('acme'), [denial('reports')], { expectedDigest: installation });
      expect([pushed.status, pushed.json.status]).to.deep.equal([201, 'activated']);
      const { digest } = pushed.json;
      const decision = await ask('acme');
      expect([decision.verdict, decision.policy_set.digest]).to.deep.equal(['DENY', digest]);
      expect(decision.reasons[0]).to.deep.include({ policy: 'acme/reports', rule: 'no-reports' });
      expect((await ask('acme-2')).policy_set.digest).to.equal(installation);
      expect((await ask('acme-2')).verdict).to.equal('ALLOW');
      const seen = (await admin('acme').get('/v1/policies')).json;
      expect(seen.own).to.deep.include({ policies: ['acme/reports'], reason: 'because', misfits: [] });
      expect((await service.admin.get('/v1/policies')).json.organisations).to.have.lengthOf(1);
      const stored = await admin('acme').get(`/v1/policies/${digest}`);
      expect(stored.json).to.deep.include({ installationDigest: installation });
      expect(stored.json.organisation).to.deep.include({ slug: 'acme' });
      expect((await admin('acme-2').get(`/v1/policies/${digest}`)).json.code).to.equal('E4001');
      const draft = await draftOfDigest(service.db, await inForce());
      if (draft?.ok !== true) return expect.fail('the set in force is not stored');
      const replayed = await replayRange({
        db: service.db,
        set: draft.set,
        range: { organisationId: acmeId, toMs: Date.now() + 1_000 },
      });
      expect(replayed.decisions.evaluated).to.be.above(1);
      expect(replayed.changed.decisions, JSON.stringify(replayed.examples)).to.equal(0);
      const records = await service.rows<{ slug: string; digest: string; ownDigest: string | null }>(
        `SELECT slug, convert_from(record, 'UTF8') || '}' AS text FROM record JOIN organisation ON organisation.id = organisation_id
          WHERE event = 'custos.policy_set' AND convert_from(record, 'UTF8') LIKE '%ownDigest%'`,
      );
      expect(records.map(({ slug }) => slug)).to.deep.equal(['acme']);
    });

    it('stay when the set of the installation changes below them, and are withdrawn with a reason', async () => {
      const before = await inForce(admin('acme'));
      await service.apply({ 'more.json': JSON.parse(denial('more', { resources: ['data/secret'] }).text) });
      await waitFor(async () => (await inForce(admin('acme'))) !== before, { what: 'the composed set to change' });
      expect((await ask('acme')).reasons[0].policy).to.equal('acme/reports');
      await service.apply();
      await waitFor(async () => (await inForce(admin('acme'))) === before, { what: 'the first composed set' });
      const withdrawn = await admin('acme').request('DELETE', '/v1/policies', { body: { reason: 'over' } });
      expect([withdrawn.status, withdrawn.json.digest]).to.deep.equal([200, await inForce()]);
      expect(await verdicts()).to.deep.equal(['ALLOW', 'ALLOW']);
    });

    it('are refused when they permit something, name another organisation, are stale or too large, or the key is not a live one', async () => {
      const [allow] = [denial('yes')].map(({ path: name, text }) => ({
        path: name,
        text: text.replace('"DENY"', '"ALLOW"'),
      }));
      const test = await service.client({ scopes: ['admin:*'], environment: 'test', organisationId: acmeId });
      const answers = [
        await push(admin('acme'), [allow as object]),
        await push(admin('acme'), [denial('x', { organisations: ['acme-2'] })]),
        await push(admin('acme'), lexiconParts().slice(0, 1)),
        await push(admin('acme'), [denial('x')], { expectedDigest: '0'.repeat(64) }),
        await push(admin('acme'), [denial('x')], { stage: { organisations: ['acme-2'] } }),
        await push(test, [denial('x')]),
        await push(admin('acme'), [{ path: 'x.json', text: 'x'.repeat(2_000_000) }]),
      ];
      expect(answers.map(({ status, json }) => `${status} ${json.code}`)).to.deep.equal([
        '422 E2001',
        '422 E2001',
        '422 E2001',
        '409 E5002',
        '400 E2001',
        '403 E1004',
        '413 E2005',
      ]);
      expect(await verdicts()).to.deep.equal(['ALLOW', 'ALLOW']);
    });

    it('are tried out, compared and rolled back like the set of the installation, by the organisation alone', async () => {
      const acme = admin('acme');
      const first = await push(acme, [denial('reports')]);
      const second = await push(acme, [denial('reports', { resources: ['data/secret'] })]);
      const digests = { before: first.json.digest, after: second.json.digest };
      const change = { digest: digests.before, reason: 'as it was' };
      const tried = await acme.post('/v1/policies/rollback', { ...change, dryRun: true });
      expect([tried.status, tried.json.status, await inForce(acme)]).to.deep.equal([200, 'checked', digests.after]);
      expect(tried.json).to.deep.include({ digest: digests.before, previousDigest: digests.after });
      expect(tried.json.comparison.parts).to.deep.equal([{ name: 'acme/reports', change: 'changed' }]);
      const dry = await push(acme, [denial('other')], { dryRun: true });
      expect(dry.json.comparison.parts.map(({ change: how }: { change: string }) => how)).to.have.members([
        'added',
        'removed',
      ]);
      const compared = await acme.get(`/v1/policies/difference?before=${digests.before}&after=${digests.after}`);
      const turned = compared.json.examples.map(({ before: was, after: is }: Record<string, string>) => `${was} ${is}`);
      expect(turned).to.have.members(['ALLOW DENY', 'DENY ALLOW']);
      const back = await acme.post('/v1/policies/rollback', change);
      expect([back.status, back.json.source, await inForce(acme)]).to.deep.equal([201, 'rollback', digests.before]);
      const { items } = (await acme.get('/v1/policies/activations?limit=1')).json;
      expect(items[0]).to.deep.include({ organisation: 'acme', reason: 'as it was', source: 'rollback' });
      const others = (await admin('acme-2').get('/v1/policies/activations')).json.items;
      expect(others.map(({ organisation }: { organisation: string | null }) => organisation)).not.to.include('acme');
      const strangers = await Promise.all([
        admin('acme-2').post('/v1/policies/rollback', change),
        admin('acme-2').get(`/v1/policies/difference?before=${digests.before}&after=${digests.after}`),
        acme.post('/v1/policies/rollback', { ...change, digest: await inForce() }),
        acme.post('/v1/policies/rollback', { ...change, expectedDigest: '0'.repeat(64) }),
      ]);
      expect(strangers.map(({ json }) => json.code)).to.deep.equal(['E4001', 'E4001', 'E4001', 'E5002']);
      await acme.request('DELETE', '/v1/policies', { body: { reason: 'over' } });
    });

    it('are pushed so often in an hour, and may be withdrawn also after that', async () => {
      const organisationId = await service.addOrganisation('busy');
      const busy = await service.client({ organisationId, scopes: ['admin:*'] });
      const withdraw = () => busy.request('DELETE', '/v1/policies', { body: { reason: 'over' } });
      expect((await push(busy, [denial('reports')])).status).to.equal(201);
      await service.rows(
        `INSERT INTO policy_activation (digest, previous_digest, activated_at, source, organisation_id, seal)
         SELECT digest, previous_digest, activated_at, source, organisation_id, seal
         FROM policy_activation, generate_series(2, ${MAX_PUSHES_PER_HOUR}) WHERE organisation_id = $1`,
        [organisationId],
      );
      expect((await push(busy, [denial('others')])).json.code).to.equal('E3001');
      const withdrawn = await withdraw();
      expect([withdrawn.status, withdrawn.json.status]).to.deep.equal([200, 'activated']);
      expect((await withdraw()).json.code, 'there is nothing left').to.equal('E3001');
    });

    it('are checked in a thread, one push of an organisation at a time', async () => {
      const pattern = '^only-in-this-test-[0-9]+$';
      const file = denial('patterned');
      const text = file.text.replace(
        /"conditions":\{.*?\]\}/,
        `"conditions":${JSON.stringify({ all: [{ fact: 'context', path: 'note', operator: 'matchesPattern', value: pattern }] })}`,
      );
      const { compile } = RE2JS;
      let here = 0;
      RE2JS.compile = (...parts: Parameters<typeof compile>) => {
        if (parts[0] === pattern) here += 1;
        return compile.apply(RE2JS, parts);
      };
      try {
        const dry = (by: Client) => push(by, [{ ...file, text }], { dryRun: true });
        const answers = await Promise.all([dry(admin('acme')), dry(admin('acme')), dry(admin('acme-2'))]);
        const [one, two, other] = answers.map(({ json }) => String(json.code ?? json.status));
        expect([one, two].sort()).to.deep.equal(['E3001', 'checked']);
        expect(other).to.equal('checked');
        expect((await dry(admin('acme'))).json.status, 'it is free again').to.equal('checked');
      } finally {
        RE2JS.compile = compile;
      }
      expect(here, 'patterns compiled in the main thread').to.equal(0);
    });

    it('are staged by the operator for some organisations, then promoted to all or dropped', async () => {
      const installation = await inForce();
      const files = [...shippedSet(), denial('reports')];
      const staged = await push(service.admin, files, { stage: { organisations: ['acme'] } });
      expect([staged.status, staged.json.status, staged.json.organisations]).to.deep.equal([201, 'staged', ['acme']]);
      const { digest } = staged.json;
      expect([await inForce(), await inForce(admin('acme'))]).to.deep.equal([installation, digest]);
      expect(await verdicts()).to.deep.equal(['DENY', 'ALLOW']);
      const dropped = await service.admin.request('DELETE', `/v1/policies/stages/${digest}`, {
        body: { reason: 'no' },
      });
      expect([dropped.status, dropped.json.organisations]).to.deep.equal([200, ['acme']]);
      expect(await verdicts()).to.deep.equal(['ALLOW', 'ALLOW']);
      await push(service.admin, files, { stage: { organisations: ['acme'] } });
      const promoted = await service.admin.post('/v1/policies/promote', { digest, reason: 'it works' });
      expect(promoted.status).to.equal(201);
      expect([await inForce(), await inForce(admin('acme'))]).to.deep.equal([digest, digest]);
      expect(await verdicts()).to.deep.equal(['DENY', 'DENY']);
      expect((await service.admin.get('/v1/policies')).json.organisations ?? []).to.deep.equal([]);
      await service.admin.post('/v1/policies/rollback', { digest: installation, reason: 'back' });
      expect(await verdicts()).to.deep.equal(['ALLOW', 'ALLOW']);
    });

    it('whose row was changed past the service refuse that organisation alone, until it pushes again', async () => {
      await push(admin('acme'), [denial('reports')]);
      for (const forge of [
        'UPDATE organisation_policy SET active_digest = NULL',
        'DELETE FROM organisation_policy WHERE true',
      ]) {
        await service.rows(forge);
        await waitFor(async () => (await admin('acme').post('/v1/enforce', READ)).json.code === 'E6002', {
          what: 'the forged row to be refused',
        });
        expect((await ask('acme-2')).verdict).to.equal('ALLOW');
        const again = await push(admin('acme'), [denial('reports')]);
        expect(again.status, again.text).to.be.below(300);
        expect(await verdicts()).to.deep.equal(['DENY', 'ALLOW']);
      }
    });
  });
});

// The dashboard's routes for policies and dead jobs: who may see and resolve them, each job only once.
import { expect } from 'chai';
import type { AgentActivity } from '../../ingress/dashboard/client/wire/agents.ts';
import type { DeadJob } from '../../ingress/dashboard/client/wire/jobs.ts';
import type { ListedResources } from '../../ingress/dashboard/client/wire/resources.ts';
import type { ListedTools, StrangeTools, ToolProposal } from '../../ingress/dashboard/client/wire/tools.ts';
import type { ToolCatalogueFile } from '../../shared/core/tools/schema.ts';
import { createLogger } from '../../shared/platform/observe/logger.ts';
import { createDeadJobRecorder } from '../../workers/dead-jobs.ts';
import type { ClientResponse } from '../support/client.ts';
import { type Signed, signIn } from '../support/dashboard.ts';
import { type PolicyFiles, type Service, startService } from '../support/service.ts';

const policy = (id: string, resource: string, code = 'NO'): object => ({
  id,
  description: `About ${resource}.`,
  stage: 'enforce',
  target: { actions: ['delete'], resources: [resource] },
  rules: [
    {
      name: 'nobody',
      conditions: { all: [{ fact: 'intent', path: 'action', operator: 'equal', value: 'delete' }] },
      event: { type: 'DENY', params: { code, message: 'no' } },
    },
  ],
});
const FIRST: PolicyFiles = {
  'a.json': policy('a', 'db/a/*'),
  'b.json': policy('b', 'db/b/*'),
  'c.json': policy('c', 'db/c/*'),
};
const SECOND: PolicyFiles = {
  'a.json': policy('a', 'db/a/*'),
  'b.json': policy('b', 'db/b/*', 'OTHER'),
  'd.json': policy('d', 'db/d/*'),
};

describe('the routes of the dashboard for operators', () => {
  let service: Service;
  let operator: Signed;
  let tenant: Signed;
  let tenantId: string;
  let sandbox: Signed;
  let bound: Signed;
  let record: (organisationId: string | undefined, intentId: string) => Promise<void>;

  before(async () => {
    service = await startService({ policies: FIRST, words: 'few' });
    tenantId = await service.addOrganisation('tenant');
    const admin = { scopes: ['admin:*'] } as const;
    operator = await signIn(service.admin, service.adminKey);
    const signed = async (spec: object): Promise<Signed> =>
      signIn(service.admin, (await service.addKey({ ...admin, ...spec })).key);
    tenant = await signed({ organisationId: tenantId });
    sandbox = await signed({ organisationId: tenantId, environment: 'test' });
    bound = await signed({ agentIds: ['one'] });
    const logger = createLogger({ name: 'test', level: 'silent', pretty: false });
    const recorder = createDeadJobRecorder({ db: service.db, logger });
    record = (organisationId, intentId) =>
      recorder({
        queue: 'intents',
        name: 'evaluate',
        payload: { v: 1, ...(organisationId === undefined ? {} : { organisationId, environment: 'live' }), intentId },
        error: new Error('always'),
        run: `${intentId}@1`,
      });
  });
  after(() => service?.close());

  const ids = async (who: Signed, query = ''): Promise<string[]> =>
    (await who.get(`/dead-jobs${query}`)).json.items.map(
      ({ payload }: { payload: { intentId: string } }) => payload.intentId,
    );
  const numberOf = async (intentId: string): Promise<string> => {
    const { items } = (await operator.get('/dead-jobs')).json;
    return items.find(({ payload }: { payload: { intentId: string } }) => payload.intentId === intentId).deadJobId;
  };

  it('dead jobs: the operator sees all of them, a tenant its own of its environment, a bound key none', async () => {
    await record(undefined, 'nobody');
    await record(service.operatorId, 'own');
    await record(tenantId, 'theirs');
    expect(await ids(operator)).to.deep.equal(['theirs', 'own', 'nobody']);
    expect(await ids(tenant)).to.deep.equal(['theirs']);
    const owners = (await operator.get('/dead-jobs')).json.items.map((job: DeadJob) => job.organisation);
    expect(owners, 'the short names of their organisations').to.deep.equal(['tenant', 'default', null]);
    expect(await ids(sandbox)).to.deep.equal([]);
    expect((await bound.get('/dead-jobs')).json.code).to.equal('E1004');
    const first = (await operator.get('/dead-jobs?limit=2')).json;
    expect(await ids(operator, `?limit=2&cursor=${first.nextCursor}`)).to.deep.equal(['nobody']);
    for (const query of ['?cursor=x', '?state=open', '?limit=0'])
      expect((await operator.get(`/dead-jobs${query}`)).json.code, query).to.equal('E2001');
  });

  it('dead jobs are filtered and counted by job and error, and name the agent of their intent', async () => {
    await service.rows(
      `INSERT INTO intent (organisation_id, environment, intent_id, agent_id, key_id, action, resource, submitted_at, updated_at, submission_seal)
       VALUES ($1, 'live', 'own', 'cleaner', 'AAAAAAAA', 'delete', 'db/x', now(), now(), 'x')`,
      [service.operatorId],
    );
    expect(await ids(operator, '?queue=intents&name=evaluate&error=alw')).to.deep.equal(['theirs', 'own', 'nobody']);
    for (const query of ['?queue=trust', '?name=append', '?error=never'])
      expect(await ids(operator, query)).to.deep.equal([]);
    const kind = { queue: 'intents', name: 'evaluate', error: 'Error: always' };
    expect((await operator.get('/dead-jobs/kinds')).json).to.deep.equal({ kinds: [{ ...kind, count: 3 }] });
    expect((await tenant.get('/dead-jobs/kinds')).json).to.deep.equal({ kinds: [{ ...kind, count: 1 }] });
    const { items } = (await operator.get('/dead-jobs')).json;
    expect(items.map(({ subject }: { subject: object }) => subject)).to.deep.equal([
      {},
      { intentId: 'own', agentId: 'cleaner', request: 'delete db/x' },
      {},
    ]);
  });

  it('dead jobs of other organisations are not found', async () => {
    const own = await numberOf('own');
    for (const id of [own, '999', '0', 'x', '99999999999999999999'])
      for (const answer of [
        await tenant.get(`/dead-jobs/${id}`),
        await tenant.send('POST', `/dead-jobs/${id}/retry`, {}),
        await tenant.send('POST', `/dead-jobs/${id}/discard`, { reason: 'x' }),
      ])
        expect([answer.status, answer.json.code, answer.json.detail], id).to.deep.equal([
          404,
          'E4001',
          'There is no such dead job.',
        ]);
    expect((await operator.get(`/dead-jobs/${own}`)).json).to.deep.include({ state: 'dead', resolvedBy: null });
  });

  it('a dead job is retried once under concurrent requests, and the other requests report who retried it', async () => {
    const id = await numberOf('theirs');
    const answers = await Promise.all(
      [operator, tenant, operator, tenant].map((who) =>
        who.send('POST', `/dead-jobs/${id}/retry`, { reason: 'repaired' }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409, 409]);
    const [winner] = answers.filter(({ status }) => status === 200);
    for (const { json } of answers.filter(({ status }) => status === 409)) {
      expect(json.code).to.equal('E5002');
      expect(json.detail).to.include(`it was retried by ${winner?.json.resolvedBy}`);
    }
    const outbox = await service.rows<{ payload: string }>("SELECT payload FROM outbox WHERE queue = 'intents'");
    expect(outbox.map(({ payload }) => JSON.parse(payload).intentId)).to.deep.equal(['theirs']);
    expect(winner?.json).to.include({ state: 'retried', reason: 'repaired' });
    expect(await ids(operator, '?state=retried')).to.deep.equal(['theirs']);
  });

  it('a dead job is discarded only with a reason, and the action is on the operator trail', async () => {
    const id = await numberOf('own');
    for (const body of [{}, { reason: '' }, { reason: ' ' }, { reason: 'x'.repeat(1_001) }, { reason: 'a\u0000' }])
      expect((await operator.send('POST', `/dead-jobs/${id}/discard`, body)).json.code, JSON.stringify(body)).to.equal(
        'E2001',
      );
    const done = await operator.send('POST', `/dead-jobs/${id}/discard`, { reason: 'not needed' });
    expect(done.json).to.deep.include({ state: 'discarded', reason: 'not needed' });
    expect((await operator.send('POST', `/dead-jobs/${id}/retry`, {})).json.code).to.equal('E5002');
    const rows = await service.rows<{ outcome: string }>(
      "SELECT outcome FROM dashboard_audit WHERE action LIKE '%discard%' AND subject LIKE $1 ORDER BY seq DESC LIMIT 3",
      [`%/dead-jobs/${id}/%`],
    );
    expect(rows.map(({ outcome }) => outcome)).to.include('done');
  });

  it('only the operator may see policies', async () => {
    const digest = '0'.repeat(64);
    for (const path of [
      '/policies',
      '/policy-activations',
      '/policies/waiting',
      '/policy-organisations',
      `/policy-sets/${digest}`,
      `/policy-sets/${digest}/policies`,
      `/policy-sets/${digest}/policies/a`,
      '/tools',
      `/policy-difference?from=${digest}&to=${digest}`,
    ])
      for (const who of [tenant, sandbox, bound]) expect((await who.get(path)).json.code, path).to.equal('E1004');
  });

  it('policy sets are listed by their activation, and the difference of two is exact', async () => {
    const [first] = (await operator.get('/policy-activations')).json.items;
    const second = await service.apply(SECOND);
    const { items } = (await operator.get('/policy-activations')).json;
    expect(
      items.map(({ digest, previousDigest }: { digest: string; previousDigest: string }) => [digest, previousDigest]),
    ).to.deep.equal([
      [second, first.digest],
      [first.digest, null],
    ]);
    const page = (await operator.get('/policy-activations?limit=1')).json;
    expect((await operator.get(`/policy-activations?limit=1&cursor=${page.nextCursor}`)).json).to.deep.equal({
      items: [items[1]],
      nextCursor: null,
    });
    const there = (await operator.get(`/policy-difference?from=${first.digest}&to=${second}`)).json;
    expect(there.counts).to.deep.equal({ added: 1, removed: 1, changed: 1, same: 1 });
    expect(there.policies.map(({ id, change }: { id: string; change: string }) => [id, change])).to.deep.equal([
      ['b', 'changed'],
      ['c', 'removed'],
      ['d', 'added'],
    ]);
    expect([there.lexicon, there.more, there.to.isActive, there.from.isActive]).to.deep.equal([null, 0, true, false]);
    const back = (await operator.get(`/policy-difference?from=${second}&to=${first.digest}`)).json;
    expect(back.counts).to.deep.equal(there.counts);
    expect(back.policies[0]).to.deep.equal({
      ...there.policies[0],
      before: there.policies[0].after,
      after: there.policies[0].before,
    });
    const same = (await operator.get(`/policy-difference?from=${second}&to=${second}`)).json;
    expect(same.policies).to.deep.equal([]);
    expect((await operator.get(`/policy-difference?from=${'0'.repeat(64)}&to=${second}`)).json.code).to.equal('E4001');
    expect((await operator.get('/policy-difference?from=x&to=y')).json.code).to.equal('E2001');
  });

  it('activations stay newest first when their numbers gain a digit', async () => {
    await service.rows(
      'INSERT INTO policy_activation (digest, previous_digest, activated_at) SELECT active_digest, active_digest, now() FROM policy_state, generate_series(1, 12)',
    );
    const numbers: number[] = [];
    let cursor = '';
    do {
      const { items, nextCursor } = (await operator.get(`/policy-activations?limit=5${cursor}`)).json;
      numbers.push(...items.map(({ seq }: { seq: string }) => Number(seq)));
      cursor = nextCursor === null ? '' : `&cursor=${nextCursor}`;
    } while (cursor !== '');
    expect(numbers).to.deep.equal(numbers.toSorted((a, b) => b - a));
    expect(numbers).to.have.lengthOf(14);
  });

  it('the policies of a set are listed by id, page by page, and can be searched', async () => {
    const { active } = (await operator.get('/policies')).json;
    expect(active).to.deep.include({ policies: 3, rules: 3, isActive: true });
    const list = async (query: string) => (await operator.get(`/policy-sets/${active.digest}/policies${query}`)).json;
    const first = await list('?limit=2');
    expect(first.items.map(({ id }: { id: string }) => id)).to.deep.equal(['a', 'b']);
    expect(first.items[0]).to.deep.include({ rules: 1, effects: ['DENY'] });
    expect((await list(`?limit=2&cursor=${first.nextCursor}`)).items.map(({ id }: { id: string }) => id)).to.deep.equal(
      ['d'],
    );
    expect((await list('?search=DB/D')).items.map(({ id }: { id: string }) => id)).to.deep.equal(['d']);
    expect((await list('?search=nobody')).items).to.have.lengthOf(3);
    const { policy: shown, set } = (await operator.get(`/policy-sets/${active.digest}/policies/a`)).json;
    expect([shown.id, shown.rules[0].name, set.digest]).to.deep.equal(['a', 'nobody', active.digest]);
    expect((await operator.get(`/policy-sets/${active.digest}/policies/c`)).json.code).to.equal('E4001');
  });

  it('resources are listed by name, with the folder for the operator only, and found by the beginning of the name', async () => {
    await service.apply({
      ...SECOND,
      'attributes.json': { resource: { region: { type: 'text' } } },
      'resources/one.json': { name: 'shop/a', owner: 'folder' },
      'resources/two.json': { name: 'shop/b/*', attributes: { region: 'eu' } },
    });
    const put = (who: Signed, name: string, body: object): Promise<unknown> =>
      who.send('PUT', `/v1/resources/${encodeURIComponent(name)}`, body);
    await put(operator, 'shop/a', { owner: 'registered' });
    await put(operator, 'shop/c', { attributes: { region: 'us' } });
    await put(tenant, 'shop/of-tenant', { class: 'x' });
    const list = async (query: string, who = operator): Promise<ListedResources> =>
      (await who.get(`/resources${query}`)).json;
    const names: string[] = [];
    for (let cursor = ''; ; ) {
      const { items, nextCursor } = await list(`?limit=1${cursor}`);
      names.push(...items.map(({ name }) => name));
      if (nextCursor === null) break;
      cursor = `&cursor=${nextCursor}`;
    }
    expect(names).to.deep.equal(['shop/a', 'shop/b/*', 'shop/c']);
    const all = await list('');
    expect(all.items.map(({ registered, inFolder }) => [registered?.owner, inFolder?.owner])).to.deep.equal([
      ['registered', 'folder'],
      [undefined, undefined],
      [null, undefined],
    ]);
    expect([all.declared, all.hasFolder]).to.deep.equal([{ region: { type: 'text' } }, true]);
    expect((await list('?prefix=shop/b')).items.map(({ name }) => name)).to.deep.equal(['shop/b/*']);
    expect((await list('?prefix=shop%25')).items).to.deep.equal([]);
    const own = await list('', tenant);
    expect([own.items.map(({ name }) => name), own.hasFolder]).to.deep.equal([['shop/of-tenant'], false]);
    const bound = await signIn(service.admin, (await service.addKey({ scopes: ['admin:*'], agentIds: ['a'] })).key);
    expect((await bound.get('/resources')).json.code).to.equal('E1004');
  });

  describe('tools', () => {
    const catalogue = (server: string, tools: object): object => ({ server, description: `of ${server}`, tools });
    const pinned = `sha256:${'0'.repeat(64)}`;
    const write = { action: 'update', effect: 'destructive', resource: 'file/{path}', definition: pinned };
    let digest: string;
    before(async () => {
      digest = await service.apply({
        ...SECOND,
        'tools/mail.json': catalogue('mail', { send: { action: 'send' } }),
        'tools/files.json': catalogue('files', { write, read: { action: 'read' } }),
      });
    });
    const call = async (name: string, more: object = {}, agent_id = 'caller'): Promise<string> => {
      const tool = { server: 'files', name, arguments: { path: '/x' }, ...more };
      return (await service.admin.post('/v1/enforce', { agent_id, tool })).json.decision_id;
    };

    it('of the catalogues in force are listed by server and name, with their calls of the last day', async () => {
      await call('read');
      const newest = await call('read');
      const list = async (query: string): Promise<ListedTools> => (await operator.get(`/tools${query}`)).json;
      const first = await list('?limit=2');
      expect(first.servers).to.deep.equal([
        { server: 'files', description: 'of files', trustAnnotations: false, tools: 2, pinned: 1 },
        { server: 'mail', description: 'of mail', trustAnnotations: false, tools: 1, pinned: 0 },
      ]);
      expect(first.digest).to.equal(digest);
      expect(
        first.items.map(({ name, entry, effect, calls, last }) => [name, entry, effect, calls, last?.decisionId]),
      ).to.deep.equal([
        ['read', { action: 'read' }, 'read', 2, newest],
        ['write', write, 'destructive', 0, undefined],
      ]);
      const next = await list(`?limit=2&cursor=${first.nextCursor}`);
      expect([next.items.map(({ server }) => server), next.nextCursor]).to.deep.equal([['mail'], null]);
      expect((await list('?search=FILES/W')).items.map(({ name }) => name)).to.deep.equal(['write']);
      expect((await list('?server=mail')).items.map(({ name }) => name)).to.deep.equal(['send']);
      expect((await operator.get('/tools?cursor=x')).json.code).to.equal('E2001');
    });

    it('that were unknown or changed in calls of the last day are listed with their callers, to everybody who may name them', async () => {
      const seen = `sha256:${'1'.repeat(64)}`;
      await call('erase');
      const unknown = await call('erase', {}, 'second');
      const changed = await call('write', { definition_digest: seen });
      await call('write', { definition_digest: pinned });
      const strange = async (who: Signed): Promise<StrangeTools> => (await who.get('/tools/strange')).json;
      const { items, more } = await strange(operator);
      const shown = items.map(
        ({ name, state, calls, agents, agentCount, last, isListed, pinned: pin, seen: digest }) => [
          name,
          state,
          calls,
          agents,
          agentCount,
          last.decisionId,
          isListed,
          pin,
          digest,
        ],
      );
      expect(shown).to.deep.equal([
        ['write', 'changed', 1, ['caller'], 1, changed, true, pinned, seen],
        ['erase', 'unknown', 2, ['caller', 'second'], 2, unknown, false, null, null],
      ]);
      expect(more).to.equal(false);
      expect((await strange(tenant)).items, 'calls of another organisation').to.deep.equal([]);
      expect((await strange(bound)).items, 'calls of agents that a bound key may not name').to.deep.equal([]);
      const used: AgentActivity = (await operator.get('/agents/caller/activity')).json;
      expect(used.tools.items.map(({ name }) => name)).to.deep.equal(['write', 'erase', 'read']);
    });

    it('of a pasted list become the catalogue that custos tools import would make, and nothing is written', async () => {
      const tools = [
        { name: 'write', description: 'Writes.', inputSchema: { type: 'object' } },
        { name: 'read', annotations: { readOnlyHint: true } },
        { name: 'delete_file', annotations: { destructiveHint: true } },
      ];
      const proposal = (body: object): Promise<ClientResponse> =>
        operator.send('POST', '/tools/proposal', { server: 'files', ...body });
      const kept: ToolProposal = (await proposal({ listing: JSON.stringify({ result: { tools } }) })).json;
      expect(kept.file).to.equal('tools/files.json');
      expect(kept.tools.map(({ name, standing }) => [name, standing])).to.deep.equal([
        ['write', 'changed'],
        ['read', 'unpinned'],
        ['delete_file', 'new'],
      ]);
      const file = JSON.parse(kept.text) as ToolCatalogueFile;
      expect(file.tools['write'], 'an entry in force is kept').to.deep.equal(write);
      expect(file.tools['delete_file']).to.include({ action: 'delete' });
      const replaced: ToolProposal = (await proposal({ listing: JSON.stringify(tools), replace: true })).json;
      const [changed] = replaced.tools;
      expect([changed?.entry?.definition, changed?.pinned]).to.deep.equal([changed?.listed, pinned]);
      for (const listing of [
        '{',
        '{}',
        '[1]',
        '[{"name":1}]',
        '{"tools":[],"nextCursor":"2"}',
        '[{"name":"a"},{"name":"a","description":"b"}]',
      ])
        expect((await proposal({ listing })).json, listing).to.deep.include({ code: 'E2001' });
      expect((await tenant.send('POST', '/tools/proposal', { server: 'x', listing: '[]' })).json.code).to.equal(
        'E1004',
      );
    });

    it('of a changed catalogue are a difference of two sets', async () => {
      const after = await service.apply({
        ...SECOND,
        'tools/mail.json': catalogue('mail', { send: { action: 'read' } }),
      });
      const { policies } = (await operator.get(`/policy-difference?from=${digest}&to=${after}`)).json;
      expect(policies.map(({ id, change }: { id: string; change: string }) => [id, change])).to.deep.equal([
        ['tools/files', 'removed'],
        ['tools/mail', 'changed'],
      ]);
    });
  });
});

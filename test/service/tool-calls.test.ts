// Tool calls over HTTP: their decisions, and how they are stored, bound to approvals, verified and refused.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { definitionDigest } from '../../shared/core/tools/definition.ts';
import { argumentsDigest } from '../../shared/core/tools/call.ts';
import type { ExplainedCondition, ExplainedRule } from '../../shared/core/policy/types.ts';
import type { ToolEntry } from '../../shared/core/tools/schema.ts';
import type { Client, ClientResponse } from '../support/client.ts';
import { factsText } from '../support/stored-facts.ts';
import { recordText } from '../support/stored-records.ts';
import { type Service, SHIPPED_POLICIES } from '../support/service.ts';
import { signIn } from '../support/dashboard.ts';
import { startServiceAndWorker, type TestWorker } from '../support/worker.ts';
import { createEvidenceStore } from '../../shared/domain/verification/store.ts';
import { createStoredVerifier } from '../../shared/domain/verification/stored.ts';

const SEEN = definitionDigest({ name: 'read_text_file', description: 'Reads a file.' });
const tools: Record<string, ToolEntry> = {
  read_text_file: { action: 'read', resource: 'file/{path}', definition: SEEN },
  list: { action: 'read', resource: 'file/{path}' },
  stat: { action: 'read', resource: 'file/{at}' },
  write_file: { action: 'update', effect: 'destructive', resource: 'file/{path}', traits: ['irreversible'] },
  run: { action: 'execute', reads: { command: 'shell' } },
};
const POLICY = {
  id: 'no-keys',
  description: 'No tool reads keys.',
  stage: 'enforce',
  target: { actions: ['*'], resources: ['*'] },
  rules: [
    {
      name: 'keys',
      conditions: {
        all: [
          { fact: 'tool', path: 'present', operator: 'equal', value: true },
          { fact: 'tool', path: 'arguments.path', operator: 'isPresent', value: true },
          { fact: 'tool', path: 'arguments.path', operator: 'matchesGlob', value: '/srv/keys/**' },
        ],
      },
      event: { type: 'DENY', params: { code: 'KEYS', message: 'keys stay where they are' } },
    },
    {
      name: 'notes',
      conditions: {
        all: [
          { fact: 'tool', path: 'present', operator: 'equal', value: true },
          { fact: 'tool', path: 'arguments.note', operator: 'isPresent', value: true },
          { fact: 'tool', path: 'arguments.note', operator: 'equal', value: 'never' },
          {
            fact: 'tool',
            path: 'arguments.notes',
            operator: 'some',
            value: { operator: 'notEqual', value: 'harmless' },
          },
        ],
      },
      event: { type: 'DENY', params: { code: 'NOTES', message: 'this note is never passed on' } },
    },
  ],
};
const shipped = Object.fromEntries(
  readdirSync(SHIPPED_POLICIES)
    .filter((name) => name.endsWith('.json'))
    .map((name) => [name, JSON.parse(readFileSync(path.join(SHIPPED_POLICIES, name), 'utf8')) as unknown]),
);
const policies = {
  ...shipped,
  'no-keys.json': POLICY,
  'tools/filesystem.json': { server: 'filesystem', description: 'Files of a test.', tools },
};

const codes = ({ json }: ClientResponse): string[] => json.reasons.map(({ code }: { code: string }) => code);

describe('a tool call', () => {
  let service: Service;
  let client: Client;
  let worker: TestWorker;
  let close: () => Promise<void>;
  before(async () => {
    const started = await startServiceAndWorker({ policies });
    ({ service, close } = started);
    worker = started.worker;
    client = service.admin.withKey((await service.addKey()).key);
  });
  after(() => close());

  const call = (name: string, args: object, more: object = {}) => ({
    server: 'filesystem',
    name,
    arguments: args,
    ...more,
  });
  const ask = (tool: object, more: object = {}, by: Client = client) =>
    by.post('/v1/enforce', { agent_id: 'bot', tool, ...more });

  it('is decided by its catalogue, and the decision names the call and the digest of its arguments', async () => {
    const args = { path: '/srv/../srv/./app//a.txt' };
    const { status, json } = await ask(call('list', args));
    expect(status).to.equal(200);
    expect(json).to.include({ verdict: 'ALLOW' });
    expect(json.tool).to.deep.equal({
      server: 'filesystem',
      name: 'list',
      arguments_digest: argumentsDigest(args),
      known: true,
      changed: false,
    });
    expect(json.intent).to.deep.include({
      requested: { tool: { server: 'filesystem', name: 'list' } },
      action: 'read',
      resource: 'file/srv/app/a/txt',
      parsed: false,
    });
  });

  it('is denied by a rule about its arguments, in every spelling of the path', async () => {
    for (const file of ['/srv/keys/a', '/srv//keys/a', '/srv/app/../keys/a', '/srv/keys/../../srv/keys/x'])
      expect(codes(await ask(call('list', { path: file }))), file).to.include('KEYS');
    expect((await ask(call('list', { path: '/srv/app' }))).json.verdict).to.equal('ALLOW');
  });

  it('escalates when the tool, the server or an argument is not known, or the tool has changed', async () => {
    const doubtful: [object, object][] = [
      [call('format', {}), { known: false, changed: false }],
      [
        { ...call('list', { path: '/a' }), server: 'other' },
        { known: false, changed: false },
      ],
      [call('stat', { at: '../../a' }), { known: false, changed: false }],
      [call('stat', { at: 7 }), { known: false, changed: false }],
      [
        call('read_text_file', { path: '/a' }, { definition_digest: `sha256:${'0'.repeat(64)}` }),
        { known: true, changed: true },
      ],
      [call('read_text_file', { path: '/a' }), { known: true, changed: true }],
    ];
    for (const [tool, said] of doubtful) {
      const { json } = await ask(tool);
      expect(json.verdict, JSON.stringify(tool)).to.equal('ESCALATE');
      expect(json.tool).to.include(said);
      expect(json.intent.action).to.equal('unknown');
    }
    expect((await ask(call('read_text_file', { path: '/a' }, { definition_digest: SEEN }))).json.verdict).to.equal(
      'ALLOW',
    );
  });

  it('includes the meaning of its command', async () => {
    const { json } = await ask(call('run', { command: 'ls /srv; rm -rf /srv/app' }));
    expect(json).to.include({ verdict: 'DENY' });
    expect(json.intent).to.include({ action: 'delete', effect: 'destructive' });
  });

  it('stores its arguments with the facts, and never in the record', async () => {
    const secret = `note-${'q'.repeat(12)}`;
    const { json } = await ask(call('list', { path: '/srv', note: secret }));
    const [row] = await service.rows<{ record: Buffer; facts: Buffer }>(
      'SELECT record, facts FROM decision WHERE decision_id = $1',
      [json.decision_id],
    );
    expect(recordText(row?.record))
      .to.contain(argumentsDigest({ path: '/srv', note: secret }))
      .and.not.contain(secret);
    expect(factsText(row?.facts)).to.contain(secret);
    const again = await service.admin.get(`/v1/decisions/${json.decision_id}`);
    expect(again.json.tool).to.deep.equal(json.tool);
  });

  it('works in a batch and as a dry run, and is explained with the values that its conditions read', async () => {
    const body = {
      requests: [
        { agent_id: 'bot', tool: call('list', { path: '/a' }) },
        { agent_id: 'bot', tool: call('stat', { at: 7 }) },
        { agent_id: 'bot' },
      ],
    };
    const { json } = await client.post('/v1/enforce/batch', body);
    expect(json.decisions.map((one: Record<string, unknown>) => one['verdict'])).to.deep.equal([
      'ALLOW',
      'ESCALATE',
      undefined,
    ]);
    expect(json.decisions[2].error).to.include({ code: 'E2001' });
    const dry = await ask(call('list', { path: '/srv/keys/a' }), { dry_run: true, explain: true }, service.admin);
    expect(dry.json).to.include({ dry_run: true, verdict: 'DENY' });
    expect(dry.json.tool).to.include({ known: true });
    const rule = dry.json.explanation.find((one: { rule: string }) => one.rule === 'keys');
    expect(rule.conditions[2]).to.deep.include({ actual: '/srv/keys/a', result: true });
  });

  const refusals: [name: string, body: object, pointer: string][] = [
    ['neither intent nor tool', {}, '/intent'],
    ['both intent and tool', { intent: 'data.read.x', tool: call('list', {}) }, '/tool'],
    ['arguments that are not an object', { tool: call('list', []) }, '/tool/arguments'],
    ['no arguments', { tool: { server: 'a', name: 'b' } }, '/tool/arguments'],
    ['a server that is not an identifier', { tool: { ...call('list', {}), server: 'a\u0000' } }, '/tool/server'],
    ['a name that is not an identifier', { tool: { ...call('list', {}), name: '..' } }, '/tool/name'],
    ['an invalid digest', { tool: call('list', {}, { definition_digest: 'abc' }) }, '/tool/definition_digest'],
    [
      'a hint that is not a boolean',
      { tool: call('list', {}, { annotations: { readOnlyHint: 'yes' } }) },
      '/tool/annotations/readOnlyHint',
    ],
    ['an unknown member', { tool: call('list', {}, { argumnets: {} }) }, '/tool/argumnets'],
    ['a parse of a text', { tool: call('list', {}), intent_id: 'int_01jq3k00000000000000000000' }, '/intent_id'],
  ];
  for (const [name, body, pointer] of refusals)
    it(`is refused with ${name}: E2001 at ${pointer}`, async () => {
      const { status, json } = await client.post('/v1/enforce', { agent_id: 'bot', ...body });
      expect([status, json.code]).to.deep.equal([400, 'E2001']);
      expect(json.errors.map((error: { pointer: string }) => error.pointer)).to.include(pointer);
    });

  it('accepts arguments of 256 kB and 32 levels, and refuses a byte or a level more', async () => {
    const sized = (bytes: number) => ({ path: '/a', x: 'x'.repeat(bytes - '{"path":"/a","x":""}'.length) });
    const nested = (levels: number): object => (levels === 1 ? { x: 1 } : { x: nested(levels - 1) });
    const statuses = await Promise.all(
      [sized(262_144), sized(262_145), nested(32), nested(33)].map(
        async (args) => (await ask(call('list', args))).status,
      ),
    );
    expect(statuses).to.deep.equal([200, 400, 200, 400]);
  });

  it('opens an approval of exactly this call, with its arguments masked, which is not valid for other arguments', async () => {
    const pinned = (args: object, more: object = {}) => call('read_text_file', args, more);
    const args = { path: '/srv/a', token: 'abc', note: 'key sk-abcdefghijklmnopqrstuv of ours' };
    const { json } = await ask(pinned(args));
    expect(json.verdict).to.equal('ESCALATE');
    const { approval_id } = json.approval;
    const shown = (await service.admin.get(`/v1/approvals/${approval_id}`)).json;
    expect(shown.requested).to.deep.equal({ tool: { server: 'filesystem', name: 'read_text_file' } });
    expect(shown.bound.tool.arguments).to.deep.equal({
      path: '/srv/a',
      token: '[secret]',
      note: 'key [secret] of ours',
    });
    expect(shown.masked).to.have.deep.members([
      { pointer: '/token', reason: 'name' },
      { pointer: '/note', reason: 'credential' },
    ]);
    expect((await service.admin.post(`/v1/approvals/${approval_id}/approve`, { reason: 'seen' })).status).to.equal(200);
    const others: [object, string][] = [
      [pinned({ ...args, note: 'other' }), 'APPROVAL_MISMATCH'],
      [pinned({ path: '/srv/a' }), 'APPROVAL_MISMATCH'],
      [pinned(args, { definition_digest: `sha256:${'1'.repeat(64)}` }), 'APPROVAL_MISMATCH'],
      [pinned(args, { annotations: { readOnlyHint: true } }), 'APPROVAL_MISMATCH'],
      [call('list', args), 'APPROVAL_MISMATCH'],
    ];
    for (const [tool, code] of others) expect(codes(await ask(tool, { approval_id }))).to.deep.equal([code]);
    const used = await ask(pinned(args), { approval_id });
    expect(used.json.verdict).to.equal('ALLOW');
  });

  it('is explained on the dashboard with the secrets among its arguments masked, in facts and conditions', async () => {
    const secret = 'sk-abcdefghijklmnopqrstuv';
    const { json } = await ask(
      call('list', { path: '/srv/a', token: 'abc', note: secret, n: 7, notes: ['harmless', secret] }),
    );
    const signed = await signIn(service.admin, service.adminKey);
    const shown = await signed.get(`/decisions/${json.decision_id}/explanation`);
    const args = { path: '/srv/a', token: '[secret]', note: '[secret]', n: 7, notes: ['harmless', '[secret]'] };
    expect(shown.json.facts.tool.arguments).to.deep.equal(args);
    expect(shown.json.masked.map(({ pointer }: { pointer: string }) => pointer)).to.have.members([
      '/token',
      '/note',
      '/notes/1',
    ]);
    const rule = shown.json.rules.find((each: ExplainedRule) => each.rule === 'notes');
    expect(rule.conditions.map(({ actual }: ExplainedCondition) => actual)).to.deep.equal([
      true,
      '[secret]',
      '[secret]',
      ['harmless', '[secret]'],
    ]);
    expect(rule.conditions[3]).to.deep.include({ item: { index: 1, actual: '[secret]' }, result: true });
    expect(shown.text).not.to.include(secret);
  });

  it('that was unknown or changed is shown with the catalogue of its server, to agents:read of its own organisation and environment', async () => {
    await service.apply({ ...policies, 'tools/seen.json': { server: 'seen', description: 'Seen.', tools } });
    const asked = async (server: string, name: string): Promise<string> =>
      (await ask({ server, name, arguments: { path: '/a' } })).json.decision_id;
    await asked('seen', 'erase');
    const erased = await asked('seen', 'erase');
    const changed = await asked('seen', 'read_text_file');
    await asked('seen', 'list');
    const nowhere = await asked('nowhere', 'x');
    const reader = await service.client({ scopes: ['agents:read'] });
    const list = (await reader.get('/v1/tools?limit=200')).json.items as { server: string; description: string }[];
    const shown = (await reader.get('/v1/tools/seen')).json;
    expect(list.find(({ server }) => server === 'seen')).to.deep.equal(shown);
    expect([shown.description, shown.seen]).to.deep.equal([
      'Seen.',
      [
        { name: 'read_text_file', state: 'changed', calls: 1, decisionId: changed },
        { name: 'erase', state: 'unknown', calls: 2, decisionId: erased },
      ],
    ]);
    expect((await reader.get('/v1/tools/nowhere')).json).to.deep.equal({
      server: 'nowhere',
      description: null,
      trustAnnotations: false,
      tools: [],
      seen: [{ name: 'x', state: 'unknown', calls: 1, decisionId: nowhere }],
    });
    const organisationId = await service.addOrganisation('no-calls');
    for (const of of [{ organisationId }, { environment: 'test' }, { agentIds: ['another'] }] as const) {
      const other = await service.client({ scopes: ['agents:read'], ...of });
      expect((await other.get('/v1/tools/seen')).json.seen).to.deep.equal([]);
      expect((await other.get('/v1/tools/nowhere')).json.code).to.equal('E4001');
    }
    expect((await (await service.client({ scopes: ['trust:read'] })).get('/v1/tools')).json.code).to.equal('E1004');
    await service.apply(policies);
  });

  it('is found among decisions by its server, and by its tool', async () => {
    const agentId = 'finder';
    const ids = new Map<string, string>();
    for (const [server, name] of [
      ['filesystem', 'list'],
      ['filesystem', 'stat'],
      ['other/files', 'list'],
    ] as const) {
      service.advance(1);
      const { json } = await ask({ server, name, arguments: { path: '/a', at: '/a' } }, { agent_id: agentId });
      ids.set(`${server} ${name}`, json.decision_id);
    }
    await client.post('/v1/enforce', { agent_id: agentId, intent: 'data.read.list' });
    const found = async (query: string): Promise<(string | undefined)[]> => {
      const { json } = await service.admin.get(`/v1/decisions?agentId=${agentId}&${query}`);
      return json.items.map((each: { decision_id: string }) => each.decision_id);
    };
    const idsOf = (...names: string[]) => names.map((name) => ids.get(name));
    expect(await found('toolServer=filesystem')).to.deep.equal(idsOf('filesystem stat', 'filesystem list'));
    expect(await found('toolServer=filesystem&toolName=list')).to.deep.equal(idsOf('filesystem list'));
    expect(await found('toolServer=other%2Ffiles')).to.deep.equal(idsOf('other/files list'));
    expect(await found('toolServer=nowhere')).to.deep.equal([]);
    expect(await found('')).to.have.lengthOf(4);
    const refused = await service.admin.get('/v1/decisions?toolName=list');
    expect([refused.status, refused.json.errors[0].pointer]).to.deep.equal([400, '?toolServer']);
    const signed = await signIn(service.admin, service.adminKey);
    const newer = async (query: string) =>
      (await signed.get(`/decisions/newer?q=agent:${agentId}%20${query}`)).json.newer;
    expect(await newer('server:filesystem')).to.equal(2);
    expect(await newer('tool:filesystem/stat')).to.equal(1);
    expect(await newer('')).to.equal(4);
  });

  it('can be submitted to a worker, which decides it and stores its arguments only with the decision', async () => {
    const submit = (body: object) => client.post('/v1/intents', { agentId: 'bot', ...body });
    const { status, json } = await submit({ tool: call('list', { path: '/srv/a/../b' }) });
    expect(status).to.equal(202);
    const read = async () => (await service.admin.get(`/v1/intents/${json.intentId}`)).json;
    expect(await read()).to.include({ status: 'queued', action: 'read', resource: 'file/srv/b' });
    await worker.evaluate(json.intentId);
    const { decision, ...intent } = await read();
    expect(intent).to.include({ status: 'decided' });
    expect(decision).to.include({ verdict: 'ALLOW' });
    expect(decision.tool).to.include({ name: 'list', known: true });
    expect(await service.rows('SELECT FROM intent WHERE tool IS NOT NULL')).to.deep.equal([]);

    const escalated = (await submit({ tool: call('stat', {}) })).json.intentId;
    await worker.evaluate(escalated);
    expect((await service.admin.get(`/v1/intents/${escalated}`)).json).to.include({
      status: 'waiting_approval',
      action: 'unknown',
    });
    for (const [body, pointer] of [
      [{}, '/action'],
      [{ action: 'read' }, '/resource'],
      [{ tool: call('list', {}), action: 'read' }, '/tool'],
      [{ tool: call('list', []) }, '/tool/arguments'],
    ] as const)
      expect((await submit(body)).json.errors[0].pointer).to.equal(pointer);
  });

  it('gives the recorded results when every decision is evaluated again', async () => {
    const verifier = createStoredVerifier({ store: createEvidenceStore({ db: service.db }) });
    for (const before of [() => Promise.resolve(), () => worker.append()]) {
      await before();
      let verified = 0;
      for await (const outcome of verifier.all({})) {
        expect(outcome.status, outcome.sentence).to.not.equal('failed');
        verified += 1;
      }
      expect(verified).to.be.above(15);
    }
  });
});

// The adapters of the TypeScript client, each in its framework with that framework's fake model, before a real service.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { type Service, startService } from '../../support/service.ts';
import { describeUnless } from '../../support/skip.ts';

const ROOT = findRoot();
const CLIENT = path.join(ROOT, 'clients', 'typescript');
const bin = (name: string): string => path.join(ROOT, 'node_modules', '.bin', name);
const run = promisify(execFile);

const isInstalled = existsSync(path.join(CLIENT, 'node_modules', 'langchain'));
const reason =
  isInstalled || process.env['CI'] !== undefined
    ? undefined
    : 'the frameworks are not installed (npm ci --prefix clients/typescript)';

const policy = (id: string, actions: readonly string[], resource: string, type: string, params: object) => ({
  id,
  description: `the test's ${id}`,
  stage: 'enforce',
  target: { actions, resources: [resource] },
  rules: [
    {
      name: 'known-tools',
      conditions: { all: [{ fact: 'tool', path: 'known', operator: 'equal', value: true }] },
      event: { type, params: { code: id.toUpperCase(), ...params } },
    },
  ],
});

const POLICIES = {
  'tools/notes.json': {
    server: 'notes',
    description: 'the notes of a test',
    tools: {
      read_note: { action: 'read', resource: 'note/{id}' },
      delete_note: { action: 'delete', resource: 'note/{id}' },
      send_note: { action: 'update', resource: 'note/{id}' },
      list_notes: { action: 'read', resource: 'notes' },
      find_notes: { action: 'read', resource: 'note/any' },
    },
  },
  'read.json': policy('read', ['read'], 'note/*', 'ALLOW', { message: 'notes may be read' }),
  'delete.json': policy('delete', ['delete'], 'note/*', 'DENY', { message: 'notes are kept' }),
  'send.json': policy('send', ['update'], 'note/*', 'ESCALATE', { message: 'a human decides' }),
  'list.json': policy('list', ['read'], 'notes', 'DEGRADE', {
    message: 'authors are hidden',
    obligations: [{ type: 'redact_fields', fields: ['author'] }],
  }),
};

describeUnless(reason, 'the adapters of the TypeScript client', () => {
  let service: Service;
  before(async () => {
    service = await startService({ policies: POLICIES });
  });
  after(() => service.close());

  it('govern the tools of each framework', async () => {
    await run(process.execPath, [bin('tsc'), '-p', 'adapters'], { cwd: CLIENT });
    const { key } = await service.addKey({ scopes: ['intents:write', 'trust:write', 'proofs:read'] });
    const env = {
      ...process.env,
      CUSTOS_URL: service.admin.baseUrl,
      CUSTOS_KEY: key,
      CUSTOS_ADMIN_KEY: service.adminKey,
    };
    const args = [bin('mocha'), '--no-config', '--timeout', '60000', 'dist/adapters/test/adapters.test.js'];
    const { stdout } = await run(process.execPath, args, { cwd: CLIENT, env }).catch(
      (error: Error & { stdout?: string }) => {
        throw new Error(error.stdout ?? error.message, { cause: error });
      },
    );
    expect(stdout)
      .to.match(/\d+ passing/)
      .and.not.match(/pending/);
  });
});

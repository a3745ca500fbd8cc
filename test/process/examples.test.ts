// The examples, line by line as their READMEs show them, in a fresh clone, and the configuration files of the guide to the guard.
import { execFile, spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'chai';
import { type ServiceWithFolder, startServiceWithFolder } from '../support/data-folder.ts';
import { temporaryFolder } from '../support/folders.ts';
import { freshClone } from '../support/fresh-clone.ts';
import { CLI } from '../support/mcp-guard.ts';
import { cleanEnv, type TestProcess, V8_OPTIONS, watch } from '../support/process.ts';
import { readmeBlocks } from '../support/readme-blocks.ts';
import { waitFor } from '../support/wait.ts';

/** Every line begins a line of the output, in the same order: documents show shortened lines. */
function expectLines(output: string, shown: string): void {
  let rest = `\n${output}`;
  for (const line of shown.trimEnd().split('\n')) {
    const at = rest.indexOf(`\n${line}`);
    expect(at, `${JSON.stringify(line)} in\n${rest}`).to.be.at.least(0);
    rest = rest.slice(at + 1);
  }
}

describe('after "npm ci && npm start" in a clone, the examples and the TypeScript client', () => {
  const README = 'examples/mcp/README.md';
  const CLIENT = 'clients/typescript/README.md';
  let clone: string;
  let custos: ServiceWithFolder;
  let env: NodeJS.ProcessEnv;

  /** Lines of a document in a shell; the address and the data folder are those of the test. npx takes half a second for itself. */
  const script = (lines: string): string =>
    `npx() { shift; "${process.execPath}" ${V8_OPTIONS.join(' ')} "${path.join(clone, 'bin', 'custos.js')}" "$@"; }\n${lines}`
      .replaceAll('http://127.0.0.1:3000', custos.address)
      .replaceAll('.custos/bootstrap-key', path.join(custos.dataDir, 'bootstrap-key'));
  const shell = async (lines: string, cwd = clone): Promise<string> => {
    const options = { cwd, env, timeout: 60_000 };
    return (await promisify(execFile)('/bin/sh', ['-euc', script(lines)], options)).stdout;
  };
  const inBackground = (lines: string): TestProcess =>
    watch(
      spawn('/bin/sh', ['-euc', script(lines)], { cwd: clone, env, stdio: ['ignore', 'pipe', 'pipe'] }),
      'the session',
    );

  before(async () => {
    [clone, custos] = await Promise.all([freshClone(), startServiceWithFolder()]);
    env = cleanEnv(custos.env);
    const [prepare] = readmeBlocks(README, 'prepare');
    env['CUSTOS_KEY'] = (await shell(`${prepare}\necho "$CUSTOS_KEY"`)).trim();
  });
  after(() => custos.close());

  it('refuses to move the passwords, reads, writes after an approval, and a stricter draft shows what it would have stopped', async () => {
    const [session] = readmeBlocks(README, 'session');
    const [refused, written = ''] = readmeBlocks(README, 'printed');
    const running = inBackground(session);
    await waitFor(() => running.stdout().includes('Waiting for a human'), { what: 'the call that waits' });
    expectLines(running.stdout(), refused);
    const [approve] = readmeBlocks(README, 'approve');
    expect(await shell(approve))
      .to.contain('mcp-example-bot')
      .and.contain('report.txt');
    expect(await running.ended, running.stderr()).to.deep.equal({ code: 0, signal: null });
    expectLines(running.stdout(), written);
    const [replay] = readmeBlocks(README, 'replay');
    const replayed = await shell(replay);
    expectLines(replayed, readmeBlocks(README, 'replayed')[0]);
    expect(replayed).to.match(/ALLOW -> DENY mcp-example-bot filesystem\/read_text_file: .*diary\.monday\.txt/);
    const { rows } = custos.service;
    const decided = await rows<{ verdict: string }>('SELECT verdict FROM decision ORDER BY decision_id');
    const verdicts = decided.map(({ verdict }) => verdict);
    expect(verdicts, 'one decision for each question').to.deep.equal([
      'DENY',
      'ALLOW',
      'ALLOW',
      'ESCALATE',
      'ALLOW',
      'ALLOW',
    ]);
    const proven = await rows("SELECT FROM record WHERE event = 'tool.called'");
    expect(proven, 'one proof for each call that was carried out').to.have.lengthOf(4);
  });

  for (const label of ['mcp-servers', 'vs-code'])
    it(`the configuration file ${label} of the guide starts a server behind the guard`, async () => {
      const [text] = readmeBlocks('docs/guides/mcp-guard.md', label);
      const [servers] = Object.values(JSON.parse(text) as object).filter((member) => !Array.isArray(member)) as {
        filesystem: { command: string; args: string[]; env: object };
      }[];
      if (servers === undefined) throw new Error(`${label} names no servers`);
      const { command, args, env: names } = servers.filesystem;
      const folder = args.at(-1) ?? '';
      expect([command, Object.keys(names)]).to.deep.equal(['custos', ['CUSTOS_URL', 'CUSTOS_KEY']]);
      const files = temporaryFolder('files');
      // The key of the example is bound to its agent.
      const here: Record<string, string> = { [folder]: files, 'release-bot': 'mcp-example-bot' };
      const guard = [CLI, ...args.map((arg) => here[arg] ?? arg)];
      const client = new Client({ name: 'test', version: '1.0.0' });
      // cleanEnv leaves no member undefined.
      const started = { command: process.execPath, args: guard, env: env as Record<string, string> };
      await client.connect(new StdioClientTransport({ ...started, stderr: 'ignore' }));
      const answer = await client.callTool({ name: 'list_directory', arguments: { path: files } });
      expect(answer.isError, JSON.stringify(answer.content)).to.not.equal(true);
      await client.close();
    });

  it('every client and the service accept a receipt, and refuse it with one byte changed for the same reason', async () => {
    const folder = temporaryFolder('audit');
    const lines = (label: string): string =>
      readmeBlocks('examples/auditor/README.md', label)[0].replaceAll('.build/audit', folder);
    const audited = await shell(`${lines('record')}\n${lines('audit')}`);
    const [, ...printed] = audited.trimEnd().split('\n');
    const shown = lines('audited').trimEnd().split('\n');
    // In CI all languages are installed.
    const isSkipped = (line: string): boolean => process.env['CI'] === undefined && line.includes('skipped: ');
    expect(printed.map((line, i) => (isSkipped(line) ? shown[i] : line))).to.deep.equal(shown);
  });

  it('a human approves two calls of an agent and rejects the third, which does not run', async () => {
    const lines = (label: string): string => readmeBlocks('examples/agent/README.md', label)[0];
    const running = inBackground(lines('agent'));
    const asked = await shell(lines('human').replace('node ', "printf 'y\\ny\\nn\\n' | node "));
    expect(asked).to.equal(lines('asked'));
    expect(await running.ended, running.stderr()).to.deep.equal({ code: 0, signal: null });
    expectLines(running.stdout(), lines('printed'));
  });

  it('the example of the TypeScript client runs as its README shows it', async () => {
    const [output] = readmeBlocks(CLIENT, 'quickstart-output');
    expect(await shell(readmeBlocks(CLIENT, 'quickstart')[0])).to.equal(output);
  });

  it('the program of its README runs where the client is installed as the README says', async () => {
    const place = temporaryFolder('typescript-client');
    const client = path.join(clone, 'clients', 'typescript');
    rmSync(path.join(client, 'dist'), { recursive: true });
    const [install] = readmeBlocks(CLIENT, 'install');
    await shell(`export npm_config_offline=true\n${install.replace('../custos/clients/typescript', client)}`, place);
    writeFileSync(path.join(place, 'program.mjs'), readmeBlocks(CLIENT, 'program')[0]);
    const withKey = 'export CUSTOS_KEY=$(cat .custos/bootstrap-key)';
    expect(await shell(`${withKey}\nnode program.mjs`, place)).to.equal(readmeBlocks(CLIENT, 'program-output')[0]);
  });

  it('refuses every call when Custos is stopped', async () => {
    await custos.close();
    const [, session = ''] = readmeBlocks(README, 'session');
    const output = await shell(session);
    expectLines(output, readmeBlocks(README, 'away')[0]);
    expect(output.match(/^> /gm)).to.have.lengthOf(5);
    expect(output.match(/^ {2}refused: .*Custos could not be reached/gm)).to.have.lengthOf(5);
  });
});

// `custos tools` with a real MCP server, and with servers that exit, do not answer, or do not write JSON-RPC.
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { findRoot } from '../../shared/platform/config/root.ts';
import type { ToolCatalogueFile } from '../../shared/core/tools/schema.ts';
import { type Ran, runCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/folders.ts';

const MEMORY = path.join(findRoot(), 'node_modules', '@modelcontextprotocol', 'server-memory', 'dist', 'index.js');
const shipped = path.join(findRoot(), 'policies');
const policies = temporaryFolder('policies');
const file = path.join(policies, 'tools', 'memory.json');
const options = ['--policies', policies];
const memory = ['--', process.execPath, MEMORY];

async function tools(...args: string[]): Promise<Ran> {
  return runCommand(['tools', ...args], { CUSTOS_POLICY_DIR: policies });
}

function catalogue(): ToolCatalogueFile {
  return JSON.parse(readFileSync(file, 'utf8')) as ToolCatalogueFile;
}

function change(work: (tools: ToolCatalogueFile['tools']) => void): void {
  const found = catalogue();
  work(found.tools);
  writeFileSync(file, JSON.stringify(found));
}

describe('custos tools', () => {
  before(async () => {
    mkdirSync(path.join(policies, 'tools'));
    symlinkSync(path.join(shipped, 'lexicon'), path.join(policies, 'lexicon'));
    for (const name of ['reads.json', 'destructive.json']) cpSync(path.join(shipped, name), path.join(policies, name));
    const { code, stdout, stderr } = await tools('import', '--write', file, ...options, ...memory);
    expect([code, stdout], stderr).to.deep.equal([0, '']);
    expect(stderr).to.match(/high +delete_entities: delete\n.*the verb "delete"/);
  });

  it('import proposes a catalogue that "policy check" accepts and "tools check" finds equal to the server', async () => {
    expect(catalogue()).to.include({ server: 'memory' });
    expect(catalogue().tools['delete_entities']).to.include({ action: 'delete', extent: 'many' });
    const checked = await runCommand(['policy', 'check', policies, '--json']);
    expect(JSON.parse(checked.stdout)).to.deep.include({ ok: true, findings: [] });
    const compared = await tools('check', '--server', 'memory', ...options, ...memory);
    expect([compared.code, compared.stdout]).to.deep.equal([0, 'ok memory: 9 tools as pinned, 0 differences.\n']);
  });

  it('check exits with 1 and names what is new, gone and changed; import adds the new and keeps the rest', async () => {
    const pinned = catalogue();
    change((entries) => {
      delete entries['open_nodes'];
      entries['read_graph'] = { action: 'execute', definition: `sha256:${'0'.repeat(64)}` };
      entries['burn_graph'] = { action: 'delete' };
    });
    const differs = await tools('check', '--server', 'memory', '--json', ...options, ...memory);
    const found = JSON.parse(differs.stdout) as { ok: boolean; tools: { name: string; standing: string }[] };
    expect([differs.code, found.ok]).to.deep.equal([1, false]);
    expect(
      found.tools.flatMap(({ name, standing }) => (standing === 'same' ? [] : [`${name} ${standing}`])),
    ).to.deep.equal(['read_graph changed', 'open_nodes new', 'burn_graph gone']);
    const again = await tools('import', '--write', file, ...options, ...memory);
    expect(again.stderr).to.match(/changed +read_graph: the entry is kept; pinned now: sha256:/);
    expect(catalogue().tools).to.deep.include({
      open_nodes: pinned.tools['open_nodes'],
      read_graph: { action: 'execute', definition: `sha256:${'0'.repeat(64)}` },
      burn_graph: { action: 'delete' },
    });
    await tools('import', '--replace', '--write', file, ...options, ...memory);
    expect(catalogue().tools).to.deep.equal(pinned.tools);
  });

  it('list shows action, effect and pin of each tool', async () => {
    const { code, stdout } = await tools('list', '--json');
    expect(code).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.include({
      server: 'memory',
      tool: 'delete_entities',
      action: 'delete',
      effect: 'destructive',
      resource: null,
      pinned: catalogue().tools['delete_entities']?.definition,
    });
  });

  it('explain reports what a call does and why; policy explain gives its verdict', async () => {
    const digest = catalogue().tools['read_graph']?.definition ?? '';
    const known = await tools('explain', 'memory', 'read_graph', '--definition', digest);
    expect(known.stdout)
      .to.match(/known +yes/)
      .and.match(/action +read/);
    const changed = await tools('explain', 'memory', 'read_graph', '--json');
    const { tool, reasons } = JSON.parse(changed.stdout) as { tool: object; reasons: string[] };
    expect(tool).to.include({ known: true, changed: true });
    expect(reasons.join(' ')).to.contain('the call comes with no definition');
    const call = { server: 'memory', name: 'read_graph', arguments: {}, definition_digest: digest };
    const verdict = await runCommand(['policy', 'explain', policies, '--json', '--tool', JSON.stringify(call)]);
    expect(JSON.parse(verdict.stdout)).to.include({ verdict: 'ALLOW' });
  });

  const node = (script: string): string[] => ['--', process.execPath, '-e', script];
  for (const [what, args, code, sentence] of [
    [
      'a server that dies',
      ['check', '--server', 'memory', ...node('process.exit(3)')],
      1,
      'ended with the exit code 3',
    ],
    ['a server that writes garbage', ['import', ...node('console.log("hello")')], 1, 'a frame is not JSON'],
    [
      'a server that writes a line without end',
      ['import', ...node('process.stdout.write("x".repeat(17*2**20)); process.stdin.resume()')],
      1,
      'larger than 16777216 bytes',
    ],
    [
      'a silent server',
      ['import', '--timeout', '1', ...node('process.stdin.resume()')],
      1,
      'did not answer initialize',
    ],
    ['a server that does not exist', ['import', '--', './none'], 1, "can't be started (ENOENT)"],
    ['an address where nothing listens', ['import', '--url', 'http://127.0.0.1:1/mcp'], 1, "can't be reached"],
    ['no server', ['import'], 2, 'Name the MCP server'],
    ['a command and an address', ['import', '--url', 'http://127.0.0.1:1/', '--', 'x'], 2, 'Name the MCP server'],
    ['a server without a catalogue', ['check', '--server', 'memori', '--', 'x'], 2, 'did you mean "memory"?'],
    ['arguments that are no object', ['explain', 'memory', 'x', '--arguments', '[]'], 2, 'It must be a JSON object'],
    ['--replace without a file', ['import', '--replace', '--', 'x'], 2, '--replace needs --write'],
  ] as const)
    it(`${what}: exit code ${code}, and a one-sentence message`, async () => {
      const ran = await tools(...args);
      expect([ran.code, ran.stdout], ran.stderr).to.deep.equal([code, '']);
      expect(ran.stderr).to.contain(sentence);
    });

  it('a file that is not a catalogue is not overwritten', async () => {
    const broken = path.join(temporaryFolder(), 'memory.json');
    writeFileSync(broken, '{"server":"memory"}');
    const ran = await tools('import', '--write', broken, ...options, ...memory);
    expect([ran.code, readFileSync(broken, 'utf8')]).to.deep.equal([3, '{"server":"memory"}']);
    expect(ran.stderr).to.contain('is not changed');
  });
});

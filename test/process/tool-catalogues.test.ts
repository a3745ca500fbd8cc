// The shipped tool catalogues pin the tools of the public MCP servers, as the installed packages list them.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'chai';
import { definitionDigest } from '../../shared/core/tools/definition.ts';
import type { ToolCatalogueFile } from '../../shared/core/tools/schema.ts';
import { findRoot } from '../../shared/platform/config/root.ts';
import { temporaryFolder } from '../support/folders.ts';
import { waitFor } from '../support/wait.ts';

/** A server may offer some of its tools only to clients with these capabilities. */
const CAPABILITIES = {
  sampling: {},
  roots: {},
  elicitation: { form: {}, url: {} },
  tasks: { requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
};

const pinsOf = ({ tools }: ToolCatalogueFile): object =>
  Object.fromEntries(Object.entries(tools).map(([name, { definition }]) => [name, definition]));

function catalogue(server: string): ToolCatalogueFile {
  const file = path.join(findRoot(), 'policies', 'tools', `${server}.json`);
  // Other tests load the file as a catalogue.
  return JSON.parse(readFileSync(file, 'utf8')) as ToolCatalogueFile;
}

describe('the shipped tool catalogues', () => {
  it('pin every tool', () => {
    for (const server of ['everything', 'fetch', 'filesystem', 'git', 'memory'])
      for (const [name, definition] of Object.entries(pinsOf(catalogue(server))))
        expect(definition, `${server}/${name}`).to.match(/^sha256:[0-9a-f]{64}$/);
  });

  for (const [server, args] of [
    ['filesystem', [temporaryFolder('files')]],
    ['memory', []],
    ['everything', ['stdio']],
  ] as const)
    it(`pin every tool of the installed ${server} server, and no other`, async () => {
      const folder = path.join(findRoot(), 'node_modules', '@modelcontextprotocol', `server-${server}`);
      const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities: CAPABILITIES });
      const file = path.join(folder, 'dist', 'index.js');
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args: [file, ...args], stderr: 'ignore' }),
      );
      const { tools } = catalogue(server);
      // Tools that depend on the client's capabilities are added after the initialization.
      const listed = await waitFor(
        async () => {
          const { tools: now } = await client.listTools();
          return now.length >= Object.keys(tools).length ? now : undefined;
        },
        { intervalMs: 50, what: `the tools of the ${server} server` },
      );
      await client.close();
      const live = Object.fromEntries(listed.map((tool) => [tool.name, definitionDigest(tool)]));
      expect(pinsOf(catalogue(server))).to.deep.equal(live);
      const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version: string };
      expect(catalogue(server).description).to.contain(`server-${server}, version ${version}`);
    });
});

// A session of a client of the official MCP SDK with the filesystem server, guarded by Custos. README.md tells the story.
// CUSTOS_URL names the service, CUSTOS_KEY is the agent's key.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const custos = path.join(root, 'dist', 'cli', 'main.js');
const filesystemServer = path.join(root, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');

// Some files to work with.
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'mcp-example-')));
const file = (name) => path.join(folder, name);
mkdirSync(file('diary'));
writeFileSync(file('passwords.txt'), 'rosebud\n');
writeFileSync(file('todo.txt'), 'Water the plants.\n');
writeFileSync(file('diary/monday.txt'), 'Slept well.\n');

// Without Custos: command `node`, arguments [filesystemServer, folder]. The guard goes before them.
const guarded = [
  ...[custos, 'mcp-guard', '--agent', 'mcp-example-bot', '--server', 'filesystem'],
  ...['--', process.execPath, filesystemServer, folder],
];
const client = new Client({ name: 'example', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command: process.execPath, args: guarded, env: process.env }));

/** A text that names files in the folder, for printing. */
const relative = (text) => text.replaceAll(folder + path.sep, '').replaceAll(folder, '.');

async function call(name, args) {
  console.log(`> ${name} ${relative(JSON.stringify(args))}`);
  let shown;
  const options = {
    // While a human decides, the guard reports progress again and again, and the client goes on waiting.
    onprogress: ({ message }) => {
      if (message !== shown) console.log(`  ${message}`);
      shown = message;
    },
    resetTimeoutOnProgress: true,
    timeout: 60_000,
    maxTotalTimeout: 600_000,
  };
  const { content, isError } = await client.callTool({ name, arguments: args }, undefined, options);
  const text = content.map((part) => part.text ?? `(${part.type})`).join('\n');
  console.log(`  ${isError ? 'refused' : 'done'}: ${relative(text.trim())}`);
}

try {
  await call('move_file', { source: file('passwords.txt'), destination: file('old.txt') });
  await call('read_text_file', { path: file('todo.txt') });
  await call('read_text_file', { path: file('diary/monday.txt') });
  await call('write_file', { path: file('report.txt'), content: 'All is well.\n' });
  await call('list_directory', { path: folder });
} finally {
  await client.close();
  rmSync(folder, { recursive: true });
}

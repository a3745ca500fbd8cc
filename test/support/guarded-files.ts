// The real filesystem server behind the guard, as a client of the official SDK sees it, with a catalogue and policies for its tools.
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { findRoot } from '../../shared/platform/config/root.ts';
import { CLI } from './mcp-guard.ts';
import { cleanEnv } from './process.ts';
import type { Service } from './service.ts';

const FILESYSTEM = path.join(findRoot(), 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');

export const rule = (name: string, type: 'ALLOW' | 'DENY' | 'ESCALATE', tool: string): object => ({
  name,
  conditions: { all: [{ fact: 'tool', path: 'name', operator: 'equal', value: tool }] },
  event: { type, params: { code: name.toUpperCase().replaceAll('-', '_'), message: `${tool} is decided by ${name}` } },
});
/** Reads are open, moves are denied, and a human approves writes. */
export const FILE_POLICIES = {
  'files.json': {
    id: 'files',
    description: 'What agents may do with files.',
    stage: 'enforce',
    target: { actions: ['*'], resources: ['*'] },
    rules: [
      rule('reads-are-open', 'ALLOW', 'read_text_file'),
      rule('nothing-moves', 'DENY', 'move_file'),
      rule('writes-are-approved', 'ESCALATE', 'write_file'),
      rule('writes-are-allowed', 'ALLOW', 'write_file'),
    ],
  },
  'tools/filesystem.json': {
    server: 'filesystem',
    description: 'Files of the test.',
    tools: {
      read_text_file: { action: 'read', resource: 'file/{path}' },
      write_file: { action: 'update', effect: 'destructive', resource: 'file/{path}' },
      move_file: { action: 'update', effect: 'destructive', resource: 'file/{destination}', places: ['file/{source}'] },
    },
  },
};

export interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
}

/** A session of `release-bot`. */
export async function connectFiles(
  { admin }: Pick<Service, 'admin'>,
  key: string,
  root: string,
  args: readonly string[] = [],
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const guard = [CLI, 'mcp-guard', '--agent', 'release-bot', '--server', 'filesystem', ...args, '--'];
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [...guard, process.execPath, FILESYSTEM, root],
      env: cleanEnv({ CUSTOS_URL: admin.baseUrl, CUSTOS_KEY: key }) as Record<string, string>,
      stderr: 'ignore',
    }),
  );
  return client;
}

export async function callTool(client: Client, name: string, args: Record<string, unknown>): Promise<ToolResult> {
  return (await client.callTool({ name, arguments: args })) as ToolResult;
}

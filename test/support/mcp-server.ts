// A scripted MCP server over stdio for tests: copies its input to a file and follows the instructions in a call's arguments.
// Usage: node mcp-server.js FILE
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: Record<string, unknown> };
}

const [, , file = ''] = process.argv;
let rest = '';

function write(text: string): void {
  process.stdout.write(text);
}

function answer(id: unknown, result: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`;
}

function handle(line: string): void {
  appendFileSync(file, `${line}\n`);
  const { id, method, params } = JSON.parse(line) as Message;
  const { arguments: given = {} } = params ?? {};
  if (method === 'env') write(answer(id, { env: Object.keys(process.env) }));
  if (method === 'tools/list') write(answer(id, { tools: [{ name: 'do' }] }));
  if (method !== 'tools/call') return;
  // A process that goes on, with the output of this one: only the test ends it.
  if (given['daemon'] === true) {
    const daemon = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 60_000)'], {
      detached: true,
      stdio: ['ignore', 'inherit', 'ignore'],
    });
    appendFileSync(`${file}.daemon`, `${daemon.pid}`);
  }
  if (typeof given['exit'] === 'number') process.exit(given['exit']);
  if (given['garbage'] === true) write('listening on port 1\n');
  if (given['signal'] === true) process.kill(process.pid, 'SIGKILL');
  // Progress and result in one write, as a busy machine would deliver them.
  const steps = Number(given['steps'] ?? 0);
  const notices = Array.from({ length: steps }, (_, i) => {
    const notice = {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: given['token'], progress: i + 1 },
    };
    return `${JSON.stringify(notice)}\n`;
  });
  if (given['silent'] !== true) write(notices.join('') + answer(id, { content: [{ type: 'text', text: 'done' }] }));
}

process.stdin.setEncoding('utf8').on('data', (chunk: string) => {
  rest += chunk;
  const lines = rest.split('\n');
  rest = lines.pop() ?? '';
  lines.forEach(handle);
});

// The guard as a separate process, driven by the lines that an MCP client writes and reads.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FakeCustos } from './fake-custos.ts';
import { temporaryFolder } from './folders.ts';
import { cleanEnv, type TestEnv, type TestProcess, watch } from './process.ts';
import { waitFor } from './wait.ts';

const buildRoot = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
export const CLI = path.join(buildRoot, 'cli', 'main.js');
const SCRIPTED = path.join(buildRoot, 'test', 'support', 'mcp-server.js');

export interface GuardProcess extends TestProcess {
  readonly child: ChildProcess;
  /** Parsed lines that the client has received. */
  lines(): Record<string, unknown>[];
  /** Lines that the scripted server has received. */
  received(): string[];
  /** Ends the process that the scripted server has started, if it has. */
  endDaemon(): void;
  send(message: unknown): void;
  /** Waits for the response to a request. */
  response(id: unknown): Promise<Record<string, unknown>>;
}

/** Arguments of `custos mcp-guard` for the scripted server. */
export function startGuard(
  custos: Pick<FakeCustos, 'url' | 'key'>,
  args: readonly string[] = [],
  env: TestEnv = {},
): GuardProcess {
  const file = path.join(temporaryFolder(), 'received');
  const command = [process.execPath, SCRIPTED, file];
  const child = spawn(
    process.execPath,
    [CLI, 'mcp-guard', '--agent', 'a', '--server', 's', ...args, '--', ...command],
    {
      env: cleanEnv({ CUSTOS_URL: custos.url, CUSTOS_KEY: custos.key, ...env }),
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  const running = watch(child, 'custos mcp-guard');
  const lines = (): Record<string, unknown>[] =>
    running
      .stdout()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    ...running,
    lines,
    received: () => {
      try {
        return readFileSync(file, 'utf8').split('\n').slice(0, -1);
      } catch {
        return [];
      }
    },
    endDaemon: () => {
      if (existsSync(`${file}.daemon`)) process.kill(Number(readFileSync(`${file}.daemon`, 'utf8')), 'SIGKILL');
    },
    send: (message) => void child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    response: (id) =>
      waitFor(() => lines().find((line) => line['id'] === id && line['method'] === undefined), {
        what: `the response ${String(id)}`,
      }),
  };
}

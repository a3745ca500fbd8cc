// An MCP server as a child process that speaks over stdio: start, exit code, and an orderly end.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { CommandError } from '../exit.ts';

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Must not hold a key of Custos. */
  readonly env: NodeJS.ProcessEnv;
}

export type ServerProcess = ChildProcessByStdio<Writable, Readable, Readable | null>;

/** A server that does not end when its input ends gets a signal, and later one that it can't ignore. */
const TERMINATE_AFTER_MS = 5_000;
const KILL_AFTER_MS = 5_000;

/** @param stderr where the log of the server goes: to that of this process, or to a pipe that has to be read */
export function startServer({ command, args, env }: ServerCommand, stderr: 'inherit' | 'pipe'): ServerProcess {
  // The types know the streams only of literal options.
  return spawn(command, args, { env, stdio: ['pipe', 'pipe', stderr] }) as ServerProcess;
}

/**
 * The exit code of the server; 128 and the signal's number when a signal ended it, as shells have it.
 * @throws {CommandError} when it can't be started
 */
export function exitOf(server: ServerProcess, command: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new CommandError(`The MCP server ${command} can't be started (${error.code ?? error.message}).`)),
    );
    server.once('close', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

/** Ends the server as the specification has it: its input ends, then SIGTERM, then SIGKILL. */
export function endServer(server: ServerProcess): void {
  server.stdin.end();
  const terminate = setTimeout(() => server.kill('SIGTERM'), TERMINATE_AFTER_MS);
  const kill = setTimeout(() => server.kill('SIGKILL'), TERMINATE_AFTER_MS + KILL_AFTER_MS);
  server.once('close', () => {
    clearTimeout(terminate);
    clearTimeout(kill);
  });
}

/** The environment of this process without the settings and keys of Custos. */
export function serverEnv(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.toUpperCase().startsWith('CUSTOS_')));
}

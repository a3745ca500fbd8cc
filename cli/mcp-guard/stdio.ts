// The guard over stdio: starts the MCP server, connects it with the client through a session, and ends as the server ends.
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { EXIT, LAST_OUTPUT_MS } from '../exit.ts';
import { endServer, exitOf, type ServerCommand, type ServerProcess, startServer } from '../mcp/server-process.ts';
import { ClientWriter } from './client-writer.ts';
import { FrameError, LineReader } from '../mcp/frames.ts';
import type { Guard } from './guard.ts';
import { errorText, PARSE_ERROR } from '../mcp/messages.ts';
import type { Session } from './session.ts';
import { StdioSession } from './stdio-session.ts';

export interface StdioGuardOptions extends ServerCommand {
  readonly guard: Guard;
  readonly session: Session;
  readonly nowMs: () => number;
  readonly newId: () => string;
  readonly log: (line: string) => void;
}

/** Runs until the server has ended. @returns the exit code: the server's, or 1 after a frame that can't be used */
export async function guardStdio(options: StdioGuardOptions): Promise<number> {
  const { nowMs, log } = options;
  const server = startServer(options, 'inherit');
  const closed = exitOf(server, options.command);
  const writer = new ClientWriter(process.stdout, nowMs);
  const stdio = new StdioSession({
    ...options,
    ends: {
      toClient: (line, progress) => writer.write(line, progress),
      toServer: (line) => void server.stdin.write(line),
    },
  });
  let hasFailed = false;
  const fail = (error: unknown, side: string): void => {
    if (!(error instanceof FrameError)) throw error;
    if (hasFailed) return;
    hasFailed = true;
    log(`The session ends, because of the ${side}: ${error.message}.`);
    process.stdin.destroy();
    server.stdout.destroy();
    endServer(server);
  };
  // A pipe that breaks is followed by the end of the process on the other side.
  server.stdin.on('error', () => undefined);
  // Each write fails once nobody reads any more.
  process.stdout.on('error', () => undefined).once('error', () => endServer(server));
  follow(process.stdin, server.stdin, {
    onLine: (line) => stdio.fromClient(line),
    onEnd: () => void stdio.clientEnded().then(() => endServer(server)),
    onError: (error) => {
      if (error instanceof FrameError)
        writer.write(Buffer.from(`${errorText(null, PARSE_ERROR, error.message)}\n`), { notices: [], ends: [] });
      fail(error, 'client');
    },
  });
  follow(server.stdout, process.stdout, {
    onLine: (line) => stdio.fromServer(line),
    onEnd: () => undefined,
    onError: (error) => fail(error, 'server'),
  });
  const signalled = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    signalled.abort();
    server.kill(signal);
    endServer(server);
  };
  endOutputAfterExit(server, signalled.signal);
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal).on('SIGHUP', onSignal);
  const code = await closed;
  process.off('SIGTERM', onSignal).off('SIGINT', onSignal).off('SIGHUP', onSignal);
  await stdio.serverEnded();
  process.stdin.destroy();
  // A client that has sent a signal may not read any more.
  await (signalled.signal.aborted ? Promise.race([writer.end(), delay(LAST_OUTPUT_MS)]) : writer.end());
  return hasFailed ? EXIT.failed : code;
}

/**
 * The end of a server is only reported when its output was read to the end. That may never come: a process that the server has started can
 * keep the output open, and reading pauses while the client does not read. So the output ends once a server that has exited has nothing more to
 * read, and after a signal in any case.
 */
function endOutputAfterExit(server: ServerProcess, signalled: AbortSignal): void {
  const { stdout } = server;
  let hasRead = true;
  stdout.on('data', () => (hasRead = true));
  server.once('exit', () => {
    // What the server has written before its exit is read between two ticks.
    const timer = setInterval(() => {
      if (signalled.aborted || !(hasRead || stdout.isPaused())) stdout.destroy();
      hasRead = false;
    }, LAST_OUTPUT_MS);
    server.once('close', () => clearInterval(timer));
  });
}

/** Lines of `from` in order; reading pauses while `to`, where they mostly go, is full. */
function follow(
  from: Readable,
  to: Writable,
  on: {
    readonly onLine: (line: Buffer) => void;
    readonly onEnd: () => void;
    readonly onError: (error: unknown) => void;
  },
): void {
  const reader = new LineReader();
  let hasEnded = false;
  const guarded = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      hasEnded = true;
      on.onError(error);
    }
  };
  from.on('data', (chunk: Buffer) => {
    if (hasEnded) return;
    guarded(() => {
      for (const line of reader.read(chunk)) on.onLine(line);
    });
    if (to.writableNeedDrain) from.pause();
  });
  // What can't be written any more is read nonetheless, up to its end.
  for (const event of ['drain', 'error'] as const) to.on(event, () => from.resume());
  from.once('end', () => {
    const rest = reader.rest();
    if (rest !== undefined && !hasEnded) guarded(() => on.onLine(rest));
    on.onEnd();
  });
}

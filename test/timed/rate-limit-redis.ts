// Redis for the tests of rate limits: a real server if it is installed, and a fake one with the commands that limits use.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import net from 'node:net';
import { waitFor } from '../support/wait.ts';
import { freePort } from '../../shared/platform/embedded/server.ts';

export interface TestRedis {
  readonly url: string;
  /** Stops the server. Its data is lost. */
  stop(): Promise<void>;
  /** Starts the server again on the same port. */
  start(): Promise<void>;
  /** From now on the server accepts connections and reads, but does not answer. */
  hang(): void;
  close(): Promise<void>;
}

/** Why the suite with a real Redis cannot run here, and how to enable it. */
export function whyNoRedis(): string | undefined {
  const found = spawnSync('redis-server', ['--version']).error === undefined;
  return found ? undefined : 'redis-server is not on the PATH (apt-get install redis-server, or brew install redis)';
}

const PORT_ATTEMPTS = 3;

export async function startRealRedis(): Promise<TestRedis> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOn(await freePort());
    } catch (error) {
      // Another process may take the free port before the server binds it.
      if (attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

async function startOn(port: number): Promise<TestRedis> {
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    let isEnded = false;
    child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
      stdio: 'ignore',
    });
    child.once('exit', () => (isEnded = true));
    await waitFor(
      () =>
        new Promise<boolean>((resolve) => {
          const socket = net.connect(port, '127.0.0.1', () => resolve(socket.destroy().destroyed));
          socket.on('error', () => resolve(isEnded));
        }),
      { what: 'redis-server to listen' },
    );
    if (isEnded) throw new Error(`redis-server ended; port ${port} may be taken`);
  };
  const stop = async (): Promise<void> => {
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    if (child?.kill('SIGKILL')) await ended;
    child = undefined;
  };
  await start();
  return { url: `redis://127.0.0.1:${port}`, start, stop, hang: () => void child?.kill('SIGSTOP'), close: stop };
}

/** Answers the commands that ioredis sends on connect, and the counting script, as Redis does. */
export async function startFakeRedis(): Promise<TestRedis> {
  const counters = new Map<string, { value: number; untilMs: number }>();
  const sockets = new Set<net.Socket>();
  let hanging = false;
  let port = 0;
  let server: net.Server | undefined;

  const answer = (words: string[]): string => {
    const [name = ''] = words;
    switch (name.toLowerCase()) {
      case 'info':
        return '$19\r\nredis_version:7.0.0\r\n';
      case 'evalsha':
      case 'eval': {
        // script, number of keys, key, points, seconds
        const [, , , key = '', points = '', seconds = ''] = words;
        const nowMs = Date.now();
        let counter = counters.get(key);
        if (counter === undefined || counter.untilMs <= nowMs)
          counters.set(key, (counter = { value: 0, untilMs: nowMs + Number(seconds) * 1_000 }));
        counter.value += Number(points);
        return `*2\r\n:${counter.value}\r\n:${counter.untilMs - nowMs}\r\n`;
      }
      default:
        return '+OK\r\n';
    }
  };

  const start = async (): Promise<void> => {
    server = net.createServer((socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => undefined);
      let pending = '';
      socket.setEncoding('utf8').on('data', (text: string) => {
        pending += text;
        for (let command = readCommand(pending); command !== undefined; command = readCommand(pending)) {
          pending = pending.slice(command.length);
          if (!hanging) socket.write(answer(command.words));
        }
      });
    });
    await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve));
    port = (server.address() as net.AddressInfo).port;
  };
  const stop = async (): Promise<void> => {
    const closed = new Promise((resolve) => server?.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
    counters.clear();
  };
  await start();
  return { url: `redis://127.0.0.1:${port}`, start, stop, hang: () => void (hanging = true), close: stop };
}

/** One RESP array of bulk strings at the start of a text (ASCII). */
function readCommand(text: string): { words: string[]; length: number } | undefined {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (head === null) return undefined;
  const words: string[] = [];
  let at = head[0].length;
  for (let i = 0; i < Number(head[1]); i += 1) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(at, at + 16));
    if (size === null) return undefined;
    at += size[0].length;
    const end = at + Number(size[1]);
    if (text.length < end + 2) return undefined;
    words.push(text.slice(at, end));
    at = end + 2;
  }
  return { words, length: at };
}

// A connection to an MCP server that this process starts and ends.
import type { Json } from '../../shared/kernel/json.ts';
import { CommandError } from '../exit.ts';
import { type ConnectOptions, type McpConnection, noAnswer } from './connection.ts';
import { FrameError, LineReader, readFrame } from './frames.ts';
import { errorText, idKey, isRequestId, METHOD_NOT_FOUND, responseIdOf } from './messages.ts';
import { endServer, exitOf, type ServerCommand, type ServerProcess, startServer } from './server-process.ts';

interface Waiting {
  readonly method: string;
  readonly resolve: (response: Json) => void;
  readonly reject: (error: Error) => void;
}

/** Characters at the end of the server's standard error that an error message has. */
const MAX_LOG_LENGTH = 2_000;
const MAX_LOG_LINES = 10;

/** The answers to what a server may ask before it lists its tools. */
function replyTo({ id, method }: Json): string | undefined {
  if (!isRequestId(id) || typeof method !== 'string') return undefined;
  const results: Readonly<Record<string, object>> = { ping: {}, 'roots/list': { roots: [] } };
  const result = Object.hasOwn(results, method) ? results[method] : undefined;
  return result === undefined
    ? errorText(id, METHOD_NOT_FOUND, 'custos only lists tools')
    : JSON.stringify({ jsonrpc: '2.0', id, result });
}

export class StdioConnection implements McpConnection {
  private readonly server: ServerProcess;
  private readonly waiting = new Map<string, Waiting>();
  private readonly timeoutMs: number;
  private readonly ended: Promise<void>;
  private failure: CommandError | undefined;
  private log = '';
  private lastId = 0;

  constructor(command: ServerCommand, { timeoutMs }: ConnectOptions) {
    this.timeoutMs = timeoutMs;
    this.server = startServer(command, 'pipe');
    this.server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.log = (this.log + text).slice(-MAX_LOG_LENGTH);
    });
    this.ended = exitOf(this.server, command.command).then(
      (code) => this.fail(`The MCP server ended with the exit code ${code}`),
      (error: CommandError) => this.fail(error),
    );
    // A pipe that breaks is followed by the end of the process.
    this.server.stdin.on('error', () => undefined);
    this.follow();
  }

  async request(method: string, params: Json): Promise<Json> {
    if (this.failure !== undefined) throw this.failure;
    this.lastId += 1;
    const id = this.lastId;
    const key = idKey(id);
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve, reject) => {
        this.waiting.set(key, { method, resolve, reject });
        const late = (): void => reject(this.withLog(noAnswer(method, this.timeoutMs)));
        timer = setTimeout(late, this.timeoutMs);
        this.write({ jsonrpc: '2.0', id, method, params });
      });
    } finally {
      clearTimeout(timer);
      this.waiting.delete(key);
    }
  }

  async notify(method: string): Promise<void> {
    this.write({ jsonrpc: '2.0', method });
  }

  negotiated(): void {
    // Messages over stdio do not repeat the version.
  }

  async close(): Promise<void> {
    // A failure of a server that is ended is not reported any more.
    this.failure ??= new CommandError('The connection is closed.');
    endServer(this.server);
    // A grandchild that keeps the pipes open must not keep this process.
    this.server.stdout.destroy();
    this.server.stderr?.destroy();
    await this.ended;
  }

  private write(message: Json): void {
    this.server.stdin.write(`${JSON.stringify(message)}\n`);
  }

  private follow(): void {
    const reader = new LineReader();
    this.server.stdout.on('data', (chunk: Buffer) => {
      try {
        for (const line of reader.read(chunk)) this.receive(line);
      } catch (error) {
        if (!(error instanceof FrameError)) throw error;
        this.server.stdout.destroy();
        this.fail(new CommandError(`The MCP server can't be read: ${error.message}.`));
      }
    });
  }

  private receive(line: Buffer): void {
    for (const { value } of readFrame(line).messages) {
      const id = responseIdOf(value);
      if (id !== undefined) this.waiting.get(idKey(id))?.resolve(value);
      else {
        const reply = replyTo(value);
        if (reply !== undefined) this.server.stdin.write(`${reply}\n`);
      }
    }
  }

  /** @param reason a text without a full stop, to which the unanswered request is added */
  private fail(reason: CommandError | string): void {
    const errorAt = (when: string): CommandError =>
      this.withLog(typeof reason === 'string' ? new CommandError(`${reason}${when}.`) : reason);
    this.failure ??= errorAt('');
    for (const { method, reject } of this.waiting.values()) reject(errorAt(` before it answered ${method}`));
  }

  /** With the last lines that the server wrote for people. */
  private withLog(error: CommandError): CommandError {
    const lines = this.log.trim().split('\n').slice(-MAX_LOG_LINES);
    return this.log.trim() === ''
      ? error
      : new CommandError([error.message, 'Its standard error ends with:', ...lines].join('\n'));
  }
}

// A process that runs `custos` commands one at a time for its parent. Loading the modules once saves most of the time.
import { Console } from 'node:console';
import { Readable, Writable } from 'node:stream';
import type { CommandAnswer, CommandRequest } from './command.ts';

const MAIN = new URL('../../cli/main.js', import.meta.url);

/** Thrown in place of `process.exit`. */
class Exit extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** Captures an output stream of this process until the next command gets a new one. */
function capture(name: 'stdout' | 'stderr'): () => string {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  Object.defineProperty(process, name, { value: stream, configurable: true });
  return () => Buffer.concat(chunks).toString();
}

process.exit = (code) => {
  throw new Exit(Number(code ?? process.exitCode ?? 0));
};

let runs = 0;

async function run({ args, input, env, cwd }: CommandRequest): Promise<CommandAnswer> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv.splice(1, process.argv.length, MAIN.pathname, ...args);
  process.exitCode = undefined;
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input, 'base64')]), configurable: true });
  const stdout = capture('stdout');
  const stderr = capture('stderr');
  // That of Node keeps the streams that it found at its first use. Packages warn with it.
  globalThis.console = new Console(process.stdout, process.stderr);
  runs += 1;
  try {
    // Only this file is loaded as a new module each time; its imports come from the module cache.
    await import(`${MAIN.href}?run=${runs}`);
  } catch (error) {
    if (error instanceof Exit) process.exitCode = error.code;
    else {
      process.exitCode = 1;
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    }
  }
  const code = process.exitCode ?? 0;
  process.exitCode = undefined;
  return { code, stdout: stdout(), stderr: stderr() };
}

process.on('message', (request: CommandRequest) => {
  void run(request).then((answer) => process.send?.(answer));
});

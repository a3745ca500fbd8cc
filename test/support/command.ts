// Runs `custos` commands in tests. The first run of a command in the suite has its own process; later runs share one, which is ten times
// faster.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { atEnd } from './cleanup.ts';
import { folderOfRun } from './folders.ts';
import { cleanEnv, runProcess, type TestEnv } from './process.ts';

/** The output and the exit code of a command. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandRequest {
  readonly args: readonly string[];
  /** Standard input, in base64. */
  readonly input: string;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

export interface CommandAnswer extends Ran {
  readonly code: number;
}

/** Commands that serve end their process themselves. */
const ALWAYS_ALONE: ReadonlySet<string | undefined> = new Set(['start', 'mcp-guard']);
let host: ChildProcess | undefined;
/** The host runs one command at a time. */
let last: Promise<unknown> = Promise.resolve();

/** The words of a command, such as `policy check`, without what it is applied to. */
const nameOf = (args: readonly string[]): string =>
  args
    .slice(0, 2)
    .filter((word) => /^[a-z][a-z-]*$/.test(word))
    .join(' ');

/** Runs a command with only this environment. Several calls may run concurrently. */
export async function runCommand(args: readonly string[], env: TestEnv = {}, input?: string | Buffer): Promise<Ran> {
  const name = nameOf(args);
  if (ALWAYS_ALONE.has(args[0])) return runCommandAlone(args, env);
  // A process of its own has no standard input.
  if (input === undefined && isFirst(name)) return runCommandAlone(args, env);
  const base64 = Buffer.from(input ?? '').toString('base64');
  const request: CommandRequest = { args, input: base64, env: cleanEnv(env), cwd: process.cwd() };
  const answer = last.then(() => ask(request));
  last = answer.catch(() => undefined);
  return answer;
}

/** Whether nobody has asked this about a command, such as `policy check`, in any process of this run of the suite. */
function isFirst(name: string): boolean {
  try {
    mkdirSync(path.join(folderOfRun(), name));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Runs a command in its own process, as from a shell. */
export async function runCommandAlone(args: readonly string[], env: TestEnv = {}): Promise<Ran> {
  const running = runProcess('cli/main.js', args, env);
  const { code } = await running.ended;
  return { code, stdout: running.stdout(), stderr: running.stderr() };
}

async function ask(request: CommandRequest): Promise<CommandAnswer> {
  host ??= start();
  const asked = host;
  asked.channel?.ref();
  const ended = new AbortController();
  const end = (): void => ended.abort(new Error(`the process of commands ended at: custos ${request.args.join(' ')}`));
  asked.once('exit', end);
  asked.send(request);
  try {
    const [answer] = (await once(asked, 'message', { signal: ended.signal })) as [CommandAnswer];
    return answer;
  } catch (error) {
    host = undefined;
    throw ended.signal.reason ?? error;
  } finally {
    asked.off('exit', end);
    asked.channel?.unref();
  }
}

function start(): ChildProcess {
  const child = fork(fileURLToPath(new URL('command-host.js', import.meta.url)), {
    env: cleanEnv({}),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.unref();
  child.channel?.unref();
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.removeListener('exit', kill));
  atEnd(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return child;
}

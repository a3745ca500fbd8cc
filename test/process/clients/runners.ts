// The runners of the client libraries (clients/conformance/README.md): programs that read cases as lines and print what happened.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { cleanEnv, watch } from '../../support/process.ts';

export interface Language {
  readonly name: 'typescript' | 'python' | 'python-asyncio' | 'go';
  /** Below clients/. */
  readonly folder: string;
  readonly command: readonly [program: string, ...args: string[]];
  /** Below the folder: without it there is no runner. */
  readonly needs: string;
  /** The Debian package of the toolchain. */
  readonly package: string;
  /** Another one's runner has the same functions for proofs, canonical JSON and definitions, and only calls differ. */
  readonly differsInCalls?: boolean;
}

export const LANGUAGES: readonly Language[] = [
  {
    name: 'typescript',
    folder: 'typescript',
    command: ['node', 'dist/test/conformance.js'],
    needs: 'test/conformance.ts',
    package: 'nodejs',
  },
  {
    name: 'python',
    folder: 'python',
    command: ['python3', 'tests/conformance.py'],
    needs: 'tests/conformance.py',
    package: 'python3',
  },
  {
    name: 'python-asyncio',
    folder: 'python',
    command: ['python3', 'tests/conformance.py', '--async'],
    needs: 'tests/conformance.py',
    package: 'python3',
    differsInCalls: true,
  },
  {
    name: 'go',
    folder: 'go',
    command: ['go', 'run', './internal/conformance'],
    needs: 'internal/conformance/main.go',
    package: 'golang-go',
  },
];

const folderOf = ({ folder }: Language): string => path.join(findRoot(), 'clients', folder);

/** Why a language cannot be tested here; undefined: it can. In CI a missing toolchain is a failure of the run. */
export function whyNot(language: Language): string | undefined {
  const { name, command, needs, package: debian } = language;
  const file = path.join(folderOf(language), needs);
  if (!existsSync(file)) return `the ${name} client has no runner: ${needs} does not exist`;
  const [program] = command;
  const isInstalled =
    spawnSync(program, [program === 'go' ? 'version' : '--version'], { stdio: 'ignore' }).status === 0;
  if (isInstalled || process.env['CI'] !== undefined) return undefined;
  return `${program} is not on the PATH; Debian: apt-get install ${debian}`;
}

export interface Runner {
  /** Sends a line and waits for the line that answers it. @throws {Error} when the runner ends before */
  run(line: object): Promise<Readonly<Record<string, unknown>>>;
  /** Ends the input and waits for the exit. @returns the exit code and what it wrote to standard error */
  end(): Promise<{ readonly code: number | null; readonly stderr: string }>;
}

export function startRunner(language: Language): Runner {
  const [program, ...args] = language.command;
  const { HOME, GOFLAGS, GOCACHE, GOPATH } = process.env;
  const child = spawn(program, args, {
    cwd: folderOf(language),
    env: cleanEnv({ HOME, GOFLAGS, GOCACHE, GOPATH, GO111MODULE: 'on' }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const running = watch(child, `the ${language.name} runner`);
  const waiting = new Map<string, (answer: Readonly<Record<string, unknown>> | Error) => void>();
  let failure: Error | undefined;
  const fail = (error: Error): void => {
    failure ??= error;
    for (const give of waiting.values()) give(error);
    waiting.clear();
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    try {
      const answer = JSON.parse(line) as Readonly<Record<string, unknown>>;
      const id = String(answer['id']);
      waiting.get(id)?.(answer);
      waiting.delete(id);
    } catch (error) {
      fail(
        new Error(`the ${language.name} runner printed a line that is not JSON: ${line.slice(0, 200)}`, {
          cause: error,
        }),
      );
    }
  });
  void running.ended.then(() =>
    fail(new Error(`the ${language.name} runner ended: ${running.stderr().slice(-2_000)}`)),
  );
  // A runner that has ended is reported by `fail`.
  child.stdin.on('error', () => undefined);
  let count = 0;
  return {
    run(line) {
      if (failure !== undefined) return Promise.reject(failure);
      count += 1;
      const id = String(count);
      return new Promise((resolve, reject) => {
        waiting.set(id, (answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
        child.stdin.write(`${JSON.stringify({ id, ...line })}\n`);
      });
    },
    async end() {
      child.stdin.end();
      const { code } = await running.ended;
      return { code, stderr: running.stderr() };
    },
  };
}

// What the fault harness needs of a deployment, whether `custos start` runs it or this process starts its parts.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { generateKey } from '../../../shared/domain/keys/format.ts';
import { signal } from '../../../shared/platform/embedded/processes.ts';
import { runCommand } from '../../support/command.ts';
import { queryOnce } from '../../support/database.ts';
import { TEST_PEPPER, type TestEnv } from '../../support/process.ts';
import type { TcpProxy } from '../../support/tcp-proxy.ts';
import type { TestRedis } from '../../support/redis.ts';
import { descendants } from '../../support/process-tree.ts';
import type { SmallDisk } from './small-disk.ts';

/** `embedded` is what `npm start` runs. The others are two ingress and two worker processes on stores of their own. */
export const KINDS = ['embedded', 'postgres', 'redis'] as const;
export type Kind = (typeof KINDS)[number];

export type Part = 'ingress' | 'workers';

/** One process of the service that is replaced whenever it ends. */
export interface KeptProcess {
  /** undefined while a replacement starts. */
  pid(): number | undefined;
  /** Sends SIGKILL (or another signal that ends it) and resolves when it has ended. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Ends it; the replacement has the environment `env` in addition. Absent: nobody can change its environment. */
  readonly replace?: (env: TestEnv) => Promise<void>;
}

export interface Deployment {
  readonly kind: Kind;
  /** An admin key of the live environment. */
  readonly adminKey: string;
  /** The folder that the workers read. */
  readonly policyDir: string;
  /** Base addresses of all ingress processes. They stay the same when a process is replaced. */
  readonly addresses: readonly string[];
  processes(part: Part): readonly KeptProcess[];
  /** Process ids of the PostgreSQL server: its first process, then the sessions and its other processes. */
  postgresPids(): number[];
  /** Ends PostgreSQL in order and starts it again. Absent: its supervisor restarts it whenever it ends. */
  readonly startPostgres?: () => Promise<void>;
  readonly redis: TestRedis | undefined;
  /** Proxies between each process and a store. Empty where processes connect directly. */
  proxies(store: 'postgres' | 'redis'): readonly TcpProxy[];
  /** The disk of the database, if it is one that can be filled. */
  readonly disk: SmallDisk | undefined;
  /** Ends everything with SIGKILL at once. Absent: the parts have no common supervisor. */
  readonly killAll?: () => Promise<void>;
  /** Starts it again with the same data. */
  readonly startAll?: () => Promise<void>;
  /** Address of the database for its superuser. */
  adminUrl(): string;
  /** The environment of commands on this installation. */
  commandEnv(): TestEnv;
  readonly checkpointDir: string;
  close(): Promise<void>;
}

/** Seeds of keys: the first admin key of an installation. */
export function newAdminKey(): string {
  return generateKey('live').key;
}

/** For each setting of processes: no limits, and only what a person must see. */
export const QUIET: TestEnv = { CUSTOS_RATE_LIMIT: 'off', CUSTOS_LOG_LEVEL: 'fatal', CUSTOS_PEPPER: TEST_PEPPER };

/** The log of an environment as `custos log export` writes it. */
export async function exportLog(deployment: Deployment, environment: 'live' | 'test'): Promise<string> {
  const { code, stdout, stderr } = await runCommand(
    ['log', 'export', '--organisation', 'default', '--environment', environment],
    deployment.commandEnv(),
  );
  if (code !== 0) throw new Error(`custos log export: ${stderr}`);
  return stdout;
}

/** The last signed checkpoint outside the database. */
export function keptCheckpoint({ checkpointDir }: Deployment, environment: 'live' | 'test'): string | undefined {
  try {
    return readFileSync(path.join(checkpointDir, 'custos.local', 'default', `${environment}.checkpoint`), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Runs one statement as superuser, over a new connection. */
export function runAsAdmin(deployment: Deployment, text: string): Promise<unknown[]> {
  return queryOnce(deployment.adminUrl(), text);
}

/** Sends a signal to the first process of PostgreSQL and to all others of it. */
export function signalPostgres(deployment: Deployment, name: NodeJS.Signals): void {
  for (const pid of deployment.postgresPids()) signal(pid, name);
}

/** A server's process and its children. */
export const withChildren = (pid: number): number[] => descendants(pid);

// The processes of the service under the supervisor: how many, their environment and their ports.
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StoreConfig } from '../../shared/platform/config/config.ts';
import { type Config, fileVariableOf, SETTING_TABLE, SETTINGS } from '../../shared/platform/config/table.ts';
import type { LineWriter } from '../../shared/platform/observe/line-writer.ts';
import type { Logger } from '../../shared/platform/observe/logger.ts';
import { HANDED_CONNECTIONS } from '../../shared/platform/process/handed.ts';
import { type SupervisedChild, superviseChild } from './child.ts';
import type { Front } from './front.ts';
import { portsFrom } from './ports.ts';

/** The most processes of a kind that `auto` starts. More workers gain little: each log is appended to by one at a time. */
const MOST = { ingress: 8, workers: 2 };
/** Where several ingress processes answer by themselves, unless CUSTOS_INGRESS_PORT is set. */
const FIRST_INGRESS_PORT = 3_101;
/** As workers/health.ts, which this folder does not import. */
const FIRST_WORKERS_PORT = 3_001;

export interface ProcessCounts {
  readonly ingress: number;
  readonly workers: number;
}

/** The numbers of CUSTOS_INGRESS and CUSTOS_WORKERS. `auto`: one ingress for each core but one, one worker for four cores. */
export function countProcesses(
  { ingressCount, workersCount }: Pick<Config, 'ingressCount' | 'workersCount'>,
  cores = availableParallelism(),
): ProcessCounts {
  const limited = (count: number, most: number): number => Math.min(most, Math.max(1, Math.floor(count)));
  return {
    ingress: ingressCount === 'auto' ? limited(cores - 1, MOST.ingress) : ingressCount,
    workers: workersCount === 'auto' ? limited(cores / 4, MOST.workers) : workersCount,
  };
}

export interface ProcessesOptions {
  readonly config: StoreConfig;
  readonly logger: Logger;
  readonly output: LineWriter;
}

/**
 * Starts ingress. One process listens itself; several get their connections from the front, and each has its own port, too.
 * They get the promise key only. @throws {SetupError} when a port cannot be used
 */
export async function startIngressProcesses(
  { config, logger, output }: ProcessesOptions,
  count: number,
  front: Front | undefined,
): Promise<SupervisedChild[]> {
  const { host, port, ingressPort } = config;
  const first = { host, port: ingressPort ?? (port === 0 ? 0 : FIRST_INGRESS_PORT) };
  const isDemanded = ingressPort !== undefined;
  const ports = front === undefined ? [port] : await portsFrom(first, count, isDemanded, SETTINGS.ingressPort.name);
  return ports.map((own, index) =>
    superviseChild({
      name: nameOf('ingress', index, count),
      entry: entryOf('ingress'),
      logger,
      output,
      env: (address) => ({
        ...storeEnv(config),
        CUSTOS_PROMISE_KEY_FILE: config.promiseKeyFile,
        // After a restart it listens on the port that it picked first.
        PORT: address === undefined ? String(own) : new URL(address).port || String(own),
        ...(front === undefined ? {} : { [HANDED_CONNECTIONS]: '1' }),
      }),
      onReady: (child) => front?.add(child),
    }),
  );
}

/** Starts the workers. They get the log's signing key only. @throws {SetupError} when a port cannot be used */
export async function startWorkerProcesses(
  { config, logger, output }: ProcessesOptions,
  count: number,
): Promise<SupervisedChild[]> {
  const { host, workersPort } = config;
  // A single process picks its port itself.
  const ports =
    count === 1
      ? [workersPort]
      : await portsFrom(
          { host, port: workersPort ?? FIRST_WORKERS_PORT },
          count,
          workersPort !== undefined,
          SETTINGS.workersPort.name,
        );
  return ports.map((own, index) =>
    superviseChild({
      name: nameOf('workers', index, count),
      entry: entryOf('workers'),
      logger,
      output,
      env: () => ({
        ...storeEnv(config),
        CUSTOS_SIGNING_KEY_FILE: config.signingKeyFile,
        ...(own === undefined ? {} : { CUSTOS_WORKERS_PORT: String(own) }),
      }),
    }),
  );
}

function nameOf(kind: string, index: number, count: number): string {
  return count === 1 ? kind : `${kind} ${index + 1}`;
}

/** The environment of all processes. Secrets that they need are passed as values, whether they came from a variable or a file; all others are removed. */
function storeEnv(config: StoreConfig): NodeJS.ProcessEnv {
  const { CUSTOS_SIGNING_KEY_FILE: _log, CUSTOS_PROMISE_KEY_FILE: _promise, ...env } = process.env;
  for (const { name, secret } of SETTING_TABLE)
    if (secret) {
      delete env[name];
      delete env[fileVariableOf(name)];
    }
  return {
    ...env,
    DATABASE_URL: config.databaseUrl,
    REDIS_URL: config.redisUrl,
    // A restarted process must not see other folders, even if a default folder came into existence.
    CUSTOS_DATA_DIR: config.dataDir,
    CUSTOS_POLICY_DIR: config.policyDir,
    CUSTOS_PEPPER: config.pepper,
    CUSTOS_PEPPER_PREVIOUS: config.pepperPrevious,
  };
}

/** The `main` of a process, beside this folder in the sources and in the build alike. */
function entryOf(name: 'ingress' | 'workers'): string {
  const here = fileURLToPath(import.meta.url);
  return path.resolve(path.dirname(here), '..', '..', name, `main${path.extname(here)}`);
}

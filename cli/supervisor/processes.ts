// The processes of the service under the supervisor: how many, their environment and their ports.
import type { ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StoreConfig } from '../../shared/platform/config/config.ts';
import { type Config, fileVariableOf, SETTING_TABLE, SETTINGS } from '../../shared/platform/config/table.ts';
import type { LineWriter } from '../../shared/platform/observe/line-writer.ts';
import type { Logger } from '../../shared/platform/observe/logger.ts';
import { HANDED_CONNECTIONS, SHARED_COUNTERS } from '../../shared/platform/process/handed.ts';
import { heapOptions } from '../../shared/platform/process/heap.ts';
import { FIRST_POLICIES } from '../../shared/platform/process/late-settings.ts';
import { type ChildOptions, type SupervisedChild, superviseChild } from './child.ts';
import type { Front } from './front.ts';
import { type Patience, type PortRange, portsFrom } from './ports.ts';

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
  readonly counts: ProcessCounts;
  /** Known when the database is ready. */
  readonly settings: Promise<ProcessSettings>;
  readonly front: Front;
  /** The policy folder, when the database is created by this start. */
  readonly firstPolicies: string | undefined;
  /** Counts rate limits for several ingress processes; absent: each counts for itself, or Redis counts. */
  readonly count?: ((child: ChildProcess) => void) | undefined;
  readonly logger: Logger;
  readonly output: LineWriter;
}

/** What processes need to know beside the environment of the supervisor. */
export interface ProcessSettings {
  readonly config: StoreConfig;
  /** A port for each process; undefined where it picks one itself. */
  readonly ports: Readonly<Record<keyof ProcessCounts, readonly (number | undefined)[]>>;
}

export interface ServiceProcesses {
  readonly ingress: readonly SupervisedChild[];
  readonly workers: readonly SupervisedChild[];
}

/**
 * Ports on which each process answers by itself.
 * @param front the port of the service @throws {SetupError} when one cannot be used
 */
export async function choosePorts(
  config: Config,
  counts: ProcessCounts,
  front: number,
  patience: Patience,
): Promise<ProcessSettings['ports']> {
  const { host, port, ingressPort, workersPort } = config;
  const { port: ofFront, ingressPort: ofIngress, workersPort: ofWorkers } = SETTINGS;
  const taken = new Map<number, string>([[front, ofFront.name]]);
  const range = (kind: keyof ProcessCounts, given: number | undefined, first: number, variable: string): PortRange => ({
    host,
    port: given ?? first,
    count: counts[kind],
    isDemanded: given !== undefined,
    variable,
  });
  const ingress = await portsFrom(
    range('ingress', ingressPort, port === 0 ? 0 : FIRST_INGRESS_PORT, ofIngress.name),
    taken,
    patience,
  );
  for (const one of ingress) taken.set(one, ofIngress.name);
  // A single worker without the setting picks its port itself.
  const workers =
    counts.workers === 1 && workersPort === undefined
      ? [undefined]
      : await portsFrom(range('workers', workersPort, FIRST_WORKERS_PORT, ofWorkers.name), taken, patience);
  return { ingress, workers };
}

/**
 * Starts all processes at once. They load their modules and wait for the settings. Ingress gets its connections from the front and the
 * promise key only; workers get the log's signing key only.
 */
export function startProcesses(options: ProcessesOptions): ServiceProcesses {
  const { counts, settings, front, firstPolicies, count, logger, output } = options;
  const env = { ...withoutSecrets(process.env), ...(firstPolicies && { [FIRST_POLICIES]: firstPolicies }) };
  const start = (kind: keyof ProcessCounts, options: Pick<ChildOptions, 'env' | 'onReady'>, own: SettingsOf) =>
    Array.from({ length: counts[kind] }, (_, index) =>
      superviseChild({
        name: counts[kind] === 1 ? kind : `${kind} ${index + 1}`,
        entry: entryOf(kind),
        nodeOptions: kind === 'ingress' ? heapOptions(process.execArgv, process.env['NODE_OPTIONS']) : [],
        logger,
        output,
        ...options,
        async settings(address) {
          const { config, ports } = await settings;
          return { ...storeEnv(config), ...own(config, ports[kind][index]?.toString(), address) };
        },
      }),
    );
  return {
    ingress: start(
      'ingress',
      {
        env: { ...env, [HANDED_CONNECTIONS]: '1', ...(count && { [SHARED_COUNTERS]: '1' }) },
        onReady(child) {
          count?.(child);
          front.add(child);
        },
      },
      ({ promiseKeyFile, readerKey }, port, address) => ({
        CUSTOS_PROMISE_KEY_FILE: promiseKeyFile,
        CUSTOS_READER_KEY: readerKey,
        // After a restart it listens on the port that it picked first.
        PORT: address === undefined ? port : new URL(address).port || port,
      }),
    ),
    workers: start('workers', { env }, ({ signingKeyFile }, port) => ({
      CUSTOS_SIGNING_KEY_FILE: signingKeyFile,
      CUSTOS_WORKERS_PORT: port,
    })),
  };
}

/** Settings of a kind of process. @param address of the previous start of the process */
type SettingsOf = (config: StoreConfig, port: string | undefined, address: string | undefined) => NodeJS.ProcessEnv;

/** The environment of all processes: without secrets, and without what each kind gets by itself. */
function withoutSecrets(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { CUSTOS_SIGNING_KEY_FILE: _log, CUSTOS_PROMISE_KEY_FILE: _promise, ...env } = environment;
  for (const { name, secret } of SETTING_TABLE)
    if (secret) {
      delete env[name];
      delete env[fileVariableOf(name)];
    }
  return env;
}

/** Settings of all processes. Secrets that they need are passed as values, whether they came from a variable or a file. */
function storeEnv(config: StoreConfig): NodeJS.ProcessEnv {
  return {
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

// The start of a process: its settings, traces and log lines, and what is printed when it cannot start.
import { inspect } from 'node:util';
import { readConfig } from '../config/config.ts';
import { findPlaces } from '../config/root.ts';
import type { Config } from '../config/table.ts';
import { OperatorError } from '../../kernel/operator-error.ts';
import { loadDatabase } from '../db/database.ts';
import { createLineWriter } from '../observe/line-writer.ts';
import { createLogger, type Logger } from '../observe/logger.ts';
import { traceAs } from '../observe/trace-setup.ts';
import type { Tracing } from '../observe/tracing.ts';
import { FIRST_POLICIES, wholeEnvironment } from './late-settings.ts';

/** Variable by which the supervisor tells a process the file descriptor of the pipe for its pulse (heartbeat.ts). */
export const PULSE_FD = 'PULSE_FD';
/** Variable by which the supervisor tells a process that its log lines are shown at a terminal. */
export const PRETTY_LOG = 'PRETTY_LOG';

export interface StartedProcess<Settings extends Config, Prepared = unknown> {
  readonly config: Settings;
  readonly logger: Logger;
  /** The installation's folder. */
  readonly root: string;
  /** Absent: no spans. Close it last. */
  readonly tracing: Tracing | undefined;
  /** Log lines that were dropped so far. */
  readonly droppedLines: () => number;
  /** See PULSE_FD. */
  readonly pulseFd: number | undefined;
  /** What `prepare` made. */
  readonly prepared: Prepared | undefined;
}

export interface ProcessKind<Settings extends Config, Prepared = unknown> {
  readonly name: 'ingress' | 'workers';
  readonly host: NodeJS.Process;
  /** @throws {ConfigError} when a setting is missing that this kind of process needs */
  readonly demand: (config: Config) => Settings;
  /** Called with the policy folder while the first start creates the database (see FIRST_POLICIES). */
  readonly prepare: (policyDir: string) => Promise<Prepared>;
}

/** Runs `main`, which returns when the process is ready. Exits with 1 when it fails. */
export function startProcess<Settings extends Config, Prepared>(
  { name, host, demand, prepare }: ProcessKind<Settings, Prepared>,
  main: (started: StartedProcess<Settings, Prepared>) => Promise<void>,
): Promise<void> {
  const start = async (): Promise<void> => {
    const load = async (): Promise<Prepared | undefined> => {
      await loadDatabase();
      const policyDir = host.env[FIRST_POLICIES];
      return policyDir === undefined ? undefined : prepare(policyDir);
    };
    const [env, prepared] = await Promise.all([wholeEnvironment(host.env, host), load()]);
    const places = findPlaces();
    const { root } = places;
    const config = demand(readConfig(env, places));
    const tracing = await traceAs(`custos-${name}`, config, root);
    const { logLevel: level } = config;
    const lines = createLineWriter(1);
    const pretty = host.stdout.isTTY || env[PRETTY_LOG] !== undefined;
    const logger = createLogger({ name, level, pretty, traced: tracing !== undefined, destination: lines });
    const pulse = env[PULSE_FD];
    const pulseFd = pulse === undefined ? undefined : Number(pulse);
    await main({ config, logger, root, tracing, droppedLines: lines.dropped, pulseFd, prepared });
  };
  return start().catch((error: unknown) => {
    process.stderr.write(`${error instanceof OperatorError ? error.message : inspect(error)}\n`);
    // Handles that were opened before the failure would keep the process alive.
    process.exit(1);
  });
}

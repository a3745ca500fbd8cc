// The start of a process: its settings, traces and log lines, and what is printed when it cannot start.
import { inspect } from 'node:util';
import { readConfig } from '../config/config.ts';
import { findPlaces } from '../config/root.ts';
import type { Config } from '../config/table.ts';
import { OperatorError } from '../../kernel/operator-error.ts';
import { createLogger, type Logger } from '../observe/logger.ts';
import { traceAs } from '../observe/trace-setup.ts';
import type { Tracing } from '../observe/tracing.ts';
import { keepHeapSmall } from './heap.ts';

/** Variable by which the supervisor tells a process the file descriptor of the pipe for its pulse (heartbeat.ts). */
export const PULSE_FD = 'PULSE_FD';

export interface StartedProcess<Settings extends Config> {
  readonly config: Settings;
  readonly logger: Logger;
  /** The installation's folder. */
  readonly root: string;
  /** Absent: no spans. Close it last. */
  readonly tracing: Tracing | undefined;
  /** See PULSE_FD. */
  readonly pulseFd: number | undefined;
}

export interface ProcessKind<Settings extends Config> {
  readonly name: 'ingress' | 'workers';
  readonly env: NodeJS.ProcessEnv;
  /** @throws {ConfigError} when a setting is missing that this kind of process needs */
  readonly demand: (config: Config) => Settings;
}

/** Runs `main`, which returns when the process is ready. Exits with 1 when it fails. */
export function startProcess<Settings extends Config>(
  { name, env, demand }: ProcessKind<Settings>,
  main: (started: StartedProcess<Settings>) => Promise<void>,
): void {
  const start = async (): Promise<void> => {
    keepHeapSmall(process.execArgv);
    const places = findPlaces();
    const { root } = places;
    const config = demand(readConfig(env, places));
    const tracing = await traceAs(`custos-${name}`, config, root);
    const { logLevel: level } = config;
    const logger = createLogger({ name, level, pretty: process.stdout.isTTY, traced: tracing !== undefined });
    const pulse = env[PULSE_FD];
    await main({ config, logger, root, tracing, pulseFd: pulse === undefined ? undefined : Number(pulse) });
  };
  start().catch((error: unknown) => {
    process.stderr.write(`${error instanceof OperatorError ? error.message : inspect(error)}\n`);
    // Handles that were opened before the failure would keep the process alive.
    process.exit(1);
  });
}

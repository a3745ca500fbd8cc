// The start of a process: its settings, traces and log lines, and what is printed when it cannot start.
import { readConfig } from '../config/config.ts';
import { findRoot } from '../config/root.ts';
import type { Config } from '../config/table.ts';
import { OperatorError } from '../../kernel/operator-error.ts';
import { createLogger, type Logger } from '../observe/logger.ts';
import { traceAs } from '../observe/trace-setup.ts';
import type { Tracing } from '../observe/tracing.ts';
import { keepHeapSmall } from './heap.ts';

export interface StartedProcess<Settings extends Config> {
  readonly config: Settings;
  readonly logger: Logger;
  /** The installation's folder. */
  readonly root: string;
  /** Absent: no spans. Close it last. */
  readonly tracing: Tracing | undefined;
}

/** @param demand checks that the settings of this kind of process are there */
export function startProcess<Settings extends Config>(
  name: 'ingress' | 'workers',
  demand: (config: Config) => Settings,
  main: (started: StartedProcess<Settings>) => Promise<void>,
): void {
  const start = async (): Promise<void> => {
    keepHeapSmall(process.execArgv);
    const root = findRoot();
    const config = demand(readConfig(process.env, { root, cwd: process.cwd() }));
    const tracing = await traceAs(`custos-${name}`, config, root);
    const { logLevel: level } = config;
    const logger = createLogger({ name, level, pretty: process.stdout.isTTY, traced: tracing !== undefined });
    await main({ config, logger, root, tracing });
  };
  start().catch((error: unknown) => {
    console.error(error instanceof OperatorError ? error.message : error);
    // Handles that were opened before the failure would keep the process alive.
    process.exit(1);
  });
}

// The worker process: runs jobs from the queues and serves its health pages.
import { ConfigError, metricsArePublic, readConfig, requireWorkers } from '../shared/platform/config/config.ts';
import { NotDurableError } from '../shared/platform/db/durability.ts';
import { keepHeapSmall } from '../shared/platform/process/heap.ts';
import { SecretMismatchError } from '../shared/platform/db/fingerprints.ts';
import { runUntilStopped } from '../shared/platform/process/lifecycle.ts';
import { createLogger } from '../shared/platform/observe/logger.ts';
import { findRoot } from '../shared/platform/config/root.ts';
import { traceAs } from '../shared/platform/observe/trace-setup.ts';
import { startWorkers } from './app.ts';
import { serveHealth } from './health.ts';

async function main(): Promise<void> {
  keepHeapSmall(process.execArgv);
  const root = findRoot();
  const config = requireWorkers(readConfig(process.env, { root, cwd: process.cwd() }));
  const tracing = await traceAs('custos-workers', config, root);
  const logger = createLogger({
    name: 'workers',
    level: config.logLevel,
    pretty: process.stdout.isTTY,
    traced: tracing !== undefined,
  });
  const machineMs = Date.now;
  const workers = await startWorkers({
    config,
    logger,
    tracing,
    machineMs,
    // BullMQ dates schedules, delays and locks with Date.now, and all processes share them. Without the database's clock, one
    // machine with a wrong clock would stop upkeep for the whole installation.
    onClock: (nowMs) => (Date.now = nowMs),
  });
  const health = await serveHealth({
    host: config.host,
    port: config.workersPort,
    check: workers.check,
    isOperator: workers.isOperator,
    metricsArePublic: metricsArePublic(config),
    metrics: workers.metrics,
  });
  logger.info({ address: health.address }, 'workers ready');
  runUntilStopped({
    process,
    logger,
    address: health.address,
    timeoutMs: config.shutdownTimeoutMs,
    stop: async () => {
      health.drain();
      await workers.close();
      await health.close();
      await tracing?.close();
    },
  });
}

main().catch((error: unknown) => {
  console.error(
    error instanceof ConfigError || error instanceof SecretMismatchError || error instanceof NotDurableError
      ? error.message
      : error,
  );
  // Handles that were opened before the failure would keep the process alive.
  process.exit(1);
});

// The worker process: runs jobs from the queues and serves its health pages.
import { metricsArePublic, requireWorkers } from '../shared/platform/config/config.ts';
import { prepareLexicon } from '../shared/domain/policy-sets/shared-lexicon.ts';
import { runUntilStopped } from '../shared/platform/process/lifecycle.ts';
import { startProcess } from '../shared/platform/process/start.ts';
import { startWorkers } from './app.ts';
import { serveHealth } from './health.ts';

/** Settles when the process is ready. */
export const ready = startProcess(
  { name: 'workers', host: process, demand: requireWorkers, prepare: prepareLexicon },
  async ({ config, logger, tracing, droppedLines, pulseFd, prepared }) => {
    const machineMs = Date.now;
    // First, because a port that is in use must stop the start before any job runs.
    const health = await serveHealth({
      host: config.host,
      port: config.workersPort,
      metricsArePublic: metricsArePublic(config),
      onOtherPort: (port, preferred) =>
        logger.warn({ port }, `port ${preferred} is in use: health pages and metrics are on port ${port}`),
    });
    const workers = await startWorkers({
      config,
      logger,
      tracing,
      droppedLines,
      prepared,
      machineMs,
      healthPort: health.port,
      pulseFd,
      // BullMQ dates schedules, delays and locks with Date.now, and all processes share them. Without the database's clock, one
      // machine with a wrong clock would stop upkeep for the whole installation.
      onClock: (nowMs) => (Date.now = nowMs),
    });
    health.begin(workers);
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
  },
);

// The ingress process: authenticates, limits, validates, decides and answers over HTTP.
import { setTimeout as delay } from 'node:timers/promises';
import { requireIngress } from '../shared/platform/config/config.ts';
import { loadingWith } from '../shared/domain/policy-sets/active-set.ts';
import { prepareLexicon, shareLexicon } from '../shared/domain/policy-sets/shared-lexicon.ts';
import { runUntilStopped } from '../shared/platform/process/lifecycle.ts';
import { HANDED_CONNECTIONS, SHARED_COUNTERS } from '../shared/platform/process/handed.ts';
import { startProcess } from '../shared/platform/process/start.ts';
import { startIngress } from './service.ts';

/** A worker puts the first set into force in less. After that, requests are told that there is none (E6002). */
const FIRST_SET_MS = 30_000;

/** Settles when the process is ready. */
export const ready = startProcess(
  { name: 'ingress', host: process, demand: requireIngress, prepare: prepareLexicon },
  async ({ config, logger, root, tracing, droppedLines, pulseFd, prepared }) => {
    const { databaseUrl } = config;
    const ingress = await startIngress({
      config,
      logger,
      root,
      tracing,
      droppedLines,
      ...(process.env[HANDED_CONNECTIONS] === undefined ? {} : { supervisor: process }),
      hasSharedCounters: process.env[SHARED_COUNTERS] !== undefined,
      heartbeatApart: { databaseUrl, pulseFd },
      ...(prepared && { loadSet: loadingWith(shareLexicon(undefined, prepared).ofStoredSets) }),
    });
    // It listens before a worker has put a policy set into force; /ready reports why it is not ready. No request was
    // accepted yet, so when the supervisor exits in the meantime, this process can exit at once.
    const abandoned = (): never => process.exit(1);
    process.once('disconnect', abandoned);
    await Promise.race([ingress.ready(), delay(FIRST_SET_MS, undefined, { ref: false })]);
    process.off('disconnect', abandoned);
    logger.info({ address: ingress.address }, 'ingress ready');
    runUntilStopped({
      process,
      logger,
      address: ingress.address,
      timeoutMs: config.shutdownTimeoutMs,
      stop: async () => {
        await ingress.close();
        await tracing?.close();
      },
    });
  },
);

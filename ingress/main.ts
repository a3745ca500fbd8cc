// The ingress process: authenticates, limits, validates, decides and answers over HTTP.
import { ConfigError, readConfig, requireIngress } from '../shared/platform/config/config.ts';
import { NotDurableError } from '../shared/platform/db/durability.ts';
import { keepHeapSmall } from '../shared/platform/process/heap.ts';
import { SecretMismatchError } from '../shared/platform/db/fingerprints.ts';
import { runUntilStopped } from '../shared/platform/process/lifecycle.ts';
import { createLogger } from '../shared/platform/observe/logger.ts';
import { findRoot } from '../shared/platform/config/root.ts';
import { traceAs } from '../shared/platform/observe/trace-setup.ts';
import { startIngress } from './service.ts';

async function main(): Promise<void> {
  keepHeapSmall(process.execArgv);
  const root = findRoot();
  const config = requireIngress(readConfig(process.env, { root, cwd: process.cwd() }));
  const tracing = await traceAs('custos-ingress', config, root);
  const logger = createLogger({
    name: 'ingress',
    level: config.logLevel,
    pretty: process.stdout.isTTY,
    traced: tracing !== undefined,
  });
  const ingress = await startIngress({ config, logger, root, tracing });
  // It listens before a worker has put a policy set into force; /ready reports why it is not ready. No request was
  // accepted yet, so when the supervisor exits in the meantime, this process can exit at once.
  const abandoned = (): never => process.exit(1);
  process.once('disconnect', abandoned);
  await ingress.ready();
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
}

main().catch((error: unknown) => {
  console.error(
    error instanceof ConfigError || error instanceof SecretMismatchError || error instanceof NotDurableError
      ? error.message
      : error,
  );
  process.exit(1);
});

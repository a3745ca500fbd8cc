// `custos start`, which is `npm start`: the whole service under one supervisor, from the database to the first answer.
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import type { StoreConfig } from '../shared/platform/config/config.ts';
import { type Config, fileVariableOf, SETTING_TABLE } from '../shared/platform/config/table.ts';
import { migrate } from '../shared/platform/db/migrate.ts';
import { SetupError } from '../shared/platform/embedded/account.ts';
import { createLogger, type Logger } from '../shared/platform/observe/logger.ts';
import { bannerLines } from './banner.ts';
import { explain, loadConfig, say } from './context.ts';
import { ensureFirstKey } from './first-key.ts';
import { type SupervisedChild, superviseChild } from './supervisor/child.ts';
import { listenForStop, type StopSignals } from './supervisor/signals.ts';
import { openStore, type SupervisedStore } from './supervisor/store.ts';

/** A child has its own deadline; the supervisor gives it this much longer before it kills it. */
const GRACE_MS = 2_000;

export function registerStart(program: Command): void {
  program
    .command('start')
    .description('run the whole service: database (unless DATABASE_URL is set), ingress and workers')
    .action(async () => {
      process.exitCode = await start();
    });
}

/** What has been started so far, in order; stopped the other way round, or killed all at once. */
interface Started {
  store: SupervisedStore | undefined;
  children: SupervisedChild[];
}

/** Runs until it is asked to stop. @returns the exit code */
async function start(): Promise<number> {
  const startedAtMs = performance.now();
  const started: Started = { store: undefined, children: [] };
  // Whoever reads our output may go away before us.
  process.stdout.on('error', () => undefined);
  const signals = listenForStop(() => {
    say('custos: asked to stop again: ending at once');
    for (const child of started.children) child.kill();
    started.store?.kill();
    process.exit(1);
  });
  let config: Config;
  try {
    config = loadConfig();
  } catch (error) {
    return explain(error);
  }
  let code = 0;
  try {
    await run(config, started, signals, startedAtMs);
  } catch (error) {
    // What is interrupted may fail in its own way; the person who interrupted it need not read that.
    if (!signals.requested.aborted) code = explain(error);
  }
  if (signals.requested.aborted && process.stdout.isTTY) say('\ncustos: stopping');
  await Promise.all(started.children.map((child) => child.stop(config.shutdownTimeoutMs + GRACE_MS)));
  await started.store?.close();
  return code;
}

/** Starts one thing after the other, prints where they are, and settles when a signal asks to stop. */
async function run(config: Config, started: Started, signals: StopSignals, startedAtMs: number): Promise<void> {
  const logger = createLogger({ name: 'supervisor', level: config.logLevel, pretty: process.stderr.isTTY, fd: 2 });
  const store = await openStore(config, logger, say);
  started.store = store;
  await portIsFree(config, store.afterCrash, signals.requested);
  if (signals.requested.aborted) return;
  await migrate(store.config, store.config.pepper);
  const first = await ensureFirstKey(store.config, store.embedded);
  if (signals.requested.aborted) return;
  const ingress = superviseIngress(store.config, logger);
  const workers = superviseWorkers(store.config, logger);
  started.children.push(ingress, workers);
  const ready = await Promise.race([Promise.all([ingress.ready, workers.ready]), signals.received]);
  if (ready === undefined) return;
  const [address] = ready;
  const lines = bannerLines({ address, ...first, tookMs: performance.now() - startedAtMs });
  process.stdout.write(`${lines.join('\n')}\n`);
  await signals.received;
}

/** Ingress signs promises and never has the key of the logs; workers have that one alone. */
function superviseIngress(config: StoreConfig, logger: Logger): SupervisedChild {
  return superviseChild({
    name: 'ingress',
    entry: entryOf('ingress'),
    logger,
    env: (address) => ({
      ...storeEnv(config),
      CUSTOS_PROMISE_KEY_FILE: config.promiseKeyFile,
      // A port that was picked stays the same when the process is started again.
      PORT: address === undefined ? String(config.port) : new URL(address).port || String(config.port),
    }),
  });
}

function superviseWorkers(config: StoreConfig, logger: Logger): SupervisedChild {
  return superviseChild({
    name: 'workers',
    entry: entryOf('workers'),
    logger,
    env: () => ({ ...storeEnv(config), CUSTOS_SIGNING_KEY_FILE: config.signingKeyFile }),
  });
}

/** What both children get: the secrets that they need as values, and no other, wherever they came from. */
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
    CUSTOS_PEPPER: config.pepper,
    CUSTOS_PEPPER_PREVIOUS: config.pepperPrevious,
  };
}

/** The `main` of a process, beside this file in the sources and in the build alike. */
function entryOf(name: 'ingress' | 'workers'): string {
  const here = fileURLToPath(import.meta.url);
  return path.resolve(path.dirname(here), '..', name, `main${path.extname(here)}`);
}

/**
 * Looks whether ingress will be able to listen, so that the refusal is a sentence. After a crash the ingress of the
 * earlier start may still be finishing its requests: it is given its time.
 */
async function portIsFree(config: Config, afterCrash: boolean, stop: AbortSignal): Promise<void> {
  if (config.port === 0) return;
  const deadline = performance.now() + (afterCrash ? config.shutdownTimeoutMs + GRACE_MS : 0);
  for (;;) {
    const problem = await tryToListen(config.port, config.host);
    if (problem === undefined || stop.aborted) return;
    if (problem !== 'EADDRINUSE')
      throw new SetupError(`Cannot listen on ${config.host} port ${config.port}: ${problem}.`);
    if (performance.now() >= deadline)
      throw new SetupError(
        `Port ${config.port} of ${config.host} is in use by another program. Choose another with PORT; PORT=0 picks a free one.`,
      );
    await delay(50);
  }
}

function tryToListen(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

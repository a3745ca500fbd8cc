// `custos start`, which `npm start` runs in a checkout: the whole service under one supervisor, from the database to the first answer.
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { StoreConfig } from '../shared/platform/config/config.ts';
import { type Config, fileVariableOf, SETTING_TABLE } from '../shared/platform/config/table.ts';
import { migrate } from '../shared/platform/db/migrate.ts';
import { SetupError } from '../shared/platform/embedded/account.ts';
import { describeFileError } from '../shared/platform/embedded/data-folder.ts';
import { createLineWriter, type LineWriter } from '../shared/platform/observe/line-writer.ts';
import { createLogger, type Logger } from '../shared/platform/observe/logger.ts';
import { bannerLines } from './banner.ts';
import { loadConfig } from './context.ts';
import { ensureFirstKey } from './first-key.ts';
import { EXIT, exitWith, reportError, say } from './exit.ts';
import { folderProblem } from './policy/place.ts';
import type { CommandBody } from './program.ts';
import { type SupervisedChild, superviseChild } from './supervisor/child.ts';
import { listenForStop, type StopSignals } from './supervisor/signals.ts';
import { openStore, type SupervisedStore } from './supervisor/store.ts';
import { sinceTypedMs } from './typed.ts';

/** Added to a child's own shutdown deadline before the supervisor kills it. */
const GRACE_MS = 2_000;

export const startCommand: CommandBody = { define: (command) => command.action(exitWith(start)) };

/** The parts started so far: children are stopped before the store, or all are killed at once. */
interface Started {
  store: SupervisedStore | undefined;
  children: SupervisedChild[];
}

/** Runs until a signal requests a stop. @returns the exit code */
async function start(): Promise<number> {
  const started: Started = { store: undefined, children: [] };
  // The reader of the output may exit before the service does.
  process.stdout.on('error', () => undefined);
  const output = createLineWriter(2);
  const signals = listenForStop(() => {
    say('custos: second signal: ending at once');
    for (const child of started.children) child.kill();
    started.store?.kill();
    process.exit(EXIT.failed);
  });
  const config = loadConfig();
  let code: number = EXIT.ok;
  try {
    await run(config, started, signals, output);
  } catch (error) {
    // A start that was interrupted may fail because of the interruption; such an error is not shown.
    if (!signals.requested.aborted) code = reportError(describeFileError(error, config.dataDir));
  }
  if (signals.requested.aborted && process.stdout.isTTY) say('\ncustos: stopping');
  await Promise.all(started.children.map((child) => child.stop(config.shutdownTimeoutMs + GRACE_MS)));
  await started.store?.close();
  return code;
}

/** Starts the parts in order, prints their addresses, and settles on the first stop signal. */
async function run(config: Config, started: Started, signals: StopSignals, output: LineWriter): Promise<void> {
  const pretty = process.stderr.isTTY;
  const logger = createLogger({ name: 'supervisor', level: config.logLevel, pretty, destination: output });
  const store = await openStore(config, logger, say);
  started.store = store;
  await portIsFree(config, store.afterCrash, signals.requested);
  if (signals.requested.aborted) return;
  await migrate(store.config, store.config.pepper);
  const first = await ensureFirstKey(store.config, store.embedded);
  const problem = folderProblem(config.policyDir);
  if (problem !== undefined)
    say(
      `custos: The policy folder ${config.policyDir} can't be read: ${problem}. Until it can be, the last policy set stays in force; without one the service does not become ready.`,
    );
  if (signals.requested.aborted) return;
  const ingress = superviseIngress(store.config, logger, output);
  const workers = superviseWorkers(store.config, logger, output);
  started.children.push(ingress, workers);
  const ready = await Promise.race([Promise.all([ingress.ready, workers.ready]), signals.received]);
  if (ready === undefined) return;
  const [address, workersAddress] = ready;
  const { dataDir, policyDir } = config;
  const lines = bannerLines({
    address,
    workersAddress,
    ...first,
    dataDir: store.embedded ? dataDir : undefined,
    policyDir,
    tookMs: sinceTypedMs(),
  });
  process.stdout.write(`${lines.join('\n')}\n`);
  await signals.received;
}

/** Ingress gets the promise key only; workers get the log's signing key only. */
function superviseIngress(config: StoreConfig, logger: Logger, output: LineWriter): SupervisedChild {
  return superviseChild({
    name: 'ingress',
    entry: entryOf('ingress'),
    logger,
    output,
    env: (address) => ({
      ...storeEnv(config),
      CUSTOS_PROMISE_KEY_FILE: config.promiseKeyFile,
      // After a restart ingress listens on the port that it picked first.
      PORT: address === undefined ? String(config.port) : new URL(address).port || String(config.port),
    }),
  });
}

function superviseWorkers(config: StoreConfig, logger: Logger, output: LineWriter): SupervisedChild {
  return superviseChild({
    name: 'workers',
    entry: entryOf('workers'),
    logger,
    output,
    env: () => ({ ...storeEnv(config), CUSTOS_SIGNING_KEY_FILE: config.signingKeyFile }),
  });
}

/** The environment of both children. Secrets that they need are passed as values, whether they came from a variable or a file; all others are removed. */
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
    // A restarted child must not see other folders, even if a default folder came into existence.
    CUSTOS_DATA_DIR: config.dataDir,
    CUSTOS_POLICY_DIR: config.policyDir,
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
 * Checks that ingress can listen, for an error in one sentence. After a crash, the previous ingress may still be
 * finishing its requests, so the port is tried again until that process's shutdown deadline.
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

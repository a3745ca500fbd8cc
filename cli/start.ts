// `custos start`, which `npm start` runs in a checkout: the whole service under one supervisor, from the database to the first answer.
import type { Config } from '../shared/platform/config/table.ts';
import { loadForFirstStart, migrate } from '../shared/platform/db/migrate.ts';
import { databaseFolder } from '../shared/platform/embedded/cluster.ts';
import { describeFileError } from '../shared/platform/embedded/data-folder.ts';
import { createLineWriter, type LineWriter } from '../shared/platform/observe/line-writer.ts';
import { createLogger } from '../shared/platform/observe/logger.ts';
import { bannerLines } from './banner.ts';
import { loadConfig } from './context.ts';
import { ensureFirstKey } from './first-key.ts';
import { EXIT, exitAfterServing, reportError, say } from './exit.ts';
import { folderProblem } from './policy/place.ts';
import type { CommandBody } from './program.ts';
import type { SupervisedChild } from './supervisor/child.ts';
import { createFront, type Front } from './supervisor/front.ts';
import { untilUsable } from './supervisor/ports.ts';
import { choosePorts, countProcesses, type ProcessSettings, startProcesses } from './supervisor/processes.ts';
import { listenForStop, type StopSignals } from './supervisor/signals.ts';
import { openStore, type SupervisedStore } from './supervisor/store.ts';
import { sinceTypedMs } from './typed.ts';

/** Added to a child's own shutdown deadline before the supervisor kills it. */
const GRACE_MS = 2_000;

export const startCommand: CommandBody = { define: (command) => command.action(exitAfterServing(start)) };

/** The parts started so far: children are stopped before the store, or all are killed at once. */
interface Started {
  store: SupervisedStore | undefined;
  front: Front | undefined;
  children: SupervisedChild[];
}

/** Runs until a signal requests a stop. @returns the exit code */
async function start(): Promise<number> {
  const started: Started = { store: undefined, front: undefined, children: [] };
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
  started.front?.close();
  await Promise.all(started.children.map((child) => child.stop(config.shutdownTimeoutMs + GRACE_MS)));
  await started.store?.close();
  return code;
}

/** Starts the parts, prints their addresses, and settles on the first stop signal. */
async function run(config: Config, started: Started, signals: StopSignals, output: LineWriter): Promise<void> {
  const pretty = process.stderr.isTTY;
  const logger = createLogger({ name: 'supervisor', level: config.logLevel, pretty, destination: output });
  const counts = countProcesses(config);
  const front = createFront();
  started.front = front;
  let know: (settings: ProcessSettings) => void = () => undefined;
  const settings = new Promise<ProcessSettings>((resolve) => (know = resolve));
  // Loaded only then: it takes 30 ms.
  const countsHere = counts.ingress > 1 && config.rateLimit && config.redisUrl === undefined;
  const count = countsHere
    ? (await import('../shared/platform/process/shared-counters.ts')).countForProcesses()
    : undefined;
  // Before the database, because they load their modules while it starts.
  const isFirst = config.databaseUrl === undefined && databaseFolder(config.dataDir) === undefined;
  const firstPolicies = isFirst ? config.policyDir : undefined;
  const { ingress, workers } = startProcesses({ counts, settings, front, firstPolicies, count, logger, output });
  started.children.push(...ingress, ...workers);
  const [store] = await Promise.all([
    openStore(config, logger, say),
    isFirst ? loadForFirstStart().catch(() => undefined) : undefined,
  ]);
  started.store = store;
  const { host } = config;
  const patience = { waitMs: store.afterCrash ? config.shutdownTimeoutMs + GRACE_MS : 0, stop: signals.requested };
  const port = await untilUsable({ host, port: config.port }, patience, front.listen);
  if (signals.requested.aborted) return;
  await migrate(store.config, store.config.pepper);
  const first = await ensureFirstKey(store.config, store.embedded);
  const problem = folderProblem(config.policyDir);
  if (problem !== undefined)
    say(
      `custos: The policy folder ${config.policyDir} can't be read: ${problem}. Until it can be, the last policy set stays in force; without one the service does not become ready.`,
    );
  if (signals.requested.aborted) return;
  know({ config: store.config, ports: await choosePorts(config, counts, port, patience) });
  const ready = await Promise.race([
    Promise.all([ingress, workers].map((kind) => Promise.all(kind.map((child) => child.ready)))),
    signals.received,
  ]);
  if (ready === undefined) return;
  const own = ready.flat();
  const [ownAddress = ''] = own;
  const address = withPort(ownAddress, port);
  const { dataDir, policyDir } = config;
  const lines = bannerLines({
    address,
    metricsAddresses: own,
    ...first,
    dataDir: store.embedded ? dataDir : undefined,
    policyDir,
    tookMs: sinceTypedMs(),
  });
  process.stdout.write(`${lines.join('\n')}\n`);
  await signals.received;
}

function withPort(address: string, port: number): string {
  const url = new URL(address);
  url.port = String(port);
  return url.origin;
}

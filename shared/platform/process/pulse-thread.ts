// The thread that sends a process's heartbeats, over its own connection, also while the main thread is busy (pulse.ts).
import { Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type pg from 'pg';
import { DatabaseClient } from '../db/client.ts';
import { mainThreadCpuMs } from '../embedded/processes.ts';
import type { PulseData, PulseMessage } from './pulse.ts';
import { createStallWatch } from './stall.ts';

/** A slow answer is no reason for another connection, which would be slower. */
const TIMEOUT_MS = 5_000;

// startPulse passes these members; workerData is untyped.
const { databaseUrl, pulseFd, beat, turns } = workerData as PulseData;
const counter = new Int32Array(turns);
const stallOf = createStallWatch();
const report = (message: PulseMessage): void => parentPort?.postMessage(message, []);

/** To the supervisor, which restarts a process without pulse. It may have ended. */
const supervisor = pulseFd === undefined ? undefined : new Socket({ fd: pulseFd, readable: false });
supervisor?.on('error', () => undefined);

/** Of the main thread; elsewhere than on Linux that of the whole process, which is more. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return mainThreadCpuMs(process.pid) ?? (user + system) / 1_000;
}

function stalledMs(): number {
  return stallOf({ turns: Atomics.load(counter, 0), atMs: performance.now(), cpuMs: cpuMs() });
}

let client: pg.Client | undefined;
let sending: Promise<void> | undefined;
let hasSent = false;
let isFailing = false;

async function connect(): Promise<pg.Client> {
  const opened = new DatabaseClient({
    connectionString: databaseUrl,
    application_name: 'custos-heartbeat',
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    statement_timeout: TIMEOUT_MS,
    keepAlive: true,
  });
  // The next heartbeat opens another connection.
  opened.on('error', () => {
    if (client === opened) client = undefined;
  });
  await opened.connect();
  return opened;
}

async function send(silentSeconds: number): Promise<void> {
  try {
    client ??= await connect();
    await client.query({ name: 'beat', text: beat.statement, values: [...beat.values, silentSeconds] });
    if (!hasSent) report({ kind: 'first' });
    hasSent = true;
    isFailing = false;
  } catch (error) {
    void client?.end().catch(() => undefined);
    client = undefined;
    if (!isFailing) report({ kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
    isFailing = true;
  } finally {
    sending = undefined;
  }
}

function tick(): void {
  const silentMs = stalledMs();
  sending ??= send(silentMs / 1_000);
  // A frozen supervisor does not read; its buffer must not fill up.
  if (silentMs === 0 && supervisor?.writable && !supervisor.writableNeedDrain) supervisor.write('.');
}

tick();
const timer = setInterval(tick, beat.intervalMs);
parentPort?.once('message', () => {
  clearInterval(timer);
  supervisor?.destroy();
  void Promise.resolve(sending).then(() => process.exit());
});

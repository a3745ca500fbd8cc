// Measures a start of the service as `npm start` does it: time until it is ready, and processor time until then, for the first start
// in an empty folder and for later ones.
// Usage: node dist/bench/start.js [--rounds 5]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { findRoot } from '../shared/platform/config/root.ts';
import { processorMs } from '../test/support/process-tree.ts';
import { alignedLines, quantile } from './numbers.ts';
import { cpuOf } from './usage.ts';

/** One start, in milliseconds. Processor time is 0 where there is no /proc. */
interface Start {
  readonly readyMs: number;
  readonly cpuMs: number;
  readonly ingressMs: number;
  readonly workersMs: number;
  readonly postgresMs: number;
}

async function startOnce(dataDir: string): Promise<Start> {
  const begunMs = performance.now();
  const child = spawn(process.execPath, [path.join(findRoot(), 'bin', 'custos.js'), 'start'], {
    env: {
      ...process.env,
      PORT: '0',
      CUSTOS_WORKERS_PORT: '0',
      CUSTOS_INGRESS: '1',
      CUSTOS_DATA_DIR: dataDir,
      CUSTOS_LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = (): boolean => child.kill('SIGTERM');
  process.once('exit', stop);
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith('Custos is ready')) continue;
      const readyMs = performance.now() - begunMs;
      const pid = child.pid ?? 0;
      const { ingress, workers, postgres } = cpuOf(pid);
      return { readyMs, cpuMs: processorMs(pid) ?? 0, ingressMs: ingress, workersMs: workers, postgresMs: postgres };
    }
    throw new Error('the service did not start');
  } finally {
    const ended = once(child, 'exit');
    child.stdout.resume();
    stop();
    await ended;
    process.off('exit', stop);
  }
}

function cells(name: string, starts: readonly Start[]): string[] {
  const of = (value: (start: Start) => number): string => {
    const sorted = starts.map(value).sort((a, b) => a - b);
    return `${Math.round(quantile(sorted, 0.5))} (${Math.round(sorted[0] ?? 0)})`;
  };
  return [
    name,
    of(({ readyMs }) => readyMs),
    of(({ cpuMs }) => cpuMs),
    of(({ ingressMs }) => ingressMs),
    of(({ workersMs }) => workersMs),
    of(({ postgresMs }) => postgresMs),
  ];
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
  const first: Start[] = [];
  const later: Start[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const folder = mkdtempSync(path.join(tmpdir(), 'custos-bench-start-'));
    // Started by root, PostgreSQL runs as another user, who must be able to enter it.
    chmodSync(folder, 0o755);
    const dataDir = path.join(folder, 'custos');
    try {
      first.push(await startOnce(dataDir));
      later.push(await startOnce(dataDir));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const lines = alignedLines([
    ['start to ready, ms: median (best)', 'ready', 'CPU', 'ingress', 'workers', 'PostgreSQL'],
    cells('first start', first),
    cells('later start', later),
  ]);
  process.stdout.write(`${lines.join('\n')}\n`);
}

await main();

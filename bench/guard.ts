// What `custos mcp-guard` costs: the same tool calls of one client to one MCP server, without the guard and through it, in turns.
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findRoot } from '../shared/platform/config/root.ts';
import { type Row, spread } from './measure.ts';
import { quantile } from './numbers.ts';
import type { Service } from './processes.ts';

/** The name of the server in the catalogue of the generated policies. */
export const GUARDED_SERVER = 'bench';

const CALLS_PER_ROUND = 300;
const CLI = fileURLToPath(new URL('../cli/main.js', import.meta.url));
const EVERYTHING = path.join(findRoot(), 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');

interface ToolClient {
  /** One call after the other. @returns the time of each in milliseconds, and how many were refused */
  round(calls: number): Promise<{ readonly timesMs: readonly number[]; readonly errors: number }>;
  stop(): Promise<void>;
}

async function connect(args: readonly string[], env: NodeJS.ProcessEnv): Promise<ToolClient> {
  const child: ChildProcess = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map<number, (answer: { readonly result?: { readonly isError?: boolean } }) => void>();
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const answer = JSON.parse(line) as { readonly id?: number; readonly result?: { readonly isError?: boolean } };
      if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
    }
  });
  let ids = 0;
  const send = (message: object): void =>
    void child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = (method: string, params: object): Promise<{ readonly result?: { readonly isError?: boolean } }> => {
    const id = (ids += 1);
    return new Promise((resolve, reject) => {
      const gone = (): void => reject(new Error('the MCP server ended'));
      child.once('exit', gone);
      waiting.set(id, (answer) => {
        child.off('exit', gone);
        waiting.delete(id);
        resolve(answer);
      });
      send({ id, method, params });
    });
  };
  const clientInfo = { name: 'bench', version: '1.0.0' };
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  send({ method: 'notifications/initialized' });
  await request('tools/list', {});
  return {
    async round(calls) {
      const timesMs: number[] = [];
      let errors = 0;
      for (let n = 0; n < calls; n += 1) {
        const start = performance.now();
        const { result } = await request('tools/call', { name: 'echo', arguments: { message: `call ${n % 50}` } });
        timesMs.push(performance.now() - start);
        if (result === undefined || result.isError === true) errors += 1;
      }
      return { timesMs, errors };
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.stdin?.end();
      await ended;
    },
  };
}

type Round = Awaited<ReturnType<ToolClient['round']>>;

function rowOf(name: string, rounds: readonly Round[]): Row {
  const of = (pick: (sorted: readonly number[]) => number) =>
    spread(rounds.map(({ timesMs }) => pick(timesMs.toSorted((a, b) => a - b))));
  return {
    name,
    connections: 1,
    policies: null,
    perSecond: of((times) => (1_000 * times.length) / times.reduce((sum, ms) => sum + ms, 0)),
    p50Ms: of((times) => quantile(times, 0.5)),
    p99Ms: of((times) => quantile(times, 0.99)),
    errors: rounds.reduce((sum, { errors }) => sum + errors, 0),
    cpuUsPerRequest: {},
  };
}

/** @returns both rows, and the number of decisions that the service has made */
export async function measureGuard(
  { port, key }: Pick<Service, 'port' | 'key'>,
  rounds: number,
): Promise<{ readonly rows: readonly Row[]; readonly decisions: number }> {
  const { PATH, HOME, TMPDIR } = process.env;
  const env = { PATH, HOME, TMPDIR };
  const guard = [CLI, 'mcp-guard', '--agent', 'bench-agent-1', '--server', GUARDED_SERVER, '--'];
  const custos = { CUSTOS_URL: `http://127.0.0.1:${port}`, CUSTOS_KEY: key };
  const direct = await connect([EVERYTHING, 'stdio'], env);
  const guarded = await connect([...guard, process.execPath, EVERYTHING, 'stdio'], { ...env, ...custos });
  try {
    const [without, through]: [Round[], Round[]] = [[], []];
    // The first round compiles the hot code.
    for (let round = 0; round <= rounds; round += 1) {
      without.push(await direct.round(CALLS_PER_ROUND));
      through.push(await guarded.round(CALLS_PER_ROUND));
    }
    return {
      rows: [rowOf('tools/call, direct', without.slice(1)), rowOf('tools/call, through mcp-guard', through.slice(1))],
      decisions: (rounds + 1) * CALLS_PER_ROUND,
    };
  } finally {
    await Promise.all([direct.stop(), guarded.stop()]);
  }
}

// `custos start` with several processes of each kind: they share one port, and nobody notices when one is killed.
import { readFileSync } from 'node:fs';
import { request as httpRequest, Agent } from 'node:http';
import path from 'node:path';
import { expect } from 'chai';
import { MAX_WAIT_MS } from '../../cli/supervisor/front.ts';
import { commandOf, signal } from '../../shared/platform/embedded/processes.ts';
import { runCommand } from '../support/command.ts';
import { readExposition } from '../support/exposition.ts';
import { folderWithFewWords } from '../support/lexicon.ts';
import { startCustos, type TestCustos } from '../support/process.ts';
import { waitFor } from '../support/wait.ts';

/** Requests without which a load is none: processes may be replaced faster than that on a busy machine. */
const LEAST_LOAD = 100;
const FEW_WORDS = { CUSTOS_POLICY_DIR: folderWithFewWords() };
const INGRESS = 3;
const CONNECTIONS = 60;
const KILLS = 4;
const CLIENTS = 8;

interface Outcome {
  readonly status?: number;
  /** The code of a connection error. */
  readonly code?: string | undefined;
  /** Until it was known. */
  readonly afterMs: number;
}

/** One request on the agent's connection. */
function ask(address: string, route: string, agent: Agent, headers: Record<string, string> = {}): Promise<Outcome> {
  const askedMs = performance.now();
  return new Promise((resolve) => {
    const settle = (outcome: Omit<Outcome, 'afterMs'>): void =>
      resolve({ ...outcome, afterMs: performance.now() - askedMs });
    httpRequest(`${address}${route}`, { agent, headers, timeout: 30_000 }, (answer) => {
      answer.resume();
      answer.once('end', () => settle({ status: answer.statusCode ?? 0 }));
      answer.once('error', (error: NodeJS.ErrnoException) => settle({ code: error.code }));
    })
      .once('timeout', () => settle({ code: 'TIMEOUT' }))
      .once('error', (error: NodeJS.ErrnoException) => settle({ code: error.code }))
      .end();
  });
}

/** Requests of eight clients, each on a connection of its own. */
interface Load {
  readonly outcomes: readonly Outcome[];
  stop(): Promise<void>;
}

function startLoad(address: string): Load {
  let isOver = false;
  const outcomes: Outcome[] = [];
  const client = async (): Promise<void> => {
    while (!isOver) {
      // A new connection for each request, as a client that reconnects.
      const agent = new Agent({ keepAlive: false });
      outcomes.push(await ask(address, '/v1/reference/tiers', agent));
      agent.destroy();
    }
  };
  const running = Array.from({ length: CLIENTS }, client);
  return {
    outcomes,
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
  };
}

/** What a killed process was answering breaks off, and what waits too long on a busy machine; nothing is refused or hangs. */
function expectFewBroken({ outcomes }: Load, kills: number): void {
  const failed = outcomes.filter(({ status }) => status !== 200);
  expect(failed.filter(({ code }) => code !== 'ECONNRESET')).to.deep.equal([]);
  expect(failed.filter(({ afterMs }) => afterMs < MAX_WAIT_MS).length).to.be.at.most(kills * CLIENTS);
  expect(outcomes.length).to.be.greaterThan(LEAST_LOAD);
}

const ingressPids = (custos: TestCustos): number[] =>
  custos.processIds().filter((pid) => commandOf(pid).includes('ingress/main.js'));

describe('a service of several processes', () => {
  let custos: TestCustos;
  let places: string[];

  before(async () => {
    custos = await startCustos({
      ...FEW_WORDS,
      CUSTOS_INGRESS: String(INGRESS),
      CUSTOS_WORKERS: '2',
      CUSTOS_RATE_LIMIT: 'off',
    });
    places = [...custos.stdout().matchAll(/(http\S+)\/metrics$/gm)].map(([, place = '']) => place);
  });
  after(() => custos.stop());

  /** Answered requests of the route by process. */
  const answered = (): Promise<number[]> =>
    Promise.all(
      places.slice(0, INGRESS).map(async (place) => {
        const exposition = readExposition(await (await fetch(`${place}/metrics`)).text());
        const samples = exposition.get('custos_http_request_duration_seconds')?.samples ?? [];
        return samples
          .filter(({ name, labels }) => name.endsWith('_count') && labels['route'] === '/v1/reference/tiers')
          .reduce((sum, { value }) => sum + value, 0);
      }),
    );

  it('prints a metrics address for each process, and shows all of them in /ready', async () => {
    expect(new Set(places).size).to.equal(INGRESS + 2);
    for (const place of places) expect((await fetch(`${place}/health`)).status, place).to.equal(200);
    const headers = { authorization: `Bearer ${/Admin key\s+(\S+)/.exec(custos.stdout())?.[1] ?? ''}` };
    const shown = await waitFor(async () => {
      const text = await (await fetch(`${custos.address}/ready`, { headers })).text();
      return places.every((place) => text.includes(`:${new URL(place).port}`)) && text;
    });
    expect(shown).to.contain(`${INGRESS} alive; metrics at`).and.to.contain('2 alive; metrics at');
  });

  it('spreads connections that open at once over its processes', async () => {
    const agents = Array.from({ length: CONNECTIONS }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    const outcomes = await Promise.all(agents.map((agent) => ask(custos.address, '/v1/reference/tiers', agent)));
    for (const agent of agents) agent.destroy();
    expect(outcomes.filter(({ status }) => status !== 200)).to.deep.equal([]);
    for (const count of await answered())
      expect(count).to.be.within(CONNECTIONS / INGRESS / 2, (CONNECTIONS / INGRESS) * 2);
  });

  it('refuses no connection while processes are killed under load, and replaces them on their ports', async () => {
    const load = startLoad(custos.address);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = ingressPids(custos);
      const [victim] = before;
      if (victim === undefined) throw new Error('no ingress runs');
      signal(victim, 'SIGKILL');
      await waitFor(() => ingressPids(custos).length === INGRESS && !ingressPids(custos).includes(victim), {
        what: 'another process in place of the killed one',
      });
    }
    await waitFor(
      async () => {
        for (const place of places) expect((await fetch(`${place}/health`)).status).to.equal(200);
        return true;
      },
      { what: 'every process to answer on its port' },
    );
    await waitFor(() => load.outcomes.length > LEAST_LOAD, { what: 'load' });
    await load.stop();
    expectFewBroken(load, KILLS);
  });

  it('is refused with a sentence for numbers that can not be meant', async () => {
    for (const [name, value, sentence] of [
      ['CUSTOS_INGRESS', '1000', 'must be auto or a number of processes from 1 to 16, not "1000"'],
      ['CUSTOS_INGRESS', '0', 'must be auto or a number of processes from 1 to 16, not "0"'],
      ['CUSTOS_WORKERS', 'x', 'must be auto or a number of processes from 1 to 8, not "x"'],
    ] as const) {
      const { code, stderr } = await runCommand(['start'], { [name]: value });
      expect([code, stderr]).to.deep.equal([1, `custos: ${name} ${sentence}.\n`]);
    }
  });
});

describe('a service with one ingress process', () => {
  let custos: TestCustos;
  before(async () => {
    custos = await startCustos({ ...FEW_WORDS, CUSTOS_INGRESS: '1', CUSTOS_RATE_LIMIT: 'off' });
  });
  after(() => custos.stop());

  it('refuses no connection while the process is killed and replaced: connections wait', async () => {
    const load = startLoad(custos.address);
    const [victim] = ingressPids(custos);
    if (victim === undefined) throw new Error('no ingress runs');
    await waitFor(() => load.outcomes.length > LEAST_LOAD, { what: 'load' });
    signal(victim, 'SIGKILL');
    const answered = load.outcomes.length;
    await waitFor(() => load.outcomes.length > answered + 3 * CLIENTS && ingressPids(custos).length === 1, {
      what: 'answers of another process',
    });
    await load.stop();
    expect(ingressPids(custos)).to.not.include(victim);
    expectFewBroken(load, 1);
  });
});

describe('rate limits of a service of several processes without Redis', () => {
  const PER_SECOND = 30;
  let custos: TestCustos;
  before(async () => {
    custos = await startCustos({
      ...FEW_WORDS,
      CUSTOS_INGRESS: String(INGRESS),
      CUSTOS_RATE_LIMITS: Array.from({ length: 8 }, (_, tier) => `${tier}=${PER_SECOND}/${PER_SECOND}`).join(),
    });
  });
  after(() => custos.stop());

  it('are those of one process, also after one was replaced', async () => {
    const key = readFileSync(path.join(custos.dataDir, 'bootstrap-key'), 'utf8').trim();
    const flood = async (): Promise<{ permitted: number; busy: number }> => {
      const agents = Array.from({ length: PER_SECOND * INGRESS }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
      const headers = { authorization: `Bearer ${key}` };
      const outcomes = await Promise.all(agents.map((agent) => ask(custos.address, '/v1/agents', agent, headers)));
      for (const agent of agents) agent.destroy();
      const count = (wanted: number): number => outcomes.filter(({ status }) => status === wanted).length;
      // On a busy machine the database may be too slow for some (503); these may have used the limit or not.
      const [permitted, busy] = [count(200), count(503)];
      expect(permitted + busy + count(429), JSON.stringify(outcomes)).to.equal(outcomes.length);
      return { permitted, busy };
    };
    const { permitted, busy } = await flood();
    expect(permitted).to.be.within(PER_SECOND - busy, PER_SECOND);
    const [victim] = ingressPids(custos);
    if (victim === undefined) throw new Error('no ingress runs');
    signal(victim, 'SIGKILL');
    await waitFor(() => ingressPids(custos).length === INGRESS && !ingressPids(custos).includes(victim), {
      what: 'another process in place of the killed one',
    });
    expect((await flood()).permitted, 'in the same minute').to.be.at.most(busy);
  });
});

// The health pages of a worker: their port, and their answers while the process starts, works and stops.
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type HealthPages, type HealthServer, serveHealth } from '../../../workers/health.ts';
import { waitFor } from '../../support/wait.ts';

describe('the health pages of a worker', () => {
  const opened: HealthServer[] = [];
  const moved: [number, number][] = [];
  const open = async (port?: number): Promise<HealthServer> => {
    const onOtherPort = (...ports: [number, number]): void => void moved.push(ports);
    const server = await serveHealth({ host: '127.0.0.1', port, metricsArePublic: true, onOtherPort });
    opened.push(server);
    return server;
  };
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((server) => server.close()));
    moved.splice(0);
  });
  const pages: HealthPages = {
    check: async () => ({ ready: true, unknown: ['logs'] }),
    isOperator: async () => false,
    metrics: async () => ({ text: 'custos_metric 1\n', contentType: 'text/plain' }),
  };
  const get = async ({ address }: HealthServer, path: string): Promise<[number, string]> => {
    const answer = await fetch(address + path);
    return [answer.status, (await answer.text()).trim()];
  };

  it('are on the default port, or on a free one with a warning when another process has it', async () => {
    await open();
    const second = await open();
    expect(second.port).not.to.equal(3_001);
    expect(moved.at(-1)).to.deep.equal([second.port, 3_001]);
  });

  it('do not move from a port that was set: a scraper would look for them there', async () => {
    const { port } = await open(0);
    const refusal = await open(port).catch((error: Error) => error);
    expect(refusal).to.have.property(
      'message',
      `Port ${port} of 127.0.0.1 is in use by another program. Choose another with CUSTOS_WORKERS_PORT; 0 picks a free one.`,
    );
  });

  it('answer 503 until the process has started, and again when it stops', async () => {
    const server = await open(0);
    expect(await get(server, '/health')).to.deep.equal([200, '{"status":"ok"}']);
    expect(await get(server, '/ready')).to.deep.equal([503, '{"status":"starting"}']);
    expect(await get(server, '/metrics')).to.deep.equal([503, '{"status":"starting"}']);
    server.begin(pages);
    expect(await get(server, '/ready')).to.deep.equal([200, '{"status":"ready","unknown":["logs"]}']);
    expect(await get(server, '/metrics')).to.deep.equal([200, 'custos_metric 1']);
    server.drain();
    expect(await get(server, '/ready')).to.deep.equal([503, '{"status":"stopping"}']);
  });

  it('check once for all who ask meanwhile, and again for those who ask later', async () => {
    const server = await open(0);
    const checks: (() => void)[] = [];
    const check = () => new Promise<{ ready: boolean }>((resolve) => checks.push(() => resolve({ ready: true })));
    server.begin({ ...pages, check });
    for (const times of [1, 2]) {
      const asked = Promise.all(Array.from({ length: 20 }, () => get(server, '/ready')));
      await delay(500);
      checks.forEach((end) => end());
      expect(new Set((await asked).map(([status]) => status))).to.deep.equal(new Set([200]));
      expect(checks).to.have.lengthOf(times);
    }
  });

  it('check again when a check hangs', async () => {
    const server = await open(0);
    let checks = 0;
    const check = async () => ((checks += 1) === 1 ? new Promise<never>(() => undefined) : { ready: true });
    server.begin({ ...pages, check });
    expect((await get(server, '/ready'))[0]).to.equal(503);
    await waitFor(async () => (await get(server, '/ready'))[0] === 200, { what: 'the second check' });
  });

  it('answer within two seconds although the checks hang', async () => {
    const server = await open(0);
    server.begin({ ...pages, check: () => new Promise(() => undefined) });
    expect(await get(server, '/ready')).to.deep.equal([503, '{"status":"not ready"}']);
  });
});

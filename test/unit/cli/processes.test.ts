// How many processes `custos start` runs, and on which ports.
import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { portsFrom, tryPort, untilUsable } from '../../../cli/supervisor/ports.ts';
import { countProcesses } from '../../../cli/supervisor/processes.ts';

describe('the number of processes', () => {
  for (const [cores, ingress, workers] of [
    [1, 1, 1],
    [2, 1, 1],
    [3, 2, 1],
    [4, 3, 1],
    [8, 7, 2],
    [64, 8, 2],
  ] as const)
    it(`is ${ingress} and ${workers} by default on ${cores} cores`, () => {
      expect(countProcesses({ ingressCount: 'auto', workersCount: 'auto' }, cores)).to.deep.equal({ ingress, workers });
    });
  it('is the given one on every machine', () => {
    expect(countProcesses({ ingressCount: 12, workersCount: 4 }, 2)).to.deep.equal({ ingress: 12, workers: 4 });
  });
});

describe('the ports of several processes', () => {
  const host = '127.0.0.1';
  /** Runs with a port that is in use, until `free` is called. */
  const whileUsed = async (run: (port: number, free: () => void) => Promise<void>): Promise<void> => {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    const address = server.address();
    try {
      await run(typeof address === 'object' && address !== null ? address.port : 0, () => server.close());
    } finally {
      server.close();
    }
  };
  const message = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'no error',
      (error: unknown) => String(error),
    );

  it('are free ones with 0', async () => {
    const ports = await portsFrom({ host, port: 0, count: 3, isDemanded: true, variable: 'X' });
    expect(ports.every((port) => port > 0)).to.equal(true);
  });
  it('replace one that is in use, unless it is demanded', () =>
    whileUsed(async (port) => {
      expect(await tryPort({ host, port })).to.equal('EADDRINUSE');
      const [found] = await portsFrom({ host, port, count: 1, isDemanded: false, variable: 'X' });
      expect(found).to.be.greaterThan(0).and.not.to.equal(port);
      expect(await message(portsFrom({ host, port, count: 2, isDemanded: true, variable: 'X' }))).to.equal(
        `SetupError: Port ${port} of 127.0.0.1 can't be used: another program uses it. 2 processes need the ports from X on. Choose another; 0 picks free ones.`,
      );
    }));
  it('end at the last port there is', async () => {
    const range = { host, port: 65_535, count: 2, isDemanded: true, variable: 'X' };
    expect(await message(portsFrom(range))).to.contain("Port 65536 of 127.0.0.1 can't be used: the last port is 65535");
  });
  it('are not those that the service has already', async () => {
    const [first = 0] = await portsFrom({ host, port: 0, count: 1, isDemanded: true, variable: 'X' });
    const range = { host, port: first, count: 1, isDemanded: true, variable: 'Y' };
    expect(await message(portsFrom(range, new Map([[first, 'PORT']])))).to.match(
      /can't be used: this service has it for PORT\. A process needs the port from Y on\. Choose another; 0 picks a free one\./,
    );
    expect(await portsFrom({ ...range, isDemanded: false }, new Map([[first, 'PORT']]))).to.not.include(first);
  });
  it('are waited for after a crash, whose processes may still be ending', () =>
    whileUsed(async (port, free) => {
      const range = { host, port, count: 1, isDemanded: true, variable: 'X' };
      const found = portsFrom(range, new Map(), { waitMs: 10_000, stop: new AbortController().signal });
      free();
      expect(await found).to.deep.equal([port]);
    }));
  it('are tried again for a while', () =>
    whileUsed(async (port) => {
      const stop = new AbortController().signal;
      expect(await message(untilUsable({ host, port }, { waitMs: 0, stop }))).to.contain(
        'is in use by another program',
      );
      let attempts = 0;
      const attempt = async () => ((attempts += 1) < 3 ? 'EADDRINUSE' : port);
      expect(await untilUsable({ host, port }, { waitMs: 5_000, stop }, attempt)).to.equal(port);
      expect(await message(untilUsable({ host, port }, { waitMs: 5_000, stop }, async () => 'EACCES'))).to.contain(
        'Cannot listen on 127.0.0.1 port',
      );
    }));
});

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
  /** Runs with a port that is in use. */
  const whileUsed = async (run: (port: number) => Promise<void>): Promise<void> => {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    const address = server.address();
    try {
      await run(typeof address === 'object' && address !== null ? address.port : 0);
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
    const ports = await portsFrom({ host, port: 0 }, 3, true, 'X');
    expect(ports.every((port) => port > 0)).to.equal(true);
  });
  it('replace one that is in use, unless it is demanded', () =>
    whileUsed(async (port) => {
      expect(await tryPort({ host, port })).to.equal('EADDRINUSE');
      const [found] = await portsFrom({ host, port }, 1, false, 'X');
      expect(found).to.be.greaterThan(0).and.not.to.equal(port);
      expect(await message(portsFrom({ host, port }, 2, true, 'X'))).to.match(
        /Port \d+ of 127\.0\.0\.1 cannot be used \(EADDRINUSE\): 2 processes need the ports from X on/,
      );
    }));
  it('end at the last port there is', async () => {
    expect(await message(portsFrom({ host, port: 65_535 }, 2, true, 'X'))).to.contain('Port 65536 of');
  });
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

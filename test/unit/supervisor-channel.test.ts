// A process whose supervisor was killed: what it still tells it must not end it before its running requests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';

const PLATFORM = new URL('../../shared/platform/process/', import.meta.url).href;

/** Runs a program whose channel closes at once; it has `host`, whose channel is closed. */
async function runWithoutSupervisor(program: string): Promise<{ output: string; code: unknown }> {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', `process.once('disconnect', async () => { ${program} });`],
    { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
  );
  const output = Promise.all([child.stdout, child.stderr].map((from) => (from === null ? '' : text(from))));
  const ended = once(child, 'exit');
  child.disconnect();
  const [code] = (await ended) as [unknown];
  return { output: (await output).join(''), code };
}

describe('a process whose supervisor was killed', () => {
  it('is told at once that nobody counts, so that its requests are counted here', async () => {
    const { output, code } = await runWithoutSupervisor(`
      const { askSupervisor } = await import('${PLATFORM}shared-counters.js');
      const counter = askSupervisor(process)({ prefix: 'key', points: 5, duration: 60 });
      const since = performance.now();
      await counter.consume('k', 1).catch((error) => console.log(error.message));
      console.log(performance.now() - since < 900);
    `);
    expect(output).to.equal('the supervisor does not count\ntrue\n');
    expect(code).to.equal(0);
  });

  it('takes a connection that came before the end', async () => {
    const { output, code } = await runWithoutSupervisor(`
      const { serveHanded } = await import('${PLATFORM}handed.js');
      const net = await import('node:net');
      const host = { send: process.send.bind(process), on: (_, handler) => host.handle = handler };
      serveHanded({ emit: (event) => console.log(event) }, host);
      host.handle({ type: 'connection', id: 1 }, new net.Socket());
      setTimeout(() => console.log('alive'), 50);
    `);
    expect(output).to.equal('connection\nalive\n');
    expect(code).to.equal(0);
  });

  it('stops in order when it was still starting', async () => {
    const { output, code } = await runWithoutSupervisor(`
      const { runUntilStopped } = await import('${PLATFORM}lifecycle.js');
      const logger = { info: () => undefined };
      const stop = async () => console.log('stopped');
      runUntilStopped({ process, logger, address: 'http://127.0.0.1:1', stop, timeoutMs: 5_000 });
    `);
    expect(output).to.equal('stopped\n');
    expect(code).to.equal(0);
  });
});

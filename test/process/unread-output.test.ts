// Real processes whose output nobody reads: they answer all the same, and count the lines that they drop.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { expect } from 'chai';
import { folderWithFewWords } from '../support/lexicon.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { readExposition } from '../support/exposition.ts';
import { temporaryFolder } from '../support/folders.ts';
import { startCustos, startIngress, startWorker, type TestService } from '../support/process.ts';
import { bootstrap } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';

/** More lines than a process and a pipe hold. */
const REQUESTS = 2_560;
/** ... and than the sockets between a process, its supervisor and this process hold, too. */
const MORE_REQUESTS = 6_016;
const AT_ONCE = 32;
/** A service that waits for its reader answers never. */
const ANSWER_MS = 20_000;
const FEW_WORDS = { CUSTOS_POLICY_DIR: folderWithFewWords() };
const ENV = { CUSTOS_LOG_LEVEL: 'info', CUSTOS_RATE_LIMIT: 'off', CUSTOS_LOG_REQUESTS: 'all', ...FEW_WORDS };

/**
 * Sends requests, and expects an answer to each. A connection sends all of its requests at once, because a client that waits for each
 * answer takes most of the processor time of the test.
 */
async function flood(address: string, requests: number): Promise<void> {
  const { host, hostname, port } = new URL(address);
  const request = (more = ''): string => `GET /v1/reference/tiers HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`;
  const send = async (count: number): Promise<number> => {
    const socket = net.connect(Number(port), hostname).setEncoding('latin1');
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error(`no answer for ${ANSWER_MS} ms`)));
    let answers = '';
    socket.on('data', (text) => (answers += String(text)));
    socket.write(request().repeat(count - 1) + request('Connection: close\r\n'));
    await once(socket, 'close');
    return answers.split('HTTP/1.1 200 OK\r\n').length - 1;
  };
  const each = Math.ceil(requests / AT_ONCE);
  const answered = await Promise.all(Array.from({ length: AT_ONCE }, () => send(each)));
  expect(answered).to.deep.equal(Array.from({ length: AT_ONCE }, () => each));
}

async function droppedBy(address: string): Promise<number> {
  const exposition = readExposition(await (await fetch(`${address}/metrics`)).text());
  return exposition.get('custos_log_lines_dropped_total')?.samples[0]?.value ?? Number.NaN;
}

/** A pipe with a reader that reads when it is asked to. */
function openPipe(): { readonly writeEnd: number; read(): string; closeReader(): void; close(): void } {
  const file = path.join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [file]);
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeEnd = openSync(file, constants.O_WRONLY);
  const buffer = Buffer.alloc(65_536);
  let isOpen = true;
  return {
    writeEnd,
    read() {
      try {
        return buffer.toString('utf8', 0, readSync(reader, buffer));
      } catch {
        return '';
      }
    },
    closeReader() {
      isOpen = false;
      closeSync(reader);
    },
    close() {
      if (isOpen) closeSync(reader);
      closeSync(writeEnd);
    },
  };
}

describe('a service whose output nobody reads', () => {
  let database: TestDatabase;
  let worker: TestService;
  before(async () => {
    database = await createTestDatabase();
    const db = await openTestDatabase(database.url);
    await bootstrap(db);
    await db.close();
    // It puts the policies into force, without which ingress is not ready.
    worker = await startWorker(database.url, FEW_WORDS);
  });
  after(async () => {
    await worker.stop();
    await database.drop();
  });

  it('answers every request while a pipe is full, counts the lines that it drops, and reports them once', async () => {
    const pipe = openPipe();
    const ingress = await startIngress(database.url, ENV, pipe.writeEnd);
    try {
      await flood(ingress.address, REQUESTS);
      const dropped = await droppedBy(ingress.address);
      expect(dropped).to.be.within(1, REQUESTS);
      let text = '';
      const reports = (): string[] => text.split('\n').filter((line) => line.includes('log lines were dropped'));
      await waitFor(() => ((text += pipe.read()), reports().length > 0), { what: 'the report of dropped lines' });
      const report = JSON.parse(reports()[0] ?? '') as { level: string; lines: number };
      expect(report.level).to.equal('warn');
      // The line of the request for the metrics is shorter than the others, so it may have found room.
      expect(report.lines).to.be.within(dropped, dropped + 1);
      await fetch(`${ingress.address}/v1/reference/tiers`);
      await waitFor(() => ((text += pipe.read()), text.endsWith('\n')), { what: 'the last line' });
      const lines = text.trimEnd().split('\n');
      for (const line of lines) expect(() => JSON.parse(line) as unknown, line).not.to.throw();
      expect(reports()).to.have.lengthOf(1);
      expect(await droppedBy(ingress.address), 'nothing more is dropped').to.equal(report.lines);
    } finally {
      expect(await ingress.stop()).to.include({ code: 0 });
      pipe.close();
    }
  });

  it('answers every request after the reader of a pipe ended, and counts the lines', async () => {
    const pipe = openPipe();
    const ingress = await startIngress(database.url, ENV, pipe.writeEnd);
    try {
      pipe.closeReader();
      await flood(ingress.address, REQUESTS);
      expect(await droppedBy(ingress.address)).to.be.within(REQUESTS, REQUESTS + 10);
    } finally {
      expect(await ingress.stop()).to.include({ code: 0 });
      pipe.close();
    }
  });

  for (const [how, stopReading] of [
    ['is not read', (stream: NodeJS.ReadableStream) => stream.pause()],
    ['has no reader any more', (stream: NodeJS.ReadableStream) => (stream as NodeJS.ReadStream).destroy()],
  ] as const)
    it(`answers under "custos start" while standard error ${how}, and stops`, async () => {
      const custos = await startCustos(ENV);
      const { stderr } = custos.child;
      try {
        if (stderr === null) throw new Error('standard error is not a pipe');
        stopReading(stderr);
        await flood(custos.address, MORE_REQUESTS);
        expect(await droppedBy(custos.address)).to.be.within(1, MORE_REQUESTS);
      } finally {
        custos.child.kill('SIGTERM');
        await waitFor(() => custos.child.exitCode !== null, { what: 'the end of the process', timeoutMs: 20_000 });
        // The output of a child process is closed when it was read to the end.
        stderr?.resume();
        expect(await custos.ended).to.include({ code: 0 });
      }
    });
});

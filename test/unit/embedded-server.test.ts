// How the start of the embedded PostgreSQL waits, and what it makes of the lock file of an earlier server.
import { EventEmitter } from 'node:events';
import { closeSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { becomesReady, disownPidFile, keepLogSmall } from '../../shared/platform/embedded/server.ts';
import { temporaryFolder } from '../support/folders.ts';

const PID = 4_194_000;

/** postmaster.pid, as PostgreSQL writes it. */
const pidFile = (pid: number, status: string): string =>
  `${pid}\n/data\n1790000000\n23456\n\n127.0.0.1\n  2220045    589878\n${status}\n`;

describe('the start of the embedded PostgreSQL', () => {
  const server = (): EventEmitter & { pid: number; killed: string[]; kill: (name?: unknown) => boolean } => {
    const killed: string[] = [];
    const kill = (name?: unknown): boolean => killed.push(String(name)) > 0;
    return Object.assign(new EventEmitter(), { pid: PID, killed, kill });
  };
  const soon = { readyTimeoutMs: 30, longMs: 20 };

  it('waits for a recovery as long as it takes, and says so once', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'postmaster.pid');
    const child = server();
    const said: string[] = [];
    writeFileSync(file, pidFile(PID, 'starting'));
    const startedMs = performance.now();
    const ready = becomesReady(child, folder, (line) => said.push(line), soon);
    while (performance.now() - startedMs < 4 * soon.readyTimeoutMs) await turn();
    writeFileSync(file, pidFile(PID, 'ready   '));
    expect(await ready).to.equal(true);
    expect(child.killed).to.deep.equal([]);
    expect(said).to.have.lengthOf(1);
  });

  it('gives up on a server that does not take the folder in time', async () => {
    const folder = temporaryFolder();
    const child = server();
    writeFileSync(path.join(folder, 'postmaster.pid'), pidFile(PID - 1, 'ready'));
    expect(await becomesReady(child, folder, () => undefined, soon)).to.equal(false);
    expect(child.killed).to.deep.equal(['SIGQUIT']);
  });

  it('ends with the server', async () => {
    const child = server();
    const ready = becomesReady(child, temporaryFolder(), () => undefined);
    child.emit('exit');
    expect(await ready).to.equal(false);
  });

  it('keeps the shared memory that the lock file names, by which PostgreSQL finds sessions that still write', () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'postmaster.pid');
    writeFileSync(file, pidFile(PID, 'ready'));
    disownPidFile(folder);
    // PostgreSQL ignores the id of its parent, and refuses any other that is alive.
    expect(readFileSync(file, 'utf8')).to.equal(pidFile(process.pid, 'ready'));
  });
  it('keeps the log of the server small while the server appends to it, and its last lines', () => {
    const file = path.join(temporaryFolder(), 'postgres.log');
    const log = openSync(file, 'a', 0o600);
    writeSync(log, 'a line that callers cause\n'.repeat(5));
    keepLogSmall(file, 1_000);
    expect(statSync(file).size, 'it is not long').to.equal(130);
    for (let round = 1; round <= 2; round += 1) {
      writeSync(log, `round ${round}\n`.repeat(200));
      keepLogSmall(file, 1_000);
      expect(statSync(file).size).to.equal(0);
      expect(readFileSync(`${file}.1`, 'utf8')).to.match(new RegExp(`round ${round}\n$`));
      expect(statSync(`${file}.1`).mode & 0o077).to.equal(0);
    }
    writeSync(log, 'goes on\n');
    expect(readFileSync(file, 'utf8')).to.equal('goes on\n');
    closeSync(log);
  });
});

// The reader of the policy folder: a hanging file system is reported and the lock released; a refused file name changes nothing.
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { createLogger } from '../../shared/platform/observe/logger.ts';
import { sealedColumns, type SealedRow } from '../../shared/platform/db/seals/rows.ts';
import { temporaryFolder } from '../support/folders.ts';
import { SHIPPED_POLICIES, type Service, startService } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';
import { readPolicyFolder } from '../../shared/domain/policy-sets/folder.ts';
import type { Loop } from '../../workers/loop.ts';
import { type PolicyReaderDeps, startPolicyReader } from '../../workers/policies.ts';
import { createGate } from '../support/gate.ts';

const logger = createLogger({ name: 'test', level: 'silent', pretty: false });

describe('the reader of the policy folder', () => {
  let service: Service;
  const readers: Loop[] = [];
  before(async () => {
    service = await startService();
  });
  afterEach(async () => {
    for (const reader of readers.splice(0)) await reader.close();
  });
  after(() => service.close());

  const start = (policyDir: string, folder?: PolicyReaderDeps['folder']): void => {
    const { db, databaseUrl, nowMs } = service;
    readers.push(
      startPolicyReader({ db, databaseUrl, policyDir, nowMs, machineMs: nowMs, logger, ...(folder && { folder }) }),
    );
  };
  const state = async (): Promise<{ ok: boolean; messages: string[]; files: string[] }> => {
    const [row] = await service.rows<{ read_ok: boolean; findings: string }>(
      'SELECT read_ok, findings FROM policy_state',
    );
    const findings = JSON.parse(row?.findings ?? '[]') as { file: string; message: string }[];
    return {
      ok: row?.read_ok === true,
      messages: findings.map(({ message }) => message),
      files: findings.map(({ file }) => file),
    };
  };

  /** The folder is read each time. That of the real one would take a part of the short deadline, on a busy machine all of it. */
  const unknownStamp = async (): Promise<undefined> => undefined;

  it('reports that the folder hangs, releases the lock to another, stops reading, and resumes when the folder answers', async () => {
    let looks = 0;
    const hanging = createGate();
    start(SHIPPED_POLICIES, {
      stamp: unknownStamp,
      read: async (dir) => {
        looks += 1;
        await hanging.opened;
        return readPolicyFolder(dir);
      },
      deadlineMs: 100,
    });
    await waitFor(async () => !(await state()).ok, { what: 'the finding that the folder hangs' });
    expect((await state()).messages[0]).to.contain('does not answer');
    start(SHIPPED_POLICIES);
    await waitFor(async () => (await state()).ok, { what: 'the other reader to have the lock' });
    expect(looks).to.equal(1);
    await readers[1]?.close();
    hanging.open();
    await waitFor(() => looks > 1, { what: 'the first reader to read again' });
  });

  it('puts its set into force again after the stored state was changed', async () => {
    start(SHIPPED_POLICIES);
    const inForce = async (): Promise<string | null> => {
      const [row] = await service.rows<SealedRow<'policy_state'>>(
        `SELECT ${sealedColumns('policy_state', 's')} FROM policy_state s`,
      );
      return row !== undefined && service.db.seals.isGenuine('policy_state', row) ? row.active_digest : null;
    };
    const before = await inForce();
    for (const change of [
      'UPDATE policy_state SET activated_at = now()',
      'UPDATE policy_state SET active_digest = NULL, seal = NULL',
      'DELETE FROM policy_state',
    ]) {
      await service.rows(change);
      await waitFor(async () => (await inForce()) === before, { what: `the set to be in force again after ${change}` });
    }
    expect(before).to.be.a('string');
  });

  it('ends at once while the folder hangs', async () => {
    start(SHIPPED_POLICIES, { stamp: unknownStamp, read: () => new Promise(() => undefined), deadlineMs: 50 });
    await waitFor(async () => !(await state()).ok, { what: 'the finding that the folder hangs' });
    await readers.pop()?.close();
  });

  it('puts nothing into force while a file name is refused, names the file, and applies all of it once it is renamed', async () => {
    const dir = temporaryFolder('policies');
    mkdirSync(path.join(dir, 'team'));
    symlinkSync(path.join(SHIPPED_POLICIES, 'lexicon'), path.join(dir, 'lexicon'));
    // Any policy will do.
    const text = readFileSync(path.join(SHIPPED_POLICIES, 'money.json'), 'utf8');
    writeFileSync(path.join(dir, 'team', 'zz.JSON'), text);
    const before = await service.rows<{ active_digest: string }>('SELECT active_digest FROM policy_state');
    start(dir);
    await waitFor(async () => (await state()).files.includes('team/zz.JSON'), { what: 'the finding of the name' });
    expect(await service.rows('SELECT active_digest FROM policy_state')).to.deep.equal(before);
    renameSync(path.join(dir, 'team', 'zz.JSON'), path.join(dir, 'team', 'zz.json'));
    await waitFor(async () => (await state()).ok, { what: 'the renamed file to be read' });
    expect(await service.rows('SELECT active_digest FROM policy_state')).to.not.deep.equal(before);
  });
});

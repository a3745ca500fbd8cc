// A full disk: a start on one, as after a crash that it caused, and an installation whose disk gets full.
import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { runningAddresses, startEmbedded } from '../../shared/platform/embedded/embedded.ts';
import { type ClientResponse, createClient } from '../support/client.ts';
import { queryOnce } from '../support/database.ts';
import { startCustos } from '../support/process.ts';
import { describeUnless } from '../support/skip.ts';
import { waitFor } from '../support/wait.ts';
import { newAdminKey, QUIET } from './harness/deployment.ts';
import { makePolicyFolder } from './harness/policies.ts';
import { MAX_WAL, mountSmallDisk } from './harness/small-disk.ts';

const disk = mountSmallDisk();

describeUnless(disk === undefined ? 'only root on Linux may mount a small disk' : undefined, 'a full disk', () => {
  if (disk === undefined) return;
  after(() => disk.close());

  it('at a start: it says so in a sentence, leaves no file behind, and works when there is space again', async () => {
    const dataDir = path.join(disk.folder, 'custos');
    mkdirSync(dataDir, { mode: 0o711 });
    const start = () => startEmbedded({ dataDir, say: () => undefined });
    disk.fill();
    const error = await start().then(
      () => expect.fail('it started'),
      (reason: unknown) => reason,
    );
    expect(String(error)).to.match(/^SetupError: .*the disk is full \(ENOSPC/);
    expect(readdirSync(dataDir)).to.deep.equal([]);
    disk.free();
    const server = await start();
    await server.stop('immediate');
  });

  it('says so on /ready while an installation runs, and is ready when there is space again', async () => {
    const dataDir = path.join(disk.folder, 'running');
    const adminKey = newAdminKey();
    const custos = await startCustos({
      ...QUIET,
      PORT: '0',
      CUSTOS_DATA_DIR: dataDir,
      CUSTOS_POLICY_DIR: makePolicyFolder(),
      CUSTOS_BOOTSTRAP_KEY: adminKey,
    });
    try {
      // So that PostgreSQL does not end because its log has no room.
      const { adminUrl } = runningAddresses(dataDir);
      await queryOnce(adminUrl, `ALTER SYSTEM SET max_wal_size = '${MAX_WAL}'`);
      await queryOnce(adminUrl, 'SELECT pg_reload_conf()');
      const client = createClient(custos.address, adminKey);
      const state = async (): Promise<unknown> => {
        const { json } = await client.get('/ready');
        return [json.status, json.checks.find(({ name }: { name: string }) => name === 'database')?.detail];
      };
      expect(await state()).to.deep.equal(['ready', undefined]);
      disk.fill();
      const long = { intent: 'data.read.user_profile', context: { text: 'x'.repeat(3_000) } };
      const ask = (): Promise<ClientResponse> =>
        client.post('/v1/enforce/batch', {
          requests: Array.from({ length: 100 }, (_, n) => ({ ...long, agent_id: `agent-${n}` })),
        });
      await waitFor(async () => JSON.stringify((await ask()).json).includes('its disk is full'), {
        what: 'a decision that finds no room',
      });
      expect(await state()).to.deep.equal(['not_ready', 'the disk of PostgreSQL is full: it can store nothing']);
      disk.free();
      await waitFor(async () => isDeepStrictEqual(await state(), ['ready', undefined]), { what: 'readiness' });
      expect((await ask()).json.decisions[0]).to.have.property('verdict');
      client.close();
    } finally {
      await custos.stop();
    }
  });
});

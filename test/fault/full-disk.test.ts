// A start on a full disk, as after a crash that a full disk caused.
import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { startEmbedded } from '../../shared/platform/embedded/embedded.ts';
import { describeUnless } from '../support/skip.ts';
import { mountSmallDisk } from './harness/small-disk.ts';

const disk = mountSmallDisk();

describeUnless(
  disk === undefined ? 'only root on Linux may mount a small disk' : undefined,
  'a start on a full disk',
  () => {
    if (disk === undefined) return;
    after(() => disk.close());

    it('says so in a sentence, leaves no file behind, and works when there is space again', async () => {
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
  },
);

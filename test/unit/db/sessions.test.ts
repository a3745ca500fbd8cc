// The limit of a pool's sessions: a refusal comes in a later turn of the event loop, after ended sessions were counted.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { DatabaseClient } from '../../../shared/platform/db/client.ts';
import { createPool } from '../../../shared/platform/db/pool.ts';
import { boundedClient } from '../../../shared/platform/db/sessions.ts';
import { troubleOf } from '../../../shared/platform/db/trouble.ts';

describe('a client beyond the sessions that a pool may have', () => {
  const Client = boundedClient(0);

  it('is refused in a later turn of the event loop, so that a caller that retries at once does not starve the others', async () => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const error: unknown = await new Client({ host: '127.0.0.1' }).connect().catch((reason: unknown) => reason);
    isOver = true;
    expect(error).to.be.an('error').with.property('message').that.contains('Connection terminated');
    expect(turns).to.be.at.least(1);
  });

  it('is refused in the same way with a callback, as pools use it', async () => {
    const error = await new Promise<Error>((resolve) => new Client({ host: '127.0.0.1' }).connect(resolve));
    expect(error.message).to.contain('Connection terminated');
  });
});

describe('a client to which nobody listens', () => {
  it('does not end the process when its connection breaks', () => {
    const broken = new Error('terminating connection due to administrator command');
    const client = new DatabaseClient({ host: '127.0.0.1' });
    expect(() => client.emit('error', broken)).to.not.throw();
  });
});

describe('a pool whose address names a file that is missing for a while', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'custos-files-'));
  const file = path.join(folder, 'root.pem');
  after(() => rmSync(folder, { recursive: true }));

  for (const hosts of ['127.0.0.1:1', '127.0.0.1:1,127.0.0.1:1'])
    it(`fails connections of ${hosts}, which is transient, and no callback of the pool throws`, async () => {
      const url = `postgres://user:word@${hosts}/custos?sslrootcert=${encodeURIComponent(file)}`;
      const pool = createPool({ url, applicationName: 'test', poolSize: 1, onError: () => undefined });
      const refusal = (): Promise<unknown> => pool.connect().catch((error: unknown) => error);
      writeFileSync(file, '');
      const first = refusal();
      // It waits for the place of the first one: its client is made when that one has failed, in a callback.
      const second = refusal();
      rmSync(file);
      expect(troubleOf(await first)).to.equal('away');
      for (const later of [second, refusal()]) {
        const error = await later;
        expect(String(error)).to.contain('ENOENT');
        expect(troubleOf(error)).to.equal('away');
      }
      writeFileSync(file, '');
      expect(String(await refusal())).to.contain('ECONNREFUSED');
      await pool.end();
    });
});

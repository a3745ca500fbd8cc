// When a key was last used: written in batches, outside requests, and never backwards.
import { expect } from 'chai';
import { createLastUsed } from '../../shared/domain/keys/last-used.ts';
import { waitFor } from '../support/wait.ts';
import { parseKey } from '../../shared/domain/keys/format.ts';
import { type KeyService, startKeyService } from './keys-setup.ts';

describe('lastUsedAt', () => {
  let service: KeyService;
  before(async () => {
    service = await startKeyService();
  });
  after(() => service.close());

  const lastUsedAt = async (keyId: string): Promise<string | null> => {
    const items = (await service.admin.get('/v1/auth/keys?limit=200')).json.items as {
      keyId: string;
      lastUsedAt: string | null;
    }[];
    return items.find((item) => item.keyId === keyId)?.lastUsedAt ?? null;
  };
  const addKey = async () => {
    const key = await service.addKey({ scopes: ['agents:read'] });
    return { key, keyId: parseKey(key)?.keyId ?? '' };
  };
  const writes = (): number => service.statements.filter((statement) => statement.includes('SET last_used_at')).length;

  it('is written once for many uses of many keys, and not within a request', async () => {
    const keys = await Promise.all([addKey(), addKey(), addKey()]);
    const never = await addKey();
    const before = writes();
    const startedMs = Date.now();
    for (let i = 0; i < 20; i += 1) for (const { key } of keys) await service.as(key).get('/v1/agents');
    expect(writes(), 'requests do not write').to.equal(before);
    expect(await lastUsedAt(keys[0]?.keyId ?? '')).to.equal(null);
    await service.lastUsed.flush();
    expect(writes()).to.equal(before + 1);
    for (const { keyId } of keys)
      expect(Date.parse((await lastUsedAt(keyId)) ?? '')).to.be.within(startedMs, Date.now());
    expect(await lastUsedAt(never.keyId)).to.equal(null);
    // Only the admin's own requests are left to write; without new ones, nothing is written.
    await service.lastUsed.flush();
    const settled = writes();
    await service.lastUsed.flush();
    expect(writes()).to.equal(settled);
  });

  it('is not updated by refused requests', async () => {
    const { key, keyId } = await addKey();
    await service.as(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`).get('/v1/agents');
    await service.lastUsed.flush();
    expect(await lastUsedAt(keyId)).to.equal(null);
  });

  it('never moves backwards, in any order of writes', async () => {
    const { keyId } = await addKey();
    const other = createLastUsed({ db: service.db, onError: () => undefined, intervalMs: 3_600_000 });
    other.record(keyId, 2_000_000_000_000);
    other.record(keyId, 1_999_999_999_999);
    await other.flush();
    expect(await lastUsedAt(keyId)).to.equal('2033-05-18T03:33:20.000Z');
    service.lastUsed.record(keyId, 1_999_999_000_000);
    await service.lastUsed.flush();
    expect(await lastUsedAt(keyId)).to.equal('2033-05-18T03:33:20.000Z');
    await other.close();
  });

  it('is written by the timer, and at shutdown', async () => {
    const [one, two] = await Promise.all([addKey(), addKey()]);
    const other = createLastUsed({ db: service.db, onError: () => undefined, intervalMs: 20 });
    other.record(one.keyId, 1_000_000_000_000);
    await waitFor(async () => (await lastUsedAt(one.keyId)) !== null, { what: 'the write of the timer' });
    await other.close();
    const last = createLastUsed({ db: service.db, onError: () => undefined, intervalMs: 3_600_000 });
    last.record(two.keyId, 1_000_000_000_000);
    await last.close();
    expect(await lastUsedAt(two.keyId)).to.equal('2001-09-09T01:46:40.000Z');
  });

  it('keeps what could not be written for the next flush', async () => {
    const { keyId } = await addKey();
    let broken = true;
    const other = createLastUsed({
      db: {
        ...service.db,
        query: (statement, values) =>
          broken ? Promise.reject(new Error('away')) : service.db.query(statement, values),
      },
      onError: () => undefined,
      intervalMs: 3_600_000,
    });
    other.record(keyId, 1_000_000_000_000);
    const failure = await other.flush().catch((error: unknown) => error);
    expect(String(failure)).to.contain('away');
    broken = false;
    await other.flush();
    expect(await lastUsedAt(keyId)).to.equal('2001-09-09T01:46:40.000Z');
    await other.close();
  });

  it('can be written for the same keys by many processes concurrently', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, addKey));
    const writers = Array.from({ length: 5 }, () =>
      createLastUsed({ db: service.db, onError: () => undefined, intervalMs: 3_600_000 }),
    );
    for (let round = 0; round < 10; round += 1) {
      for (const [i, writer] of writers.entries())
        for (const { keyId } of i % 2 === 0 ? keys : [...keys].reverse())
          writer.record(keyId, 1_000_000_000_000 + round * 100 + i);
      await Promise.all(writers.map((writer) => writer.flush()));
    }
    for (const { keyId } of keys)
      expect(await lastUsedAt(keyId)).to.equal(new Date(1_000_000_000_000 + 904).toISOString());
    await Promise.all(writers.map((writer) => writer.close()));
  });
});

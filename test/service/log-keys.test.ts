// The signing key of a log: all workers of a database use the same one, and after a rotation each key is valid for its own sizes only.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { ConfigError } from '../../shared/platform/config/config.ts';
import { SecretMismatchError } from '../../shared/platform/db/fingerprints.ts';
import { createCheckpointer } from '../../shared/domain/ledger/checkpoints.ts';
import { createCheckpointKeeper } from '../../shared/domain/ledger/kept.ts';
import { rotateLogKey } from '../../shared/domain/ledger/rotate-key.ts';
import { readSigningKey } from '../../shared/domain/ledger/signing-key.ts';
import { peekCheckpoint, writeCheckpoint } from '../../shared/core/proof/checkpoint.ts';
import { rawPublicKey } from '../../shared/core/proof/ed25519.ts';
import { logProblems } from '../../shared/domain/ledger/log-states.ts';
import { auditorOf } from '../support/auditor.ts';
import { keyIdOf, publishKey, trustPublishedKeys } from '../../shared/core/proof/keys.ts';
import type { PublishedKey, Receipt } from '../../shared/core/proof/shapes.ts';
import { parseReceipt, verifyReceipt } from '../../shared/core/proof/receipt.ts';
import type { Client } from '../support/client.ts';
import { temporaryFolder } from '../support/folders.ts';
import { checkpointsOf, testKeyFiles } from '../support/keys.ts';
import type { Service } from '../support/service.ts';
import { type ServiceAndWorker, startServiceAndWorker, type TestWorker } from '../support/worker.ts';

describe('the signing key of a log', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let worker: TestWorker;
  let client: Client;
  const { CUSTOS_SIGNING_KEY_FILE: file, CUSTOS_PROMISE_KEY_FILE: otherFile } = testKeyFiles();
  beforeEach(async () => {
    both = await startServiceAndWorker();
    ({ service, worker } = both);
    client = await service.client({ scopes: ['intents:write', 'proofs:read'] });
  });
  afterEach(async () => {
    await both?.close();
  });

  const refusalOf = (name: string): Promise<unknown> =>
    readSigningKey(service.db, name).then(
      () => 'accepted',
      (error: unknown) => error,
    );

  it('must be the one that the database knows: another key, a missing file and an invalid file are refused at start', async () => {
    for (let i = 0; i < 2; i += 1) expect(await refusalOf(file)).to.equal('accepted');
    expect(await refusalOf(otherFile)).to.be.instanceOf(SecretMismatchError);
    expect(String(await refusalOf(`${file}.absent`))).to.contain('ENOENT');
    const broken = path.join(temporaryFolder('broken-key'), 'key.pem');
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    for (const text of ['', 'not a key', privateKey.export({ type: 'pkcs8', format: 'pem' })]) {
      writeFileSync(broken, text);
      expect(await refusalOf(broken)).to.be.instanceOf(ConfigError);
    }
    expect(await refusalOf(file)).to.equal('accepted');
  });

  it('is none that somebody wrote into the database: it is not published, signs nothing, and is found by the audit', async () => {
    const { proofId } = (await client.post('/v1/proofs', { event: 'e', entityId: 'x', payload: {} })).json;
    await worker.append();
    const receipt: Receipt = (await client.get(`/v1/proofs/${proofId}`)).json;
    const { origin, size, root } = peekCheckpoint(receipt.checkpoint);
    const forger = generateKeyPairSync('ed25519').privateKey;
    const [{ keyId, vkey }, promises] = [
      publishKey(forger, { origin, use: 'log' }),
      publishKey(forger, { origin, use: 'promise' }),
    ];
    const listed = async (): Promise<string[]> => [
      ...(await client.get('/v1/log/keys')).json.items.map((key: PublishedKey) => key.keyId),
      ...(await client.get('/.well-known/jwks.json')).json.keys.map((key: { kid: string }) => key.kid),
    ];
    const before = await listed();
    const seal = Buffer.alloc(32);
    for (const one of [null, seal])
      await service.rows(
        `INSERT INTO log_key (log_id, use, key_id, vkey, first_size, created_at, seal) SELECT log_id, 'log', $1, $2, 0, now(), $3 FROM log`,
        [`${keyId}${one === null ? '' : 'x'}`, vkey, one],
      );
    await service.rows('INSERT INTO promise_key (key_id, public_key, created_at, seal) VALUES ($1, $2, now(), $3)', [
      promises.keyId,
      Buffer.from(rawPublicKey(forger)),
      seal,
    ]);
    expect(await listed()).to.deep.equal(before);
    const forged = { ...receipt, checkpoint: writeCheckpoint({ origin, size, root, key: forger, timeMs: 0 }) };
    expect((await client.post('/v1/proofs/verify', receipt)).json).to.include({ valid: true });
    expect((await client.post('/v1/proofs/verify', forged)).json).to.include({ valid: false });
    const [audit] = await auditorOf(service).run();
    expect(audit?.findings.map(({ kind }) => kind)).to.deep.equal(['log-key-forged', 'log-key-forged']);
    expect((await logProblems(service.db)).join(' ')).to.contain(`The key "${promises.keyId}" for promises is not`);
    for (const text of [
      'DELETE FROM log_key',
      'DELETE FROM promise_key',
      'UPDATE promise_key SET created_at = now()',
    ]) {
      const error: unknown = await service.rows(text).catch((reason: unknown) => reason);
      expect(String(error), text).to.match(/permission denied|insert-only/);
    }
  });

  it('signs new checkpoints after a rotation, and the old one nothing more; old receipts stay valid, and neither key may sign sizes of the other', async () => {
    const oldKey = await readSigningKey(service.db, file);
    const nextFile = path.join(temporaryFolder('next-key'), 'key.pem');
    const nextKey = generateKeyPairSync('ed25519').privateKey;
    writeFileSync(nextFile, nextKey.export({ type: 'pkcs8', format: 'pem' }));
    const post = async (): Promise<string> => {
      const body = { event: 'e', entityId: 'x', payload: {} };
      return (await client.post('/v1/proofs', body)).json.proofId;
    };
    const receiptOf = async (proofId: string): Promise<Receipt> =>
      parseReceipt((await client.get(`/v1/proofs/${proofId}`)).text);

    const first = await post();
    await worker.append();
    const before = await receiptOf(first);
    const { size } = (await client.get('/v1/log/checkpoints')).json.items[0];
    const [open] = await service.rows<{ seal: Buffer }>('SELECT seal FROM log_key', []);
    await rotateLogKey(service.db, nextKey, { by: 'cli:test', nowMs: service.nowMs() });
    const [ended] = await service.rows<{ seal: Buffer }>('SELECT seal FROM log_key', []);
    expect(await refusalOf(file)).to.be.instanceOf(SecretMismatchError);
    expect(await refusalOf(nextFile)).to.equal('accepted');

    const second = await post();
    await worker.appendUnsigned();
    let replaced = 0;
    const signer = (key: KeyObject) =>
      createCheckpointer({
        db: service.db,
        key,
        keeper: createCheckpointKeeper(checkpointsOf(service.databaseUrl)),
        nowMs: service.nowMs,
        onHalt: (_, reason) => expect.fail(reason),
        onReplaced: () => (replaced += 1),
      });
    // A worker that the rotation did not see, because it was cut off from the database then.
    const late = signer(oldKey);
    await late.publish(service.operatorId, 'live');
    expect([replaced, (await client.get('/v1/log/checkpoints')).json.items[0].size]).to.deep.equal([1, size]);
    await signer(nextKey).publish(service.operatorId, 'live');
    await late.publish(service.operatorId, 'live');
    const published: PublishedKey[] = (await client.get('/v1/log/keys')).json.items;
    const spans = published
      .filter((key) => key.use === 'log')
      .map(({ keyId, firstSize, lastSize }) => [keyId, firstSize, lastSize]);
    expect(spans).to.deep.equal([
      [keyIdOf(oldKey), 0, size],
      [keyIdOf(nextKey), size + 1, null],
    ]);
    const keys = trustPublishedKeys(published);
    const after = await receiptOf(second);
    expect(await receiptOf(first), 'immutable').to.deep.equal(before);
    expect(verifyReceipt(before, keys)).to.include({ ok: true, keyId: keyIdOf(oldKey) });
    expect(verifyReceipt(after, keys)).to.include({ ok: true, keyId: keyIdOf(nextKey) });
    for (const receipt of [before, after])
      expect((await client.post('/v1/proofs/verify', receipt)).json).to.include({ valid: true });
    const narrowed = keys.map((key) => ({ ...key, firstSize: 0, lastSize: 1 }));
    expect(verifyReceipt(after, narrowed)).to.include({ ok: false, failure: 'KEY_NOT_AT_SIZE' });
    const restored = 'UPDATE log_key SET last_size = NULL, version = 1, seal = $2 WHERE key_id = $1';
    await service.rows(restored, [keyIdOf(oldKey), open?.seal]);
    const left = (await client.get('/v1/log/keys')).json.items.filter(({ use }: PublishedKey) => use === 'log');
    expect(
      left.map((key: PublishedKey) => key.keyId),
      'the old key as it was before',
    ).to.deep.equal([keyIdOf(nextKey)]);
    await service.rows(`UPDATE log_key SET last_size = $3, version = 2, seal = $2 WHERE key_id = $1`, [
      keyIdOf(oldKey),
      ended?.seal,
      size,
    ]);
    const ids = (await client.get('/.well-known/jwks.json')).json.keys.map((key: { kid: string }) => key.kid);
    expect(ids).to.include.members([keyIdOf(oldKey), keyIdOf(nextKey)]);
  });
});

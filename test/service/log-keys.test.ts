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
import { keyIdOf, trustPublishedKeys } from '../../shared/core/proof/keys.ts';
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
    await rotateLogKey(service.db, nextKey);
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
    const ids = (await client.get('/.well-known/jwks.json')).json.keys.map((key: { kid: string }) => key.kid);
    expect(ids).to.include.members([keyIdOf(oldKey), keyIdOf(nextKey)]);
  });
});

// Receipts and promises over HTTP: they prove a record to anyone who trusts only the published keys.
import { expect } from 'chai';
import { trustPublishedKeys, type TrustedKey } from '../../shared/core/proof/keys.ts';
import { promiseOf, verifyPromise } from '../../shared/core/proof/promise.ts';
import { parseReceipt, receiptOf, verifyReceipt } from '../../shared/core/proof/receipt.ts';
import type { Receipt } from '../../shared/core/proof/shapes.ts';
import { parseTlogProof } from '../../shared/core/proof/tlog-proof.ts';
import { asAnswered, type Client, type ClientResponse } from '../support/client.ts';
import type { Service } from '../support/service.ts';
import { type ServiceAndWorker, startServiceAndWorker, type TestWorker } from '../support/worker.ts';
import { recordDigestOf } from './receipt-setup.ts';

const MERGE_DELAY_SECONDS = 120;
const outcome = (answer: ClientResponse) => [answer.status, answer.json.code];
const pathOf = (proofId: string): string => `/v1/proofs/${encodeURIComponent(proofId)}`;

describe('receipts and promises', () => {
  let both: ServiceAndWorker;
  let service: Service;
  let worker: TestWorker;
  let client: Client;
  before(async () => {
    both = await startServiceAndWorker({ env: { CUSTOS_MAX_MERGE_DELAY: String(MERGE_DELAY_SECONDS) } });
    ({ service, worker } = both);
    client = await service.client({ scopes: ['intents:write', 'proofs:read'] });
  });
  after(() => both?.close());

  const BODY = { event: 'invoice.approved', entityId: 'INV-1', payload: { amount: 3 } };
  const post = async (body: object = {}, by: Client = client): Promise<ClientResponse> => {
    const answer = await by.post('/v1/proofs', { ...BODY, ...body });
    expect(answer.status, answer.text).to.equal(202);
    return answer;
  };
  const keysOf = async (by: Client = client): Promise<TrustedKey[]> =>
    trustPublishedKeys((await by.get('/v1/log/keys')).json);
  const receiptFor = async (proofId: string, by: Client = client): Promise<Receipt> => {
    const answer = await by.get(pathOf(proofId));
    expect(answer.status, answer.text).to.equal(200);
    return parseReceipt(answer.text);
  };
  /** A receipt in a log that has leaves before and after it. */
  const anchoredReceipt = async (body: object = {}): Promise<Receipt> => {
    const { proofId } = (await post(body)).json;
    await client.post('/v1/proofs/batch', {
      proofs: Array.from({ length: 6 }, (_, i) => ({ ...BODY, payload: { i } })),
    });
    await worker.append();
    return receiptFor(proofId);
  };

  describe('a receipt', () => {
    it('verifies offline with the published keys, and always uses the first checkpoint that covers its leaf', async () => {
      const receipt = await anchoredReceipt({ payload: { text: 'a\u0000é 漢', n: 1e30 } });
      const keys = await keysOf();
      const verified = verifyReceipt(receipt, keys);
      if (!verified.ok) throw new Error(verified.sentence);
      expect(verified).to.include({ proofId: receipt.proofId, index: receipt.index });
      expect(verified.origin).to.match(/^custos\.local\/[a-z0-9-]+\/live$/);
      expect(verified.record.payload.body).to.deep.equal({ text: 'a\u0000é 漢', n: 1e30 });
      const text = (await client.get(pathOf(receipt.proofId))).text;
      await anchoredReceipt();
      expect((await client.get(pathOf(receipt.proofId))).text).to.equal(text);
      const { items } = (await client.get('/v1/log/checkpoints?limit=200')).json;
      const covering = items.map((one: { size: number }) => one.size).filter((size: number) => size > receipt.index);
      expect(verified.size).to.equal(Math.min(...covering));
    });

    it('exists for every leaf of the log, at every place in the tree', async () => {
      await anchoredReceipt();
      const keys = await keysOf();
      const { items } = (await client.get('/v1/proofs?limit=200')).json;
      expect(items.length).to.be.above(10);
      for (const { proofId, index } of items as { proofId: string; index: number }[]) {
        const verified = verifyReceipt(await receiptFor(proofId), keys);
        expect([verified.ok, verified.ok && verified.index], proofId).to.deep.equal([true, index]);
      }
    });

    it('is returned as a tlog-proof with Accept: text/plain, with the same content', async () => {
      const receipt = await anchoredReceipt({ proofId: 'as text/é' });
      const answer = await client.get(pathOf(receipt.proofId), { headers: { accept: 'text/plain' } });
      expect([answer.status, answer.headers['content-type']]).to.deep.equal([200, 'text/plain; charset=utf-8']);
      expect(answer.text).to.match(/^c2sp\.org\/tlog-proof@v1\n/);
      expect(parseTlogProof(answer.text)).to.deep.equal(receipt);
      for (const accept of [
        'application/json',
        '*/*',
        'application/json, text/plain',
        'text/plain;q=0',
        'text/plain; q=0.5, application/json',
      ])
        expect(receiptOf((await client.get(pathOf(receipt.proofId), { headers: { accept } })).json)).to.deep.equal(
          receipt,
        );
    });

    it('is immutable to caches, with an ETag for each form; a pending proof has neither', async () => {
      const pending = await client.get(pathOf((await post()).json.proofId));
      expect(pending.status).to.equal(202);
      expect(`${pending.headers['cache-control']}`).not.to.include('immutable');
      const { proofId } = await anchoredReceipt();
      const etags: string[] = [];
      for (const accept of ['application/json', 'text/plain']) {
        const first = await client.get(pathOf(proofId), { headers: { accept } });
        expect(first.headers['cache-control']).to.equal('private, max-age=31536000, immutable');
        expect(`${first.headers['vary']}`).to.match(/accept\b/i);
        const etag = `${first.headers['etag']}`;
        etags.push(etag);
        for (const known of [etag, `"x", ${etag}`, `W/${etag}`, '*']) {
          const again = await client.get(pathOf(proofId), {
            headers: { accept, 'if-none-match': known },
          });
          expect([again.status, again.text, again.headers['etag']], known).to.deep.equal([304, '', etag]);
        }
        const other = await client.get(pathOf(proofId), { headers: { accept, 'if-none-match': '"other"' } });
        expect([other.status, other.text]).to.deep.equal([200, first.text]);
      }
      expect(etags[0])
        .to.match(/^"[^"]+"$/)
        .and.not.equal(etags[1]);
    });

    it('of another organisation or environment is not found (E4003); each has its own log and keys', async () => {
      const { proofId } = await anchoredReceipt();
      const organisationId = await service.addOrganisation('receipts-apart');
      const scopes = ['intents:write', 'proofs:read'] as const;
      for (const spec of [{ organisationId }, { environment: 'test' }] as const) {
        const stranger = await service.client({ ...spec, scopes });
        const theirs = (await post({}, stranger)).json.proofId;
        await worker.append();
        expect(outcome(await stranger.get(pathOf(proofId)))).to.deep.equal([404, 'E4003']);
        expect(outcome(await client.get(pathOf(theirs)))).to.deep.equal([404, 'E4003']);
        const receipt = await receiptFor(theirs, stranger);
        expect(verifyReceipt(receipt, await keysOf(stranger))).to.include({ ok: true });
        expect(verifyReceipt(receipt, await keysOf())).to.include({ ok: false, failure: 'KEY_NOT_OF_LOG' });
      }
    });
  });

  describe('a promise', () => {
    const expectKept = async (promise: unknown, proofId: string): Promise<void> => {
      const signed = promiseOf(promise);
      expect(verifyPromise(signed, await keysOf())).to.include({ ok: true });
      expect(Date.parse(signed.deadline) - Date.parse(signed.issuedAt)).to.equal(MERGE_DELAY_SECONDS * 1_000);
      const receipt = await receiptFor(proofId);
      expect(receipt.checkpoint.split('\n')[0]).to.equal(signed.log);
      expect([signed.proofId, signed.recordDigest]).to.deep.equal([proofId, recordDigestOf(receipt)]);
    };

    it('comes with a proof, with its batch and with pending proofs, and matches the later receipt', async () => {
      const { proofId, promise } = (await post()).json;
      expect((await client.get(pathOf(proofId))).json.promise).to.deep.equal(promise);
      const batch = (await client.post('/v1/proofs/batch', { proofs: [BODY, { ...BODY, entityId: 'é' }] })).json.proofs;
      await worker.append();
      for (const one of [{ proofId, promise }, ...batch]) await expectKept(one.promise, one.proofId);
    });

    it('is the same for the same proofId, even if it is anchored meanwhile', async () => {
      const first = (await post({ proofId: 'again' })).json;
      service.advance(90_000);
      expect((await post({ proofId: 'again' })).json).to.deep.equal(first);
      await worker.append();
      expect((await post({ proofId: 'again' })).json).to.deep.equal({ ...first, status: 'anchored' });
    });

    it('comes with decisions, which are read back byte for byte, except that it is signed alone then', async () => {
      const request = { intent: 'data.read.x', agent_id: 'promised' };
      const single = await client.post('/v1/enforce', request);
      const batch = await client.post('/v1/enforce/batch', { requests: Array.from({ length: 20 }, () => request) });
      const read = async (id: string): Promise<string> => asAnswered((await client.get(`/v1/decisions/${id}`)).text);
      expect(await read(single.json.decision_id)).to.equal(single.text);
      await worker.append();
      service.advance(1_000);
      expect(await read(single.json.decision_id)).to.equal(single.text);
      for (const decision of [single.json, ...batch.json.decisions]) {
        await expectKept(decision.proof.promise, decision.proof.proof_id);
        const { batch: _, ...claims } = decision.proof.promise;
        const again = JSON.parse(await read(decision.decision_id));
        await expectKept(again.proof.promise, decision.proof.proof_id);
        const { signature } = again.proof.promise;
        expect(again).to.deep.equal({ ...decision, proof: { ...decision.proof, promise: { ...claims, signature } } });
      }
      // Members are decided in slices of some milliseconds; those of a slice are signed together.
      const together = batch.json.decisions.map(
        (one: { proof: { promise: { batch?: { size: number } } } }) => one.proof.promise.batch?.size ?? 1,
      );
      expect(Math.max(...together)).to.be.within(2, 20);
      const { items } = (await client.get('/v1/decisions?agentId=promised&limit=200')).json;
      expect(items).to.deep.include({ ...single.json, stands: true });
    });

    it('does not verify with any member changed, nor with the log key', async () => {
      const { promise } = (await post()).json;
      const keys = await keysOf();
      for (const change of [
        { proofId: 'other' },
        { recordDigest: '0'.repeat(64) },
        { deadline: promise.issuedAt },
        { issuedAt: promise.deadline },
      ])
        expect(verifyPromise(promiseOf({ ...promise, ...change }), keys)).to.include({ failure: 'PROMISE_SIGNATURE' });
      const logKeys = keys.filter((key) => key.use === 'log');
      expect(verifyPromise(promiseOf(promise), logKeys)).to.include({ failure: 'KEY_NOT_OF_LOG' });
    });
  });

  describe('POST /v1/proofs/verify', () => {
    const verify = (body: unknown, by: Client = client) => by.post('/v1/proofs/verify', body);

    it('returns "valid" and what was proven to any valid key, and refuses requests without one', async () => {
      const receipt = await anchoredReceipt();
      const verified = verifyReceipt(receipt, await keysOf());
      if (!verified.ok) throw new Error(verified.sentence);
      const { origin, size, root, index, proofId } = verified;
      const organisationId = await service.addOrganisation('verifier');
      const stranger = await service.client({ organisationId, environment: 'dev', scopes: ['agents:read'] });
      for (const by of [client, stranger])
        expect((await verify(receipt, by)).json).to.deep.equal({
          valid: true,
          failure: null,
          sentence: null,
          origin,
          size,
          root,
          index,
          proofId,
        });
      expect(outcome(await verify(receipt, client.withKey(undefined)))).to.deep.equal([401, 'E1001']);
    });

    it('names the first failed check, for every kind of change', async () => {
      const receipt = await anchoredReceipt();
      const later = await anchoredReceipt();
      const bytes = Buffer.from(receipt.record, 'base64');
      const altered = Buffer.from(bytes.toString('utf8').replace('"amount":3', '"amount":4')).toString('base64');
      const [origin = '', size = ''] = receipt.checkpoint.split('\n');
      const flip = (hash: string): string => (hash.startsWith('0') ? '1' : '0') + hash.slice(1);
      const CHANGES: readonly (readonly [string, object, string])[] = [
        ['record', { record: altered }, 'RECORD_ALTERED'],
        ['index', { index: receipt.index + 1 }, 'WRONG_INDEX'],
        ['path', { path: receipt.path.map((hash, i) => (i === 0 ? flip(hash) : hash)) }, 'WRONG_PATH'],
        [
          'size',
          { checkpoint: receipt.checkpoint.replace(`\n${size}\n`, `\n${Number(size) + 1}\n`) },
          'CHECKPOINT_SIGNATURE',
        ],
        ['log', { checkpoint: receipt.checkpoint.replaceAll(origin, `${origin}x`) }, 'KEY_NOT_OF_LOG'],
        ['proofId', { proofId: 'other' }, 'WRONG_PROOF_ID'],
        ['format', { format: 'custos-receipt/2' }, 'MALFORMED'],
        ['an unknown member', { root: '0'.repeat(64) }, 'MALFORMED'],
      ];
      for (const [what, change, failure] of CHANGES) {
        const { json, status } = await verify({ ...receipt, ...change });
        expect([status, json.valid, json.failure], what).to.deep.equal([200, false, failure]);
        expect(json.sentence, what).to.be.a('string').and.not.equal('');
      }
      // A signed checkpoint of another tree, to which the path does not lead.
      const { json } = await verify({ ...receipt, checkpoint: later.checkpoint });
      expect(json.valid).to.equal(false);
      expect(json.failure).to.be.oneOf(['WRONG_SIZE', 'WRONG_PATH', 'RECORD_ALTERED']);
    });

    it('refuses bodies over 64 kB with E2005', async () => {
      const receipt = await anchoredReceipt();
      const fill = 65_536 - Buffer.byteLength(JSON.stringify({ ...receipt, x: '' }));
      expect((await verify({ ...receipt, x: 'a'.repeat(fill) })).json.failure).to.equal('MALFORMED');
      for (const more of [1, 100_000])
        expect(outcome(await verify({ ...receipt, x: 'a'.repeat(fill + more) }))).to.deep.equal([413, 'E2005']);
    });
  });
});

// Promises that are signed together: any of them verifies by itself, and no other statement does.
import { createHash, verify } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { MerkleTree } from 'merkletreejs';
import { createBatches } from '../../../shared/domain/ledger/promises.ts';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';
import { publicKeyFromRaw, rawPublicKey } from '../../../shared/core/proof/ed25519.ts';
import { ProofError } from '../../../shared/core/proof/failures.ts';
import {
  createPromiseSigner,
  promiseOf,
  type Promised,
  promiseText,
  verifyPromise,
} from '../../../shared/core/proof/promise.ts';
import type { SignedPromise } from '../../../shared/core/proof/shapes.ts';
import { ORIGIN, PROMISE_KEY, TIME_MS, TRUSTED } from './sample-log.ts';

const signer = createPromiseSigner({ key: PROMISE_KEY, maxMergeDelaySeconds: 3_600 });
const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

const about = (n: number, log = ORIGIN): Promised => ({
  log,
  proofId: `p-${n}`,
  recordDigest: sha256(Buffer.from(`record ${n}`)).toString('hex'),
  issuedAtMs: TIME_MS + n,
});

const batchOf = (size: number): SignedPromise[] => signer.promises(Array.from({ length: size }, (_, n) => about(n)));

/** What `custos verify` says about a text. */
function isValid(text: string): boolean {
  try {
    return verifyPromise(promiseOf(JSON.parse(text)), TRUSTED).ok;
  } catch (error) {
    if (error instanceof ProofError || error instanceof SyntaxError) return false;
    throw error;
  }
}

describe('Promises that are signed together', () => {
  it('each verify in a batch of any size, and as text in RFC 8785 form', () => {
    for (let size = 2; size <= 70; size += 1)
      for (const promise of batchOf(size)) {
        expect(promiseText(promise)).to.equal(canonicalize(promise));
        expect(isValid(promiseText(promise)), `${promise.batch?.index} of ${size}`).to.equal(true);
      }
  });

  it('are signed alone when there is only one, and not at all when there is none', () => {
    expect(signer.promises([about(7)])).to.deep.equal([signer.promise(about(7))]);
    expect(signer.promises([])).to.deep.equal([]);
  });

  it('share one signature of the size and the root of an RFC 9162 tree, as another implementation computes it', () => {
    const key = publicKeyFromRaw(rawPublicKey(PROMISE_KEY));
    for (const size of [2, 3, 4, 5, 6, 7, 8, 9, 31, 33]) {
      const promises = batchOf(size);
      const leaves = promises.map((promise) => {
        const { batch: _, ...claims } = promise;
        return sha256(Buffer.from(`\0custos-promise-v1\n${canonicalize(claims)}`));
      });
      const tree = new MerkleTree(leaves, (pair: Buffer) => sha256(Buffer.concat([Buffer.of(1), pair])));
      const message = Buffer.from(
        `custos-promise-batch-v1\n{"root":"${tree.getRoot().toString('hex')}","size":${size}}`,
      );
      const signatures = new Set(promises.map(({ batch }) => batch?.signature ?? ''));
      expect(signatures.size).to.equal(1);
      for (const signature of signatures)
        expect(verify(null, message, key, Buffer.from(signature, 'base64'))).to.equal(true);
    }
  });

  it('are refused with any character changed, in a batch of any size', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 40 }).chain((size) => fc.tuple(fc.constant(size), fc.nat(size - 1))),
        fc.nat(),
        fc.constantFrom(...'0123456789abcdefABCDEFxyz"{}[]:, +/='),
        ([size, index], place, character) => {
          const text = promiseText(batchOf(size)[index] ?? signer.promise(about(0)));
          const at = place % text.length;
          fc.pre(text[at] !== character);
          expect(isValid(`${text.slice(0, at)}${character}${text.slice(at + 1)}`)).to.equal(false);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('are refused with the index, size, path or signature of another promise, of this tree or of another one', () => {
    const trees = [2, 3, 4, 5, 8].map(batchOf);
    const all = trees.flat();
    for (const promise of all)
      for (const other of all) {
        if (promise.batch === undefined || other.batch === undefined) throw new Error('not in a batch');
        const { index, size, path, signature } = other.batch;
        for (const change of [{ index }, { size }, { path }, { signature }, { index, path }, { size, signature }]) {
          const batch = { ...promise.batch, ...change };
          const isSame = canonicalize(batch) === canonicalize(promise.batch);
          expect(isValid(JSON.stringify({ ...promise, batch }))).to.equal(isSame);
        }
      }
  });
});

describe('A turn of the event loop', () => {
  const collect = (): { together: (one: Promised) => Promise<SignedPromise>; signed: number[] } => {
    const signed: number[] = [];
    const sign = (all: readonly Promised[]): SignedPromise[] => {
      signed.push(all.length);
      if (all.some(({ proofId }) => proofId === 'p-13')) throw new Error('cannot be signed');
      return signer.promises(all);
    };
    return { together: createBatches<Promised>(sign, (one) => one), signed };
  };

  it('gives all promises of a log one signature, also when they are asked for one microtask after another', async () => {
    const { together, signed } = collect();
    const waited = async (n: number): Promise<SignedPromise> => {
      for (let i = 0; i <= n; i += 1) await undefined;
      return together(about(n));
    };
    const promises = await Promise.all([0, 1, 2, 3, 4, 5].map(waited));
    expect(signed).to.deep.equal([6]);
    expect(promises.map(({ proofId }) => proofId)).to.deep.equal(['p-0', 'p-1', 'p-2', 'p-3', 'p-4', 'p-5']);
    for (const promise of promises) expect(verifyPromise(promise, TRUSTED)).to.include({ ok: true });
    await together(about(6));
    expect(signed).to.deep.equal([6, 1]);
  });

  it('never puts promises of two logs into one tree', async () => {
    const { together, signed } = collect();
    const other = 'custos.local/other/live';
    const promises = await Promise.all([about(0), about(1, other), about(2), about(3, other)].map(together));
    expect(signed).to.deep.equal([2, 2]);
    expect(promises.map(({ log, batch }) => [log, batch?.size])).to.deep.equal([
      [ORIGIN, 2],
      [other, 2],
      [ORIGIN, 2],
      [other, 2],
    ]);
  });

  it('fails only for the log that could not be signed', async () => {
    const { together } = collect();
    const asked = [about(13), about(14), about(15, 'custos.local/other/live')].map(together);
    const settled = await Promise.allSettled(asked);
    expect(settled.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'fulfilled']);
    expect((await together(about(16))).proofId).to.equal('p-16');
  });
});

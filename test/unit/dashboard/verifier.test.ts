// The browser's verifier, run here: it must agree with `custos verify` on every text, and shares no code with it.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { FAILURES } from '../../../ingress/dashboard/client/verify/failures.ts';
import {
  STEPS,
  tlogProofOf,
  type Verification,
  verifyReceipt,
} from '../../../ingress/dashboard/client/verify/receipt.ts';
import { siblingSides } from '../../../ingress/dashboard/client/verify/tree.ts';
import type { PublishedKey } from '../../../shared/core/proof/shapes.ts';
import { writeCheckpoint } from '../../../shared/core/proof/checkpoint.ts';
import { pathLength } from '../../../shared/core/proof/diagnose.ts';
import { asResult, FAILURES as OURS } from '../../../shared/core/proof/failures.ts';
import { publishKey, trustPublishedKeys } from '../../../shared/core/proof/keys.ts';
import { hashLeaf } from '../../../shared/core/proof/merkle.ts';
import { verifyReceipt as verifyHere, writeReceipt } from '../../../shared/core/proof/receipt.ts';
import type { Receipt } from '../../../shared/core/proof/shapes.ts';
import { writeTlogProof } from '../../../shared/core/proof/tlog-proof.ts';
import { type Evidence, parseEvidence } from '../../../shared/core/proof/verify.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { LOG_KEY, ORIGIN, PROMISE_KEY, sampleLog, TIME_MS } from '../proof/sample-log.ts';

const SIZE = 21;
const log = sampleLog(SIZE);
const KEYS: readonly PublishedKey[] = [
  publishKey(LOG_KEY, { origin: ORIGIN, use: 'log' }),
  publishKey(PROMISE_KEY, { origin: ORIGIN, use: 'promise' }),
];

/**
 * Does the work with SHA-256 of this thread in place of the browser's: the search for the changed digit of a path computes thousands of
 * hashes, and to wake another thread for each takes ten times as long.
 */
async function withHashesHere(work: () => Promise<void>): Promise<void> {
  const digest = async (name: string, data: Uint8Array): Promise<ArrayBuffer> => {
    expect(name).to.equal('SHA-256');
    return Uint8Array.from(createHash('sha256').update(data).digest()).buffer;
  };
  Object.defineProperty(crypto.subtle, 'digest', { value: digest, configurable: true });
  try {
    await work();
  } finally {
    Reflect.deleteProperty(crypto.subtle, 'digest');
  }
}

/** The result of both verifiers for a text: `valid`, or the failure code. */
async function sayings(text: string, keys = KEYS): Promise<{ browser: string; custos: string }> {
  const there = await verifyReceipt(text, keys);
  const here = evidenceOf(text);
  if (here === undefined || here.kind === 'promise')
    return { browser: there.failure ?? there.outcome, custos: 'MALFORMED' };
  const verified = verifyHere(here.receipt, trustPublishedKeys(keys));
  return { browser: there.failure ?? there.outcome, custos: verified.ok ? 'valid' : verified.failure };
}

function evidenceOf(text: string): Evidence | undefined {
  const result = asResult(() => ({ ok: true, evidence: parseEvidence(Buffer.from(text)) }));
  return result.ok ? result.evidence : undefined;
}

const textOf = (receipt: Receipt, change: Partial<Record<keyof Receipt, unknown>> = {}): string =>
  JSON.stringify({ ...receipt, ...change });

/** A receipt for these bytes from a correctly signed log of one leaf, which only a faulty log could issue. */
function signedOver(bytes: Buffer, proofId: string, origin = ORIGIN): Receipt {
  const checkpoint = writeCheckpoint({ origin, size: 1, root: hashLeaf(bytes), key: LOG_KEY, timeMs: TIME_MS });
  return writeReceipt({ proofId, record: bytes, index: 0, path: [], checkpoint });
}

function failed({ steps }: Verification): string | undefined {
  return steps.find(({ state }) => state === 'failed')?.name;
}

describe("the browser's verifier", function () {
  // The browser's cryptography is asynchronous: beside other work each of its thousands of calls waits.
  this.timeout(300_000);
  it('has the codes and the messages of `custos verify`', () => {
    for (const [code, meaning] of Object.entries(FAILURES))
      expect(OURS, code).to.have.property(code).with.property('meaning', meaning);
  });

  it('shares no code with the verifier of the service', () => {
    const folder = path.join(findRoot(), 'ingress/dashboard/client/verify');
    // Types are no code: nothing of these imports is left in what browsers get.
    for (const name of readdirSync(folder))
      for (const [, from] of readFileSync(path.join(folder, name), 'utf8')
        .replaceAll(/^import type [^;]+;$/gm, '')
        .matchAll(/from '([^']+)'/g))
        expect(from, name).to.match(/^\.\/[a-z]+\.ts$/);
  });

  it('accepts each receipt of a log at several sizes, as JSON and as text, and names every step', async () => {
    for (const size of [1, 2, 3, 8, 13, SIZE])
      for (let index = 0; index < size; index += 1) {
        const receipt = log.receipt(index, size);
        const result = await verifyReceipt(JSON.stringify(receipt, null, 2), KEYS);
        expect(result.sentence, `${index} of ${size}`).to.equal(undefined);
        expect(result).to.deep.include({ outcome: 'valid', timeMs: Math.floor(TIME_MS / 1_000) * 1_000 });
        expect(result.steps.map(({ name, state }) => [name, state])).to.deep.equal(STEPS.map(([n]) => [n, 'passed']));
        const bytes = Buffer.from(receipt.record, 'base64');
        expect(result.leafHash).to.equal(Buffer.from(hashLeaf(bytes)).toString('hex'));
        expect(result.eventHash).to.equal(createHash('sha256').update(bytes).digest('hex'));
        expect(tlogProofOf(receipt)).to.equal(writeTlogProof(receipt));
        expect((await verifyReceipt(writeTlogProof(receipt), KEYS)).outcome).to.equal('valid');
      }
  });

  it('accepts a receipt whose record is as large as a request may be', async () => {
    const large = sampleLog(1, () => 'x'.repeat(900_000)).receipt(0);
    for (const text of [JSON.stringify(large), writeTlogProof(large)])
      expect(await verifyReceipt(text, KEYS)).to.include({ outcome: 'valid' });
    expect((await verifyReceipt('x'.repeat(2 * 1_048_576 + 1), KEYS)).outcome, 'no verdict').to.equal('unable');
  });

  it('computes the length of a path in a tree of any size', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (a, b) => {
        const [index, size] = a < b ? [a, b] : [b, a + 1];
        expect(siblingSides(index, size)).to.have.length(pathLength(index, size));
      }),
    );
  });

  it('gives the result of `custos verify` for every changed receipt', async () => {
    const receipt = log.receipt(13);
    const other = log.receipt(4);
    const record = Buffer.from(receipt.record, 'base64');
    const [head = '', ...lines] = receipt.checkpoint.split('\n');
    const flipped = (hash: string, at: number): string =>
      hash.slice(0, at) + ((Number.parseInt(hash[at] ?? '0', 16) + 5) % 16).toString(16) + hash.slice(at + 1);
    const [first = '', ...rest] = receipt.path;
    const cases: Readonly<Record<string, readonly [text: string, failure: string, step: string]>> = {
      'a changed body': [
        textOf(receipt, { record: Buffer.from(record.toString().replace('"n":13', '"n":14')).toString('base64') }),
        'RECORD_ALTERED',
        'place',
      ],
      'another index': [textOf(receipt, { index: 12 }), 'WRONG_INDEX', 'place'],
      'an index outside the tree': [textOf(receipt, { index: 77 }), 'WRONG_INDEX', 'place'],
      'one digit of the path': [textOf(receipt, { path: [flipped(first, 17), ...rest] }), 'WRONG_PATH', 'place'],
      'one digit further up': [
        textOf(receipt, { path: [first, ...rest.slice(0, -1), flipped(rest.at(-1) ?? '', 63)] }),
        'WRONG_PATH',
        'place',
      ],
      'hashes swapped': [textOf(receipt, { path: receipt.path.toReversed() }), 'WRONG_PATH', 'place'],
      'a hash too many': [textOf(receipt, { path: [first, first, ...rest] }), 'WRONG_PATH', 'place'],
      'a hash too few': [textOf(receipt, { path: rest }), 'WRONG_SIZE', 'place'],
      'the checkpoint of a smaller tree': [textOf(receipt, { checkpoint: log.checkpoint(5) }), 'WRONG_SIZE', 'place'],
      'a changed size': [
        textOf(receipt, { checkpoint: [head, '22', ...lines.slice(1)].join('\n') }),
        'CHECKPOINT_SIGNATURE',
        'signature',
      ],
      'a signature taken away': [
        textOf(receipt, { checkpoint: receipt.checkpoint.split('\n').toSpliced(5, 1).join('\n') }),
        'CHECKPOINT_SIGNATURE',
        'signature',
      ],
      'another log': [
        textOf(receipt, { checkpoint: receipt.checkpoint.replaceAll('acme', 'evil') }),
        'KEY_NOT_OF_LOG',
        'key',
      ],
      'no signature of the log': [
        textOf(receipt, { checkpoint: `${receipt.checkpoint.split('\n\n')[0]}\n\n— witness jWbPPwAAAABkGFDL\n` }),
        'KEY_NOT_OF_LOG',
        'key',
      ],
      'no note at all': [textOf(receipt, { checkpoint: 'nothing' }), 'MALFORMED', 'checkpoint'],
      'another proof id': [textOf(receipt, { proofId: other.proofId }), 'WRONG_PROOF_ID', 'names'],
      'another record': [textOf(receipt, { record: other.record }), 'RECORD_ALTERED', 'place'],
      'bytes that are no record': [textOf(signedOver(Buffer.from('{"a":1}'), 'p')), 'RECORD_NOT_CANONICAL', 'record'],
      'spaces in the record': [
        textOf(signedOver(Buffer.from(record.toString().replace(':', ': ')), 'p-13')),
        'RECORD_NOT_CANONICAL',
        'record',
      ],
      'the record of another proof': [textOf(signedOver(record, 'p-14')), 'WRONG_PROOF_ID', 'names'],
      'a member too many': [textOf({ ...receipt, note: 1 } as Receipt), 'MALFORMED', 'form'],
      'a member given twice': [textOf(receipt).replace('"index":13', '"index":13,"index":13'), 'MALFORMED', 'form'],
      'hex in capitals': [textOf(receipt, { path: receipt.path.map((h) => h.toUpperCase()) }), 'MALFORMED', 'form'],
      'base64 with unused bits': [textOf(signedOver(Buffer.from('x'), 'p'), { record: 'eB==' }), 'MALFORMED', 'form'],
      'a text that is no JSON': ['<script>alert(1)</script>', 'MALFORMED', 'form'],
      'an answer that only promises': ['{"proofId":"p","status":"pending","promise":{}}', 'MALFORMED', 'form'],
      'a tlog-proof cut short': [writeTlogProof(receipt).slice(0, 200), 'MALFORMED', 'form'],
    };
    const check = async (name: string, [text, failure, step]: (typeof cases)[string]): Promise<void> => {
      const result = await verifyReceipt(text, KEYS);
      const { custos } = await sayings(text);
      expect([result.failure, failed(result)], `${name}: ${result.sentence}`).to.deep.equal([failure, step]);
      expect(result.failure, name).to.equal(custos);
      expect(result.sentence).to.match(/\w/);
    };
    await withHashesHere(async () => {
      for (const [name, one] of Object.entries(cases)) await check(name, one);
    });
  });

  it('accepts a key only for the sizes that it may sign, and refuses a key that contradicts itself', async () => {
    const text = textOf(log.receipt(13));
    const [key] = KEYS;
    if (key === undefined) throw new Error('there is no key');
    for (const sizes of [{ firstSize: 22 }, { lastSize: 20 }])
      expect(await sayings(text, [{ ...key, ...sizes }])).to.deep.equal({
        browser: 'KEY_NOT_AT_SIZE',
        custos: 'KEY_NOT_AT_SIZE',
      });
    for (const keys of [
      [],
      [{ ...key, keyId: 'another' }],
      [{ ...key, vkey: key.vkey.replace(/\+......../, '+00000000') }],
    ])
      expect((await verifyReceipt(text, keys)).failure).to.equal('KEY_NOT_OF_LOG');
  });

  it('agrees with `custos verify` on receipts with any one character changed', async () => {
    const texts = [textOf(log.receipt(13)), writeTlogProof(log.receipt(7)), textOf(log.receipt(0, 1))];
    const agrees = fc.asyncProperty(
      fc.constantFrom(...texts),
      fc.nat(),
      fc.constantFrom(...'0123456789abcdefABZ/+=-,:"{}\\n \u2014'),
      fc.constantFrom(0, 1),
      async (text, place, character, removed) => {
        const at = place % text.length;
        const changed = text.slice(0, at) + character + text.slice(at + removed);
        const { browser, custos } = await sayings(changed);
        expect(browser, changed).to.equal(custos);
      },
    );
    await withHashesHere(() => fc.assert(agrees, { numRuns: 120 }));
  });

  it('reports only that it cannot verify, where the browser offers no cryptography', async () => {
    const own = Object.getOwnPropertyDescriptor(globalThis, 'crypto');
    if (own === undefined) throw new Error('there is no crypto');
    Object.defineProperty(globalThis, 'crypto', { value: {}, configurable: true });
    try {
      const result = await verifyReceipt(textOf(log.receipt(3)), KEYS);
      expect(result.outcome).to.equal('unable');
      expect(result.sentence).to.contain('https');
      expect(result.steps.map(({ state }) => state)).to.deep.equal(['passed', ...STEPS.slice(1).map(() => 'open')]);
    } finally {
      Object.defineProperty(globalThis, 'crypto', own);
    }
  });
});

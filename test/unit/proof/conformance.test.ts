// The service agrees with every case of clients/conformance, which the clients are held to as well.
import { createPublicKey, verify } from 'node:crypto';
import { expect } from 'chai';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';
import { asResult, FAILURES, ProofError } from '../../../shared/core/proof/failures.ts';
import { trustKey, type TrustedKey, trustPublishedKeys } from '../../../shared/core/proof/keys.ts';
import { verifyPromise } from '../../../shared/core/proof/promise.ts';
import { verifyReceipt } from '../../../shared/core/proof/receipt.ts';
import type { Receipt } from '../../../shared/core/proof/shapes.ts';
import { parseEvidence, verifyChain } from '../../../shared/core/proof/verify.ts';
import { JsonError, parseJson } from '../../../shared/kernel/json.ts';
import { parseBody } from '../../../ingress/request/read.ts';
import { type LogDeps, logRoutes } from '../../../ingress/routes/log.ts';
import { ApiError } from '../../../shared/kernel/errors.ts';
import { canonicalCases } from '../../drift/conformance/canonical-cases.ts';
import { proofCases } from '../../drift/conformance/files.ts';
import { oddSignature } from '../../drift/conformance/edwards.ts';
import { FILE_KEYS, type ProofCase, RAW_LOG_KEY } from '../../drift/conformance/parts.ts';
import { LOG_KEY, SEEDS } from './sample-log.ts';

const linesOf = (text: string): string[] =>
  text.split('\n').flatMap((line) => line.replace(/^[ \t\r]+/, '').replace(/[ \t\r]+$/, '') || []);

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) throw new ProofError('MALFORMED', error.message);
    throw error;
  }
}

function trusted(keys: ProofCase['keys'] = FILE_KEYS): TrustedKey[] {
  // The commands take files of JSON alone: a line is what --vkey is given.
  if (typeof keys === 'string' && !/^[[{]/.test(keys.trimStart())) return linesOf(keys).map((line) => trustKey(line));
  const given = typeof keys === 'string' ? jsonOf(keys) : keys;
  if (!Array.isArray(given)) return trustPublishedKeys(given);
  return given.flatMap((key: unknown) => (typeof key === 'string' ? [trustKey(key)] : trustPublishedKeys([key])));
}

function receiptOf(text: string): Receipt {
  const evidence = parseEvidence(Buffer.from(text));
  if (evidence.kind !== 'receipt') throw new Error('a promise stands in the place of a receipt');
  return evidence.receipt;
}

/** What `custos verify` finds, in the form of the file. */
function verified({ kind, input, keys: listed }: ProofCase): object {
  const result = asResult((): { readonly ok: true; readonly proven: object } => {
    const keys = trusted(listed);
    const texts = typeof input === 'string' ? [input] : input;
    if (kind === 'promise') {
      const evidence = parseEvidence(Buffer.from(texts[0] ?? ''));
      if (evidence.kind !== 'promise') throw new Error('a receipt stands in the place of a promise');
      const signed = verifyPromise(evidence.promise, keys);
      if (!signed.ok) throw new ProofError(signed.failure, signed.sentence);
      const { log: origin, proofId, keyId } = signed.promise;
      return { ok: true, proven: { proofId, origin, keyId } };
    }
    if (kind === 'chain') {
      const chain = verifyChain(texts.map(receiptOf), keys);
      if (!chain.ok) throw new ProofError(chain.failure, chain.sentence);
      return {
        ok: true,
        proven: { proofIds: chain.receipts.map(({ proofId }) => proofId), fromStart: chain.isFromTheStart },
      };
    }
    const receipt = verifyReceipt(receiptOf(texts[0] ?? ''), keys);
    if (!receipt.ok) throw new ProofError(receipt.failure, receipt.sentence);
    const { ok, record: _, ...proven } = receipt;
    return { ok, proven };
  });
  return result.ok ? { ok: true, ...result.proven } : { ok: false, failure: result.failure };
}

describe('The conformance cases of proofs', () => {
  for (const one of proofCases()) {
    const { name, kind, input: _, keys: __, ...expected } = one;
    it(`${kind}: ${name}: ${expected.ok ? 'valid' : expected.failure}`, () => {
      expect(verified(one)).to.deep.equal(expected);
    });
  }

  it('have different names and inputs, and show every failure of a receipt, a chain and a promise', () => {
    const cases = proofCases();
    expect(new Set(cases.map(({ name }) => name)).size).to.equal(cases.length);
    const questions = cases.map(({ kind, input, keys }) => JSON.stringify([kind, input, keys]));
    expect(questions.filter((question, i) => questions.indexOf(question) !== i)).to.deep.equal([]);
    // The others need an exported log, which clients do not read.
    const ofLogs = ['PROMISE_BROKEN', 'PROMISE_NOT_DUE', 'LOG_ALTERED', 'RECORD_DROPPED'];
    const shown = new Set(cases.map((one) => (one.ok ? '' : one.failure)));
    expect(Object.keys(FAILURES).filter((failure) => !shown.has(failure as never))).to.deep.equal(ofLogs);
  });
});

/** The answer of POST /v1/proofs/verify to a text, with these trusted keys: a failure, VALID, or the code of an error. */
async function postedTo(text: string, keys: readonly TrustedKey[]): Promise<string> {
  // The route uses the keys and nothing else.
  const deps = { log: { allKeys: async () => keys } } as unknown as LogDeps;
  const route = logRoutes(deps).find(({ path }) => path === '/v1/proofs/verify');
  if (route === undefined) throw new Error('there is no such route');
  try {
    const body = parseBody(Buffer.from(text));
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'E2001';
    const reply = await route.handler({ body } as never);
    const { valid, failure } = reply.body as { readonly valid: boolean; readonly failure: string | null };
    return valid ? 'VALID' : String(failure);
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

describe('POST /v1/proofs/verify', () => {
  it('gives the failures of the conformance cases, or refuses as a bad request what is no JSON object', async () => {
    const cases = proofCases().filter(({ kind }) => kind === 'receipt');
    const wrong: object[] = [];
    for (const one of cases) {
      const expected = one.ok ? 'VALID' : one.failure;
      const keys = asResult(() => ({ ok: true, keys: trusted(one.keys) }) as const);
      // Keys of this service are never malformed.
      if (!keys.ok) continue;
      const got = await postedTo(String(one.input), keys.keys);
      const isRefused = expected === 'MALFORMED' && got.startsWith('E20');
      if (got !== expected && !isRefused) wrong.push({ name: one.name, expected, got });
    }
    expect(wrong).to.deep.equal([]);
  });
});

describe('The arithmetic behind the unusual signatures', () => {
  it('makes a valid signature when R is an ordinary point, so the others are wrong in R alone', () => {
    const message = Buffer.from('a message');
    const signature = oddSignature(message, SEEDS[0], RAW_LOG_KEY, 'ordinary');
    expect(verify(null, message, createPublicKey(LOG_KEY), signature)).to.equal(true);
  });
});

describe('The conformance cases of canonical JSON', () => {
  for (const { name, input, canonical } of canonicalCases()) {
    it(`${name}: ${JSON.stringify(input).slice(0, 60)}`, () => {
      let text: string | null = null;
      try {
        text = canonicalize(parseJson(input));
      } catch (error) {
        if (!(error instanceof JsonError)) throw error;
      }
      expect(text).to.equal(canonical);
    });
  }
});

// Promises, exported logs, and whether a log keeps a promise.
import { createHash, verify } from 'node:crypto';
import { expect } from 'chai';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';
import { publicKeyFromRaw, rawPublicKey } from '../../../shared/core/proof/ed25519.ts';
import { type Failed, ProofError } from '../../../shared/core/proof/failures.ts';
import { writeCheckpoint } from '../../../shared/core/proof/checkpoint.ts';
import { keyIdOf, publishKey, trustKey } from '../../../shared/core/proof/keys.ts';
import { hashLeaf, rootFromLeafHashes } from '../../../shared/core/proof/merkle.ts';
import { NO_PREVIOUS, recordPrefix, sealRecord } from '../../../shared/core/proof/record.ts';
import { createLogFileParser, type LogFileLine, writeLogLine } from '../../../shared/core/proof/log-file.ts';
import { createPromiseSigner, promiseOf, promiseText, verifyPromise } from '../../../shared/core/proof/promise.ts';
import type { SignedPromise } from '../../../shared/core/proof/shapes.ts';
import { recordDigestOf } from '../../../shared/core/proof/record-read.ts';
import { checkPromiseInLog, type KeptPromise, parseEvidence } from '../../../shared/core/proof/verify.ts';
import { leastMs } from '../../support/undisturbed.ts';
import { LOG_KEY, ORIGIN, PROMISE_KEY, type SampleLog, sampleLog, TIME_MS, TRUSTED } from './sample-log.ts';

const HOUR_MS = 3_600_000;
const signer = createPromiseSigner({ key: PROMISE_KEY, maxMergeDelaySeconds: 3_600 });
const log = sampleLog(9);
const digestOf = (of: SampleLog, index: number): string =>
  recordDigestOf(of.records[index]?.bytes ?? Buffer.alloc(0)) ?? '';
const promiseAbout = (index: number, recordDigest = digestOf(log, index)): SignedPromise & { signature: string } => {
  const promise = signer.promise({ log: ORIGIN, proofId: `p-${index}`, recordDigest, issuedAtMs: TIME_MS });
  return { ...promise, signature: promise.signature ?? '' };
};

function exported(of: SampleLog, size: number, timeMs: number): string[] {
  const header: LogFileLine = {
    kind: 'header',
    header: { format: 'custos-log/1', origin: ORIGIN, keys: [publishKey(LOG_KEY, { origin: ORIGIN, use: 'log' })] },
  };
  const leaves = of.records.map(({ bytes }, index): LogFileLine => ({ kind: 'leaf', index, record: bytes }));
  const checkpoints = [2, size].map((n): LogFileLine => ({ kind: 'checkpoint', checkpoint: of.checkpoint(n, timeMs) }));
  return [header, ...leaves, ...checkpoints].map((line) => writeLogLine(line).trimEnd());
}

function outcome(promise: SignedPromise, lines: readonly string[], trusted = TRUSTED): KeptPromise | Failed {
  const check = checkPromiseInLog(promise, trusted);
  for (const line of lines) {
    const failed = check.next(line);
    if (failed !== undefined) return failed;
  }
  return check.end();
}

describe('A promise', () => {
  it('is signed over its format and JCS of all its other members', () => {
    const { signature, ...claims } = promiseAbout(3);
    expect(claims).to.deep.equal({
      log: ORIGIN,
      proofId: 'p-3',
      recordDigest: createHash('sha256').update(`${log.prefixes[3]}}`).digest('hex'),
      issuedAt: '2026-03-04T05:06:07.890Z',
      deadline: '2026-03-04T06:06:07.890Z',
      keyId: keyIdOf(PROMISE_KEY),
    });
    const message = Buffer.from(`custos-promise-v1\n${canonicalize(claims)}`);
    const key = publicKeyFromRaw(rawPublicKey(PROMISE_KEY));
    expect(verify(null, message, key, Buffer.from(signature, 'base64'))).to.equal(true);
  });

  it('is the same as text and as a value, even with names that need escapes', () => {
    for (const proofId of ['p-1', 'quote " and \\ and \u2028', '危'] as const) {
      const about = { log: ORIGIN, proofId, recordDigest: 'ab'.repeat(32), issuedAtMs: TIME_MS };
      const promise = signer.promise(about);
      expect(JSON.parse(promiseText(promise))).to.deep.equal(promise);
      expect(promiseText(promise)).to.equal(canonicalize(promise));
      expect(verifyPromise(promiseOf(JSON.parse(promiseText(promise))), TRUSTED)).to.include({ ok: true });
    }
  });

  it('is found in the answer that contained it', () => {
    const promise = promiseAbout(3);
    const { proofId, recordDigest } = promise;
    for (const value of [promise, { proofId, status: 'pending', recordDigest, promise }])
      expect(parseEvidence(Buffer.from(JSON.stringify(value)))).to.deep.equal({ kind: 'promise', promise });
  });

  it('that was changed in any member is refused', () => {
    const promise = promiseAbout(3);
    const changes: Partial<Record<keyof SignedPromise, string>> = {
      proofId: 'p-4',
      recordDigest: 'ab'.repeat(32),
      issuedAt: '2026-03-04T05:06:07.891Z',
      deadline: '2027-03-04T06:06:07.890Z',
      signature: promiseAbout(4).signature,
    };
    for (const [member, value] of Object.entries(changes))
      expect(verifyPromise({ ...promise, [member]: value }, TRUSTED), member).to.include({
        failure: 'PROMISE_SIGNATURE',
      });
    for (const change of [{ keyId: keyIdOf(LOG_KEY) }, { log: 'custos.local/acme/test' }])
      expect(verifyPromise({ ...promise, ...change }, TRUSTED)).to.include({ failure: 'KEY_NOT_OF_LOG' });
    for (const change of [
      { proofId: '' },
      { recordDigest: 'AB'.repeat(32) },
      { deadline: '2026-02-30T00:00:00.000Z' },
      { issuedAt: '2026-03-04T05:06:07Z' },
      { keyId: 'short' },
      { signature: 'AA==' },
      { more: 1 },
      { log: 7 },
    ])
      expect(() => promiseOf({ ...promise, ...change }), JSON.stringify(change)).to.throw(ProofError);
  });

  it('is made in well under a millisecond', async () => {
    const about = { log: ORIGIN, proofId: 'p-1', recordDigest: 'ab'.repeat(32), issuedAtMs: TIME_MS };
    const each = (): number => {
      const start = performance.now();
      for (let i = 0; i < 100; i += 1) promiseText(signer.promise(about));
      return (performance.now() - start) / 100;
    };
    expect(await leastMs(1, each)).to.be.below(1);
  });

  it('cannot be made with a public key', () => {
    const key = publicKeyFromRaw(rawPublicKey(PROMISE_KEY));
    expect(() => createPromiseSigner({ key, maxMergeDelaySeconds: 1 })).to.throw(TypeError);
  });
});

describe('A promise beside an exported log', () => {
  it('is kept when the log has the record, wherever it was chained', () => {
    for (const index of [0, 5, 8])
      expect(outcome(promiseAbout(index), exported(log, 9, TIME_MS))).to.deep.include({ ok: true, index });
  });

  it('is broken when the log went past the deadline without it', () => {
    const absent = promiseAbout(99, 'ab'.repeat(32));
    expect(outcome(absent, exported(log, 9, TIME_MS + 2 * HOUR_MS))).to.include({ failure: 'PROMISE_BROKEN' });
    expect(outcome(absent, exported(log, 9, TIME_MS))).to.include({ failure: 'PROMISE_NOT_DUE' });
  });

  it('is broken when the log has another record under its id', () => {
    const result = outcome(promiseAbout(4, 'ab'.repeat(32)), exported(log, 9, TIME_MS));
    expect(result).to.include({ failure: 'PROMISE_BROKEN' });
    expect(result.ok ? '' : result.sentence).to.contain('at index 4');
  });

  it('is not kept by a record that no checkpoint covers', () => {
    expect(outcome(promiseAbout(7), exported(log, 7, TIME_MS + 2 * HOUR_MS))).to.include({ failure: 'PROMISE_BROKEN' });
  });

  it('is not broken by a record that no checkpoint covers', () => {
    const promise = promiseAbout(8, 'ab'.repeat(32));
    expect(outcome(promise, exported(log, 7, TIME_MS))).to.include({ failure: 'PROMISE_NOT_DUE' });
  });

  it('is kept by the log that replaced its own while the record waited, and broken or not by no other', () => {
    const next = `${ORIGIN}/2`;
    const keys = [...TRUSTED, trustKey(publishKey(LOG_KEY, { origin: next, use: 'log' }).vkey)];
    const file = (first: Buffer): string[] => {
      const records = [first, log.records[4]?.bytes ?? Buffer.alloc(0)];
      const root = rootFromLeafHashes(records.map(hashLeaf));
      const lines: LogFileLine[] = [
        { kind: 'header', header: { format: 'custos-log/1', origin: next, keys: [] } },
        ...records.map((record, index): LogFileLine => ({ kind: 'leaf', index, record })),
        {
          kind: 'checkpoint',
          checkpoint: writeCheckpoint({ origin: next, size: 2, root, key: LOG_KEY, timeMs: TIME_MS + 2 * HOUR_MS }),
        },
      ];
      return lines.map((line) => writeLogLine(line).trimEnd());
    };
    const fork = (of: string, event = 'custos.fork'): Buffer => {
      const about = { entityId: 'custos:log', event, occurredAt: new Date(TIME_MS).toISOString() };
      const where = { environment: 'live', organisationSlug: 'acme', proofId: 'prf_fork' };
      return sealRecord(recordPrefix({ ...about, ...where, body: JSON.stringify({ log: of }) }), NO_PREVIOUS).bytes;
    };
    const kept = outcome(promiseAbout(4), file(fork(ORIGIN)), keys);
    expect(kept).to.deep.include({ ok: true, index: 1 });
    expect(kept.ok ? kept.log.origin : kept.sentence).to.equal(next);
    const absent = outcome(promiseAbout(99, 'ab'.repeat(32)), file(fork(ORIGIN)), keys);
    expect(absent.ok ? '' : absent.sentence).to.match(/replaced, and the record is not in the latter/);
    for (const first of [fork('custos.local/other/live'), fork(ORIGIN, 'deploy')])
      expect(outcome(promiseAbout(4), file(first), keys)).to.include({ failure: 'KEY_NOT_OF_LOG' });
  });

  it('is neither kept nor broken when the log was altered', () => {
    const lines = exported(log, 9, TIME_MS);
    const other = exported(
      sampleLog(9, (n) => ({ n: n + 1 })),
      9,
      TIME_MS,
    );
    const bad: Record<string, string[]> = {
      'another record': lines.with(3, other[3] ?? ''),
      'no tail': lines.toSpliced(9, 1),
      'no checkpoint': lines.slice(0, -2),
    };
    for (const [what, altered] of Object.entries(bad))
      expect(outcome(promiseAbout(0), altered), what).to.include({ failure: 'LOG_ALTERED' });
    const swapped = [...lines.slice(0, -2), ...lines.slice(-2).reverse()];
    expect(outcome(promiseAbout(0), swapped), 'checkpoints out of order').to.include({ failure: 'LOG_ALTERED' });
    const elsewhere = lines.with(0, (lines[0] ?? '').replaceAll('acme', 'acne'));
    expect(outcome(promiseAbout(0), elsewhere), 'another header').to.include({ failure: 'LOG_ALTERED' });
  });
});

describe('An exported log', () => {
  const lines = exported(log, 9, TIME_MS);

  it('is parsed line by line as it was written', () => {
    const parser = createLogFileParser();
    expect(lines.map((line) => writeLogLine(parser.next(line)).trimEnd())).to.deep.equal(lines);
  });

  it('is refused by its line number when a line is malformed or misplaced', () => {
    const bad: Record<string, string[]> = {
      'no header': lines.slice(1),
      'two headers': [lines[0] ?? '', ...lines],
      'a gap': lines.toSpliced(4, 1),
      'a dropped leaf without its hash': lines.with(1, '{"index":0,"dropped":{"proofId":"p","agentId":"a"}}'),
      'a leaf after a checkpoint': [...lines, '{"index":9,"record":"AA=="}'],
      'an empty line': [...lines, ''],
      'an unknown member': lines.with(1, '{"index":0,"record":"AA==","more":1}'),
      'loose base64': lines.with(1, '{"index":0,"record":"AB=="}'),
      'another format': lines.with(0, (lines[0] ?? '').replace('custos-log/1', 'custos-log/2')),
      'a key that is none': lines.with(0, (lines[0] ?? '').replace('"lastSize":null', '"lastSize":-1')),
    };
    for (const [what, altered] of Object.entries(bad)) {
      const parser = createLogFileParser();
      expect(() => altered.map((line) => parser.next(line)), what).to.throw(ProofError, /line \d+/i);
    }
  });
});

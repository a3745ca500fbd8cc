// Tests of receipts, checkpoints, tlog-proofs and chains: valid ones are verified, and each defect has its own failure code.
import { expect } from 'chai';
import { peekCheckpoint, readCheckpoint, writeCheckpoint } from '../../shared/core/proof/checkpoint.ts';
import { FAILURES, type FailureCode, ProofError } from '../../shared/core/proof/failures.ts';
import { publishKey, trustKey } from '../../shared/core/proof/keys.ts';
import { hashLeaf, rootFromLeafHashes } from '../../shared/core/proof/merkle.ts';
import { parseReceipt, receiptOf, verifyReceipt, writeReceipt } from '../../shared/core/proof/receipt.ts';
import type { Receipt } from '../../shared/core/proof/shapes.ts';
import { parseTlogProof, writeTlogProof } from '../../shared/core/proof/tlog-proof.ts';
import { verifyChain } from '../../shared/core/proof/verify.ts';
import { leastMs } from '../support/undisturbed.ts';
import { LOG_KEY, ORIGIN, PROMISE_KEY, sampleLog, TIME_MS, TRUSTED, VKEY } from '../unit/proof/sample-log.ts';

const SIZE = 21;
const log = sampleLog(SIZE);

function failureOf(receipt: Receipt, keys = TRUSTED): FailureCode | 'VALID' {
  const result = verifyReceipt(receipt, keys);
  return result.ok ? 'VALID' : result.failure;
}

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ProofError) return `${error.failure}: ${error.message}`;
    throw error;
  }
  return 'accepted';
}

/** A receipt for these bytes from a correctly signed log of one leaf, which only a faulty log could issue. */
function receiptOverBytes(bytes: Buffer, proofId: string, origin = ORIGIN): Receipt {
  const checkpoint = writeCheckpoint({ origin, size: 1, root: hashLeaf(bytes), key: LOG_KEY, timeMs: TIME_MS });
  return writeReceipt({ proofId, record: bytes, index: 0, path: [], checkpoint });
}

describe('A checkpoint', () => {
  const head = { origin: ORIGIN, size: 5, root: Buffer.alloc(32, 7), key: LOG_KEY, timeMs: 1_700_000_000_999 };

  it('is a note of origin, size and root with two signature lines of the log key, and is parsed with its time', () => {
    const note = writeCheckpoint(head);
    const name = ORIGIN.replaceAll('/', '\\/');
    expect(note).to.match(new RegExp(`^${name}\\n5\\n(BwcH){10}Bwc=\\n\\n(— ${name} [A-Za-z0-9+/]+=*\\n){2}$`));
    const read = readCheckpoint(note, TRUSTED);
    expect({ ...read, root: read.root.toString('hex') }).to.deep.equal({
      origin: ORIGIN,
      size: 5,
      root: '07'.repeat(32),
      timeMs: 1_700_000_000_000,
      keyId: trustKey(VKEY).keyId,
    });
    expect(peekCheckpoint(note).size).to.equal(5);
  });

  it('needs both signature lines of the key', () => {
    const lines = writeCheckpoint(head).split('\n');
    for (const gone of [4, 5])
      expect(refusalOf(() => readCheckpoint(lines.toSpliced(gone, 1).join('\n'), TRUSTED))).to.match(
        /^CHECKPOINT_SIGNATURE/,
      );
  });

  it('may have other signatures, such as those of witnesses', () => {
    const witnessed = `${writeCheckpoint(head)}— witness.example/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n`;
    expect(readCheckpoint(witnessed, TRUSTED).size).to.equal(5);
  });

  it('must be signed by a key of this log that may sign trees of this size', () => {
    const note = writeCheckpoint(head);
    const own = (firstSize: number, lastSize: number | null) => [trustKey(VKEY, { firstSize, lastSize })];
    for (const [first, last] of [
      [0, null],
      [5, 5],
      [5, null],
      [0, 5],
    ] as const)
      expect(refusalOf(() => readCheckpoint(note, own(first, last)))).to.equal('accepted');
    for (const [first, last] of [
      [6, null],
      [0, 4],
    ] as const)
      expect(refusalOf(() => readCheckpoint(note, own(first, last)))).to.match(/^KEY_NOT_AT_SIZE: .* not one of 5\.$/);
    expect(refusalOf(() => readCheckpoint(note, [...own(0, 4), ...own(5, 9)]))).to.equal('accepted');
    const of = (key: typeof LOG_KEY, origin: string, use: 'log' | 'promise') => [
      trustKey(publishKey(key, { origin, use }).vkey),
    ];
    for (const keys of [
      [],
      of(LOG_KEY, 'custos.local/acme/test', 'log'),
      of(PROMISE_KEY, ORIGIN, 'log'),
      of(LOG_KEY, ORIGIN, 'promise'),
    ])
      expect(refusalOf(() => readCheckpoint(note, keys))).to.match(/^KEY_NOT_OF_LOG/);
  });

  it('is still verified after its key was rotated, and both keys may sign it', () => {
    const next = trustKey(publishKey(PROMISE_KEY, { origin: ORIGIN, use: 'log' }).vkey, { firstSize: 6 });
    const keys = [trustKey(VKEY, { firstSize: 0, lastSize: 5 }), next];
    expect(readCheckpoint(writeCheckpoint(head), keys).keyId).to.equal(trustKey(VKEY).keyId);
    const six = { ...head, size: 6 };
    expect(refusalOf(() => readCheckpoint(writeCheckpoint(six), keys))).to.match(/^KEY_NOT_AT_SIZE/);
    expect(readCheckpoint(writeCheckpoint({ ...six, key: PROMISE_KEY }), keys).keyId).to.equal(next.keyId);
  });

  it('is refused quickly if its size is malformed', () => {
    const note = writeCheckpoint(head);
    for (const size of [String(2n ** 60n), String(2 ** 53), '05', '-5', '5.0', '5e0', ' 5', '', '9'.repeat(60_000)])
      expect(
        refusalOf(() => readCheckpoint(note.replace('\n5\n', `\n${size}\n`), TRUSTED)),
        size,
      ).to.match(/^MALFORMED/);
    for (const bad of [
      { size: -1 },
      { size: 1.5 },
      { root: Buffer.alloc(31) },
      { timeMs: Number.NaN },
      { origin: 'a b' },
      { origin: '' },
    ])
      expect(() => writeCheckpoint({ ...head, ...bad }), JSON.stringify(bad)).to.throw(TypeError);
  });
});

describe('A receipt', () => {
  it('is verified against the signed checkpoint, and the result states what it proves', () => {
    const result = verifyReceipt(log.receipt(4), TRUSTED);
    if (!result.ok) throw new Error(result.sentence);
    expect(result).to.deep.include({
      proofId: 'p-4',
      origin: ORIGIN,
      size: SIZE,
      index: 4,
      timeMs: Math.floor(TIME_MS / 1_000) * 1_000,
      eventHash: log.records[4]?.eventHash.toString('hex'),
      root: Buffer.from(rootFromLeafHashes(log.records.map((r) => r.leafHash))).toString('hex'),
    });
    expect(result.record).to.deep.include({ agentId: 'agent-1', eventType: 'deploy' });
    expect(result.record.payload).to.deep.equal({
      body: { n: 4, note: 'péril — 危' },
      environment: 'live',
      organisation: 'acme',
      proofId: 'p-4',
    });
  });

  it('is verified after a JSON round trip with any spacing, escapes and order of members', () => {
    const receipt = log.receipt(9);
    const reversed = Object.fromEntries(Object.entries(receipt).reverse());
    const escaped = JSON.stringify(receipt).replaceAll('—', '\\u2014');
    for (const text of [JSON.stringify(receipt), JSON.stringify(reversed, null, 4), escaped])
      expect(failureOf(parseReceipt(text))).to.equal('VALID');
  });

  it('is verified for a record whose body has the maximum nesting depth of a request', () => {
    let body: unknown = 1;
    for (let i = 0; i < 62; i += 1) body = [body];
    expect(failureOf(sampleLog(1, () => body).receipt(0))).to.equal('VALID');
  });

  it('belongs to the new origin if the log was restarted', () => {
    const record = log.records[0]?.bytes ?? Buffer.alloc(0);
    for (const [origin, expected] of [
      [`${ORIGIN}/2`, 'VALID'],
      [`${ORIGIN}/12`, 'VALID'],
      [`${ORIGIN}/1`, 'WRONG_LOG'],
      [`${ORIGIN}/02`, 'WRONG_LOG'],
      ['custos.local/acme/test', 'WRONG_LOG'],
      ['custos.local/acme2/live', 'WRONG_LOG'],
      ['custos.local/other/live', 'WRONG_LOG'],
      ['acme/live', 'WRONG_LOG'],
    ] as const)
      expect(
        failureOf(receiptOverBytes(record, 'p-0', origin), [
          trustKey(publishKey(LOG_KEY, { origin, use: 'log' }).vkey),
        ]),
        origin,
      ).to.equal(expected);
  });

  const receipt = log.receipt(6);
  const otherHash = 'ab'.repeat(32);
  const flip = (hash: string | undefined): string => (hash ?? '').replace(/^./, (c) => (c === '0' ? '1' : '0'));
  const altered = (change: (text: string) => string): Receipt => ({
    ...receipt,
    record: Buffer.from(change(Buffer.from(receipt.record, 'base64').toString())).toString('base64'),
  });
  const wrong: readonly (readonly [string, Receipt, FailureCode])[] = [
    ['one letter of the record', altered((text) => text.replace('deploy', 'Deploy')), 'RECORD_ALTERED'],
    ['a record that is no JSON any more', altered((text) => text.replace('{', '[')), 'RECORD_ALTERED'],
    ['a space in the record', altered((text) => text.replace(':', ': ')), 'RECORD_ALTERED'],
    ['another record of the log', { ...receipt, record: log.receipt(7).record }, 'RECORD_ALTERED'],
    ['the index of its neighbour', { ...receipt, index: 7 }, 'WRONG_INDEX'],
    ['an index far away', { ...receipt, index: 20 }, 'WRONG_INDEX'],
    ['an index outside the tree', { ...receipt, index: 6_000 }, 'WRONG_INDEX'],
    ['a checkpoint of a larger tree', { ...receipt, checkpoint: sampleLog(40).checkpoint(40) }, 'WRONG_SIZE'],
    ['a checkpoint before it', { ...receipt, checkpoint: log.checkpoint(5) }, 'WRONG_SIZE'],
    ['a checkpoint of a smaller tree', { ...receipt, checkpoint: log.checkpoint(9) }, 'WRONG_SIZE'],
    ['one digit of the path', { ...receipt, path: receipt.path.with(2, flip(receipt.path[2])) }, 'WRONG_PATH'],
    ['the path in reverse', { ...receipt, path: receipt.path.toReversed() }, 'WRONG_PATH'],
    ['a hash too many at its end', { ...receipt, path: [...receipt.path, otherHash] }, 'WRONG_PATH'],
    ['a hash too many at its start', { ...receipt, path: [otherHash, ...receipt.path] }, 'WRONG_PATH'],
    ['no path', { ...receipt, path: [] }, 'WRONG_PATH'],
    ['a path without its last hash', { ...receipt, path: receipt.path.slice(0, -1) }, 'WRONG_SIZE'],
    ['another proof', { ...receipt, proofId: 'p-7' }, 'WRONG_PROOF_ID'],
    [
      'the size in the checkpoint',
      { ...receipt, checkpoint: receipt.checkpoint.replace('\n21\n', '\n22\n') },
      'CHECKPOINT_SIGNATURE',
    ],
    [
      'another log in the checkpoint',
      { ...receipt, checkpoint: receipt.checkpoint.replaceAll('acme', 'acne') },
      'KEY_NOT_OF_LOG',
    ],
  ];
  for (const [what, bad, failure] of wrong) {
    it(`with ${what} is refused as ${failure}, with an explanation`, () => {
      const result = verifyReceipt(bad, TRUSTED);
      expect(result).to.include({ ok: false, failure });
      expect(result.ok ? '' : result.sentence).to.match(/^[A-Z"].*\.$/);
    });
  }

  it('is refused for bytes that are not a record, even if they are in the log', () => {
    const sound = log.records[0]?.bytes.toString() ?? '';
    for (const text of [
      'not JSON',
      '{}',
      'null',
      sound.replace(':', ': '),
      sound.replace('{', '{"a":1,'),
      sound.replace(',"environment":"live"', ''),
      sound.replace('.890Z', 'Z'),
      sound.replace(/0{64}/, '0'.repeat(63)),
      sound.replace('"p-0"', '0'),
      `\ufeff${sound}`,
      '['.repeat(30_000) + ']'.repeat(30_000),
    ])
      expect(failureOf(receiptOverBytes(Buffer.from(text), 'p-0')), text.slice(0, 60)).to.equal('RECORD_NOT_CANONICAL');
    expect(failureOf(receiptOverBytes(Buffer.from([0xff]), 'p-0'))).to.equal('RECORD_NOT_CANONICAL');
    expect(failureOf(receiptOverBytes(Buffer.from(sound), 'p-0'))).to.equal('VALID');
  });

  it('is refused with a failure code within milliseconds if it is malformed or a value of another type', async () => {
    const hash = 'a'.repeat(64);
    const hostile: readonly unknown[] = [
      null,
      1,
      'text',
      [],
      [receipt],
      {},
      { ...receipt, root: hash },
      { ...receipt, format: 'custos-receipt/2' },
      { ...receipt, status: 'pending' },
      { ...receipt, proofId: '' },
      { ...receipt, proofId: 1 },
      { ...receipt, proofId: 'x'.repeat(257) },
      { ...receipt, record: '' },
      { ...receipt, record: `${receipt.record}=` },
      { ...receipt, record: receipt.record.replace(/=*$/, '') },
      { ...receipt, record: receipt.record.replace('A', '-') },
      { ...receipt, record: ` ${receipt.record}` },
      { ...receipt, record: 'QR==' },
      { ...receipt, record: 'A'.repeat(70_000) },
      { ...receipt, index: 2 ** 60 },
      { ...receipt, index: -1 },
      { ...receipt, index: -0 },
      { ...receipt, index: 1.5 },
      { ...receipt, index: '6' },
      { ...receipt, path: hash },
      { ...receipt, path: { 0: hash } },
      { ...receipt, path: [hash.toUpperCase()] },
      { ...receipt, path: [hash.slice(1)] },
      { ...receipt, path: [1] },
      { ...receipt, path: Array.from({ length: 54 }, () => hash) },
      { ...receipt, path: Array.from({ length: 1e6 }, () => hash) },
      { ...receipt, checkpoint: 1 },
      { ...receipt, checkpoint: 'x'.repeat(1e6) },
      { ...receipt, checkpoint: '\n'.repeat(1e6) },
      { ...receipt, checkpoint: receipt.checkpoint.replace('\n21\n', `\n${2n ** 60n}\n`) },
    ];
    for (const value of hostile) {
      const refused = (): number => {
        const start = performance.now();
        const refusal = refusalOf(() => {
          const result = verifyReceipt(receiptOf(value), TRUSTED);
          if (!result.ok) throw new ProofError(result.failure, result.sentence);
        });
        const tookMs = performance.now() - start;
        expect(refusal, JSON.stringify(value).slice(0, 100)).to.match(/^MALFORMED: The /);
        return tookMs;
      };
      expect(await leastMs(250, refused)).to.be.below(250);
    }
    const text = JSON.stringify(receipt);
    for (const bad of [
      '',
      '{',
      `${text}x`,
      text.replace('"index":6', '"index":6,"index":6'),
      text.replace('"index":6', `"index":${2n ** 60n}`),
      text.replace('"index":6', '"index":06'),
      `\ufeff${text}`,
      `${text}${' '.repeat(70_000)}`,
      '['.repeat(60_000),
      `{"a":${'['.repeat(60_000)}`,
    ])
      expect(
        refusalOf(() => parseReceipt(bad)),
        bad.slice(0, 60),
      ).to.match(/^MALFORMED/);
  });

  it('is refused in bounded time even if the defect cannot be located', async () => {
    const large = sampleLog(3_000);
    const bad = { ...large.receipt(1_234), record: log.receipt(6).record };
    const refused = (): number => {
      const start = performance.now();
      expect(failureOf(bad)).to.equal('RECORD_ALTERED');
      return performance.now() - start;
    };
    expect(await leastMs(1_000, refused)).to.be.below(1_000);
  });
});

describe('A tlog-proof', () => {
  it('is the same receipt as text, and is converted back to it', () => {
    for (const index of [0, 6, SIZE - 1]) {
      const receipt = log.receipt(index);
      const text = writeTlogProof(receipt);
      expect(text.startsWith(`c2sp.org/tlog-proof@v1\nextra ${receipt.record}\nindex ${index}\n`)).to.equal(true);
      expect(text.endsWith(`\n\n${receipt.checkpoint}`)).to.equal(true);
      expect(parseTlogProof(text)).to.deep.equal(receipt);
    }
    const single = sampleLog(1).receipt(0);
    expect(parseTlogProof(writeTlogProof(single))).to.deep.equal(single);
  });

  it('is refused if it is malformed', () => {
    const text = writeTlogProof(log.receipt(6));
    for (const bad of [
      '',
      text.replace('@v1', '@v2'),
      text.replace('extra ', 'extra  '),
      text.replace(/extra .*\n/, ''),
      text.replace('index 6', 'index 06'),
      text.replace('index 6', `index ${2n ** 60n}`),
      text.replace('\n\n', '\n'),
      text.replace('\n', '\r\n'),
      text.replace('=\n', '\n'),
      text + 'x'.repeat(70_000),
    ])
      expect(
        refusalOf(() => parseTlogProof(bad)),
        bad.slice(0, 60),
      ).to.match(/^MALFORMED/);
  });

  it('is refused as an altered record if its record cannot be parsed', () => {
    const receipt = log.receipt(6);
    const text = writeTlogProof({ ...receipt, record: Buffer.from('{}').toString('base64') });
    expect(failureOf(parseTlogProof(text))).to.equal('RECORD_ALTERED');
  });
});

describe('A chain of receipts', () => {
  const chain = [1, 4, 7, 10].map((index) => log.receipt(index));

  it('is verified in any order, starting at its first record or at a later one', () => {
    const result = verifyChain(chain.toReversed(), TRUSTED);
    expect(result.ok && result.receipts.map(({ index }) => index)).to.deep.equal([1, 4, 7, 10]);
    expect(result).to.include({ ok: true, isFromTheStart: true });
    expect(verifyChain(chain.slice(1), TRUSTED)).to.include({ ok: true, isFromTheStart: false });
  });

  it('is broken by a gap, a repetition or a record of another entity', () => {
    for (const [what, receipts] of [
      ['a gap', chain.toSpliced(2, 1)],
      ['a repetition', [...chain, ...chain.slice(1, 2)]],
      ['another entity', [...chain, log.receipt(11)]],
    ] as const)
      expect(verifyChain(receipts, TRUSTED), what).to.include({ ok: false, failure: 'CHAIN_BROKEN' });
  });

  it('is broken if the log was rewritten from one record on', () => {
    const rewritten = sampleLog(SIZE, (n) => ({ n: n === 4 ? -4 : n }));
    const mixed = [log.receipt(1), log.receipt(4), rewritten.receipt(7)];
    expect(verifyChain(mixed, TRUSTED)).to.include({ ok: false, failure: 'CHAIN_BROKEN' });
  });

  it('names the failure and the receipt if a single receipt is invalid', () => {
    const result = verifyChain([...chain.slice(0, 2), { ...log.receipt(7), index: 8 }], TRUSTED);
    expect(result).to.include({ ok: false, failure: 'WRONG_INDEX' });
    expect(result.ok ? '' : result.sentence).to.match(/^"p-7": /);
  });
});

describe('The table of failures', () => {
  it('gives each failure a unique exit code that no shell or tool uses', () => {
    const codes = Object.values(FAILURES).map(({ exitCode }) => exitCode);
    expect(new Set(codes).size).to.equal(codes.length);
    expect(codes.every((code) => code >= 10 && code < 64)).to.equal(true);
  });
});

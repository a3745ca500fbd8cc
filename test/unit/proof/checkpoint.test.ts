// Checkpoints: valid ones are verified, and the wrong key, size or signature has its own failure code.
import { expect } from 'chai';
import { peekCheckpoint, readCheckpoint, writeCheckpoint } from '../../../shared/core/proof/checkpoint.ts';
import { publishKey, trustKey } from '../../../shared/core/proof/keys.ts';
import { refusalOf } from './failures.ts';
import { LOG_KEY, ORIGIN, PROMISE_KEY, TRUSTED, VKEY } from './sample-log.ts';

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

// The demo's own check of a chain: it must detect every kind of error in a chain.
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { type ChainHead, type ChainItem, checkChain } from '../../cli/demo/chain.ts';
import { canonicalize } from '../../shared/core/proof/canonical.ts';

const ENTITY = 'invoice-7';

/** A chain of this many records, in the form of the service's answer. */
function chainOf(length: number): ChainItem[] {
  const items: ChainItem[] = [];
  for (let i = 0; i < length; i += 1) {
    const previousHash = items[i - 1]?.eventHash ?? '0'.repeat(64);
    const text = canonicalize({
      agentId: ENTITY,
      eventType: 'noted',
      occurredAt: '2026-03-01T09:30:00.000Z',
      payload: { body: { i }, environment: 'test', organisation: 'default', proofId: `p${i}` },
      previousHash,
    });
    items.push({
      proofId: `p${i}`,
      event: 'noted',
      entityId: ENTITY,
      record: Buffer.from(text).toString('base64'),
      index: 10 + 3 * i,
      chainIndex: i,
      eventHash: createHash('sha256').update(text).digest('hex'),
      previousHash,
    });
  }
  return items;
}

function headOf(items: readonly ChainItem[]): ChainHead | null {
  const last = items.at(-1);
  return last === undefined ? null : { chainIndex: last.chainIndex, eventHash: last.eventHash };
}

function problemWith(items: readonly ChainItem[], head = headOf(items)): string | undefined {
  const check = checkChain(ENTITY, items, head);
  return 'problem' in check ? check.problem : undefined;
}

/** A chain with one item changed. */
function changed(at: number, change: (item: ChainItem) => Partial<ChainItem>): ChainItem[] {
  return chainOf(4).map((item, i) => (i === at ? { ...item, ...change(item) } : item));
}

/** The record with some of its text replaced. */
function rewritten(item: ChainItem, from: string, to: string): string {
  return Buffer.from(
    Buffer.from(item.record ?? '', 'base64')
      .toString()
      .replace(from, to),
  ).toString('base64');
}

describe("the demo's check of a chain", () => {
  it('accepts complete chains of any length, and returns their records', () => {
    for (const length of [0, 1, 2, 9]) expect(problemWith(chainOf(length)), `${length} records`).to.equal(undefined);
    const check = checkChain(ENTITY, chainOf(3), headOf(chainOf(3)));
    expect('records' in check && check.records.map(({ payload }) => payload.body)).to.deep.equal([
      { i: 0 },
      { i: 1 },
      { i: 2 },
    ]);
  });

  const wrong: Readonly<Record<string, readonly [ChainItem[], string]>> = {
    'an altered body': [changed(1, (item) => ({ record: rewritten(item, '"i":1', '"i":2') })), 'another hash'],
    'an altered body with a recomputed hash': [
      changed(1, (item) => {
        const record = rewritten(item, '"i":1', '"i":2');
        return { record, eventHash: createHash('sha256').update(Buffer.from(record, 'base64')).digest('hex') };
      }),
      'record 2 of invoice-7 does not name',
    ],
    'a missing record': [chainOf(4).filter((_, i) => i !== 1), 'is numbered 2'],
    'reordered records': [
      [0, 2, 1, 3].flatMap((from) => chainOf(4)[from] ?? []).map((item, i) => ({ ...item, chainIndex: i })),
      'record 1 of invoice-7 does not name',
    ],
    'a decreasing log index': [changed(2, () => ({ index: 5 })), 'in the log'],
    'a first record that has a predecessor': [
      chainOf(3)
        .slice(1)
        .map((item, i) => ({ ...item, chainIndex: i })),
      'record 0',
    ],
    'non-canonical bytes': [changed(0, (item) => ({ record: rewritten(item, ',"', ', "') })), 'canonical'],
    "another entity's record": [changed(3, () => ({ entityId: 'invoice-8' })), 'another entity'],
    'an event that the record does not name': [changed(2, () => ({ event: 'paid' })), 'another one'],
    'a proofId that the record does not name': [changed(2, () => ({ proofId: 'p9' })), 'another one'],
  };
  for (const [name, [items, problem]] of Object.entries(wrong))
    it(`finds ${name}`, () => expect(problemWith(items)).to.contain(problem));

  it('finds a head that is not the last record', () => {
    expect(problemWith(chainOf(3), headOf(chainOf(4)))).to.contain('the head');
    expect(problemWith(chainOf(3), headOf(chainOf(2)))).to.contain('the head');
    expect(problemWith([], headOf(chainOf(1)))).to.contain('the head');
  });
});

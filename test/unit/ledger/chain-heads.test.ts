// The remembered heads of chains hold for one state of a log only.
import { expect } from 'chai';
import { createChainHeads, type LogState, readHeads } from '../../../shared/domain/ledger/chain-heads.ts';

const state = (size: number, frontier = 'same', logId = 1): LogState => ({
  log_id: logId,
  size: String(size),
  frontier: Buffer.from(frontier),
});
const head = (chainIndex: number) => ({ chainIndex, eventHash: String(chainIndex) });

describe('the remembered heads of chains', () => {
  it('are those of the state after the last batch, and no others', () => {
    const heads = createChainHeads();
    heads.appended(new Map([['a', head(0)]]), state(0), state(1));
    heads.appended(new Map([['b', head(0)]]), state(1), state(2));
    expect([...heads.of(state(2)).keys()]).to.deep.equal(['a', 'b']);
    for (const other of [state(1), state(3), state(2, 'of a backup'), state(2, 'same', 2)])
      expect(heads.of(other).size).to.equal(0);
  });

  it('are forgotten when another process has appended in between', () => {
    const heads = createChainHeads();
    heads.appended(new Map([['a', head(0)]]), state(0), state(1));
    heads.appended(new Map([['b', head(3)]]), state(5), state(6));
    expect([...heads.of(state(6)).keys()]).to.deep.equal(['b']);
  });

  it('are those of the chains that were appended to last, up to a limit', () => {
    const heads = createChainHeads();
    const many = Array.from({ length: 20_000 }, (_, i) => [`e${i}`, head(i)] as const);
    heads.appended(new Map(many), state(0), state(1));
    heads.appended(new Map([['e0', head(7)]]), state(1), state(2));
    heads.appended(new Map([['new', head(0)]]), state(2), state(3));
    const known = heads.of(state(3));
    expect(known.size).to.equal(20_000);
    expect(known.get('e0')).to.deep.equal(head(7));
    expect(known.has('e1')).to.equal(false);
  });

  it('are not looked up, and the others are', async () => {
    const asked: unknown[] = [];
    const sql = {
      query: async (_statement: string, values: readonly unknown[]) => {
        asked.push(values.at(-1));
        return [{ entity_id: 'b', chain_index: '4', event_hash: 'ff' }] as never[];
      },
    };
    const known = new Map([['a', head(2)]]);
    const found = await readHeads(sql, ['org', 'live'], ['a', 'b', 'a', 'c'], known);
    expect(asked).to.deep.equal([['b', 'c']]);
    expect([...found]).to.deep.equal([
      ['a', head(2)],
      ['b', { chainIndex: 4, eventHash: 'ff' }],
    ]);
    expect((await readHeads(sql, ['org', 'live'], ['a'], known)).size).to.equal(1);
    expect(asked).to.have.lengthOf(1);
  });
});

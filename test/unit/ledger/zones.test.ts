// Zones of leaves: the summary stored for 256 leaves, and the marks that make them searchable.
import { expect } from 'chai';
import { leafMark, ZONE, type ZoneLeaf, zonesOf } from '../../../shared/domain/ledger/zones.ts';

const leaf = (n: number): ZoneLeaf => ({ event: `e${n % 3}`, entityId: `a${n % 5}`, occurredAtMs: 1_000 + n });

describe('zones of leaves', () => {
  it('a mark never changes, because it is stored', () => {
    expect(leafMark('', '')).to.equal(252_472_541);
    expect(leafMark('custos.decision', '')).to.equal(-988_109_854);
    expect(leafMark('', 'agent-7')).to.equal(-1_859_272_774);
    expect(leafMark('order.päid', '注文 𝟞')).to.equal(-1_436_971_248);
  });

  it('an event, an entity and an event of an entity have marks of their own', () => {
    const texts = ['', 'a', 'b', 'ab', 'ba', 'aa'];
    const marks = texts.flatMap((event) => texts.map((entity) => leafMark(event, entity)));
    expect(new Set(marks).size).to.equal(marks.length);
  });

  it('contain the earliest and the latest time, and every mark once, in order', () => {
    const leaves = Array.from({ length: ZONE }, (_, n) => leaf(n)).reverse();
    const [zone, ...others] = zonesOf(512, leaves);
    expect(others).to.deep.equal([]);
    expect([zone?.firstIndex, zone?.earliestMs, zone?.latestMs]).to.deep.equal([512, 1_000, 1_000 + ZONE - 1]);
    const marks = new Set(
      leaves.flatMap(({ event, entityId }) => [leafMark(event, ''), leafMark('', entityId), leafMark(event, entityId)]),
    );
    expect([...(zone?.marks ?? [])]).to.deep.equal([...marks].sort((a, b) => a - b));
  });

  it('are only those that are complete', () => {
    const of = (count: number): number[] =>
      zonesOf(
        0,
        Array.from({ length: count }, (_, n) => leaf(n)),
      ).map(({ firstIndex }) => firstIndex);
    expect(of(0)).to.deep.equal([]);
    expect(of(ZONE - 1)).to.deep.equal([]);
    expect(of(ZONE)).to.deep.equal([0]);
    expect(of(3 * ZONE - 1)).to.deep.equal([0, ZONE]);
  });
});

// `Prefer: wait=N`: which headers ask for a wait, and how waits start and end.
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { preferredWaitSeconds } from '../../../ingress/waits/prefer.ts';
import type { Awaited } from '../../../ingress/waits/settled.ts';
import { createWaits, type WaitOptions } from '../../../ingress/waits/waits.ts';
import { createGate } from '../../support/gate.ts';

describe('A Prefer header', () => {
  const cases: readonly (readonly [string | undefined, number | undefined])[] = [
    [undefined, undefined],
    ['', undefined],
    ['wait=1', 1],
    ['wait=30', 30],
    ['wait=31', 30],
    ['wait=99999999999999999999', 30],
    ['WAIT=5', 5],
    ['wait = 5', 5],
    ['wait="5"', 5],
    ['wait=05', 5],
    ['respond-async, wait=10', 10],
    ['return=minimal; foo="a, wait=3"; bar, wait=10; x=y', 10],
    ['foo="a \\" , wait=3", wait=10', 10],
    [', ,wait=10', 10],
    ['wait=10, wait=20', 10],
    ['wait=x, wait=20', undefined],
    ['wait=0', undefined],
    ['wait=-1', undefined],
    ['wait=1.5', undefined],
    ['wait=1e1', undefined],
    ['wait=', undefined],
    ['wait', undefined],
    ['waiting=10', undefined],
    ['foo="wait=10', undefined],
    ['wait=10 20', undefined],
    ['respond-async', undefined],
    [`wait=10, ${'; '.repeat(600)}`, undefined],
  ];
  for (const [header, seconds] of cases)
    it(`${JSON.stringify(header)?.slice(0, 60)} asks for ${seconds ?? 'no'} seconds`, () =>
      expect(preferredWaitSeconds(header)).to.equal(seconds));
});

const HOUR_MS = 3_600_000;

describe('Waits', () => {
  const awaited = (id: string, organisationId = 'org_1'): Awaited => ({
    kind: 'intent',
    owner: { organisationId, environment: 'live' },
    id,
  });
  const never = new AbortController().signal;

  function setUp(options: WaitOptions = {}) {
    const state = { settled: new Set<string>(), reads: [] as string[][], errors: 0, isFailing: false };
    const registry = new Registry();
    const waits = createWaits({
      async readSettled(list) {
        state.reads.push(list.map(({ id }) => id));
        if (state.isFailing) throw new Error('the database is away');
        return list.flatMap(({ id }, place) => (state.settled.has(id) ? [place] : []));
      },
      onError: () => (state.errors += 1),
      registry,
      options: { pollMs: HOUR_MS, ...options },
    });
    const waiting = async (): Promise<number | undefined> =>
      (await registry.getSingleMetric('custos_waiting_requests')?.get())?.values[0]?.value;
    return { state, waits, waiting };
  }

  it('end at once when it was settled before the wait began', async () => {
    const { state, waits, waiting } = setUp();
    state.settled.add('a');
    expect(await waits.start(awaited('a'), 30, never)).to.equal('settled');
    expect(await waiting()).to.equal(0);
  });

  it('end on the notification, all with one query, and only those that are settled', async () => {
    const { state, waits, waiting } = setUp();
    const [a, b] = [waits.start(awaited('a'), 30, never), waits.start(awaited('b'), 30, never)];
    await Promise.resolve();
    state.settled.add('b');
    waits.check();
    expect(await b).to.equal('settled');
    expect(state.reads.at(-1)).to.deep.equal(['a', 'b']);
    expect(await waiting()).to.equal(1);
    waits.close();
    expect(await a).to.equal('ended');
  });

  it('do not miss what is settled during a read', async () => {
    const gate = createGate();
    const reads: number[] = [];
    const waits = createWaits({
      async readSettled() {
        reads.push(reads.length);
        if (reads.length > 1) return [0];
        await gate.opened;
        return [];
      },
      onError: () => undefined,
      registry: new Registry(),
      options: { pollMs: HOUR_MS },
    });
    const end = waits.start(awaited('a'), 30, never);
    waits.check();
    gate.open();
    expect(await end).to.equal('settled');
  });

  it('end by reading now and then when notifications are lost or the database was away', async () => {
    const { state, waits } = setUp({ pollMs: 5 });
    state.isFailing = true;
    const end = waits.start(awaited('a'), 30, never);
    await Promise.resolve();
    state.settled.add('a');
    state.isFailing = false;
    expect(await end).to.equal('settled');
    expect(state.errors).to.equal(1);
  });

  it('end at their deadline and when the client goes, and are not read any more', async () => {
    const { state, waits, waiting } = setUp();
    const client = new AbortController();
    const ends = [waits.start(awaited('a'), 0.01, never), waits.start(awaited('b'), 30, client.signal)];
    client.abort();
    expect(await Promise.all(ends)).to.deep.equal(['late', 'ended']);
    expect(await waiting()).to.equal(0);
    const { length } = state.reads;
    waits.check();
    expect(state.reads.length).to.equal(length);
  });

  it('are refused beyond the limits of the process and of an organisation, and after the end', async () => {
    const { waits } = setUp({ max: 3, maxOfOrganisation: 2 });
    const ends = [waits.start(awaited('a'), 30, never), waits.start(awaited('b'), 30, never)];
    expect(waits.start(awaited('c'), 30, never)).to.equal(undefined);
    ends.push(waits.start(awaited('d', 'org_2'), 30, never));
    expect(waits.start(awaited('e', 'org_3'), 30, never)).to.equal(undefined);
    waits.close();
    expect(await Promise.all(ends)).to.deep.equal(['ended', 'ended', 'ended']);
    expect(waits.start(awaited('f'), 30, never)).to.equal(undefined);
  });
});

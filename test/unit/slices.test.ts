// Long computations beside other work: each has the event loop for one slice, and only one of them in each turn.
import { expect } from 'chai';
import { allInSlices, createPause, settleInSlices } from '../../shared/platform/process/slices.ts';

/** A clock that only moves when something is computed. */
function createSteps() {
  let ms = 0;
  return {
    monotonicMs: () => ms,
    compute: (tookMs: number): void => {
      ms += tookMs;
    },
  };
}

/** Counts the turns of the event loop until `work` ends. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

describe('tasks that are started in slices', () => {
  const items = Array.from({ length: 20 }, (_, i) => i);
  const startAll = (stepMs: number): Promise<number> => {
    const { monotonicMs, compute } = createSteps();
    return turnsOf(() => allInSlices(items, async () => compute(stepMs), { monotonicMs }));
  };

  it('let other work go on after each long one, and cost no turn when they are short', async () => {
    expect(await startAll(50)).to.be.at.least(19);
    expect(await startAll(0.1)).to.be.below(5);
  });

  it('share the turns with other computations: of all together, one has a slice in each', async () => {
    const turns = await turnsOf(() => Promise.all(items.map(() => startAll(50))));
    expect(turns).to.be.at.least(19 * items.length);
  });

  it('keep their order, and settle all before one that failed is told', async () => {
    const { monotonicMs, compute } = createSteps();
    const start = async (item: number): Promise<number> => {
      compute(50);
      if (item % 2 === 1) throw new Error(`no ${item}`);
      return item;
    };
    const settled = await settleInSlices(items, start, { monotonicMs });
    expect(settled.map((one) => one.status === 'fulfilled')).to.deep.equal(items.map((item) => item % 2 === 0));
    const failed = await allInSlices(items, start, { monotonicMs }).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failed).to.be.an('error').with.property('message', 'no 1');
  });
});

describe('a pause', () => {
  it('waits for a turn only when the slice is over', async () => {
    const { monotonicMs, compute } = createSteps();
    const pause = createPause({ monotonicMs });
    const short = await turnsOf(async () => {
      for (let i = 0; i < 4; i += 1) {
        compute(1);
        await pause();
      }
    });
    const long = await turnsOf(async () => {
      for (let i = 0; i < 4; i += 1) {
        compute(10);
        await pause();
      }
    });
    expect([short <= 1, long >= 4]).to.deep.equal([true, true]);
  });
});

// Group commit against a scripted database.
import { expect } from 'chai';
import type { Database } from '../../../shared/platform/db/database.ts';
import { createGroupCommit, type GroupCommit } from '../../../shared/platform/db/group-commit.ts';
import { ApiError } from '../../../shared/kernel/errors.ts';

interface Call {
  readonly items: readonly string[];
  readonly finish: () => void;
}

/** A database whose inserts end when the test lets them; `refuse` decides about each. */
function fakeDatabase(refuse: (items: readonly string[]) => unknown = () => undefined) {
  const calls: Call[] = [];
  const committed: string[] = [];
  let running = 0;
  let mostRunning = 0;
  let automatic = true;
  const db = {
    async query(_statement: unknown, values: readonly unknown[]) {
      // The columns below have one member: the items.
      const items = values[0] as readonly string[];
      running += 1;
      mostRunning = Math.max(mostRunning, running);
      await new Promise<void>((resolve) => {
        calls.push({ items, finish: resolve });
        if (automatic) setImmediate(resolve);
      });
      running -= 1;
      const error = refuse(items);
      if (error !== undefined) throw error;
      committed.push(...items);
      return [];
    },
  } as unknown as Database;
  return {
    db,
    calls,
    committed,
    mostRunning: () => mostRunning,
    hold: () => (automatic = false),
    release: () => {
      automatic = true;
      for (const call of calls) call.finish();
    },
  };
}

function groupOf(db: Database, more: { maxRows?: number; maxWaiting?: number } = {}): GroupCommit<string, void> {
  return createGroupCommit<string>({
    db,
    statement: '',
    columns: (items) => [items],
    result: () => undefined,
    sizeOf: (item) => item.length,
    maxRows: 500,
    maxWaiting: 1_000,
    ...more,
  });
}

const postgresError = (code: string): Error => Object.assign(new Error(code), { code });
const settle = (added: readonly Promise<void>[]): Promise<string[]> =>
  Promise.all(
    added.map((one) =>
      one.then(
        () => 'ok',
        (error: unknown) => (error as { code: string }).code,
      ),
    ),
  );

describe('group commit', () => {
  it('writes rows of one turn of the event loop with one statement, in order', async () => {
    const fake = fakeDatabase();
    const group = groupOf(fake.db);
    await Promise.all(['a', 'b', 'c'].map((item) => group.add(item)));
    expect(fake.calls.map((call) => call.items)).to.deep.equal([['a', 'b', 'c']]);
  });

  it('has one flush in flight; the next one has all rows that arrived meanwhile, in order', async () => {
    const fake = fakeDatabase();
    const group = groupOf(fake.db);
    fake.hold();
    const added = [group.add('first')];
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    for (let i = 0; i < 20; i += 1) {
      added.push(group.add(`${i}`));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(fake.calls).to.have.lengthOf(1);
    fake.release();
    await Promise.all(added);
    expect(fake.calls.map((call) => call.items)).to.deep.equal([
      ['first'],
      Array.from({ length: 20 }, (_, i) => `${i}`),
    ]);
    expect(fake.mostRunning()).to.equal(1);
  });

  it('waits a moment for others after a large statement, and not after a small one', async () => {
    for (const [members, statements] of [
      [8, 2],
      [7, 3],
    ] as const) {
      const fake = fakeDatabase();
      const group = groupOf(fake.db);
      const first = Array.from({ length: members }, (_, i) => group.add(`first ${i}`));
      const waiting = new Promise<void>((resolve) => setImmediate(resolve)).then(() => group.add('during'));
      // Who was answered asks again, after all that this turn of the event loop does at once.
      await first[0];
      await new Promise<void>((resolve) => process.nextTick(resolve));
      await Promise.all([...first, waiting, group.add('again')]);
      await group.idle();
      expect(fake.committed.slice(members), `${members} members`).to.deep.equal(['during', 'again']);
      expect(fake.calls, `${members} members`).to.have.lengthOf(statements);
    }
  });

  it('never joins large rows into one huge statement, and writes one that is larger alone', async () => {
    const fake = fakeDatabase();
    const group = groupOf(fake.db);
    const large = ['a', 'b', 'c'].map((letter) => letter.repeat(3_000_000));
    const added = [...large, 'd'.repeat(9_000_000), 'e', 'f'].map((item) => group.add(item));
    await Promise.all(added);
    expect(fake.calls.map((call) => call.items.map((item) => item.charAt(0)).join(''))).to.deep.equal([
      'a',
      'b',
      'c',
      'd',
      'ef',
    ]);
  });

  it('never exceeds the maximum number of rows of a statement', async () => {
    const fake = fakeDatabase();
    const group = groupOf(fake.db, { maxRows: 4 });
    await Promise.all(Array.from({ length: 10 }, (_, i) => group.add(`${i}`)));
    expect(fake.calls.map((call) => call.items.length)).to.deep.equal([4, 4, 2]);
    expect(fake.committed).to.deep.equal(Array.from({ length: 10 }, (_, i) => `${i}`));
  });

  for (const code of ['22021', '22P02', '23505', '23514'])
    it(`fails only the member whose data is refused (${code}); its neighbours are written, once and in order`, async () => {
      const fake = fakeDatabase((items) => (items.includes('bad') ? postgresError(code) : undefined));
      const group = groupOf(fake.db);
      expect(await settle(['a', 'bad', 'b', 'c'].map((item) => group.add(item)))).to.deep.equal([
        'ok',
        code,
        'ok',
        'ok',
      ]);
      expect(fake.committed).to.deep.equal(['a', 'b', 'c']);
      expect(fake.mostRunning()).to.equal(1);
    });

  it('fails only the member whose data cannot even be sent', async () => {
    const fake = fakeDatabase();
    const group = createGroupCommit<string>({
      db: fake.db,
      statement: '',
      result: () => undefined,
      sizeOf: (item) => item.length,
      columns: (items) => {
        if (items.includes('bad')) throw Object.assign(new Error('a line feed'), { code: 'NOT_SENT' });
        return [items];
      },
      maxRows: 10,
      maxWaiting: 10,
    });
    expect(await settle(['a', 'bad', 'b'].map((item) => group.add(item)))).to.deep.equal(['ok', 'NOT_SENT', 'ok']);
  });

  it('fails all members when the connection is lost, with E6002, and works again afterwards', async () => {
    let away = true;
    const lost = new ApiError('E6002', 'away');
    const fake = fakeDatabase(() => (away ? lost : undefined));
    const group = groupOf(fake.db);
    expect(await settle(['a', 'b', 'c'].map((item) => group.add(item)))).to.deep.equal(['E6002', 'E6002', 'E6002']);
    expect(fake.calls, 'no member waits for a second deadline').to.have.lengthOf(1);
    away = false;
    await group.add('d');
    expect(fake.committed).to.deep.equal(['d']);
  });

  it('fails the rest at once when the connection is lost while members are tried one by one', async () => {
    const fake = fakeDatabase((items) => {
      if (items.length > 1) return postgresError('22021');
      return items[0] === 'a' ? undefined : new ApiError('E6002', 'away');
    });
    const group = groupOf(fake.db);
    const added = ['a', 'b', 'c', 'd', 'e'].map((item) => group.add(item));
    expect(await settle(added)).to.deep.equal(['ok', 'E6002', 'E6002', 'E6002', 'E6002']);
    expect(fake.calls.map((call) => call.items.length)).to.deep.equal([5, 1, 1]);
  });

  it('does not retry members one by one when the statement itself is wrong', async () => {
    const fake = fakeDatabase(() => postgresError('42P01'));
    const group = groupOf(fake.db);
    expect(await settle(['a', 'b'].map((item) => group.add(item)))).to.deep.equal(['42P01', '42P01']);
    expect(fake.calls).to.have.lengthOf(1);
  });

  it('refuses rows beyond the limit with E6002, and keeps the waiting ones', async () => {
    const fake = fakeDatabase();
    const group = groupOf(fake.db, { maxWaiting: 3 });
    const added = Array.from({ length: 5 }, (_, i) => group.add(`${i}`));
    expect(await settle(added)).to.deep.equal(['ok', 'ok', 'ok', 'E6002', 'E6002']);
    expect(fake.committed).to.deep.equal(['0', '1', '2']);
  });

  it('is idle once everything has been written', async () => {
    const fake = fakeDatabase();
    const group = groupOf(fake.db, { maxRows: 1 });
    const added = ['a', 'b', 'c'].map((item) => group.add(item));
    await group.idle();
    expect(fake.committed).to.deep.equal(['a', 'b', 'c']);
    await Promise.all(added);
    await group.idle();
  });
});

// Group commit: concurrent members share one INSERT. One flush is in flight at a time, and the next one takes what
// arrived meanwhile, so the batch grows with the load and a single request does not wait. Under load the next one waits a moment for others.
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../../kernel/errors.ts';
import { type Database, isStatementError, type Statement } from './database.ts';

export interface GroupCommitOptions<Member, Result> extends GroupLimits<Member> {
  readonly db: Database;
  /** Inserts the rows of all members. */
  readonly statement: Statement;
  /** The parameters of the statement for these members. */
  readonly columns: (members: readonly Member[]) => unknown[];
  /** The result of every member, from the rows that the statement returned. */
  readonly result: (rows: readonly object[]) => Result;
}

export interface GroupTransactionOptions<Member, Result> extends GroupLimits<Member> {
  /** Commits all members, or none of them. */
  readonly write: (members: readonly Member[]) => Promise<Result>;
}

interface GroupLimits<Member> {
  /** Most members per statement. */
  readonly maxRows: number;
  /** The size of a member in characters: a statement holds at most MAX_STATEMENT_SIZE of them, or one member. */
  readonly sizeOf: (member: Member) => number;
  /** Most members waiting; further ones get E6002 (backpressure) instead of filling the memory. */
  readonly maxWaiting: number;
}

/**
 * After a flush of so many members the next one begins this much later: a statement costs PostgreSQL and this process some 200 microseconds
 * each, whatever is in it, and those that were answered have asked again by then. PostgreSQL's commit_delay does the same for commits.
 */
const BUSY_MEMBERS = 8;
const GATHER_MS = 1;

/** A member may hold a caller's megabyte. Many of them must not become a statement of half a gigabyte. */
const MAX_STATEMENT_SIZE = 4_000_000;

export interface GroupCommit<Member, Result> {
  /**
   * Resolves when the member is committed, with the result of its group.
   * @throws {ApiError} E6002 when the connection was lost (the outcome is unknown) or too much is waiting; otherwise the
   * database's error if it refused this member
   */
  add(member: Member): Promise<Result>;
  /** Resolves when nothing is waiting or in flight. */
  idle(): Promise<void>;
}

interface Waiting<Member, Result> {
  readonly member: Member;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export function createGroupCommit<Member, Result = void>(
  options: GroupCommitOptions<Member, Result>,
): GroupCommit<Member, Result> {
  const { db, statement, columns, result } = options;
  return createGroupTransaction({
    ...options,
    write: async (members) => result(await db.query(statement, columns(members))),
  });
}

/** The same for members that need a transaction of several statements. */
export function createGroupTransaction<Member, Result>(
  options: GroupTransactionOptions<Member, Result>,
): GroupCommit<Member, Result> {
  const { write, maxRows, maxWaiting, sizeOf } = options;
  let waiting: Waiting<Member, Result>[] = [];
  let flushing: Promise<void> | undefined;

  const insert = async (batch: readonly Waiting<Member, Result>[]): Promise<void> => {
    let result: Result;
    try {
      result = await write(batch.map((w) => w.member));
    } catch (error) {
      const [only] = batch;
      if (error instanceof ApiError) {
        // The connection is lost. Waiting members would meet the same trouble later, and have not been sent.
        const all = [...batch, ...waiting];
        waiting = [];
        for (const w of all) w.reject(error);
        return;
      }
      if (batch.length === 1 && only !== undefined) return only.reject(error);
      if (isStatementError(error)) {
        for (const w of batch) w.reject(error);
        return;
      }
      await insertOneByOne(batch);
      return;
    }
    for (const w of batch) w.resolve(result);
  };

  /** The data of one member is at fault; the others are inserted one by one. */
  const insertOneByOne = async (batch: readonly Waiting<Member, Result>[]): Promise<void> => {
    let lost: ApiError | undefined;
    for (const w of batch) {
      if (lost === undefined) {
        try {
          w.resolve(await write([w.member]));
          continue;
        } catch (error) {
          w.reject(error);
          // Waiting for a timeout for each of hundreds would take minutes.
          if (error instanceof ApiError) lost = error;
        }
      } else w.reject(lost);
    }
  };

  /** How many waiting members fit into one statement. */
  const fitting = (): number => {
    let size = 0;
    let count = 0;
    for (const { member } of waiting) {
      size += sizeOf(member);
      if (count === maxRows || (count > 0 && size > MAX_STATEMENT_SIZE)) break;
      count += 1;
    }
    return count;
  };

  const flush = async (): Promise<void> => {
    let isBusy = false;
    while (waiting.length > 0) {
      if (isBusy && waiting.length < maxRows) await delay(GATHER_MS);
      const count = fitting();
      isBusy = count >= BUSY_MEMBERS;
      const batch = count === waiting.length ? waiting : waiting.slice(0, count);
      waiting = batch === waiting ? [] : waiting.slice(count);
      await insert(batch);
    }
    flushing = undefined;
  };

  return {
    add(member) {
      if (waiting.length >= maxWaiting) {
        return Promise.reject(
          new ApiError('E6002', 'The service is writing more than it can; come back in a moment.', {
            headers: { 'retry-after': '1' },
          }),
        );
      }
      return new Promise<Result>((resolve, reject) => {
        waiting.push({ member, resolve, reject });
        // Members that arrive in the same turn of the event loop share a statement.
        flushing ??= new Promise<void>((done) => setImmediate(done)).then(flush);
      });
    },
    async idle() {
      while (flushing !== undefined) await flushing;
    },
  };
}

// Group commit: concurrent rows become one INSERT. One flush is in flight at a time, and the next one gathers what
// arrives meanwhile, so that the batch grows with the load and a lone request waits for nobody.
import { ApiError } from '../../kernel/errors.ts';
import { type Database, isStatementError, type Statement } from './database.ts';

export interface GroupCommitOptions<Item, Result> {
  readonly db: Database;
  /** Inserts all rows of its array parameters in one statement. */
  readonly statement: Statement;
  /** The statement's parameters, one array a column. */
  readonly columns: (items: readonly Item[]) => unknown[];
  /** What the rows that the statement returned say to every member of the group. */
  readonly result: (rows: readonly object[]) => Result;
  /** Most rows a statement. */
  readonly maxRows: number;
  /** How large a row is, in characters: a statement takes at most MAX_STATEMENT_SIZE of them, and always one row. */
  readonly sizeOf: (item: Item) => number;
  /** Most rows waiting; more are refused with E6002 rather than kept in memory without end. */
  readonly maxWaiting: number;
}

/** Rows may hold a caller's megabyte each; all of them together must not become one statement of half a gigabyte. */
const MAX_STATEMENT_SIZE = 4_000_000;

export interface GroupCommit<Item, Result> {
  /**
   * Resolves when the item is committed, with what the statement said of its group.
   * @throws {ApiError} E6002 when the connection was lost (the outcome is unknown) or too much is waiting; the
   * database's own error when it refused this very item.
   */
  add(item: Item): Promise<Result>;
  /** Resolves when nothing is waiting or in flight. */
  idle(): Promise<void>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export function createGroupCommit<Item, Result = void>(
  options: GroupCommitOptions<Item, Result>,
): GroupCommit<Item, Result> {
  const { db, statement, columns, maxRows, maxWaiting, sizeOf } = options;
  let waiting: Waiting<Item, Result>[] = [];
  let flushing: Promise<void> | undefined;

  const insert = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    let result: Result;
    try {
      const rows = await db.query(statement, columns(batch.map((w) => w.item)));
      result = options.result(rows);
    } catch (error) {
      const [only] = batch;
      if (error instanceof ApiError) {
        // The connection is lost. Whoever waits would only meet the same trouble later; their rows have not been sent.
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

  /** One member's data is at fault, and its neighbours must not pay for it. */
  const insertOneByOne = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    let lost: ApiError | undefined;
    for (const w of batch) {
      if (lost === undefined) {
        try {
          w.resolve(options.result(await db.query(statement, columns([w.item]))));
          continue;
        } catch (error) {
          w.reject(error);
          // A deadline for each of hundreds would be a hang for the last.
          if (error instanceof ApiError) lost = error;
        }
      } else w.reject(lost);
    }
  };

  /** How many of those that wait fit into one statement. */
  const fitting = (): number => {
    let size = 0;
    let count = 0;
    for (const { item } of waiting) {
      size += sizeOf(item);
      if (count === maxRows || (count > 0 && size > MAX_STATEMENT_SIZE)) break;
      count += 1;
    }
    return count;
  };

  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const count = fitting();
      const batch = count === waiting.length ? waiting : waiting.slice(0, count);
      waiting = batch === waiting ? [] : waiting.slice(count);
      await insert(batch);
    }
    flushing = undefined;
  };

  return {
    add(item) {
      if (waiting.length >= maxWaiting) {
        return Promise.reject(
          new ApiError('E6002', 'The service is writing more than it can; come back in a moment.', {
            headers: { 'retry-after': '1' },
          }),
        );
      }
      return new Promise<Result>((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        // Rows that arrive in the same turn of the event loop go together.
        flushing ??= new Promise<void>((done) => setImmediate(done)).then(flush);
      });
    },
    async idle() {
      while (flushing !== undefined) await flushing;
    },
  };
}

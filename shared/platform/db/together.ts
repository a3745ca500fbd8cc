// Several prepared statements in one round trip. Each of the two saves a system call and a wake-up of the server's process, which together
// cost as much as a small statement.
import pg from 'pg';

export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/** Members of pg's connections and queries that its types don't declare. */
interface Wire extends pg.Connection {
  /** Statements that the session has, by name. */
  readonly parsedStatements: Record<string, string>;
  /** Statements whose preparation the server has not confirmed yet. */
  readonly submittedNamedStatements: Record<string, string>;
}
interface Preparing {
  /** Writes the messages of a statement, and ends with a call of `sync`. */
  prepare(connection: pg.Connection): void;
}

/**
 * One query of pg for all statements: the server runs them in order up to the `Sync` at the end, and after an error none of the rest. Each
 * sees what the ones before it did, and what others have committed when it starts.
 */
class TogetherQuery extends pg.Query {
  constructor(
    statements: readonly PreparedStatement[],
    callback: (error: Error | undefined, results: pg.QueryResult | pg.QueryResult[]) => void,
  ) {
    super({ text: '' }, callback as never);
    this.submit = (connection) => {
      const wire = connection as Wire;
      const fresh = new Map(
        statements
          .filter(({ name }) => wire.parsedStatements[name] === undefined)
          .map(({ name, text }) => [name, text]),
      );
      const { stream } = wire;
      stream.cork();
      try {
        // The same connection, on which each statement omits its own Sync, and stays prepared when a value can't be sent.
        const omitted = { value: () => undefined };
        const open = Object.create(wire, { sync: omitted, close: omitted }) as Wire;
        for (const statement of statements) (new pg.Query(statement) as unknown as Preparing).prepare(open);
      } finally {
        // Also after a value that can't be sent: without it the server would wait for more.
        wire.sync();
        stream.uncork();
      }
      noteParsed(wire, fresh);
    };
  }
}

/** pg itself remembers one statement of a query only. @param fresh texts of the statements to be prepared by their names, in order */
function noteParsed(wire: Wire, fresh: ReadonlyMap<string, string>): void {
  if (fresh.size === 0) return;
  const waiting = fresh.entries();
  const onParsed = (): void => {
    const { value } = waiting.next();
    if (value !== undefined) wire.parsedStatements[value[0]] = value[1];
  };
  wire.on('parseComplete', onParsed);
  wire.once('readyForQuery', () => {
    wire.off('parseComplete', onParsed);
    for (const name of fresh.keys()) delete wire.submittedNamedStatements[name];
  });
}

/**
 * Runs statements in one round trip, in this order. Their names and texts belong together, as in every query by name.
 * @returns the rows of each
 * @throws the error of the first one that fails
 */
export function queryTogether(
  client: pg.ClientBase,
  statements: readonly PreparedStatement[],
): Promise<readonly object[][]> {
  return new Promise((resolve, reject) => {
    const query = new TogetherQuery(statements, (error, results) => {
      if (error) reject(error);
      else resolve([results].flat().map(({ rows }) => rows));
    });
    client.query(query);
  });
}

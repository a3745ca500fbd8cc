// The statements that services of this process send to PostgreSQL while something runs.
import pg from 'pg';

export interface RecordedStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

interface Config {
  readonly text: string;
  readonly values?: readonly unknown[];
}
type Query = (this: unknown, config: string | Config, values?: unknown, ...rest: unknown[]) => unknown;

/** Runs `work` alone: what anything else in this process asks meanwhile is recorded, too. */
export async function recordStatements(work: () => Promise<unknown>): Promise<RecordedStatement[]> {
  const recorded: RecordedStatement[] = [];
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const { query } = prototype;
  prototype.query = function record(config, values, ...rest) {
    const { text, values: own = values } = typeof config === 'string' ? { text: config } : config;
    recorded.push({ text, values: Array.isArray(own) ? own : [] });
    return query.call(this, config, values, ...rest);
  };
  try {
    await work();
  } finally {
    prototype.query = query;
  }
  return recorded;
}

// Measures the time from accepting work to its completion, as a reader of the database sees it: only committed work counts.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { quantile } from './numbers.ts';

/** How accepted work is completed: proofs are anchored, signals folded, intents decided. */
export type Completion = 'anchored' | 'folded' | 'decided';

/** Completion of all work that one round accepted, warm-up included. Latency in milliseconds from acceptance. */
export interface CarriedOut {
  readonly outcome: Completion;
  readonly count: number;
  /** From the first acceptance to the last completion. */
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** One polled value of progress. */
interface ProgressStep {
  readonly atMs: number;
  readonly count: number;
}

/** One unit of accepted work. */
interface WorkUnit {
  readonly since_ms: number;
  /** It is complete once progress has reached this count. */
  readonly nth: number | null;
  /** For work without such an order: the time of completion in its row. */
  readonly until_ms: number | null;
}

interface Queries {
  /** One number that grows as work is completed, in the order of the units. */
  readonly progress: string;
  /** Whether any work is still waiting. */
  readonly waiting: string;
  /** All work completed after $1, a value of progress, or accepted after $2. */
  readonly units: string;
}

const MS = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::float8`;
const LOG_SIZE = 'SELECT coalesce(sum(size), 0)::float8 AS n FROM log';

const QUERIES: Readonly<Record<Completion, Queries>> = {
  // The time in a leaf is taken before its transaction commits; the size of the log shows when the leaf could be read.
  anchored: {
    progress: LOG_SIZE,
    waiting: 'SELECT EXISTS (SELECT FROM log_inbox) AS yes',
    units: `SELECT ${MS('occurred_at')} AS since_ms, (leaf_index + 1)::float8 AS nth, NULL::float8 AS until_ms
      FROM leaf WHERE leaf_index >= $1 AND occurred_at >= to_timestamp($2::float8 / 1000) ORDER BY leaf_index`,
  },
  folded: {
    progress: 'SELECT coalesce(sum(signals), 0)::float8 AS n FROM trust_state',
    waiting: 'SELECT EXISTS (SELECT FROM trust_inbox) AS yes',
    // Folds of one transaction have the same time and become visible together.
    units: `WITH fold AS (
        SELECT signals, sum(last_n - first_n + 1) OVER (ORDER BY folded_at)::float8 AS nth FROM trust_fold
      ), member AS MATERIALIZED (
        SELECT nth, json_array_elements(signals::json) ->> 'signalId' AS signal_id FROM fold WHERE nth > $1
      )
      SELECT ${MS('received_at')} AS since_ms, nth, NULL::float8 AS until_ms FROM member JOIN trust_signal USING (signal_id)
      WHERE received_at >= to_timestamp($2::float8 / 1000) ORDER BY nth`,
  },
  // Intents are decided in batches. The time in the row is one statement and a commit early.
  decided: {
    progress: LOG_SIZE,
    waiting: `SELECT EXISTS (SELECT FROM intent WHERE status IN ('queued', 'evaluating')) AS yes`,
    units: `SELECT ${MS('submitted_at')} AS since_ms, NULL::float8 AS nth, ${MS('updated_at')} AS until_ms
      FROM intent WHERE $1::float8 >= 0 AND submitted_at >= to_timestamp($2::float8 / 1000) AND status IN ('decided', 'failed')`,
  },
};

/** Polling interval and so the resolution of latencies. Polling costs about a hundredth of a core. */
const POLL_MS = 10;
const DRAIN_POLL_MS = 25;
const DRAIN_TIMEOUT_MS = 120_000;

export interface Watch {
  /** Waits until all work is complete. @throws {Error} after two minutes */
  drained(): Promise<void>;
  /** Ends the watch. @returns the completions since it began */
  end(): Promise<CarriedOut>;
}

/** Starts to poll, in a database session of its own. The caller must call `end`, also after an error. */
export async function watch(databaseUrl: string, outcome: Completion): Promise<Watch> {
  const { progress, waiting, units } = QUERIES[outcome];
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const poll = async (): Promise<ProgressStep> => {
    const { rows } = await client.query<{ n: number }>({ name: 'progress', text: progress });
    return { atMs: Date.now(), count: rows[0]?.n ?? 0 };
  };
  const first = await poll();
  const steps: ProgressStep[] = [];
  let ending = false;
  const polling = (async () => {
    for (let last = first; !ending; ) {
      const step = await poll();
      if (step.count > last.count) steps.push((last = step));
      await delay(POLL_MS);
    }
    steps.push(await poll());
  })();
  return {
    async drained() {
      const deadline = performance.now() + DRAIN_TIMEOUT_MS;
      for (;;) {
        const { rows } = await client.query<{ yes: boolean }>({ name: 'waiting', text: waiting });
        if (rows[0]?.yes === false) return;
        if (performance.now() > deadline) throw new Error(`accepted work is not ${outcome} after two minutes`);
        await delay(DRAIN_POLL_MS);
      }
    },
    async end() {
      ending = true;
      try {
        await polling;
        // The tables have just been filled and have no statistics yet: a nested-loop join would take minutes.
        await client.query('SET enable_nestloop = off');
        const { rows } = await client.query<WorkUnit>(units, [first.count, first.atMs]);
        return { outcome, ...figures(rows, steps) };
      } finally {
        await client.end();
      }
    },
  };
}

function figures(units: readonly WorkUnit[], steps: readonly ProgressStep[]): Omit<CarriedOut, 'outcome'> {
  let at = 0;
  let firstMs = Number.POSITIVE_INFINITY;
  let lastMs = 0;
  const latencies = Float64Array.from(units, ({ since_ms, nth, until_ms }) => {
    while (nth !== null && at < steps.length - 1 && (steps[at]?.count ?? 0) < nth) at += 1;
    const doneMs = until_ms ?? steps[at]?.atMs ?? since_ms;
    firstMs = Math.min(firstMs, since_ms);
    lastMs = Math.max(lastMs, doneMs);
    return doneMs - since_ms;
  }).sort();
  const perSecond = units.length === 0 ? 0 : (units.length * 1_000) / Math.max(1, lastMs - firstMs);
  const of = (share: number): number => quantile(latencies, share);
  return { count: units.length, perSecond, p50: of(0.5), p99: of(0.99), max: of(1) };
}

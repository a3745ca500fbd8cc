// From accepted to carried out, as somebody who looks at the database sees it: what is not committed does not count.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/** What becomes of accepted work. */
export type Outcome = 'anchored' | 'folded' | 'decided';

/** How one round's accepted work was carried out, all of it, warm-up included. Latency in milliseconds from acceptance. */
export interface CarriedOut {
  readonly outcome: Outcome;
  readonly count: number;
  /** From the first that was accepted to the last that was carried out. */
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

interface Step {
  readonly atMs: number;
  readonly count: number;
}

interface AcceptedItem {
  readonly since_ms: number;
  /** It is visible once progress has reached this count. */
  readonly nth: number | null;
  /** Where there is no such order: when it was done by its own account. */
  readonly until_ms: number | null;
}

interface Question {
  /** One number that grows as work is carried out, in the order of the items. */
  readonly progress: string;
  /** Whether anything still waits. */
  readonly waiting: string;
  /** Everything carried out after $1, a value of progress, or accepted after $2. */
  readonly items: string;
}

const MS = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::float8`;
const LOG_SIZE = 'SELECT coalesce(sum(size), 0)::float8 AS n FROM log';

const QUESTIONS: Readonly<Record<Outcome, Question>> = {
  // Leaves have a time of their own, taken before their transaction; the log's size shows when they could be read.
  anchored: {
    progress: LOG_SIZE,
    waiting: 'SELECT EXISTS (SELECT FROM log_inbox) AS yes',
    items: `SELECT ${MS('occurred_at')} AS since_ms, (leaf_index + 1)::float8 AS nth, NULL::float8 AS until_ms
      FROM leaf WHERE leaf_index >= $1 AND occurred_at >= to_timestamp($2::float8 / 1000) ORDER BY leaf_index`,
  },
  folded: {
    progress: 'SELECT coalesce(sum(signals), 0)::float8 AS n FROM trust_state',
    waiting: 'SELECT EXISTS (SELECT FROM trust_inbox) AS yes',
    // Folds of one transaction have one time, and become visible together.
    items: `WITH fold AS (
        SELECT signals, sum(last_n - first_n + 1) OVER (ORDER BY folded_at)::float8 AS nth FROM trust_fold
      ), member AS MATERIALIZED (
        SELECT nth, json_array_elements(signals::json) ->> 'signalId' AS signal_id FROM fold WHERE nth > $1
      )
      SELECT ${MS('received_at')} AS since_ms, nth, NULL::float8 AS until_ms FROM member JOIN trust_signal USING (signal_id)
      WHERE received_at >= to_timestamp($2::float8 / 1000) ORDER BY nth`,
  },
  // Twenty at once, so in no order; the row's time is taken a statement and a commit before others see it.
  decided: {
    progress: LOG_SIZE,
    waiting: `SELECT EXISTS (SELECT FROM intent WHERE status IN ('queued', 'evaluating')) AS yes`,
    items: `SELECT ${MS('submitted_at')} AS since_ms, NULL::float8 AS nth, ${MS('updated_at')} AS until_ms
      FROM intent WHERE $1::float8 >= 0 AND submitted_at >= to_timestamp($2::float8 / 1000) AND status IN ('decided', 'failed')`,
  },
};

/** How often is looked: the resolution of the latencies, and a hundredth of a core. */
const LOOK_MS = 10;
const DRAIN_LOOK_MS = 25;
const DRAIN_TIMEOUT_MS = 120_000;

export interface Watch {
  /** Waits until nothing is left to do. @throws {Error} after two minutes */
  drained(): Promise<void>;
  /** What was seen since the watch began; ends it. */
  end(): Promise<CarriedOut>;
}

/** Begins to look, in a session of its own. Call `end` whatever happens. */
export async function watch(databaseUrl: string, outcome: Outcome): Promise<Watch> {
  const { progress, waiting, items } = QUESTIONS[outcome];
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const look = async (): Promise<Step> => {
    const { rows } = await client.query<{ n: number }>({ name: 'progress', text: progress });
    return { atMs: Date.now(), count: rows[0]?.n ?? 0 };
  };
  const first = await look();
  const steps: Step[] = [];
  let ending = false;
  const looking = (async () => {
    for (let last = first; !ending; ) {
      const step = await look();
      if (step.count > last.count) steps.push((last = step));
      await delay(LOOK_MS);
    }
    const step = await look();
    steps.push(step);
  })();
  return {
    async drained() {
      const deadline = performance.now() + DRAIN_TIMEOUT_MS;
      for (;;) {
        const { rows } = await client.query<{ yes: boolean }>({ name: 'waiting', text: waiting });
        if (rows[0]?.yes === false) return;
        if (performance.now() > deadline) throw new Error(`what was accepted is not ${outcome} after two minutes`);
        await delay(DRAIN_LOOK_MS);
      }
    },
    async end() {
      ending = true;
      try {
        await looking;
        // The tables have just been filled and nobody has analysed them: a join by nested loops would take minutes.
        await client.query('SET enable_nestloop = off');
        const { rows } = await client.query<AcceptedItem>(items, [first.count, first.atMs]);
        return { outcome, ...figures(rows, steps) };
      } finally {
        await client.end();
      }
    },
  };
}

function figures(items: readonly AcceptedItem[], steps: readonly Step[]): Omit<CarriedOut, 'outcome'> {
  let at = 0;
  let firstMs = Number.POSITIVE_INFINITY;
  let lastMs = 0;
  const latencies = Float64Array.from(items, ({ since_ms, nth, until_ms }) => {
    while (nth !== null && at < steps.length - 1 && (steps[at]?.count ?? 0) < nth) at += 1;
    const doneMs = until_ms ?? steps[at]?.atMs ?? since_ms;
    firstMs = Math.min(firstMs, since_ms);
    lastMs = Math.max(lastMs, doneMs);
    return doneMs - since_ms;
  }).sort();
  const of = (share: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  const perSecond = items.length === 0 ? 0 : (items.length * 1_000) / Math.max(1, lastMs - firstMs);
  return { count: items.length, perSecond, p50: of(0.5), p99: of(0.99), max: of(1) };
}

// One measurement: a load on one of the servers, and what it cost each process; several rounds become one row.
import type { CarriedOut, Outcome } from './carried-out.ts';
import type { LoadJob, LoadResult } from './load-types.ts';
import type { Generator } from './processes.ts';
import { cpuMs, cpuOf, type Part, PARTS } from './usage.ts';

export type Queue = 'PostgreSQL' | 'Redis';

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** One round. */
export interface Sample {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly errors: number;
  readonly accepted: number;
  readonly firstError: string | undefined;
  /** CPU microseconds a request, warm-up included; 0 where it can't be known. */
  readonly cpuUs: Readonly<Record<Part | 'echo' | 'generator', number>>;
  readonly carriedOut?: CarriedOut;
}

/** What became of the accepted work of all rounds; in signals, where a request holds many. */
export interface RowOutcome {
  readonly outcome: Outcome;
  readonly acceptedPerSecond: Spread;
  readonly perSecond: Spread;
  /** From acceptance. */
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  readonly maxMs: Spread;
}

/** All rounds of one thing that was measured. */
export interface Row {
  readonly name: string;
  readonly connections: number;
  readonly policies: number | null;
  readonly queue?: Queue;
  readonly perSecond: Spread;
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  readonly errors: number;
  readonly cpuUsPerRequest: Readonly<Record<string, number>>;
  /** Of the echo with as many connections in the same run, where there is one. */
  readonly ofEcho?: Spread;
  readonly carriedOut?: RowOutcome;
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
  return { median, min: sorted[0] ?? 0, max: sorted.at(-1) ?? 0 };
}

export interface Measured {
  readonly generator: Generator;
  readonly echoPid: number;
  /** The service's supervisor. */
  readonly servicePid: number;
}

/** Runs a job and says what it cost. @param settled waits for what the job leaves to be done: that is part of the cost */
export async function measure(on: Measured, job: LoadJob, settled?: () => Promise<void>): Promise<Sample> {
  const { generator, echoPid, servicePid } = on;
  const before = { parts: cpuOf(servicePid), echo: cpuMs([echoPid]), generator: cpuMs([generator.pid]) };
  const result: LoadResult = await generator.run(job);
  await settled?.();
  const after = { parts: cpuOf(servicePid), echo: cpuMs([echoPid]), generator: cpuMs([generator.pid]) };
  const each = (fromMs: number, toMs: number): number => ((toMs - fromMs) * 1_000) / Math.max(1, result.accepted);
  const cpuUs = { ingress: 0, workers: 0, postgres: 0, echo: 0, generator: 0 };
  for (const part of PARTS) cpuUs[part] = each(before.parts[part], after.parts[part]);
  cpuUs.echo = each(before.echo, after.echo);
  cpuUs.generator = each(before.generator, after.generator);
  return {
    perSecond: (result.answers * 1_000) / result.elapsedMs,
    p50: result.p50,
    p99: result.p99,
    max: result.max,
    errors: result.errors,
    accepted: result.accepted,
    firstError: result.firstError,
    cpuUs,
  };
}

export interface RowName {
  readonly name: string;
  readonly connections: number;
  readonly policies: number | null;
  /** Which backend the queues have. Absent: it makes no difference, or it is PostgreSQL. */
  readonly queue?: Queue;
}

/**
 * @param echo the rounds of the echo that ran just before each of these
 * @param itemsARequest for what is carried out, which is counted in items
 */
export function rowOf(name: RowName, samples: readonly Sample[], echo?: readonly Sample[], itemsARequest = 1): Row {
  const of = (pick: (sample: Sample) => number): Spread => spread(samples.map(pick));
  // Another part's CPU time during these rounds is not theirs.
  const parts = name.name === 'echo' ? (['echo', 'generator'] as const) : ([...PARTS, 'generator'] as const);
  const cpu = Object.fromEntries(parts.map((part) => [part, Math.round(of((s) => s.cpuUs[part]).median)]));
  return {
    ...name,
    perSecond: of((s) => s.perSecond),
    p50Ms: of((s) => s.p50),
    p99Ms: of((s) => s.p99),
    errors: samples.reduce((sum, s) => sum + s.errors, 0),
    cpuUsPerRequest: cpu,
    ...(echo === undefined
      ? {}
      : { ofEcho: spread(samples.map((s, i) => s.perSecond / Math.max(1, echo[i]?.perSecond ?? 0))) }),
    ...outcomeOf(samples, itemsARequest),
  };
}

function outcomeOf(samples: readonly Sample[], itemsARequest: number): { carriedOut?: RowOutcome } {
  const all = samples.flatMap(({ carriedOut }) => (carriedOut === undefined ? [] : [carriedOut]));
  const [first] = all;
  if (first === undefined) return {};
  const of = (pick: (one: CarriedOut) => number): Spread => spread(all.map(pick));
  return {
    carriedOut: {
      outcome: first.outcome,
      acceptedPerSecond: spread(samples.map((s) => s.perSecond * itemsARequest)),
      perSecond: of((one) => one.perSecond),
      p50Ms: of((one) => one.p50),
      p99Ms: of((one) => one.p99),
      maxMs: of((one) => one.max),
    },
  };
}

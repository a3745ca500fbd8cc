// One measurement: a load on one server, with its CPU cost for each process. Several rounds become one row.
import type { CarriedOut, Completion } from './carried-out.ts';
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
  /** CPU microseconds per request, warm-up included; 0 where it is unknown. */
  readonly cpuUs: Readonly<Record<Part | 'echo' | 'generator', number>>;
  readonly carriedOut?: CarriedOut;
}

/** The completion of the accepted work of all rounds, counted in work units (signals, not requests). */
export interface RowCompletion {
  readonly outcome: Completion;
  readonly acceptedPerSecond: Spread;
  readonly perSecond: Spread;
  /** The same relative to the requests of the echo in the same run. Absent: not measured beside it. */
  readonly ofEcho?: Spread;
  /** From acceptance. */
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  readonly maxMs: Spread;
}

/** All rounds of one measurement. */
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
  /** Throughput relative to the echo with as many connections in the same run. */
  readonly ofEcho?: Spread;
  readonly carriedOut?: RowCompletion;
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

/** Runs a job and measures its cost. @param settled waits for work that the job leaves behind; its CPU time counts, too */
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
  /** The backend of the queues, where it makes a difference. */
  readonly queue?: Queue;
}

/**
 * @param echo the rounds of the echo, each just before the round of the same index
 * @param unitsPerRequest work units in one request
 */
export function rowOf(name: RowName, samples: readonly Sample[], echo?: readonly Sample[], unitsPerRequest = 1): Row {
  const of = (pick: (sample: Sample) => number): Spread => spread(samples.map(pick));
  // The echo uses no part of the service, and the reverse.
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
    ...completionOf(samples, echo, unitsPerRequest),
  };
}

function completionOf(
  samples: readonly Sample[],
  echo: readonly Sample[] | undefined,
  unitsPerRequest: number,
): { carriedOut?: RowCompletion } {
  const all = samples.flatMap(({ carriedOut }) => (carriedOut === undefined ? [] : [carriedOut]));
  const [first] = all;
  if (first === undefined) return {};
  const of = (pick: (one: CarriedOut) => number): Spread => spread(all.map(pick));
  return {
    carriedOut: {
      outcome: first.outcome,
      acceptedPerSecond: spread(samples.map((s) => s.perSecond * unitsPerRequest)),
      perSecond: of((one) => one.perSecond),
      ...(echo === undefined
        ? {}
        : { ofEcho: spread(all.map((one, i) => one.perSecond / Math.max(1, echo[i]?.perSecond ?? 0))) }),
      p50Ms: of((one) => one.p50),
      p99Ms: of((one) => one.p99),
      maxMs: of((one) => one.max),
    },
  };
}

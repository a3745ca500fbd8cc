// Compares the ratios of a run with the limits of limits.json: whoever makes the service slower than they allow learns it from CI.
// Ratios to the echo of the same run, and of processor times, because machines differ and are shared.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findRoot } from '../shared/platform/config/root.ts';
import type { Queue, Row } from './measure.ts';
import { ECHO } from './report.ts';
import type { Part } from './usage.ts';

export interface Limit {
  /** The name of a row of the report. */
  readonly row: string;
  readonly connections: number;
  readonly queue?: Queue;
  /** What is compared: processor time for a request, or completed work per second. */
  readonly measure: Part | 'done';
  /** What it is divided by: the same of the echo (its processor time, its answers per second), or the processor time of another part. */
  readonly of: 'echo' | Part;
  readonly atMost?: number;
  readonly atLeast?: number;
  /** What it shall become. */
  readonly goal: number;
}

export interface Judged {
  readonly limit: Limit;
  /** Undefined: the run has no such row. */
  readonly ratio: number | undefined;
  readonly holds: boolean;
}

export const LIMITS_FILE = path.join(findRoot(), 'bench', 'limits.json');

/** The limits, in the order of the file. */
export const readLimits = (): Limit[] => JSON.parse(readFileSync(LIMITS_FILE, 'utf8')) as Limit[];

function ratioOf(rows: readonly Row[], { row: name, connections, queue, measure, of }: Limit): number | undefined {
  const row = rows.find((one) => one.name === name && one.connections === connections && one.queue === queue);
  if (row === undefined) return undefined;
  if (measure === 'done') return row.carriedOut === undefined ? undefined : doneOfEcho(row);
  const echo = rows.findLast((one) => one.name === ECHO && one.connections === connections);
  const base = of === 'echo' ? echo?.cpuUsPerRequest['echo'] : row.cpuUsPerRequest[of];
  const own = row.cpuUsPerRequest[measure];
  return own === undefined || !base ? undefined : own / base;
}

/** Completed work per second, of what the echo answers beside it. */
function doneOfEcho({ carriedOut, perSecond, ofEcho }: Row): number | undefined {
  if (carriedOut === undefined || ofEcho === undefined || perSecond.median === 0) return undefined;
  return (carriedOut.perSecond.median / perSecond.median) * ofEcho.median;
}

/** Every limit beside what the run measured. A limit without its row does not hold. */
export function judge(rows: readonly Row[], limits: readonly Limit[]): Judged[] {
  return limits.map((limit) => {
    const ratio = ratioOf(rows, limit);
    const { atMost = Number.POSITIVE_INFINITY, atLeast = 0 } = limit;
    return { limit, ratio, holds: ratio !== undefined && ratio <= atMost && ratio >= atLeast };
  });
}

/** The cells of the table that is printed, with its head. */
export function judgedRows(judged: readonly Judged[]): string[][] {
  const lines = judged.map(({ limit, ratio, holds }) => [
    limit.queue === undefined ? limit.row : `${limit.row} (${limit.queue})`,
    `${limit.measure} of ${limit.of}`,
    ratio === undefined ? 'not measured' : ratio.toFixed(2),
    limit.atMost === undefined ? `at least ${limit.atLeast}` : `at most ${limit.atMost}`,
    String(limit.goal),
    holds ? 'ok' : 'NOT OK',
  ]);
  return [['ratio', '', 'measured', 'limit', 'goal', ''], ...lines];
}

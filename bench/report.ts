// The report of a run: text tables, JSON and SVG charts.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { findRoot } from '../shared/platform/config/root.ts';
import type { Queue, Row } from './measure.ts';
import { type EngineCosts, engineRows } from './policy-engines.ts';
import { alignedLines } from './numbers.ts';
import { type Chart, drawChart } from './svg.ts';
import type { Memory, Part } from './usage.ts';

export interface Report {
  /** `quick` runs give a first impression; `full` runs can be compared. */
  readonly mode: 'quick' | 'full';
  readonly rows: readonly Row[];
  /** Evaluations without HTTP and storage. */
  readonly engines: readonly EngineCosts[];
  readonly memory: Readonly<Record<string, Memory | undefined>>;
  readonly skipped: readonly Skipped[];
  readonly accounts: readonly Account[];
}

/** A measurement that is not possible on this machine. */
export interface Skipped {
  readonly what: string;
  readonly why: string;
}

/** Work that one service accepted, and the part of it that is carried out and on record at the end. */
export interface Account {
  readonly what: string;
  readonly queue: Queue;
  readonly accepted: number;
  readonly onRecord: number;
}

export const BESIDE_ECHO = 'POST /v1/enforce';
export const OVER_POLICIES = 'POST /v1/enforce, over policies';
export const ECHO = 'echo';

const table = (rows: readonly (readonly string[])[]): string => alignedLines(rows).join('\n');

const whole = (n: number): string => Math.round(n).toLocaleString('en-US');

const nameOf = ({ name, queue }: Row): string => (queue === undefined ? name : `${name} (${queue})`);

const CARRIED_OUT_HEAD = [
  'from acceptance to',
  '',
  'conn',
  'accepted/s',
  'done/s',
  'of echo',
  'p50 ms',
  'p99 ms',
  '(min..max)',
  'longest ms',
];

function carriedOutLines(rows: readonly Row[]): string[][] {
  return rows.flatMap((row) => {
    const { carriedOut: done } = row;
    if (done === undefined) return [];
    return [
      [
        nameOf(row),
        done.outcome,
        String(row.connections),
        whole(done.acceptedPerSecond.median),
        whole(done.perSecond.median),
        done.ofEcho === undefined ? '' : done.ofEcho.median.toFixed(2),
        whole(done.p50Ms.median),
        whole(done.p99Ms.median),
        `${whole(done.p99Ms.min)}..${whole(done.p99Ms.max)}`,
        whole(done.maxMs.max),
      ],
    ];
  });
}

/** The report as text. */
export function textOf(report: Report): string {
  const head = [
    'what',
    'conn',
    'policies',
    'req/s',
    '(min..max)',
    'of echo',
    'p50 ms',
    'p99 ms',
    'errors',
    'CPU us per request',
  ];
  const lines = report.rows.map((row) => [
    nameOf(row),
    String(row.connections),
    row.policies === null ? '' : whole(row.policies),
    whole(row.perSecond.median),
    `${whole(row.perSecond.min)}..${whole(row.perSecond.max)}`,
    row.ofEcho === undefined ? '' : row.ofEcho.median.toFixed(2),
    row.p50Ms.median.toFixed(1),
    row.p99Ms.median.toFixed(1),
    String(row.errors),
    Object.entries(row.cpuUsPerRequest)
      .map(([part, us]) => `${part} ${us}`)
      .join(', '),
  ]);
  const out = [table([head, ...lines])];
  const carriedOut = carriedOutLines(report.rows);
  if (carriedOut.length > 0) out.push(table([CARRIED_OUT_HEAD, ...carriedOut]));
  for (const { what, why } of report.skipped) out.push(`${what}: skipped, ${why}`);
  if (report.engines.length > 0) out.push(table(engineRows(report.engines)));
  for (const [name, memory] of Object.entries(report.memory))
    if (memory !== undefined) out.push(`${name}: ${memory.nowMb} MB resident at the end, maximum ${memory.mostMb} MB`);
  for (const { what, queue, accepted, onRecord } of report.accounts)
    out.push(`${what}, queues on ${queue}: ${whole(accepted)} accepted, ${whole(onRecord)} carried out and on record`);
  return out.join('\n\n');
}

function charts(report: Report): Record<string, Chart> {
  const points = (name: string, x: (row: Row) => number): { x: number; y: number }[] =>
    report.rows.filter((row) => row.name === name).map((row) => ({ x: x(row), y: row.perSecond.median }));
  const timesOf = (y: (row: Row) => number): { x: number; y: number }[] =>
    report.rows.filter((row) => row.name === BESIDE_ECHO).map((row) => ({ x: row.connections, y: y(row) }));
  const cpuOver = (part: Part): { x: number; y: number }[] =>
    report.rows
      .filter((row) => row.name === OVER_POLICIES)
      .map((row) => ({ x: row.policies ?? 1, y: row.cpuUsPerRequest[part] ?? 0 }));
  const all: Record<string, Chart> = {
    'over-connections': {
      title: 'Durable decisions beside a bare Express 5 JSON echo',
      xLabel: 'connections',
      yLabel: 'requests per second',
      series: [
        { name: 'POST /v1/enforce', points: points(BESIDE_ECHO, (row) => row.connections) },
        { name: 'Express 5 echo', points: points(ECHO, (row) => row.connections) },
      ],
    },
    'anchored-over-connections': {
      title: 'Durable decisions: answered, and anchored in the log',
      xLabel: 'connections',
      yLabel: 'milliseconds',
      yScale: 'log',
      series: [
        { name: 'answered, p99', points: timesOf((row) => row.p99Ms.median) },
        { name: 'anchored, p50', points: timesOf((row) => row.carriedOut?.p50Ms.median ?? 0) },
        { name: 'anchored, p99', points: timesOf((row) => row.carriedOut?.p99Ms.median ?? 0) },
      ],
    },
    // Processor time instead of throughput: the sizes are measured minutes apart, and other work on the machine varies.
    'over-policies': {
      title: 'Cost of a durable decision over the number of policies',
      xLabel: 'policies',
      yLabel: 'microseconds of processor time per decision',
      series: [
        { name: 'ingress', points: cpuOver('ingress') },
        { name: 'PostgreSQL', points: cpuOver('postgres') },
      ],
    },
  };
  for (const [targets, title] of [
    ['own', 'a resource for each policy'],
    ['everything', 'all policies for all resources'],
  ] as const) {
    const costs = report.engines.filter((row) => row.targets === targets);
    if (costs.length === 0) continue;
    const points = (us: (row: EngineCosts) => number) => costs.map((row) => ({ x: row.policies, y: us(row) }));
    all[`engines-${targets}`] = {
      title: `One evaluation, ${title}`,
      xLabel: 'policies',
      yLabel: 'microseconds',
      yScale: 'log',
      series: [
        { name: 'Custos, remembered', points: points((row) => row.rememberedUs) },
        { name: 'Custos, first seen', points: points((row) => row.firstSeenUs) },
        { name: 'json-rules-engine, all rules', points: points((row) => row.plainUs) },
        { name: 'casbin', points: points((row) => row.casbinUs) },
        { name: 'Cedar', points: points((row) => row.cedarUs) },
      ],
    };
  }
  return all;
}

/** The report with the kind of machine, but without its name or folders. */
export function jsonOf(report: Report, now: Date): string {
  const machine = {
    date: now.toISOString().slice(0, 10),
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    node: process.version,
  };
  const rounded = (_key: string, value: unknown): unknown =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
  return JSON.stringify({ ...machine, ...report }, rounded, 2);
}

/** Writes docs/bench: results.json and the charts. */
export function writeReport(report: Report, now: Date): void {
  const folder = path.join(findRoot(), 'docs', 'bench');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'results.json'), `${jsonOf(report, now)}\n`);
  for (const [name, chart] of Object.entries(charts(report)))
    writeFileSync(path.join(folder, `${name}.svg`), drawChart(chart));
}

// What a run found, for people (a table), for programs (JSON) and for the eye (SVG).
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { findRoot } from '../shared/root.ts';
import type { Row } from './measure.ts';
import { type Chart, drawChart } from './svg.ts';
import type { Memory, Part } from './usage.ts';

/** Microseconds one evaluation takes alone, without HTTP and storage. */
export interface EvaluationCost {
  readonly policies: number;
  readonly rememberedUs: number;
  /** Facts that were not seen before: json-rules-engine on the candidates that the index finds. */
  readonly engineUs: number;
  /** json-rules-engine over all rules. */
  readonly plainUs: number;
}

export interface Report {
  /** `quick` runs are for a look, `full` ones for comparing. */
  readonly mode: 'quick' | 'full';
  readonly rows: readonly Row[];
  readonly evaluation: readonly EvaluationCost[];
  readonly memory: Readonly<Record<string, Memory | undefined>>;
  /** Decisions that were answered and decisions that are on record. */
  readonly decisions: { readonly answered: number; readonly onRecord: number };
}

export const BESIDE_ECHO = 'POST /v1/enforce';
export const OVER_POLICIES = 'POST /v1/enforce, over policies';
export const ECHO = 'echo';

function table(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines
    .map((line) =>
      line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
    )
    .join('\n');
}

const whole = (n: number): string => Math.round(n).toLocaleString('en-US');

/** The report as text of at most 140 columns. */
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
    'CPU us a request',
  ];
  const lines = report.rows.map((row) => [
    row.name,
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
  if (report.evaluation.length > 0) {
    out.push(
      table([
        ['one evaluation alone, CPU us', 'remembered', 'facts not seen before', 'json-rules-engine on all rules'],
        ...report.evaluation.map((e) => [
          `${whole(e.policies)} policies`,
          e.rememberedUs.toFixed(1),
          e.engineUs.toFixed(1),
          e.plainUs.toFixed(1),
        ]),
      ]),
    );
  }
  for (const [name, memory] of Object.entries(report.memory))
    if (memory !== undefined) out.push(`${name}: ${memory.nowMb} MB resident at the end, ${memory.mostMb} MB at most`);
  const { answered, onRecord } = report.decisions;
  out.push(`${whole(answered)} decisions answered, ${whole(onRecord)} on record`);
  return out.join('\n\n');
}

function charts(report: Report): Record<string, Chart> {
  const points = (name: string, x: (row: Row) => number): { x: number; y: number }[] =>
    report.rows.filter((row) => row.name === name).map((row) => ({ x: x(row), y: row.perSecond.median }));
  const cpuOver = (part: Part): { x: number; y: number }[] =>
    report.rows
      .filter((row) => row.name === OVER_POLICIES)
      .map((row) => ({ x: row.policies ?? 1, y: row.cpuUsPerRequest[part] ?? 0 }));
  const cost = (pick: (e: EvaluationCost) => number): { x: number; y: number }[] =>
    report.evaluation.map((e) => ({ x: e.policies, y: pick(e) }));
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
    // Processor time, not requests per second: sizes are measured minutes apart, and the machine does other things too.
    'over-policies': {
      title: 'What a durable decision costs over the number of policies',
      xLabel: 'policies',
      yLabel: 'microseconds of processor time a decision',
      series: [
        { name: 'ingress', points: cpuOver('ingress') },
        { name: 'PostgreSQL', points: cpuOver('postgres') },
      ],
    },
  };
  if (report.evaluation.length > 0) {
    all['evaluation-over-policies'] = {
      title: 'One evaluation over the number of policies',
      xLabel: 'policies',
      yLabel: 'microseconds',
      yScale: 'log',
      series: [
        { name: 'remembered', points: cost((e) => e.rememberedUs) },
        { name: 'facts not seen before', points: cost((e) => e.engineUs) },
        { name: 'json-rules-engine, all rules', points: cost((e) => e.plainUs) },
      ],
    };
  }
  return all;
}

/** Writes docs/bench: results.json and the charts. Neither names the machine or its folders. */
export function writeReport(report: Report, now: Date): string {
  const folder = path.join(findRoot(), 'docs', 'bench');
  mkdirSync(folder, { recursive: true });
  const machine = {
    date: now.toISOString().slice(0, 10),
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    node: process.version,
  };
  const rounded = (_key: string, value: unknown): unknown =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
  writeFileSync(path.join(folder, 'results.json'), `${JSON.stringify({ ...machine, ...report }, rounded, 2)}\n`);
  for (const [name, chart] of Object.entries(charts(report)))
    writeFileSync(path.join(folder, `${name}.svg`), drawChart(chart));
  return folder;
}

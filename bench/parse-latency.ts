// Measures the time of one parse on texts of the maximum length that the API accepts, of every kind that could be slow.
// Usage: node dist/bench/parse-latency.js [--json] [--runs N]
import { lexiconFile } from '../test/support/lexicon.ts';
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { compileLexicon } from '../shared/core/intent/lexicon/lexicon.ts';
import type { Lexicon } from '../shared/core/intent/lexicon/types.ts';
import { parseIntent } from '../shared/core/intent/parse.ts';
import { quantile } from './numbers.ts';
import { LENGTH, textsByKind } from './parse-texts.ts';

/** Milliseconds. */
export interface Spread {
  p50: number;
  p99: number;
  max: number;
}

/** Times of the parses of one kind of text. */
export interface KindLatency {
  kind: string;
  texts: number;
  wall: Spread;
  /** Processor time of the process, including its compiler and garbage collector. Other work on the machine affects it less. */
  cpu: Spread;
}

const round = (value: number): number => Math.round(value * 100) / 100;

interface Times {
  readonly wall: number[];
  readonly cpu: number[];
}

function spread(times: readonly number[]): Spread {
  const sorted = [...times].sort((a, b) => a - b);
  return { p50: round(quantile(sorted, 0.5)), p99: round(quantile(sorted, 0.99)), max: round(quantile(sorted, 1)) };
}

const summary = (kind: string, texts: number, { wall, cpu }: Times): KindLatency => ({
  kind,
  texts,
  wall: spread(wall),
  cpu: spread(cpu),
});

/** Parses each text `runs` times after a warm-up. The last row summarizes all kinds. */
function measureLatency(lexicon: Lexicon, runs: number): KindLatency[] {
  const kinds = textsByKind(lexicon);
  for (const texts of kinds.values()) for (const text of texts.slice(0, 20)) parseIntent(text, lexicon);
  const all: Times = { wall: [], cpu: [] };
  const rows = [...kinds].map(([kind, texts]) => {
    const times: Times = { wall: [], cpu: [] };
    for (let run = 0; run < runs; run += 1) {
      for (const text of texts) {
        const before = process.cpuUsage();
        const start = performance.now();
        parseIntent(text, lexicon);
        times.wall.push(performance.now() - start);
        const { user, system } = process.cpuUsage(before);
        times.cpu.push((user + system) / 1_000);
      }
    }
    all.wall.push(...times.wall);
    all.cpu.push(...times.cpu);
    return summary(kind, texts.length, times);
  });
  return [...rows, summary('all', all.wall.length / runs, all)];
}

/** The result of a run in one sentence. */
function sentenceOf({ texts, cpu, wall }: KindLatency, runs: number): string {
  const shown = ({ p50, p99, max }: Spread) => `p50 ${p50.toFixed(2)}, p99 ${p99.toFixed(2)}, max ${max.toFixed(2)} ms`;
  return `${texts} texts of ${LENGTH} characters, ${runs} runs: processor time ${shown(cpu)}; clock ${shown(wall)}`;
}

function main(): void {
  const { values } = parseArgs({
    options: { json: { type: 'boolean', default: false }, runs: { type: 'string', default: '3' } },
  });
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1) {
    process.stderr.write('usage: parse-latency [--json] [--runs N]\n');
    process.exitCode = 2;
    return;
  }
  const lexicon = compileLexicon(JSON.parse(lexiconFile().text));
  const rows = measureLatency(lexicon, runs);
  if (values.json) {
    process.stdout.write(`${JSON.stringify(rows)}\n`);
    return;
  }
  process.stdout.write(
    `one parse of ${LENGTH} characters, in milliseconds of processor time and of the clock\n` +
      'kind                       texts cpu p50     p99     max clock p50   p99     max\n',
  );
  for (const { kind, texts, cpu, wall } of rows) {
    const columns = [cpu, wall].flatMap(({ p50, p99, max }) => [p50, p99, max]);
    const cells = columns.map((value) => value.toFixed(2).padStart(7)).join(' ');
    process.stdout.write(`${kind.padEnd(25)} ${String(texts).padStart(6)} ${cells}\n`);
  }
  const all = rows.at(-1);
  if (all !== undefined)
    process.stdout.write(
      `${sentenceOf(all, runs)}; load average ${loadavg()
        .map((average) => average.toFixed(1))
        .join(', ')} on ${availableParallelism()} cores\n`,
    );
}

if (import.meta.filename === process.argv[1]) main();

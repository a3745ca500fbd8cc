// Measures the processor time of parses: of texts of the maximum length that the API accepts, by kind, and of short texts.
// Usage: node dist/bench/parse-latency.js [--runs N]
import { lexiconFile } from '../test/support/lexicon.ts';
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { compileLexicon } from '../shared/core/intent/lexicon/lexicon.ts';
import type { Lexicon } from '../shared/core/intent/lexicon/types.ts';
import { parseIntent } from '../shared/core/intent/parse.ts';
import { alignedLines, quantile } from './numbers.ts';
import { LENGTH, ownTexts, textsByKind } from './parse-texts.ts';

const ROUNDS = 20;

/** Processor time of the process in milliseconds, including its compiler and garbage collector. */
function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const ascending = (times: readonly number[]): number[] => times.toSorted((a, b) => a - b);

/** For each text the median of its runs, ascending. */
function timesOf(texts: readonly string[], runs: number, lexicon: Lexicon): number[] {
  for (const text of texts) parseIntent(text, lexicon);
  return ascending(
    texts.map((text) => {
      const times = Array.from({ length: runs }, () => processorMs(() => parseIntent(text, lexicon)));
      return quantile(ascending(times), 0.5);
    }),
  );
}

const rowOf = (kind: string, times: readonly number[]): string[] => [
  kind,
  String(times.length),
  ...[0.5, 0.99, 1].map((share) => quantile(times, share).toFixed(1)),
];

/** Short texts read in a second of processor time: the median of the rounds. */
function shortTextsPerSecond(texts: readonly string[], lexicon: Lexicon): number {
  const round = () => processorMs(() => texts.forEach((text) => parseIntent(text, lexicon)));
  const times = Array.from({ length: ROUNDS }, round);
  return (texts.length * 1_000) / quantile(ascending(times), 0.5);
}

function main(): void {
  const { values } = parseArgs({ options: { runs: { type: 'string', default: '3' } } });
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1) {
    process.stderr.write('usage: parse-latency [--runs N]\n');
    process.exitCode = 2;
    return;
  }
  const lexicon = compileLexicon(JSON.parse(lexiconFile().text));
  const kinds = [...textsByKind(lexicon)].map(([kind, texts]) => ({ kind, times: timesOf(texts, runs, lexicon) }));
  const all = ascending(kinds.flatMap(({ times }) => times));
  const lines = alignedLines([
    [`${LENGTH} characters, CPU in ms`, 'texts', 'p50', 'p99', 'worst'],
    ...kinds.map(({ kind, times }) => rowOf(kind, times)),
    rowOf('all', all),
  ]);
  const short = ownTexts();
  const mean = short.reduce((sum, text) => sum + text.length, 0) / short.length;
  const perSecond = Math.round(shortTextsPerSecond(short, lexicon));
  const load = loadavg().map((average) => average.toFixed(1));
  process.stdout.write(
    `${lines.join('\n')}\n${short.length} short texts (${Math.round(mean)} characters on average): ${perSecond} per second of CPU\n` +
      `load average ${load.join(', ')} on ${availableParallelism()} cores\n`,
  );
}

main();

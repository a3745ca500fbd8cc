// Compares the cost of a request in two builds of the service, which are measured alternately: `node dist/bench/compare.js OTHER/dist [options]`.
// The other build is a checkout of another commit after `npm run build`, on the same machine.
//   [--rounds 15] [--seconds 3] [--connections 16]
import path from 'node:path';
import { parseArgs } from 'node:util';
import { measure, type Sample, spread } from './measure.ts';
import { enforceBodies } from './policies.ts';
import { type Generator, type Service, startGenerator, startService } from './processes.ts';
import { POLICIES } from './run.ts';
import { PARTS } from './usage.ts';

interface Options {
  readonly otherDist: string;
  readonly rounds: number;
  readonly durationMs: number;
  readonly connections: number;
}

interface Build {
  readonly name: string;
  readonly service: Service;
  readonly samples: Sample[];
}

/** Warm-up load of both services, in which V8 compiles the hot code. */
const WARM_UP_MS = 8_000;
const BODIES = 4_096;

async function load(build: Build, generator: Generator, connections: number, durationMs: number): Promise<Sample> {
  const { service } = build;
  const sample = await measure(
    { generator, echoPid: generator.pid, servicePid: service.pid },
    {
      port: service.port,
      path: '/v1/enforce',
      key: service.key,
      bodies: enforceBodies(POLICIES, BODIES),
      connections,
      durationMs,
      warmUpMs: 0,
    },
  );
  if (sample.errors > 0) throw new Error(`${build.name}: an answer was an error: ${sample.firstError ?? ''}`);
  return sample;
}

/** One line for each figure: both medians, and the median of the ratios of the rounds with its quartiles. */
function lineOf(what: string, here: readonly number[], other: readonly number[]): string {
  const ratios = here.map((value, i) => value / (other[i] ?? Number.NaN)).sort((a, b) => a - b);
  const quartile = (share: number): string => (ratios[Math.floor((ratios.length - 1) * share)] ?? 0).toFixed(3);
  const [a, b] = [spread(here).median, spread(other).median];
  return `${what}: here ${a.toFixed(1)}, other ${b.toFixed(1)}, here/other ${spread(ratios).median.toFixed(3)} (quartiles ${quartile(0.25)} to ${quartile(0.75)})`;
}

async function compare({ otherDist, rounds, durationMs, connections }: Options): Promise<string[]> {
  const generator = startGenerator();
  const builds: Build[] = [];
  try {
    for (const [name, dist] of [
      ['here', undefined],
      ['other', otherDist],
    ] as const)
      builds.push({ name, service: await startService(POLICIES, { dist }), samples: [] });
    for (const build of builds) await load(build, generator, connections, WARM_UP_MS);
    for (let round = 0; round < rounds; round += 1)
      // The order alternates, so that work that one build leaves behind does not always slow the other.
      for (const build of round % 2 === 0 ? builds : [...builds].reverse())
        build.samples.push(await load(build, generator, connections, durationMs));
    const [here, other] = builds.map(({ samples }) => samples);
    const of = (what: string, pick: (sample: Sample) => number): string =>
      lineOf(what, (here ?? []).map(pick), (other ?? []).map(pick));
    return [
      ...PARTS.map((part) => of(`CPU of ${part}, microseconds per request`, ({ cpuUs }) => cpuUs[part])),
      of('requests per second', ({ perSecond }) => perSecond),
      of('p50, ms', ({ p50 }) => p50),
    ];
  } finally {
    await Promise.all([generator.stop(), ...builds.map(({ service }) => service.stop())]);
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '15' },
      seconds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '16' },
    },
  });
  const [otherDist] = positionals;
  if (otherDist === undefined) throw new Error('the dist folder of the other build is missing');
  const lines = await compare({
    otherDist: path.resolve(otherDist),
    rounds: Number(values.rounds),
    durationMs: Number(values.seconds) * 1_000,
    connections: Number(values.connections),
  });
  process.stdout.write(`${lines.join('\n')}\n`);
}

if (import.meta.filename === process.argv[1]) await main();

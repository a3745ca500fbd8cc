// `npm run faults -- --rounds 200 --seed 1 [--round K] [--backend embedded|postgres|redis] [--seconds 8] [--only FAULT] [--json FILE]`: random
// faults under a mixed load, and every invariant after each round. docs/reliability.md describes it.
import { appendFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { cleanUp } from '../support/cleanup.ts';
import { removeLeftovers } from '../support/folders.ts';
import { whyNoRedis } from '../support/redis.ts';
import { startCampaign } from './harness/campaign.ts';
import { type Kind, KINDS } from './harness/deployment.ts';
import { describeRound, recoveryTable, summary } from './harness/report.ts';
import { type Campaign, planRound, ROUNDS_PER_DEPLOYMENT, type RoundResult, runRound } from './harness/round.ts';

const USAGE =
  'usage: npm run faults -- [--rounds N] [--seed N] [--round K] [--backend embedded|postgres|redis] [--seconds S] [--only FAULT] [--json FILE]';

/** A line of `--json`. */
function asJson({ plan, broken, skipped, recovery, timeline, leaves }: RoundResult): string {
  const faults = plan.faults.map(({ fault, atMs, lastsMs }) => ({ name: fault.name, atMs, lastsMs }));
  return `${JSON.stringify({ seed: plan.seed, round: plan.round, kind: plan.kind, faults, broken, skipped, recovery, leaves, timeline })}\n`;
}

interface Options {
  readonly rounds: readonly number[];
  readonly seed: number;
  readonly kinds: readonly Kind[];
  readonly seconds: number;
  readonly only: string | undefined;
  readonly json: string | undefined;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '10' },
      seed: { type: 'string', default: '1' },
      round: { type: 'string' },
      backend: { type: 'string' },
      seconds: { type: 'string', default: '8' },
      only: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const whole = (name: string, text: string, least: number): number => {
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < least)
      throw new TypeError(`--${name} must be a whole number from ${least}`);
    return value;
  };
  const kind = KINDS.find((one) => one === values.backend);
  if (values.backend !== undefined && kind === undefined)
    throw new TypeError(`--backend is one of ${KINDS.join(', ')}`);
  const noRedis = whyNoRedis();
  if (kind === 'redis' && noRedis !== undefined) throw new TypeError(noRedis);
  if (kind === undefined && noRedis !== undefined) console.log(`skipped: deployments with Redis: ${noRedis}`);
  const first = values.round === undefined ? 0 : whole('round', values.round, 0);
  const count = values.round === undefined ? whole('rounds', values.rounds, 1) : 1;
  return {
    rounds: Array.from({ length: count }, (_, i) => first + i),
    seed: whole('seed', values.seed, 0),
    kinds: kind === undefined ? KINDS.filter((one) => one !== 'redis' || noRedis === undefined) : [kind],
    seconds: whole('seconds', values.seconds, 1),
    only: values.only,
    json: values.json,
  };
}

const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort());

async function run({ rounds, seed, kinds, seconds, only, json }: Options): Promise<boolean> {
  const startedMs = performance.now();
  const results: RoundResult[] = [];
  let campaign: Campaign | undefined;
  for (const round of rounds) {
    if (stopping.signal.aborted) break;
    const plan = planRound({ seed, round, seconds, kinds, only });
    campaign ??= await startCampaign(plan.kind);
    const result = await runRound(campaign, plan);
    results.push(result);
    console.log(describeRound(result));
    if (json !== undefined) appendFileSync(json, asJson(result));
    // What a broken round left behind would break the next ones, too.
    if (result.broken.length > 0 || (round + 1) % ROUNDS_PER_DEPLOYMENT === 0) {
      await campaign.deployment.close();
      campaign = undefined;
    }
  }
  await campaign?.deployment.close();
  console.log(`\n${recoveryTable(results)}\n\n${summary(results, startedMs)}`);
  return results.every(({ broken }) => broken.length === 0);
}

let options: Options | undefined;
try {
  options = readOptions();
} catch (error) {
  console.error(`${String(error instanceof Error ? error.message : error)}\n${USAGE}`);
  process.exitCode = 2;
}
if (options !== undefined) {
  await removeLeftovers();
  try {
    process.exitCode = (await run(options)) ? 0 : 1;
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
  await cleanUp();
}

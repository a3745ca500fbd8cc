// One round: load, faults at random moments, healing, and then every invariant. A seed and a number determine its plan.
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { queryOnce } from '../../support/database.ts';
import { OPEN_WORK } from '../truth.ts';
import { haltTest, pauseAgents, revokeKeys } from './authority.ts';
import { type Caller, type Keys, type Load } from './caller.ts';
import { brokenInvariants } from './check/invariants.ts';
import { type Deployment, type Kind, KINDS } from './deployment.ts';
import { type Fault, FAULTS, type FaultScene } from './faults.ts';
import type { History } from './history.ts';
import { createRandomness, type Randomness } from './randomness.ts';
import { measureRecovery, type Recovery } from './recovery.ts';
import { callerLoop } from './work.ts';

export interface PlannedFault {
  readonly fault: Fault;
  /** After the begin of the load. */
  readonly atMs: number;
  readonly lastsMs: number;
}

export interface Plan {
  readonly seed: number;
  readonly round: number;
  readonly kind: Kind;
  readonly loadMs: number;
  readonly faults: readonly PlannedFault[];
}

export interface PlanOptions {
  readonly seed: number;
  readonly round: number;
  /** The duration of the load, in seconds. Faults that last longer extend it. */
  readonly seconds: number;
  /** Only deployments of these kinds. */
  readonly kinds?: readonly Kind[];
  /** One fault a round, whose name contains this text. */
  readonly only?: string | undefined;
}

/** A deployment serves this many rounds in a row: starting one takes as long as a round. */
export const ROUNDS_PER_DEPLOYMENT = 5;
/** The share of rounds with a single fault. Only these measure recovery. */
const SINGLE = 0.7;

export function planRound({ seed, round, seconds, kinds = KINDS, only }: PlanOptions): Plan {
  const kind = kinds[Math.floor(round / ROUNDS_PER_DEPLOYMENT) % kinds.length] ?? 'embedded';
  const random = createRandomness(`${seed} ${round}`);
  const possible = FAULTS.filter(({ on, name }) => on.includes(kind) && (only === undefined || name.includes(only)));
  const loadMs = seconds * 1_000;
  const count = random.next() < SINGLE || only !== undefined ? 1 : 2 + Math.floor(random.next() * 3);
  const faults = random.several(possible, count).map((fault): PlannedFault => {
    const [least, most] = fault.lastsMs ?? [0, 0];
    return { fault, atMs: random.between(0.2, 0.5) * loadMs, lastsMs: random.between(least, most) };
  });
  return { seed, round, kind, loadMs, faults: faults.sort((a, b) => a.atMs - b.atMs) };
}

export interface RoundResult {
  readonly plan: Plan;
  /** What happened when, as lines. */
  readonly timeline: readonly string[];
  /** Faults that could not be tried here, with the reason. */
  readonly skipped: readonly string[];
  readonly broken: readonly string[];
  /** Of a round with a single fault. */
  readonly recovery: Recovery | undefined;
  readonly leaves: number;
}

/** State of a deployment that lasts over its rounds. */
export interface Campaign {
  readonly deployment: Deployment;
  readonly keys: Keys;
  readonly history: History;
  edition: number;
}

const CALLERS = 8;
const RECOVERED_WITHIN_MS = 90_000;

export async function runRound(campaign: Campaign, plan: Plan): Promise<RoundResult> {
  const { deployment, keys, history } = campaign;
  const startMs = performance.now();
  const timeline: string[] = [];
  const skipped: string[] = [];
  const note = (text: string): void =>
    void timeline.push(`${String(Math.round(performance.now() - startMs)).padStart(7)} ms  ${text}`);
  let isOver = false;
  let healedAtMs = Number.POSITIVE_INFINITY;
  const load: Load = {
    keys,
    addresses: deployment.addresses,
    history,
    isOver: () => isOver,
    deadlineMs: () => healedAtMs + RECOVERED_WITHIN_MS,
  };
  const callerOf = (name: string): Caller => {
    const random: Randomness = createRandomness(`${plan.seed} ${plan.round} ${name}`);
    let count = 0;
    return { load, random, newName: () => `r${plan.round}-${name}-${(count += 1)}` };
  };
  const failures: string[] = [];
  const loops = [
    ...Array.from({ length: CALLERS }, (_, i) => callerLoop(callerOf(`c${i}`))),
    revokeKeys(callerOf('keys')),
    pauseAgents(callerOf('pauses')),
    haltTest(callerOf('halts')),
  ].map((loop) => loop.catch((error: unknown) => void failures.push(String(error))));

  const scene: FaultScene = {
    deployment,
    random: createRandomness(`${plan.seed} ${plan.round} faults`),
    edition: campaign.edition,
  };
  /** Times in which an ingress may leave requests unanswered. */
  const quiet: { readonly fromMs: number; toMs: number }[] = [];
  /** @returns from when on recovery counts */
  const happen = async ({ fault, atMs, lastsMs }: PlannedFault): Promise<number> => {
    const why = fault.whyNot?.(deployment);
    if (why !== undefined) {
      skipped.push(`${fault.name}: ${why}`);
      return performance.now();
    }
    await delay(atMs);
    const fromMs = performance.now();
    note(`begins: ${fault.name}`);
    let heal: () => Promise<void>;
    try {
      heal = await fault.begin(scene);
    } catch (error) {
      // A statement cannot be run while another fault keeps the database away.
      if (plan.faults.length === 1) throw error;
      note(`not possible: ${fault.name}: ${String(error)}`);
      return performance.now();
    }
    const isSelfHealing = fault.lastsMs === undefined;
    const silence = { fromMs, toMs: Number.POSITIVE_INFINITY };
    if (fault.isSilent === true) quiet.push(silence);
    if (isSelfHealing) return performance.now();
    await delay(lastsMs);
    const healingMs = performance.now();
    await heal();
    note(`healed: ${fault.name}`);
    silence.toMs = performance.now() + 1_000;
    return fault.isHealedByStarting === true ? healingMs : performance.now();
  };
  // One fault that cannot begin must not hide the others, nor leave them unhealed.
  const ended = await Promise.allSettled(plan.faults.map(happen));
  for (const [i, one] of ended.entries())
    if (one.status === 'rejected')
      failures.push(`the fault "${plan.faults[i]?.fault.name}" failed: ${String(one.reason)}`);
  const fromMs = Math.max(...ended.map((one) => (one.status === 'fulfilled' ? one.value : performance.now())));
  campaign.edition = scene.edition;
  await deployment.startPostgres?.();
  healedAtMs = performance.now();

  let recovery: Recovery | undefined;
  try {
    recovery = await measureRecovery(callerOf('recovery'), {
      fromMs,
      edition: campaign.edition,
      limitMs: RECOVERED_WITHIN_MS,
    });
    note(
      `work moves again: ${JSON.stringify(recovery, (_, value: unknown) => (typeof value === 'number' ? Math.round(value) : value))}`,
    );
  } catch (error) {
    failures.push(String(error));
  }
  await delay(Math.max(0, startMs + plan.loadMs - performance.now()));
  isOver = true;
  await Promise.all(loops);
  note(`the load is over; answers: ${[...history.answers].map(([status, times]) => `${status}: ${times}`).join(', ')}`);
  history.answers.clear();
  try {
    await untilDrained(deployment);
    note('everything accepted is carried out');
  } catch (error) {
    failures.push(String(error));
  }
  for (const { what, fromMs, toMs } of history.silent.splice(0))
    if (!quiet.some((one) => one.fromMs < toMs && fromMs < one.toMs))
      failures.push(`${what} got no answer for ${Math.round(toMs - fromMs)} ms`);
  const broken = [...failures, ...(await brokenInvariants(deployment, history))];
  history.problems.length = 0;
  note('checked');
  const { fault } = plan.faults[0] ?? {};
  const isMeasured = plan.faults.length === 1 && skipped.length === 0 && fault !== undefined;
  return {
    plan,
    timeline,
    skipped,
    broken,
    recovery: isMeasured ? recovery : undefined,
    leaves: history.live.decisions.size + history.live.proofs.size,
  };
}

const DRAINED_WITHIN_MS = 90_000;
/** More than a second of them: what was answered with 503 may still be stored. */
const CALM_CHECKS = 12;

/** Everything accepted is carried out, and the newest checkpoint covers the log. */
async function untilDrained(deployment: Deployment): Promise<void> {
  const deadline = performance.now() + DRAINED_WITHIN_MS;
  for (let calm = 0; calm < CALM_CHECKS; ) {
    const open = await openWork(deployment).catch((error: unknown) => String(error));
    calm = open === '0' ? calm + 1 : 0;
    if (performance.now() > deadline)
      throw new Error(`after ${DRAINED_WITHIN_MS} ms there still is open work: ${open}`);
    await delay(100);
  }
}

/** Logs whose newest checkpoint does not cover all of their leaves. */
const UNSIGNED = `SELECT count(*)::text AS open FROM log
    WHERE size > COALESCE((SELECT max(checkpoint.size) FROM checkpoint WHERE checkpoint.log_id = log.log_id), 0)`;

async function openWork(deployment: Deployment): Promise<string> {
  for (const query of [OPEN_WORK, UNSIGNED]) {
    const [row] = (await queryOnce(deployment.adminUrl(), query)) as [{ readonly open: string }];
    if (row.open !== '0') return row.open;
  }
  return '0';
}

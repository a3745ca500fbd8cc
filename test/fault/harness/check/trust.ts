// Computes trust scores from the signals in the log, with the formula of the documentation written anew.
import type { Json } from '../http.ts';
import type { Signal } from '../history.ts';
import type { DerivedLog } from './log.ts';

interface FoldedSignal {
  readonly n: number;
  readonly signalId: string;
  readonly type: Signal['type'];
  /** 0..1, thousandths. */
  readonly weight: number;
  readonly day: string;
  readonly key: string;
}

interface FoldBody {
  readonly asOf: { readonly day: string; readonly signals: number };
  readonly dailyCapThousandths: number;
  readonly score: number;
  readonly signals: readonly FoldedSignal[];
}

const DAY_MS = 86_400_000;
const HALF_LIFE_DAYS = 30;
const dayNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`) / DAY_MS;

/**
 * score = floor(1000 (R + 2.5) / (R + 3 S + 10)) with R and S the decayed sums of good and bad evidence. In floating point: good enough
 * unless the value is within 1e-6 of a whole number, where either neighbour is accepted.
 */
function scoresOf(signals: readonly FoldedSignal[], day: string, capThousandths: number): readonly number[] {
  const good = new Map<string, number>();
  let bad = 0;
  const decay = (of: string): number => 2 ** (-Math.max(0, dayNumber(day) - dayNumber(of)) / HALF_LIFE_DAYS);
  for (const { type, weight, day: of, key } of signals) {
    if (type === 'success') good.set(`${of} ${key}`, (good.get(`${of} ${key}`) ?? 0) + weight);
    else bad += weight * (type === 'violation' ? 10 : 1) * decay(of);
  }
  let sum = 0;
  for (const [bucket, weight] of good)
    sum += Math.min(weight, capThousandths / 1_000) * decay(bucket.split(' ')[0] ?? day);
  const exact = (1_000 * (sum + 2.5)) / (sum + 3 * bad + 10);
  return [Math.floor(exact - 1e-6), Math.floor(exact + 1e-6)];
}

/** Trust on record: each agent's last score. @returns what is wrong */
export function checkTrust(
  log: DerivedLog,
  accepted: ReadonlyMap<string, Signal>,
): { readonly problems: string[]; readonly scores: ReadonlyMap<string, FoldBody> } {
  const problems: string[] = [];
  const signalsOf = new Map<string, FoldedSignal[]>();
  const scores = new Map<string, FoldBody>();
  const seen = new Map<string, FoldedSignal & { readonly agentId: string }>();
  for (const { event, entityId, body } of log.records) {
    if (event !== 'custos.trust') continue;
    // The body of this event, as docs/guides/verify-a-decision.md has it.
    const fold = body as unknown as FoldBody & Json;
    const own = signalsOf.get(entityId) ?? [];
    signalsOf.set(entityId, own);
    for (const signal of fold.signals) {
      if (signal.n !== own.length + 1)
        problems.push(`signal ${signal.signalId} of ${entityId} has number ${signal.n}, not ${own.length + 1}`);
      if (seen.has(signal.signalId)) problems.push(`signal ${signal.signalId} is folded twice`);
      seen.set(signal.signalId, { ...signal, agentId: entityId });
      own.push(signal);
    }
    const expected = scoresOf(own, fold.asOf.day, fold.dailyCapThousandths);
    if (!expected.includes(fold.score))
      problems.push(
        `${entityId} has the score ${fold.score} after ${own.length} signals, not ${expected.join(' or ')}`,
      );
    scores.set(entityId, fold);
  }
  for (const [signalId, { agentId, type, weight }] of accepted) {
    const folded = seen.get(signalId);
    if (folded === undefined) problems.push(`signal ${signalId} was accepted and is not folded`);
    else if (folded.agentId !== agentId || folded.type !== type || Math.round(folded.weight * 1_000) !== weight)
      problems.push(`signal ${signalId} is folded as ${JSON.stringify(folded)}`);
  }
  return { problems, scores };
}

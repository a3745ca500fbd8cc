// The trust of an agent over a range of time, thinned so that a chart of any range has a bounded number of points.
import { levelOf } from '../../shared/core/trust/score.ts';
import { listTrustChanges, type TrustChange } from '../../shared/domain/trust/state.ts';
import type { Owner } from '../../shared/kernel/owner.ts';
import { TIER_TABLE } from '../../shared/kernel/vocabulary.ts';
import type { Sql } from '../../shared/platform/db/database.ts';
import type { TrustCurve, TrustPoint } from './client/wire/agents.ts';

/** Changes that are read: the newest of the range. */
const MAX_CHANGES = 2_000;
/** More than a chart has pixels for points apart from each other. */
const MAX_POINTS = 240;

type Change = Pick<TrustChange, 'folded_at' | 'score' | 'success' | 'failure' | 'violation'>;

/**
 * At most `points` points, oldest first: for each of as many equal spans of time the last change, with the signals of all of
 * them. @param changes newest first
 */
export function thinned(changes: readonly Change[], points: number): TrustPoint[] {
  const [last, first] = [changes[0]?.folded_at.getTime() ?? 0, changes.at(-1)?.folded_at.getTime() ?? 0];
  const spanMs = Math.max(1, (last - first + 1) / points);
  const kept = new Map<number, TrustPoint>();
  for (const { folded_at: at, score, success, failure, violation } of changes.toReversed()) {
    const span = Math.floor((at.getTime() - first) / spanMs);
    const { signals } = kept.get(span) ?? { signals: { success: 0, failure: 0, violation: 0 } };
    kept.set(span, {
      at: at.toISOString(),
      score,
      level: levelOf(score),
      signals: {
        success: signals.success + success,
        failure: signals.failure + failure,
        violation: signals.violation + violation,
      },
    });
  }
  return [...kept.values()];
}

/** @param from the beginning of the range; undefined: all @throws {ApiError} E6002 */
export async function readTrustCurve(
  db: Sql,
  { organisationId, environment }: Owner,
  agentId: string,
  from: Date | undefined,
): Promise<TrustCurve> {
  const subject = { organisationId, environment, agentId };
  const changes = await listTrustChanges(db, subject, { from, to: undefined, before: undefined }, MAX_CHANGES + 1);
  const shown = changes.slice(0, MAX_CHANGES);
  return {
    points: thinned(shown, MAX_POINTS),
    changes: shown.length,
    more: changes.length > MAX_CHANGES,
    tiers: TIER_TABLE,
  };
}

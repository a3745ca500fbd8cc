// Measures how long enforcement takes in this process, for the report to the workers.
import type { EnforcementNotice } from '../../shared/platform/db/enforcement-notice.ts';
import type { Metrics } from '../../shared/platform/observe/metrics.ts';

/** Routes on whose answers an agent waits. Those of batches take longer, by what is in them. */
const ROUTES: ReadonlySet<string> = new Set(['/v1/enforce', '/access/v1/evaluation']);

/** The same metrics; answers to enforcement are observed by `notice`, too. Refused requests tell nothing about the time of others. */
export function withEnforcementTimes(metrics: Metrics, notice: EnforcementNotice): Metrics {
  return {
    ...metrics,
    observeRequest(route, method, status, durationMs) {
      metrics.observeRequest(route, method, status, durationMs);
      if (status < 400 && ROUTES.has(route)) notice.observe(durationMs);
    },
  };
}

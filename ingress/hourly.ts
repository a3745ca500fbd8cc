// Counts what organisations ask for in the last hour, in this process: a bound on work that leaves no row behind.
const HOUR_MS = 3_600_000;

export interface HourlyCounts {
  /** Counts one more. @returns whether it is within the limit; what is above it does not count */
  take(organisationId: string): boolean;
}

export function createHourlyCounts(limit: number, nowMs: () => number): HourlyCounts {
  const taken = new Map<string, readonly number[]>();
  return {
    take(organisationId) {
      const now = nowMs();
      const recent = (taken.get(organisationId) ?? []).filter((atMs) => atMs > now - HOUR_MS);
      const isWithin = recent.length < limit;
      taken.set(organisationId, isWithin ? [...recent, now] : recent);
      return isWithin;
    },
  };
}

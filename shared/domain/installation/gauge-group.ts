// Helpers to define gauges about state that all processes share.
import type { Registry } from 'prom-client';
import type { Sql } from '../../platform/db/database.ts';
import { type Sample, type SharedState, watchState } from '../../platform/observe/shared-gauges.ts';
import type { Queues } from '../../platform/queues/queues.ts';

export interface InstallationDeps {
  /** Best a pool of its own: requests that use up theirs must not hide it from the metrics. */
  readonly sql: Sql;
  readonly queues: Pick<Queues, 'counts'>;
  readonly monotonicMs: () => number;
}

export interface GaugeGroup {
  /** Names of its gauges. */
  readonly names: readonly string[];
  watch(registry: Registry, deps: InstallationDeps): void;
}

/** Gauges that are read together. */
export function gaugeGroup<T>(
  state: Pick<SharedState<T>, 'gauges' | 'freshMs'> & { readonly read: (deps: InstallationDeps) => Promise<T> },
): GaugeGroup {
  return {
    names: state.gauges.map(({ name }) => name),
    watch: (registry, deps) =>
      watchState(registry, { ...state, read: () => state.read(deps), monotonicMs: deps.monotonicMs }),
  };
}

export interface Tenant {
  /** Slug. */
  readonly organisation: string;
  readonly environment: string;
}
export const TENANT = ['organisation', 'environment'] as const satisfies readonly (keyof Tenant)[];

/** One sample for each organisation and environment. A later value replaces an earlier one; undefined is skipped. */
export function ofTenants<T extends Tenant>(
  rows: readonly T[],
  valueOf: (row: T, earlier: number | undefined) => number | undefined,
): Sample[] {
  const samples = new Map<string, Sample>();
  for (const row of rows) {
    const { organisation, environment } = row;
    const name = `${organisation}/${environment}`;
    const value = valueOf(row, samples.get(name)?.value);
    if (value !== undefined) samples.set(name, { labels: { organisation, environment }, value });
  }
  return [...samples.values()];
}

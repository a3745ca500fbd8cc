// The gauges about state that all processes share. Ingress and workers serve the same ones, so that an alert lasts when the workers end.
import type { Registry } from 'prom-client';
import type { InstallationDeps } from './gauge-group.ts';
import { TENANT_GAUGES } from './tenant-gauges.ts';
import { WORK_GAUGES } from './work-gauges.ts';

const GROUPS = [...WORK_GAUGES, ...TENANT_GAUGES];

export const INSTALLATION_GAUGES: readonly string[] = GROUPS.flatMap(({ names }) => names);

/** Adds the gauges to the metrics of this process. */
export function watchInstallation(registry: Registry, deps: InstallationDeps): void {
  for (const group of GROUPS) group.watch(registry, deps);
}

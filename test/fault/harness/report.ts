// Prints rounds and the table of recovery times.
import { performance } from 'node:perf_hooks';
import { movedMs } from './recovery.ts';
import type { RoundResult } from './round.ts';

export const titleOf = ({ plan }: RoundResult): string =>
  `round ${plan.round} (${plan.kind}): ${plan.faults.map(({ fault }) => fault.name).join(', ')}`;

/** One line for a round that held, everything that is known for one that did not. */
export function describeRound(result: RoundResult): string {
  const { plan, timeline, broken, skipped, recovery } = result;
  const took = recovery === undefined ? '' : `, moves after ${Math.round(movedMs(recovery))} ms`;
  const lines = [`${broken.length === 0 ? 'held  ' : 'BROKEN'} ${titleOf(result)}${took}`];
  lines.push(...skipped.map((why) => `  skipped: ${why}`));
  if (broken.length > 0) {
    lines.push(...timeline.map((line) => `  ${line}`));
    lines.push(...broken.slice(0, 20).map((what) => `  broken: ${what}`));
    if (broken.length > 20) lines.push(`  and ${broken.length - 20} more`);
    lines.push(
      `  repeat it with: npm run faults -- --seed ${plan.seed} --round ${plan.round} --backend ${plan.kind} --seconds ${plan.loadMs / 1_000}`,
    );
  }
  return lines.join('\n');
}

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};
const cell = (values: readonly number[]): string =>
  `${Math.round(median(values))} / ${Math.round(Math.max(...values))}`;

/** Recovery by fault and deployment, as a Markdown table: median and largest, in milliseconds. */
export function recoveryTable(results: readonly RoundResult[]): string {
  const groups = new Map<string, RoundResult[]>();
  for (const result of results) {
    const [planned] = result.plan.faults;
    if (result.recovery === undefined || planned === undefined) continue;
    const name = `${planned.fault.name} | ${result.plan.kind === 'embedded' ? 'embedded' : 'scaled out'}`;
    groups.set(name, [...(groups.get(name) ?? []), result]);
  }
  const rows = [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, group]) => {
      const recoveries = group.flatMap(({ recovery }) => recovery ?? []);
      const of = (key: keyof (typeof recoveries)[number]): string => cell(recoveries.map((one) => one[key]));
      const moved = cell(recoveries.map(movedMs));
      return `| ${name} | ${group.length} | ${moved} | ${of('enforcedMs')} | ${of('decidedMs')} | ${of('anchoredMs')} | ${of('everywhereMs')} | ${of('editionMs')} | ${of('settledMs')} |`;
    });
  return [
    '| fault | deployment | times | work moves | enforcement | intent decided | proof anchored | every ingress | policies | earlier work |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** How many rounds held, and what was done in them. */
export function summary(results: readonly RoundResult[], startedMs: number): string {
  const broken = results.filter((one) => one.broken.length > 0).length;
  const faults = results.flatMap(({ plan }) => plan.faults).length;
  return `${results.length} rounds with ${faults} faults in ${Math.round((performance.now() - startedMs) / 1_000)} s: ${results.length - broken} held, ${broken} broken`;
}

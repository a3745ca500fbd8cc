// The counts beside the links of the menu, from the live topics. Pure.
import { problemsOf } from './pages/problems.ts';
import type { WaitingApprovals } from './wire.ts';
import type { Overview } from './wire/overview.ts';

export interface MenuBadge {
  readonly count: number;
  readonly tone: 'warn' | 'bad';
  /** What is counted, for screen readers: "3 waiting". */
  readonly text: string;
}

/** Badges by the name of a page, as in its address. Pages without a count above 0 have none. */
export function badgesOf(
  overview: Overview | undefined,
  approvals: WaitingApprovals | undefined,
): ReadonlyMap<string, MenuBadge> {
  const problems = overview === undefined ? [] : problemsOf(overview);
  const webhooks = overview?.webhooks;
  const isBad = problems.some(({ tone }) => tone === 'bad');
  const all: readonly (readonly [page: string, count: number, tone: MenuBadge['tone'], what: string])[] = [
    ['', problems.length, isBad ? 'bad' : 'warn', problems.length === 1 ? 'problem' : 'problems'],
    ['approvals', approvals?.total ?? 0, 'warn', 'waiting'],
    ['dead-jobs', overview?.deadJobs ?? 0, 'bad', 'unresolved'],
    ['webhooks', (webhooks?.disabled ?? 0) + (webhooks?.failing ?? 0), 'bad', 'failing or disabled'],
  ];
  return new Map(
    all
      .filter(([, count]) => count > 0)
      .map(([page, count, tone, what]) => [page, { count, tone, text: `${count} ${what}` }]),
  );
}

/** The count as the badge shows it: at most three characters. */
export const shortCount = (count: number): string => (count > 99 ? '99+' : String(count));

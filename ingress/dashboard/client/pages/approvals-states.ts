// Texts about the states of approvals.
import type { Approval } from '../answers.ts';
import { byService } from '../clock.ts';
import { relative, spelled } from '../format.ts';
import type { WaitingApprovals } from '../wire/approvals.ts';

/** The status at this time: the service stores an expiry later than it takes effect. */
export function statusAt({ status, expiresAt }: Approval, now: Date): Approval['status'] {
  const isOpen = status === 'pending' || status === 'approved';
  return isOpen && Date.parse(expiresAt) <= now.getTime() ? 'expired' : status;
}

/**
 * Whether a pending approval is missing from the live list of pending ones, so that it was decided since it was read. The live list
 * contains only the newest approvals, and may be older than the approval: then nothing is known.
 */
export function isMissing(
  { approvalId, createdAt }: Pick<Approval, 'approvalId' | 'createdAt'>,
  live: WaitingApprovals | undefined,
): boolean {
  if (live === undefined || live.newest.some((each) => each.approvalId === approvalId)) return false;
  const oldest = live.newest.at(-1)?.approvalId ?? '';
  return createdAt < live.at && (live.total === live.newest.length || approvalId >= oldest);
}

/** "14 min left", "expired 2 min ago" */
export function timeLeft(expiresAt: string, now: Date): string {
  const at = new Date(expiresAt);
  return at > now ? `${relative(at, now).replace(/^in /, '')} left` : `expired ${relative(at, now)}`;
}

/** With less time left the page marks an approval as urgent. */
const SHORT_MS = 10 * 60_000;

export function isUrgent(expiresAt: string, now: Date): boolean {
  const leftMs = Date.parse(expiresAt) - now.getTime();
  return leftMs > 0 && leftMs < SHORT_MS;
}

/** Why an approval cannot be decided any more. */
export function wasDecided(approval: Approval, now = new Date(byService(Date.now()))): string {
  const { decidedBy, reason, usedBy } = approval;
  const status = statusAt(approval, now);
  if (decidedBy === null) return 'It has expired: nobody decided in time.';
  if (status === 'expired') return 'It has expired: nobody used it in time.';
  if (usedBy !== null)
    return `It was already approved by ${decidedBy}, and used by the key ${usedBy}: ${spelled(reason ?? '')}`;
  const how = status === 'rejected' ? 'rejected' : 'approved';
  return `It was already ${how} by ${decidedBy}: ${spelled(reason ?? '')}`;
}

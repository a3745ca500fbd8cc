// Whether an approval had the approvers that its rules demanded: enough different hands, each of a key that they name.
import { progressOf, type Voters } from '../policy/approvers.ts';
import { quoted } from '../proof/encoding.ts';
import type { LoggedApproval } from './approvals.ts';
import { GRACE_MS, type Report, fail } from './failures.ts';
import { type KeyHistory, wereSameHands } from './keys.ts';
import type { DecisionBody } from './record.ts';

/** The keys of a log as the voters of an approval at a time. Differences of clocks speak for a vote. */
function votersOf(keys: KeyHistory, atMs: number): Voters {
  const ended = (keyId: string): boolean => {
    const { revokedAtMs = Infinity, expiresAtMs = Infinity } = keys.ends.get(keyId) ?? {};
    return Math.min(revokedAtMs, expiresAtMs) < atMs - GRACE_MS;
  };
  const isValid = (keyId: string, seen: readonly string[] = []): boolean =>
    !ended(keyId) ||
    keys.rotations.some(({ from, to }) => from === keyId && !seen.includes(to) && isValid(to, [...seen, keyId]));
  return {
    tagsOf: (keyId) => keys.tags.get(keyId) ?? [],
    areSameHands: (one, other) => one === other || wereSameHands(keys, one, other, atMs),
    isValid: (keyId) => isValid(keyId),
  };
}

/**
 * @param asked the ESCALATE that opened the approval, which names the approvers
 * @param keys undefined: no key records were given, which is reported elsewhere
 */
export function checkQuorum(
  asked: Pick<DecisionBody, 'approval' | 'key_id'>,
  logged: LoggedApproval | undefined,
  keys: KeyHistory | undefined,
  report: Report,
): void {
  const demands = asked.approval?.approvers;
  const approved = logged?.approved;
  if (demands === undefined || logged === undefined || approved === undefined || keys === undefined) return;
  // A vote after the one that completed the approval contradicts the states, which is reported elsewhere.
  const votes = [...new Set(logged.votes.map(({ by }) => by))];
  const unknown = votes.filter((by) => !keys.makers.has(by));
  if (unknown.length > 0 && !report.notEvaluable.includes('KEYS_NOT_RECORDED'))
    report.notEvaluable.push('KEYS_NOT_RECORDED');
  if (unknown.length > 0) return;
  const progress = progressOf(demands, { askedBy: asked.key_id, votes }, votersOf(keys, approved.atMs));
  for (const { demand, counted, missing } of progress)
    if (missing > 0)
      fail(
        report,
        'APPROVAL_QUORUM',
        `The rule ${quoted(`${demand.policy}/${demand.rule}`)} demands ${demand.at_least} of its approvers in different hands; by the log ${counted.length} approved.`,
      );
}

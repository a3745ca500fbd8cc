// Whether an approval had the approvers that its rules demanded: enough different hands, each of a key that they name.
import { type Escalation, furtherDemands, progressOf, type Voters } from '../policy/approvers.ts';
import { quoted } from '../proof/encoding.ts';
import type { LoggedApproval } from './approvals.ts';
import { type Report, fail } from './failures.ts';
import { isShell, type KeyHistory, wereSameHands } from './keys.ts';
import { GRACE_MS, isLongBefore, type Moment } from './moment.ts';
import type { DecisionBody } from './record.ts';

/** The keys of a log as the voters of an approval at a time. Differences of clocks speak for a vote. */
function votersOf(keys: KeyHistory, at: Moment): Voters {
  const ended = (keyId: string): boolean => {
    const { revoked, expiresAtMs = Infinity } = keys.ends.get(keyId) ?? {};
    return (revoked !== undefined && isLongBefore(revoked, at)) || expiresAtMs < at.atMs - GRACE_MS;
  };
  const isValid = (keyId: string, seen: readonly string[] = []): boolean =>
    !ended(keyId) ||
    keys.rotations.some(({ from, to }) => from === keyId && !seen.includes(to) && isValid(to, [...seen, keyId]));
  return {
    tagsOf: (keyId) => keys.tags.get(keyId) ?? [],
    areSameHands: (one, other) => one === other || wereSameHands(keys, one, other, at),
    isValid: (keyId) => isValid(keyId),
  };
}

/** An approval that a decision used. */
export interface UsedApproval {
  /** The ESCALATE that opened it, with the approvers that its rules demanded. */
  readonly asked: Pick<DecisionBody, 'approval' | 'key_id' | 'evaluated_at'>;
  readonly used: Pick<DecisionBody, 'evaluated_at'>;
  /** What the rules demand of an approval on the facts of its use; undefined: nothing, or it was not compared. */
  readonly escalation: Escalation | undefined;
}

/** Checks that an approval met what was demanded when it was asked for, and when it was used. */
export function checkQuorum(
  { asked, used, escalation }: UsedApproval,
  logged: LoggedApproval | undefined,
  keys: KeyHistory | undefined,
  report: Report,
): void {
  const ageMs = Date.parse(used.evaluated_at) - Date.parse(asked.evaluated_at);
  if (escalation?.ttlMs !== undefined && ageMs >= escalation.ttlMs)
    fail(
      report,
      'APPROVERS_DIFFER',
      `The approval was used ${ageMs / 1_000} s after it was asked for; the policy set gives it ${escalation.ttlMs / 1_000} s.`,
    );
  const { approvers = [] } = asked.approval ?? {};
  const demands = [...approvers, ...furtherDemands({ approvers }, escalation ?? {})];
  const approved = logged?.approved;
  // Keys that were not given are reported elsewhere.
  if (demands.length === 0 || logged === undefined || approved === undefined || keys === undefined) return;
  // A vote after the one that completed the approval contradicts the states, which is reported elsewhere. The shell has no vote.
  const votes = [...new Set(logged.votes.map(({ by }) => by))].filter((by) => !isShell(by));
  const unknown = votes.filter((by) => !keys.makers.has(by));
  if (unknown.length > 0 && !report.notEvaluable.includes('KEYS_NOT_RECORDED'))
    report.notEvaluable.push('KEYS_NOT_RECORDED');
  if (unknown.length > 0) return;
  const progress = progressOf(demands, { askedBy: asked.key_id, votes }, votersOf(keys, approved));
  for (const { demand, counted, missing } of progress)
    if (missing > 0)
      fail(
        report,
        'APPROVAL_QUORUM',
        `The rule ${quoted(`${demand.policy}/${demand.rule}`)} demands ${demand.at_least} of its approvers in different hands; by the log ${counted.length} approved.`,
      );
}

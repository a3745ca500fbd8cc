// Policy sets in the log: when each was in force, and whether a decision names one that was in force when it was made.
import { memberOf } from '../../kernel/json.ts';
import { readRecord } from '../proof/record-read.ts';
import type { ChangeOwner } from './changes.ts';
import { fail, type LoggedRecord, type Report } from './failures.ts';
import { isAfter, isBehind, type Moment } from './moment.ts';
import { type DecisionRecord, isAsLogged, momentOf } from './record.ts';

/**
 * Processes of two versions may run side by side that long, and an older one keeps its set when it can't load the next (active-set.ts).
 */
const SIDE_BY_SIDE_MS = 86_400_000;

/** A policy set that came into force, until the next one of the list did. */
export interface InForce {
  readonly digest: string;
  readonly from: Moment;
}

/** The digest of the set that a `custos.policy_set` record puts into force; undefined for other changes, such as a refused folder. */
export function digestInForce(body: unknown): string | undefined {
  const [change, digest] = [memberOf(body, 'change'), memberOf(body, 'digest')];
  return (change === 'activated' || change === 'in_force') && typeof digest === 'string' ? digest : undefined;
}

/**
 * @param records the `custos.policy_set` records of one organisation and environment, in log order. What is not as it was logged puts no
 * set into force
 */
export function readPolicySets(records: readonly LoggedRecord[], owner: ChangeOwner): InForce[] {
  return records.flatMap((logged) => {
    const read = readRecord(logged.bytes);
    if (!('record' in read) || !isAsLogged(logged)) return [];
    const { eventType, occurredAt, payload } = read.record;
    const isOfOwner = payload.organisation === owner.organisation && payload.environment === owner.environment;
    const digest = eventType === 'custos.policy_set' && isOfOwner ? digestInForce(payload.body) : undefined;
    return digest === undefined ? [] : [{ digest, from: { atMs: Date.parse(occurredAt), place: logged.place } }];
  });
}

/** Before the first record of a log it is not known which set was in force. */
export function checkInForce(decision: DecisionRecord, sets: readonly InForce[], report: Report): void {
  const at = momentOf(decision);
  const { digest } = decision.body.policy_set;
  const last = sets.findLastIndex(({ from }) => !isAfter(from, at));
  if (last === -1) return;
  for (let i = last; i >= 0; i -= 1) {
    if (sets[i]?.digest === digest) return;
    const { from } = sets[i] as InForce;
    // All before it were replaced by then.
    if (!isBehind(from, at) && from.atMs < at.atMs - SIDE_BY_SIDE_MS) break;
  }
  fail(
    report,
    'POLICY_SET_NOT_IN_FORCE',
    `By the log the policy set ${digest} was not in force at ${decision.body.evaluated_at}, nor in the day before.`,
  );
}

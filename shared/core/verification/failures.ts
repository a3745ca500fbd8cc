// The failures of recorded decisions: one table for the command line, its exit codes and the guide.
import { failureTable } from '../proof/failures.ts';
import type { LogPlace } from './moment.ts';

/** The closed list of failures of `custos decision verify`. The exit codes differ from those of `custos verify`. */
export const DECISION_FAILURES = failureTable(40, {
  RECORD_NOT_CANONICAL: 'The record is not canonical JSON (RFC 8785) of exactly the members of a decision.',
  RECORD_ALTERED: 'The record is not the one that the log has hashed.',
  ROW_DIFFERS: 'A column of the stored decision says something else than its record.',
  ANSWER_INCONSISTENT: 'Members of the answer contradict each other.',
  FACTS_DIGEST: 'Facts and salt do not have the digest that the record names.',
  FACTS_NOT_CANONICAL: 'The facts are not canonical JSON of the facts of a decision.',
  FACTS_DISAGREE: 'A member of the answer is not what the facts say.',
  POLICY_SET_MISSING: 'The policy set that the record names is not there.',
  POLICY_SET_DIGEST: 'The policy set does not have the digest that the record names.',
  POLICY_SET_REFUSED: 'The policy set can not be loaded.',
  RISK_DIFFERS: 'The policy set finds another risk in the facts.',
  VERDICT_DIFFERS: 'The policy set reaches another verdict on the facts.',
  REASONS_DIFFER: 'The policy set gives other reasons for the verdict.',
  OBLIGATIONS_DIFFER: 'The policy set asks for other obligations.',
  TRUST_RECORD_ALTERED:
    "One of the agent's trust records is not the one that the log has hashed, or not a trust record at all.",
  TRUST_SIGNALS_MISSING: "The agent's trust records do not hold each of the signals that the score is made of, once.",
  TRUST_FOLD_WRONG: 'The score in a trust record does not follow from the logged signals.',
  TRUST_AS_OF: 'The trust is of another day than the decision, or leaves out or anticipates signals.',
  TRUST_DIFFERS: 'The logged signals give another score or uncertainty than the one used.',
  EFFECTIVE_TRUST_WRONG: 'The effective trust is not the lower of recorded and claimed.',
  HALT_RECORD_ALTERED: 'A halt record is not the one that the log has hashed, or not a halt record at all.',
  HALT_NOT_RECORDED: 'The decision says HALTED, and no such halt was in force.',
  HALT_IGNORED: 'A halt was in force, and the decision does not say HALTED.',
  APPROVAL_RECORD_ALTERED:
    "One of the agent's approval records is not the one that the log has hashed, or not an approval record at all.",
  APPROVAL_NOT_RECORDED:
    'The decision says APPROVED, and the log has no such approval of this action, given before and used by it.',
  APPROVAL_USED_TWICE: 'Another decision has used the same approval.',
  APPROVAL_REFUSAL_WRONG:
    'The decision says that an approval was rejected, had expired or was used, and by the log it was not, or not that of this action.',
  APPROVAL_SAME_HANDS:
    'The approval was decided by the key that asked, by one that it made or that made it, or by what rotations made of these.',
  KEY_RECORD_ALTERED: 'One of the key records is not the one that the log has hashed, or not a key record at all.',
  APPROVERS_DIFFER: 'The policy set demands other approvers, or another lifetime of the approval.',
  APPROVAL_QUORUM:
    'The approval was not given by as many different hands as its rules demand, or by others than they name.',
  BUDGETS_DIFFER: 'The budgets of the record are not those that the policy set counts for this decision.',
  POLICY_SET_NOT_IN_FORCE:
    'By the log the policy set was not in force when the decision was made, nor in the day before.',
});

export type DecisionFailureCode = keyof typeof DECISION_FAILURES;

/** Why a part of a decision can not be evaluated again although nothing is wrong. Also a closed list. */
export const NOT_EVALUABLE = {
  FACTS_ERASED:
    'Retention has erased the facts (or they were not given), so risk and verdict can not be evaluated again.',
  EVALUATION_FAILED:
    'The evaluation failed when the decision was made, which made it a DENY or the risk the highest; a failure does not follow from the facts.',
  OTHER_VERSION:
    'Another version of the service made the decision; this one evaluates it differently, or can not read it.',
  POLICY_SET_OF_OTHER_VERSION:
    'Another version of the service put the policy set into force; this one can not load it.',
  KEY_INVALID:
    'The key that submitted the intent was not valid any more when it was evaluated, which made it a DENY; the state of keys is not part of the facts.',
  APPROVAL:
    'The verdict is about an approval that could not be used; which one, or what became of it, is in none of the records.',
  APPROVAL_RECORDS_NOT_GIVEN: 'The verdict is about an approval, and no approval records of the agent were given.',
  KEY_RECORDS_NOT_GIVEN: 'The verdict is about an approval, and no key records were given.',
  KEYS_NOT_RECORDED:
    'The verdict is about an approval, and the log has no record that made the key that asked, or the one that decided.',
  HALT_RECORDS_NOT_GIVEN: 'The decision says HALTED, which is not part of the facts, and no halt records were given.',
  TRUST_RECORDS_NOT_GIVEN: 'The agent has signals, and none of its trust records were given.',
} as const;

export type NotEvaluableCode = keyof typeof NOT_EVALUABLE;

export interface DecisionFailure {
  readonly code: DecisionFailureCode;
  /** With the particulars. */
  readonly sentence: string;
}

/** The results of the checks of one decision, in order. */
export interface Report {
  readonly failures: DecisionFailure[];
  readonly notEvaluable: NotEvaluableCode[];
}

/** Failures that no other version of the evaluation explains: stored bytes that are missing, or are not those that were recorded. */
export const IN_ANY_VERSION: readonly DecisionFailureCode[] = [
  'RECORD_ALTERED',
  'ROW_DIFFERS',
  'FACTS_DIGEST',
  'POLICY_SET_MISSING',
  'POLICY_SET_DIGEST',
  'POLICY_SET_NOT_IN_FORCE',
  'TRUST_RECORD_ALTERED',
  'HALT_RECORD_ALTERED',
  'APPROVAL_RECORD_ALTERED',
  'KEY_RECORD_ALTERED',
];

/** Adds a failure to a report. */
export function fail(report: Report, code: DecisionFailureCode, sentence: string): void {
  report.failures.push({ code, sentence });
}

/** A record of the log with the hashes of its leaf. */
export interface LoggedRecord {
  /** The canonical bytes. A record that is not in the log yet has no previous hash; 64 zeros take its place. */
  readonly bytes: Uint8Array;
  /** Hashes of its leaf, lower-case hex; undefined: not in the log yet, or unknown. */
  readonly leaf?: { readonly eventHash: string; readonly leafHash: string } | undefined;
  /** Undefined: unknown, or in another log than the decision. */
  readonly place?: LogPlace | undefined;
}

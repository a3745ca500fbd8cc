// What a decision that was stored, or was not, leaves to its caller.
import type { Verdict } from '../../kernel/vocabulary.ts';
import type { Sql } from '../../platform/db/database.ts';
import type { Unwritten } from './approval-naming.ts';
import type { NamedApproval } from './decider.ts';

/** A decision stored in a transaction that may still fail. */
export interface Written {
  readonly decisionId: string;
  readonly verdict: Verdict;
  /** JSON text of the answer. */
  readonly text: string;
  /** The approval that an ESCALATE names; none when the agent has too many. */
  readonly approval?: NamedApproval | undefined;
  /** The decision of an earlier request with the same key and action; nothing was stored. */
  readonly isRepeat: boolean;
}

/** A durable answer: JSON text, which may go out now. */
export type AnsweredDecision = Pick<Written, 'decisionId' | 'text' | 'isRepeat'>;

/** @param isLast whether the outcome ends an ordered batch: what follows it is not stored, and has no outcome */
export type Write = (sql: Sql, isLast?: IsLast) => Promise<readonly (Written | Unwritten)[]>;
export type IsLast = (outcome: Written | Unwritten) => boolean;

/** The stored decision. @throws why it was not stored */
export function writtenOf(outcome: Written | Unwritten | undefined): Written {
  if (outcome === undefined) throw new Error('a decision was not written');
  if ('error' in outcome) throw outcome.error;
  return outcome;
}

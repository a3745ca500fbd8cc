// Whether a decision was made for a submitted intent. The intent's row only names the decision, and no hash covers the row.
import { permits, type Verdict } from '../../kernel/vocabulary.ts';
import { bodyOfPrefix } from '../proof/record.ts';
import { unpackRecord } from './packed-record.ts';

/** The columns of an intent that its decision repeats. */
export interface IntentColumns {
  readonly agent_id: string;
  readonly key_id: string;
  readonly action: string;
  readonly resource: string;
  /** Null in rows older than this column. */
  readonly request_id: string | null;
}

/** The members of a decision's body (writeDecision) that are compared. */
interface DecidedBody {
  readonly agent_id: string;
  readonly key_id: string;
  readonly request_id?: string;
  readonly verdict: Verdict;
  readonly intent: {
    /** Absent in decisions older than this member. */
    readonly requested?: { readonly action?: string; readonly resource?: string; readonly tool?: object };
  };
}

/** Whether both ask the same. Rows of decided intents do not have the tool call any more. */
function asksTheSame({ action, resource }: IntentColumns, { requested }: DecidedBody['intent']): boolean {
  if (requested === undefined || requested.tool !== undefined) return true;
  return requested.action === action && requested.resource === resource;
}

/** Whether a decision is one of this intent. @param decided the body of the decision's record, which this service wrote */
export function isDecisionOfIntent(intent: IntentColumns, decided: unknown): boolean {
  const body = decided as DecidedBody;
  return (
    body.agent_id === intent.agent_id &&
    body.key_id === intent.key_id &&
    (body.request_id ?? null) === intent.request_id &&
    // The DENY of an intent that can't be read any more names no action, and misleads nobody.
    (!permits(body.verdict) || asksTheSame(intent, body.intent))
  );
}

/** The same by the column `record` of the decision. */
export const isStoredDecisionOfIntent = (intent: IntentColumns, record: Buffer): boolean =>
  isDecisionOfIntent(intent, bodyOfPrefix(unpackRecord(record)));

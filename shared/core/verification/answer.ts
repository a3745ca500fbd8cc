// Checks on a recorded decision alone: its members agree with each other, and its row agrees with it.
import { proofIdOfDecision } from '../../kernel/ids.ts';
import { permits } from '../../kernel/vocabulary.ts';
import type { RepeatedColumns } from '../proof/audit.ts';
import { strictTime } from '../proof/encoding.ts';
import { levelOf } from '../trust/score.ts';
import { DECISION_TTL_MS } from '../decision/record.ts';
import { shown } from './facts.ts';
import { fail, type Report } from './failures.ts';
import type { DecisionRecord } from './record.ts';

/** The columns of a stored decision that repeat its record. */
export interface DecisionColumns extends RepeatedColumns {
  readonly environment: string;
  readonly proofId: string;
}

/** Compares the row with its record. */
export function checkColumns(columns: DecisionColumns, { record, body }: DecisionRecord, report: Report): void {
  const pairs: readonly (readonly [name: string, column: string | null, recorded: string | null])[] = [
    ['decision_id', columns.decisionId, body.decision_id],
    ['environment', columns.environment, record.payload.environment],
    ['agent_id', columns.agentId, body.agent_id],
    ['key_id', columns.keyId, body.key_id],
    ['verdict', columns.verdict, body.verdict],
    ['evaluated_at', columns.evaluatedAt, body.evaluated_at],
    ['policy_digest', columns.policyDigest ?? body.policy_set.digest, body.policy_set.digest],
    ['proof_id', columns.proofId, record.payload.proofId],
    ['request_id', columns.requestId, body.request_id ?? null],
    ['tool_server', columns.toolServer, body.tool?.server ?? null],
    ['tool_name', columns.toolName, body.tool?.name ?? null],
  ];
  for (const [name, column, recorded] of pairs) {
    if (column !== recorded)
      fail(report, 'ROW_DIFFERS', `The row's ${name} is ${shown(column)}, the record's ${shown(recorded)}.`);
  }
}

/** Checks what follows from the record alone. */
export function checkAnswer({ record, body }: DecisionRecord, report: Report): void {
  const wrong = (sentence: string): void => fail(report, 'ANSWER_INCONSISTENT', sentence);
  const { verdict, trust } = body;
  const isAllowed = permits(verdict);
  if (body.allowed !== isAllowed) wrong(`The verdict is ${verdict}, and "allowed" says ${body.allowed}.`);
  const expiresAtMs = (strictTime(body.evaluated_at) ?? Number.NaN) + DECISION_TTL_MS;
  if (strictTime(body.expires_at) !== expiresAtMs)
    wrong(`It expires at ${body.expires_at}, not one hour after ${body.evaluated_at}.`);
  const { approval } = body;
  if (approval !== undefined && verdict !== 'ESCALATE') wrong(`The verdict is ${verdict}, and it names an approval.`);
  if (approval !== undefined && !(Date.parse(approval.expires_at) > Date.parse(body.evaluated_at)))
    wrong(`It names an approval that had expired at ${approval.expires_at}.`);
  if (record.occurredAt !== body.evaluated_at)
    wrong(`The record is of ${record.occurredAt}, its decision of ${body.evaluated_at}.`);
  if (record.agentId !== body.agent_id)
    wrong(`The record is of the agent ${shown(record.agentId)}, its decision of ${shown(body.agent_id)}.`);
  if (record.payload.proofId !== proofIdOfDecision(body.decision_id))
    wrong(`The decision ${shown(body.decision_id)} is not that of the proof ${shown(record.payload.proofId)}.`);
  const effective = Math.min(trust.recorded_level, trust.claimed_level ?? trust.recorded_level);
  if (trust.recorded_level !== levelOf(trust.score) || trust.effective_level !== effective)
    fail(
      report,
      'EFFECTIVE_TRUST_WRONG',
      `The recorded score ${trust.score} and the claimed level ${trust.claimed_level ?? 'none'} do not make the recorded level ${trust.recorded_level} and the effective level ${trust.effective_level}.`,
    );
}

// Parses records for verification: a decision's body with exactly its members, and whether bytes are those in the log.
import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { guardOf } from '../../kernel/compile-schema.ts';
import { closed, Nullable, type Shape, StringEnum } from '../../kernel/schema.ts';
import { strictTime } from '../proof/encoding.ts';
import { hashLeaf } from '../proof/merkle.ts';
import { readRecord, type RecordView } from '../proof/record-read.ts';
import { VERDICTS } from '../../kernel/vocabulary.ts';
import { ApproverDemandSchema } from '../policy/approvers.ts';
import { memberOf } from '../../kernel/json.ts';
import { EVALUATION, FIRST_EVALUATION } from '../policy/evaluation-version.ts';
import type { LoggedRecord } from './failures.ts';
import type { LogPlace, Moment } from './moment.ts';

export const Text = Type.String();
export const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' });

/** The body of a `custos.decision` record (writeDecision). Members that are only compared are unknown. */
const BodySchema = closed({
  agent_id: Text,
  allowed: Type.Boolean(),
  // Of an ESCALATE; absent in decisions older than approvals.
  approval: Type.Optional(
    closed({ approval_id: Text, expires_at: Text, approvers: Type.Optional(Type.Array(ApproverDemandSchema)) }),
  ),
  // Where budgets were read.
  budgets: Type.Optional(Type.Array(Type.Unknown())),
  decision_id: Text,
  evaluated_at: Text,
  // The version of the evaluation (policy/evaluation-version.ts). Absent: the first.
  evaluation: Type.Optional(Type.Integer({ minimum: FIRST_EVALUATION + 1, maximum: Number.MAX_SAFE_INTEGER })),
  expires_at: Text,
  factsDigest: Hash,
  intent: Type.Unknown(),
  key_id: Text,
  obligations: Type.Array(Type.Unknown()),
  policy_set: closed({ digest: Hash }),
  reasons: Type.Array(closed({ policy: Text, rule: Text, effect: Text, code: Text, message: Text }), { minItems: 1 }),
  // Absent in decisions older than this member.
  request_id: Type.Optional(Text),
  // Of a tool call.
  tool: Type.Optional(
    closed({ server: Text, name: Text, arguments_digest: Text, known: Type.Boolean(), changed: Type.Boolean() }),
  ),
  trust: closed({
    as_of: closed({ day: Text, signals: Count }),
    claimed_level: Nullable(Count),
    effective_level: Count,
    recorded_level: Count,
    // The recorded score.
    score: Count,
    uncertainty: Type.Number(),
  }),
  verdict: StringEnum(VERDICTS),
});
export type DecisionBody = Shape<typeof BodySchema>;
export type BodyReason = DecisionBody['reasons'][number];
const hasBodyMembers = guardOf(BodySchema);

export interface DecisionRecord {
  readonly record: RecordView;
  readonly body: DecisionBody;
  readonly place: LogPlace | undefined;
}

/** When a decision was made. */
export const momentOf = ({ body, place }: Pick<DecisionRecord, 'body' | 'place'>): Moment => ({
  atMs: Date.parse(body.evaluated_at),
  place,
});

export interface UnreadDecision {
  /** The end of a sentence that begins "The record". */
  readonly why: string;
  /** The version of the evaluation that it names; undefined unless it is later than this one, and may have other members. */
  readonly later?: number | undefined;
}

/** Parses a decision, or explains why there is none. @param present the version of the evaluation of this service */
export function readDecisionRecord(
  { bytes, place }: Pick<LoggedRecord, 'bytes' | 'place'>,
  present = EVALUATION,
): DecisionRecord | UnreadDecision {
  const read = readRecord(bytes);
  if ('why' in read) return read;
  const { record } = read;
  if (record.eventType !== 'custos.decision') return { why: 'is not one of a decision' };
  const { body } = record.payload;
  if (isBody(body)) return { record, body, place };
  const named = memberOf(body, 'evaluation');
  const later = Number.isSafeInteger(named) && Number(named) > present ? Number(named) : undefined;
  return { why: 'has not exactly the members of a decision', later };
}

/** Whether a value has exactly the members of a decision. */
export function isBody(value: unknown): value is DecisionBody {
  if (!hasBodyMembers(value)) return false;
  const times = [value.evaluated_at, value.expires_at, value.approval?.expires_at ?? value.expires_at];
  return times.every((time) => strictTime(time) !== undefined) && isDay(value.trust.as_of.day);
}

/** A day as YYYY-MM-DD. */
export function isDay(value: string): boolean {
  return strictTime(`${value}T00:00:00.000Z`) !== undefined;
}

/** Whether a record is the one in its leaf. Without a leaf there is nothing to contradict it. */
export function isAsLogged({ bytes, leaf }: LoggedRecord): boolean {
  if (leaf === undefined) return true;
  if (Buffer.from(hashLeaf(bytes)).toString('hex') !== leaf.leafHash) return false;
  return createHash('sha256').update(bytes).digest('hex') === leaf.eventHash;
}

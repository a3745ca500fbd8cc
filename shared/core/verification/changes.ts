// Reads the change records of one kind (approvals, halts, keys) from a log, and reports those that are not what was logged.
import { quoted } from '../proof/encoding.ts';
import { readRecord, type RecordView } from '../proof/record-read.ts';
import type { DecisionFailure, DecisionFailureCode, LoggedRecord } from './failures.ts';
import type { Moment } from './moment.ts';
import { isAsLogged } from './record.ts';

/** The log, and the agent whose decision is verified. */
export interface ChangeOwner {
  readonly organisation: string;
  readonly environment: string;
  readonly agentId: string;
}

interface ChangeKind<Change> {
  /** Of the event `custos.<name>`. */
  readonly name: 'approval' | 'halt' | 'key';
  /** Whether the records are on the agent's chain, or on one chain for the whole environment. */
  readonly whose: 'agent' | 'environment';
  readonly failure: DecisionFailureCode;
  /** The change of a record's body; undefined: it is not one of this kind. */
  readonly changeOf: (body: unknown) => Change | undefined;
}

/**
 * Calls `take` for each record of this owner, in log order, with its time and its place. A record whose bytes differ from its leaf is reported and taken too.
 * @returns the problems, in log order
 */
export function readChanges<Change>(
  records: readonly LoggedRecord[],
  owner: ChangeOwner,
  { name, whose, failure, changeOf }: ChangeKind<Change>,
  take: (change: Change, at: Moment) => void,
): DecisionFailure[] {
  const problems: DecisionFailure[] = [];
  const isOfOwner = ({ eventType, agentId, payload }: RecordView): boolean =>
    eventType === `custos.${name}` &&
    payload.organisation === owner.organisation &&
    // Live keys may act in the other environments, so their records are evidence there, too.
    (payload.environment === owner.environment || (name === 'key' && payload.environment === 'live')) &&
    (whose === 'environment' || owner.agentId === agentId);
  for (const logged of records) {
    const read = readRecord(logged.bytes);
    const record = 'record' in read && isOfOwner(read.record) ? read.record : undefined;
    const change = record && changeOf(record.payload.body);
    if (record === undefined || change === undefined) {
      const article = name === 'approval' ? 'An' : 'A';
      problems.push({ code: failure, sentence: `${article} ${name} record is not one of this ${whose}.` });
      continue;
    }
    if (!isAsLogged(logged))
      problems.push({
        code: failure,
        sentence: `The ${name} record ${quoted(record.payload.proofId)} is not the one that the log has hashed.`,
      });
    const isOfLog = record.payload.environment === owner.environment;
    take(change, { atMs: Date.parse(record.occurredAt), place: isOfLog ? logged.place : undefined });
  }
  return problems;
}

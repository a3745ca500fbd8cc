// The evidence of a recorded decision with the places of its leaves, as the service writes them, and edits of the order alone.
import { Buffer } from 'node:buffer';
import type { DecisionEvidence } from '../../../shared/core/verification/decision.ts';
import type { LoggedRecord } from '../../../shared/core/verification/failures.ts';
import { bodyOf, type Edit, edited, expect, isApproved, type Loose } from './decision-edit.ts';
import type { MadeDecision } from './decision-world.ts';
import { serviceRecord } from './decision-world-log.ts';

/** Of the decision. Records before it have lower ones, and those after it higher ones. */
const AT = 1_000;
const LOG = 7;
const placed = (record: LoggedRecord, index: number): LoggedRecord => ({ ...record, place: { log: LOG, index } });
const valueOf = ({ bytes }: LoggedRecord): Loose => JSON.parse(Buffer.from(bytes).toString('utf8'));

/** The order in which the service writes: what a decision uses before it, and what uses the decision after it. */
export function inOrder(made: MadeDecision): DecisionEvidence {
  const { evidence } = made;
  const { decision_id: decisionId, trust } = bodyOf(made);
  const isBefore = (record: LoggedRecord): boolean => {
    const { eventType, payload } = valueOf(record);
    if (eventType === 'custos.trust') return payload.body.asOf.signals <= trust.as_of.signals;
    return payload.body.usedDecisionId !== decisionId;
  };
  let index = 0;
  const place = (record: LoggedRecord): LoggedRecord => placed(record, isBefore(record) ? index++ : AT + 1 + index++);
  const opening = evidence.opening && placed(evidence.opening, index++);
  return {
    ...evidence,
    opening,
    record: placed(evidence.record, AT),
    trustRecords: evidence.trustRecords?.map(place),
    keyRecords: evidence.keyRecords?.map(place),
    haltRecords: evidence.haltRecords?.map(place),
    policyRecords: evidence.policyRecords?.map(place),
    approvalRecords: evidence.approvalRecords?.map(place),
  };
}

const LISTS = ['trustRecords', 'keyRecords', 'haltRecords', 'approvalRecords', 'policyRecords'] as const;

const dated = (record: LoggedRecord, byMs: number): LoggedRecord => ({
  ...edited(
    record,
    (whole) => {
      whole.occurredAt = new Date(Date.parse(whole.occurredAt) + byMs).toISOString();
    },
    { keepLeaf: false },
  ),
  place: record.place,
});

/** Every record but the decision and what opened its approval, as by a clock that was set before and after each of them. */
export function withClockSet(evidence: DecisionEvidence, stepsMs: readonly number[]): DecisionEvidence {
  let at = 0;
  const stepMs = (): number => stepsMs[at++ % stepsMs.length] ?? 0;
  const lists = LISTS.map((name) => [name, evidence[name]?.map((record) => dated(record, stepMs()))]);
  return { ...evidence, ...Object.fromEntries(lists) };
}

type List = (typeof LISTS)[number];

/** Moves one record of a list to another place; its time stays. */
const moved = (made: MadeDecision, list: List, which: (body: Loose) => boolean, index: number): DecisionEvidence => {
  const evidence = inOrder(made);
  const records = evidence[list]?.map((record) =>
    which(valueOf(record).payload.body) ? placed(record, index) : record,
  );
  return { ...evidence, [list]: records };
};

const isFailed = (made: MadeDecision): boolean => bodyOf(made).reasons[0].code === 'EVALUATION_FAILED';
const isHalted = (made: MadeDecision): boolean => bodyOf(made).reasons[0].code === 'HALTED';
const LONG_MS = 120_000;

const halt = (made: MadeDecision, change: object, agoMs: number, index: number): LoggedRecord =>
  placed(
    serviceRecord('custos.halt', 'custos:halt', Date.parse(bodyOf(made).evaluated_at) - agoMs, {
      keyId: 'AAAAAAAA',
      ...change,
    }),
    index,
  );

const refused = (made: MadeDecision, code: string): boolean => bodyOf(made).reasons[0].code === code;

export const ORDER_EDITS: readonly Edit[] = [
  {
    name: 'the order of leaves: the signals that it used were folded after it',
    make: (made) => {
      const { signals } = bodyOf(made).trust.as_of;
      if (signals === 0) return undefined;
      return expect(
        'TRUST_AS_OF',
        moved(made, 'trustRecords', ({ asOf }) => asOf.signals === signals, AT + 1),
      );
    },
  },
  {
    name: 'the order of leaves: signals that it leaves out were folded long before',
    make: (made) => {
      const { evaluated_at: evaluatedAt, trust } = bodyOf(made);
      const evidence = inOrder(made);
      const { trustRecords = [] } = evidence;
      const at = trustRecords.findIndex((record) => valueOf(record).payload.body.asOf.signals > trust.as_of.signals);
      const later = trustRecords[at];
      if (later === undefined) return undefined;
      const byMs = Date.parse(evaluatedAt) - LONG_MS - Date.parse(valueOf(later).occurredAt);
      return expect('TRUST_AS_OF', {
        ...evidence,
        trustRecords: trustRecords.with(at, placed(dated(later, byMs), AT - 1)),
      });
    },
  },
  {
    name: 'the order of leaves: it was approved after its use',
    make: (made) =>
      isApproved(made)
        ? expect(
            'APPROVAL_NOT_RECORDED',
            moved(made, 'approvalRecords', ({ state }) => state === 'approved', AT + 1),
          )
        : undefined,
  },
  {
    name: 'the order of leaves: it was approved before it was asked for',
    make: (made) =>
      isApproved(made)
        ? expect(
            'APPROVAL_NOT_RECORDED',
            moved(made, 'approvalRecords', ({ state }) => state === 'approved', -1),
          )
        : undefined,
  },
  ...(['rejected', 'used'] as const).map(
    (ended): Edit => ({
      name: `the order of leaves: the approval was ${ended} after the decision that says so`,
      make: (made) =>
        refused(made, `APPROVAL_${ended.toUpperCase()}`)
          ? expect(
              'APPROVAL_REFUSAL_WRONG',
              moved(made, 'approvalRecords', ({ state }) => state === ended, AT + 1),
            )
          : undefined,
    }),
  ),
  {
    name: 'the order of leaves: its halt began after it',
    make: (made) =>
      isHalted(made)
        ? expect(
            'HALT_NOT_RECORDED',
            moved(made, 'haltRecords', ({ change }) => change === 'halted', AT + 1),
          )
        : undefined,
  },
  {
    name: 'the order of leaves: a halt was in force, though it was lifted at an earlier time by a clock that was set back',
    make: (made) => {
      if (isHalted(made) || isFailed(made)) return undefined;
      const halted = halt(made, { change: 'halted', reason: 'x' }, LONG_MS, AT - 2);
      const lifted = halt(made, { change: 'lifted' }, LONG_MS / 2, AT + 1);
      const evidence = inOrder(made);
      return expect('HALT_IGNORED', {
        ...evidence,
        haltRecords: [...(evidence.haltRecords ?? []), halted, lifted],
      });
    },
  },
];

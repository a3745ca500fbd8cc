// All edits of a recorded decision, each with the failure that verification must report.
import { bodyOf, type Edit, edited, expect } from './decision-edit.ts';
import { APPROVAL_EDITS } from './decision-edits-approvals.ts';
import { FACTS_EDITS } from './decision-edits-facts.ts';
import { RECORD_EDITS } from './decision-edits-record.ts';
import { REFUSAL_EDITS } from './decision-edits-refusals.ts';
import { TRUST_EDITS } from './decision-edits-trust.ts';
import { ORDER_EDITS } from './decision-order.ts';
import type { MadeDecision } from './decision-world.ts';
import { serviceRecord } from './decision-world-log.ts';

const HALT_EDITS: readonly Edit[] = [
  {
    name: 'the halt of a halted decision is missing',
    make: (made) =>
      bodyOf(made).reasons[0].code === 'HALTED'
        ? expect('HALT_NOT_RECORDED', { ...made.evidence, haltRecords: [] })
        : undefined,
  },
  {
    name: 'a halt was in force',
    make: (made) => {
      const { code } = bodyOf(made).reasons[0];
      if (code === 'HALTED' || code === 'EVALUATION_FAILED') return undefined;
      const halted = serviceRecord('custos.halt', 'custos:halt', Date.parse(bodyOf(made).evaluated_at) - 120_000, {
        change: 'halted',
        keyId: 'AAAAAAAA',
        reason: 'x',
      });
      return expect('HALT_IGNORED', { ...made.evidence, haltRecords: [...(made.evidence.haltRecords ?? []), halted] });
    },
  },
  {
    name: 'the reason of a halt',
    make: (made) => {
      const [first, ...rest] = made.evidence.haltRecords ?? [];
      if (first === undefined || bodyOf(made).reasons[0].code === 'EVALUATION_FAILED') return undefined;
      const changed = edited(first, ({ payload }) => (payload.body.reason = 'another'));
      return expect('HALT_RECORD_ALTERED', { ...made.evidence, haltRecords: [changed, ...rest] });
    },
  },
];

const DAY_MS = 86_400_000;
const activated = (made: MadeDecision, byMs: number, digest: string, change = 'activated') =>
  serviceRecord('custos.policy_set', 'custos:policies', Date.parse(bodyOf(made).evaluated_at) + byMs, {
    change,
    digest,
  });

const POLICY_SET_EDITS: readonly Edit[] = [
  {
    name: 'a policy set that was never in force',
    make: (made) =>
      expect('POLICY_SET_NOT_IN_FORCE', {
        ...made.evidence,
        policyRecords: [
          activated(made, -7_200_000, 'a'.repeat(64)),
          activated(made, -3_600_000, bodyOf(made).policy_set.digest, 'refused'),
        ],
      }),
  },
  {
    name: 'a policy set that was replaced before',
    make: (made) =>
      expect('POLICY_SET_NOT_IN_FORCE', {
        ...made.evidence,
        policyRecords: [
          activated(made, -3 * DAY_MS, bodyOf(made).policy_set.digest),
          activated(made, -2 * DAY_MS, 'b'.repeat(64)),
        ],
      }),
  },
  {
    name: 'a policy set that came into force later',
    make: (made) =>
      expect('POLICY_SET_NOT_IN_FORCE', {
        ...made.evidence,
        policyRecords: [
          activated(made, -7_200_000, 'a'.repeat(64)),
          activated(made, 120_000, bodyOf(made).policy_set.digest),
        ],
      }),
  },
];

export const EDITS: readonly Edit[] = [
  ...POLICY_SET_EDITS,
  ...RECORD_EDITS,
  ...FACTS_EDITS,
  ...TRUST_EDITS,
  ...APPROVAL_EDITS,
  ...REFUSAL_EDITS,
  ...HALT_EDITS,
  ...ORDER_EDITS,
];

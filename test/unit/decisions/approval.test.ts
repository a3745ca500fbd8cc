// Approvals as values: their binding, whether a request can use one, and how decisions that mention one are recognized.
import { expect } from 'chai';
import fc from 'fast-check';
import {
  APPROVAL_STATES,
  type ApprovalFacts,
  approvalMentionOf,
  approvedReason,
  refusalOf,
  stateAt,
  standingOf,
  type Use,
} from '../../../shared/core/decision/approval.ts';
import { builtInEvaluation } from '../../../shared/core/policy/combine.ts';

const ID = 'apr_01jq3k00000000000000000000';
const NOW = Date.parse('2026-03-01T10:00:00.000Z');
const APPROVAL: ApprovalFacts = {
  approvalId: ID,
  state: 'approved',
  agentId: 'agent-7',
  digest: 'd1',
  expiresAtMs: NOW + 1,
  decidedBy: 'ADMINKEY',
  reason: 'because',
  usedByLineage: null,
  usedAtMs: null,
  usedDecisionId: null,
};
const USE: Use = { agentId: 'agent-7', digest: 'd1', lineage: 'AGENTKEY', atMs: NOW };
const USED = { state: 'used', usedByLineage: 'AGENTKEY', usedAtMs: NOW, usedDecisionId: 'dec_1' } as const;

describe('the use of an approval', () => {
  const CASES: readonly (readonly [string, Partial<ApprovalFacts> | undefined, Partial<Use>, string])[] = [
    ['there is none', undefined, {}, 'APPROVAL_MISMATCH'],
    ['approved, in time, for this action', {}, {}, 'usable'],
    ['approved, of another agent', {}, { agentId: 'agent-8' }, 'APPROVAL_MISMATCH'],
    ['approved, for another action', {}, { digest: 'd2' }, 'APPROVAL_MISMATCH'],
    ['approved, by no recorded approver', { decidedBy: null }, {}, 'APPROVAL_MISMATCH'],
    ['approved, in the very millisecond in which it expires', { expiresAtMs: NOW }, {}, 'APPROVAL_EXPIRED'],
    ['pending', { state: 'pending' }, {}, 'pending'],
    ['pending, for another action', { state: 'pending' }, { digest: 'd2' }, 'APPROVAL_MISMATCH'],
    ['pending for too long', { state: 'pending', expiresAtMs: NOW - 1 }, {}, 'APPROVAL_EXPIRED'],
    ['expired', { state: 'expired' }, {}, 'APPROVAL_EXPIRED'],
    ['rejected', { state: 'rejected' }, {}, 'APPROVAL_REJECTED'],
    ['rejected, long ago', { state: 'rejected', expiresAtMs: 0 }, {}, 'APPROVAL_REJECTED'],
    ['used by this key, now', USED, {}, 'repeat'],
    ['used by this key, before it would have expired', { ...USED, expiresAtMs: 0 }, {}, 'repeat'],
    ['used by this key, within a minute', USED, { atMs: NOW + 59_999 }, 'repeat'],
    ['used by this key, a minute ago', USED, { atMs: NOW + 60_000 }, 'APPROVAL_USED'],
    ['used by this key, by a clock that is a little ahead', USED, { atMs: NOW - 59_999 }, 'repeat'],
    ['used by this key, by a clock that is far ahead', USED, { atMs: NOW - 60_000 }, 'APPROVAL_USED'],
    ['used by this key, at an unknown time', { ...USED, usedAtMs: null }, {}, 'APPROVAL_USED'],
    ['used by this key, for an unknown decision', { ...USED, usedDecisionId: null }, {}, 'APPROVAL_USED'],
    ['used by an unknown key', { ...USED, usedByLineage: null }, {}, 'APPROVAL_USED'],
    ['used by this key, for another action', USED, { digest: 'd2' }, 'APPROVAL_MISMATCH'],
    ['used by another key', USED, { lineage: 'OTHERKEY' }, 'APPROVAL_USED'],
  ];
  for (const [what, approval, use, expected] of CASES)
    it(`${what}: ${expected}`, () => {
      const standing = standingOf(approval && { ...APPROVAL, ...approval }, { ...USE, ...use });
      expect(standing.kind === 'refused' ? standing.code : standing.kind).to.equal(expected);
    });

  it('is possible only in one state, for one agent and one digest, before the expiry', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...APPROVAL_STATES),
        fc.constantFrom('agent-7', 'agent-8'),
        fc.constantFrom('d1', 'd2'),
        fc.integer({ min: -2, max: 2 }),
        (state, agentId, digest, offset) => {
          const approval = { ...APPROVAL, ...(state === 'used' ? USED : {}), state, expiresAtMs: NOW + offset };
          const isUsable = state === 'approved' && agentId === 'agent-7' && digest === 'd1' && offset > 0;
          expect(standingOf(approval, { ...USE, agentId, digest }).kind === 'usable').to.equal(isUsable);
          expect(stateAt(approval, NOW) === 'approved').to.equal(state === 'approved' && offset > 0);
        },
      ),
    );
  });
});

describe('the mention of an approval in a decision', () => {
  const escalated = { policy: 'p', rule: 'r', effect: 'ESCALATE', code: 'ASKED', message: 'm' } as const;

  it('is recognized by the last reason, for any approver', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (by) => {
        const reason = approvedReason(ID, by);
        expect(approvalMentionOf([escalated, reason])).to.deep.equal({ kind: 'used', approvalId: ID, by, reason });
      }),
    );
  });

  it('is recognized when the approval could not be used', () => {
    const expiresAtMs = NOW - 60_000;
    const closed: readonly (readonly [Partial<ApprovalFacts>, object])[] = [
      [
        { state: 'rejected', reason: 'no: "7"\n \u{1f44e}' },
        { code: 'APPROVAL_REJECTED', approvalId: ID, detail: 'no: "7"\n \u{1f44e}' },
      ],
      [
        { state: 'rejected', reason: null },
        { code: 'APPROVAL_REJECTED', approvalId: ID, detail: '' },
      ],
      [{ expiresAtMs }, { code: 'APPROVAL_EXPIRED', approvalId: ID, detail: '2026-03-01T09:59:00.000Z' }],
      [
        { ...USED, usedByLineage: 'OTHERKEY' },
        { code: 'APPROVAL_USED', approvalId: ID, detail: '' },
      ],
      [{ agentId: 'another' }, { code: 'APPROVAL_MISMATCH' }],
      [{ decidedBy: null }, { code: 'APPROVAL_MISMATCH' }],
    ];
    for (const [approval, mention] of closed) {
      const standing = standingOf({ ...APPROVAL, ...approval }, USE);
      if (standing.kind !== 'refused') throw new Error(standing.kind);
      expect(approvalMentionOf(refusalOf(standing).reasons)).to.deep.equal({ kind: 'refused', ...mention });
    }
  });

  it('is undefined for all other reasons, even similar ones', () => {
    const approved = approvedReason(ID, 'ADMINKEY');
    const denied = refusalOf({ code: 'APPROVAL_USED', message: `${ID} has been used` }).reasons[0] ?? approved;
    const others = [
      [],
      [escalated],
      [approved, escalated],
      builtInEvaluation('NO_MATCH').reasons,
      [{ ...approved, policy: 'approvals' }],
      [{ ...approved, rule: 'other' }],
      [{ ...approved, effect: 'DENY' as const }],
      [{ ...approved, code: 'HALTED' }],
      [{ ...approved, message: 'approved by ADMINKEY' }],
      [{ ...approved, message: `${ID} approved by ` }],
      [escalated, denied],
      [{ ...denied, code: 'APPROVAL_ELSE' }],
      [{ ...denied, message: `${ID} has been used.` }],
      [{ ...denied, code: 'APPROVAL_EXPIRED' as const }],
      [{ ...denied, code: 'APPROVAL_REJECTED' as const }],
    ];
    for (const reasons of others) expect(approvalMentionOf(reasons), JSON.stringify(reasons)).to.equal(undefined);
  });
});

// Edits of the approval that a decision used, of its records, and of the ESCALATE that opened it.
import { approvedReason } from '../../../shared/core/decision/approval.ts';
import { intentMember } from '../../../shared/core/decision/record.ts';
import { namesItsOwnApproval } from '../../../shared/core/verification/approvals.ts';
import type { LoggedRecord } from '../../../shared/core/verification/failures.ts';
import { bodyOf, type Edit, edited, expect, isApproved, falsified, type Loose, withBody } from './decision-edit.ts';
import { EARLIER_APPROVAL, keyRecord, type MadeDecision, TWO } from './decision-world.ts';
import { START_MS } from './decision-world-log.ts';

const APPROVED_REASON = approvedReason(EARLIER_APPROVAL, 'BBBBBBBB');

const allRecordsOf = (made: MadeDecision): readonly LoggedRecord[] =>
  isApproved(made) ? (made.evidence.approvalRecords ?? []) : [];
/** Of an approval by one person that a decision used. */
const recordsOf = (made: MadeDecision): readonly LoggedRecord[] => (made.asked.hasQuorum ? [] : allRecordsOf(made));
/** Of an approval by two: a vote, the approval and the use. */
const quorumOf = (made: MadeDecision): readonly LoggedRecord[] => (made.asked.hasQuorum ? allRecordsOf(made) : []);
const VOTER = 'DDDDDDDD';

/** Where the rules demand two of the approval that a decision used. Of an earlier version that was not compared. */
const isDemanding = (made: MadeDecision): boolean =>
  quorumOf(made).length > 0 &&
  !bodyOf(made).reasons.at(-1).message.startsWith(EARLIER_APPROVAL) &&
  bodyOf(made).reasons.some(({ code }: { code: string }) => code === TWO || code === 'HIGH');
/** Where a decision opened an approval with approvers, and the approval's id says so. */
const opensForSome = (made: MadeDecision): boolean =>
  bodyOf(made).approval?.approvers !== undefined && namesItsOwnApproval(bodyOf(made));

/** Changes the records of keys of an approval by two, so that a vote does not count any more. */
const keysEdit = (name: string, change: (records: readonly LoggedRecord[]) => readonly LoggedRecord[]): Edit => ({
  name: `the quorum of an approval: ${name}`,
  make: (made) =>
    quorumOf(made).length === 0
      ? undefined
      : expect('APPROVAL_QUORUM', { ...made.evidence, keyRecords: change(made.evidence.keyRecords ?? []) }),
});
const rewritten =
  (keyId: string, change: (body: Loose) => void) =>
  (records: readonly LoggedRecord[]): readonly LoggedRecord[] =>
    records.map((record) =>
      edited(record, ({ payload }) => (payload.body.keyId === keyId ? change(payload.body) : undefined), {
        keepLeaf: false,
      }),
    );

export const APPROVAL_EDITS: readonly Edit[] = [
  {
    name: 'the quorum of an approval: the first vote is missing',
    make: (made) => {
      const [, ...rest] = quorumOf(made);
      return rest.length === 0 ? undefined : expect('APPROVAL_QUORUM', { ...made.evidence, approvalRecords: rest });
    },
  },
  {
    name: 'the quorum of an approval: one key voted twice',
    make: (made) => {
      const [first, approved, used] = quorumOf(made);
      if (first === undefined || approved === undefined || used === undefined) return undefined;
      const twice = edited(first, ({ payload }) => (payload.body.by = 'BBBBBBBB'), { keepLeaf: false });
      return expect('APPROVAL_QUORUM', { ...made.evidence, approvalRecords: [twice, approved, used] });
    },
  },
  {
    name: 'the quorum of an approval: the escalation demanded three',
    make: (made) => {
      const { opening } = made.evidence;
      if (quorumOf(made).length === 0 || opening === undefined) return undefined;
      const change = ({ payload }: Loose) => (payload.body.approval.approvers[0].at_least = 3);
      return expect('APPROVAL_QUORUM', { ...made.evidence, opening: edited(opening, change, { keepLeaf: false }) });
    },
  },
  keysEdit(
    'a voter had no such tag',
    rewritten('BBBBBBBB', (body) => (body.tags = ['legal'])),
  ),
  keysEdit(
    'one voter made the other',
    rewritten(VOTER, (body) => (body.by = 'BBBBBBBB')),
  ),
  keysEdit(
    'a voter made the key that asked',
    rewritten('AAAAAAAA', (body) => (body.by = VOTER)),
  ),
  keysEdit(
    'a voter had expired',
    rewritten(VOTER, (body) => (body.expiresAt = '2001-01-01T00:00:00.000Z')),
  ),
  keysEdit('a voter had been revoked', (records) => [
    ...records,
    keyRecord(START_MS, { change: 'revoked', keyId: VOTER, replacedBy: null }),
  ]),
  {
    name: 'the quorum of an approval: it was opened for anyone, and used where two must approve',
    make: (made) => {
      const { opening, approvalRecords = [] } = made.evidence;
      if (!isDemanding(made) || opening === undefined) return undefined;
      const forAnyone = edited(opening, ({ payload }) => delete payload.body.approval.approvers, { keepLeaf: false });
      const evidence = { ...made.evidence, opening: forAnyone, approvalRecords: approvalRecords.slice(1) };
      return expect('APPROVAL_QUORUM', evidence);
    },
  },
  {
    name: 'the quorum of an approval: it was opened longer ago than it may live where it was used',
    make: (made) => {
      const { opening } = made.evidence;
      if (!isDemanding(made) || opening === undefined) return undefined;
      const change = ({ payload }: Loose) => (payload.body.evaluated_at = '2001-01-01T00:00:00.000Z');
      return expect('APPROVERS_DIFFER', { ...made.evidence, opening: edited(opening, change, { keepLeaf: false }) });
    },
  },
  {
    name: 'the approvers that an escalation names',
    make: (made) =>
      !opensForSome(made)
        ? undefined
        : expect(
            'APPROVERS_DIFFER',
            withBody(made, (body) => (body.approval.approvers[0].at_least = 1)),
          ),
  },
  {
    name: 'the approvers of an escalation are left out',
    make: (made) =>
      !opensForSome(made)
        ? undefined
        : expect(
            'APPROVERS_DIFFER',
            withBody(made, (body) => delete body.approval.approvers),
          ),
  },
  {
    name: 'the lifetime of an approval',
    make: (made) =>
      !opensForSome(made)
        ? undefined
        : expect(
            'APPROVERS_DIFFER',
            withBody(made, (body) => (body.approval.expires_at = '2199-01-01T00:00:00.000Z')),
          ),
  },
  {
    name: 'the approval of an approved decision is missing',
    make: (made) =>
      isApproved(made) ? expect('APPROVAL_NOT_RECORDED', { ...made.evidence, approvalRecords: [] }) : undefined,
  },
  {
    name: 'another key approved',
    make: (made) =>
      isApproved(made)
        ? expect(
            'APPROVAL_NOT_RECORDED',
            withBody(
              made,
              (body) => (body.reasons.at(-1).message = body.reasons.at(-1).message.replace('BBBB', 'CCCC')),
            ),
          )
        : undefined,
  },
  {
    name: 'facts, digest and answer: the context that was approved',
    make: (made) =>
      isApproved(made)
        ? expect(
            'APPROVAL_NOT_RECORDED',
            falsified(made, (facts) => (facts.context = { ...facts.context, another: 'thing' })),
          )
        : undefined,
  },
  ...(
    [
      ["the caller's own words", (facts) => (facts.intent.requested = { intent: 'data.read.other' })],
      ['the verb', (facts) => (facts.intent.verb = 'peruse')],
      ['a trait', (facts) => (facts.intent.traits = [...facts.intent.traits, 'bulk'])],
      ['a flag', (facts) => (facts.intent.flags = [...facts.intent.flags, 'obfuscated'])],
    ] as readonly (readonly [string, (facts: Loose) => void])[]
  ).map(
    ([name, change]): Edit => ({
      name: `facts, digest and answer: ${name}, of an approved decision`,
      make: (made) =>
        isApproved(made) && made.facts.intent.requested !== undefined
          ? expect(
              'APPROVAL_NOT_RECORDED',
              falsified(made, (facts, body) => {
                change(facts);
                body.intent = intentMember(facts.intent);
              }),
            )
          : undefined,
    }),
  ),
  {
    name: 'the escalation that opened an approval was asked in other words',
    make: (made) => {
      const { opening } = made.evidence;
      if (!isApproved(made) || opening === undefined || made.facts.intent.requested === undefined) return undefined;
      const changed = edited(
        opening,
        ({ payload }) => (payload.body.intent.requested = { action: 'read', resource: 'data/user_profile' }),
        { keepLeaf: false },
      );
      return expect('APPROVAL_NOT_RECORDED', { ...made.evidence, opening: changed });
    },
  },
  {
    name: 'an approval that was given afterwards',
    make: (made) => {
      const [given, used] = recordsOf(made);
      if (given === undefined || used === undefined) return undefined;
      const late = edited(given, (whole) => (whole.occurredAt = '2199-01-01T00:00:00.000Z'), { keepLeaf: false });
      return expect('APPROVAL_NOT_RECORDED', { ...made.evidence, approvalRecords: [late, used] });
    },
  },
  {
    name: 'an approval that was used by another decision',
    make: (made) => {
      const [given, used] = recordsOf(made);
      if (given === undefined || used === undefined) return undefined;
      const another = edited(used, ({ payload }) => (payload.body.usedDecisionId = 'dec_another'), { keepLeaf: false });
      return expect('APPROVAL_USED_TWICE', { ...made.evidence, approvalRecords: [given, used, another] });
    },
  },
  ...(
    [
      ['had been rejected', { state: 'rejected', by: 'CCCCCCCC', reason: 'no' }],
      ['had expired', { state: 'expired' }],
    ] as const
  ).map(
    ([name, before]): Edit => ({
      name: `an approval that ${name} before it was given`,
      make: (made) => {
        const records = recordsOf(made);
        const [given] = records;
        if (given === undefined) return undefined;
        const earlier = edited(
          given,
          ({ payload }) => {
            const { by: _, reason: __, ...common } = payload.body;
            payload.body = { ...common, ...before };
          },
          { keepLeaf: false },
        );
        return expect('APPROVAL_NOT_RECORDED', { ...made.evidence, approvalRecords: [earlier, ...records] });
      },
    }),
  ),
  ...(
    [
      ['its use names another action', 1, (body) => (body.digest = 'f'.repeat(64))],
      ['its use is of another key', 1, (body) => (body.by = 'ZZZZZZZZ')],
      ['it names another decision that opened it', 0, (body) => (body.decisionId = 'dec_another')],
    ] as readonly (readonly [string, number, (body: Loose) => void])[]
  ).map(
    ([name, at, change]): Edit => ({
      name: `the records of an approval: ${name}`,
      make: (made) => {
        const records = [...recordsOf(made)];
        const record = records[at];
        if (record === undefined) return undefined;
        records[at] = edited(record, ({ payload }) => change(payload.body), { keepLeaf: false });
        return expect('APPROVAL_NOT_RECORDED', { ...made.evidence, approvalRecords: records });
      },
    }),
  ),
  {
    name: 'the escalation that opened an approval is missing',
    make: (made) =>
      isApproved(made) ? expect('APPROVAL_NOT_RECORDED', { ...made.evidence, opening: undefined }) : undefined,
  },
  {
    name: 'the escalation that opened an approval, in the database',
    make: (made) => {
      const { opening } = made.evidence;
      if (!isApproved(made) || opening === undefined) return undefined;
      const changed = edited(opening, ({ payload }) => (payload.body.key_id = 'CCCCCCCC'));
      return expect('APPROVAL_NOT_RECORDED', { ...made.evidence, opening: changed });
    },
  },
  ...(
    [
      ['is an ALLOW', (body) => (body.verdict = 'ALLOW')],
      ['names another approval', (body) => (body.approval.approval_id = 'apr_another')],
      ['is of another agent', (body) => (body.agent_id = 'agent-2')],
      ['came after it was approved', (body) => (body.evaluated_at = '2199-01-01T00:00:00.000Z')],
      ['had expired before it was used', (body, used) => (body.approval.expires_at = used.evaluated_at)],
    ] as readonly (readonly [string, (body: Loose, used: Loose) => void])[]
  ).map(
    ([name, change]): Edit => ({
      name: `the escalation that opened an approval ${name}`,
      make: (made) => {
        const { opening } = made.evidence;
        if (!isApproved(made) || opening === undefined) return undefined;
        const changed = edited(opening, ({ payload }) => change(payload.body, bodyOf(made)), { keepLeaf: false });
        return expect('APPROVAL_NOT_RECORDED', { ...made.evidence, opening: changed });
      },
    }),
  ),
  {
    name: 'the escalation that opened an approval came from the key that approved',
    make: (made) => {
      const { opening } = made.evidence;
      if (!isApproved(made) || opening === undefined) return undefined;
      const own = edited(opening, ({ payload }) => (payload.body.key_id = 'BBBBBBBB'), { keepLeaf: false });
      return expect('APPROVAL_SAME_HANDS', { ...made.evidence, opening: own });
    },
  },
  ...(
    [
      ['was made by the key that approved', [{ keyId: 'AAAAAAAA', by: 'BBBBBBBB' }]],
      ['has made the key that approved', [{ keyId: 'BBBBBBBB', by: 'AAAAAAAA' }]],
      [
        'has made a key that made the one that approved',
        [
          { keyId: 'CCCCCCCC', by: 'AAAAAAAA' },
          { keyId: 'BBBBBBBB', by: 'CCCCCCCC' },
        ],
      ],
      [
        'was made of the key that approved, by a rotation of another one',
        [{ change: 'replaced', keyId: 'BBBBBBBB', replacedBy: 'AAAAAAAA' }],
      ],
      [
        'had been rotated by the key that approved',
        [
          { keyId: 'CCCCCCCC', by: 'BBBBBBBB' },
          { change: 'replaced', keyId: 'AAAAAAAA', replacedBy: 'CCCCCCCC' },
        ],
      ],
    ] as readonly (readonly [string, readonly Readonly<Record<string, unknown>>[]])[]
  ).map(
    ([name, changes]): Edit => ({
      name: `the key that asked ${name}`,
      make: (made) => {
        if (recordsOf(made).length === 0) return undefined;
        const madeNow = new Set(changes.map(({ keyId }) => keyId));
        const atMs = Date.parse(bodyOf(made).evaluated_at) - 3_600_000;
        const others = ['AAAAAAAA', 'BBBBBBBB'].filter((keyId) => !madeNow.has(keyId) || changes.length === 1);
        const keyRecords = [
          ...changes.map((change) => keyRecord(atMs, change)),
          ...others.map((keyId) => keyRecord(atMs, { keyId })),
        ];
        return expect('APPROVAL_SAME_HANDS', { ...made.evidence, keyRecords });
      },
    }),
  ),
  {
    name: 'who made a key, in the database',
    make: (made) => {
      const [first, ...rest] = made.evidence.keyRecords ?? [];
      if (first === undefined || recordsOf(made).length === 0) return undefined;
      const changed = edited(first, ({ payload }) => (payload.body.by = 'AAAAAAAA'));
      return expect('KEY_RECORD_ALTERED', { ...made.evidence, keyRecords: [changed, ...rest] });
    },
  },
  {
    name: 'the reason of an approval',
    make: (made) => {
      const [given, ...rest] = made.evidence.approvalRecords ?? [];
      if (given === undefined) return undefined;
      const changed = edited(given, ({ payload }) => (payload.body.reason = 'another'));
      return expect('APPROVAL_RECORD_ALTERED', { ...made.evidence, approvalRecords: [changed, ...rest] });
    },
  },
  {
    name: 'an escalation that says it was approved',
    make: (made) =>
      bodyOf(made).verdict === 'ESCALATE'
        ? expect(
            'APPROVAL_NOT_RECORDED',
            withBody(made, (body) => {
              delete body.approval;
              body.verdict = 'ALLOW';
              body.allowed = true;
              body.reasons.push({ ...APPROVED_REASON });
            }),
          )
        : undefined,
  },
  {
    name: 'an approval named beside another verdict',
    make: (made) =>
      bodyOf(made).verdict === 'ESCALATE'
        ? undefined
        : expect(
            'ANSWER_INCONSISTENT',
            withBody(
              made,
              (body) => (body.approval = { approval_id: 'apr_1', expires_at: '2199-01-01T00:00:00.000Z' }),
            ),
          ),
  },
  {
    name: 'an approval that had expired when it was named',
    make: (made) =>
      bodyOf(made).verdict === 'ESCALATE'
        ? expect(
            'ANSWER_INCONSISTENT',
            withBody(made, (body) => (body.approval.expires_at = body.evaluated_at)),
          )
        : undefined,
  },
];

// Edits of decisions about an approval that could not be used, of its records, and of the ESCALATE that opened it.
import type { LoggedRecord } from '../../../shared/core/verification/failures.ts';
import { bodyOf, type Edit, edited, expect, falsified, type Loose, withBody } from './decision-edit.ts';
import type { MadeDecision } from './decision-world.ts';

type Code = 'APPROVAL_REJECTED' | 'APPROVAL_EXPIRED' | 'APPROVAL_USED';
const CODES: readonly Code[] = ['APPROVAL_REJECTED', 'APPROVAL_EXPIRED', 'APPROVAL_USED'];

const isOf = (made: MadeDecision, codes: readonly string[]): boolean => codes.includes(bodyOf(made).reasons[0].code);

/** The records of the approval, each changed or removed. */
function withRecords(
  made: MadeDecision,
  change: (body: Loose, index: number) => boolean | void,
  whole: (record: Loose) => void = () => undefined,
): ReturnType<Edit['make']> {
  const approvalRecords = (made.evidence.approvalRecords ?? []).flatMap((record: LoggedRecord, i) => {
    let isKept = true;
    const changed = edited(
      record,
      (all) => {
        isKept = change(all.payload.body, i) !== false;
        whole(all);
      },
      { keepLeaf: false },
    );
    return isKept ? [changed] : [];
  });
  return expect('APPROVAL_REFUSAL_WRONG', { ...made.evidence, approvalRecords });
}

const edit = (name: string, codes: readonly Code[], make: (made: MadeDecision) => ReturnType<Edit['make']>): Edit => ({
  name: `a refused approval: ${name}`,
  make: (made) => (isOf(made, codes) ? make(made) : undefined),
});

const withOpening = (made: MadeDecision, change: (body: Loose, refused: Loose) => void): ReturnType<Edit['make']> => {
  const { opening } = made.evidence;
  if (opening === undefined) return undefined;
  const changed = edited(opening, ({ payload }) => change(payload.body, bodyOf(made)), { keepLeaf: false });
  return expect('APPROVAL_REFUSAL_WRONG', { ...made.evidence, opening: changed });
};

export const REFUSAL_EDITS: readonly Edit[] = [
  edit('by the log it was given, and neither rejected nor used', ['APPROVAL_REJECTED', 'APPROVAL_USED'], (made) =>
    withRecords(made, (body, i) => {
      if (i > 0) return false;
      Object.assign(body, { state: 'approved', by: 'BBBBBBBB', reason: 'yes' });
      return true;
    }),
  ),
  edit('nobody has closed it', ['APPROVAL_REJECTED', 'APPROVAL_USED'], (made) => withRecords(made, () => false)),
  edit('it was rejected in other words', ['APPROVAL_REJECTED'], (made) =>
    withRecords(made, (body) => void (body.reason = 'no')),
  ),
  edit('the decision has other words', ['APPROVAL_REJECTED'], (made) =>
    expect(
      'APPROVAL_REFUSAL_WRONG',
      withBody(made, (body) => (body.reasons[0].message += '.')),
    ),
  ),
  edit('it happened afterwards', ['APPROVAL_REJECTED', 'APPROVAL_USED'], (made) =>
    withRecords(
      made,
      () => true,
      (record) => (record.occurredAt = '2199-01-01T00:00:00.000Z'),
    ),
  ),
  edit('the same key had used it', ['APPROVAL_USED'], (made) =>
    withRecords(made, (body) => void (body.by = body.state === 'used' ? bodyOf(made).key_id : body.by)),
  ),
  edit('the decision had used it itself', ['APPROVAL_USED'], (made) =>
    withRecords(made, (body) => {
      if (body.state === 'used') body.usedDecisionId = bodyOf(made).decision_id;
    }),
  ),
  edit('it was used long before it expired', ['APPROVAL_EXPIRED'], (made) =>
    withRecords(
      made,
      (body, i) => {
        if (i > 0) Object.assign(body, { state: 'used', by: 'CCCCCCCC', usedDecisionId: 'dec_other' });
      },
      (record) => (record.occurredAt = '1999-01-01T00:00:00.000Z'),
    ),
  ),
  edit('the decision says another time', ['APPROVAL_EXPIRED'], (made) =>
    expect(
      'APPROVAL_REFUSAL_WRONG',
      withBody(made, (body) => (body.reasons[0].message = body.reasons[0].message.replace(/\d{4}-/, '1999-'))),
    ),
  ),
  edit('it was opened until later', ['APPROVAL_EXPIRED'], (made) =>
    withOpening(made, (body) => (body.approval.expires_at = '2199-01-01T00:00:00.000Z')),
  ),
  edit('it was open for another day, and the decision says so', ['APPROVAL_EXPIRED'], (made) => {
    const late = '2199-01-01T00:00:00.000Z';
    const { evidence } = withOpening(made, (body) => (body.approval.expires_at = late)) ?? made;
    const edited = withBody({ ...made, evidence }, (body) => {
      body.reasons[0].message = body.reasons[0].message.replace(/\S+$/, late);
    });
    return expect('APPROVAL_REFUSAL_WRONG', edited);
  }),
  edit('the escalation that opened it is of another agent', CODES, (made) =>
    withOpening(made, (body) => (body.agent_id = 'agent-2')),
  ),
  edit('the escalation that opened it is of another action', CODES, (made) =>
    withOpening(made, (body) => (body.intent.normalized = 'another.read.thing')),
  ),
  edit('its records contradict each other', ['APPROVAL_USED', 'APPROVAL_EXPIRED'], (made) =>
    withRecords(made, (body, i) => {
      if (i > 0) body.digest = 'f'.repeat(64);
    }),
  ),
  edit('facts, digest and answer: another context', CODES, (made) =>
    expect(
      'APPROVAL_REFUSAL_WRONG',
      falsified(made, (facts) => (facts.context = { ...facts.context, another: 'thing' })),
    ),
  ),
  edit('facts, digest and answer: the agent is not active', CODES, (made) =>
    expect(
      'REASONS_DIFFER',
      falsified(made, (facts) => {
        facts.agent.status = 'PAUSED';
        facts.agent.registered = true;
      }),
    ),
  ),
  edit('a record of it, in the database', CODES, (made) => {
    const [first, ...rest] = made.evidence.approvalRecords ?? [];
    if (first === undefined) return undefined;
    const changed = edited(first, ({ payload }) => (payload.body.intentId = 'int_another'));
    return expect('APPROVAL_RECORD_ALTERED', { ...made.evidence, approvalRecords: [changed, ...rest] });
  }),
  edit('a message that the service does not write', CODES, (made) =>
    expect(
      'REASONS_DIFFER',
      withBody(made, (body) => (body.reasons[0].message = 'no such thing')),
    ),
  ),
];

// Every way to change a recorded decision after the fact, each with the name that verification must give it.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { approvedReason } from '../../shared/decide/approval.ts';
import type { DecisionEvidence } from '../../shared/decide/verify-decision.ts';
import type { DecisionFailureCode, LoggedRecord } from '../../shared/decide/verify-failures.ts';
import type { Facts } from '../../shared/policy/types.ts';
import { canonicalize } from '../../shared/proof/canonical.ts';
import { levelOf } from '../../shared/trust/score.ts';
import { policy } from '../unit/policy/support.ts';
import { type MadeDecision, serviceRecord } from './decision-world.ts';

// A record as its reader sees it; edits go anywhere.
// oxlint-disable-next-line typescript/no-explicit-any -- an edit may break any shape
type Loose = any;

export interface Edit {
  readonly name: string;
  /** Undefined: there is nothing of this kind to change in this decision. */
  make(made: MadeDecision): { readonly evidence: DecisionEvidence; readonly code: DecisionFailureCode } | undefined;
}

/** Changes a record; whoever edits a database can't change its leaf, a liar gives none. */
function edited(record: LoggedRecord, change: (whole: Loose) => void, { keepLeaf = true } = {}): LoggedRecord {
  const whole: Loose = JSON.parse(Buffer.from(record.bytes).toString('utf8'));
  change(whole);
  return { bytes: Buffer.from(canonicalize(whole)), leaf: keepLeaf ? record.leaf : undefined };
}

function withBody({ evidence }: MadeDecision, change: (body: Loose) => void, keepLeaf = false): DecisionEvidence {
  return {
    ...evidence,
    columns: undefined,
    record: edited(evidence.record, ({ payload }) => change(payload.body), { keepLeaf }),
  };
}

/** Changes facts, digest and record together, so that only the meaning can give it away. */
function lied(made: MadeDecision, change: (facts: Loose, body: Loose) => void): DecisionEvidence {
  const { facts } = made.evidence;
  if (facts === undefined) return made.evidence;
  const value: Loose = JSON.parse(Buffer.from(facts.text).toString('utf8'));
  const evidence = withBody(made, (body) => {
    change(value, body);
    body.factsDigest = createHash('sha256').update(facts.salt).update(canonicalize(value)).digest('hex');
  });
  return { ...evidence, facts: { ...facts, text: Buffer.from(canonicalize(value)) } };
}

function bodyOf({ evidence }: MadeDecision): Loose {
  return JSON.parse(Buffer.from(evidence.record.bytes).toString('utf8')).payload.body;
}

const APPROVED_REASON = approvedReason('apr_01jq3k00000000000000000000', 'BBBBBBBB');

function isApproved(made: MadeDecision): boolean {
  return bodyOf(made).reasons.at(-1).code === 'APPROVED';
}

/** Whether policies, and nothing else, led to it. */
function isOrdinary(made: MadeDecision): boolean {
  return !['HALTED', 'APPROVAL_MISMATCH', 'EVALUATION_FAILED', 'AGENT_NOT_ACTIVE'].includes(
    bodyOf(made).reasons[0].code,
  );
}

const expect = (code: DecisionFailureCode, evidence: DecisionEvidence) => ({ evidence, code });
const setTrust = (facts: Facts, body: Loose, trust: Partial<Facts['trust']>): void => {
  Object.assign(facts.trust, trust);
  const { level, uncertainty, recorded } = facts.trust;
  Object.assign(body.trust, {
    effective_level: level,
    score: recorded.score,
    uncertainty,
    recorded_level: recorded.level,
  });
};

export const EDITS: readonly Edit[] = [
  ...(['ALLOW', 'DENY', 'ESCALATE', 'DEGRADE'] as const).map(
    (verdict): Edit => ({
      name: `the verdict becomes ${verdict}`,
      make: (made) =>
        bodyOf(made).verdict === verdict
          ? undefined
          : expect(
              'VERDICT_DIFFERS',
              withBody(made, (body) =>
                Object.assign(body, { verdict, allowed: verdict === 'ALLOW' || verdict === 'DEGRADE' }),
              ),
            ),
    }),
  ),
  {
    name: 'any member of the record, in the database',
    make: (made) =>
      expect(
        'RECORD_ALTERED',
        withBody(made, (body) => (body.reasons[0].message += '!'), true),
      ),
  },
  {
    name: 'the record, no longer canonical',
    make: ({ evidence }) =>
      expect('RECORD_NOT_CANONICAL', {
        ...evidence,
        record: { bytes: Buffer.concat([evidence.record.bytes, Buffer.from(' ')]) },
      }),
  },
  {
    name: 'a member that no decision has',
    make: (made) =>
      expect(
        'RECORD_NOT_CANONICAL',
        withBody(made, (body) => (body.note = 'x')),
      ),
  },
  {
    name: "the row's verdict alone",
    make: ({ evidence }) => {
      const { columns } = evidence;
      if (columns === undefined) return undefined;
      const verdict = columns.verdict === 'ALLOW' ? 'DENY' : 'ALLOW';
      return expect('ROW_DIFFERS', { ...evidence, columns: { ...columns, verdict } });
    },
  },
  ...(['policy', 'rule', 'code', 'message'] as const).map(
    (member): Edit => ({
      name: `a reason's ${member}`,
      make: (made) =>
        isOrdinary(made) || bodyOf(made).reasons[0].code === 'AGENT_NOT_ACTIVE'
          ? expect(
              'REASONS_DIFFER',
              withBody(made, (body) => (body.reasons[0][member] += 'x')),
            )
          : undefined,
    }),
  ),
  {
    name: 'a reason is left out',
    make: (made) =>
      bodyOf(made).reasons.length > 1
        ? expect(
            'REASONS_DIFFER',
            withBody(made, (body) => body.reasons.shift()),
          )
        : undefined,
  },
  {
    name: 'an obligation is added',
    make: (made) =>
      expect(
        'OBLIGATIONS_DIFFER',
        withBody(made, (body) => body.obligations.push({ type: 'zzz' })),
      ),
  },
  {
    name: 'an obligation is dropped',
    make: (made) =>
      bodyOf(made).obligations.length > 0
        ? expect(
            'OBLIGATIONS_DIFFER',
            withBody(made, (body) => body.obligations.shift()),
          )
        : undefined,
  },
  {
    name: '"allowed"',
    make: (made) =>
      expect(
        'ANSWER_INCONSISTENT',
        withBody(made, (body) => (body.allowed = !body.allowed)),
      ),
  },
  {
    name: 'the time it expires',
    make: (made) =>
      expect(
        'ANSWER_INCONSISTENT',
        withBody(made, (body) => (body.expires_at = '2100-01-01T00:00:00.000Z')),
      ),
  },
  {
    name: 'a byte of the salt',
    make: ({ evidence }) => {
      if (evidence.facts === undefined) return undefined;
      const salt = Buffer.from(evidence.facts.salt);
      salt.writeUInt8(salt.readUInt8(3) ^ 1, 3);
      return expect('FACTS_DIGEST', { ...evidence, facts: { ...evidence.facts, salt } });
    },
  },
  ...(
    [
      ['a tag of the agent', (facts) => facts.agent.tags.push('x')],
      ['a count of the history', (facts) => (facts.history.last_1h.DENY += 1)],
      ['a member of the context', (facts) => (facts.context.zzz = 1)],
      ['the confidence', (facts) => (facts.intent.confidence = 0.123)],
    ] as readonly (readonly [string, (facts: Loose) => void])[]
  ).map(
    ([name, change]): Edit => ({
      name: `a fact: ${name}`,
      make: (made) => {
        const { facts } = made.evidence;
        if (facts === undefined) return undefined;
        const value: Loose = JSON.parse(Buffer.from(facts.text).toString('utf8'));
        change(value);
        return expect('FACTS_DIGEST', {
          ...made.evidence,
          facts: { ...facts, text: Buffer.from(canonicalize(value)) },
        });
      },
    }),
  ),
  {
    name: 'the facts, written otherwise',
    make: ({ evidence }) =>
      evidence.facts === undefined
        ? undefined
        : expect('FACTS_NOT_CANONICAL', {
            ...evidence,
            facts: { ...evidence.facts, text: Buffer.concat([Buffer.from(' '), evidence.facts.text]) },
          }),
  },
  ...(
    [
      ['the agent', (facts) => (facts.agent.id = 'another')],
      ['the key', (facts) => (facts.key.id = 'ZZZZZZZZ')],
      ['the time', (facts) => (facts.time.hour = 99)],
      ['the normalized intent', (facts) => (facts.intent.normalized = 'data.read.other')],
      ['the organisation', (facts) => (facts.organisation.slug = 'other')],
      ['the registration', (facts) => (facts.agent.registered = !facts.agent.registered)],
    ] as readonly (readonly [string, (facts: Loose) => void])[]
  ).map(
    ([name, change]): Edit => ({
      name: `facts and digest: ${name}`,
      make: (made) => expect('FACTS_DISAGREE', lied(made, change)),
    }),
  ),
  {
    name: 'facts, digest and answer: the risk',
    make: (made) =>
      expect(
        'RISK_DIFFERS',
        lied(made, (facts, body) => {
          const risk = {
            ...facts.intent.risk,
            factors: [...facts.intent.risk.factors, { factor: 'x', score: 1, message: 'x' }],
          };
          facts.intent.risk = risk;
          body.intent.risk = risk;
        }),
      ),
  },
  {
    name: 'the policy set',
    make: ({ evidence }) =>
      expect('POLICY_SET_DIGEST', {
        ...evidence,
        policySet: evidence.policySet?.replace('little trust', 'some trust'),
      }),
  },
  {
    name: 'the policy set is gone',
    make: ({ evidence }) => expect('POLICY_SET_MISSING', { ...evidence, policySet: undefined }),
  },
  {
    name: 'policy set and digest: a rule that denies all',
    make: (made) => {
      if (!isOrdinary(made)) return undefined;
      const set: Loose = JSON.parse(made.evidence.policySet ?? '');
      set.policies = [policy('a-lie', 'DENY'), ...set.policies];
      const policySet = canonicalize(set);
      const digest = createHash('sha256').update(policySet).digest('hex');
      return expect('REASONS_DIFFER', { ...withBody(made, (body) => (body.policy_set.digest = digest)), policySet });
    },
  },
  {
    name: 'policy set and digest: an engine that never was',
    make: (made) => {
      const policySet = canonicalize({ ...JSON.parse(made.evidence.policySet ?? ''), engine: 2 });
      const digest = createHash('sha256').update(policySet).digest('hex');
      return expect('POLICY_SET_REFUSED', {
        ...withBody(made, (body) => (body.policy_set.digest = digest)),
        policySet,
      });
    },
  },
  ...(
    [
      ['weight', (signal) => (signal.weight = signal.weight === 1 ? 0.5 : 1)],
      ['type', (signal) => (signal.type = signal.type === 'success' ? 'failure' : 'success')],
      ['day', (signal) => (signal.day = '2025-06-01')],
      ['key', (signal) => (signal.key = 'ZZZZZZZZ')],
      ['id', (signal) => (signal.signalId += 'x')],
    ] as readonly (readonly [string, (signal: Loose) => void])[]
  ).map(
    ([name, change]): Edit => ({
      name: `a trust signal's ${name}`,
      make: (made) => {
        const { trustRecords = [] } = made.evidence;
        const [first] = trustRecords;
        if (first === undefined || bodyOf(made).trust.as_of.signals === 0) return undefined;
        const changed = edited(first, ({ payload }) => change(payload.body.signals[0]));
        return expect('TRUST_RECORD_ALTERED', { ...made.evidence, trustRecords: [changed, ...trustRecords.slice(1)] });
      },
    }),
  ),
  {
    name: 'trust records of a liar: a violation becomes a success',
    make: (made) => {
      const { trustRecords = [] } = made.evidence;
      if (bodyOf(made).trust.as_of.signals === 0) return undefined;
      let found = false;
      const changed = trustRecords.map((record, i) =>
        edited(
          record,
          ({ payload }) => {
            const violation = payload.body.signals.find(
              ({ type, weight }: Loose) => type === 'violation' && weight > 0.5,
            );
            if (i !== 0 || violation === undefined) return;
            found = true;
            violation.type = 'success';
          },
          { keepLeaf: false },
        ),
      );
      return found ? expect('TRUST_FOLD_WRONG', { ...made.evidence, trustRecords: changed }) : undefined;
    },
  },
  {
    name: 'a trust record is left out',
    make: (made) =>
      bodyOf(made).trust.as_of.signals === 0
        ? undefined
        : expect('TRUST_SIGNALS_MISSING', { ...made.evidence, trustRecords: made.evidence.trustRecords?.slice(1) }),
  },
  {
    name: 'a trust record comes twice',
    make: (made) => {
      const { trustRecords = [] } = made.evidence;
      const [first] = trustRecords;
      if (first === undefined || bodyOf(made).trust.as_of.signals === 0) return undefined;
      return expect('TRUST_SIGNALS_MISSING', { ...made.evidence, trustRecords: [first, ...trustRecords] });
    },
  },
  {
    name: 'the score of the answer',
    make: (made) =>
      expect(
        'FACTS_DISAGREE',
        withBody(made, (body) => (body.trust.score += body.trust.score > 500 ? -1 : 1)),
      ),
  },
  {
    name: 'facts, digest and answer: the recorded score',
    make: (made) =>
      expect(
        'TRUST_DIFFERS',
        lied(made, (facts: Facts, body) => {
          const by = facts.trust.recorded.score > 500 ? -1 : 1;
          const recorded = facts.trust.recorded.score + by;
          const score = Math.min(recorded, facts.trust.claimed?.score ?? recorded);
          setTrust(facts, body, {
            recorded: { score: recorded, level: levelOf(recorded) },
            score,
            level: levelOf(score),
          });
        }),
      ),
  },
  {
    name: 'facts, digest and answer: the uncertainty',
    make: (made) =>
      expect(
        'TRUST_DIFFERS',
        lied(made, (facts: Facts, body) =>
          setTrust(facts, body, { uncertainty: facts.trust.uncertainty === 0.5 ? 0.4 : 0.5 }),
        ),
      ),
  },
  {
    name: 'facts, digest and answer: a claim that raises trust',
    make: (made) =>
      expect(
        'EFFECTIVE_TRUST_WRONG',
        lied(made, (facts: Facts, body) => setTrust(facts, body, { score: 1_000, level: 7 })),
      ),
  },
  {
    name: 'trust of another day',
    make: (made) =>
      expect(
        'TRUST_AS_OF',
        withBody(made, (body) => (body.trust.as_of.day = '2025-01-01')),
      ),
  },
  {
    name: 'more signals than there are',
    make: (made) =>
      expect(
        'TRUST_SIGNALS_MISSING',
        withBody(made, (body) => (body.trust.as_of.signals += 1_000)),
      ),
  },
  {
    name: 'the approval of an approved decision is gone',
    make: (made) =>
      isApproved(made) ? expect('APPROVAL_NOT_RECORDED', { ...made.evidence, approvalRecords: [] }) : undefined,
  },
  {
    name: 'another one gave the approval',
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
            lied(made, (facts) => (facts.context = { ...facts.context, another: 'thing' })),
          )
        : undefined,
  },
  {
    name: 'an approval that was given afterwards',
    make: (made) => {
      const [given, used] = made.evidence.approvalRecords ?? [];
      if (given === undefined || used === undefined) return undefined;
      const late = edited(given, (whole) => (whole.occurredAt = '2199-01-01T00:00:00.000Z'), { keepLeaf: false });
      return expect('APPROVAL_NOT_RECORDED', { ...made.evidence, approvalRecords: [late, used] });
    },
  },
  {
    name: 'an approval that was used by another decision',
    make: (made) => {
      const [given, used] = made.evidence.approvalRecords ?? [];
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
        const records = made.evidence.approvalRecords ?? [];
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
        const records = [...(made.evidence.approvalRecords ?? [])];
        const record = records[at];
        if (record === undefined) return undefined;
        records[at] = edited(record, ({ payload }) => change(payload.body), { keepLeaf: false });
        return expect('APPROVAL_NOT_RECORDED', { ...made.evidence, approvalRecords: records });
      },
    }),
  ),
  {
    name: 'the escalation that opened an approval is gone',
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
      ['came from the key that approved', (body) => (body.key_id = 'BBBBBBBB')],
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
  {
    name: 'the halt of a halted decision is gone',
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

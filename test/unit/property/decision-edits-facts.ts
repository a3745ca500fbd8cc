// Edits of the facts of a decision, and of its policy set.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';
import { policy } from '../policy/support.ts';
import { bodyOf, type Edit, expect, isApproved, isOrdinary, falsified, type Loose, withBody } from './decision-edit.ts';

export const FACTS_EDITS: readonly Edit[] = [
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
    name: 'the facts, with other spacing',
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
      make: (made) => expect('FACTS_DISAGREE', falsified(made, change)),
    }),
  ),
  {
    name: 'facts, digest and answer: the risk',
    make: (made) =>
      expect(
        'RISK_DIFFERS',
        falsified(made, (facts, body) => {
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
    name: 'facts, digest and answer: a budget with more left than its use leaves',
    make: (made) =>
      made.evidence.facts === undefined
        ? undefined
        : expect(
            'BUDGETS_DIFFER',
            falsified(made, (facts, body) => {
              facts.budgets = { refunds: { amount: 1, limit: 10, used: 10, window: '24h' } };
              body.budgets = [{ left: 1, limit: 10, name: 'refunds', window: '24h' }];
            }),
          ),
  },
  {
    name: 'policy set and digest: budgets that were not charged',
    make: (made) => {
      if (!isOrdinary(made) || !['ALLOW', 'DEGRADE'].includes(bodyOf(made).verdict) || isApproved(made))
        return undefined;
      const set: Loose = JSON.parse(made.evidence.policySet ?? '');
      const budget = { limit: 10, name: 'refunds', window: '24h' };
      for (const { stage, rules } of set.policies)
        for (const rule of rules)
          if (stage === 'enforce' && ['ALLOW', 'DEGRADE'].includes(rule.event.type)) rule.budget = budget;
      const policySet = canonicalize(set);
      const digest = createHash('sha256').update(policySet).digest('hex');
      return expect('BUDGETS_DIFFER', { ...withBody(made, (body) => (body.policy_set.digest = digest)), policySet });
    },
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
    name: 'the policy set is missing',
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
    name: 'policy set and digest: an unknown engine version',
    make: (made) => {
      const policySet = canonicalize({ ...JSON.parse(made.evidence.policySet ?? ''), engine: 2 });
      const digest = createHash('sha256').update(policySet).digest('hex');
      return expect('POLICY_SET_REFUSED', {
        ...withBody(made, (body) => (body.policy_set.digest = digest)),
        policySet,
      });
    },
  },
];

// docs/guides/obligations.md: each policy gives the obligations shown, and combines with others as stated.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { lintPolicySet } from '../../../shared/core/policy/lint.ts';
import type { Policy, PolicyObligation } from '../../../shared/core/policy/schema.ts';
import type { Evaluation } from '../../../shared/core/policy/types.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { ALWAYS, evaluatorOf, factsWith, policy, setOf, shippedPolicies } from '../policy/support.ts';

const guide = readFileSync(path.join(findRoot(), 'docs', 'guides', 'obligations.md'), 'utf8');

interface Shown {
  readonly policy: Policy;
  /** The obligations of the answer, as the next block shows them. */
  readonly answer: unknown;
}

/** A labelled policy of the guide, and the list in the block after it. */
function shown(label: string): Shown {
  const [, policyText, answerText] =
    new RegExp(`<!-- ${label} -->\\n\`\`\`json\\n([^]*?)\`\`\`[^]*?\`\`\`json\\n([^]*?)\`\`\``).exec(guide) ?? [];
  if (policyText === undefined || answerText === undefined) throw new Error(`the guide has no block ${label}`);
  // Checked by loading it below.
  return { policy: JSON.parse(policyText) as Policy, answer: JSON.parse(answerText) as unknown };
}

/** The evaluation for an agent of trust level 1 whose request matches the first policy. */
async function ask(policies: readonly Policy[], changes: Record<string, unknown> = {}): Promise<Evaluation> {
  const [{ target } = { target: { actions: [], resources: [] } }] = policies;
  const facts = factsWith({
    'intent.action': target.actions[0],
    'intent.resource': (target.resources[0] ?? '').replace('*', 'example'),
    'trust.level': 1,
    ...changes,
  });
  return evaluatorOf(policies).evaluate(facts);
}

function degrade(id: string, obligation: PolicyObligation): Policy {
  const made = policy(id, 'DEGRADE', ALWAYS, { target: { actions: ['read'], resources: ['db/orders/*'] } });
  const event = { type: 'DEGRADE', params: { code: 'X', message: 'x', obligations: [obligation] } };
  // The test support's policies are valid; their types are wider.
  return { ...made, rules: [{ name: 'only', conditions: made.rules[0]?.conditions, event }] } as Policy;
}

describe('The guide to obligations', () => {
  for (const label of ['redact_fields', 'max_rows', 'read_only', 'rate', 'own'])
    it(`shows the obligations of an answer for ${label}, and none for an agent that the rule does not match`, async () => {
      const { policy: one, answer } = shown(label);
      const evaluation = await ask([one]);
      expect([evaluation.verdict, evaluation.obligations]).to.deep.equal(['DEGRADE', answer]);
      expect((await ask([one], { 'trust.level': 5 })).obligations).to.deep.equal([]);
    });

  for (const label of ['redact_fields', 'max_rows', 'read_only', 'rate', 'own', 'several'])
    it(`shows ${label} by a policy that permits nothing in addition to the shipped ones`, () => {
      const shipped = shippedPolicies();
      const { policy: one } = shown(label);
      const findings = lintPolicySet(setOf([...shipped, one])).map(({ code, policy, rule }) => [code, policy, rule]);
      expect(findings).to.deep.equal([]);
    });

  it('shows the combined obligations of several rules, in any order', async () => {
    const several = shown('several');
    const first = shown('redact_fields').policy;
    for (const policies of [
      [first, several.policy],
      [several.policy, first],
    ])
      expect((await ask(policies)).obligations).to.deep.equal(several.answer);
  });

  it('states that rates without a strictest one escalate to a human', async () => {
    const fast = degrade('a', { type: 'rate', limit: 10, perSeconds: 60 });
    const long = degrade('b', { type: 'rate', limit: 100, perSeconds: 3_600 });
    const evaluation = await ask([fast, long]);
    expect([evaluation.verdict, evaluation.obligations]).to.deep.equal(['ESCALATE', []]);
    expect(evaluation.reasons.map(({ code }) => code)).to.include('OBLIGATIONS_CONFLICT');
    const stricter = degrade('c', { type: 'rate', limit: 10, perSeconds: 3_600 });
    expect((await ask([fast, stricter])).obligations).to.deep.equal([{ type: 'rate', limit: 10, perSeconds: 3_600 }]);
  });

  it('states that different custom obligations are all kept, and equal ones once', async () => {
    const draft = degrade('a', { type: 'watermark', params: { text: 'DRAFT' } });
    const again = degrade('b', { type: 'watermark', params: { text: 'DRAFT' } });
    const other = degrade('c', { type: 'watermark', params: { text: 'SECRET' } });
    expect((await ask([draft, again, other])).obligations).to.deep.equal([
      { type: 'watermark', params: { text: 'DRAFT' } },
      { type: 'watermark', params: { text: 'SECRET' } },
    ]);
  });

  it('states that a missing fact turns a DEGRADE into an ESCALATE without obligations, and permits nothing', async () => {
    const one = shown('max_rows').policy;
    // As above.
    const permitting = policy('beside', 'ALLOW') as unknown as Policy;
    for (const [policies, verdict] of [
      [[one, permitting], 'ESCALATE'],
      [[one], 'DENY'],
    ] as const) {
      const evaluation = await ask([...policies], { 'trust.level': undefined });
      expect([evaluation.verdict, evaluation.obligations]).to.deep.equal([verdict, []]);
      expect(evaluation.reasons.map(({ code }) => code)).to.include('FACT_MISSING');
    }
  });

  it('states that DENY and ESCALATE have no obligations, and that DEGRADE wins over ALLOW', async () => {
    const one = shown('max_rows').policy;
    // As above.
    const beside = (type: string): Policy => policy('beside', type) as unknown as Policy;
    for (const [type, verdict, count] of [
      ['DENY', 'DENY', 0],
      ['ESCALATE', 'ESCALATE', 0],
      ['ALLOW', 'DEGRADE', 1],
    ] as const) {
      const evaluation = await ask([one, beside(type)]);
      expect([evaluation.verdict, evaluation.obligations.length]).to.deep.equal([verdict, count]);
    }
  });
});

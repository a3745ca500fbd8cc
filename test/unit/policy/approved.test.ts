// Policy results after a human approved: ESCALATE becomes ALLOW, obligations stay, and a DENY stays a DENY.
import { expect } from 'chai';
import fc from 'fast-check';
import { approvedReason } from '../../../shared/core/decision/approval.ts';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import { arbitraryFacts, arbitraryPolicies } from '../property/policy-arbitraries.ts';
import { evaluatorOf, factsWith, policy, setOf } from './support.ts';

const APPROVAL = approvedReason('apr_01jq3k00000000000000000000', 'ADMINKEY');
const ON_CONTEXT = { all: [{ fact: 'context', path: 'x', operator: 'equal', value: 1 }] };

function degrade(id: string, obligations: readonly object[], conditions?: object) {
  const document = policy(id, 'DEGRADE', conditions);
  const params = { code: 'SOME', message: 'some', obligations };
  return { ...document, rules: document.rules.map((rule) => ({ ...rule, event: { type: 'DEGRADE', params } })) };
}

describe('an approved request', () => {
  const ROWS = [{ type: 'max_rows', limit: 3 }];
  const SECOND = { type: 'rate', limit: 1, perSeconds: 1 };
  const MINUTE = { type: 'rate', limit: 30, perSeconds: 60 };
  const CASES: readonly {
    readonly name: string;
    readonly policies: readonly object[];
    readonly facts?: Readonly<Record<string, unknown>>;
    readonly verdict: string;
    readonly codes: readonly string[];
    readonly obligations?: readonly object[];
  }[] = [
    {
      name: 'an ESCALATE is allowed, with its reasons and the approval last',
      policies: [policy('e', 'ESCALATE'), policy('a', 'ALLOW')],
      verdict: 'ALLOW',
      codes: ['ESCALATE_CODE', 'APPROVED'],
    },
    {
      name: 'a DENY stands',
      policies: [policy('e', 'ESCALATE'), policy('d', 'DENY')],
      verdict: 'DENY',
      codes: ['DENY_CODE', 'ESCALATE_CODE'],
    },
    { name: 'what nothing permits stays denied', policies: [], verdict: 'DENY', codes: ['NO_MATCH'] },
    {
      name: 'an escalation of a part permits nothing of the whole',
      policies: [policy('e', 'ESCALATE', undefined, { target: { actions: ['*'], resources: ['data/a'] } })],
      facts: { 'intent.resource': 'data/*' },
      verdict: 'DENY',
      codes: ['NO_MATCH', 'ESCALATE_CODE'],
    },
    {
      name: 'a paused agent stays denied',
      policies: [policy('e', 'ESCALATE')],
      facts: { 'agent.status': 'PAUSED' },
      verdict: 'DENY',
      codes: ['AGENT_NOT_ACTIVE'],
    },
    {
      name: 'an ALLOW stays one',
      policies: [policy('a', 'ALLOW')],
      verdict: 'ALLOW',
      codes: ['ALLOW_CODE', 'APPROVED'],
    },
    {
      name: 'obligations below an ESCALATE are kept',
      policies: [policy('e', 'ESCALATE'), degrade('o', ROWS)],
      verdict: 'DEGRADE',
      codes: ['ESCALATE_CODE', 'SOME', 'APPROVED'],
      obligations: ROWS,
    },
    {
      name: 'obligations that depend on a missing fact are kept',
      policies: [policy('a', 'ALLOW'), degrade('o', ROWS, ON_CONTEXT)],
      verdict: 'DEGRADE',
      codes: ['FACT_MISSING', 'APPROVED'],
      obligations: ROWS,
    },
    {
      name: 'a DEGRADE that holds only because a fact is missing opens nothing',
      policies: [degrade('o', ROWS, ON_CONTEXT)],
      verdict: 'DENY',
      codes: ['NO_MATCH', 'FACT_MISSING'],
    },
    {
      name: 'an ESCALATE that holds only because a fact is missing opens nothing',
      policies: [policy('e', 'ESCALATE', ON_CONTEXT)],
      verdict: 'DENY',
      codes: ['NO_MATCH', 'FACT_MISSING'],
    },
    {
      name: 'obligations that no rule could bring together are kept beside each other',
      policies: [degrade('o', [SECOND, ...ROWS]), degrade('p', [MINUTE])],
      verdict: 'DEGRADE',
      codes: ['OBLIGATIONS_CONFLICT', 'SOME', 'SOME', 'APPROVED'],
      obligations: [...ROWS, SECOND, MINUTE],
    },
  ];
  for (const { name, policies, facts, verdict, codes, obligations = [] } of CASES)
    it(`${name}: ${verdict}`, async () => {
      const evaluation = await evaluatorOf(policies).evaluateApproved(factsWith(facts), APPROVAL);
      expect(evaluation.verdict, JSON.stringify(evaluation.reasons)).to.equal(verdict);
      expect(evaluation.reasons.map(({ code }) => code)).to.deep.equal(codes);
      expect(evaluation.obligations).to.deep.equal(obligations);
    });

  it('is denied when the evaluation fails', async () => {
    const evaluator = createEvaluator({
      set: setOf([policy('e', 'ESCALATE')]),
      createRunner: () => ({ run: () => Promise.reject(new Error('broken')) }),
    });
    const { verdict, reasons } = await evaluator.evaluateApproved(factsWith(), APPROVAL);
    expect([verdict, ...reasons.map(({ code }) => code)]).to.deep.equal(['DENY', 'EVALUATION_FAILED']);
  });

  it('differs from one without approval only in the ESCALATE, under any policies', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(arbitraryPolicies(), arbitraryFacts(), async (policies, changes) => {
        const evaluator = createEvaluator({ set: setOf([...policies, degrade('always', ROWS, ON_CONTEXT)]) });
        const facts = factsWith(changes);
        const before = await evaluator.evaluate(facts);
        const after = await evaluator.evaluateApproved(facts, APPROVAL);
        seen.add(before.verdict);
        if (before.verdict === 'DENY') {
          expect(after).to.deep.equal(before);
          return;
        }
        expect(after.reasons.at(-1)).to.deep.equal(APPROVAL);
        expect(after.reasons.slice(0, before.reasons.length)).to.deep.equal(before.reasons);
        if (before.verdict === 'ESCALATE')
          expect(after.verdict).to.equal(after.obligations.length > 0 ? 'DEGRADE' : 'ALLOW');
        else expect([after.verdict, after.obligations]).to.deep.equal([before.verdict, before.obligations]);
      }),
      { numRuns: 300 },
    );
    expect([...seen]).to.include.members(['DENY', 'ESCALATE']);
  });
});

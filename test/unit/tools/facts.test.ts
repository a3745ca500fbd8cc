// Tool calls as policies see them: facts and any-of paths, and calls that no policy set can allow.
import { expect } from 'chai';
import fc from 'fast-check';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import type { Facts } from '../../../shared/core/policy/types.ts';
import type { ToolCall } from '../../../shared/core/tools/call.ts';
import type { ToolEntry } from '../../../shared/core/tools/schema.ts';
import { arbitraryPolicies } from '../property/policy-arbitraries.ts';
import { runs } from '../property/runs.ts';
import { ALWAYS, evaluatorOf, factsWith, policy, setOf } from '../policy/support.ts';
import { leastMs } from '../../support/undisturbed.ts';
import { readWith } from './support.ts';

function factsOf(entry: ToolEntry, args: Record<string, unknown>, more: Partial<ToolCall> = {}): Facts {
  const { tool, intent } = readWith(entry, args, more);
  const facts = factsWith({ tool });
  return { ...facts, intent: { ...facts.intent, ...intent, depth: 1 } };
}
const tool = (path: string, operator: string, value: unknown) => ({ fact: 'tool', path, operator, value });
const verdictOf = async (type: string, conditions: object, facts: Facts): Promise<string> => {
  const policies = [policy('p', type, { all: [conditions] }), ...(type === 'ALLOW' ? [] : [policy('open', 'ALLOW')])];
  const { verdict, reasons } = await evaluatorOf(policies).evaluate(facts);
  return reasons.some(({ code }) => code === 'FACT_MISSING') ? `${verdict} missing` : verdict;
};

const READ: ToolEntry = { action: 'read', resource: 'file/{path}' };
const PAY: ToolEntry = { action: 'transfer' };

describe('the facts of a tool call', () => {
  const call = factsOf(
    READ,
    { path: '/srv/app/a', flags: ['x', 'y'], deep: { n: 3 } },
    { annotations: { readOnlyHint: true } },
  );
  const none = factsWith();
  const rows: [conditions: object, facts: Facts, allow: string, deny: string][] = [
    [tool('present', 'equal', true), call, 'ALLOW', 'DENY'],
    [tool('present', 'equal', true), none, 'DENY', 'ALLOW'],
    [tool('present', 'equal', false), none, 'ALLOW', 'DENY'],
    [tool('server', 'equal', 'files'), call, 'ALLOW', 'DENY'],
    [tool('name', 'in', ['t', 'u']), call, 'ALLOW', 'DENY'],
    [tool('known', 'equal', true), call, 'ALLOW', 'DENY'],
    [tool('annotations.readOnlyHint', 'equal', true), call, 'ALLOW', 'DENY'],
    [tool('annotations.openWorldHint', 'equal', true), call, 'DENY', 'DENY missing'],
    [tool('server', 'equal', 'files'), none, 'DENY', 'DENY missing'],
    [tool('arguments.path', 'matchesGlob', '/srv/app/**'), call, 'ALLOW', 'DENY'],
    [tool('arguments.path', 'matchesPattern', '^/srv/'), call, 'ALLOW', 'DENY'],
    [tool('arguments.path', 'contains', 'app'), call, 'ALLOW', 'DENY'],
    [tool('arguments.flags', 'contains', 'x'), call, 'ALLOW', 'DENY'],
    [tool('arguments.flags[]', 'equal', 'y'), call, 'ALLOW', 'DENY'],
    [tool('arguments.deep.n', 'greaterThan', 2), call, 'ALLOW', 'DENY'],
    [tool('arguments.other', 'equal', 1), call, 'DENY', 'DENY missing'],
    [tool('arguments.path', 'greaterThan', 2), call, 'DENY', 'DENY missing'],
    [tool('arguments.__proto__.x', 'isPresent', true), call, 'DENY', 'ALLOW'],
    [tool('arguments.other', 'isPresent', false), call, 'ALLOW', 'DENY'],
  ];
  for (const [conditions, facts, allow, deny] of rows)
    it(`${JSON.stringify(conditions)} ${facts === none ? 'without a call' : 'of a call'}: ALLOW rule ${allow}, DENY rule ${deny}`, async () => {
      expect((await verdictOf('ALLOW', conditions, facts)).split(' ')[0]).to.equal(allow);
      expect(await verdictOf('DENY', conditions, facts)).to.equal(deny);
    });

  it('of a list, any item makes a comparison hold, and one without a value leaves it open', async () => {
    const above = tool('arguments.items[].price', 'greaterThan', 100);
    const paid = (...items: unknown[]) => factsOf(PAY, { items });
    expect(await verdictOf('DENY', above, paid({ price: 1 }, { price: 200 }))).to.equal('DENY');
    expect(await verdictOf('DENY', above, paid({ price: 1 }, { price: 2 }))).to.equal('ALLOW');
    expect(await verdictOf('DENY', above, paid({ price: 1 }, {}))).to.equal('DENY missing');
    expect(await verdictOf('DENY', above, paid())).to.equal('ALLOW');
    expect(await verdictOf('DENY', above, factsOf(PAY, { items: 'many' }))).to.equal('DENY missing');
    expect(await verdictOf('ALLOW', { not: above }, paid({ price: 1 }, { price: 200 }))).to.equal('DENY');
    expect(await verdictOf('ALLOW', { not: above }, paid({ price: 1 }, { price: 2 }))).to.equal('ALLOW');
  });

  it('`contains` still ignores texts in the context, so that recorded decisions stay reproducible', async () => {
    const inContext = { fact: 'context', path: 'x', operator: 'contains', value: 'a' };
    expect(await verdictOf('DENY', inContext, factsWith({ 'context.x': 'abc' }))).to.equal('DENY missing');
  });

  it('verdicts are memoized separately for different arguments', async () => {
    const evaluator = evaluatorOf([policy('p', 'ALLOW', { all: [tool('arguments.l[]', 'equal', 'a')] })]);
    for (const l of [['a'], ['b'], ['a', 'b'], [], 'a'])
      expect((await evaluator.evaluate(factsOf(PAY, { l }))).verdict).to.equal(
        Array.isArray(l) && l.includes('a') ? 'ALLOW' : 'DENY',
      );
  });

  it('a pattern with exponential backtracking in other engines takes linear time, on the longest argument', async () => {
    const text = `${'a'.repeat(250_000)}!`;
    const facts = factsOf(PAY, { text });
    const conditions = tool('arguments.text', 'matchesPattern', '^(a+)+$');
    expect(
      await leastMs(500, async () => {
        const before = performance.now();
        expect(await verdictOf('ALLOW', conditions, facts)).to.equal('DENY');
        return performance.now() - before;
      }),
    ).to.be.below(500);
  });

  it('a text that is too long for a large pattern counts as missing', async () => {
    const large = tool('arguments.text', 'matchesPattern', '(?:ab){100}[cd]');
    expect(await verdictOf('DENY', large, factsOf(PAY, { text: 'x'.repeat(250_000) }))).to.equal('DENY missing');
    expect(await verdictOf('DENY', large, factsOf(PAY, { text: 'x'.repeat(1_000) }))).to.equal('ALLOW');
  });
});

describe('a call that is unknown, or of a changed tool', () => {
  const doubtful = [
    factsOf(READ, {}),
    factsOf(READ, { path: '/a' }, { server: 'other' }),
    factsOf({ ...READ, definition: `sha256:${'0'.repeat(64)}` }, { path: '/a' }),
  ];

  const APPROVAL = {
    policy: 'custos',
    rule: 'approval',
    effect: 'ALLOW',
    code: 'APPROVED',
    message: 'a human approved it',
  } as const;

  it('is permitted by no ALLOW and no DEGRADE of any set: only an ESCALATE for a human opens it', async () => {
    const permits = [policy('p', 'ALLOW', ALWAYS), policy('limits', 'DEGRADE', ALWAYS)];
    for (const facts of doubtful) {
      expect((await evaluatorOf(permits).evaluate(facts)).verdict).to.equal('DENY');
      const escalating = evaluatorOf([...permits, policy('q', 'ESCALATE', ALWAYS)]);
      expect((await escalating.evaluate(facts)).verdict).to.equal('ESCALATE');
      const approved = await escalating.evaluateApproved(facts, APPROVAL);
      expect([approved.verdict, approved.obligations.length], 'the obligations hold after an approval').to.deep.equal([
        'DEGRADE',
        1,
      ]);
    }
    await fc.assert(
      fc.asyncProperty(
        arbitraryPolicies({ withMeaning: true }),
        fc.constantFrom(...doubtful),
        async (policies, facts) => {
          const set = setOf(policies);
          const { verdict } = await createEvaluator({ set, memoLimit: 0 }).evaluate(facts);
          expect(verdict).to.be.oneOf(['DENY', 'ESCALATE']);
        },
      ),
      runs(200, 0.01),
    );
  });

  it('does not share a memoized verdict with a text of an unknown action', async () => {
    const evaluator = evaluatorOf([policy('limits', 'DEGRADE', ALWAYS)]);
    const [call] = doubtful;
    if (call === undefined) throw new Error('there is no doubtful call');
    const { tool: _, ...text } = call;
    for (const [facts, verdict] of [
      [text, 'DEGRADE'],
      [call, 'DENY'],
      [text, 'DEGRADE'],
    ] as const)
      expect((await evaluator.evaluate(facts)).verdict).to.equal(verdict);
  });

  it('is explained: a DEGRADE that holds adds its obligations only', async () => {
    for (const facts of doubtful) {
      const { candidates } = await evaluatorOf([policy('limits', 'DEGRADE', ALWAYS)]).explain(facts);
      expect(candidates.map(({ skipped }) => skipped)).to.deep.equal([
        'adds its obligations and permits nothing: it is not known what the call does',
      ]);
    }
  });
});

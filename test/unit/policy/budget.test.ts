// Budgets of rules: amounts, their combination with other rules, refused shapes, and the accounting of a sliding window.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { approvedReason } from '../../../shared/core/decision/approval.ts';
import { charge, giveBack, usedAt } from '../../../shared/core/decision/budget-window.ts';
import type { Bucket, Buckets } from '../../../shared/core/decision/budget-window.ts';
import { budgetsLeft, fromMillionths, toMillionths } from '../../../shared/core/policy/budget.ts';
import { lintPolicySet } from '../../../shared/core/policy/lint.ts';
import { loadPolicySet } from '../../../shared/core/policy/load.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { ALWAYS, compileLexicon, evaluatorOf, factsWith, LEXICON, load, policy } from './support.ts';
import { runDocument, setOfDocuments } from './testing-support.ts';

const REFUNDS = { name: 'refunds', per: ['agent'], window: '24h', limit: 500 };
const AMOUNT = { fact: 'context', path: 'amount' };
/** Without a doubt about the clock. */
const at = (nowMs: number) => ({ nowMs, oldMs: nowMs });
const BY_AMOUNT = { ...REFUNDS, amount: AMOUNT };

function budgeted(id: string, type: string, budget: object, conditions: object = ALWAYS) {
  const document = policy(id, type, conditions);
  return { ...document, rules: document.rules.map((rule) => ({ ...rule, budget })) };
}

describe('an amount', () => {
  it('is exact in decimals: 0.1 and 0.2 are 0.3', () => {
    expect((toMillionths(0.1) ?? 0) + (toMillionths(0.2) ?? 0)).to.equal(toMillionths(0.3));
    expect(fromMillionths(300_000)).to.equal(0.3);
  });

  it('returns from millionths to the same number, for every amount with six decimals', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 15 }), (count) => toMillionths(fromMillionths(count)) === count),
      { numRuns: 1_000 },
    );
  });

  const CASES: readonly (readonly [value: unknown, count: number | undefined])[] = [
    [0, 0],
    [-0, 0],
    [1e-9, 1],
    [0.1 + 0.2, 300_001],
    [1_000_000_000, 10 ** 15],
    [1_000_000_000.1, undefined],
    [-1, undefined],
    [-1e-9, undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    ['5', undefined],
    [null, undefined],
    [[5], undefined],
  ];
  for (const [value, count] of CASES)
    it(`of ${JSON.stringify(value)} (${String(value)}) counts ${count ?? 'nothing: it is none'}`, () =>
      expect(toMillionths(value)).to.equal(count));
});

describe('a rule with a budget', () => {
  interface Case {
    readonly name: string;
    readonly policies: readonly object[];
    readonly facts?: Readonly<Record<string, unknown>>;
    readonly verdict: string;
    readonly codes: readonly string[];
    /** Name and amount. */
    readonly charges?: readonly (readonly [string, number])[];
  }
  const used = (count: number, name = 'refunds') => ({ [`budgets.${name}`]: { used: count } });
  const CASES: readonly Case[] = [
    {
      name: 'permits what fits exactly, and counts it',
      policies: [budgeted('a', 'ALLOW', BY_AMOUNT)],
      facts: { ...used(490), 'context.amount': 10 },
      verdict: 'ALLOW',
      codes: ['ALLOW_CODE'],
      charges: [['refunds', 10]],
    },
    {
      name: 'permits nothing of what does not fit',
      policies: [budgeted('a', 'ALLOW', BY_AMOUNT)],
      facts: { ...used(490), 'context.amount': 10.000001 },
      verdict: 'DENY',
      codes: ['BUDGET_EXCEEDED'],
    },
    {
      name: 'counts 1 for each decision without an amount',
      policies: [budgeted('a', 'ALLOW', REFUNDS)],
      verdict: 'ALLOW',
      codes: ['ALLOW_CODE'],
      charges: [['refunds', 1]],
    },
    ...[undefined, -5, '5', null].map(
      (amount): Case => ({
        name: `permits nothing when the amount is ${JSON.stringify(amount) ?? 'missing'}`,
        policies: [budgeted('a', 'ALLOW', BY_AMOUNT)],
        facts: { 'context.amount': amount },
        verdict: 'DENY',
        codes: ['BUDGET_NOT_COUNTED'],
      }),
    ),
    {
      name: 'leaves the decision to an ALLOW without a budget when it has no room, and counts nothing',
      policies: [budgeted('a', 'ALLOW', REFUNDS), policy('b', 'ALLOW')],
      facts: used(500),
      verdict: 'ALLOW',
      codes: ['ALLOW_CODE'],
    },
    {
      name: 'with room counts also beside an ALLOW without a budget',
      policies: [budgeted('a', 'ALLOW', REFUNDS), policy('b', 'ALLOW')],
      verdict: 'ALLOW',
      codes: ['ALLOW_CODE', 'ALLOW_CODE'],
      charges: [['refunds', 1]],
    },
    {
      name: 'needs room in every budget of the rules that match',
      policies: [
        budgeted('a', 'ALLOW', BY_AMOUNT),
        budgeted('b', 'ALLOW', { ...BY_AMOUNT, name: 'monthly', window: '30d', limit: 5_000 }),
      ],
      facts: { ...used(5_000, 'monthly'), 'context.amount': 1 },
      verdict: 'DENY',
      codes: ['BUDGET_EXCEEDED'],
    },
    {
      name: 'counts a budget that two rules share once',
      policies: [budgeted('a', 'ALLOW', BY_AMOUNT), budgeted('b', 'ALLOW', BY_AMOUNT)],
      facts: { 'context.amount': 300 },
      verdict: 'ALLOW',
      codes: ['ALLOW_CODE', 'ALLOW_CODE'],
      charges: [['refunds', 300]],
    },
    {
      name: 'keeps the obligations of a DEGRADE without room beside an ALLOW',
      policies: [budgeted('d', 'DEGRADE', REFUNDS), policy('a', 'ALLOW')],
      facts: used(500),
      verdict: 'DEGRADE',
      codes: ['DEGRADE_CODE', 'ALLOW_CODE'],
    },
    {
      name: 'counts nothing when another rule denies',
      policies: [budgeted('a', 'ALLOW', REFUNDS), policy('d', 'DENY')],
      verdict: 'DENY',
      codes: ['DENY_CODE'],
    },
    {
      name: 'per tool permits nothing that is no tool call',
      policies: [budgeted('a', 'ALLOW', { ...REFUNDS, per: ['tool'] })],
      verdict: 'DENY',
      codes: ['BUDGET_NOT_COUNTED'],
    },
    {
      name: 'per resource permits no pattern',
      policies: [budgeted('a', 'ALLOW', { ...REFUNDS, per: ['resource'] })],
      facts: { 'intent.resource': 'data/*' },
      verdict: 'DENY',
      codes: ['BUDGET_NOT_COUNTED'],
    },
  ];
  for (const { name, policies, facts, verdict, codes, charges } of CASES)
    it(name, async () => {
      const evaluator = evaluatorOf(policies);
      const given = factsWith(facts);
      const found = await evaluator.evaluate(given);
      expect(found.verdict).to.equal(verdict);
      expect(found.reasons.map(({ code }) => code)).to.deep.equal(codes);
      expect(found.charges?.map((one) => [one.name, fromMillionths(one.amount)])).to.deep.equal(charges);
      expect(await evaluator.evaluate(given), 'the memoized verdict').to.deep.equal(found);
    });

  it('memoizes no verdict over another use, amount or kind of resource', async () => {
    const evaluator = evaluatorOf([budgeted('a', 'ALLOW', { ...BY_AMOUNT, per: ['resource'] })]);
    const verdictOf = async (facts: Readonly<Record<string, unknown>>) =>
      (await evaluator.evaluate(factsWith({ 'context.amount': 10, ...facts }))).verdict;
    expect(await verdictOf({})).to.equal('ALLOW');
    expect(await verdictOf({ 'budgets.refunds': { used: 491 } })).to.equal('DENY');
    expect(await verdictOf({ 'context.amount': 501 })).to.equal('DENY');
    expect(await verdictOf({ 'intent.resource': 'data/*' })).to.equal('DENY');
  });

  it('with an approval counts what has room, and leaves the rest to the approval', async () => {
    const evaluator = evaluatorOf([budgeted('a', 'ALLOW', REFUNDS), policy('e', 'ESCALATE')]);
    const approval = approvedReason('apr_01jq3k00000000000000000000', 'ADMINKEY');
    const within = await evaluator.evaluateApproved(factsWith(), approval);
    expect([within.verdict, within.charges?.length]).to.deep.equal(['ALLOW', 1]);
    const over = await evaluator.evaluateApproved(factsWith(used(500)), approval);
    expect([over.verdict, over.charges]).to.deep.equal(['ALLOW', undefined]);
  });

  it('names the budget, what is left and the window, and explains them', async () => {
    const evaluator = evaluatorOf([budgeted('a', 'ALLOW', BY_AMOUNT)]);
    const facts = factsWith({ ...used(480), 'context.amount': 30 });
    const { reasons } = await evaluator.evaluate(facts);
    const message = 'the budget refunds has 20 left of 500 in 24h; this needs 30';
    expect(reasons).to.deep.equal([{ policy: 'a', rule: 'only', effect: 'DENY', code: 'BUDGET_EXCEEDED', message }]);
    const [rule] = (await evaluator.explain(facts)).candidates;
    expect(rule?.skipped).to.equal(`permits nothing: ${message}`);
    expect(rule?.budget).to.deep.equal({ name: 'refunds', window: '24h', limit: 500, used: 480, amount: 30 });
  });

  it('answers with what is left after the charge', () => {
    const facts = { refunds: { amount: 0.2, limit: 0.3, used: 0.1, window: '24h' } };
    const rest = { name: 'refunds', limit: 0.3, window: '24h' };
    expect(budgetsLeft(facts, true)).to.deep.equal([{ ...rest, left: 0 }]);
    expect(budgetsLeft(facts, false)).to.deep.equal([{ ...rest, left: 0.2 }]);
  });
});

describe('a budget in a file', () => {
  const REFUSED: readonly (readonly [name: string, budget: object | string, code: string, type?: string])[] = [
    ['of a DENY', REFUNDS, 'BUDGET_MISUSED', 'DENY'],
    ['of an ESCALATE', REFUNDS, 'BUDGET_MISUSED', 'ESCALATE'],
    ['with a negative limit', { ...REFUNDS, limit: -1 }, 'SCHEMA'],
    ['with the text NaN as limit', { ...REFUNDS, limit: 'NaN' }, 'SCHEMA'],
    ['with a limit over a billion', { ...REFUNDS, limit: 1e10 }, 'SCHEMA'],
    ['with a limit of seven decimals', { ...REFUNDS, limit: 1.0000001 }, 'BAD_VALUE'],
    ['without room for one decision', { ...REFUNDS, limit: 0.5 }, 'BAD_VALUE'],
    ['with the limit 0', { ...BY_AMOUNT, limit: 0 }, 'BAD_VALUE'],
    ['with a window of 0h', { ...REFUNDS, window: '0h' }, 'BAD_VALUE'],
    ['with a window of years', { ...REFUNDS, window: '400d' }, 'BAD_VALUE'],
    ['with a window that is no duration', { ...REFUNDS, window: 'a day' }, 'SCHEMA'],
    ['per colour', { ...REFUNDS, per: ['colour'] }, 'SCHEMA'],
    ['with the amount in a text', { ...REFUNDS, amount: { fact: 'agent', path: 'id' } }, 'BAD_VALUE'],
    ['with many amounts', { ...REFUNDS, amount: { fact: 'tool', path: 'arguments.items[].price' } }, 'BAD_VALUE'],
    ['with an unknown path', { ...REFUNDS, amount: { fact: 'agent', path: 'amount' } }, 'UNKNOWN_FACT'],
    ['without a limit', { name: 'refunds', window: '24h' }, 'SCHEMA'],
  ];
  for (const [name, budget, code, type = 'ALLOW'] of REFUSED)
    it(`${name} is refused with ${code}, at its place`, () => {
      const result = load([budgeted('a', type, budget as object)]);
      if (result.ok) throw new Error('it was accepted');
      expect(result.findings.map((finding) => finding.code)).to.deep.equal([code]);
      expect(result.findings[0]?.pointer).to.match(/^\/rules\/0\/budget/);
    });

  for (const literal of ['NaN', '1e400'])
    it(`with the limit ${literal} is no JSON`, () => {
      const text = JSON.stringify(budgeted('a', 'ALLOW', REFUNDS)).replace('500', literal);
      const result = loadPolicySet([{ path: 'p0.json', text }], LEXICON, { compileLexicon });
      expect(result.ok ? [] : result.findings.map(({ code }) => code)).to.deep.equal(['NOT_JSON']);
    });

  it('with the name of another one and another shape is refused, naming both', () => {
    const result = load([budgeted('a', 'ALLOW', REFUNDS), budgeted('b', 'ALLOW', { ...REFUNDS, window: '12h' })]);
    if (result.ok) throw new Error('it was accepted');
    const [finding] = result.findings;
    expect([finding?.code, finding?.file, finding?.pointer]).to.deep.equal([
      'BUDGET_CLASH',
      'p1.json',
      '/rules/0/budget',
    ]);
    expect(finding?.message).to.contain('a/only');
  });

  it('may describe the same budget in another order', () => {
    const one = budgeted('a', 'ALLOW', { ...REFUNDS, per: ['agent', 'tool'] });
    expect(
      load([one, budgeted('b', 'ALLOW', { ...REFUNDS, per: ['tool', 'agent', 'organisation'], window: '1d' })]).ok,
    ).to.equal(true);
  });
});

describe('docs/guides/budgets.md', () => {
  it('has a policy that the linter accepts, and cases that pass', async () => {
    const guide = readFileSync(join(findRoot(), 'docs', 'guides', 'budgets.md'), 'utf8');
    const [document, cases] = [...guide.matchAll(/```json\n(.*?)```/gs)].map((match): object =>
      JSON.parse(match[1] ?? ''),
    );
    if (document === undefined || cases === undefined) throw new Error('the guide has not two examples');
    const set = setOfDocuments([document]);
    expect(lintPolicySet(set)).to.deep.equal([]);
    const { results } = await runDocument(cases, set);
    expect(results.map(({ differences }) => differences)).to.deep.equal([[], []]);
  });
});

describe('the use of a budget', () => {
  const WINDOW_MS = 3_600_000;
  const STEP = fc.record({
    passMs: fc.integer({ min: -60_000, max: WINDOW_MS / 2 }),
    amount: fc.integer({ min: 1, max: 60 }),
    /** Gives back the charge of this number, if there is one. */
    back: fc.option(fc.nat(30)),
  });

  it('never exceeds the limit in any window, whatever is charged and given back, and whatever the clock does', () => {
    fc.assert(
      fc.property(fc.array(STEP, { maxLength: 60 }), (steps) => {
        const LIMIT = 100;
        let buckets: Buckets = [];
        let nowMs = 10 * WINDOW_MS;
        const charges: (Bucket & { atMs: number; isBack: boolean })[] = [];
        for (const { passMs, amount, back } of steps) {
          nowMs += passMs;
          const returned = back === null ? undefined : charges[back];
          if (returned !== undefined && !returned.isBack) {
            returned.isBack = true;
            buckets = giveBack(buckets, returned);
          }
          if (usedAt(buckets, WINDOW_MS, nowMs) + amount > LIMIT) continue;
          const after = charge(buckets, { amount, windowMs: WINDOW_MS, nowMs, oldMs: nowMs });
          charges.push({ amount, endsAtMs: after.endsAtMs, atMs: nowMs, isBack: false });
          ({ buckets } = after);
          expect(buckets.length).to.be.at.most(62);
          const inWindow = charges.filter(({ atMs, isBack }) => !isBack && atMs > nowMs - WINDOW_MS && atMs <= nowMs);
          expect(inWindow.reduce((sum, one) => sum + one.amount, 0)).to.be.at.most(LIMIT);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('never exceeds the limit outside of times at which the clock was ahead, whatever is charged then, in bounded room', () => {
    const JUMPS = [0, 0, 0, 0, WINDOW_MS / 2, 2 * WINDOW_MS, 24 * WINDOW_MS];
    const step = fc.record({
      passMs: fc.integer({ min: 0, max: WINDOW_MS / 10 }),
      jumpMs: fc.constantFrom(...JUMPS),
      amount: fc.integer({ min: 1, max: 60 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const LIMIT = 100;
        let buckets: Buckets = [];
        let trueMs = 10 * WINDOW_MS;
        const charges: { atMs: number; amount: number }[] = [];
        for (const { passMs, jumpMs, amount } of steps) {
          trueMs += passMs;
          const nowMs = trueMs + jumpMs;
          if (usedAt(buckets, WINDOW_MS, nowMs) + amount > LIMIT) continue;
          ({ buckets } = charge(buckets, { amount, windowMs: WINDOW_MS, nowMs, oldMs: -Infinity }));
          expect(buckets.length).to.be.at.most(62 + 122);
          if (jumpMs === 0) charges.push({ atMs: trueMs, amount });
          const inWindow = charges.filter(({ atMs }) => atMs > trueMs - WINDOW_MS);
          expect(inWindow.reduce((sum, one) => sum + one.amount, 0)).to.be.at.most(LIMIT);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('keeps no more of what is old than a clock that is set back needs', () => {
    let buckets: Buckets = [];
    for (let i = 0; i < 1_000; i += 1)
      ({ buckets } = charge(buckets, { amount: 1, windowMs: WINDOW_MS, nowMs: i * WINDOW_MS, oldMs: -Infinity }));
    expect(buckets.length).to.be.within(61, 62 + 122);
  });

  it('is free again after the window and a sixtieth', () => {
    const { buckets } = charge([], { amount: 5, windowMs: WINDOW_MS, ...at(1_000) });
    expect(usedAt(buckets, WINDOW_MS, 1_000 + WINDOW_MS)).to.equal(5);
    expect(usedAt(buckets, WINDOW_MS, 1_000 + WINDOW_MS + WINDOW_MS / 60)).to.equal(0);
    const lastMs = WINDOW_MS / 60 - 1;
    const late = charge([], { amount: 5, windowMs: WINDOW_MS, ...at(lastMs) });
    expect(usedAt(late.buckets, WINDOW_MS, lastMs + WINDOW_MS), 'charged at the end of its bucket').to.equal(5);
    expect(usedAt(late.buckets, WINDOW_MS, lastMs + 1 + WINDOW_MS)).to.equal(0);
  });

  it('counts what is charged after the window was shortened by the new window, and forgets nothing before', () => {
    const DAY_MS = 24 * WINDOW_MS;
    for (const longMs of [366 * DAY_MS, 90 * DAY_MS, 7 * DAY_MS, DAY_MS]) {
      const startMs = 20_000 * DAY_MS + 12_345;
      const first = charge([], { amount: 1, windowMs: longMs, ...at(startMs) });
      let { buckets } = first;
      for (const [hours, amount] of [
        [1, 500],
        [1.25, 20],
        [1.5, 3],
      ] as const)
        ({ buckets } = charge(buckets, { amount, windowMs: WINDOW_MS, ...at(startMs + hours * WINDOW_MS) }));
      const usedAfter = (hours: number): number => usedAt(buckets, WINDOW_MS, startMs + hours * WINDOW_MS);
      expect(usedAfter(1.5), 'never less').to.be.at.least(523);
      expect(usedAfter(1.5), 'never twice').to.be.at.most(524);
      expect(usedAfter(1.99)).to.be.at.least(523);
      expect(usedAfter(2.49)).to.be.at.least(3);
      expect(usedAfter(3.1)).to.equal(0);
      expect(buckets.map(({ endsAtMs }) => endsAtMs)).to.deep.equal(
        [...new Set(buckets.map(({ endsAtMs }) => endsAtMs))].sort((a, b) => a - b),
      );
    }
  });

  it('stays zero when a charge that has left the window is given back', () => {
    const first = charge([], { amount: 5, windowMs: WINDOW_MS, ...at(0) });
    const second = charge(first.buckets, { amount: 7, windowMs: WINDOW_MS, ...at(2 * WINDOW_MS) });
    expect(giveBack(second.buckets, { amount: 5, endsAtMs: first.endsAtMs })).to.deep.equal(second.buckets);
  });
});

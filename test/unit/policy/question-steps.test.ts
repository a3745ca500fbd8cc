// One question has a bound on the work of all of its comparisons, which is counted in steps: the same question has the same answer, however
// it is evaluated.
import { expect } from 'chai';
import { RE2JS } from 're2js';
import { approvedReason } from '../../../shared/core/decision/approval.ts';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import type { PolicySet } from '../../../shared/core/policy/load.ts';
import type { Evaluation, Facts } from '../../../shared/core/policy/types.ts';
import { composed } from './own-support.ts';
import { factsWith, policy, type PolicyLike, setOf } from './support.ts';

const heavy = (i: number): string => `a[ab]{${300 + i}}[c-d]`;
const note = (operator: string, value: unknown) => ({ fact: 'context', path: 'note', operator, value });
const facts = (text: unknown = 'a'.repeat(4_000)): Facts => factsWith({ 'context.note': text });

/** Policies, each with one rule that compares `context.note` with patterns of its own. */
const manyPatterns = (count: number, type: string): PolicyLike[] =>
  Array.from({ length: count }, (_, i) =>
    policy(`heavy-${String(i).padStart(2, '0')}`, type, {
      any: [note('matchesPattern', heavy(2 * i)), note('matchesPattern', heavy(2 * i + 1))],
    }),
  );
const allowNote = policy('zz-allow', 'ALLOW', { all: [note('matchesPattern', '^a+$')] });
const allowAll = policy('aa-allow', 'ALLOW');

/** Runs `work` and counts the characters times instructions of all matches. */
async function stepsOf(work: () => unknown): Promise<number> {
  const { test } = RE2JS.prototype;
  let steps = 0;
  RE2JS.prototype.test = function counted(this: RE2JS, ...[input]: Parameters<typeof test>) {
    steps += this.programSize() * String(input).length;
    return test.call(this, input);
  };
  try {
    await work();
  } finally {
    RE2JS.prototype.test = test;
  }
  return steps;
}

interface Ways {
  readonly first: Evaluation;
  readonly again: Evaluation;
  readonly bare: Evaluation;
  readonly explained: Evaluation;
  readonly replayed: Evaluation;
}

/** The answer of a fresh evaluator, a remembered one, one without memory, the explanation, and one that knows other questions. */
async function ways(set: PolicySet, about: Facts): Promise<Ways> {
  const onError = (error: unknown): never => {
    throw error;
  };
  const [fresh, other] = [createEvaluator({ set, onError }), createEvaluator({ set, onError })];
  const bare = createEvaluator({ set, onError, memoLimit: 0 });
  await other.evaluate(facts('b'));
  await other.evaluate(factsWith({ 'context.note': 'a'.repeat(400), 'agent.id': 'other' }));
  return {
    first: await fresh.evaluate(about),
    again: await fresh.evaluate(structuredClone(about)),
    bare: await bare.evaluate(about),
    explained: (await bare.explain(about)).evaluation,
    replayed: await other.evaluate(about),
  };
}

describe('the steps of one question', () => {
  it('bound the matches of all patterns together, also of globs and of the items of lists', async () => {
    const globs = Array.from({ length: 20 }, (_, i) =>
      policy(`glob-${i}`, 'DENY', { all: [note('matchesGlob', `${'*a'.repeat(200)}${i}b`)] }),
    );
    const items = Array.from({ length: 20 }, (_, i) =>
      policy(`some-${i}`, 'DENY', { all: [note('some', { operator: 'matchesPattern', value: heavy(i) })] }),
    );
    const texts = Array.from({ length: 50 }, () => 'a'.repeat(400));
    const cases: [readonly PolicyLike[], Facts][] = [
      [manyPatterns(20, 'DENY'), facts()],
      [globs, facts('a'.repeat(20_000))],
      [items, facts(texts)],
    ];
    for (const [policies, about] of cases) {
      const evaluator = createEvaluator({ set: setOf([allowAll, ...policies]) });
      const steps = await stepsOf(() => evaluator.evaluate(about));
      expect(steps, policies[0]?.id ?? '').to.be.within(4_000_000, 16_000_000);
    }
  });

  it('match each pattern once', async () => {
    const evaluator = createEvaluator({ set: setOf([allowAll, ...manyPatterns(2, 'DENY')]) });
    const sizes = [0, 1, 2, 3].map((i) => RE2JS.compile(heavy(i)).programSize());
    const expected = sizes.reduce((sum, size) => sum + size * 1_000, 0);
    expect(await stepsOf(() => evaluator.evaluate(facts('a'.repeat(1_000))))).to.equal(expected);
  });

  it('make further comparisons missing, which only makes the answer stricter, in all ways of evaluation alike', async () => {
    const cases: [string, readonly PolicyLike[], string][] = [
      ['an ALLOW that comes too late', [...manyPatterns(20, 'ALLOW'), allowNote], 'ALLOW'],
      ['a DENY that comes too late', [allowAll, ...manyPatterns(20, 'DENY')], 'DENY'],
    ];
    for (const [what, policies, verdict] of cases) {
      const all = await ways(setOf(policies), facts());
      for (const one of Object.values(all)) expect(one, what).to.deep.equal(all.first);
      expect(all.first.verdict, what).to.equal(verdict);
    }
    const late = policy('zz-late', 'ALLOW', { all: [note('matchesPattern', `^a+$|${heavy(200)}`)] });
    const lateSet = await ways(setOf([...manyPatterns(20, 'ALLOW'), late]), facts());
    for (const one of Object.values(lateSet)) expect(one).to.deep.equal(lateSet.first);
    expect(lateSet.first.verdict).to.equal('DENY');
    const { first } = await ways(setOf([allowAll, ...manyPatterns(20, 'DENY')]), facts());
    expect(first.reasons[0]).to.deep.include({ code: 'FACT_MISSING', effect: 'DENY' });
    expect(first.reasons[0]?.message).to.contain('(missing: context.note)');
  });

  it('are remembered apart: two questions that differ in what fits alone do not share an answer', async () => {
    // Equal outcomes of the lists, whose items cost differently, and equal texts.
    const lists = Array.from({ length: 6 }, (_, i) =>
      policy(`a-list-${i}`, 'DENY', {
        all: [
          { fact: 'context', path: 'list', operator: 'some', value: { operator: 'matchesPattern', value: heavy(i) } },
        ],
      }),
    );
    const late = policy('b-late', 'DENY', { all: [note('matchesPattern', heavy(100))] });
    const evaluator = createEvaluator({ set: setOf([allowAll, ...lists, late]) });
    const about = (items: number): Facts =>
      factsWith({ 'context.note': 'a'.repeat(3_900), 'context.list': Array(items).fill('a'.repeat(400)) });
    const [light, dear] = [await evaluator.evaluate(about(1)), await evaluator.evaluate(about(22))];
    expect([light.verdict, dear.verdict]).to.deep.equal(['ALLOW', 'DENY']);
    expect(await evaluator.evaluate(about(1))).to.deep.equal(light);
  });

  it('are not taken from the installation by own policies, nor by other questions with the same facts', async () => {
    const installation = setOf([policy('zz-allow', 'ALLOW', { all: [note('matchesPattern', '^a+$')] })]);
    const about = facts();
    const own = composed(
      installation,
      manyPatterns(20, 'DENY').map((one) => ({ ...one, id: `own-${one.id}` })),
    );
    const of = (set: PolicySet) => createEvaluator({ set });
    const steps = await stepsOf(() => of(own).evaluate(about));
    expect(steps).to.be.at.most(17_000_000);
    expect((await of(own).evaluate(about)).reasons.every(({ policy: id }) => id.startsWith('acme/'))).to.equal(true);
    expect((await of(installation).evaluate(about)).verdict).to.equal('ALLOW');
    const approved = await of(own).evaluateApproved(about, approvedReason('apr_x', 'BBBBBBBB'));
    expect(approved.verdict).to.equal('DENY');
  });
});

// Pitfalls of json-rules-engine, reproduced, together with the behaviour of this wrapper.
import { expect } from 'chai';
import { Engine } from 'json-rules-engine';
import type { TopLevelCondition } from 'json-rules-engine';
import { createRuleRunner } from '../../../shared/core/policy/engine.ts';
import { ALWAYS, evaluatorOf, factsWith, load, policy, setOf } from './support.ts';

const trust = (operator: string, value: unknown) => ({ fact: 'trust', path: 'score', operator, value });

/** The engine's own result for one rule, without the wrapper. */
async function plainly(conditions: TopLevelCondition, facts: Record<string, unknown>): Promise<boolean> {
  const engine = new Engine([{ conditions, event: { type: 'hit' } }], { allowUndefinedFacts: true });
  return (await engine.run(facts)).events.length === 1;
}

describe('traps of json-rules-engine', () => {
  it('a shared engine skips rules in overlapping runs: here 500 overlapping evaluations all see the DENY', async () => {
    const policies = [
      policy('permit', 'ALLOW'),
      policy('refuse', 'DENY', {
        any: [{ all: [trust('lessThan', 900), trust('greaterThan', 1)] }, trust('equal', 1)],
      }),
    ];
    for (const memoLimit of [0, 1_000]) {
      const evaluator = evaluatorOf(policies, { memoLimit });
      const runs = Array.from({ length: 500 }, (_, i) =>
        evaluator.evaluate(factsWith({ 'agent.id': `a${i}`, 'trust.score': 200 + i })),
      );
      const verdicts = await Promise.all(runs);
      expect(verdicts.filter((evaluation) => evaluation.verdict !== 'DENY')).to.have.lengthOf(0);
    }
  });

  it('the pitfall of the shared engine exists: without the wrapper, overlapping runs lose results', async () => {
    const slow = { all: [{ any: [{ all: [{ fact: 'x', operator: 'equal', value: 1 }] }] }] };
    const rules = Array.from({ length: 3 }, (_, priority) => ({
      conditions: slow,
      event: { type: 'DENY' },
      priority: priority + 1,
    }));
    const engine = new Engine(rules);
    const runs = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        // Runs that begin at different moments: the first to end stops the others before their next priority.
        for (let turn = 0; turn < i; turn += 1) await Promise.resolve();
        return engine.run({ x: 1 });
      }),
    );
    expect(runs.some((run) => run.results.length + run.failureResults.length < rules.length)).to.equal(true);
  });

  it('one runner never gives an engine to two overlapping runs, in whatever order they end', async () => {
    const { rules } = setOf([policy('a', 'DENY', { all: [trust('lessThan', 500)] }), policy('b', 'ALLOW')]).compiled
      .enforce;
    const runner = createRuleRunner(rules);
    for (let round = 0; round < 20; round += 1) {
      const runs = await Promise.all(
        Array.from({ length: 25 }, (_, i) => runner.run(factsWith({ 'trust.score': i * 40 }))),
      );
      for (const [i, run] of runs.entries()) {
        expect(run.evaluated).to.equal(2);
        expect(run.held).to.deep.equal(i * 40 < 500 ? [0, 1] : [1]);
      }
    }
  });

  it('a run that returns fewer results than there are rules is DENY, not a partial result', async () => {
    const errors: unknown[] = [];
    const evaluator = evaluatorOf([policy('a', 'ALLOW'), policy('b', 'ALLOW')], {
      onError: (error) => errors.push(error),
      createRunner: () => ({ run: () => Promise.resolve({ evaluated: 1, held: [0] }) }),
    });
    const evaluation = await evaluator.evaluate(factsWith());
    expect(evaluation).to.include({ verdict: 'DENY' });
    expect(evaluation.reasons[0]).to.include({ code: 'ENGINE_INCOMPLETE' });
    expect(errors).to.have.lengthOf(1);
  });

  it('an engine error is DENY, is reported, and is not memoized', async () => {
    const errors: unknown[] = [];
    let fail = true;
    const evaluator = evaluatorOf([policy('a', 'ALLOW')], {
      onError: (error) => errors.push(error),
      createRunner: (rules) => ({
        run: (facts) => (fail ? Promise.reject(new Error('broken')) : createRuleRunner(rules).run(facts)),
      }),
    });
    expect((await evaluator.evaluate(factsWith())).reasons[0]).to.include({
      code: 'EVALUATION_FAILED',
      effect: 'DENY',
    });
    fail = false;
    expect((await evaluator.evaluate(factsWith())).verdict).to.equal('ALLOW');
    expect(errors).to.have.lengthOf(1);
  });

  it('an engine that reports a rule whose conditions do not hold is DENY', async () => {
    const evaluator = evaluatorOf([policy('a', 'ALLOW', { all: [trust('greaterThan', 900)] })], {
      onError: () => undefined,
      createRunner: () => ({ run: () => Promise.resolve({ evaluated: 1, held: [0] }) }),
    });
    expect((await evaluator.evaluate(factsWith())).reasons[0]).to.include({ code: 'EVALUATION_FAILED' });
  });

  it('a shared condition that refers to itself never returns: shared conditions are refused', () => {
    for (const conditions of [
      { condition: 'self' },
      { all: [{ condition: 'self' }] },
      { not: { condition: 'self' } },
    ]) {
      expect(load([policy('p', 'DENY', conditions)]).ok).to.equal(false);
    }
  });

  it('a JSONPath filter can run any regular expression: paths are own members only', () => {
    for (const path of ['$..x', '$[?(@.x.match(/^(a+)+$/))]', 'x[0]', '@.x', 'a..b', '', '.x', 'x.', 'x y', '*', '^']) {
      const conditions = { all: [{ fact: 'context', path, operator: 'equal', value: 'a' }] };
      expect(load([policy('p', 'DENY', conditions)]).ok, path).to.equal(false);
    }
  });

  it('inherited members are missing, not values', async () => {
    for (const path of ['constructor', '__proto__', 'toString', 'constructor.name', 'list.length', 'text.length']) {
      const evaluator = evaluatorOf([
        policy('p', 'ALLOW', { all: [{ fact: 'context', path, operator: 'isPresent', value: true }] }),
      ]);
      const evaluation = await evaluator.evaluate(factsWith({ context: { list: [1], text: 'abc' } }));
      expect(evaluation.verdict, path).to.equal('DENY');
    }
  });

  it('an empty all and an empty any match: both are refused', async () => {
    expect(await plainly({ all: [] }, {})).to.equal(true);
    expect(await plainly({ any: [] }, {})).to.equal(true);
    for (const conditions of [{ all: [] }, { any: [] }, { not: { any: [] } }])
      expect(load([policy('p', 'ALLOW', conditions)]).ok).to.equal(false);
  });

  it('any beside all discards all: refused', async () => {
    const yes = { fact: 'x', operator: 'equal', value: 1 };
    const no = { fact: 'x', operator: 'equal', value: 2 };
    const both: TopLevelCondition & { any: unknown[] } = { all: [no], any: [yes] };
    expect(await plainly(both, { x: 1 })).to.equal(true);
    expect(load([policy('p', 'ALLOW', { all: [trust('equal', 1)], any: [trust('equal', 250)] })]).ok).to.equal(false);
  });

  it('in on a string matches parts of it: refused', async () => {
    expect(await plainly({ all: [{ fact: 'x', operator: 'in', value: 'agent-10' }] }, { x: 'agent-1' })).to.equal(true);
    expect(
      load([policy('p', 'ALLOW', { all: [{ fact: 'agent', path: 'id', operator: 'in', value: 'agent-10' }] })]).ok,
    ).to.equal(false);
  });

  it('a missing fact makes "< 300" false and "not >= 300" true: here both hold in a DENY, and neither in an ALLOW', async () => {
    const missing = { score: undefined };
    expect(await plainly({ all: [{ fact: 'score', operator: 'lessThan', value: 300 }] }, missing)).to.equal(false);
    expect(await plainly({ not: { fact: 'score', operator: 'greaterThanInclusive', value: 300 } }, missing)).to.equal(
      true,
    );
    const facts = factsWith({ 'trust.score': undefined });
    for (const conditions of [
      { all: [trust('lessThan', 300)] },
      { not: trust('greaterThanInclusive', 300) },
      { not: { not: { all: [trust('lessThan', 300)] } } },
    ]) {
      const denied = await evaluatorOf([policy('yes', 'ALLOW'), policy('p', 'DENY', conditions)]).evaluate(facts);
      expect(denied.verdict).to.equal('DENY');
      expect(denied.reasons[0]).to.include({
        policy: 'p',
        code: 'FACT_MISSING',
        message: 'p says DENY (missing: trust.score)',
      });
      const allowed = await evaluatorOf([policy('p', 'ALLOW', conditions)]).evaluate(facts);
      expect(allowed.reasons[0]).to.include({ code: 'NO_MATCH', effect: 'DENY' });
    }
  });

  it('a number in a string is a number to the engine: here it is of the wrong type', async () => {
    expect(await plainly({ all: [{ fact: 'x', operator: 'lessThan', value: 300 }] }, { x: '20' })).to.equal(true);
    const conditions = { all: [{ fact: 'context', path: 'x', operator: 'lessThan', value: 300 }] };
    expect(
      (await evaluatorOf([policy('p', 'ALLOW', conditions)]).evaluate(factsWith({ 'context.x': '20' }))).verdict,
    ).to.equal('DENY');
  });

  it('the effect of a rule is never taken from the facts', async () => {
    const evaluator = evaluatorOf([policy('p', 'ALLOW', ALWAYS)]);
    const context = JSON.parse('{"__proto__": {"verdict": "ALLOW"}, "verdict": "DENY", "fact": "trust"}') as Record<
      string,
      unknown
    >;
    expect((await evaluator.evaluate(factsWith({ context }))).reasons).to.deep.equal([
      { policy: 'p', rule: 'only', effect: 'ALLOW', code: 'ALLOW_CODE', message: 'p says ALLOW' },
    ]);
  });
});

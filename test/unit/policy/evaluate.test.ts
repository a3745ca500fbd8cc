// Evaluation: precedence, targets, obligations, patterns, places, missing facts, memoization.
import { expect } from 'chai';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import { createRuleRunner } from '../../../shared/core/policy/engine.ts';
import type { Evaluation, Facts } from '../../../shared/core/policy/types.ts';
import { ALWAYS, evaluatorOf, factsWith, policy, setOf } from './support.ts';
import { dataOf } from '../../support/data.ts';

interface Case {
  name: string;
  policies: [
    id: string,
    type: string,
    changes?: { target?: Record<string, unknown>; conditions?: unknown; obligations?: unknown[] },
  ][];
  facts?: Record<string, unknown>;
  verdict: string;
  codes?: string[];
  obligations?: unknown[];
}

function policiesOf(example: Case) {
  return example.policies.map(([id, type, changes = {}]) => {
    const document = policy(id, type, changes.conditions ?? ALWAYS);
    if (changes.target !== undefined) document.target = { ...document.target, ...changes.target };
    if (changes.obligations !== undefined)
      Reflect.set(
        Reflect.get(Reflect.get(document.rules[0] ?? {}, 'event') as object, 'params') as object,
        'obligations',
        changes.obligations,
      );
    return document;
  });
}

describe('evaluation', () => {
  for (const example of dataOf<Case[]>('unit/policy/evaluate.cases.json')) {
    it(`${example.name}: ${example.verdict}`, async () => {
      const evaluation = await evaluatorOf(policiesOf(example)).evaluate(factsWith(example.facts));
      expect(evaluation.verdict, JSON.stringify(evaluation.reasons)).to.equal(example.verdict);
      if (example.codes !== undefined)
        expect(evaluation.reasons.map(({ code, policy: id }) => `${id} ${code}`)).to.deep.equal(example.codes);
      expect(evaluation.obligations).to.deep.equal(example.obligations ?? []);
    });
  }

  it('identical facts are answered synchronously and are not evaluated again', async () => {
    let runs = 0;
    const createRunner: typeof createRuleRunner = (rules) => {
      const runner = createRuleRunner(rules);
      return {
        run(facts) {
          runs += 1;
          return runner.run(facts);
        },
      };
    };
    const evaluator = evaluatorOf(
      [policy('p', 'ALLOW', { all: [{ fact: 'trust', path: 'level', operator: 'lessThan', value: 4 }] })],
      { createRunner },
    );
    const first = await evaluator.evaluate(factsWith());
    const second = evaluator.evaluate(factsWith({ 'agent.id': 'another', 'time.hour': 3 }));
    expect(second).to.equal(first);
    expect(runs).to.equal(1);
    expect((await evaluator.evaluate(factsWith({ 'trust.level': 5 }))).verdict).to.equal('DENY');
    expect((await evaluator.evaluate(factsWith({ 'trust.level': '1' }))).verdict).to.equal('DENY');
    expect(runs).to.equal(3);
  });

  it('new values are answered without the engine when every comparison has a known outcome', async () => {
    const asked: string[][] = [];
    const createRunner: typeof createRuleRunner = (rules) => {
      const runner = createRuleRunner(rules);
      return {
        run(facts) {
          asked.push(rules.map(({ policy: id }) => id));
          return runner.run(facts);
        },
      };
    };
    const below = (path: string, value: number) => ({ all: [{ fact: 'trust', path, operator: 'lessThan', value }] });
    const evaluator = evaluatorOf([policy('a', 'ALLOW', below('level', 4)), policy('b', 'DENY', below('score', 100))], {
      createRunner,
    });
    const at = (level: unknown, score: unknown) =>
      evaluator.evaluate(factsWith({ 'trust.level': level, 'trust.score': score }));
    const first = await at(1, 300);
    expect(at(2, 301)).to.equal(first);
    expect((await at(5, 302)).verdict).to.equal('DENY');
    expect((await at(3, 50)).verdict).to.equal('DENY');
    expect((await at(3, undefined)).reasons[0]?.code).to.equal('FACT_MISSING');
    // The fourth asks for a known outcome of each rule, in a new combination.
    expect((await at(6, 51)).reasons.map(({ policy: id }) => id)).to.deep.equal(['b']);
    expect(asked).to.deep.equal([['a', 'b'], ['a'], ['b'], ['b']]);
  });

  it('a memoized evaluation can not be modified by its receiver', async () => {
    const evaluation = await evaluatorOf([policy('p', 'DEGRADE')]).evaluate(factsWith());
    expect(() => Reflect.apply(Array.prototype.push, evaluation.reasons, [1])).to.throw(TypeError);
    expect(Object.isFrozen(evaluation.obligations[0])).to.equal(true);
  });

  it('malformed facts give DENY, even when the observer throws', async () => {
    const evaluator = createEvaluator({
      set: setOf([policy('p', 'ALLOW')]),
      onError: () => {
        throw new Error('observer');
      },
    });
    const broken: unknown[] = [
      {},
      null,
      factsWith({ intent: undefined }),
      factsWith({ 'intent.resource': 'DB/x' }),
      factsWith({ 'intent.places': undefined }),
      factsWith({ 'intent.action': 'drop' }),
      factsWith({ organisation: undefined }),
      factsWith({ 'agent.status': 'DANCING' }),
    ];
    for (const facts of broken) {
      // The types forbid these values; data from a store or from a careless caller may still contain them.
      const evaluation: Evaluation = await evaluator.evaluate(facts as Facts);
      expect(evaluation.verdict).to.equal('DENY');
      expect((await evaluator.explain(facts as Facts)).evaluation.verdict).to.equal('DENY');
    }
    expect((await evaluator.assessRisk(factsWith({ intent: undefined }))).level).to.equal('high');
  });

  it('explain lists the values that every rule saw, and why one did not count', async () => {
    const policies = [
      policy('a', 'ALLOW', { not: { fact: 'trust', path: 'level', operator: 'greaterThan', value: 3 } }),
      policy('b', 'ALLOW', ALWAYS, { target: { actions: ['*'], resources: ['*'], environments: ['dev'] } }),
      policy('c', 'DEGRADE', { all: [{ fact: 'context', path: 'ticket', operator: 'equal', value: 'T1' }] }),
      policy('d', 'DENY', ALWAYS, { target: { actions: ['*'], resources: ['elsewhere/*'] } }),
    ];
    const { evaluation, candidates } = await evaluatorOf(policies).explain(factsWith());
    expect(evaluation.verdict).to.equal('ESCALATE');
    expect(candidates.map(({ policy: id, matched, skipped }) => ({ id, matched, skipped }))).to.deep.equal([
      { id: 'a', matched: true, skipped: undefined },
      { id: 'b', matched: false, skipped: 'is for the environments dev' },
      { id: 'c', matched: true, skipped: 'counts as an ESCALATE that permits nothing, because facts are missing' },
    ]);
    expect(candidates[0]?.conditions).to.deep.equal([
      {
        fact: 'trust',
        path: 'level',
        operator: 'not greaterThan',
        expected: 3,
        actual: 1,
        missing: false,
        result: true,
      },
    ]);
    expect(candidates[2]?.conditions[0]).to.include({ missing: true, result: true, actual: null });
  });

  it('the candidates do not depend on the number of policies for other targets', () => {
    const others = Array.from({ length: 2_000 }, (_, i) =>
      policy(`o${i}`, 'DENY', ALWAYS, { target: { actions: ['read'], resources: [`other/${i}/*`] } }),
    );
    const { enforce } = setOf([...others, policy('p', 'ALLOW')]).compiled;
    const request = {
      action: 'read',
      resource: 'data/x',
      places: [],
      environment: 'live',
      organisation: 'acme',
    } as const;
    expect(enforce.find(request).map(({ rule }) => rule.policy)).to.deep.equal(['p']);
  });
});

describe('risk', () => {
  const risky = (id: string, factor: string, score: number, conditions: unknown = ALWAYS) => ({
    ...policy(id, 'RISK', conditions),
    stage: 'intake',
    rules: [{ name: 'only', conditions, event: { type: 'RISK', params: { factor, score, message: `${id} message` } } }],
  });
  const scores: [string, unknown[], number, string][] = [
    ['nothing matched', [], 0, 'low'],
    ['just below medium', [risky('a', 'x', 399)], 399, 'low'],
    ['medium', [risky('a', 'x', 400)], 400, 'medium'],
    ['just below high', [risky('a', 'x', 699)], 699, 'medium'],
    ['high', [risky('a', 'x', 700)], 700, 'high'],
    ['a factor counts once, with its highest score', [risky('a', 'x', 300), risky('b', 'x', 350)], 350, 'low'],
    ['distinct factors add up', [risky('a', 'x', 300), risky('b', 'y', 350)], 650, 'medium'],
    ['the sum ends at 1000', [risky('a', 'x', 900), risky('b', 'y', 900)], 1_000, 'high'],
    [
      'a missing fact adds its factor',
      [risky('a', 'x', 500, { all: [{ fact: 'context', path: 'y', operator: 'equal', value: 1 }] })],
      500,
      'medium',
    ],
    ['a policy of stage enforce adds nothing', [policy('e', 'DENY')], 0, 'low'],
  ];
  for (const [name, policies, score, level] of scores) {
    it(`${name}: ${score}, ${level}`, async () => {
      const evaluator = evaluatorOf(policies);
      expect(await evaluator.assessRisk(factsWith())).to.include({ score, level });
      expect(await evaluator.assessRisk(factsWith())).to.include({ score, level });
    });
  }
  describe('that is higher only because facts are missing', () => {
    const equalTo = (value: string) => ({ all: [{ fact: 'context', path: 'region', operator: 'equal', value }] });
    const onHigh = { all: [{ fact: 'intent', path: 'risk.level', operator: 'equal', value: 'high' }] };
    const onLow = { all: [{ fact: 'intent', path: 'risk.level', operator: 'equal', value: 'low' }] };
    const risks = [risky('a', 'x', 100), risky('b', 'x', 300, equalTo('us')), risky('c', 'y', 500, equalTo('eu'))];
    const rules = [policy('e', 'ESCALATE', onHigh), policy('f', 'ALLOW', onLow)];
    const answer = async (context: object): Promise<string[]> => {
      const evaluator = evaluatorOf([...risks, ...rules]);
      const facts = factsWith({ context });
      const risk = await evaluator.assessRisk(facts);
      const { verdict, reasons } = await evaluator.evaluate({ ...facts, intent: { ...facts.intent, risk } });
      return [verdict, ...reasons.map(({ code }) => code)];
    };

    it('also has a value without them', async () => {
      const evaluator = evaluatorOf(risks);
      expect(await evaluator.assessRisk(factsWith())).to.deep.include({
        level: 'high',
        score: 800,
        certain: { level: 'low', score: 100 },
      });
      expect(await evaluator.assessRisk(factsWith({ 'context.region': 'eu' }))).not.to.have.property('certain');
    });

    it('permits nothing: leaving out a fact never turns a DENY into an ESCALATE', async () => {
      expect(await answer({ region: 'us' })).to.deep.equal(['ALLOW', 'ALLOW_CODE']);
      expect(await answer({ region: 'eu' })).to.deep.equal(['DENY', 'NO_MATCH']);
      for (const context of [{}, { region: 7 }])
        expect(await answer(context)).to.deep.equal(['DENY', 'NO_MATCH', 'FACT_MISSING']);
    });

    it('is certain where the missing facts make no difference', async () => {
      const set = [risky('a', 'x', 100), risky('b', 'x', 200, equalTo('us')), ...rules];
      const evaluator = evaluatorOf(set);
      const facts = factsWith();
      const risk = await evaluator.assessRisk(facts);
      expect(risk).to.deep.include({ score: 200, certain: { level: 'low', score: 100 } });
      const asked = { ...facts, intent: { ...facts.intent, risk } };
      expect((await evaluator.evaluate(asked)).verdict).to.equal('ALLOW');
    });
  });
  it('factors are listed by score, then name, each with the message of its highest', async () => {
    const evaluator = evaluatorOf([
      risky('a', 'x', 100),
      risky('b', 'x', 120),
      risky('c', 'z', 200),
      risky('d', 'y', 200),
    ]);
    expect((await evaluator.assessRisk(factsWith())).factors).to.deep.equal([
      { factor: 'y', score: 200, message: 'd message' },
      { factor: 'z', score: 200, message: 'c message' },
      { factor: 'x', score: 120, message: 'b message' },
    ]);
  });
});

// Measures one evaluation over the number of policies: from the memo, by the engine, and by json-rules-engine over all rules.
import { Engine } from 'json-rules-engine';
import { createEvaluator, type Evaluator } from '../shared/core/policy/evaluate.ts';
import { loadPolicySet, type PolicySet } from '../shared/core/policy/load.ts';
import { engineConditions } from '../shared/core/policy/normal-form.ts';
import { OPERATORS } from '../shared/core/policy/operators.ts';
import type { Facts } from '../shared/core/policy/types.ts';
import { pathReader } from '../shared/core/policy/path-reader.ts';
import { effectiveTrust } from '../shared/core/trust/score.ts';
import { randomNumbers } from './numbers.ts';

export interface PolicyCost {
  readonly policies: number;
  readonly loadMs: number;
  /** Microseconds of processor time per evaluation, as the next two. */
  readonly remembered: number;
  readonly engine: number;
  /** json-rules-engine over all rules of the set, one engine, one run at a time. */
  readonly plain: number;
}

const SIZES = [10, 100, 1_000, 10_000];

function policyText(i: number): string {
  const level = (operator: string, value: number) => ({ fact: 'trust', path: 'level', operator, value });
  const event = (type: string) => ({ type, params: { code: `${type}_CODE`, message: 'a benchmark rule' } });
  return JSON.stringify({
    id: `p${i}`,
    description: 'a benchmark policy',
    stage: 'enforce',
    target: { actions: ['read', 'update'], resources: [`db/table_${i}/*`] },
    rules: [
      { name: 'permit', conditions: { all: [level('greaterThanInclusive', 1)] }, event: event('ALLOW') },
      {
        name: 'refuse',
        conditions: {
          any: [level('lessThan', 1), { fact: 'intent', path: 'confidence', operator: 'lessThan', value: 0.3 }],
        },
        event: event('DENY'),
      },
    ],
  });
}

function factsOf(i: number): Facts {
  const none = { ALLOW: 0, DENY: 0, ESCALATE: 0, DEGRADE: 0 };
  const resource = `db/table_${i}/row`;
  return {
    intent: {
      normalized: `db.read.table_${i}.row`,
      domain: 'db',
      action: 'read',
      verb: 'read',
      object: 'row',
      resource,
      places: [],
      effect: 'read',
      traits: [],
      extent: 'one',
      confidence: 0.9,
      data_classes: [],
      flags: [],
      depth: 2,
      parsed: true,
      entities: { emails: [], urls: [], hosts: [], money: [], paths: [], identifiers: [] },
      risk: { level: 'low', score: 0, factors: [] },
    },
    agent: { id: 'agent', registered: true, status: 'ACTIVE', capabilities: [], tags: [] },
    trust: effectiveTrust({ recordedScore: 400, uncertainty: 0.5 }),
    key: { id: 'benchkey', bound: false, environment: 'live', tags: [] },
    context: {},
    time: { now: '2026-03-04T10:30:00.000Z', date: '2026-03-04', hour: 10, minute_of_day: 630, weekday: 3 },
    history: { last_60s: none, last_1h: none, last_24h: none },
    organisation: { slug: 'bench' },
    environment: 'live',
  };
}

async function perRun(count: number, run: (i: number) => unknown): Promise<number> {
  // Processor time instead of the clock: other processes may be busy.
  const before = process.cpuUsage();
  for (let i = 0; i < count; i += 1) {
    const result = run(i);
    if (result instanceof Promise) await result;
  }
  const used = process.cpuUsage(before);
  return (used.user + used.system) / count;
}

/** The whole set in one plain json-rules-engine, which runs one evaluation at a time. */
function plainEngine({ compiled }: PolicySet): (facts: Facts) => Promise<unknown> {
  const pathResolver = (facts: object, path: string): unknown => pathReader(path)(facts);
  const engine = new Engine([], { allowUndefinedFacts: true, pathResolver });
  for (const name of ['lessThan', 'greaterThanInclusive']) {
    const test = (actual: unknown, value: unknown) => OPERATORS.get(name)?.test(actual, value) === 'yes';
    engine.addOperator(name, test);
    engine.addOperator(`${name} or unsure`, test);
  }
  for (const rule of compiled.enforce.rules)
    engine.addRule({ conditions: engineConditions(rule.condition), event: { type: rule.effect.type } });
  return (facts) => engine.run({ facts });
}

/** Measures one size. Each request names the resource of a random policy. */
export async function measurePolicyCost(policies: number): Promise<PolicyCost> {
  const files = Array.from({ length: policies }, (_, i) => ({ path: `p${i}.json`, text: policyText(i) }));
  const before = performance.now();
  const loaded = loadPolicySet(files, { path: 'lexicon.json', text: '{}' }, { compileLexicon: (json) => json });
  const loadMs = performance.now() - before;
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings[0]));
  const random = randomNumbers(1);
  const all = Array.from({ length: 20_000 }, () => factsOf(Math.floor(random() * policies)));
  const at = (i: number): Facts => all[i % all.length] ?? factsOf(0);
  const measure = async (evaluator: Evaluator, count: number): Promise<number> => {
    await perRun(all.length, (i) => evaluator.evaluate(at(i)));
    return perRun(count, (i) => evaluator.evaluate(at(i)));
  };
  const remembered = await measure(createEvaluator({ set: loaded.set }), 400_000);
  const engine = await measure(createEvaluator({ set: loaded.set, memoLimit: 0 }), 20_000);
  const plain = plainEngine(loaded.set);
  const runs = Math.max(5, Math.floor(20_000 / policies));
  await perRun(Math.ceil(runs / 4), (i) => plain(at(i)));
  return { policies, loadMs, remembered, engine, plain: await perRun(runs, (i) => plain(at(i))) };
}

async function main(): Promise<void> {
  const rows: PolicyCost[] = [];
  for (const size of SIZES) rows.push(await measurePolicyCost(size));
  if (process.argv.includes('--json')) {
    console.log(
      JSON.stringify({ bench: 'policy-cost', unit: 'microseconds of processor time per evaluation', rows }, null, 2),
    );
    return;
  }
  console.log('microseconds of processor time per evaluation, two rules a policy, one process');
  console.table(
    rows.map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, Number(value.toFixed(2))]))),
  );
}

if (import.meta.filename === process.argv[1]) await main();

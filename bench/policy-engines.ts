// Compares policy engines in one process with equivalent rules: Custos, plain json-rules-engine, casbin and Cedar (WebAssembly).
import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import { setFlagsFromString } from 'node:v8';
import { newEnforcer, newModelFromString, StringAdapter } from 'casbin';
import { Engine } from 'json-rules-engine';
import { createEvaluator, type Evaluator } from '../shared/core/policy/evaluate.ts';
import { loadPolicySet, type PolicySet } from '../shared/core/policy/load.ts';
import { engineConditions, engineOperator, variantOf } from '../shared/core/policy/normal-form.ts';
import type { Facts } from '../shared/core/policy/types.ts';
import { pathReader } from '../shared/core/policy/path-reader.ts';
import { effectiveTrust } from '../shared/core/trust/score.ts';
import { randomNumbers } from './numbers.ts';

// V8 of Node 20 sometimes aborts ("unreachable code") when it deoptimizes a function with an inlined call into WebAssembly, here Cedar's.
setFlagsFromString('--no-turbo-inline-js-wasm-calls');

/** The resources that the rules are for: each policy its own table, or every policy all resources. */
export type Targets = 'own' | 'everything';

/** Microseconds of processor time per evaluation. */
export interface EngineCosts {
  readonly targets: Targets;
  /** Each has one rule that permits and one that refuses. */
  readonly policies: number;
  /** Custos, for facts that were asked before. */
  readonly rememberedUs: number;
  /** Custos, for facts with values that were not seen before. */
  readonly firstSeenUs: number;
  /** Custos with json-rules-engine in every evaluation: without any memo. */
  readonly engineUs: number;
  readonly plainUs: number;
  readonly casbinUs: number;
  readonly cedarUs: number;
}

/** One request in the terms of all engines. Confidence in thousandths, because Cedar has no fractions. */
interface Question {
  readonly table: number;
  readonly score: number;
  readonly confidence: number;
}

/** A policy permits scores from this value. */
const PERMITTED_SCORE = 300;
/** Below this confidence, in thousandths, a policy refuses; the limits of several policies differ. */
const refusedConfidence = (i: number, policies: number): number => Math.ceil((300 * (i + 1)) / policies);
const resourceOf = (i: number, targets: Targets): string => (targets === 'own' ? `db/table_${i}/*` : '*');

function policyText(i: number, policies: number, targets: Targets): string {
  const event = (type: string) => ({ type, params: { code: `${type}_CODE`, message: 'a benchmark rule' } });
  const score = (operator: string) => ({ fact: 'trust', path: 'score', operator, value: PERMITTED_SCORE });
  const confidence = refusedConfidence(i, policies) / 1_000;
  return JSON.stringify({
    id: `p${i}`,
    description: 'a benchmark policy',
    stage: 'enforce',
    target: { actions: ['read'], resources: [resourceOf(i, targets)] },
    rules: [
      { name: 'permit', conditions: { all: [score('greaterThanInclusive')] }, event: event('ALLOW') },
      {
        name: 'refuse',
        conditions: { any: [{ fact: 'intent', path: 'confidence', operator: 'lessThan', value: confidence }] },
        event: event('DENY'),
      },
    ],
  });
}

function factsOf({ table, score, confidence }: Question): Facts {
  const none = { ALLOW: 0, DENY: 0, ESCALATE: 0, DEGRADE: 0 };
  return {
    intent: {
      normalized: `db.read.table_${table}.row`,
      domain: 'db',
      action: 'read',
      verb: 'read',
      object: 'row',
      resource: `db/table_${table}/row`,
      places: [],
      effect: 'read',
      traits: [],
      extent: 'one',
      confidence: confidence / 1_000,
      coverage: 1,
      data_classes: [],
      flags: [],
      depth: 3,
      parsed: true,
      entities: { emails: [], urls: [], hosts: [], money: [], paths: [], identifiers: [] },
      risk: { level: 'low', score: 0, factors: [] },
    },
    agent: { id: 'agent', registered: true, status: 'ACTIVE', capabilities: [], tags: [] },
    trust: effectiveTrust({ recordedScore: score, uncertainty: 0.5 }),
    key: { id: 'benchkey', bound: false, environment: 'live', tags: [] },
    context: {},
    time: { now: '2026-03-04T10:30:00.000Z', date: '2026-03-04', hour: 10, minute_of_day: 630, weekday: 3 },
    history: { last_60s: none, last_1h: none, last_24h: none },
    organisation: { slug: 'bench' },
    environment: 'live',
  };
}

/** Answers one question with whether it is permitted. */
type Ask = (question: Question) => boolean | Promise<boolean>;

function permits(evaluator: Evaluator): (facts: Facts) => boolean | Promise<boolean> {
  return (facts) => {
    const evaluation = evaluator.evaluate(facts);
    if (evaluation instanceof Promise) return evaluation.then(({ verdict }) => verdict === 'ALLOW');
    return evaluation.verdict === 'ALLOW';
  };
}

/** The whole set in one plain json-rules-engine, which runs one evaluation at a time. Resources are not compared. */
function plainEngine({ compiled }: PolicySet): Ask {
  const pathResolver = (facts: object, path: string): unknown => pathReader(path)(facts);
  const engine = new Engine([], { allowUndefinedFacts: true, pathResolver });
  for (const rule of compiled.enforce.rules)
    for (const leaf of rule.leaves)
      engine.addOperator(
        engineOperator(variantOf(leaf)),
        (actual: unknown, value: unknown) => leaf.operator.test(actual, value) === 'yes',
      );
  for (const rule of compiled.enforce.rules)
    engine.addRule({ conditions: engineConditions(rule.condition), event: { type: rule.effect.type } });
  return async (question) => {
    const { events } = await engine.run({ facts: factsOf(question) });
    return events.some(({ type }) => type === 'ALLOW') && !events.some(({ type }) => type === 'DENY');
  };
}

const CASBIN_MODEL = `
[request_definition]
r = score, confidence, obj, act
[policy_definition]
p = limit, obj, act, eft
[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
[matchers]
m = r.act == p.act && keyMatch(r.obj, p.obj) && ((p.eft == "allow" && r.score >= p.limit) || (p.eft == "deny" && r.confidence < p.limit))
`;

async function casbin(policies: number, targets: Targets): Promise<Ask> {
  const lines = Array.from({ length: policies }, (_, i) => {
    const resource = resourceOf(i, targets);
    return `p, ${PERMITTED_SCORE}, ${resource}, read, allow\np, ${refusedConfidence(i, policies)}, ${resource}, read, deny`;
  });
  const enforcer = await newEnforcer(newModelFromString(CASBIN_MODEL), new StringAdapter(lines.join('\n')));
  return ({ table, score, confidence }) => enforcer.enforceSync(score, confidence, `db/table_${table}/row`, 'read');
}

function cedar(policies: number, targets: Targets): Ask {
  const text = Array.from({ length: policies }, (_, i) => {
    const where = targets === 'own' ? `context.resource like ${JSON.stringify(resourceOf(i, targets))} && ` : '';
    const head = (effect: string) => `${effect}(principal, action == Action::"read", resource)`;
    return (
      `${head('permit')} when { ${where}context.score >= ${PERMITTED_SCORE} };\n` +
      `${head('forbid')} when { ${where}context.confidence < ${refusedConfidence(i, policies)} };`
    );
  }).join('\n');
  const id = `${targets} ${policies}`;
  const parsed = preparsePolicySet(id, { staticPolicies: text });
  if (parsed.type === 'failure') throw new Error(parsed.errors.map(({ message }) => message).join('; '));
  return ({ table, score, confidence }) => {
    const answer = statefulIsAuthorized({
      principal: { type: 'Agent', id: 'agent' },
      action: { type: 'Action', id: 'read' },
      resource: { type: 'Resource', id: 'row' },
      context: { resource: `db/table_${table}/row`, score, confidence },
      preparsedPolicySetId: id,
      entities: [],
    });
    if (answer.type === 'failure') throw new Error(answer.errors.map(({ message }) => message).join('; '));
    return answer.response.decision === 'allow';
  };
}

/** Microseconds of processor time of one call. Not of the clock: other processes may be busy. */
async function perRun<Input>(inputs: readonly Input[], ask: (input: Input) => unknown): Promise<number> {
  const before = process.cpuUsage();
  for (const input of inputs) {
    const result = ask(input);
    if (result instanceof Promise) await result;
  }
  const used = process.cpuUsage(before);
  return (used.user + used.system) / inputs.length;
}

/** Processor time that one figure may take. */
const MOST_US = 2_000_000;

/** As `perRun`, over as many of the inputs as fit into the time. The first half only compiles the hot code. */
async function costOf<Input>(inputs: readonly Input[], ask: (input: Input) => unknown): Promise<number> {
  await perRun(inputs.slice(0, 5), ask);
  const onceUs = await perRun(inputs.slice(5, 10), ask);
  const count = Math.max(10, Math.min(inputs.length, Math.floor(MOST_US / onceUs)));
  await perRun(inputs.slice(0, count / 2), ask);
  return perRun(inputs.slice(count / 2, count), ask);
}

const QUESTIONS = 40_000;
const COMPARED = 100;

/** @throws {Error} when the engines disagree, because then the rules are not equivalent */
async function compareVerdicts(questions: readonly Question[], asks: Readonly<Record<string, Ask>>): Promise<void> {
  for (const question of questions) {
    const verdicts = new Map<string, boolean>();
    for (const [name, ask] of Object.entries(asks)) verdicts.set(name, await ask(question));
    if (new Set(verdicts.values()).size > 1)
      throw new Error(`the engines disagree about ${JSON.stringify(question)}: ${JSON.stringify([...verdicts])}`);
  }
}

/** Measures one set in all engines. Each request names the table of a random policy. @throws {Error} when the engines disagree */
export async function measureEngines(policies: number, targets: Targets): Promise<EngineCosts> {
  const files = Array.from({ length: policies }, (_, i) => ({
    path: `p${i}.json`,
    text: policyText(i, policies, targets),
  }));
  const loaded = loadPolicySet(files, { path: 'lexicon.json', text: '{}' }, { compileLexicon: (json) => json });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings[0]));
  const { set } = loaded;
  const random = randomNumbers(1);
  const next = (below: number): number => Math.floor(random() * below);
  const questions = Array.from({ length: QUESTIONS }, (_, i) => ({
    table: next(policies),
    score: next(1_000),
    // Each question has a value of its own.
    confidence: next(1_000) + i / QUESTIONS,
  }));
  // Cedar knows whole numbers only.
  const whole = questions
    .slice(0, QUESTIONS)
    .map((question) => ({ ...question, confidence: Math.floor(question.confidence) }));

  const custos = permits(createEvaluator({ set }));
  const withoutMemo = permits(createEvaluator({ set, memoLimit: 0 }));
  const others = { casbin: await casbin(policies, targets), cedar: cedar(policies, targets) };
  await compareVerdicts(whole.slice(0, COMPARED), { ...others, custos: (question) => withoutMemo(factsOf(question)) });

  const facts = questions.map(factsOf);
  const firstSeenUs = await costOf(facts, custos);
  const few = facts.slice(0, 1_000);
  await perRun(few, custos);
  const remembered = Array.from({ length: 20 }, () => few).flat();
  return {
    targets,
    policies,
    rememberedUs: await costOf(remembered, custos),
    firstSeenUs,
    engineUs: await costOf(questions, (question) => withoutMemo(factsOf(question))),
    plainUs: await costOf(questions, plainEngine(set)),
    casbinUs: await costOf(questions, others.casbin),
    cedarUs: await costOf(whole, others.cedar),
  };
}

const inColumn = (us: number): string => us.toFixed(us < 10 ? 1 : 0);

/** The cells of a table, with its head. */
export function engineRows(costs: readonly EngineCosts[]): string[][] {
  const head = ['CPU us per evaluation', 'remembered', 'first seen', 'no memo', 'json-rules-engine', 'casbin', 'cedar'];
  const lines = costs.map((cost) => [
    `${cost.policies} policies, ${cost.targets === 'own' ? 'a resource each' : 'all on *'}`,
    ...[cost.rememberedUs, cost.firstSeenUs, cost.engineUs, cost.plainUs, cost.casbinUs, cost.cedarUs].map(inColumn),
  ]);
  return [head, ...lines];
}

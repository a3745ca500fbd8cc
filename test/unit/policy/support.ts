// Facts and policy sets for the tests of the policy core.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import type { Evaluator, EvaluatorOptions } from '../../../shared/core/policy/evaluate.ts';
import { isAuthzen, type TextFile } from '../../../shared/core/policy/files.ts';
import { loadPolicySet } from '../../../shared/core/policy/load.ts';
import type { LoadResult, PolicySet } from '../../../shared/core/policy/load.ts';
import type { Facts } from '../../../shared/core/policy/types.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { effectiveTrust } from '../../../shared/core/trust/score.ts';

export const LEXICON: TextFile = { path: 'lexicon.json', text: '{}' };
export const compileLexicon = (json: unknown): unknown => json;

const counts = () => ({ ALLOW: 0, DENY: 0, ESCALATE: 0, DEGRADE: 0 });

/** Facts of a harmless read by an unknown agent; `changes` are full paths such as `trust.level`. Undefined removes a fact. */
export function factsWith(changes: Readonly<Record<string, unknown>> = {}): Facts {
  const facts: Facts = {
    intent: {
      requested: { intent: 'data.read.user_profile' },
      normalized: 'data.read.user_profile',
      domain: 'data',
      action: 'read',
      verb: 'read',
      object: 'user_profile',
      resource: 'data/user_profile',
      places: [],
      effect: 'read',
      traits: [],
      extent: 'one',
      confidence: 0.95,
      coverage: 1,
      entities: { emails: [], urls: [], hosts: [], money: [], paths: [], identifiers: [] },
      data_classes: [],
      flags: [],
      depth: 2,
      parsed: true,
      risk: { level: 'low', score: 0, factors: [] },
    },
    agent: { id: 'agent-1', registered: false, status: 'UNREGISTERED', capabilities: [], tags: [] },
    trust: effectiveTrust({ recordedScore: 250, uncertainty: 1 }),
    key: { id: 'k1234567', bound: false, environment: 'live', tags: [] },
    client: { address: '192.0.2.7' },
    resource: { attributes: { class: 'internal', owner: 'finance' } },
    context: {},
    time: { now: '2026-03-04T10:30:00.000Z', date: '2026-03-04', hour: 10, minute_of_day: 630, weekday: 3 },
    history: { last_60s: counts(), last_1h: counts(), last_24h: counts() },
    organisation: { slug: 'acme' },
    environment: 'live',
  };
  for (const [path, value] of Object.entries(changes)) {
    const keys = path.split('.');
    const last = keys.pop();
    let at: object = facts;
    for (const key of keys) {
      if (typeof Reflect.get(at, key) !== 'object') Reflect.set(at, key, {});
      at = Reflect.get(at, key) as object;
    }
    if (last === undefined) continue;
    if (value === undefined) Reflect.deleteProperty(at, last);
    else Reflect.set(at, last, value);
  }
  return facts;
}

export interface RuleLike {
  name: string;
  conditions: unknown;
  event: unknown;
}
export interface PolicyLike {
  id: string;
  description: string;
  stage: string;
  target: Record<string, unknown>;
  rules: RuleLike[];
}

/** A policy of stage enforce with one rule for all requests. Without conditions it always holds. */
export function policy(
  id: string,
  type: string,
  conditions: unknown = ALWAYS,
  changes: Record<string, unknown> = {},
): PolicyLike {
  const params = {
    code: `${type}_CODE`,
    message: `${id} says ${type}`,
    ...(type === 'DEGRADE' ? { obligations: [{ type: 'read_only' }] } : {}),
  };
  const target = { actions: ['*'], resources: ['*'] };
  const rules = [{ name: 'only', conditions, event: { type, params } }];
  return { id, description: `test policy ${id}`, stage: 'enforce', target, rules, ...changes };
}
export const ALWAYS = { all: [{ fact: 'agent', path: 'id', operator: 'isPresent', value: true }] };

export function filesOf(policies: readonly unknown[]): TextFile[] {
  return policies.map((document, i) => ({ path: `p${i}.json`, text: JSON.stringify(document, null, 2) }));
}
export function load(policies: readonly unknown[]): LoadResult {
  return loadPolicySet(filesOf(policies), LEXICON, { compileLexicon });
}
/** `attributes` and `terms` are the documents of the files with these names. */
export function setOf(policies: readonly unknown[], terms?: object, attributes?: object): PolicySet {
  const more = Object.entries({ terms, attributes }).flatMap(([name, document]) =>
    document === undefined ? [] : [{ path: `${name}.json`, text: JSON.stringify(document, null, 1) }],
  );
  const result = loadPolicySet([...filesOf(policies), ...more], LEXICON, { compileLexicon });
  if (!result.ok) throw new Error(JSON.stringify(result.findings, null, 1));
  return result.set;
}
export function evaluatorOf(policies: readonly unknown[], options: Partial<EvaluatorOptions> = {}): Evaluator {
  const onError = (error: unknown) => {
    throw error;
  };
  return createEvaluator({ onError, ...options, set: setOf(policies) });
}

function jsonFilesOf(folder: string): TextFile[] {
  const dir = join(findRoot(), 'policies', folder);
  return readdirSync(dir)
    .filter((name) => name.endsWith('.json'))
    .map((name) => ({ path: join(folder, name), text: readFileSync(join(dir, name), 'utf8') }));
}

/** All shipped files but the lexicon. */
export const shippedFiles = (): TextFile[] => [...jsonFilesOf('.'), ...jsonFilesOf('tools')];

/** The shipped policies as values. */
export const shippedPolicies = (): PolicyLike[] =>
  // Other tests load the files as policies.
  jsonFilesOf('.')
    .filter((file) => !isAuthzen(file))
    .map(({ text }) => JSON.parse(text) as PolicyLike);

// Builds the facts of a test case: completes the few members of a fixture to everything that rules may read.
import { noEntities } from '../../intent/text/entities.ts';
import { effectiveTrust, levelOf, NO_EVIDENCE, recordedScoreOf } from '../../trust/score.ts';
import type { Environment, Verdict } from '../../../kernel/vocabulary.ts';
import { TIER_TABLE, VERDICTS } from '../../../kernel/vocabulary.ts';
import { riskLevelOf } from '../combine.ts';
import { timeFactsOf } from '../time.ts';
import { resourceFacts, type ResourceRegistry } from '../../resources/registry.ts';
import { placesOf } from '../evaluate.ts';
import type { ToolFacts } from '../../tools/call.ts';
import type { Facts, Risk, RiskFacts } from '../types.ts';
import { meaningsMember } from '../../intent/assess/strictness.ts';
import { settableFact, valueProblem } from './settable.ts';
import type { TestSituation } from './schema.ts';
import type { TestAgent, TestHistory, TestKey } from './schema-parts.ts';
import { TEST_DEFAULTS } from './defaults.ts';

const WINDOWS = ['last_60s', 'last_1h', 'last_24h'] as const;

/** All counts: a decision of the last minute is also one of the last hour. */
export function historyOf(given: TestHistory | undefined): Facts['history'] {
  const longest: Record<Verdict, number> = { ALLOW: 0, DENY: 0, ESCALATE: 0, DEGRADE: 0 };
  const countsOf = (window: (typeof WINDOWS)[number]): Record<Verdict, number> => {
    for (const verdict of VERDICTS) longest[verdict] = Math.max(longest[verdict], given?.[window]?.[verdict] ?? 0);
    return { ...longest };
  };
  // From shortest to longest, because each window needs the shorter one.
  return { last_60s: countsOf('last_60s'), last_1h: countsOf('last_1h'), last_24h: countsOf('last_24h') };
}

/** Checks an agent beyond its schema: returns the wrong member and the reason. */
export function agentProblem(agent: TestAgent): { readonly member: string; readonly message: string } | undefined {
  const { registered, score, level } = agent;
  if (registered === false) {
    const member = (['status', 'capabilities', 'tags', 'attributes'] as const).find(
      (name) => agent[name] !== undefined,
    );
    if (member !== undefined) return { member, message: `an agent that nobody registered has no ${member}` };
  }
  if (score !== undefined && level !== undefined && levelOf(score) !== level) {
    return { member: 'level', message: `the score ${score} is that of level ${levelOf(score)}` };
  }
  return undefined;
}

function recordedOf({ score, level, uncertainty }: TestAgent): { score: number; uncertainty: number } {
  if (score === undefined && level === undefined) {
    return { score: NO_EVIDENCE.score, uncertainty: uncertainty ?? NO_EVIDENCE.uncertainty };
  }
  return {
    score: score ?? TIER_TABLE.find((tier) => tier.level === level)?.from ?? 0,
    uncertainty: uncertainty ?? TEST_DEFAULTS.uncertainty,
  };
}

/** A situation with fixture names resolved and defaults filled in. */
export interface Setting {
  readonly agent: TestAgent;
  /** The id for an agent without one. */
  readonly agentName: string;
  readonly environment: Environment;
  readonly organisation: string;
  readonly nowMs: number;
  readonly key: TestKey;
  readonly client?: TestSituation['client'];
  /** Attributes that replace those of the registry. */
  readonly resource?: TestSituation['resource'];
  readonly registry?: ResourceRegistry;
  readonly context: Readonly<Record<string, unknown>>;
  readonly history: TestHistory | undefined;
  /** Use of budgets by name. */
  readonly budgets: Readonly<Record<string, number>> | undefined;
  readonly claim: TestSituation['claim'];
}

function resourceMember(intent: RiskFacts['intent'], { resource, registry }: Setting): Pick<Facts, 'resource'> {
  if (resource !== undefined) return { resource: { attributes: resource } };
  const found = registry && resourceFacts(intent.resource, placesOf(intent), [registry]);
  return found === undefined ? {} : { resource: found };
}

/** Only the use counts; limit, amount and window are those of the rule. */
const usesOf = (budgets: Readonly<Record<string, number>>): NonNullable<Facts['budgets']> =>
  Object.fromEntries(Object.entries(budgets).map(([name, used]) => [name, { amount: 0, limit: 0, used, window: '' }]));

/** All facts except the risk. */
export function factsOf(intent: RiskFacts['intent'], setting: Setting, tool?: ToolFacts): RiskFacts {
  const { agent, agentName, environment, organisation, nowMs, key, client, context, claim } = setting;
  const registered = agent.registered ?? true;
  const recorded = recordedOf(agent);
  return {
    intent,
    agent: {
      id: agent.id ?? agentName,
      registered,
      status: registered ? (agent.status ?? 'ACTIVE') : 'UNREGISTERED',
      capabilities: agent.capabilities ?? [],
      tags: agent.tags ?? [],
      ...(agent.attributes === undefined ? {} : { attributes: agent.attributes }),
    },
    trust: effectiveTrust({
      recordedScore: recordedScoreOf(registered, recorded.score),
      uncertainty: recorded.uncertainty,
      claimedScore: claim?.score,
      claimedLevel: claim?.level,
    }),
    key: { id: key.id ?? TEST_DEFAULTS.keyId, bound: key.bound ?? false, environment, tags: key.tags ?? [] },
    ...resourceMember(intent, setting),
    ...(client?.address === undefined ? {} : { client: { address: client.address } }),
    context: { ...context },
    ...(tool === undefined ? {} : { tool }),
    time: timeFactsOf(nowMs),
    history: historyOf(setting.history ?? agent.history),
    ...(setting.budgets === undefined ? {} : { budgets: usesOf(setting.budgets) }),
    organisation: { slug: organisation },
    environment,
  };
}

/** The risk members that a case overrides. */
export type RiskChange = Partial<Pick<Risk, 'level' | 'score'>>;

/** A parsed intent with the facts that the fixture overrides. */
export interface ReadIntent {
  readonly intent: RiskFacts['intent'];
  /** Of a tool call. */
  readonly tool?: ToolFacts;
  readonly risk: RiskChange;
}

export interface ChangedIntent extends ReadIntent {
  /** `path` is spelled as in the file. */
  readonly problems: readonly { readonly path: string; readonly message: string }[];
}

/** The intent with its parsed facts replaced by those that a case sets. */
export function withFacts(read: ReadIntent, facts: Readonly<Record<string, unknown>>): ChangedIntent {
  const intent = { ...read.intent, entities: { ...noEntities(), ...read.intent.entities } };
  const risk: RiskChange = { ...read.risk };
  const problems: { path: string; message: string }[] = [];
  const set = new Set<string>();
  for (const [path, value] of Object.entries(facts)) {
    const entry = settableFact(path);
    const message = typeof entry === 'string' ? entry : valueProblem(entry, value);
    if (message !== undefined) {
      problems.push({ path, message });
      continue;
    }
    const [, first = '', second] = path.split('.');
    // valueProblem has checked that the value has the fact's type.
    if (first === 'risk') Reflect.set(risk, second ?? '', value);
    else if (second === undefined) {
      Reflect.set(intent, first, value);
      set.add(first);
    } else Reflect.set(intent.entities, second, value);
  }
  // What a case sets is so whatever else the intent may mean.
  const { meanings, ...rest } = intent;
  const changed = meanings?.map((meaning) => {
    const { verb, effect, extent } = intent;
    const given = Object.entries({ verb, effect, extent }).filter(([member]) => set.has(member));
    return { ...meaning, ...Object.fromEntries(given) };
  });
  return { ...read, intent: changed === undefined ? intent : { ...rest, ...meaningsMember(changed) }, risk, problems };
}

const LOWEST = { low: 0, medium: 400, high: 700 } as const;

/** The assessed risk with the overrides of a case: if only one of level and score is set, the other is derived. */
export function changedRisk(found: Risk, { level, score }: RiskChange): Risk {
  // An overridden risk is certain, whatever facts were missing.
  const { certain: _, ...rest } = found;
  if (score !== undefined) return { ...rest, score, level: level ?? riskLevelOf(score) };
  return level === undefined ? found : { ...rest, level, score: LOWEST[level] };
}

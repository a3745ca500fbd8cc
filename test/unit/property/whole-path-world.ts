// For whole-path.test.ts: policies, callers and requests as they are sent, answered by the service's own code without a database.
import { lexiconFile } from '../../support/lexicon.ts';
import fc from 'fast-check';
import { approvedReason } from '../../../shared/core/decision/approval.ts';
import type { AgentState } from '../../../shared/domain/agents/agents.ts';
import { createRegistry } from '../../../shared/core/resources/registry.ts';
import { createDecider, type Question } from '../../../shared/domain/decisions/decider.ts';
import { createHistory } from '../../../shared/domain/agents/history.ts';
import { createReadings, type IntentReading, readingOfParse } from '../../../shared/domain/decisions/readings.ts';
import { ApiError } from '../../../shared/kernel/errors.ts';
import { compileLexicon } from '../../../shared/core/intent/lexicon/lexicon.ts';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import type { Evaluation } from '../../../shared/core/policy/types.ts';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';
import { NOTHING_RECORDED } from '../../../shared/core/trust/recorded.ts';
import { VERDICTS } from '../../../shared/kernel/vocabulary.ts';
import { type PolicyLike, type RuleLike, setOf, shippedPolicies } from '../policy/support.ts';
import { arbitraryPolicies } from './policy-arbitraries.ts';

const NOW_MS = Date.parse('2026-03-04T10:30:00Z');
const AGENT = 'agent-1';

export const lexicon = compileLexicon(JSON.parse(lexiconFile().text));
export const SHIPPED: readonly PolicyLike[] = shippedPolicies();

/** Replaces the names in random policies by words that a lexicon knows, longest first. */
const WORDS: readonly (readonly [string, string])[] = [
  ['db/a/x', 'db/production/users'],
  ['db/a/y', 'db/production/invoices'],
  ['db/a', 'db/production'],
  ['db/b', 'db/staging'],
  ['files/a', 'files/report'],
];
export const RESOURCES = ['db', 'db/*', 'files/*', 'infra/server', ...WORDS.map(([, name]) => name), 'db/production/*'];

function inWords(policies: readonly PolicyLike[]): PolicyLike[] {
  let text = JSON.stringify(policies);
  for (const [short, name] of WORDS)
    for (const end of ['"', '/*"']) text = text.replaceAll(`"${short}${end}`, `"${name}${end}`);
  return JSON.parse(text) as PolicyLike[]; // what was written a line above
}

/** Sets without `isPresent`, which tests for absence itself. */
export const policySets = arbitraryPolicies({ withPresence: false }).map(inWords);

const effectOf = (rule: RuleLike): string => String(Reflect.get(Object(rule.event), 'type'));
const readsFact = (rule: RuleLike, fact: string): boolean =>
  JSON.stringify(rule.conditions).includes(`"fact":"${fact}"`);

/**
 * The shipped policies with random ones that only refuse or escalate, and read other members of the reading than the resource. A rule that
 * permits because of something suspicious, or refuses for the lack of it, is not a guard and not part of the property.
 */
export const guardedSets = policySets.map((policies) => [
  ...SHIPPED,
  ...policies
    .map((one) => ({
      ...one,
      id: `random-${one.id}`,
      rules: one.rules.filter((rule) => /DENY|ESCALATE/.test(effectOf(rule)) && !readsFact(rule, 'intent')),
    }))
    .filter(({ rules }) => rules.length > 0),
]);

export const callers = fc.record({
  score: fc.constantFrom(0, 100, 250, 400, 600, 700, 850, 900, 1_000),
  isRegistered: fc.boolean(),
  isActive: fc.constantFrom(true, true, true, true, false),
  claimedLevel: fc.option(fc.integer({ min: 0, max: 7 }), { nil: undefined }),
  tags: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 }),
  past: fc.array(fc.constantFrom(...VERDICTS), { maxLength: 4 }),
  environment: fc.constantFrom('live' as const, 'live' as const, 'test' as const),
  isHalted: fc.constantFrom(false, false, false, false, false, true),
});
export type Caller = typeof callers extends fc.Arbitrary<infer T> ? T : never;

export const contexts = fc.record(
  {
    x: fc.oneof(fc.constantFrom<unknown>(0, 1, 2, 3, 'a', 'ab', 'b', true, false), fc.constant(['a', 'b'])),
    y: fc.constantFrom<unknown>(0, 1, 2, 'a', 'b', { z: 1 }),
  },
  { requiredKeys: [] },
);

export interface Asked {
  readonly caller: Caller;
  readonly context: Record<string, unknown> | undefined;
  /** The enforced string, or a text whose parse is joined to it. */
  readonly intent: string | { readonly text: string };
}

/** Results from the mildest to the strictest; a request refused as invalid permits nothing. */
const STRICTNESS = ['ALLOW', 'DEGRADE', 'ESCALATE', 'DENY', 'REFUSED'];

export interface Answered {
  readonly verdict: string;
  readonly obligations: Evaluation['obligations'];
  /** The verdict after a human approved exactly this request. */
  readonly approved: string;
  readonly normalized: string;
}

export const isMilder = (after: Answered, before: Answered): boolean =>
  STRICTNESS.indexOf(after.verdict) < STRICTNESS.indexOf(before.verdict) ||
  STRICTNESS.indexOf(after.approved) < STRICTNESS.indexOf(before.approved);

function stateOf({ score, isRegistered, isActive, tags, past }: Caller): AgentState {
  const facts: AgentState['facts'] = {
    id: AGENT,
    registered: isRegistered,
    status: isRegistered ? (isActive ? 'ACTIVE' : 'PAUSED') : 'UNREGISTERED',
    capabilities: [],
    tags: isRegistered ? tags : [],
  };
  const history = createHistory();
  for (const verdict of past) history.add(NOW_MS - 1_000, verdict, 1);
  const trust = { ...NOTHING_RECORDED, signals: 3, on: () => ({ score, uncertainty: 0.25 }) };
  return { facts, canonical: canonicalize(facts), history, trust };
}

/** Sends requests to one set of policies, through the readings and the decider of the service. */
export function createAsker(policies: readonly PolicyLike[]): (asked: Asked) => Promise<Answered> {
  const checked = setOf(policies);
  const set = { ...checked, lexicon };
  const active = { set, evaluator: createEvaluator({ set: checked }), activatedAt: new Date(0) };
  const readings = createReadings();
  const readingOf = (intent: Asked['intent']): IntentReading =>
    typeof intent === 'string'
      ? readings.of({ set, organisation: 'acme' }, intent, '/intent')
      : readingOfParse(parseIntent(intent.text, lexicon));
  return async ({ caller, context, intent }) => {
    const { environment, claimedLevel, isHalted } = caller;
    const state = stateOf(caller);
    const halt = { reason: 'incident', keyId: 'AAAAAAAA', createdAt: new Date(0) };
    const decider = createDecider({
      hasSecondReader: false,
      resources: { get: () => createRegistry([]) },
      changes: { ensureFresh: () => undefined },
      agents: { get: () => state, count: () => undefined },
      halts: { get: () => (isHalted ? halt : undefined) },
      nowMs: () => NOW_MS,
    });
    try {
      const reading = readingOf(intent);
      const question: Question = {
        active,
        key: {
          keyId: 'AAAAAAAA',
          lineage: 'AAAAAAAA',
          organisationId: 'org',
          organisationSlug: 'acme',
          environment,
          agentIds: null,
          tags: [],
        },
        agentId: AGENT,
        reading,
        context,
        claimedLevel,
      };
      const answer = await decider.answer(question);
      const { verdict, obligations } = answer.evaluation;
      const { evaluation } =
        verdict === 'ESCALATE' ? await decider.approve(question, answer, approvedReason('apr_x', 'BBBBBBBB')) : answer;
      return {
        verdict,
        obligations,
        approved: evaluation.verdict,
        normalized: answer.facts.intent.normalized,
      };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { verdict: 'REFUSED', obligations: [], approved: 'REFUSED', normalized: '' };
    }
  };
}

// Random decisions with all evidence to verify them, built in memory by the service's own decider, fold and record writers.
import { createRegistry, type RegisteredResource } from '../../../shared/core/resources/registry.ts';
import fc from 'fast-check';
import type { ActivePolicies } from '../../../shared/domain/policy-sets/active-set.ts';
import type { AgentState } from '../../../shared/domain/agents/agents.ts';
import {
  type ApprovalFacts,
  approvedReason,
  refusalOf,
  standingOf,
  standsFirst,
} from '../../../shared/core/decision/approval.ts';
import { approvalDigest, earlierApprovalDigest } from '../../../shared/core/decision/approval-bound.ts';
import { type Answer, createDecider, type Decider, type Question } from '../../../shared/domain/decisions/decider.ts';
import { createHistory } from '../../../shared/domain/agents/history.ts';
import { createReading } from '../../../shared/domain/decisions/readings.ts';
import type { DecisionEvidence } from '../../../shared/core/verification/decision.ts';
import type { LoggedRecord } from '../../../shared/core/verification/failures.ts';
import type { Lexicon } from '../../../shared/core/intent/lexicon/types.ts';
import { builtInEvaluation } from '../../../shared/core/policy/combine.ts';
import { approvalDemands } from '../../../shared/core/policy/approvers.ts';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import type { PolicySet } from '../../../shared/core/policy/load.ts';
import type { Facts } from '../../../shared/core/policy/types.ts';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';
import { NO_PREVIOUS } from '../../../shared/core/proof/record.ts';
import { dayOf } from '../../../shared/core/trust/beta.ts';
import { recordedTrust } from '../../../shared/core/trust/recorded.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { VERDICTS } from '../../../shared/kernel/vocabulary.ts';
import { ALWAYS, factsWith, type PolicyLike, setOf } from '../policy/support.ts';
import {
  AGENT,
  arbitrarySignal,
  DAY_MS,
  evidenceText,
  type Folded,
  foldAll,
  OWNER,
  sealed,
  serviceRecord,
  START_MS,
} from './decision-world-log.ts';
import { arbitraryFacts, arbitraryPolicies, asIntake } from './policy-arbitraries.ts';

const HOUR_MS = 3_600_000;

/** Policies of stage enforce that depend on risk and trust, besides the random ones. */
const ON_RISK: PolicyLike = {
  id: 'on-risk',
  description: 'high risk is escalated, little trust denied',
  stage: 'enforce',
  target: { actions: ['*'], resources: ['*'] },
  rules: [
    {
      name: 'high',
      conditions: { all: [{ fact: 'intent', path: 'risk.level', operator: 'equal', value: 'high' }] },
      event: {
        type: 'ESCALATE',
        params: { code: 'HIGH', message: 'high', approvers: { tags: ['finance'], atLeast: 2 }, ttl: '2h' },
      },
    },
    {
      name: 'little',
      conditions: { all: [{ fact: 'trust', path: 'score', operator: 'lessThan', value: 120 }] },
      event: { type: 'DENY', params: { code: 'LITTLE', message: 'little trust' } },
    },
  ],
};

/** Makes DEGRADE more frequent than the agreement of many random rules would. */
const DEGRADE_ALL: PolicyLike = {
  id: 'degrade-all',
  description: 'everything, with constraints',
  stage: 'enforce',
  target: { actions: ['read', 'update', 'delete'], resources: ['*'] },
  rules: [
    {
      name: 'all',
      conditions: ALWAYS,
      event: {
        type: 'DEGRADE',
        params: { code: 'SOME', message: 'some', obligations: [{ type: 'max_rows', limit: 3 }] },
      },
    },
  ],
};

/** The code of a rule that demands two approvers. */
export const TWO = 'TWO';
/** Instead of random policies, because few decisions by these use an approval by two. */
const ASK_TWO: PolicyLike = {
  id: 'ask-two',
  description: 'everything, with two approvers',
  stage: 'enforce',
  target: { actions: ['*'], resources: ['*'] },
  rules: [
    {
      name: 'two',
      conditions: ALWAYS,
      event: {
        type: 'ESCALATE',
        params: { code: TWO, message: 'two', approvers: { tags: ['finance'], atLeast: 2 }, ttl: '3h' },
      },
    },
  ],
};

/** The attributes that `ON_ATTRIBUTES` compares. */
const ATTRIBUTES = {
  agent: { team: { type: 'text' }, regions: { type: 'list' }, hired: { type: 'time' } },
  resource: { owner: { type: 'text' }, region: { type: 'text' } },
};

/** Rules on what the installation knows: attributes, tags of keys and the client address, compared with each other too. */
const ON_ATTRIBUTES: PolicyLike = {
  id: 'on-attributes',
  description: 'owners may, other regions and networks may not',
  stage: 'enforce',
  target: { actions: ['*'], resources: ['*'] },
  rules: [
    {
      name: 'owners',
      conditions: {
        all: [
          {
            fact: 'resource',
            path: 'attributes.owner',
            operator: 'equal',
            value: { fact: 'agent', path: 'attributes.team' },
          },
          { fact: 'intent', path: 'action', operator: 'notEqual', value: 'unknown' },
        ],
      },
      event: { type: 'ALLOW', params: { code: 'OWNER', message: '{agent.attributes.team} owns {intent.resource}' } },
    },
    {
      name: 'other-regions',
      conditions: {
        all: [
          { fact: 'agent', path: 'attributes.regions', operator: 'isPresent', value: true },
          { fact: 'resource', path: 'attributes.region', operator: 'isPresent', value: true },
          {
            fact: 'agent',
            path: 'attributes.regions',
            operator: 'doesNotContain',
            value: { fact: 'resource', path: 'attributes.region' },
          },
        ],
      },
      event: { type: 'DENY', params: { code: 'REGION', message: 'another region' } },
    },
    {
      name: 'guests-by-day',
      conditions: {
        all: [
          { fact: 'key', path: 'tags', operator: 'contains', value: 'guest' },
          { not: { fact: 'client', path: 'address', operator: 'inCidr', value: '10.0.0.0/8' } },
          {
            fact: 'time',
            path: 'now',
            operator: 'withinHours',
            value: { hours: '08:00-18:00', zone: 'Europe/Berlin' },
          },
        ],
      },
      event: { type: 'ESCALATE', params: { code: 'GUEST', message: 'a guest' } },
    },
    {
      name: 'newcomers',
      conditions: {
        all: [
          { fact: 'agent', path: 'attributes.hired', operator: 'isPresent', value: true },
          { fact: 'agent', path: 'attributes.hired', operator: 'newerThan', value: '30d' },
        ],
      },
      event: {
        type: 'DEGRADE',
        params: { code: 'NEW', message: 'new', obligations: [{ type: 'max_rows', limit: 5 }] },
      },
    },
  ],
};

const owned: readonly RegisteredResource[] = [
  { name: 'db/*', attributes: { owner: 'a', region: 'eu' } },
  { name: 'db/a', attributes: { owner: 'b' } },
  { name: 'files/*', attributes: { region: 'us' } },
  { name: 'db/a/x', attributes: undefined },
];
const agentAttributes = fc.record(
  {
    team: fc.constantFrom('a', 'a', 'b', 7),
    regions: fc.subarray(['eu', 'us']),
    hired: fc.constantFrom('2025-12-20T00:00:00Z', '2019-01-01T00:00:00Z'),
  },
  { requiredKeys: ['team'] },
);

const asked = fc.record({
  attributes: fc.option(agentAttributes, { nil: undefined }),
  keyTags: fc.subarray(['guest', 'finance']),
  address: fc.constantFrom(undefined, '10.1.2.3', '192.0.2.7', '::ffff:10.0.0.9', 'not an address'),
  changes: arbitraryFacts(),
  claimedScore: fc.option(fc.integer({ min: 0, max: 1_000 }), { nil: undefined }),
  claimedLevel: fc.option(fc.integer({ min: 0, max: 7 }), { nil: undefined }),
  approval: fc.oneof(
    { weight: 11, arbitrary: fc.constant('none' as const) },
    { weight: 4, arbitrary: fc.constant('given' as const) },
    { weight: 3, arbitrary: fc.constantFrom('refused', 'rejected', 'expired', 'used') },
  ),
  /** Whether the approval needed two votes. */
  hasQuorum: fc.boolean(),
  halt: fc.constantFrom('none', 'none', 'none', 'none', 'lifted', 'lifted with a reason', 'in force'),
  hasFailed: fc.integer({ min: 0, max: 19 }).map((n) => n === 0),
  isKeyInvalid: fc.integer({ min: 0, max: 19 }).map((n) => n === 0),
  status: fc.constantFrom('ACTIVE', 'ACTIVE', 'ACTIVE', 'UNREGISTERED', 'UNREGISTERED', 'PAUSED', 'TERMINATED'),
  tags: fc.array(fc.string({ unit: 'grapheme', maxLength: 5 }), { maxLength: 2 }),
  /** Number of folds at the time of the decision. */
  folds: fc.nat(),
  laterMs: fc.integer({ min: 0, max: 60 * DAY_MS }),
  past: fc.array(fc.constantFrom(...VERDICTS), { maxLength: 5 }),
});

export const worlds = fc.record({
  policies: fc
    .tuple(
      arbitraryPolicies(),
      arbitraryPolicies(),
      fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 3 }),
      fc.subarray([DEGRADE_ALL]),
      fc.integer({ min: 0, max: 7 }),
    )
    .map(([enforce, intake, scores, more, kind]) => [
      ...(kind === 7 ? [ASK_TWO] : enforce),
      ...asIntake(intake, scores),
      ON_RISK,
      ON_ATTRIBUTES,
      ...more,
    ]),
  resources: fc.subarray([...owned], { minLength: 2 }),
  /** Signals, fold by fold. */
  signals: fc.array(fc.array(arbitrarySignal, { minLength: 1, maxLength: 25 }), { maxLength: 4 }),
  dailyCap: fc.constantFrom(10_000, 2_000),
  /** Whether it was recorded by an earlier version, in which missing facts could permit and approvals were bound to fewer facts. */
  isEarlier: fc.constantFrom(false, false, false, true),
  asked: fc.array(asked, { minLength: 4, maxLength: 4 }),
});
type World = typeof worlds extends fc.Arbitrary<infer T> ? T : never;
type Asked = World['asked'][number];

/** The identity function, as in the tests of the policy core, because nothing is parsed here. */
export const compileLexicon = (json: unknown): unknown => json;

/** The approval of an earlier version, whose id does not tell which decision opened it. */
export const EARLIER_APPROVAL = 'apr_01jq3k00000000000000000000';
const APPROVER = 'BBBBBBBB';
const LIFETIME_MS = HOUR_MS / 2;
/** Approves first, where two votes are needed. */
const SECOND = 'DDDDDDDD';
const DEMAND = { policy: 'on-risk', rule: 'high', keys: [SECOND], tags: ['finance'], at_least: 2 };
const REJECTED_WITH = 'no: "ticket 8"\nwas closed';
/** The approval as seen by a use after it was closed. */
const STORED: Omit<ApprovalFacts, 'state' | 'expiresAtMs' | 'approvalId'> = {
  agentId: AGENT,
  digest: 'd',
  decidedBy: APPROVER,
  reason: REJECTED_WITH,
  usedByLineage: 'CCCCCCCC',
  usedAtMs: null,
  usedDecisionId: 'dec_other',
};

/** As in the recorder: a DENY stays, whatever a human decided. */
async function withApproval(
  decider: Decider,
  question: Question,
  answer: Answer,
  { approval, hasQuorum, approvalId }: Pick<Asked, 'approval' | 'hasQuorum'> & { readonly approvalId: string },
): Promise<Answer> {
  if (approval === 'none' || standsFirst(answer.evaluation)) return answer;
  if (approval !== 'given') {
    const stored =
      approval === 'refused'
        ? undefined
        : { ...STORED, approvalId, state: approval, expiresAtMs: answer.nowMs - 1_000 };
    const standing = standingOf(stored, { agentId: AGENT, digest: 'd', lineage: 'AAAAAAAA', atMs: answer.nowMs });
    if (standing.kind !== 'refused') throw new Error(`an approval that is ${approval} is ${standing.kind}`);
    return { ...answer, evaluation: refusalOf(standing) };
  }
  const { verdict, escalation } = answer.evaluation;
  // Earlier versions did not compare it with what is demanded now.
  const isEnough = hasQuorum || approvalId === EARLIER_APPROVAL || escalation?.approvers === undefined;
  if (verdict === 'DENY' || !isEnough) return answer;
  return decider.approve(question, answer, approvedReason(approvalId, APPROVER));
}

/** Decides all requests of a world. */
const MAKER = 'MMMMMMMM';
/** Nothing reads the lexicon of this set. */
export const keyRecord = (atMs: number, change: Readonly<Record<string, unknown>>): LoggedRecord =>
  serviceRecord('custos.key', 'custos:keys', atMs, {
    change: 'created',
    name: 'a key',
    scopes: ['intents:write'],
    agentIds: null,
    tier: 1,
    expiresAt: null,
    replacedBy: null,
    by: null,
    ...change,
  });
const KEY_RECORDS: readonly LoggedRecord[] = [
  keyRecord(START_MS, { keyId: MAKER }),
  keyRecord(START_MS, { keyId: 'AAAAAAAA', by: MAKER }),
  keyRecord(START_MS, { keyId: APPROVER, by: MAKER, tags: ['finance'] }),
  keyRecord(START_MS, { keyId: SECOND, by: MAKER, tags: ['finance'] }),
];

function approvalRecordsOf(
  { isEarlier, hasQuorum }: { readonly isEarlier: boolean; readonly hasQuorum: boolean },
  answer: Answer,
  { openedBy, approvalId, decisionId }: Readonly<Record<'openedBy' | 'approvalId' | 'decisionId', string>>,
): LoggedRecord[] {
  const approved = { state: 'approved', by: APPROVER, reason: 'ticket 7' };
  const first = hasQuorum ? [{ state: 'pending', by: SECOND, reason: 'seen' }] : [];
  const changes: Readonly<Record<string, readonly object[]>> = {
    APPROVED: [...first, approved, { state: 'used', by: 'AAAAAAAA', usedDecisionId: decisionId }],
    APPROVAL_REJECTED: [{ state: 'rejected', by: APPROVER, reason: REJECTED_WITH }],
    APPROVAL_EXPIRED: [approved, { state: 'expired' }],
    APPROVAL_USED: [approved, { state: 'used', by: 'CCCCCCCC', usedDecisionId: 'dec_other' }],
  };
  const digest = (isEarlier ? earlierApprovalDigest : approvalDigest)(answer.facts, null);
  const common = { approvalId, decisionId: openedBy, digest, intentId: null };
  return (changes[answer.evaluation.reasons.at(-1)?.code ?? ''] ?? []).map((change, i) =>
    serviceRecord('custos.approval', AGENT, answer.nowMs - 1_000 + i, { ...common, ...change }),
  );
}

export interface MadeDecision {
  readonly asked: Asked;
  readonly facts: Facts;
  readonly evidence: DecisionEvidence;
}

/** A set with the attributes that the policies of worlds compare. */
export const worldSet = (policies: readonly PolicyLike[]): PolicySet => setOf(policies, undefined, ATTRIBUTES);

/** Before the next fold, if there is one. */
export async function decideAll(world: World): Promise<MadeDecision[]> {
  // The ESCALATE that opened the approval, if it used one: the same request, a little earlier.
  const policies = world.policies.filter((policy) => !world.isEarlier || policy !== ON_ATTRIBUTES);
  const set = worldSet(policies) as PolicySet<Lexicon>;
  const missingOpens = world.isEarlier ? 'everything' : 'nothing';
  const active: ActivePolicies = {
    set,
    evaluator: createEvaluator({ set, missingOpens }),
    activatedAt: new Date(0),
  };
  const states = foldAll(world);
  const trustRecords = states.at(-1)?.records ?? [];
  return Promise.all(world.asked.map((one) => decide(world, one, active, states, trustRecords)));
}

async function decide(
  { dailyCap, isEarlier, resources }: World,
  one: Asked,
  active: ActivePolicies,
  states: readonly Folded[],
  trustRecords: readonly LoggedRecord[],
): Promise<MadeDecision> {
  const at = one.folds % states.length;
  const state = states[at] ?? { atMs: START_MS, signals: 0, buckets: [], records: [] };
  // Before the next fold, when there is one.
  const nowMs = state.atMs + (at === states.length - 1 ? one.laterMs : one.laterMs % DAY_MS);
  const { intent, context } = factsWith(one.changes);
  const { risk: _, requested, ...rest } = intent;
  const unassessed = isEarlier || requested === undefined ? rest : { ...rest, requested };
  const history = createHistory();
  for (const verdict of one.past) history.add(nowMs - 1_000, verdict, 1);
  const agent: Facts['agent'] = {
    id: AGENT,
    registered: one.status !== 'UNREGISTERED',
    status: one.status,
    capabilities: [],
    tags: one.tags.filter((tag) => tag.isWellFormed()),
    ...(isEarlier || one.attributes === undefined ? {} : { attributes: one.attributes }),
  };
  const agentState: AgentState = {
    facts: agent,
    canonical: canonicalize(agent),
    history,
    trust: recordedTrust({
      signals: state.signals,
      lastSignalAtMs: null,
      evidence: evidenceText(state.buckets, dayOf(nowMs), dailyCap),
    }),
  };
  const halt = { reason: 'incident 42', keyId: 'AAAAAAAA', createdAt: new Date(nowMs - HOUR_MS) };
  const decider = createDecider({
    hasSecondReader: false,
    resources: { get: () => createRegistry(isEarlier ? [] : resources) },
    changes: { ensureFresh: () => undefined },
    agents: { get: () => agentState, count: () => undefined },
    halts: { get: () => (one.halt === 'in force' ? halt : undefined) },
    nowMs: () => nowMs,
  });
  const question = {
    active,
    key: {
      keyId: 'AAAAAAAA',
      lineage: 'AAAAAAAA',
      organisationId: 'org',
      organisationSlug: OWNER.organisation,
      environment: OWNER.environment,
      agentIds: null,
      tags: isEarlier ? [] : one.keyTags,
    },
    ...(isEarlier || one.address === undefined ? {} : { address: one.address }),
    agentId: AGENT,
    reading: createReading(unassessed),
    context,
    claimedScore: one.claimedScore,
    claimedLevel: one.claimedLevel,
    requestId: isEarlier ? undefined : 'req_1',
    isKeyInvalid: one.isKeyInvalid,
  };
  const first = await (one.hasFailed ? decider.failedAnswer(question) : decider.answer(question));
  // What had opened the approval, when it has used one: the same question, a little earlier.
  const escalated: Answer = { ...first, nowMs: nowMs - 2_000, evaluation: builtInEvaluation('OBLIGATIONS_CONFLICT') };
  const lifetimeMs = one.approval === 'expired' ? 1_000 : LIFETIME_MS;
  const approvers = one.hasQuorum ? [DEMAND] : undefined;
  const opened = decider.record(
    question,
    escalated,
    isEarlier
      ? { approvalId: EARLIER_APPROVAL, expiresAtMs: escalated.nowMs + lifetimeMs, approvers }
      : { approvers, lifetimeMs },
  );
  const approvalId = opened.approval?.approvalId ?? '';
  const answer = one.hasFailed ? first : await withApproval(decider, question, first, { ...one, approvalId });
  const { verdict: reached } = answer.evaluation;
  const { escalation } = answer.evaluation;
  const demands = approvalDemands(escalation, HOUR_MS);
  const waiting = isEarlier
    ? { approvalId: newId('apr', nowMs), expiresAtMs: nowMs + demands.lifetimeMs, approvers: demands.approvers }
    : demands;
  const { row } = decider.record(question, answer, reached === 'ESCALATE' ? waiting : undefined);
  const { decisionId, environment, agentId, keyId, verdict, evaluatedAt, requestId } = row;
  const halted = serviceRecord('custos.halt', 'custos:halt', nowMs - HOUR_MS, {
    change: 'halted',
    keyId: 'AAAAAAAA',
    reason: halt.reason,
  });
  const lifted = serviceRecord('custos.halt', 'custos:halt', nowMs - HOUR_MS / 2, {
    change: 'lifted',
    keyId: 'AAAAAAAA',
    ...(one.halt === 'lifted' ? {} : { reason: 'fixed' }),
  });
  return {
    asked: one,
    facts: answer.facts,
    evidence: {
      record: sealed(row.record, NO_PREVIOUS),
      columns: {
        decisionId,
        environment,
        agentId,
        keyId,
        verdict,
        evaluatedAt,
        policyDigest: active.set.digest,
        proofId: `prf${decisionId.slice(3)}`,
        requestId: requestId ?? null,
        toolServer: null,
        toolName: null,
      },
      facts: { text: Buffer.from(row.facts), salt: Buffer.from(row.factsSalt, 'hex') },
      policySet: active.set.canonical,
      trustRecords,
      keyRecords: KEY_RECORDS,
      approvalRecords: approvalRecordsOf({ isEarlier, hasQuorum: one.hasQuorum }, answer, {
        openedBy: opened.row.decisionId,
        approvalId,
        decisionId,
      }),
      opening: sealed(opened.row.record, NO_PREVIOUS),
      policyRecords: [
        serviceRecord('custos.policy_set', 'custos:policies', Date.parse(evaluatedAt) - 3_600_000, {
          change: 'in_force',
          digest: active.set.digest,
        }),
      ],
      haltRecords: one.halt === 'none' ? [] : one.halt === 'in force' ? [halted] : [halted, lifted],
    },
  };
}

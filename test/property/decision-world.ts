// Random decisions with all that they are verified from: made in memory by the service's own decider, fold and record writers.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { ActivePolicies } from '../../shared/decide/active-set.ts';
import type { AgentState } from '../../shared/decide/agents.ts';
import { approvalDigest, approvedReason, refusalOf } from '../../shared/decide/approval.ts';
import { type Answer, createDecider, type Decider, type Question } from '../../shared/decide/decider.ts';
import { createHistory } from '../../shared/decide/history.ts';
import { createReading } from '../../shared/decide/readings.ts';
import type { DecisionEvidence } from '../../shared/decide/verify-decision.ts';
import type { LoggedRecord } from '../../shared/decide/verify-failures.ts';
import type { Lexicon } from '../../shared/intent/lexicon.ts';
import { builtInEvaluation } from '../../shared/policy/combine.ts';
import { createEvaluator } from '../../shared/policy/evaluate.ts';
import type { PolicySet } from '../../shared/policy/load.ts';
import type { Facts } from '../../shared/policy/types.ts';
import { canonicalize } from '../../shared/proof/canonical.ts';
import { NO_PREVIOUS, recordPrefix, sealRecord } from '../../shared/proof/record.ts';
import { dayOf, MAX_AGE_DAYS, SIGNAL_TYPES } from '../../shared/trust/beta.ts';
import { foldSignals, type KeyBucket } from '../../shared/trust/fold.ts';
import { recordedTrust } from '../../shared/trust/recorded.ts';
import { VERDICTS } from '../../shared/vocabulary.ts';
import { ALWAYS, factsWith, type PolicyLike, setOf } from '../unit/policy/support.ts';
import { arbitraryFacts, arbitraryPolicies } from './policy-arbitraries.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const OWNER = { organisation: 'acme', environment: 'live' } as const;
const AGENT = 'agent-1';

/** Enforcement that depends on risk and trust, beside what is random. */
const ON_RISK: PolicyLike = {
  id: 'on-risk',
  description: 'high risk is escalated, little trust denied',
  stage: 'enforce',
  target: { actions: ['*'], resources: ['*'] },
  rules: [
    {
      name: 'high',
      conditions: { all: [{ fact: 'intent', path: 'risk.level', operator: 'equal', value: 'high' }] },
      event: { type: 'ESCALATE', params: { code: 'HIGH', message: 'high' } },
    },
    {
      name: 'little',
      conditions: { all: [{ fact: 'trust', path: 'score', operator: 'lessThan', value: 120 }] },
      event: { type: 'DENY', params: { code: 'LITTLE', message: 'little trust' } },
    },
  ],
};

/** So that not only what many random rules agree on is degraded. */
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

/** Random conditions, whose events are risk factors. */
function asIntake(policies: readonly PolicyLike[], scores: readonly number[]): PolicyLike[] {
  return policies.map((policy, i) => ({
    ...policy,
    id: `intake-${i}`,
    stage: 'intake',
    rules: policy.rules.map((rule, j) => ({
      ...rule,
      event: {
        type: 'RISK',
        params: { factor: `f${j}`, score: scores[(i + j) % scores.length] ?? 1, message: 'random' },
      },
    })),
  }));
}

const signal = fc.record({
  type: fc.constantFrom(...SIGNAL_TYPES, 'success' as const, 'success' as const),
  weight: fc.integer({ min: 1, max: 1_000 }),
  daysAgo: fc.integer({ min: 0, max: 40 }),
  keyId: fc.constantFrom('AAAAAAAA', 'BBBBBBBB'),
});

const asked = fc.record({
  changes: arbitraryFacts(),
  claimedScore: fc.option(fc.integer({ min: 0, max: 1_000 }), { nil: undefined }),
  claimedLevel: fc.option(fc.integer({ min: 0, max: 7 }), { nil: undefined }),
  approval: fc.constantFrom('none', 'none', 'none', 'none', 'given', 'given', 'refused'),
  halt: fc.constantFrom('none', 'none', 'none', 'none', 'lifted', 'lifted', 'in force'),
  givenUp: fc.integer({ min: 0, max: 19 }).map((n) => n === 0),
  status: fc.constantFrom('ACTIVE', 'ACTIVE', 'ACTIVE', 'UNREGISTERED', 'UNREGISTERED', 'PAUSED', 'TERMINATED'),
  tags: fc.array(fc.string({ unit: 'grapheme', maxLength: 5 }), { maxLength: 2 }),
  /** How many of the folds were there. */
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
    )
    .map(([enforce, intake, scores, more]) => [...enforce, ...asIntake(intake, scores), ON_RISK, ...more]),
  /** Signals, fold by fold. */
  signals: fc.array(fc.array(signal, { minLength: 1, maxLength: 25 }), { maxLength: 4 }),
  dailyCap: fc.constantFrom(10_000, 2_000),
  asked: fc.array(asked, { minLength: 4, maxLength: 4 }),
});
type World = typeof worlds extends fc.Arbitrary<infer T> ? T : never;
type Asked = World['asked'][number];

/** The same identity is what the policy core's tests compile lexicons with; no reading is made by one here. */
export const compileLexicon = (json: unknown): unknown => json;

function sealed(prefix: string, previousHash: string): LoggedRecord {
  const { bytes, eventHash, leafHash } = sealRecord(prefix, previousHash);
  return { bytes, leaf: { eventHash: eventHash.toString('hex'), leafHash: Buffer.from(leafHash).toString('hex') } };
}

/** A record of the service's own, of this world's log. */
export function serviceRecord(
  event: string,
  entityId: string,
  atMs: number,
  body: object,
  previousHash = NO_PREVIOUS,
): LoggedRecord {
  const { organisation, environment } = OWNER;
  const proofId = `prf_${createHash('sha256')
    .update(`${event} ${entityId} ${atMs} ${canonicalize(body)}`)
    .digest('hex')
    .slice(0, 26)}`;
  const occurredAt = new Date(atMs).toISOString();
  return sealed(
    recordPrefix({
      entityId,
      event,
      occurredAt,
      body: canonicalize(body),
      environment,
      organisationSlug: organisation,
      proofId,
    }),
    previousHash,
  );
}

interface Folded {
  readonly atMs: number;
  readonly signals: number;
  readonly buckets: readonly KeyBucket[];
  readonly records: readonly LoggedRecord[];
}

const START_MS = Date.parse('2026-01-05T08:00:00.000Z');

/** An agent's folds, one a day, with what was known after each. */
function foldAll({ signals, dailyCap }: World): Folded[] {
  const states: Folded[] = [{ atMs: START_MS, signals: 0, buckets: [], records: [] }];
  for (const [i, added] of signals.entries()) {
    const before = states.at(-1);
    if (before === undefined) break;
    const atMs = START_MS + (i + 1) * DAY_MS;
    const day = dayOf(atMs);
    const waiting = added.map(({ daysAgo, ...one }, j) => ({ ...one, signalId: `s${i}/${j}`, day: day - daysAgo }));
    const { folds, changed } = foldSignals(
      { signals: before.signals, buckets: before.buckets },
      waiting,
      day,
      dailyCap,
    );
    const buckets = new Map([...before.buckets, ...changed].map((bucket) => [`${bucket.day} ${bucket.keyId}`, bucket]));
    const records = folds.map(({ body }) => serviceRecord('custos.trust', AGENT, atMs, JSON.parse(body)));
    states.push({
      atMs,
      signals: folds.at(-1)?.lastN ?? before.signals,
      buckets: [...buckets.values()],
      records: [...before.records, ...records],
    });
  }
  return states;
}

/** As trust-state.ts has Postgres give it. */
function evidenceText(buckets: readonly KeyBucket[], today: number, dailyCap: number): string {
  const days = new Map<number, { positive: number; negative: number }>();
  for (const { day, positive, negative } of buckets) {
    if (day < today - MAX_AGE_DAYS) continue;
    const sum = days.get(day) ?? { positive: 0, negative: 0 };
    days.set(day, { positive: sum.positive + Math.min(positive, dailyCap), negative: sum.negative + negative });
  }
  return [...days].map(([day, { positive, negative }]) => `${day} ${positive} ${negative}`).join(';');
}

/** Of every approval in these worlds, and whoever gave it. */
const APPROVAL = 'apr_01jq3k00000000000000000000';
const APPROVER = 'BBBBBBBB';

/** As the recorder settles it: a DENY stands, whatever a human has said. */
async function withApproval(
  decider: Decider,
  question: Question,
  answer: Answer,
  approval: Asked['approval'],
): Promise<Answer> {
  if (approval === 'none' || answer.evaluation.reasons[0]?.code === 'HALTED') return answer;
  if (approval === 'refused')
    return { ...answer, evaluation: refusalOf({ code: 'APPROVAL_MISMATCH', message: 'there is none' }) };
  if (answer.evaluation.verdict === 'DENY') return answer;
  return decider.approve(question, answer, approvedReason(APPROVAL, APPROVER));
}

function approvalRecordsOf(
  { agentId, context }: Question,
  answer: Answer,
  openedBy: string,
  decisionId: string,
): LoggedRecord[] {
  if (answer.evaluation.reasons.at(-1)?.code !== 'APPROVED') return [];
  const { organisation, environment } = OWNER;
  const { normalized } = answer.facts.intent;
  const digest = approvalDigest({ agentId, context, environment, intentId: null, normalized, organisation });
  const common = { approvalId: APPROVAL, decisionId: openedBy, digest, intentId: null };
  return [
    { ...common, state: 'approved', by: APPROVER, reason: 'ticket 7' },
    { ...common, state: 'used', by: 'AAAAAAAA', usedDecisionId: decisionId },
  ].map((body, i) => serviceRecord('custos.approval', AGENT, answer.nowMs - 1_000 + i, body));
}

export interface MadeDecision {
  readonly asked: Asked;
  readonly facts: Facts;
  readonly evidence: DecisionEvidence;
}

/** Decides all that a world asks. */
export async function decideAll(world: World): Promise<MadeDecision[]> {
  // Nothing reads the lexicon of this set.
  const set = setOf(world.policies) as PolicySet<Lexicon>;
  const active: ActivePolicies = { set, evaluator: createEvaluator({ set }), activatedAt: new Date(0) };
  const states = foldAll(world);
  const trustRecords = states.at(-1)?.records ?? [];
  return Promise.all(world.asked.map((one) => decide(world, one, active, states, trustRecords)));
}

async function decide(
  { dailyCap }: World,
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
  const { risk: _, ...unassessed } = intent;
  const history = createHistory();
  for (const verdict of one.past) history.add(nowMs - 1_000, verdict, 1);
  const agent: Facts['agent'] = {
    id: AGENT,
    registered: one.status !== 'UNREGISTERED',
    status: one.status,
    capabilities: [],
    tags: one.tags.filter((tag) => tag.isWellFormed()),
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
    changes: { ensureFresh: () => undefined },
    agents: { get: () => agentState, count: () => undefined, close: () => undefined },
    halts: { get: () => (one.halt === 'in force' ? halt : undefined) },
    nowMs: () => nowMs,
  });
  const question = {
    active,
    key: {
      keyId: 'AAAAAAAA',
      organisationId: 'org',
      organisationSlug: OWNER.organisation,
      environment: OWNER.environment,
      agentIds: null,
    },
    agentId: AGENT,
    reading: createReading(unassessed),
    context,
    claimedScore: one.claimedScore,
    claimedLevel: one.claimedLevel,
  };
  const first = await (one.givenUp ? decider.giveUp(question) : decider.answer(question));
  const answer = one.givenUp ? first : await withApproval(decider, question, first, one.approval);
  const { verdict: reached } = answer.evaluation;
  const waiting = reached === 'ESCALATE' ? { approvalId: APPROVAL, expiresAtMs: nowMs + HOUR_MS } : undefined;
  const { row } = decider.record(question, answer, waiting);
  // What had opened the approval, when it has used one: the same question, a little earlier.
  const escalated: Answer = { ...first, nowMs: nowMs - 2_000, evaluation: builtInEvaluation('OBLIGATIONS_CONFLICT') };
  const opened = decider.record(question, escalated, { approvalId: APPROVAL, expiresAtMs: nowMs + HOUR_MS / 2 }).row;
  const { decisionId, environment, agentId, keyId, verdict, evaluatedAt, policyDigest, proofId } = row;
  const halted = serviceRecord('custos.halt', 'custos:halt', nowMs - HOUR_MS, {
    change: 'halted',
    keyId: 'AAAAAAAA',
    reason: halt.reason,
  });
  const lifted = serviceRecord('custos.halt', 'custos:halt', nowMs - HOUR_MS / 2, {
    change: 'lifted',
    keyId: 'AAAAAAAA',
  });
  return {
    asked: one,
    facts: answer.facts,
    evidence: {
      record: sealed(row.record, NO_PREVIOUS),
      columns: { decisionId, environment, agentId, keyId, verdict, evaluatedAt, policyDigest, proofId },
      facts: { text: Buffer.from(row.facts), salt: Buffer.from(row.factsSalt, 'hex') },
      policySet: active.set.canonical,
      trustRecords,
      approvalRecords: approvalRecordsOf(question, answer, opened.decisionId, row.decisionId),
      opening: sealed(opened.record, NO_PREVIOUS),
      haltRecords: one.halt === 'none' ? [] : one.halt === 'lifted' ? [halted, lifted] : [halted],
    },
  };
}

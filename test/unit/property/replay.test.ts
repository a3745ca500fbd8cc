// Replay of random decisions: no changes under the original set; under another set exactly the changes of its own evaluation.
import { expect } from 'chai';
import fc from 'fast-check';
import { createReplayer, type Replayed, type StoredForReplay } from '../../../shared/domain/drafts/replay.ts';
import { specialOf } from '../../../shared/core/verification/decision.ts';
import { type DecisionBody, readDecisionRecord } from '../../../shared/core/verification/record.ts';
import { createDifference, type Difference, type DifferenceState } from '../../../shared/core/policy/difference.ts';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import type { PolicySet } from '../../../shared/core/policy/load.ts';
import { loadCanonicalSet } from '../../../shared/core/policy/stored-set.ts';
import { budgetFact, budgetsLeft } from '../../../shared/core/policy/budget.ts';
import { comparePolicySets } from '../../../shared/core/policy/compare.ts';
import type { Facts } from '../../../shared/core/policy/types.ts';
import { factsDigest } from '../../../shared/core/decision/record.ts';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';
import { approvalIdOfDecision } from '../../../shared/kernel/ids.ts';
import { VERDICTS } from '../../../shared/kernel/vocabulary.ts';
import { ALWAYS, evaluatorOf, factsWith, type PolicyLike, policy, setOf } from '../policy/support.ts';
import { compileLexicon, decideAll, type MadeDecision, worldSet, worlds } from './decision-world.ts';
import { runs } from './runs.ts';

const LAST_MEMBER = `,"previousHash":"${'0'.repeat(64)}"}`.length;

function storedOf({ evidence }: MadeDecision): StoredForReplay {
  const { bytes } = evidence.record;
  if (evidence.facts === undefined) throw new Error('the world has erased the facts');
  return {
    record: Buffer.from(bytes.subarray(0, bytes.length - LAST_MEMBER)),
    facts: Buffer.from(evidence.facts.text),
    salt: Buffer.from(evidence.facts.salt),
  };
}

function bodyOf({ evidence }: MadeDecision): DecisionBody {
  const read = readDecisionRecord(evidence.record);
  if ('why' in read) throw new Error(`the record ${read.why}`);
  return read.body;
}

function setInForce({ evidence }: MadeDecision): PolicySet {
  const loaded = loadCanonicalSet(evidence.policySet ?? '', { compileLexicon });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings));
  return loaded.set;
}

function count(difference: Difference, outcome: Replayed): void {
  if (outcome.kind === 'compared') difference.add(outcome.compared);
  else if (outcome.kind === 'standing') difference.addStanding();
  else difference.addNotEvaluable(outcome.why);
}

describe('the replay of any recorded decisions', () => {
  it('changes nothing under the original set: no verdict, no obligation, no reason', async () => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const decisions = await decideAll(world);
        const [first] = decisions;
        if (first === undefined) return;
        const replayer = createReplayer(setInForce(first));
        const difference = createDifference();
        for (const decision of decisions) {
          const outcome = await replayer.replay(storedOf(decision));
          count(difference, outcome);
          const kind = outcome.kind === 'compared' ? outcome.compared.before.verdict : outcome.kind;
          const { reasons } = bodyOf(decision);
          for (const name of [kind, specialOf(reasons)?.kind ?? 'plain', ...reasons.map(({ code }) => code)])
            seen.set(name, (seen.get(name) ?? 0) + 1);
        }
        const { changed, otherReasons, transitions, examples, decisions: counts } = difference.report();
        expect({ changed, otherReasons, transitions, examples }).to.deep.equal({
          changed: { decisions: 0, stricter: 0, looser: 0, obligations: 0, approvers: 0, ttl: 0, budgets: 0 },
          otherReasons: 0,
          transitions: [],
          examples: [],
        });
        // Nor as decisions that could not be evaluated.
        expect(counts.notEvaluable.total).to.equal(0);
        expect(counts.evaluated + counts.standing).to.equal(decisions.length);
      }),
      runs(100, 0.02),
    );
    const ofAttributes = ['OWNER', 'REGION', 'GUEST', 'NEW'];
    const kinds = [...VERDICTS, 'standing', 'halted', 'failed', 'refused', 'used', ...ofAttributes];
    for (const kind of kinds) expect(seen.get(kind) ?? 0, kind).to.be.greaterThan(0);
  });

  it('reports the evaluation of the draft, each decision once, even when it is interrupted and resumed', async () => {
    let changes = 0;
    await fc.assert(
      fc.asyncProperty(worlds, worlds, fc.nat(), async (world, other, half) => {
        const decisions = await decideAll(world);
        const draft = worldSet(other.policies);
        const replayer = createReplayer(draft);
        const missingOpens = world.isEarlier ? 'everything' : 'nothing';
        const evaluator = createEvaluator({ set: draft, memoLimit: 0, missingOpens });
        const [whole, begun] = [createDifference(), createDifference()];
        const cut = half % decisions.length;
        let expected = 0;
        let resumed: Difference = begun;
        for (const [i, decision] of decisions.entries()) {
          // Through JSON, as a database stores it.
          if (i === cut)
            resumed = createDifference(undefined, JSON.parse(JSON.stringify(begun.state())) as DifferenceState);
          const outcome = await replayer.replay(storedOf(decision));
          count(whole, outcome);
          count(resumed, outcome);
          const body = bodyOf(decision);
          const special = specialOf(body.reasons);
          if (special !== undefined && special.kind !== 'used') continue;
          const { risk: _, ...intent } = decision.facts.intent;
          const risk = await evaluator.assessRisk({ ...decision.facts, intent });
          const facts = { ...decision.facts, intent: { ...intent, risk } };
          const { verdict } = await (special === undefined
            ? evaluator.evaluate(facts)
            : evaluator.evaluateApproved(facts, special.reason));
          if (verdict !== body.verdict) expected += 1;
        }
        const report = whole.report();
        expect(JSON.stringify(resumed.report())).to.equal(JSON.stringify(report));
        expect(report.changed.stricter + report.changed.looser).to.equal(expected);
        const sums = [report.transitions, report.agents.items, report.resources.items, report.environments.items];
        for (const rows of sums)
          expect(rows.reduce((sum, { decisions: n }) => sum + n, 0)).to.equal(report.changed.decisions);
        changes += expected;
      }),
      runs(100, 0.01),
    );
    expect(changes).to.be.greaterThan(0);
  });
});

/** A decision of these policies as its row has it. */
async function recordedBy(policies: readonly PolicyLike[]): Promise<StoredForReplay> {
  const [world] = fc.sample(worlds, { numRuns: 1, seed: 1 });
  const [decision] = world === undefined ? [] : await decideAll(world);
  if (decision === undefined) throw new Error('no decision');
  const stored = storedOf(decision);
  const evaluatedAt = '2026-03-04T10:30:00.000Z';
  const nowMs = Date.parse(evaluatedAt);
  const asked = factsWith();
  const { verdict, reasons, obligations, escalation, charges } = await evaluatorOf(policies).evaluate(asked);
  const budgets = charges && Object.fromEntries(charges.map((charge) => [charge.name, budgetFact(charge, 0)]));
  const facts: Facts = { ...asked, ...(budgets && { budgets }) };
  const text = canonicalize(facts);
  const record = JSON.parse(`${stored.record.toString()}}`);
  const { approval: _, ...body } = record.payload.body;
  record.payload.body = {
    ...body,
    verdict,
    reasons,
    obligations,
    evaluated_at: evaluatedAt,
    factsDigest: factsDigest(stored.salt ?? Buffer.of(), text),
    ...(budgets && { budgets: budgetsLeft(budgets, true) }),
    ...(verdict === 'ESCALATE' && {
      approval: {
        approval_id: approvalIdOfDecision(body.decision_id),
        ...(escalation?.approvers && { approvers: escalation.approvers }),
        expires_at: new Date(nowMs + (escalation?.ttlMs ?? 3_600_000)).toISOString(),
      },
    }),
  };
  return { record: Buffer.from(JSON.stringify(record).slice(0, -1)), facts: Buffer.from(text), salt: stored.salt };
}

describe('changes beside the verdict', () => {
  const escalating = (params: object): PolicyLike[] => [
    {
      ...policy('p', 'ESCALATE'),
      rules: [
        {
          name: 'only',
          conditions: ALWAYS,
          event: { type: 'ESCALATE', params: { code: 'E', message: 'e', ...params } },
        },
      ],
    },
  ];
  const budgeted = (budget?: object): PolicyLike[] => {
    const [rule] = policy('p', 'ALLOW').rules;
    return [
      { ...policy('p', 'ALLOW'), rules: [{ ...rule, ...(budget && { budget }) } as PolicyLike['rules'][number]] },
    ];
  };
  const daily = { name: 'b', window: '24h', limit: 5 };
  const two = { approvers: { tags: ['ops'], atLeast: 2 } };
  const CASES: readonly (readonly [name: string, before: PolicyLike[], after: PolicyLike[], differs: string[]])[] = [
    [
      'another number of approvers',
      escalating(two),
      escalating({ approvers: { tags: ['ops'], atLeast: 1 } }),
      ['approvers'],
    ],
    ['no approvers any more', escalating(two), escalating({}), ['approvers']],
    ['approvers for the first time', escalating({}), escalating(two), ['approvers']],
    ['another lifetime', escalating({ ttl: '2h' }), escalating({ ttl: '30m' }), ['ttl']],
    ['approvers and a lifetime', escalating({ ttl: '2h' }), escalating({ ...two, ttl: '30m' }), ['approvers', 'ttl']],
    ['another limit', budgeted(daily), budgeted({ ...daily, limit: 6 }), ['budgets']],
    ['another window', budgeted(daily), budgeted({ ...daily, window: '1h' }), ['budgets']],
    ['no budget any more', budgeted(daily), budgeted(), ['budgets']],
    ['a budget for the first time', budgeted(), budgeted(daily), ['budgets']],
  ];
  for (const [name, before, after, differs] of CASES)
    it(`such as ${name} are shown by a replay and by the comparison of sets`, async () => {
      const stored = await recordedBy(before);
      const difference = createDifference();
      const outcome = await createReplayer(setOf(after)).replay(stored);
      count(difference, outcome);
      const { changed, examples, transitions } = difference.report();
      expect(changed.decisions, JSON.stringify(outcome)).to.equal(1);
      expect(transitions).to.have.lengthOf(1);
      expect(examples.map((one) => one.differs)).to.deep.equal([differs]);
      for (const aspect of ['obligations', 'approvers', 'ttl', 'budgets'] as const)
        expect(changed[aspect], aspect).to.equal(differs.includes(aspect) ? 1 : 0);
      const compared = comparePolicySets(setOf(before), setOf(after));
      expect(compared.withoutExample).to.deep.equal([]);
      expect(compared.examples.map((one) => one.differs)).to.include.deep.members([differs]);
    });
  for (const policies of [escalating({ ...two, ttl: '2h' }), escalating({}), budgeted(daily), budgeted()])
    it(`are none when another set has the same rules: ${JSON.stringify(policies[0]?.rules[0])}`, async () => {
      const stored = await recordedBy(policies);
      const outcome = await createReplayer(setOf(policies.map((one) => ({ ...one, description: 'other' })))).replay(
        stored,
      );
      expect(outcome.kind === 'compared' ? outcome.compared.differs : outcome).to.deep.equal([]);
    });
});

// Replay of random decisions: no changes under the original set; under another set exactly the changes of its own evaluation.
import { expect } from 'chai';
import fc from 'fast-check';
import { createReplayer, type Replayed, type StoredForReplay } from '../../../shared/domain/drafts/replay.ts';
import { specialOf } from '../../../shared/core/verification/decision.ts';
import { type DecisionBody, readDecisionRecord } from '../../../shared/core/verification/record.ts';
import { createDifference, type Difference, type DifferenceState } from '../../../shared/core/policy/difference.ts';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import { loadCanonicalSet, type PolicySet } from '../../../shared/core/policy/load.ts';
import { setOf } from '../policy/support.ts';
import { compileLexicon, decideAll, type MadeDecision, worlds } from './decision-world.ts';
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
  const read = readDecisionRecord(evidence.record.bytes);
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
          for (const name of [kind, specialOf(bodyOf(decision).reasons)?.kind ?? 'plain'])
            seen.set(name, (seen.get(name) ?? 0) + 1);
        }
        const { changed, otherReasons, transitions, examples, decisions: counts } = difference.report();
        expect({ changed, otherReasons, transitions, examples }).to.deep.equal({
          changed: { decisions: 0, stricter: 0, looser: 0, obligations: 0 },
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
    for (const kind of ['ALLOW', 'DENY', 'ESCALATE', 'DEGRADE', 'standing', 'halted', 'failed', 'refused', 'used'])
      expect(seen.get(kind) ?? 0, kind).to.be.greaterThan(0);
  });

  it('reports the evaluation of the draft, each decision once, even when it is interrupted and resumed', async () => {
    let changes = 0;
    await fc.assert(
      fc.asyncProperty(worlds, worlds, fc.nat(), async (world, other, half) => {
        const decisions = await decideAll(world);
        const draft = setOf(other.policies);
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

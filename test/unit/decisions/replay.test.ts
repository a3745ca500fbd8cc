// Replay of one decision: which risk counts, the effect of a human approval under a draft, and which decisions stay unchanged.
import { expect } from 'chai';
import { approvedReason, refusalOf } from '../../../shared/core/decision/approval.ts';
import { canonicalFacts, factsDigest, intentMember, writeDecision } from '../../../shared/core/decision/record.ts';
import { createReplayer, type Replayed, type StoredForReplay } from '../../../shared/domain/drafts/replay.ts';
import { unknownRisk } from '../../../shared/core/policy/combine.ts';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import type { Evaluation, Facts, Risk } from '../../../shared/core/policy/types.ts';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';
import { factsWith, policy, setOf } from '../policy/support.ts';

const HIGH = { all: [{ fact: 'intent', path: 'risk.level', operator: 'equal', value: 'high' }] };
const risk = (score: number) =>
  policy('risk', 'RISK', undefined, {
    stage: 'intake',
    rules: [
      {
        name: 'only',
        conditions: { all: [{ fact: 'agent', path: 'id', operator: 'isPresent', value: true }] },
        event: { type: 'RISK', params: { factor: 'f', score, message: 'm' } },
      },
    ],
  });
const ESCALATE_HIGH = [policy('allow', 'ALLOW'), policy('high', 'ESCALATE', HIGH)];

function stored(facts: Facts, evaluation: Evaluation, policyDigest: string): StoredForReplay {
  const salt = Buffer.alloc(16, 7);
  const { agent, context, intent, key } = facts;
  const text = canonicalFacts(facts, {
    agent: canonicalize(agent),
    context: canonicalize(context),
    intent: canonicalize(intent),
    key: canonicalize(key),
  });
  const { record } = writeDecision({
    decisionId: 'dec_01jq3k00000000000000000000',
    proofId: 'prf_01jq3k00000000000000000000',
    keyId: key.id,
    agentId: canonicalize(agent.id),
    environment: facts.environment,
    organisationSlug: facts.organisation.slug,
    evaluatedAtMs: Date.parse(facts.time.now),
    policyDigest,
    intent: canonicalize(intentMember(intent)),
    trust: facts.trust,
    asOf: { signals: 0, day: facts.time.date },
    evaluation,
    facts: text,
    salt,
  });
  expect(record).to.contain(factsDigest(salt, text));
  return { record: Buffer.from(record), facts: Buffer.from(text), salt };
}

/** Decides under one set, replays under another. */
async function replay(
  inForce: readonly unknown[],
  draft: readonly unknown[],
  recordedRisk: Risk,
  evaluationOf?: (facts: Facts, evaluate: ReturnType<typeof createEvaluator>) => Promise<Evaluation>,
): Promise<Replayed> {
  const set = setOf(inForce);
  const evaluator = createEvaluator({ set });
  const facts = factsWith({ 'intent.risk': recordedRisk });
  const evaluation = await (evaluationOf?.(facts, evaluator) ?? evaluator.evaluate(facts));
  return createReplayer(setOf(draft)).replay(stored(facts, evaluation, set.digest));
}

const verdicts = (replayed: Replayed): string =>
  replayed.kind === 'compared'
    ? `${replayed.compared.before.verdict} ${replayed.compared.after.verdict}`
    : replayed.kind;

const found = (score: number): Risk => ({
  level: score < 700 ? 'low' : 'high',
  score,
  factors: [{ factor: 'f', score, message: 'm' }],
});

describe('a replayed decision', () => {
  it("has the risk that the draft's intake policies find", async () => {
    const [calm, alarmed] = [
      [...ESCALATE_HIGH, risk(10)],
      [...ESCALATE_HIGH, risk(900)],
    ];
    expect(verdicts(await replay(calm, alarmed, found(10)))).to.equal('ALLOW ESCALATE');
    expect(verdicts(await replay(alarmed, calm, found(900)))).to.equal('ESCALATE ALLOW');
  });

  it('keeps the highest risk where it could not be computed, so that a replay under its own set changes nothing', async () => {
    const set = [...ESCALATE_HIGH, risk(10)];
    for (const code of ['EVALUATION_FAILED', 'ENGINE_INCOMPLETE'] as const)
      expect(verdicts(await replay(set, set, unknownRisk(code)))).to.equal('ESCALATE ESCALATE');
  });

  it('stays approved where a human approved it, unless the draft denies it', async () => {
    const escalating = [policy('all', 'ESCALATE'), risk(10)];
    const approved = (facts: Facts, { evaluateApproved }: ReturnType<typeof createEvaluator>) =>
      evaluateApproved(facts, approvedReason('apr_01jq3k00000000000000000000', 'AAAAAAAA'));
    for (const [draft, expected] of [
      [escalating, 'ALLOW ALLOW'],
      [[policy('all', 'ALLOW'), risk(10)], 'ALLOW ALLOW'],
      [[policy('all', 'DEGRADE'), risk(10)], 'ALLOW DEGRADE'],
      [[policy('all', 'DENY'), risk(10)], 'ALLOW DENY'],
    ] as const)
      expect(verdicts(await replay(escalating, draft, found(10), approved))).to.equal(expected);
  });

  it('stays unchanged where no policy was evaluated', async () => {
    const set = [policy('all', 'ALLOW'), risk(10)];
    const refused = async () => refusalOf({ code: 'APPROVAL_USED', message: `apr_${'0'.repeat(26)} has been used` });
    expect(verdicts(await replay(set, set, found(10), refused))).to.equal('standing');
  });
});

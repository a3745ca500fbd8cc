// Verification with incomplete evidence, and its closed lists of failures.
import { expect } from 'chai';
import fc from 'fast-check';
import { createDecisionVerifier, type DecisionEvidence } from '../../../shared/core/verification/decision.ts';
import type { PolicySet } from '../../../shared/core/policy/load.ts';
import { loadCanonicalSet } from '../../../shared/core/policy/stored-set.ts';
import { DECISION_FAILURES, NOT_EVALUABLE } from '../../../shared/core/verification/failures.ts';
import { namesItsOwnApproval } from '../../../shared/core/verification/approvals.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { FAILURES } from '../../../shared/core/proof/failures.ts';
import { bodyOf, falsified, withBody } from '../property/decision-edit.ts';
import { AGENT, serviceRecord } from '../property/decision-world-log.ts';
import { EDITS } from '../property/decision-edits.ts';
import { compileLexicon, decideAll, type MadeDecision, worlds } from '../property/decision-world.ts';

const MANY = 120;

describe('a decision that is verified with incomplete evidence', () => {
  const verifier = createDecisionVerifier();
  let decisions: MadeDecision[];
  before(async () => {
    // A fixed seed, so that the decisions are always the same.
    const all = await Promise.all(fc.sample(worlds, { numRuns: MANY, seed: 7 }).map(decideAll));
    decisions = all.flat();
  });

  const codeOf = async ({ evidence }: MadeDecision): Promise<string | undefined> => {
    const text = Buffer.from(evidence.record.bytes).toString('utf8');
    return (JSON.parse(text) as { payload: { body: { reasons: { code: string }[] } } }).payload.body.reasons[0]?.code;
  };
  const signalsOf = ({ evidence }: MadeDecision): number =>
    Number(/"signals":(\d+)/.exec(Buffer.from(evidence.record.bytes).toString('utf8'))?.[1]);
  const find = async (test: (made: MadeDecision) => boolean | Promise<boolean>): Promise<DecisionEvidence> => {
    for (const made of decisions) if (await test(made)) return made.evidence;
    throw new Error('no such decision among the random ones');
  };

  it('is evaluated with a set that the process has loaded already, with the same outcome', async () => {
    const asked = new Set<string>();
    const sets = new Map<string, PolicySet>();
    const reusing = createDecisionVerifier({
      loadedSet: (digest) => {
        asked.add(digest);
        return sets.get(digest);
      },
    });
    for (const { evidence } of decisions.slice(0, 10)) {
      const loaded = loadCanonicalSet(evidence.policySet ?? '', { compileLexicon });
      if (!loaded.ok) throw new Error('the set of a random world can not be loaded');
      sets.set(loaded.set.digest, loaded.set);
      expect(await reusing.verify(evidence)).to.deep.equal(await verifier.verify(evidence));
      const altered = { ...evidence, policySet: `${evidence.policySet} ` };
      expect((await reusing.verify(altered)).status).to.equal('failed');
    }
    expect(asked).to.deep.equal(new Set(sets.keys()));
  });

  it('is not evaluable, and not wrong, when retention has deleted its facts', async () => {
    for (const { evidence } of decisions) {
      const outcome = await verifier.verify({ ...evidence, facts: undefined });
      expect(outcome.status, outcome.sentence).to.equal('not_evaluable');
      expect(outcome.notEvaluable).to.deep.equal(['FACTS_ERASED']);
      expect(outcome.sentence).to.equal(NOT_EVALUABLE.FACTS_ERASED);
    }
  });

  it('still reveals a changed record, score or signal without its facts', async () => {
    const names = [
      'any member of the record, in the database',
      '"allowed"',
      "the row's verdict alone",
      'the policy set',
      'facts, digest and answer: the recorded score',
      'more signals than exist',
    ];
    for (const name of names) {
      const edit = EDITS.find((one) => one.name === name);
      const changed = decisions.map((made) => edit?.make(made)).find((one) => one !== undefined);
      if (changed === undefined) throw new Error(`"${name}" changes nothing`);
      const outcome = await verifier.verify({ ...changed.evidence, facts: undefined });
      const codes = outcome.status === 'failed' ? outcome.failures.map(({ code }) => code) : [];
      expect(codes, name).to.include(changed.code);
    }
  });

  it('is verified without the facts that earlier versions did not record', async () => {
    const ofEarlier = decisions.filter(({ evidence }) => evidence.policySet?.includes('on-attributes') === false);
    expect(ofEarlier).to.not.deep.equal([]);
    for (const made of ofEarlier) {
      const earlier = falsified(made, (facts) => delete facts.key.tags);
      const outcome = await verifier.verify(earlier);
      expect(outcome.status, outcome.sentence).to.equal((await verifier.verify(made.evidence)).status);
    }
  });

  it('is not evaluable as to HALTED without halt records, and verified with them', async () => {
    const evidence = await find(async (made) => (await codeOf(made)) === 'HALTED');
    const without = await verifier.verify({ ...evidence, haltRecords: undefined });
    expect([without.status, ...without.notEvaluable]).to.deep.equal(['not_evaluable', 'HALT_RECORDS_NOT_GIVEN']);
    const outcome = await verifier.verify(evidence);
    expect(outcome.status).to.equal('verified');
    expect(outcome.sentence).to.contain('a logged halt was in force');
  });

  it('holds up to a day after another policy set came into force, and where the log does not show which one was', async () => {
    const set = (digest: string, atMs: number) =>
      serviceRecord('custos.policy_set', 'custos:policies', atMs, { change: 'activated', digest });
    const made = decisions[0] as MadeDecision;
    const atMs = Date.parse(bodyOf(made).evaluated_at);
    const known = made.evidence.policyRecords ?? [];
    const status = async (policyRecords: DecisionEvidence['policyRecords']): Promise<string> =>
      (await verifier.verify({ ...made.evidence, policyRecords })).status;
    const expected = await status(known);
    expect(expected).not.to.equal('failed');
    for (const records of [
      undefined,
      [],
      [set('a'.repeat(64), atMs + 120_000)],
      [...known, set('a'.repeat(64), atMs - 86_000_000)],
    ])
      expect(await status(records)).to.equal(expected);
  });

  it('is not evaluable without the trust records of an agent with signals, and needs none for an agent without signals', async () => {
    const known = await find(async (made) => signalsOf(made) > 0 && (await codeOf(made)) === 'NO_MATCH');
    const outcome = await verifier.verify({ ...known, trustRecords: undefined });
    expect([outcome.status, ...outcome.notEvaluable]).to.deep.equal(['not_evaluable', 'TRUST_RECORDS_NOT_GIVEN']);
    const unknown = await find(async (made) => signalsOf(made) === 0 && (await codeOf(made)) === 'NO_MATCH');
    expect((await verifier.verify({ ...unknown, trustRecords: undefined })).status).to.equal('verified');
  });

  it('evaluates an agent that is not active from its facts', async () => {
    const evidence = await find(async (made) => (await codeOf(made)) === 'AGENT_NOT_ACTIVE');
    expect((await verifier.verify(evidence)).status).to.equal('verified');
  });

  it('is not evaluable as to a key that was not valid, a failed evaluation or a refused approval', async () => {
    for (const [code, why] of [
      ['EVALUATION_FAILED', 'EVALUATION_FAILED'],
      ['KEY_INVALID', 'KEY_INVALID'],
      ['APPROVAL_MISMATCH', 'APPROVAL'],
    ] as const) {
      const outcome = await verifier.verify(await find(async (made) => (await codeOf(made)) === code));
      expect([outcome.status, ...outcome.notEvaluable]).to.deep.equal(['not_evaluable', why]);
    }
  });

  const CLOSED = ['APPROVAL_REJECTED', 'APPROVAL_EXPIRED', 'APPROVAL_USED'] as const;
  for (const code of CLOSED)
    it(`holds when the log says ${code}, too, and is not evaluable when the log does not show the approval's outcome`, async () => {
      const evidence = await find(async (made) => (await codeOf(made)) === code);
      const whole = await verifier.verify(evidence);
      expect([whole.status, whole.sentence]).to.deep.equal([
        'verified',
        whole.sentence.replace(
          /^.*?;/,
          `The record holds: it says ${code}, and so do the log's records of the approval;`,
        ),
      ]);
      const erased = await verifier.verify({ ...evidence, facts: undefined });
      expect([erased.status, ...erased.notEvaluable]).to.deep.equal(['not_evaluable', 'FACTS_ERASED']);
      const given = await verifier.verify({ ...evidence, approvalRecords: undefined });
      expect([given.status, ...given.notEvaluable]).to.deep.equal(['not_evaluable', 'APPROVAL_RECORDS_NOT_GIVEN']);
      const unknown = await verifier.verify({ ...evidence, approvalRecords: [], opening: undefined });
      expect([unknown.status, ...unknown.notEvaluable]).to.deep.equal(['not_evaluable', 'APPROVAL']);
      // As in a log that was restarted: only the ESCALATE contains the expiry of an approval.
      const withoutOpening = await verifier.verify({ ...evidence, opening: undefined });
      expect(withoutOpening.status, withoutOpening.sentence).to.equal(
        code === 'APPROVAL_EXPIRED' ? 'not_evaluable' : 'verified',
      );
    });

  it('is verified when an expired approval was not closed yet', async () => {
    const evidence = await find(async (made) => (await codeOf(made)) === 'APPROVAL_EXPIRED');
    expect((await verifier.verify({ ...evidence, approvalRecords: [] })).status).to.equal('verified');
  });

  it('holds for an ESCALATE of an earlier version that names an approval which others opened, at whatever time', async () => {
    const made = decisions.find(
      (one) => bodyOf(one).approval?.approvers !== undefined && namesItsOwnApproval(bodyOf(one)),
    );
    if (made === undefined) throw new Error('no such decision among the random ones');
    const { decision_id: decisionId, evaluated_at: evaluatedAt } = bodyOf(made);
    const approvalId = newId('apr', Date.parse(evaluatedAt));
    const evidence = withBody(made, (body) => {
      delete body.approval.approvers;
      body.approval.approval_id = approvalId;
    });
    expect((await verifier.verify(evidence)).status).to.equal('verified');
    const opening = { approvalId, decisionId, digest: '0'.repeat(64), intentId: null, state: 'expired' };
    const approvalRecords = [serviceRecord('custos.approval', AGENT, Date.parse(evaluatedAt) + 1, opening)];
    const outcome = await verifier.verify({ ...evidence, approvalRecords });
    expect(
      outcome.status === 'failed' && outcome.failures.map(({ code }) => code),
      'it opened the approval',
    ).to.include('APPROVERS_DIFFER');
  });

  it('refuses bytes that are not a record, quickly', async () => {
    const evidence = await find(() => true);
    for (const bytes of ['', '{}', 'null', '[1]', `${'['.repeat(100_000)}`, '{"agentId":"\ud800"}', '\u0000']) {
      const outcome = await verifier.verify({ ...evidence, record: { bytes: Buffer.from(bytes) } });
      expect(outcome.status === 'failed' && outcome.failures.map(({ code }) => code)).to.deep.equal([
        'RECORD_NOT_CANONICAL',
      ]);
    }
  });
});

describe('the failures of verification', () => {
  it('have distinct exit codes, none of which custos verify or a shell uses', () => {
    const own = Object.values(DECISION_FAILURES).map(({ exitCode }) => exitCode);
    const others: number[] = Object.values(FAILURES).map(({ exitCode }) => exitCode);
    expect(new Set(own).size).to.equal(own.length);
    for (const code of own) {
      expect(others).to.not.include(code);
      expect(code).to.be.within(40, 125);
    }
  });

  it('keep their exit codes, which are counted in the order of the table', () => {
    const names = Object.keys(DECISION_FAILURES);
    expect(names.indexOf('KEY_RECORD_ALTERED')).to.equal(28);
    expect(DECISION_FAILURES.KEY_RECORD_ALTERED.exitCode).to.equal(68);
  });

  it('are each provoked by some change, and have messages', async () => {
    const all = await Promise.all(fc.sample(worlds, { numRuns: MANY, seed: 7 }).map(decideAll));
    const provoked = new Set(
      EDITS.map(({ make }) => {
        const found = all.flat().find((made) => make(made) !== undefined);
        return found === undefined ? undefined : make(found)?.code;
      }),
    );
    expect([...provoked]).to.have.members(Object.keys(DECISION_FAILURES));
    const sentences = Object.values(DECISION_FAILURES).map(({ meaning }) => meaning);
    for (const sentence of [...sentences, ...Object.values(NOT_EVALUABLE)]) expect(sentence).to.match(/^[A-Z].*\.$/);
  });
});

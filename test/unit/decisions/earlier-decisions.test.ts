// Decisions and policy sets of earlier versions under this one: verified or not evaluable, and never altered.
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { EVALUATION, FIRST_EVALUATION } from '../../../shared/core/policy/evaluation-version.ts';
import { loadCanonicalSet } from '../../../shared/core/policy/stored-set.ts';
import { compileLexicon, compileStoredLexicon, leftOutOf } from '../../../shared/core/intent/lexicon/lexicon.ts';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { createDecisionVerifier, type DecisionEvidence } from '../../../shared/core/verification/decision.ts';
import { createFileEvidence } from '../../../shared/domain/verification/files.ts';
import { createStoredVerifier } from '../../../shared/domain/verification/stored.ts';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';
import {
  corpusVersions,
  EARLIER_VERSIONS,
  earlierInstallation,
  type EarlierLog,
  readCorpus,
} from '../../support/earlier.ts';
import { withBody } from '../property/decision-edit.ts';
import type { MadeDecision } from '../property/decision-world.ts';

/** What a verification may leave open of a decision that this version evaluates: none of it follows from facts. */
const OPEN = ['APPROVAL', 'EVALUATION_FAILED'];

function verifierOf({ records, facts }: EarlierLog, policySets: readonly string[]) {
  const evidence = createFileEvidence();
  for (const record of records) evidence.addLeaf(Buffer.from(record));
  for (const { decisionId, facts: text, salt } of facts)
    evidence.addFacts(JSON.stringify({ decisionId, facts: Buffer.from(text).toString('base64'), salt }));
  for (const set of policySets)
    evidence.addPolicySet(JSON.stringify({ policySet: Buffer.from(set).toString('base64') }));
  return createStoredVerifier({ store: evidence.store(records.length) });
}

describe('a decision of an earlier version of the service', () => {
  for (const day of EARLIER_VERSIONS)
    it(`is verified with its stored policy set: ${day}`, async () => {
      const { logs, policySets } = earlierInstallation(day);
      let decisions = 0;
      for (const log of Object.values(logs))
        for await (const outcome of verifierOf(log, policySets).all({})) {
          decisions += 1;
          expect(outcome.status, outcome.sentence).to.not.equal('failed');
          if (outcome.evaluation === EVALUATION)
            expect(outcome.notEvaluable.filter((code) => !OPEN.includes(code))).to.deep.equal([]);
        }
      expect(decisions).to.equal(27);
    });

  for (const version of corpusVersions())
    it(`has the outcome that it had, unless EVALUATION was raised since: version ${version} of the evaluation`, async () => {
      const verifier = createDecisionVerifier();
      for (const evidence of readCorpus(version)) {
        const outcome = await verifier.verify(evidence);
        // A change of outcomes under the same policy set needs another EVALUATION (evaluation-version.ts).
        expect(outcome.status, outcome.sentence).to.not.equal('failed');
        expect(outcome.evaluation).to.equal(version);
        if (version === EVALUATION)
          expect(outcome.notEvaluable.filter((code) => !OPEN.includes(code))).to.deep.equal([]);
      }
    });

  it('is in a corpus for each version of the evaluation, written by write-corpus.ts', () => {
    expect(corpusVersions()).to.include(EVALUATION);
  });
});

describe('a stored policy set of an earlier version', () => {
  for (const day of EARLIER_VERSIONS)
    it(`is loaded without what this version does not know, and only authors are refused: ${day}`, () => {
      const [canonical = ''] = earlierInstallation(day).policySets;
      const loaded = loadCanonicalSet(canonical, { compileLexicon: compileStoredLexicon });
      if (!loaded.ok) throw new Error(loaded.findings[0]?.message);
      const { lexicon } = loaded.set;
      const left = leftOutOf(lexicon);
      expect(left.map(({ message }) => message).join()).to.match(/is missing/);
      expect(parseIntent('Delete all customer records in production', lexicon).effect).to.equal('destructive');
      // A stored set of the same text has the same lexicon, and a file of it is still refused.
      const json: unknown = (JSON.parse(canonical) as { lexicon: unknown }).lexicon;
      expect(compileStoredLexicon(json)).to.equal(lexicon);
      expect(() => compileLexicon(json)).to.throw('is missing');
    });

  it('that is no lexicon at all is refused', () => {
    expect(() => compileStoredLexicon(null)).to.throw();
    expect(() => compileStoredLexicon({ verbs: 'none' })).to.throw();
  });
});

describe('a decision of another version of the evaluation', () => {
  /** The first decisions by ordinary rules. */
  const made = readCorpus(FIRST_EVALUATION).filter(({ facts }) => facts !== undefined);
  const later = createDecisionVerifier({ evaluation: FIRST_EVALUATION + 1 });
  const same = createDecisionVerifier({ evaluation: FIRST_EVALUATION });
  const [first] = made;
  if (first === undefined) throw new Error('the corpus is empty');
  const asMade = { evidence: first } as MadeDecision;
  /** A record that says another trust than its facts do. */
  const differing = (): DecisionEvidence => withBody(asMade, (body) => (body.trust.effective_level += 1));

  it('that this version evaluates differently is not evaluable, and one of this version that does not follow is a failure', async () => {
    const [now, then] = [await same.verify(differing()), await later.verify(differing())];
    expect(now.status).to.equal('failed');
    expect([then.status, then.notEvaluable.includes('OTHER_VERSION'), then.evaluation]).to.deep.equal([
      'not_evaluable',
      true,
      FIRST_EVALUATION,
    ]);
  });

  it('that this version evaluates alike is verified', async () => {
    const [now, then] = [await same.verify(first), await later.verify(first)];
    expect([then.status, then.sentence]).to.deep.equal([now.status, now.sentence]);
  });

  it('is a failure when its bytes are not those that were recorded', async () => {
    const { columns } = first;
    if (columns === undefined) throw new Error('the decision has no columns');
    const altered = { ...first, columns: { ...columns, agentId: 'another' } };
    const outcome = await later.verify(altered);
    expect(outcome.status === 'failed' && outcome.failures.map(({ code }) => code)).to.deep.equal(['ROW_DIFFERS']);
  });

  it('whose record has members of a later version is not evaluable, and a failure for that version', async () => {
    const strange = withBody(asMade, (body) => Object.assign(body, { evaluation: 3, unheard: true }));
    const outcome = await later.verify(strange);
    expect([outcome.status, outcome.notEvaluable, outcome.evaluation]).to.deep.equal([
      'not_evaluable',
      ['OTHER_VERSION'],
      3,
    ]);
    const third = await createDecisionVerifier({ evaluation: 3 }).verify(strange);
    expect(third.status === 'failed' && third.failures[0]?.code).to.equal('RECORD_NOT_CANONICAL');
  });

  it('whose policy set can not be loaded is not evaluable only where that set was in force', async () => {
    const policySet = canonicalize({ ...(JSON.parse(first.policySet ?? '') as object), engine: 2 });
    const digest = createHash('sha256').update(policySet).digest('hex');
    const evidence = { ...withBody(asMade, (body) => (body.policy_set.digest = digest)), policySet };
    const known = { ...evidence, columns: undefined };
    for (const wasInForce of [undefined, async () => false]) {
      const outcome = await same.verify({ ...known, wasInForce });
      expect(outcome.status === 'failed' && outcome.failures.map(({ code }) => code)).to.include('POLICY_SET_REFUSED');
    }
    const outcome = await same.verify({ ...known, wasInForce: async () => true });
    expect([outcome.status, outcome.notEvaluable.includes('POLICY_SET_OF_OTHER_VERSION')]).to.deep.equal([
      'not_evaluable',
      true,
    ]);
  });
});

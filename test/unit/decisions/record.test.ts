// The bytes of a decision, which are concatenated from prepared pieces, are exactly the RFC 8785 form.
import canonicalizeIndependently from 'canonicalize';
import { expect } from 'chai';
import fc from 'fast-check';
import { answerOfRecord, canonicalFacts, writeDecision } from '../../../shared/core/decision/record.ts';
import type { Evaluation, Facts } from '../../../shared/core/policy/types.ts';
import { canonicalize, canonicalString } from '../../../shared/core/proof/canonical.ts';
import { REQUEST_ID_PATTERN } from '../../../shared/kernel/ids.ts';
import { VERDICTS } from '../../../shared/kernel/vocabulary.ts';

const text = fc.string({ unit: 'binary', maxLength: 20 }).filter((value) => value.isWellFormed());
const counts = fc.record({ ALLOW: fc.nat(), DENY: fc.nat(), ESCALATE: fc.nat(), DEGRADE: fc.nat() });
const scored = fc.record({ level: fc.integer({ min: 0, max: 7 }), score: fc.integer({ min: 0, max: 1_000 }) });

/** The members that are concatenated by hand vary; the service also prepares the intent with canonicalize. */
const facts: fc.Arbitrary<Facts> = fc
  .record({
    agent: fc.record({
      id: text,
      registered: fc.boolean(),
      status: fc.constantFrom('ACTIVE' as const, 'UNREGISTERED' as const),
      capabilities: fc.array(text, { maxLength: 3 }),
      tags: fc.array(text, { maxLength: 3 }),
    }),
    context: fc.dictionary(text, fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean()), {
      maxKeys: 4,
    }),
    history: fc.record({ last_60s: counts, last_1h: counts, last_24h: counts }),
    trust: fc.record({
      level: fc.integer({ min: 0, max: 7 }),
      score: fc.integer({ min: 0, max: 1_000 }),
      uncertainty: fc.integer({ min: 0, max: 1_000 }).map((k) => k / 1_000),
      recorded: scored,
      claimed: fc.option(scored),
    }),
    atMs: fc.integer({ min: 0, max: 4_102_444_800_000 }),
  })
  .map(({ atMs, ...rest }) => {
    const now = new Date(atMs);
    return {
      ...rest,
      intent: { normalized: 'data.read.x', resource: 'data/x' } as unknown as Facts['intent'],
      key: { id: 'AAAAAAAA', bound: false, environment: 'live' as const, tags: [] },
      time: {
        now: now.toISOString(),
        date: now.toISOString().slice(0, 10),
        hour: now.getUTCHours(),
        minute_of_day: now.getUTCHours() * 60 + now.getUTCMinutes(),
        weekday: now.getUTCDay() || 7,
      },
      organisation: { slug: 'default' },
      environment: 'live' as const,
    };
  });

const requestId = fc.stringMatching(new RegExp(REQUEST_ID_PATTERN));

const evaluation: fc.Arbitrary<Evaluation> = fc.record({
  verdict: fc.constantFrom(...VERDICTS),
  reasons: fc.array(
    fc.record({ policy: text, rule: text, effect: fc.constantFrom(...VERDICTS), code: text, message: text }),
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
  obligations: fc.array(fc.record({ type: text, limit: fc.nat() }), { maxLength: 2 }),
});

function canonicalOf(all: Facts): string {
  return canonicalFacts(all, {
    agent: canonicalize(all.agent),
    context: canonicalize(all.context),
    intent: canonicalize(all.intent),
    key: canonicalize(all.key),
  });
}

describe('the bytes of a decision', () => {
  it('contain the facts in RFC 8785 form, for any facts', () => {
    fc.assert(
      fc.property(facts, (all) => {
        expect(canonicalOf(all)).to.equal(canonicalizeIndependently(all));
      }),
      { numRuns: 300 },
    );
  });

  it('are a record in RFC 8785 form, from which the answer can be rebuilt byte for byte', () => {
    fc.assert(
      fc.property(
        facts,
        evaluation,
        fc.option(requestId, { nil: undefined }),
        fc.constantFrom(1, 2, 13),
        (all, evaluated, request, version) => {
          const bytes = writeDecision({
            decisionId: 'dec_1',
            proofId: 'prf_1',
            keyId: 'AAAAAAAA',
            agentId: canonicalString(all.agent.id),
            environment: 'live',
            organisationSlug: 'default',
            evaluatedAtMs: Date.parse(all.time.now),
            policyDigest: 'f'.repeat(64),
            intent: canonicalize(all.intent),
            trust: all.trust,
            requestId: request,
            asOf: { signals: 0, day: all.time.date },
            evaluation: evaluated,
            evaluationVersion: version,
            facts: canonicalOf(all),
            salt: Buffer.alloc(16, 7),
          });
          const record = `${bytes.record}}`;
          expect(canonicalizeIndependently(JSON.parse(record))).to.equal(record);
          expect(JSON.parse(record).payload.body.evaluation).to.equal(version === 1 ? undefined : version);
          expect(canonicalizeIndependently(JSON.parse(bytes.answer(undefined)))).to.equal(bytes.answer(undefined));
          expect(answerOfRecord(Buffer.from(bytes.record))).to.equal(bytes.answer(undefined));
          // The complete record stays canonical, because previousHash sorts after every other member.
          const chained = `${bytes.record},"previousHash":"${'0'.repeat(64)}"}`;
          expect(canonicalizeIndependently(JSON.parse(chained))).to.equal(chained);
          // A value that shares a column with other rows must not contain a line feed (shared/platform/db/columns.ts).
          expect(bytes.record + canonicalOf(all)).not.to.contain('\n');
        },
      ),
      { numRuns: 300 },
    );
  });
});

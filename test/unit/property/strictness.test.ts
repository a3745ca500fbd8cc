// The join of readings is a semilattice whose order is `milderIn`, so additional readings can only make an answer stricter.
import { expect } from 'chai';
import fc from 'fast-check';
import {
  type Judged,
  type JudgedWhole,
  meaningsMember,
  strictest,
} from '../../../shared/core/intent/assess/strictness.ts';
import { isRaised, raise, raisedBy } from '../../../shared/core/intent/second-reading.ts';
import { judgedOf, lacksSecondReading, rowOf } from '../../../shared/domain/decisions/recent-parse-rows.ts';
import { milderIn } from '../../support/milder.ts';
import {
  ACTIONS,
  DATA_CLASSES,
  EFFECTS,
  EXTENTS,
  INTENT_FLAGS,
  SECOND_READINGS,
  TRAITS,
} from '../../../shared/kernel/vocabulary.ts';

const some = <T>(values: readonly T[]) => fc.uniqueArray(fc.constantFrom(...values), { maxLength: values.length });
const names = some(['a@x.example', 'b@x.example', 'c', 'd']);

const reading: fc.Arbitrary<JudgedWhole> = fc.record({
  verb: fc.constantFrom('read', 'drop', 'wipe', 'give', 'unknown'),
  action: fc.constantFrom(...ACTIONS),
  effect: fc.constantFrom(...EFFECTS),
  traits: some(TRAITS),
  extent: fc.constantFrom(...EXTENTS),
  confidence: fc.integer({ min: 0, max: 1_000 }).map((thousandths) => thousandths / 1_000),
  coverage: fc.integer({ min: 0, max: 1_000 }).map((thousandths) => thousandths / 1_000),
  entities: fc.record({
    emails: names,
    urls: names,
    hosts: names,
    money: fc.uniqueArray(
      fc.record({ amount: fc.integer({ min: 1, max: 3 }), currency: fc.constantFrom('EUR', 'USD') }),
      { maxLength: 3, selector: (sum) => JSON.stringify(sum) },
    ),
    paths: names,
    identifiers: names,
  }),
  data_classes: some(DATA_CLASSES),
  flags: some(INTENT_FLAGS),
  places: some(['production', 'db/production', 'staging']),
});
const answer = fc.record({
  effect: fc.constantFrom(...EFFECTS),
  action: fc.constantFrom(...ACTIONS),
  traits: some(TRAITS),
  data_classes: some(DATA_CLASSES),
  flags: some(INTENT_FLAGS),
  why: fc.constant(''),
});
/** Readings with one meaning, and with several, of which theirs is one. */
const judgedWhole: fc.Arbitrary<JudgedWhole> = fc
  .tuple(reading, fc.array(reading, { maxLength: 2 }), fc.constantFrom(undefined, ...SECOND_READINGS), fc.boolean())
  .map(([one, others, second, isHarmless]) => ({
    ...one,
    ...(isHarmless ? { harmless: true as const } : {}),
    ...meaningsMember([one, ...others]),
    ...(second === undefined ? {} : { second_reading: second }),
  }));
/** Also with entities that are too many to be kept. */
const judged: fc.Arbitrary<Judged> = fc
  .tuple(judgedWhole, fc.boolean())
  .map(([{ entities, ...rest }, isKept]) => (isKept ? { ...rest, entities } : rest));
const NAMED = { normalized: 'db.read.users', domain: 'db', object: 'users', unread: [], alternatives: [] };

describe('the strictest of readings', () => {
  it('is no milder than any of them, in any member', () => {
    fc.assert(
      fc.property(judged, judged, (a, b) => {
        const both = strictest(a, b);
        expect(milderIn(both, a)).to.deep.equal([]);
        expect(milderIn(both, b)).to.deep.equal([]);
      }),
    );
  });

  it('is the least such reading: one that is no milder than both is no milder than it', () => {
    fc.assert(
      fc.property(judged, judged, judged, (a, b, c) => {
        const above = strictest(c, strictest(a, b));
        fc.pre(milderIn(above, a).length === 0 && milderIn(above, b).length === 0);
        expect(milderIn(above, strictest(a, b))).to.deep.equal([]);
        // It contains nothing that neither has.
        const both = strictest(a, b);
        expect([...a.traits, ...b.traits]).to.include.members(both.traits);
        expect([a.action, b.action]).to.include(both.action);
        expect([a.effect, b.effect]).to.include(both.effect);
        expect([a.confidence, b.confidence]).to.include(both.confidence);
      }),
    );
  });

  it('is the same in any order and with any repetition', () => {
    fc.assert(
      fc.property(judged, judged, judged, (a, b, c) => {
        expect(strictest(a, b)).to.deep.equal(strictest(b, a));
        expect(strictest(strictest(a, b), c)).to.deep.equal(strictest(a, strictest(b, c)));
        const both = strictest(a, b);
        expect(strictest(both, both)).to.deep.equal(both);
        expect(strictest(both, a)).to.deep.equal(both);
      }),
    );
  });

  it('is milder in exactly the members that were changed to milder ones', () => {
    fc.assert(
      fc.property(judged, (a) => {
        expect(milderIn(a, a)).to.deep.equal([]);
        const less: Judged = { ...a, traits: [], flags: [], confidence: 1 };
        expect(milderIn(less, { ...a, traits: ['bulk'], flags: ['negated'], confidence: 0.5 })).to.deep.equal([
          'confidence',
          'traits',
          'flags',
        ]);
      }),
    );
  });

  it('is what a second reader makes of a parse: no milder than the parse, in any member, nor than its own answer', () => {
    fc.assert(
      fc.property(judgedWhole, answer, (a, given) => {
        const parse = { ...a, ...NAMED };
        const raised = raisedBy(parse, given);
        const read = raise(parse, raised);
        expect(milderIn(read, a)).to.deep.equal([]);
        expect(read).to.include({ normalized: parse.normalized, domain: parse.domain, object: parse.object });
        for (const member of ['effect', 'action', 'traits', 'data_classes', 'flags'] as const)
          expect(milderIn(read, { ...a, ...given }), member).to.not.include(member);
        expect(isRaised(raisedBy(read, given))).to.equal(false);
        if (isRaised(raised)) expect(read.harmless).to.equal(undefined);
        else expect(read).to.equal(parse);
      }),
    );
  });

  it('survives a row of the table of recent parses', () => {
    fc.assert(
      fc.property(judged, (a) => {
        const read = judgedOf(rowOf(a));
        expect([...milderIn(read, a), ...milderIn(a, read)]).to.deep.equal([]);
        expect(lacksSecondReading(rowOf(a))).to.equal(a.second_reading === undefined);
      }),
    );
  });
});

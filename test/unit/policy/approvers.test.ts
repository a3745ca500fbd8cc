// Who must approve: what rules demand together, and which sets of votes meet it.
import { NO_DECLARATIONS } from '../../../shared/core/policy/declarations.ts';
import { expect } from 'chai';
import fc from 'fast-check';
import { checkPolicy } from '../../../shared/core/policy/check.ts';
import { createEvaluator } from '../../../shared/core/policy/evaluate.ts';
import {
  type ApproverDemand,
  differentHands,
  furtherDemands,
  lifetimeOf,
  progressOf,
  type Voters,
} from '../../../shared/core/policy/approvers.ts';
import { factsWith, policy, setOf } from './support.ts';

/** Keys 0..n-1, each made by an earlier one or by nobody; tags and validity by index. */
const histories = fc.array(
  fc.record({
    madeBy: fc.nat(7),
    isRoot: fc.boolean(),
    tags: fc.subarray(['finance', 'legal']),
    isValid: fc.boolean(),
  }),
  { minLength: 2, maxLength: 8 },
);
type History = typeof histories extends fc.Arbitrary<infer T> ? T : never;

function votersOf(history: History): Voters {
  const above = (id: string): string[] => {
    const { madeBy, isRoot } = history[Number(id)] ?? { madeBy: 0, isRoot: true };
    return isRoot || madeBy >= Number(id) ? [] : [String(madeBy), ...above(String(madeBy))];
  };
  return {
    tagsOf: (id) => history[Number(id)]?.tags ?? [],
    isValid: (id) => history[Number(id)]?.isValid === true,
    areSameHands: (a, b) => a === b || above(a).includes(b) || above(b).includes(a),
  };
}

const subsetsOf = <T>(items: readonly T[]): T[][] =>
  items.reduce<T[][]>((all, item) => [...all, ...all.map((one) => [...one, item])], [[]]);
const demands = fc.array(
  fc.record({
    keys: fc.subarray(['0', '1', '2', '3']),
    tags: fc.subarray(['finance', 'legal']),
    at_least: fc.integer({ min: 1, max: 4 }),
  }),
  { minLength: 1, maxLength: 3 },
);

describe('the votes for an approval', () => {
  const cases = fc.record({ history: histories, given: demands, votes: fc.uniqueArray(fc.nat(7), { maxLength: 8 }) });
  const caseOf = ({ history, given, votes }: typeof cases extends fc.Arbitrary<infer T> ? T : never) => ({
    voters: votersOf(history),
    asked: given.map((one, i): ApproverDemand => ({ policy: 'p', rule: `r${i}`, ...one })),
    cast: votes.filter((vote) => vote > 0 && vote < history.length).map(String),
  });

  it('meet a demand exactly when some of them are named, valid, apart from the asker and from each other, and enough', () => {
    fc.assert(
      fc.property(cases, (made) => {
        const { voters, asked, cast } = caseOf(made);
        // Key 0 asks. Every subset of the votes is tried.
        const isMet = ({ keys, tags, at_least: least }: ApproverDemand): boolean =>
          subsetsOf(cast).some(
            (some) =>
              some.length === least &&
              some.every(
                (id, i) =>
                  voters.isValid(id) &&
                  !voters.areSameHands('0', id) &&
                  (keys.includes(id) || voters.tagsOf(id).some((tag) => tags.includes(tag))) &&
                  some.slice(i + 1).every((other) => !voters.areSameHands(id, other)),
              ),
          );
        const progress = progressOf(asked, { askedBy: '0', votes: cast }, voters);
        expect(progress.map(({ missing }) => missing === 0)).to.deep.equal(asked.map(isMet));
      }),
      { numRuns: 500 },
    );
  });

  it('never count less with one more vote, and the same in any order', () => {
    fc.assert(
      fc.property(cases, fc.nat(), (made, at) => {
        const { voters, asked, cast } = caseOf(made);
        const missing = (votes: readonly string[]) =>
          progressOf(asked, { askedBy: '0', votes }, voters).map((one) => one.missing);
        const fewer = missing(cast.filter((_, i) => i !== at % Math.max(1, cast.length)));
        const all = missing(cast);
        expect(all.every((one, i) => one <= (fewer[i] ?? 0))).to.equal(true);
        expect(missing(cast.toReversed())).to.deep.equal(all);
      }),
    );
  });

  it('meet every demand that is covered by those that they meet, whichever rule makes it', () => {
    fc.assert(
      fc.property(cases, (made) => {
        const { voters, asked, cast } = caseOf(made);
        const [earlier, now] = [asked.slice(0, 1), asked.slice(1)];
        const further = furtherDemands({ approvers: earlier }, { approvers: now });
        const missing = (demands: readonly ApproverDemand[]): number[] =>
          progressOf(demands, { askedBy: '0', votes: cast }, voters).map((one) => one.missing);
        const covered = now.filter((demand) => !further.includes(demand));
        if (missing(earlier).every((one) => one === 0))
          expect(missing(covered).every((one) => one === 0)).to.equal(true);
      }),
      { numRuns: 1_000 },
    );
    const demand = { policy: 'p', rule: 'r', keys: [], tags: ['finance'], at_least: 3 };
    const fewer = { ...demand, rule: 'renamed', at_least: 2, tags: ['finance', 'legal'] };
    expect(furtherDemands({ approvers: [demand] }, { approvers: [fewer] })).to.deep.equal([]);
    expect(furtherDemands({ approvers: [fewer] }, { approvers: [demand] })).to.deep.equal([demand]);
  });

  it('are counted with few comparisons, however the keys are related', () => {
    const ids = Array.from({ length: 32 }, (_, i) => String(i));
    const group = (id: string): number => Math.floor(Number(id) / 3);
    for (const areSame of [
      () => true,
      () => false,
      (a: string, b: string) => group(a) === group(b),
      (a: string, b: string) => Math.abs(Number(a) - Number(b)) < 4,
    ]) {
      let compared = 0;
      const found = differentHands(ids, (a, b) => {
        compared += 1;
        return areSame(a, b);
      });
      expect(found.every((a, i) => found.slice(i + 1).every((b) => !areSame(a, b)))).to.equal(true);
      // A search of all sets of 32 keys would make billions.
      expect(compared).to.be.lessThan(10_000_000);
    }
  });
});

describe('the approvers that rules name', () => {
  const escalate = (id: string, params: object) =>
    policy(id, 'ESCALATE', undefined, {
      rules: [
        {
          name: 'only',
          conditions: { all: [{ fact: 'agent', path: 'id', operator: 'isPresent', value: true }] },
          event: { type: 'ESCALATE', params: { code: 'ASKED', message: 'm', ...params } },
        },
      ],
    });
  const evaluationOf = (...policies: unknown[]) => createEvaluator({ set: setOf(policies) }).evaluate(factsWith());

  it('are all demanded together, with the shortest lifetime that a rule names', async () => {
    const { escalation } = await evaluationOf(
      escalate('b', { approvers: { tags: ['legal'] }, ttl: '2h' }),
      escalate('a', { approvers: { keys: ['4fZ0q9Lm'], tags: ['finance'], atLeast: 2 }, ttl: '3d' }),
      escalate('c', {}),
    );
    expect(escalation).to.deep.equal({
      approvers: [
        { policy: 'a', rule: 'only', keys: ['4fZ0q9Lm'], tags: ['finance'], at_least: 2 },
        { policy: 'b', rule: 'only', keys: [], tags: ['legal'], at_least: 1 },
      ],
      ttlMs: 7_200_000,
      orDefault: true,
    });
    const [hour, day] = [3_600_000, 86_400_000];
    expect([lifetimeOf(escalation, hour), lifetimeOf(escalation, day)]).to.deep.equal([hour, 2 * hour]);
    const alone = await evaluationOf(escalate('a', { ttl: '3d' }));
    expect([lifetimeOf(alone.escalation, hour), lifetimeOf(undefined, hour)]).to.deep.equal([3 * day, hour]);
  });

  it('are absent where no rule names any, and where a DENY or nothing that permits decides', async () => {
    const named = escalate('a', { approvers: { tags: ['finance'] }, ttl: '1h' });
    expect(await evaluationOf(escalate('a', {}))).to.not.have.property('escalation');
    expect(await evaluationOf(named, policy('d', 'DENY'))).to.not.have.property('escalation');
    expect(await evaluationOf(policy('d', 'ALLOW'))).to.not.have.property('escalation');
  });

  for (const [what, type, params, pointer, message] of [
    ['nobody', 'ESCALATE', { approvers: { atLeast: 2 } }, '/approvers', /keys|tags/],
    ['too many', 'ESCALATE', { approvers: { tags: ['a'], atLeast: 11 } }, '/approvers/atLeast', /10/],
    ['half a hand', 'ESCALATE', { approvers: { tags: ['a'], atLeast: 1.5 } }, '/approvers/atLeast', /integer|whole/],
    [
      'more than the named keys',
      'ESCALATE',
      { approvers: { keys: ['4fZ0q9Lm'], atLeast: 2 } },
      '/approvers/atLeast',
      /demands 2 approvers, and 1 key is named/,
    ],
    ['no key id', 'ESCALATE', { approvers: { keys: ['cst_live_4fZ0q9Lm'] } }, '/approvers/keys/0', /match/],
    ['an empty tag', 'ESCALATE', { approvers: { tags: [''] } }, '/approvers/tags/0', /character|empty|fewer/],
    ['a member that is not known', 'ESCALATE', { approvers: { tag: ['a'] } }, '/approvers/tag', /tags/],
    ['approvers of a DENY', 'DENY', { approvers: { tags: ['a'] } }, '/approvers', /only ESCALATE has approvers/],
    ['the lifetime of a DENY', 'DENY', { ttl: '1h' }, '/ttl', /only ESCALATE has ttl/],
    ['no duration', 'ESCALATE', { ttl: 'soon' }, '/ttl', /match/],
    ['a lifetime of 0', 'ESCALATE', { ttl: '0m' }, '/ttl', /from 1m to 7d/],
    ['a lifetime of 8 days', 'ESCALATE', { ttl: '8d' }, '/ttl', /from 1m to 7d/],
  ] as const)
    it(`are refused with ${what}`, () => {
      const event = { type, params: { code: 'X', message: 'm', ...params } };
      const conditions = { all: [{ fact: 'agent', path: 'id', operator: 'isPresent', value: true }] };
      const checked = checkPolicy(
        policy('p', type, undefined, { rules: [{ name: 'only', conditions, event }] }),
        NO_DECLARATIONS,
      );
      const problems = checked.ok ? [] : checked.problems;
      const found = problems.find((problem) => problem.pointer === `/rules/0/event/params${pointer}`);
      expect(found?.message, JSON.stringify(problems)).to.match(message);
    });
});

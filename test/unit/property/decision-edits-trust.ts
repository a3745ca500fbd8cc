// Edits of the trust that a decision used, and of the signals behind it.
import type { Facts } from '../../../shared/core/policy/types.ts';
import { levelOf } from '../../../shared/core/trust/score.ts';
import { bodyOf, type Edit, edited, expect, falsified, type Loose, withBody } from './decision-edit.ts';

const setTrust = (facts: Facts, body: Loose, trust: Partial<Facts['trust']>): void => {
  Object.assign(facts.trust, trust);
  const { level, uncertainty, recorded } = facts.trust;
  Object.assign(body.trust, {
    effective_level: level,
    score: recorded.score,
    uncertainty,
    recorded_level: recorded.level,
  });
};

export const TRUST_EDITS: readonly Edit[] = [
  ...(
    [
      ['weight', (signal) => (signal.weight = signal.weight === 1 ? 0.5 : 1)],
      ['type', (signal) => (signal.type = signal.type === 'success' ? 'failure' : 'success')],
      ['day', (signal) => (signal.day = '2025-06-01')],
      ['key', (signal) => (signal.key = 'ZZZZZZZZ')],
      ['id', (signal) => (signal.signalId += 'x')],
    ] as readonly (readonly [string, (signal: Loose) => void])[]
  ).map(
    ([name, change]): Edit => ({
      name: `a trust signal's ${name}`,
      make: (made) => {
        const { trustRecords = [] } = made.evidence;
        const [first] = trustRecords;
        if (first === undefined || bodyOf(made).trust.as_of.signals === 0) return undefined;
        const changed = edited(first, ({ payload }) => change(payload.body.signals[0]));
        return expect('TRUST_RECORD_ALTERED', { ...made.evidence, trustRecords: [changed, ...trustRecords.slice(1)] });
      },
    }),
  ),
  {
    name: 'falsified trust records: a violation becomes a success',
    make: (made) => {
      const { trustRecords = [] } = made.evidence;
      if (bodyOf(made).trust.as_of.signals === 0) return undefined;
      let found = false;
      const changed = trustRecords.map((record, i) =>
        edited(
          record,
          ({ payload }) => {
            const violation = payload.body.signals.find(
              ({ type, weight }: Loose) => type === 'violation' && weight > 0.5,
            );
            if (i !== 0 || violation === undefined) return;
            found = true;
            violation.type = 'success';
          },
          { keepLeaf: false },
        ),
      );
      return found ? expect('TRUST_FOLD_WRONG', { ...made.evidence, trustRecords: changed }) : undefined;
    },
  },
  {
    name: 'a trust record is left out',
    make: (made) =>
      bodyOf(made).trust.as_of.signals === 0
        ? undefined
        : expect('TRUST_SIGNALS_MISSING', { ...made.evidence, trustRecords: made.evidence.trustRecords?.slice(1) }),
  },
  {
    name: 'a trust record comes twice',
    make: (made) => {
      const { trustRecords = [] } = made.evidence;
      const [first] = trustRecords;
      if (first === undefined || bodyOf(made).trust.as_of.signals === 0) return undefined;
      return expect('TRUST_SIGNALS_MISSING', { ...made.evidence, trustRecords: [first, ...trustRecords] });
    },
  },
  {
    name: 'the score of the answer',
    make: (made) =>
      expect(
        'FACTS_DISAGREE',
        withBody(made, (body) => (body.trust.score += body.trust.score > 500 ? -1 : 1)),
      ),
  },
  {
    name: 'facts, digest and answer: the recorded score',
    make: (made) =>
      expect(
        'TRUST_DIFFERS',
        falsified(made, (facts: Facts, body) => {
          const by = facts.trust.recorded.score > 500 ? -1 : 1;
          const recorded = facts.trust.recorded.score + by;
          const score = Math.min(recorded, facts.trust.claimed?.score ?? recorded);
          setTrust(facts, body, {
            recorded: { score: recorded, level: levelOf(recorded) },
            score,
            level: levelOf(score),
          });
        }),
      ),
  },
  {
    name: 'facts, digest and answer: the uncertainty',
    make: (made) =>
      expect(
        'TRUST_DIFFERS',
        falsified(made, (facts: Facts, body) =>
          setTrust(facts, body, { uncertainty: facts.trust.uncertainty === 0.5 ? 0.4 : 0.5 }),
        ),
      ),
  },
  {
    name: 'facts, digest and answer: a claim that raises trust',
    make: (made) =>
      expect(
        'EFFECTIVE_TRUST_WRONG',
        falsified(made, (facts: Facts, body) => setTrust(facts, body, { score: 1_000, level: 7 })),
      ),
  },
  {
    name: 'trust of another day',
    make: (made) =>
      expect(
        'TRUST_AS_OF',
        withBody(made, (body) => (body.trust.as_of.day = '2025-01-01')),
      ),
  },
  {
    name: 'more signals than exist',
    make: (made) =>
      expect(
        'TRUST_SIGNALS_MISSING',
        withBody(made, (body) => (body.trust.as_of.signals += 1_000)),
      ),
  },
];

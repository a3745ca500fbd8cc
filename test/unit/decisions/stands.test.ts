// Whether a decision stands, for every combination of the inputs.
import { expect } from 'chai';
import {
  LAPSES,
  type Lapse,
  lapseOf,
  lapseSentence,
  type Present,
  type Said,
} from '../../../shared/core/decision/stands.ts';
import { AGENT_STATUSES, VERDICTS } from '../../../shared/kernel/vocabulary.ts';

const EXPIRES = Date.parse('2026-03-01T10:00:00.000Z');
const NOW_MS = [0, EXPIRES - 1, EXPIRES, EXPIRES + 1, Number.NaN];
const AGENTS = [...AGENT_STATUSES, 'UNREGISTERED'] as const;
const BOOLEANS = [false, true];

interface Case extends Said, Present {}
const ALL: readonly Case[] = VERDICTS.flatMap((verdict) =>
  [EXPIRES, Number.NaN].flatMap((expiresAtMs) =>
    NOW_MS.flatMap((nowMs) =>
      BOOLEANS.flatMap((halted) =>
        AGENTS.flatMap((agent) =>
          BOOLEANS.flatMap((keyIsValid) =>
            BOOLEANS.map((notCarriedOut) => ({
              verdict,
              expiresAtMs,
              nowMs,
              halted,
              agent,
              keyIsValid,
              notCarriedOut,
            })),
          ),
        ),
      ),
    ),
  ),
);

/** Each reason by itself, in order of precedence. */
const HOLDS: Readonly<Record<Lapse, (one: Case) => boolean>> = {
  verdict: ({ verdict }) => verdict === 'DENY' || verdict === 'ESCALATE',
  expired: ({ nowMs, expiresAtMs }) => nowMs !== 0 && !(nowMs === EXPIRES - 1 && expiresAtMs === EXPIRES),
  halted: ({ halted }) => halted,
  agent_not_active: ({ agent }) => agent === 'PAUSED' || agent === 'SUSPENDED' || agent === 'TERMINATED',
  key_invalid: ({ keyIsValid }) => !keyIsValid,
  not_carried_out: ({ notCarriedOut }) => notCarriedOut,
};
// NaN compares as false with every time.
const expired = (one: Case): boolean => Number.isNaN(one.expiresAtMs) || HOLDS.expired(one);

describe('a decision', () => {
  it(`stands only when it permits, has not expired, nothing is halted, and agent and key are good (${ALL.length} cases)`, () => {
    const seen = new Map<Lapse | undefined, number>();
    for (const one of ALL) {
      const expected = LAPSES.find((lapse) => (lapse === 'expired' ? expired(one) : HOLDS[lapse](one)));
      const lapse = lapseOf(one, one);
      expect(lapse, JSON.stringify(one)).to.equal(expected);
      seen.set(lapse, (seen.get(lapse) ?? 0) + 1);
    }
    expect([...seen.keys()]).to.have.members([undefined, ...LAPSES]);
    // ALLOW and DEGRADE, at two times, of an agent that is active or not registered.
    expect(seen.get(undefined)).to.equal(2 * 2 * 2);
  });

  it('that does not stand never stands because of an additional reason', () => {
    for (const one of ALL) {
      if (lapseOf(one, one) === undefined) continue;
      for (const worse of [{ halted: true }, { keyIsValid: false }, { agent: 'PAUSED' }, { nowMs: EXPIRES }] as const)
        expect(lapseOf(one, { ...one, ...worse }), JSON.stringify({ ...one, ...worse })).to.not.equal(undefined);
    }
  });

  it('has a message for each reason that names it and a remedy', () => {
    const sentences = [...LAPSES, 'denied_now' as const, 'not_approved_now' as const].map(lapseSentence);
    expect(new Set(sentences).size).to.equal(LAPSES.length + 2);
    for (const sentence of sentences)
      expect(sentence).to.match(/^This decision no longer stands, because .+; ask again\.$/);
  });
});

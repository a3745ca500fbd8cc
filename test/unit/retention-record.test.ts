// The shortest times of retention, against what may still need the data.
import { expect } from 'chai';
import { REPEAT_WITHIN_MS } from '../../shared/core/decision/approval.ts';
import { RULE_TTL } from '../../shared/core/policy/approvers.ts';
import { createDropCheck } from '../../shared/core/proof/dropped-leaves.ts';
import { canonicalize } from '../../shared/core/proof/canonical.ts';
import { NO_PREVIOUS, recordPrefix, sealRecord } from '../../shared/core/proof/record.ts';
import { claimsTooMuch, shortestKeepMs } from '../../shared/core/proof/retention-record.ts';
import { RETENTION_KINDS } from '../../shared/domain/retention/times.ts';
import { parseDuration } from '../../shared/kernel/durations.ts';
import { lowestId } from '../../shared/kernel/ids.ts';
import { SETTINGS } from '../../shared/platform/config/table.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('the shortest times of retention', () => {
  it('outlive every approval, a repeat of its use, and clocks that differ by an hour', () => {
    const longestMs = Math.max(parseDuration(RULE_TTL.max) ?? Infinity, SETTINGS.approvalTtlMs.read('604800'));
    expect(() => SETTINGS.approvalTtlMs.read('604801')).to.throw();
    expect(longestMs + REPEAT_WITHIN_MS + HOUR_MS).to.be.at.most(shortestKeepMs('approvals'));
    expect(SETTINGS.keepApprovalsMs.read('8d')).to.equal(shortestKeepMs('approvals'));
  });

  it('are a day at least for every kind', () => {
    for (const kind of RETENTION_KINDS) expect(shortestKeepMs(kind), kind).to.be.at.least(DAY_MS);
  });

  it('make a record a forgery that states more, whatever time it names', () => {
    const nowMs = 1_800_000_000_000;
    const states = (what: 'decisions' | 'approvals' | 'actions', days: number, keepSeconds: number): boolean => {
      const prefix = { decisions: 'dec', approvals: 'apr', actions: 'act' } as const;
      const beforeId = lowestId(prefix[what], nowMs - days * DAY_MS);
      return claimsTooMuch({ what, beforeId, before: '', setting: '', keepSeconds }, new Date(nowMs).toISOString());
    };
    expect([states('approvals', 7.9, 0), states('approvals', 8, 0), states('approvals', 9, 864_000)]).to.deep.equal([
      true,
      false,
      true,
    ]);
    expect([states('actions', 0.9, 0), states('actions', 1, 0), states('decisions', 1, 0)]).to.deep.equal([
      true,
      false,
      false,
    ]);
  });
});

describe('a leaf without its record in an exported log', () => {
  const startMs = 1_800_000_000_000;
  const proofAt = (days: number): string => `prf${lowestId('dec', startMs + days * DAY_MS).slice(3)}`;
  const recordAt = (days: number, event: string, body: object): Buffer => {
    const occurredAt = new Date(startMs + days * DAY_MS).toISOString();
    const parts = {
      event,
      occurredAt,
      body: canonicalize(body),
      environment: 'live',
      organisationSlug: 'acme',
      proofId: 'x',
    };
    return sealRecord(recordPrefix({ ...parts, entityId: 'custos:retention' }), NO_PREVIOUS).bytes;
  };
  const drop = (days: number): Buffer => {
    const beforeMs = startMs + (days - 8) * DAY_MS;
    const before = new Date(beforeMs).toISOString();
    const named = { what: 'decisions', setting: 'CUSTOS_KEEP_DECISIONS', keepSeconds: 7 * 86_400 };
    return recordAt(days, 'custos.retention', { ...named, before, beforeId: lowestId('dec', beforeMs) });
  };
  /** Dropped leaves by their days, then a record of retention of day 30; checkpoints by size and day. */
  const kindsOf = (
    days: readonly number[],
    checkpoints: readonly (readonly [size: number, day: number])[],
    first?: Buffer,
  ): string[] => {
    const check = createDropCheck();
    const from = first === undefined ? 0 : 1;
    if (first !== undefined) check.addLeaf(0, first);
    for (const [i, day] of days.entries()) check.addDropped(from + i, proofAt(day));
    check.addLeaf(from + days.length, drop(30));
    const size = from + days.length + 1;
    for (const [signed, day] of [...checkpoints, [size, 30] as const])
      check.addCheckpoint(signed, startMs + day * DAY_MS);
    return check.end(size).unfounded.map(({ kind }) => kind);
  };

  it('is dropped rightly where it was appended within a day of its id, or of the next signature after it', () => {
    expect(
      kindsOf(
        [0, 1, 2],
        [
          [1, 0.1],
          [2, 1.1],
          [3, 2.1],
        ],
      ),
    ).to.deep.equal([]);
    // No worker ran for five days, and what waited was signed in several steps.
    expect(
      kindsOf(
        [0, 1, 2],
        [
          [1, 0.1],
          [2, 5.1],
          [3, 5.2],
        ],
      ),
    ).to.deep.equal([]);
  });

  it('is dropped rightly where a clock was ahead for a while', () => {
    expect(
      kindsOf(
        [0, 1],
        [
          [1, 9],
          [2, 1.1],
        ],
      ),
    ).to.deep.equal([]);
  });

  it('is missing where only records say so that no checkpoint covers, or that stand before it', () => {
    const unfounded = (signedSize: number, isFirst = false): string[] => {
      const check = createDropCheck();
      if (isFirst) check.addLeaf(0, drop(30));
      check.addDropped(isFirst ? 1 : 0, proofAt(0));
      if (!isFirst) check.addLeaf(1, drop(30));
      check.addCheckpoint(1, startMs + 0.1 * DAY_MS);
      return check.end(signedSize).unfounded.map(({ kind }) => kind);
    };
    expect(unfounded(2)).to.deep.equal([]);
    expect(unfounded(1)).to.deep.equal(['source-missing']);
    expect(unfounded(2, true)).to.deep.equal(['source-missing']);
  });

  it('is missing where the record states a drop of younger data than its setting, or any setting, allows', () => {
    for (const [keepDays, beforeDay] of [
      [7, 24],
      [0, 29.5],
    ] as const) {
      const beforeMs = startMs + beforeDay * DAY_MS;
      const check = createDropCheck();
      check.addDropped(0, proofAt(0));
      const named = { what: 'decisions', setting: 'CUSTOS_KEEP_DECISIONS', keepSeconds: keepDays * 86_400 };
      const stated = { ...named, before: new Date(beforeMs).toISOString(), beforeId: lowestId('dec', beforeMs) };
      check.addLeaf(1, recordAt(30, 'custos.retention', stated));
      check.addCheckpoint(1, startMs + 0.1 * DAY_MS);
      expect(check.end(2).unfounded.map(({ kind }) => kind)).to.deep.equal(['retention-unfounded', 'source-missing']);
    }
  });

  it('is missing where the log was signed long after its id, or a younger record stands before it', () => {
    expect(
      kindsOf(
        [0, 1, 2],
        [
          [1, 5],
          [2, 9],
          [3, 9.1],
        ],
      ),
    ).to.deep.equal(['source-missing']);
    expect(kindsOf([2], [], recordAt(9, 'noted', {}))).to.deep.equal(['source-missing']);
  });
});

// The shortest times of retention, against what may still need the data.
import { expect } from 'chai';
import { REPEAT_WITHIN_MS } from '../../shared/core/decision/approval.ts';
import { RULE_TTL } from '../../shared/core/policy/approvers.ts';
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

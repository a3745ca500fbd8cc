// The audit of decisions across versions of the evaluation: what another version may have decided, and what it can't have.
import { expect } from 'chai';
import { auditDecisions, type DecisionsAudited } from '../../../shared/domain/ledger/audit-decisions.ts';
import type { DecisionTurns } from '../../../shared/domain/ledger/audit-state.ts';
import type { Database } from '../../../shared/platform/db/database.ts';
import type { StoredVerifier } from '../../../shared/domain/verification/stored.ts';
import type { VerifiedDecision } from '../../../shared/core/verification/decision.ts';
import { newId, proofIdOfDecision } from '../../../shared/kernel/ids.ts';

const NOW_MS = Date.parse('2026-11-30T12:00:00.000Z');
const DAY_MS = 86_400_000;
const LOG = { organisationId: 'org', environment: 'live', logId: 1 } as const;
const NOTHING: DecisionTurns = { by: '', from: 0, size: 0, next: 0, agentId: '' };

/** A log whose leaves are decisions that do not hold by this version, each of the version of the evaluation that it names. */
class Log {
  readonly #made: { readonly id: string; readonly evaluation: number }[] = [];

  add(evaluation: number, atMs = NOW_MS): string {
    const id = newId('dec', atMs);
    this.#made.push({ id, evaluation });
    return id;
  }

  async audit(
    before: DecisionTurns,
    {
      evaluation,
      versions = 1,
      nowMs = NOW_MS,
      again = [] as readonly string[],
    }: { evaluation: number; versions?: number; nowMs?: number; again?: readonly string[] },
  ): Promise<DecisionsAudited> {
    const made = this.#made;
    const query = async (text: string, values: readonly unknown[]): Promise<object[]> => {
      if (text.includes('proof_id >= $2'))
        return made.flatMap(({ id }, at) => (proofIdOfDecision(id) === values[1] ? [{ leaf_index: at }] : []));
      const [from, past] = [Number(values[1]), Number(values[2])];
      return made.flatMap(({ id }, at) => (at >= from && at < past ? [{ leaf_index: at, decision_id: id }] : []));
    };
    const verifier: Pick<StoredVerifier, 'some'> = {
      async *some(_, ids) {
        for (const id of ids) {
          const version = made.find((one) => one.id === id)?.evaluation ?? 0;
          const outcome = { decisionId: id, verdict: 'ALLOW' as const, evaluation: version, sentence: '' };
          yield (
            version === evaluation
              ? {
                  ...outcome,
                  status: 'failed',
                  failures: [{ code: 'VERDICT_DIFFERS', sentence: '' }],
                  notEvaluable: [],
                }
              : { ...outcome, status: 'not_evaluable', notEvaluable: ['OTHER_VERSION'] }
          ) satisfies VerifiedDecision;
        }
      },
    };
    // Only queries are used.
    const db = { query } as unknown as Database;
    return auditDecisions({ db, verifier, evaluation, nowMs: () => nowMs }, { ...LOG, size: made.length }, before, {
      versions,
      again,
      isTimeLeft: () => true,
      isLate: () => false,
    });
  }
}

const found = ({ verified }: DecisionsAudited): string[] =>
  [...verified].flatMap(([id, finding]) => (finding === undefined ? [] : [id]));

describe('the audit of decisions that this version evaluates differently', () => {
  it('finds one that names this version, wherever it is in the log and whoever audited it before', async () => {
    const log = new Log();
    const ids = [log.add(2), log.add(2)];
    for (const by of ['', '0.1.0', 'evaluation 1', 'evaluation 2', 'evaluation 3'])
      expect(
        found(await log.audit({ ...NOTHING, by, from: 2, size: 2, next: 2 }, { evaluation: 2 })),
        by,
      ).to.have.members(ids);
  });

  it('excuses those of the version before that were logged before this one began, and for a day beside it', async () => {
    const log = new Log();
    log.add(1);
    const first = await log.audit({ ...NOTHING, by: 'evaluation 1', size: 1 }, { evaluation: 2 });
    expect(found(first)).to.deep.equal([]);
    // A process of the version before goes on for a while, and its inbox is appended.
    log.add(1);
    const second = await log.audit(first.turns, { evaluation: 2, nowMs: NOW_MS + DAY_MS / 2 });
    expect(found(second)).to.deep.equal([]);
    const ended = await log.audit(second.turns, { evaluation: 2, nowMs: NOW_MS + DAY_MS });
    expect([found(ended), ended.turns.by, ended.turns.from]).to.deep.equal([[], 'evaluation 2', 2]);
    const forged = log.add(1, NOW_MS - DAY_MS);
    const last = await log.audit(ended.turns, { evaluation: 2, nowMs: NOW_MS + DAY_MS });
    expect(found(last)).to.deep.equal([forged]);
    // It stays found.
    expect(
      found(await log.audit(last.turns, { evaluation: 2, nowMs: NOW_MS + 9 * DAY_MS, again: [forged] })),
    ).to.deep.equal([forged]);
  });

  it('excuses nothing by a state of the audit that somebody made unusable', async () => {
    const log = new Log();
    const id = log.add(1);
    expect(found(await log.audit(NOTHING, { evaluation: 2, versions: 3 }))).to.deep.equal([id]);
    // A log that nobody has audited yet may begin during a rolling deployment.
    expect(found(await log.audit(NOTHING, { evaluation: 2, versions: 0 }))).to.deep.equal([]);
  });

  it('excuses those of a later version once that version has audited the log, and else for a day', async () => {
    const log = new Log();
    const id = log.add(3);
    const before = { ...NOTHING, by: 'evaluation 2' };
    expect(found(await log.audit(before, { evaluation: 2 }))).to.deep.equal([]);
    expect(found(await log.audit(before, { evaluation: 2, nowMs: NOW_MS + 2 * DAY_MS }))).to.deep.equal([id]);
    const newer = { ...NOTHING, by: 'evaluation 3' };
    const older = await log.audit(newer, { evaluation: 2, nowMs: NOW_MS + 2 * DAY_MS });
    // A process that is older than others does not take over from them.
    expect([found(older), older.turns.by]).to.deep.equal([[], 'evaluation 3']);
    const unheard = log.add(9, NOW_MS - 2 * DAY_MS);
    expect(found(await log.audit(newer, { evaluation: 2 }))).to.deep.equal([unheard]);
  });
});

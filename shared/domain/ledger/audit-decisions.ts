// The audit of decisions: verifies new decisions, and old ones in turn, as `custos decision verify` does.
import { proofIdOfDecision } from '../../kernel/ids.ts';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Database } from '../../platform/db/database.ts';
import { decisionIdOf, isDecision } from '../../platform/db/leaf-sql.ts';
import type { StoredVerifier } from '../verification/stored.ts';
import type { Finding } from '../../core/proof/audit-findings.ts';
import { quoted } from '../../core/proof/encoding.ts';
import type { Owner } from '../../kernel/owner.ts';
import type { DecisionTurns } from './audit-state.ts';

/** Decisions that are verified between two checks of the time. */
const PAGE = 20;
/** Decisions of a page that are read at once. They come in another order than their leaves, so a page ends only between two chunks. */
const CHUNK = 5;
/** Leaves that are searched for decisions at once. */
const SPAN = 2_000;

const NEXT = `SELECT leaf_index::float8 AS leaf_index, ${decisionIdOf('leaf')} AS decision_id FROM leaf WHERE log_id = $1 AND leaf_index >= $2 AND leaf_index < $3 AND ${isDecision('leaf')}
    ORDER BY log_id, leaf_index LIMIT ${PAGE}`;

export interface LogOfDecisions extends Owner {
  readonly logId: number;
  readonly size: number;
}

export interface DecisionsAudited {
  readonly turns: DecisionTurns;
  /** The decisions that were verified now, by id; undefined: no finding. */
  readonly verified: ReadonlyMap<string, Finding | undefined>;
}

export interface DecisionsAuditDeps {
  readonly db: Database;
  readonly verifier: Pick<StoredVerifier, 'some'>;
  /** Version of this service. Decisions of another version are not evaluated again, because it may have evaluated policies differently. */
  readonly version: string;
}

export interface AuditDecisionsOptions {
  /** Ids with a finding so far, to check whether they still have one. */
  readonly again: readonly string[];
  /** Whether another page begins. */
  readonly isTimeLeft: () => boolean;
  /** Whether even the page that has begun ends. */
  readonly isLate: () => boolean;
}

/**
 * Verifies at least one page of new decisions and one of old ones, and more while there is time, new ones first.
 * When it is late, a page is a few decisions.
 */
export async function auditDecisions(
  { db, verifier, version }: DecisionsAuditDeps,
  log: LogOfDecisions,
  before: DecisionTurns,
  options: AuditDecisionsOptions,
): Promise<DecisionsAudited> {
  // Decisions of another version are left to the command `custos decision verify`.
  const isOurs = before.by === version;
  let turns: DecisionTurns = isOurs
    ? { ...before, from: Math.min(before.from, log.size), size: Math.min(before.size, log.size) }
    : { ...before, by: version, from: log.size, size: log.size, next: log.size };
  const verified = new Map<string, Finding | undefined>();
  /** @returns the number of decisions that were verified, from the first one on: some of them, or all if it is not late */
  const verify = async (ids: readonly string[]): Promise<number> => {
    for (let done = 0; done < ids.length; done += CHUNK) {
      if (done > 0 && options.isLate()) return done;
      await verifyChunk(ids.slice(done, done + CHUNK));
    }
    return ids.length;
  };
  const verifyChunk = async (ids: readonly string[]): Promise<void> => {
    for await (const outcome of verifier.some(log, ids)) {
      const id = outcome.decisionId ?? '';
      const [failure] = outcome.status === 'failed' ? outcome.failures : [];
      verified.set(id, failure && findingOf(id, failure.code, failure.sentence));
      // With all evidence in memory a page would occupy the event loop for 20 ms.
      await yieldToOthers();
    }
  };
  /** The decisions of the next page from a leaf on. @returns the leaf to go on with */
  const page = async (start: number, past: number): Promise<number> => {
    const end = Math.min(past, start + SPAN);
    const rows = await db.query<{ leaf_index: number; decision_id: string }>(NEXT, [log.logId, start, end]);
    const done = await verify(rows.map((row) => row.decision_id));
    return rows.length < PAGE && done === rows.length ? end : (rows[done - 1]?.leaf_index ?? end) + 1;
  };
  await verify(options.again);
  const hasTime = (isFirst: boolean): boolean => isFirst || options.isTimeLeft();
  for (let isFirst = true; turns.size < log.size && hasTime(isFirst); isFirst = false)
    turns = { ...turns, size: await page(turns.size, log.size) };
  // At most one full cycle in one run.
  const begun = turns.next;
  for (let isFirst = true, isRound = false; turns.from < turns.size && !isRound && hasTime(isFirst); isFirst = false) {
    const start = turns.next < turns.from || turns.next >= turns.size ? turns.from : turns.next;
    const next = await page(start, turns.size);
    isRound = next >= turns.size ? begun <= turns.from : start < begun && next >= begun;
    turns = { ...turns, next: next >= turns.size ? turns.from : next };
  }
  return { turns, verified };
}

function findingOf(decisionId: string, code: string, sentence: string): Finding {
  return {
    kind: 'decision-unverified',
    leafIndex: null,
    proofId: proofIdOfDecision(decisionId),
    // The failure's sentence may repeat content of the record, which findings never contain. The command shows it.
    sentence: `The decision ${quoted(decisionId)} does not hold: ${code}${sentence === '' ? '' : '; "custos decision verify" says more'}.`,
  };
}

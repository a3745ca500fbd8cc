// The audit of decisions: verifies new decisions, and old ones in turn, as `custos decision verify` does.
import { idTimeMs, proofIdOfDecision } from '../../kernel/ids.ts';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Database } from '../../platform/db/database.ts';
import { decisionIdOf, isDecision } from '../../platform/db/leaf-sql.ts';
import { FIRST_EVALUATION } from '../../core/policy/evaluation-version.ts';
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

// As leafOf, with the log that is known.
const LEAF =
  'SELECT leaf_index::float8 AS leaf_index FROM leaf WHERE log_id = $1 AND proof_id >= $2 AND proof_id <= $2 ORDER BY log_id, proof_id LIMIT 1';

/** How long processes of two versions may run side by side: a rolling deployment, and what waits in the inbox. */
const OVERLAP_MS = 24 * 3_600_000;

/** `by` of the turns. */
const BY = /^evaluation (\d+)(?: until (\d+))?$/;

/** The newest version of the evaluation that has audited a log; during its first day, until when earlier ones may decide beside it. */
function auditedBy({
  by,
}: DecisionTurns): { readonly version: number; readonly untilMs: number | undefined } | undefined {
  const [, version, until] = BY.exec(by) ?? [];
  return version === undefined
    ? undefined
    : { version: Number(version), untilMs: until === undefined ? undefined : Number(until) };
}

/**
 * Where the turns go on. `from` is the leaf before which decisions may be of earlier versions: it is the end of the log until a day after
 * this version began.
 */
function nextTurns(
  before: DecisionTurns,
  now: { readonly evaluation: number; readonly size: number; readonly versions: number; readonly nowMs: number },
): DecisionTurns {
  const { evaluation, size, versions, nowMs } = now;
  const turns = { ...before, from: Math.min(before.from, size), size: Math.min(before.size, size) };
  const by = auditedBy(before);
  // An older process beside newer ones.
  if (by !== undefined && by.version > evaluation) return turns;
  const name = `evaluation ${evaluation}`;
  if (by?.version === evaluation) {
    if (by.untilMs === undefined) return turns;
    return { ...turns, by: nowMs < by.untilMs ? before.by : name, from: size };
  }
  // There is nothing before the first version; and who made the state of the audit unusable must not choose what is excused.
  const wasLost = before.by === '' && versions > 0;
  if (evaluation === FIRST_EVALUATION || wasLost) return { ...turns, by: name, from: 0 };
  return { ...turns, by: `${name} until ${nowMs + OVERLAP_MS}`, from: size };
}

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
  /** The version of the evaluation of this service. */
  readonly evaluation: number;
  readonly nowMs: () => number;
}

export interface AuditDecisionsOptions {
  /** How often other versions of the evaluation began to audit this log. */
  readonly versions: number;
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
  { db, verifier, evaluation, nowMs }: DecisionsAuditDeps,
  log: LogOfDecisions,
  before: DecisionTurns,
  options: AuditDecisionsOptions,
): Promise<DecisionsAudited> {
  let turns = nextTurns(before, { evaluation, size: log.size, versions: options.versions, nowMs: nowMs() });
  const newest = auditedBy(turns)?.version ?? evaluation;
  const verified = new Map<string, Finding | undefined>();
  /** @returns the number of decisions that were verified, from the first one on: some of them, or all if it is not late */
  const verify = async (ids: readonly string[]): Promise<number> => {
    for (let done = 0; done < ids.length; done += CHUNK) {
      if (done > 0 && options.isLate()) return done;
      await verifyChunk(ids.slice(done, done + CHUNK));
    }
    return ids.length;
  };
  /** Whether another version may have made a decision that this one evaluates differently, or cannot read. */
  const mayBeOfOther = async (id: string, made: number): Promise<boolean> => {
    // Records are hashed in the order of the log, so what was logged before this version began was not forged since then.
    if (made < evaluation) return (await leafOf(id)) < turns.from;
    return made <= newest || Math.abs(nowMs() - idTimeMs(id)) <= OVERLAP_MS;
  };
  const leafOf = async (id: string): Promise<number> => {
    const [row] = await db.query<{ leaf_index: number }>(LEAF, [log.logId, proofIdOfDecision(id)]);
    return row?.leaf_index ?? Number.POSITIVE_INFINITY;
  };
  const verifyChunk = async (ids: readonly string[]): Promise<void> => {
    for await (const outcome of verifier.some(log, ids)) {
      const id = outcome.decisionId ?? '';
      const [failure] = outcome.status === 'failed' ? outcome.failures : [];
      const isOther = outcome.notEvaluable.includes('OTHER_VERSION');
      const made = outcome.evaluation ?? evaluation;
      if (failure === undefined && isOther && !(await mayBeOfOther(id, made))) verified.set(id, strangerOf(id, made));
      else verified.set(id, failure && findingOf(id, failure.code, failure.sentence));
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
  const begun = turns.next >= turns.size ? 0 : turns.next;
  for (let isFirst = true, isRound = false; turns.size > 0 && !isRound && hasTime(isFirst); isFirst = false) {
    const start = turns.next >= turns.size ? 0 : turns.next;
    const next = await page(start, turns.size);
    isRound = next >= turns.size ? begun === 0 : start < begun && next >= begun;
    turns = { ...turns, next: next >= turns.size ? 0 : next };
  }
  return { turns, verified };
}

function strangerOf(decisionId: string, made: number): Finding {
  return {
    kind: 'decision-unverified',
    leafIndex: null,
    proofId: proofIdOfDecision(decisionId),
    sentence: `The decision ${quoted(decisionId)} does not hold: it names version ${made} of the evaluation, which did not decide any more, or not yet, when it was logged.`,
  };
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

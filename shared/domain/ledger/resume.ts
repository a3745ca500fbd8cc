// Accepts findings of the audit for an operator: a halted log signs again, or a missing log is known to be lost.
import { OperatorError } from '../../kernel/operator-error.ts';
import { AUDIT_PROGRESS, type AuditProgressRow, isProgressSeal } from '../../platform/db/seals/audit-progress.ts';
import type { Database, Sql } from '../../platform/db/database.ts';
import type { Finding } from '../../core/proof/audit-findings.ts';
import type { Owner } from '../../kernel/owner.ts';
import { readAccepted, writeAccepted } from './audit-accepted.ts';
import { acceptLost } from './audit-installation.ts';
import { openFindings } from './audit-state.ts';
import { findLog, type LogRow } from './export.ts';
import type { CheckpointKeeper } from './kept.ts';
import { storedRoot } from './nodes.ts';
import { writeServiceRecord } from './service-record.ts';
import { readSignedHeads } from './signed-heads.ts';

/** Why findings cannot be accepted, as a sentence. */
export class ResumeError extends OperatorError {}

export interface Resumed {
  readonly origin: string;
  /** The findings that were accepted now. */
  readonly accepted: readonly Finding[];
}

interface Acceptance {
  /** `cli:<user>`. */
  readonly by: string;
  readonly reason: string;
}

interface ResumeDeps {
  readonly db: Database;
  readonly keeper: CheckpointKeeper;
  readonly nowMs: () => number;
}

const HOLD = 'SELECT log_id FROM log WHERE log_id = $1 FOR UPDATE';
const MAKE = 'INSERT INTO audit (log_id) VALUES ($1) ON CONFLICT DO NOTHING';
const AUDIT = `SELECT ${AUDIT_PROGRESS}, accepted FROM audit WHERE log_id = $1 FOR UPDATE`;
const ACCEPT = 'UPDATE audit SET accepted = $2, ok = true WHERE log_id = $1';
const GO_ON = 'UPDATE log SET halted_reason = NULL WHERE log_id = $1';
const OPERATOR = 'SELECT id FROM organisation WHERE is_operator';

/** The findings of the last audit of a log, until the transaction ends. */
interface HeldFindings {
  /** False: somebody changed them in the database. */
  readonly areGenuine: boolean;
  readonly all: readonly Finding[];
  readonly open: readonly Finding[];
}

/** Call it before the log's row is locked: the same order as the auditor's. */
export async function holdFindings(sql: Sql, logId: number): Promise<HeldFindings> {
  await sql.query(MAKE, [logId]);
  const [row] = await sql.query<AuditProgressRow & { progress_seal: Buffer | null; accepted: string }>(AUDIT, [logId]);
  if (row === undefined) throw new Error(`the audit has no row of the log ${logId}`);
  // Before the first audit there is no seal.
  const areGenuine = row.runs === 0 || isProgressSeal(sql.seals, row);
  const all = row.runs > 0 && areGenuine ? (JSON.parse(row.findings) as Finding[]) : [];
  return { areGenuine, all, open: openFindings(all, readAccepted(sql, `log ${logId}`, row.accepted)) };
}

/** Accepts these findings of a log for an operator, in place of those that were accepted before. */
export async function acceptFindings(sql: Sql, logId: number, findings: readonly Finding[]): Promise<void> {
  const sentences = findings.map(({ sentence }) => sentence);
  await sql.query(ACCEPT, [logId, writeAccepted(sql, `log ${logId}`, sentences)]);
}

/** As they are named in the record of their acceptance. */
export const recordedFindings = (findings: readonly Finding[]): Pick<Finding, 'kind' | 'leafIndex' | 'sentence'>[] =>
  findings.map(({ kind, leafIndex, sentence }) => ({ kind, leafIndex, sentence }));

/** Whether the tree extends every last signed head. Otherwise a new signature would contradict an old one. */
async function isGrown(
  sql: Sql,
  log: LogRow & { readonly origin: string },
  keeper: CheckpointKeeper,
): Promise<boolean> {
  for (const head of await readSignedHeads(sql, log, keeper)) {
    const root = head.size > log.size ? undefined : await storedRoot(sql, log.logId, head.size);
    if (root === undefined || !head.root.equals(root)) return false;
  }
  return true;
}

/**
 * Accepts the findings of a halted log, so that it signs again. A record with the operator, the reason and the findings becomes a leaf
 * of the log.
 * @throws {ResumeError} when there is no such log, it is not halted, or it contradicts a signed head
 */
export async function resumeLog(
  { db, keeper, nowMs }: ResumeDeps,
  owner: Owner,
  { by, reason }: Acceptance,
): Promise<Resumed> {
  const { organisationId, environment } = owner;
  return db.transaction(async (sql) => {
    const found = await findLog(sql, organisationId, environment);
    if (found === undefined) throw new ResumeError('There is no such log.');
    // The row of the audit before that of the log: the same lock order as the auditor.
    const { areGenuine, all, open } = await holdFindings(sql, found.logId);
    await sql.query(HOLD, [found.logId]);
    const log = await findLog(sql, organisationId, environment);
    const origin = log?.origin ?? null;
    if (log === undefined || origin === null || log.haltedReason === null)
      throw new ResumeError('The log is not halted: there is nothing to accept.');
    if (!(await isGrown(sql, { ...log, origin }, keeper)))
      throw new ResumeError(
        'The log contradicts what was signed before, so signing it would show two histories. "custos log fork" replaces it.',
      );
    if (!areGenuine)
      throw new ResumeError(
        'The findings were changed in the database. The next run of the audit replaces them: run this again in a minute.',
      );
    await acceptFindings(sql, log.logId, all);
    await sql.query(GO_ON, [log.logId]);
    const body = {
      change: 'resumed',
      by,
      reason,
      haltedReason: log.haltedReason,
      findings: recordedFindings(open),
    };
    await writeServiceRecord(sql, { organisationId, environment, event: 'custos.log', body }, nowMs());
    return { origin, accepted: open };
  });
}

/**
 * Accepts that a log with a kept checkpoint is lost. The kept file stays, so that no new log can have that origin. A record of it
 * becomes a leaf of the operator's own log.
 * @throws {ResumeError} when the audit has no such finding
 */
export async function acceptLostLog(
  { db, nowMs }: Omit<ResumeDeps, 'keeper'>,
  origin: string,
  { by, reason }: Acceptance,
): Promise<void> {
  await db.transaction(async (sql) => {
    const accepted = await acceptLost(sql, origin);
    if (accepted.length === 0)
      throw new ResumeError(
        `The audit has no finding of a missing log ${origin}; "custos log list" shows its findings.`,
      );
    const [operator] = await sql.query<{ id: string }>(OPERATOR, []);
    if (operator === undefined)
      throw new ResumeError('There is no operator organisation whose log could hold the record.');
    const body = {
      change: 'lost',
      origin,
      by,
      reason,
      findings: accepted.map(({ kind, sentence }) => ({ kind, sentence })),
    };
    await writeServiceRecord(
      sql,
      { organisationId: operator.id, environment: 'live', event: 'custos.log', body },
      nowMs(),
    );
  });
}

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
const AUDIT = `SELECT ${AUDIT_PROGRESS}, accepted FROM audit WHERE log_id = $1 FOR UPDATE`;
const ACCEPT = 'UPDATE audit SET accepted = $2, ok = true WHERE log_id = $1';
const GO_ON = 'UPDATE log SET halted_reason = NULL WHERE log_id = $1';
const OPERATOR = 'SELECT id FROM organisation WHERE is_operator';

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
    const [audit] = await sql.query<AuditProgressRow & { progress_seal: Buffer | null; accepted: string }>(AUDIT, [
      found.logId,
    ]);
    await sql.query(HOLD, [found.logId]);
    const log = await findLog(sql, organisationId, environment);
    const origin = log?.origin ?? null;
    if (log === undefined || origin === null || log.haltedReason === null)
      throw new ResumeError('The log is not halted: there is nothing to accept.');
    if (!(await isGrown(sql, { ...log, origin }, keeper)))
      throw new ResumeError(
        'The log contradicts what was signed before, so signing it would show two histories. "custos log fork" replaces it.',
      );
    if (audit !== undefined && !isProgressSeal(sql.seals, audit))
      throw new ResumeError(
        'The findings were changed in the database. The next run of the audit replaces them: run this again in a minute.',
      );
    const findings = JSON.parse(audit?.findings ?? '[]') as Finding[];
    const place = `log ${log.logId}` as const;
    const before = readAccepted(sql, place, audit?.accepted ?? '[]');
    const accepted = openFindings(findings, before);
    const sentences = findings.map(({ sentence }) => sentence);
    await sql.query(ACCEPT, [log.logId, writeAccepted(sql, place, sentences)]);
    await sql.query(GO_ON, [log.logId]);
    const body = {
      change: 'resumed',
      by,
      reason,
      haltedReason: log.haltedReason,
      findings: accepted.map(({ kind, leafIndex, sentence }) => ({ kind, leafIndex, sentence })),
    };
    await writeServiceRecord(sql, { organisationId, environment, event: 'custos.log', body }, nowMs());
    return { origin, accepted };
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

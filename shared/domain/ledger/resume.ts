// An operator's word that a log may sign again although the audit found something, and that a log is known to be gone.
import type { Database, Sql, Statement } from '../../platform/db/database.ts';
import type { Finding } from '../../core/proof/audit-findings.ts';
import { peekCheckpoint } from '../../core/proof/checkpoint.ts';
import type { Environment } from '../../kernel/vocabulary.ts';
import { readAccepted, writeAccepted } from './audit-accepted.ts';
import { acceptLost } from './audit-installation.ts';
import { openFindings } from './audit-state.ts';
import { findLog, type LogRow } from './export.ts';
import type { CheckpointKeeper } from './kept.ts';
import { MissingNodeError, readRoot } from './nodes.ts';
import { writeServiceRecord } from './service-record.ts';

/** Why a log does not sign again, as a sentence. */
export class ResumeError extends Error {}

export interface Resumed {
  readonly origin: string;
  /** What is accepted from now on. */
  readonly accepted: readonly Finding[];
}

interface Word {
  /** `cli:<user>`. */
  readonly by: string;
  readonly reason: string;
}

interface ResumeDeps {
  readonly db: Database;
  readonly keeper: CheckpointKeeper;
  readonly nowMs: () => number;
}

const HOLD: Statement = { name: 'resume-hold', text: 'SELECT log_id FROM log WHERE log_id = $1 FOR UPDATE' };
const AUDIT: Statement = {
  name: 'resume-audit',
  text: 'SELECT findings, accepted FROM audit WHERE log_id = $1 FOR UPDATE',
};
const ACCEPT: Statement = {
  name: 'resume-accept',
  text: 'UPDATE audit SET accepted = $2, ok = true WHERE log_id = $1',
};
const GO_ON: Statement = { name: 'resume-go-on', text: 'UPDATE log SET halted_reason = NULL WHERE log_id = $1' };
const LAST: Statement = {
  name: 'resume-last-checkpoint',
  text: 'SELECT note FROM checkpoint WHERE log_id = $1 ORDER BY checkpoint.size DESC LIMIT 1',
};
const OPERATOR: Statement = { name: 'resume-operator', text: 'SELECT id FROM organisation WHERE is_operator' };

/** Whether the tree grew from every head that was signed last: otherwise a signature would fork the log. */
async function isGrown(
  sql: Sql,
  log: LogRow & { readonly origin: string },
  keeper: CheckpointKeeper,
): Promise<boolean> {
  const [last] = await sql.query<{ note: string }>(LAST, [log.logId]);
  const notes = [await keeper.read(log.origin), last?.note].filter((note) => note !== undefined);
  for (const head of notes.map(peekCheckpoint)) {
    if (head.size > log.size) return false;
    try {
      if (!head.root.equals(await readRoot(sql, log.logId, head.size))) return false;
    } catch (error) {
      if (error instanceof MissingNodeError) return false;
      throw error;
    }
  }
  return true;
}

/**
 * Accepts what the audit has found of a halted log, so that it signs again. The record of it, with who, why and what was
 * found, is a leaf of the log and is signed with it.
 * @throws {ResumeError} when there is no such log, it is not halted, or it is not the one that was signed before
 */
export async function resumeLog(
  { db, keeper, nowMs }: ResumeDeps,
  owner: { readonly organisationId: string; readonly environment: Environment },
  { by, reason }: Word,
): Promise<Resumed> {
  const { organisationId, environment } = owner;
  return db.transaction(async (sql) => {
    const found = await findLog(sql, organisationId, environment);
    if (found === undefined) throw new ResumeError('There is no such log.');
    // The audit's row before the log's own: the auditor takes them in this order.
    const [audit] = await sql.query<{ findings: string; accepted: string }>(AUDIT, [found.logId]);
    await sql.query(HOLD, [found.logId]);
    const log = await findLog(sql, organisationId, environment);
    const origin = log?.origin ?? null;
    if (log === undefined || origin === null || log.haltedReason === null)
      throw new ResumeError('The log is not halted: there is nothing to accept.');
    if (!(await isGrown(sql, { ...log, origin }, keeper)))
      throw new ResumeError(
        'The log is not the one that was signed before, and signing it would show two pasts: "custos log fork" opens it anew.',
      );
    // Written by the auditor alone.
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
 * Accepts that a log is gone whose checkpoint is kept. The kept file stays: a log of that origin can never begin anew.
 * The record of it is a leaf of the operator's own log.
 * @throws {ResumeError} when the audit does not miss this log
 */
export async function acceptLostLog(
  { db, nowMs }: Omit<ResumeDeps, 'keeper'>,
  origin: string,
  { by, reason }: Word,
): Promise<void> {
  await db.transaction(async (sql) => {
    const accepted = await acceptLost(sql, origin);
    if (accepted.length === 0)
      throw new ResumeError(`The audit does not miss a log ${origin}; "custos log list" says what it found.`);
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

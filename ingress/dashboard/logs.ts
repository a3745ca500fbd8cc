// The state of an organisation's logs: their size, their last checkpoint, and what the auditor found.
import { waitingIds } from '../../shared/domain/ledger/inbox.ts';
import type { Sql } from '../../shared/platform/db/database.ts';
import { type Finding, FINDINGS } from '../../shared/core/proof/audit-findings.ts';
import type { Environment } from '../../shared/kernel/vocabulary.ts';
import type { AuditedLog } from './client/wire.ts';

export interface Tenant {
  readonly organisationId: string;
  readonly environment: Environment;
}

/** Records that wait are counted up to this number. */
export const MAX_WAITING = 10_000;

const LOGS = `SELECT log.generation, log.origin, log.size::float8 AS size, log.halted_reason AS "haltedReason", signed.size::float8 AS signed_size, signed.signed_at,
      audit.ok, audit.audited_size::float8 AS audited_size, audit.audited_at, audit.findings,
      (SELECT count(*)::int FROM (SELECT FROM log_inbox i, unnest(${waitingIds('i')}) WHERE i.organisation_id = $1 AND i.environment = $2 LIMIT ${MAX_WAITING}) waiting) AS waiting
    FROM log LEFT JOIN audit USING (log_id)
      LEFT JOIN LATERAL (SELECT size, signed_at FROM checkpoint c WHERE c.log_id = log.log_id ORDER BY size DESC LIMIT 1) signed ON true
    WHERE log.organisation_id = $1 AND log.environment = $2 ORDER BY log.generation DESC LIMIT $3`;

interface LogRow extends Omit<AuditedLog, 'checkpoint' | 'audit'> {
  readonly signed_size: number | null;
  readonly signed_at: Date | null;
  readonly ok: boolean | null;
  readonly audited_size: number | null;
  readonly audited_at: Date | null;
  readonly findings: string | null;
}

function auditOf({ ok, audited_size, audited_at, findings }: LogRow): AuditedLog['audit'] {
  if (ok === null) return null;
  // Only the auditor writes them (shared/domain/ledger/audit-state.ts).
  const found = JSON.parse(findings ?? '[]') as Finding[];
  return {
    ok,
    auditedSize: audited_size ?? 0,
    at: audited_at?.toISOString() ?? null,
    findings: found.map(({ kind, leafIndex, proofId, sentence }) => ({
      kind,
      meaning: FINDINGS[kind],
      leafIndex,
      proofId,
      sentence,
    })),
  };
}

/** Newest first; there are several after `custos log fork`. @throws {ApiError} E6002 */
export async function readLogs(db: Sql, tenant: Tenant, limit = 100): Promise<AuditedLog[]> {
  const rows = await db.query<LogRow>(LOGS, [tenant.organisationId, tenant.environment, limit]);
  return rows.map((row, i) => {
    const { generation, origin, size, haltedReason, signed_size: signedSize, signed_at: signedAt } = row;
    return {
      generation,
      origin,
      size,
      haltedReason,
      // Only the newest log grows.
      waiting: i === 0 ? row.waiting : 0,
      checkpoint:
        signedSize === null || signedAt === null ? null : { size: signedSize, signedAt: signedAt.toISOString() },
      audit: auditOf(row),
    };
  });
}

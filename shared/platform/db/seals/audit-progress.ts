// The seals of the auditor's own state of a log (table audit): who can write to the database must not choose what is audited.
import type { Seals } from './seals.ts';

/** The columns of what the auditor has done. */
export interface AuditProgressRow {
  readonly log_id: number;
  /** Raised by each run. */
  readonly runs: number;
  /** How many versions of the service have audited it. */
  readonly versions: number;
  readonly audited_size: number;
  readonly state: Buffer;
  readonly findings: string;
  readonly verified_by: string;
  readonly verified_from: number;
  readonly verified_size: number;
  readonly verify_next: number;
  readonly trust_next: string;
}

/** These columns as a SELECT list, with the seal. Sizes are below 2 ** 53, so they fit a float8. */
export const AUDIT_PROGRESS = `log_id, runs::float8 AS runs, versions, audited_size::float8 AS audited_size, state, findings, verified_by,
      verified_from::float8 AS verified_from, verified_size::float8 AS verified_size, verify_next::float8 AS verify_next, trust_next, progress_seal`;

const progressText = (row: AuditProgressRow): string =>
  JSON.stringify([
    row.log_id,
    row.runs,
    row.versions,
    row.audited_size,
    row.state.toString('base64'),
    row.findings,
    row.verified_by,
    row.verified_from,
    row.verified_size,
    row.verify_next,
    row.trust_next,
  ]);

export const progressSeal = (seals: Pick<Seals, 'sealOfText'>, row: AuditProgressRow): Buffer =>
  seals.sealOfText('audit-progress', progressText(row));

export const isProgressSeal = (
  seals: Pick<Seals, 'isSealOfText'>,
  row: AuditProgressRow & { readonly progress_seal: Buffer | null },
): boolean => row.progress_seal !== null && seals.isSealOfText('audit-progress', progressText(row), row.progress_seal);

const begunText = (logId: number, begunMs: number): string => JSON.stringify([logId, begunMs]);

/** The seal of the time at which an audit of decisions and trust began. */
export const begunSeal = (seals: Pick<Seals, 'sealOfText'>, logId: number, begunMs: number): Buffer =>
  seals.sealOfText('audit-begun', begunText(logId, begunMs));

export const isBegunSeal = (
  seals: Pick<Seals, 'isSealOfText'>,
  logId: number,
  { begunMs, seal }: { readonly begunMs: number; readonly seal: Buffer },
): boolean => seals.isSealOfText('audit-begun', begunText(logId, begunMs), seal);

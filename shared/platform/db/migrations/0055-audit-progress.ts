// Seals of the auditor's state of each log: with a wrong one the audit of the log begins anew.
import { AUDIT_PROGRESS, type AuditProgressRow, progressSeal } from '../seals/audit-progress.ts';
import { createSeals } from '../seals/seals.ts';
import { requirePepper } from './require-pepper.ts';
import { type Migration, type MigrationRunner, sqlMigration } from './sql-migration.ts';

const UP = `
ALTER TABLE audit
  -- So that an older state, put back with its seal, is not taken for the newest.
  ADD COLUMN runs bigint NOT NULL DEFAULT 0,
  ADD COLUMN versions integer NOT NULL DEFAULT 0,
  -- HMAC-SHA-256 under keys derived from the pepper (shared/platform/db/seals/audit-progress.ts).
  ADD COLUMN progress_seal bytea CHECK (length(progress_seal) = 32),
  ADD COLUMN begun_seal bytea CHECK (length(begun_seal) = 32)`;
const DOWN =
  'ALTER TABLE audit DROP COLUMN runs, DROP COLUMN versions, DROP COLUMN progress_seal, DROP COLUMN begun_seal';

/** @param pepper CUSTOS_PEPPER. States of earlier versions are sealed here, and never later */
export function auditProgressMigration(pepper: string): new () => Migration {
  return sqlMigration({
    name: 'AuditProgress1763700000055',
    up: UP,
    down: DOWN,
    async afterUp(runner: MigrationRunner) {
      await requirePepper(runner, pepper);
      const rows = (await runner.query(`SELECT ${AUDIT_PROGRESS} FROM audit`)) as AuditProgressRow[];
      const seals = createSeals({ pepper });
      for (const row of rows)
        await runner.query('UPDATE audit SET progress_seal = $2 WHERE log_id = $1', [
          row.log_id,
          progressSeal(seals, row),
        ]);
    },
  });
}

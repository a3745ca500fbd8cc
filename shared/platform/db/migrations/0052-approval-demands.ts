// One question may have several open approvals, each with what the policies demanded: other approvers, or another lifetime.
import { concurrentMigration } from './sql-migration.ts';

const OPEN = `WHERE state IN ('pending', 'approved')`;

export const ApprovalDemands1763700000052 = concurrentMigration({
  name: 'ApprovalDemands1763700000052',
  // The hash, because approvers may be longer than an entry of an index may be.
  up: [
    'DROP INDEX CONCURRENTLY IF EXISTS approval_open_once',
    `CREATE UNIQUE INDEX CONCURRENTLY approval_open_once ON approval (organisation_id, environment, digest, key_id,
      hashtextextended(coalesce(approvers, ''), 0), (expires_at - created_at)) ${OPEN}`,
    // An earlier version can't open approvals without it: its statement names these columns.
    'DROP INDEX CONCURRENTLY IF EXISTS approval_open',
  ],
  // Fails while a question has two open approvals. They expire within a week.
  down: [
    'DROP INDEX CONCURRENTLY IF EXISTS approval_open',
    `CREATE UNIQUE INDEX CONCURRENTLY approval_open ON approval (organisation_id, environment, digest, key_id) ${OPEN}`,
    'DROP INDEX CONCURRENTLY IF EXISTS approval_open_once',
  ],
});

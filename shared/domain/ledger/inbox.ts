// Queues the job that appends a log's inbox. The inbox row itself is inserted in the transaction that creates the record.
import { enqueueSql } from '../../platform/queues/outbox.ts';

/**
 * The end of a statement: one outbox row for each log among its rows. The relay coalesces such rows into one job.
 * @param rows a table or WITH member that has organisation_id and environment
 */
export const wakeLogs = (rows: string): string =>
  enqueueSql(
    'proofs',
    'append',
    { organisationId: 'organisation_id', environment: 'environment' },
    `(SELECT DISTINCT organisation_id, environment FROM ${rows}) AS log`,
  );
